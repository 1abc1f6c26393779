/* SPDX-License-Identifier: MIT */
/* The syntax of --time: spans in seconds, parts of the whole, and invalid values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "read/time_ranges.h"

#define FIRST 1000ull
#define LAST  2000ull
#define END   UINT64_MAX

static void test_seconds(void **state)
{
	static const struct {
		const char *word;
		uint64_t ns;
	} good[] = {
		{"0", 0},
		{"1", 1000000000},
		{"12.5", 12500000000},
		{".5", 500000000},
		{"5.", 5000000000},
		{"0.000000001", 1},
		{"2346.289247555", 2346289247555},
	};
	static const char *const bad[] = {
		"", ".", "x", "1x", "-1", " 1", "1.2.3", "0.0000000001", "99999999999999999999"};
	uint64_t ns;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_true(pfx_parse_seconds(good[i].word, &ns));
		assert_true(ns == good[i].ns);
	}
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(pfx_parse_seconds(bad[i], &ns));
}

/* At most two ranges; there is no second one if its end is 0. */
static const struct {
	const char *words;
	struct pfx_time_range at[2];
} good_words[] = {
	{",", {{0, END}}},
	{"1,2", {{1000000000, 2000000000}}},
	{"1,", {{1000000000, END}}},
	{",2", {{0, 2000000000}}},
	{"1,1", {{1000000000, 1000000000}}},
	{"1,2 3,4", {{1000000000, 2000000000}, {3000000000, 4000000000}}},
	{"10%", {{1000, 1099}}},
	{"10%/1", {{1000, 1099}}},
	{"10%/2", {{1100, 1199}}},
	{"10%/10", {{1900, 2000}}},
	{"0%-100%", {{1000, 2000}}},
	{"25.5%-50%", {{1255, 1499}}},
	{"0%-10%,50%-60%", {{1000, 1099}, {1500, 1599}}},
	{"10%/1,10%/3", {{1000, 1099}, {1200, 1299}}},
	{"50%-50%", {{1500, 1500}}},
};

static const char *const bad_words[] = {
	"",      "1",      "x",      "2,1",  "1,2,3",  "a,b",  "101%",  "-1%",  "%",
	"10%/0", "10%/11", "10%-5%", "10%-", "10%-x%", "10%x", "10%/x", "1%,2", "1,2 3,x",
};

static void test_good_words(void **state)
{
	struct pfx_time_ranges ranges;
	struct pfx_error err;
	size_t i, j;

	for (i = 0; i < sizeof(good_words) / sizeof(*good_words); i++) {
		size_t nr = good_words[i].at[1].end ? 2 : 1;

		if (pfx_time_ranges_parse(&ranges, good_words[i].words, FIRST, LAST, &err) < 0)
			fail_msg("'%s': %s", good_words[i].words, err.text);
		assert_int_equal(ranges.at.nr, nr);
		for (j = 0; j < nr; j++)
			if (memcmp(&ranges.at.at[j], &good_words[i].at[j], sizeof(ranges.at.at[j])))
				fail_msg("'%s' gives %llu to %llu", good_words[i].words,
					 (unsigned long long)ranges.at.at[j].start,
					 (unsigned long long)ranges.at.at[j].end);
		pfx_time_ranges_fini(&ranges);
	}
}

static void test_bad_words(void **state)
{
	struct pfx_time_ranges ranges;
	struct pfx_error err;
	size_t i;

	for (i = 0; i < sizeof(bad_words) / sizeof(*bad_words); i++) {
		if (pfx_time_ranges_parse(&ranges, bad_words[i], FIRST, LAST, &err) >= 0)
			fail_msg("'%s' was taken", bad_words[i]);
		assert_int_equal(ranges.at.nr, 0);
		assert_non_null(strstr(err.text, "span of time"));
	}
}

/* The hint contains the value, a caret below the error, and the reason. */
static void test_faults(void **state)
{
	static const struct {
		const char *words, *hint;
	} faults[] = {
		{"3,2", "3,2\n  ^ the span ends before it begins"},
		{"1,2 x", "1,2 x\n    ^ give seconds"},
		{"1,x", "1,x\n  ^ give seconds"},
		{"20%-10%", "20%-10%\n    ^ the span ends before it begins"},
		{"5%-101%", "5%-101%\n   ^ the whole is 100%"},
		{"10%,30%/5", "10%,30%/5\n        ^ the whole has not so many of these parts"},
		{"10%/0", "10%/0\n    ^ parts count from 1"},
		{"10%/x", "10%/x\n    ^ give seconds"},
		{"10%,5", "10%,5\n    ^ give seconds"},
	};
	struct pfx_error err;
	size_t i;

	assert_int_equal(pfx_time_ranges_check(NULL, &err), 0);
	assert_int_equal(pfx_time_ranges_check("10%-20%", &err), 0);
	for (i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		assert_true(pfx_time_ranges_check(faults[i].words, &err) < 0);
		if (strncmp(err.hint, faults[i].hint, strlen(faults[i].hint)) != 0)
			fail_msg("'%s' has the hint '%s'", faults[i].words, err.hint);
	}
}

static void test_parts_need_the_whole(void **state)
{
	struct pfx_time_ranges ranges;
	struct pfx_error err;

	assert_true(pfx_time_ranges_parse(&ranges, "1,2 3,4z", FIRST, LAST, &err) < 0);
	assert_memory_equal(err.hint, "1,2 3,4z\n      ^ ", 17);
	assert_true(pfx_time_ranges_parse(&ranges, "5%-10%", 0, 0, &err) < 0);
	assert_non_null(strstr(err.text, "does not say when"));
	assert_int_equal(pfx_time_ranges_parse(&ranges, "1,2", 0, 0, &err), 0);
	pfx_time_ranges_fini(&ranges);
}

static void test_membership(void **state)
{
	struct pfx_time_ranges ranges = {0};
	struct pfx_error err;

	assert_true(pfx_time_ranges_have(&ranges, 5));
	assert_int_equal(pfx_time_ranges_parse(&ranges, "1,2 4,5", 0, 0, &err), 0);
	assert_false(pfx_time_ranges_have(&ranges, 999999999));
	assert_true(pfx_time_ranges_have(&ranges, 1000000000));
	assert_true(pfx_time_ranges_have(&ranges, 2000000000));
	assert_false(pfx_time_ranges_have(&ranges, 2000000001));
	assert_true(pfx_time_ranges_have(&ranges, 4500000000));
	assert_false(pfx_time_ranges_have(&ranges, UINT64_MAX));
	pfx_time_ranges_fini(&ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seconds),    cmocka_unit_test(test_good_words),
		cmocka_unit_test(test_bad_words),  cmocka_unit_test(test_parts_need_the_whole),
		cmocka_unit_test(test_membership), cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
