/* SPDX-License-Identifier: MIT */
/*
 * OCaml names: "caml" Module "__" name, where "$" and two hex digits encode any other byte. Runtime
 * functions ("caml_alloc") continue with a lower-case letter or an underscore and are not changed.
 */
#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "sym/table/symtab_internal.h"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

char *pfx_demangle_ocaml(const char *name)
{
	const char *from;
	char *text, *to;

	if (strncmp(name, "caml", 4) || !isupper((unsigned char)name[4]))
		return NULL;
	text = to = pfx_malloc(strlen(name));
	for (from = name + 4; *from; from++) {
		if (from[0] == '_' && from[1] == '_') {
			*to++ = '.';
			from++;
		} else if (from[0] == '$' && hex_digit(from[1]) >= 0 && hex_digit(from[2]) >= 0) {
			*to++ = (char)(hex_digit(from[1]) << 4 | hex_digit(from[2]));
			from += 2;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	return text;
}
