/* SPDX-License-Identifier: MIT */
/* Demangling: all kinds of names that a library supports, names that are unchanged, and malicious
 * ones that need huge memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/str.h"
#include "sym/table/demangle.h"

#define DOUBLINGS 40

static void expect(const char *name, const char *wanted)
{
	char *have = pfx_demangle(name);

	if (wanted)
		assert_non_null(have);
	else
		assert_null(have);
	if (wanted)
		assert_string_equal(have, wanted);
	free(have);
}

static void kinds_of_names(void **state)
{
	(void)state;
	if (!pfx_demangle_is_built_in())
		skip();
	expect("_ZN2ns3fooEi", "ns::foo");
	expect("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
	expect("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
	expect("_D8demangle4testFaZv", "demangle.test(char)");
	expect("_D6object9Throwable8toStringMFZAya", "object.Throwable.toString()");
	expect("_D3std4conv8textImplTAyaTQeTQhZQpFQnQqQsZQv", NULL); /* truncated */
	expect("_Dmain", "D main");
}

static void names_that_stay(void **state)
{
	static const char *const names[] = {
		"main",
		"_start",
		"_DYNAMIC",
		"$s4main3fooyyF",
		"_$s4main3fooyyF",
		"_T04main3fooyyF",
		"_Z",
		"",
		"_",
		"_D",
		"_R",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		expect(names[i], NULL);
}

static void add_reference(struct pfx_str *name, unsigned nr)
{
	pfx_str_add(name, "S");
	if (nr > 36)
		pfx_str_addf(name, "%u", (nr - 1) / 36);
	if (nr)
		pfx_str_addf(name, "%c",
			     (nr - 1) % 36 < 10 ? '0' + (nr - 1) % 36 : 'A' + (nr - 1) % 36 - 10);
	pfx_str_add(name, "_");
}

/* Each type uses the previous one for both of its arguments: 2^40 words of text. */
static char *cpp_name(unsigned doublings)
{
	struct pfx_str name = {0};
	unsigned i;

	pfx_str_add(&name, "_Z1fI1BIiiE");
	for (i = 0; i < doublings; i++) {
		add_reference(&name, 1);
		pfx_str_add(&name, "I");
		add_reference(&name, 2 + i);
		add_reference(&name, 2 + i);
		pfx_str_add(&name, "E");
	}
	pfx_str_add(&name, "Evv");
	return name.at;
}

/* The same in Rust: nested pairs of tuples. */
static char *rust_name(unsigned doublings)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct pfx_str name = {0};
	size_t at, before;
	unsigned i, k;

	pfx_str_add(&name, "_RINvC1c1f");
	before = name.len - 2;
	pfx_str_add(&name, "Tuu");
	pfx_str_add(&name, "E");
	for (i = 0; i < doublings; i++) {
		at = name.len - 2;
		pfx_str_add(&name, "T");
		for (k = 0; k < 2; k++) {
			pfx_str_add(&name, "B");
			if (before > 62)
				pfx_str_addc(&name, digits[(before - 1) / 62]);
			pfx_str_addc(&name, digits[(before - 1) % 62]);
			pfx_str_add(&name, "_");
		}
		pfx_str_add(&name, "E");
		before = at;
	}
	pfx_str_add(&name, "E");
	return name.at;
}

static void add_way_back(struct pfx_str *name, size_t to)
{
	size_t back = name->len - to;

	pfx_str_add(name, "Q");
	if (back >= 26)
		pfx_str_addc(name, (char)('A' + back / 26));
	pfx_str_addc(name, (char)('a' + back % 26));
}

/* The same in D: nested associative arrays. */
static char *d_name(unsigned doublings)
{
	struct pfx_str name = {0};
	size_t at, before;
	unsigned i;

	pfx_str_add(&name, "_D1fF");
	before = name.len;
	pfx_str_add(&name, "Ai");
	for (i = 0; i < doublings; i++) {
		at = name.len;
		pfx_str_add(&name, "H");
		add_way_back(&name, before);
		add_way_back(&name, before);
		before = at;
	}
	pfx_str_add(&name, "Zv");
	return name.at;
}

static void doubling_types(void **state)
{
	static char *(*const makers[])(unsigned) = {cpp_name, rust_name, d_name};
	size_t i;

	(void)state;
	if (!pfx_demangle_is_built_in())
		skip();
	for (i = 0; i < 3; i++) {
		char *few = makers[i](3), *many = makers[i](DOUBLINGS);
		char *text = pfx_demangle(few);

		assert_non_null(text); /* it is a name */
		assert_true(strlen(text) > 30);
		expect(many, NULL);
		assert_null(pfx_demangle_full(many));
		free(text);
		free(few);
		free(many);
	}
}

static char *repeated(const char *start, const char *part, unsigned nr, const char *middle,
		      const char *close, unsigned nr_close, const char *end)
{
	struct pfx_str name = {0};

	for (pfx_str_add(&name, start); nr; nr--)
		pfx_str_add(&name, part);
	for (pfx_str_add(&name, middle); nr_close; nr_close--)
		pfx_str_add(&name, close);
	pfx_str_add(&name, end);
	return name.at;
}

/* A pack expansion of functions of functions, whose types are shared: two in each. */
static char *pack_name(unsigned levels)
{
	struct pfx_str name = {0};
	unsigned i;

	pfx_str_add(&name, "_Z1fIDp");
	for (i = 0; i < levels; i++)
		pfx_str_add(&name, "F");
	pfx_str_add(&name, "Pi");
	for (i = 1; i <= levels; i++) {
		add_reference(&name, i - 1);
		pfx_str_add(&name, "E");
	}
	pfx_str_add(&name, "EvT_");
	return name.at;
}

/* Years of work without any text: names that the library would try 2^60 times. */
static void trying_twice(void **state)
{
	static const char *const numbers[] = {"9", "119", "1119"};
	char *name;
	size_t i;

	(void)state;
	if (!pfx_demangle_is_built_in())
		skip();
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		char *part = pfx_strfmt("__T1fS%s", numbers[i]);

		name = repeated("_D1a", part, 60, "1b", "Z", 60, "i");
		expect(name, NULL);
		free(name);
		free(part);
	}
	name = repeated("_Z", "cvT_IL_Z", 60, "1f", "EE", 60, "");
	expect(name, NULL);
	free(name);
	name = repeated("_ZcvT_", "IT_", 60, "", "E", 60, "v");
	expect(name, NULL);
	free(name);
	name = pack_name(60);
	expect(name, NULL);
	assert_null(pfx_demangle_full(name));
	free(name);
}

/* Names with as many references that are no harm. */
static void many_references(void **state)
{
	char *name, *text;

	(void)state;
	if (!pfx_demangle_is_built_in())
		skip();
	name = repeated("_Z1fIJ1AiEEvDpT_", "S0_S0_", 40, "", "", 0, "");
	text = pfx_demangle(name);
	assert_string_equal(text, "f<A, int>");
	free(text);
	free(name);
}

static void long_names(void **state)
{
	char *name = malloc(1 << 20);

	(void)state;
	assert_non_null(name);
	memset(name, 'P', 1 << 20);
	memcpy(name, "_Z1f", 4);
	name[(1 << 20) - 1] = '\0';
	expect(name, NULL);
	name[16000] = '\0'; /* pointers to pointers, unterminated */
	expect(name, NULL);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_of_names),  cmocka_unit_test(names_that_stay),
		cmocka_unit_test(doubling_types),  cmocka_unit_test(trying_twice),
		cmocka_unit_test(many_references), cmocka_unit_test(long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
