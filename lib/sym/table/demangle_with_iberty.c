/* SPDX-License-Identifier: MIT */
/*
 * Demangles through libiberty: C++ (Itanium ABI), both schemes of Rust, and D. By default
 * parameters are omitted, since columns have no room for them. Names are untrusted, and a few
 * hundred bytes with back references can expand to terabytes: the output is bounded.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "sym/table/demangle.h"

#define NAME_LIMIT 16384
#define TEXT_LIMIT (64u << 10)

struct output {
	struct pfx_str text;
	jmp_buf too_long;
};

/* longjmp() out of this callback leaks at most a punycode identifier of a Rust name: the library
 * allocates nothing else. */
static void add(const char *part, size_t size, void *context)
{
	struct output *out = context;

	if (out->text.len + size > TEXT_LIMIT)
		longjmp(out->too_long, 1);
	pfx_str_addn(&out->text, part, size);
}

typedef int (*demangler)(const char *name, int options, demangle_callbackref add, void *context);

static char *call(demangler function, const char *name, int options)
{
	struct output *out = pfx_calloc(1, sizeof(*out));
	char *text = NULL;

	if (!setjmp(out->too_long) && function(name, options, add, out) && out->text.len) {
		text = out->text.at;
		out->text.at = NULL;
	}
	pfx_str_fini(&out->text);
	free(out);
	return text;
}

/* --- D --- */

/* "Q" and a base-26 number that ends with a lower-case letter: the distance back to a repeated name
 * or type. 0: not a back reference. */
static size_t back_reference(const char *at, size_t *ret_len)
{
	size_t back = 0, i;

	for (i = 1; at[i] >= 'A' && at[i] <= 'Z' && i < 5; i++)
		back = back * 26 + (size_t)(at[i] - 'A');
	if (at[0] != 'Q' || at[i] < 'a' || at[i] > 'z')
		return 0;
	*ret_len = i + 1;
	return back * 26 + (size_t)(at[i] - 'a');
}

/* Whether the name stays within bounds when all back references are expanded. A target ends before
 * its reference; more of the grammar is not needed here. */
static bool is_bounded(const char *name)
{
	uint32_t sizes[NAME_LIMIT + 1]; /* expanded size of the name before each byte */
	size_t i, back, len;

	sizes[0] = 0;
	for (i = 0; name[i]; i += len) {
		len = 1;
		back = back_reference(name + i, &len);
		if (back > i)
			back = 0;
		sizes[i + 1] = sizes[i] + 1 + (back ? sizes[i] - sizes[i - back] : 0);
		if (sizes[i + 1] > TEXT_LIMIT)
			return false;
		for (back = 1; back < len; back++)
			sizes[i + back + 1] = sizes[i + back];
	}
	return true;
}

static char *demangle_d(const char *name)
{
	return is_bounded(name) ? dlang_demangle(name, DMGL_NO_OPTS) : NULL;
}

static char *demangle(const char *name, int options)
{
	char *text;

	/* All supported schemes begin with "_". */
	if (name[0] != '_' || strnlen(name, NAME_LIMIT) == NAME_LIMIT)
		return NULL;
	if (name[1] == 'D')
		return demangle_d(name);
	text = call(rust_demangle_callback, name, options);
	return text ? text : call(cplus_demangle_v3_callback, name, options);
}

char *pfx_demangle(const char *name)
{
	return demangle(name, DMGL_NO_OPTS);
}

char *pfx_demangle_full(const char *name)
{
	return demangle(name, DMGL_PARAMS | DMGL_ANSI);
}

bool pfx_demangle_is_built_in(void)
{
	return true;
}
