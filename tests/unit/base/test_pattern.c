/* SPDX-License-Identifier: MIT */
/* Regular expressions that others give: what the C library can do is compiled, the rest refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/pattern/pattern.h"
#include "base/str.h"

static const char too_large[] = "it is too large", too_deep[] = "parentheses are nested too deeply";

/* @times times @unit between @before and @after, then as often @close. */
static char *make(const char *before, const char *unit, unsigned times, const char *after,
		  const char *close)
{
	struct pfx_str text = {0};
	char *ret;

	pfx_str_add(&text, before);
	for (unsigned i = 0; i < times; i++)
		pfx_str_add(&text, unit);
	pfx_str_add(&text, after);
	for (unsigned i = 0; i < times; i++)
		pfx_str_add(&text, close);
	ret = pfx_strdup(pfx_str_get(&text));
	pfx_str_fini(&text);
	return ret;
}

/* NULL for @why: it is compiled. */
static void expect(char *pattern, const char *why)
{
	char reason[128] = "";
	regex_t regex;
	bool done = pfx_pattern_compile(&regex, pattern, REG_NOSUB, reason, sizeof(reason));

	assert_int_equal(done, !why);
	assert_string_equal(reason, why ? why : "");
	if (done)
		regfree(&regex);
	free(pattern);
}

static void test_compiles_as_the_c_library(void **state)
{
	regex_t regex;
	regmatch_t match[2];
	char why[128];

	(void)state;
	assert_true(pfx_pattern_compile(&regex, "^(a|b)+[])(]x{2,3}\\($", 0, why, sizeof(why)));
	assert_int_equal(regexec(&regex, "ab)xx(", 2, match, 0), 0);
	assert_int_equal(match[1].rm_so, 1);
	assert_int_equal(regexec(&regex, "ab)x(", 2, match, 0), REG_NOMATCH);
	regfree(&regex);
	assert_false(pfx_pattern_compile(&regex, "a(b", 0, why, sizeof(why)));
	assert_string_equal(why, "Unmatched ( or \\(");
	assert_false(pfx_pattern_compile(&regex, "a(b", 0, NULL, 0));
}

static void test_depth_is_bounded(void **state)
{
	(void)state;
	expect(make("", "(", PFX_PATTERN_DEPTH, "a", ")"), NULL);
	expect(make("", "(", PFX_PATTERN_DEPTH + 1, "a", ")"), too_deep);
	expect(make("", "(", 100000, "", ""), too_deep);
	/* Beside each other, escaped, and in classes they do not nest. */
	expect(make("", "(a)", 20000, "", ""), NULL);
	expect(make("", "\\(", 20000, "", ""), NULL);
	expect(make("[", "(", 20000, "]", ""), NULL);
	expect(make("[]", "(", 20000, "[:alpha:](]", ""), NULL);
}

static void test_repetitions_are_bounded(void **state)
{
	(void)state;
	expect(make("a", "+", 10, "", ""), NULL);
	expect(make("a", "+", 40, "", ""), too_large);
	expect(make("", "(", 30, "a", ")+"), too_large);
	expect(make("", "(", 3, "a", "){100}"), too_large);
	expect(make("", "(", 3, "a", "){2,10}"), NULL);
	expect(make("(a", "|a", 100, "){100}", ""), too_large);
	expect(make("", "a{99999999999999999999,}", 1, "", ""), too_large);
}

static void test_choices_are_bounded(void **state)
{
	(void)state;
	expect(make("a", "|b", PFX_PATTERN_CHOICES, "", ""), NULL);
	expect(make("a", "|b", PFX_PATTERN_CHOICES + 1, "", ""), too_large);
	expect(make("", "a*", PFX_PATTERN_CHOICES + 1, "", ""), too_large);
	expect(make("", "a?", PFX_PATTERN_CHOICES + 1, "", ""), too_large);
	expect(make("(", "(a|b)", PFX_PATTERN_CHOICES + 1, ")", ""), too_large);
	expect(make("", "abcdefghijklmnopqrst", 1000, "", ""), NULL);
	expect(make("", "abcdefghijklmnopqrst", 20000, "", ""), too_large);
}

static void test_odd_ends(void **state)
{
	static const char *const wrong[] = {
		"a{", "a{1", "a{1,", "a\\", "[[:", "[^", "[", "[]", "("};
	char why[128];
	regex_t regex;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		why[0] = '\0';
		assert_false(pfx_pattern_compile(&regex, wrong[i], 0, why, sizeof(why)));
		assert_true(why[0]);
	}
}

static void test_the_good_part(void **state)
{
	char *large = make("", "(", 20000, "", "");

	(void)state;
	assert_int_equal(pfx_pattern_good_part("main[z-a]b"), 4);
	assert_int_equal(pfx_pattern_good_part("(a"), 0);
	assert_int_equal(pfx_pattern_good_part(large), 0);
	free(large);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compiles_as_the_c_library),
		cmocka_unit_test(test_depth_is_bounded),
		cmocka_unit_test(test_repetitions_are_bounded),
		cmocka_unit_test(test_choices_are_bounded),
		cmocka_unit_test(test_odd_ends),
		cmocka_unit_test(test_the_good_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
