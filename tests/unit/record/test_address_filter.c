/* SPDX-License-Identifier: MIT */
/* Address filters in the kernel's syntax, for the functions of this program. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/plan/address_filter.h"

static void check(const char *words, const char *expected)
{
	struct pfx_error err = {0};
	char *text = NULL;

	assert_int_equal(pfx_address_filter(words, &text, &err), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void numbers(void **state)
{
	(void)state;
	check("filter 0x1000/0x20", "filter 0x1000/0x20");
	check("start 4096", "start 0x1000");
	check("  stop 0x10 , start 0x20", "stop 0x10,start 0x20");
	check("tracestop 0x10 / 16", "stop 0x10/0x10");
	check("filter 0x10/0x20 @ /", "filter 0x10/0x20@/");
	check("start 0x10@/dev/null stop 0x20@/dev/../dev/null",
	      "start 0x10@/dev/null,stop 0x20@/dev/null");
}

static char self[512];

static void functions(void **state)
{
	struct pfx_error err = {0};
	char words[1024], *whole = NULL, *start = NULL, *both = NULL;
	unsigned long long at, size, from;

	(void)state;
	snprintf(words, sizeof(words), "filter main @ %s", self);
	assert_int_equal(pfx_address_filter(words, &whole, &err), 0);
	assert_int_equal(sscanf(whole, "filter 0x%llx/0x%llx@/", &at, &size), 2);
	assert_true(at > 0 && size > 0);
	assert_string_equal(strchr(whole, '@') + 1, self);
	snprintf(words, sizeof(words), "start main @%s", self);
	assert_int_equal(pfx_address_filter(words, &start, &err), 0);
	assert_int_equal(sscanf(start, "start 0x%llx@/", &from), 1);
	assert_int_equal(from, at);
	snprintf(words, sizeof(words), "filter main / main#1 @ %s", self);
	assert_int_equal(pfx_address_filter(words, &both, &err), 0);
	assert_string_equal(both, whole);
	free(whole);
	free(start);
	free(both);
}

static void wrong_words(void **state)
{
	static const char *const bad[] = {
		"",
		"  ",
		"main",
		"filter",
		"follow 0x10",
		"filter 0x10",
		"start 0x10/0x20",
		"filter 0x10/",
		"filter 0x10/0x20@",
		"start 0x10 @ /no/such/file",
		"filter no_such_function_here @ /proc/self/exe",
		"filter main#99 @ /proc/self/exe",
		"filter main / no_such_function_here @ /proc/self/exe",
		"start 0x10 0x20",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct pfx_error err = {0};
		char *text = NULL;

		assert_int_equal(pfx_address_filter(bad[i], &text, &err), -EINVAL);
		assert_null(text);
		assert_non_null(strstr(err.text, "address filter"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(functions),
		cmocka_unit_test(wrong_words),
	};
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	return len < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
