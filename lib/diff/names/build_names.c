/* SPDX-License-Identifier: MIT */
/* Names without clone suffixes and versions. It sees the text only. */
#include "diff/names/build_names.h"

#include <stdbool.h>
#include <stddef.h>

#include "sym/table/asked_name.h"

#define DIGITS    "0123456789"
#define MODIFIERS "ukhGHIpPSDWeb"

void pfx_build_function_name(const char *name, struct pfx_str *to)
{
	const char *clone = strstr(name, " [clone "), *at;

	if (clone && clone != name) {
		pfx_str_addn(to, name, (size_t)(clone - name));
		return;
	}
	for (at = name; *at; at++)
		if (at != name && *at == '.' && pfx_is_clone_suffix(at))
			break;
	pfx_str_addn(to, name, (size_t)(at - name));
}

/* "-2.36" before ".so": its length. */
static size_t version_before(const char *name, size_t len)
{
	size_t at = len;

	while (at && strchr(DIGITS ".", name[at - 1]))
		at--;
	return at > 1 && at < len && name[at - 1] == '-' ? len - at + 1 : 0;
}

void pfx_build_library_name(const char *name, struct pfx_str *to)
{
	const char *so = strstr(name, ".so");
	size_t len;

	if (!strcmp(name, "[kernel.kallsyms]") || !strcmp(name, "[kernel.vmlinux]") ||
	    !strncmp(name, "vmlinux", 7)) {
		pfx_str_add(to, "[kernel]");
		return;
	}
	if (!so || (so[3] && so[3] != '.') || so[3 + strspn(so + 3, DIGITS ".")]) {
		pfx_str_add(to, name);
		return;
	}
	len = (size_t)(so - name);
	pfx_str_addn(to, name, len - version_before(name, len));
	pfx_str_add(to, ".so");
}

static bool is_of_count(char modifier)
{
	return !strchr("pPH", modifier);
}

void pfx_build_event_name(const char *name, struct pfx_str *to)
{
	size_t len = strlen(name), at = len, left;

	while (at && strchr(MODIFIERS, name[at - 1]))
		at--;
	if (!at || !strchr(":/", name[at - 1]))
		at = len;
	left = len - at;
	for (len = at; name[len]; len++)
		left -= !is_of_count(name[len]);
	pfx_str_addn(to, name, at && !left && name[at - 1] == ':' ? at - 1 : at);
	for (; name[at]; at++)
		if (is_of_count(name[at]))
			pfx_str_addc(to, name[at]);
}
