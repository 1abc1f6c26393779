/* SPDX-License-Identifier: MIT */
/* The background of a terminal by its answers, and which terminals are asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "screen/cells/background.h"

static void test_answers(void **state)
{
	static const struct {
		const char *answer;
		enum pfx_background expected;
	} rows[] = {
		{"11;rgb:ffff/ffff/ffff", PFX_BACKGROUND_LIGHT},
		{"11;rgb:0000/0000/0000", PFX_BACKGROUND_DARK},
		{"11;rgb:fd/f6/e3\033\\", PFX_BACKGROUND_LIGHT},
		{"11;rgb:0/2b/36", PFX_BACKGROUND_DARK},
		{"11;rgba:ffff/ffff/ffff/ffff", PFX_BACKGROUND_LIGHT},
		{"11;rgb:0000/0000/ffff", PFX_BACKGROUND_DARK},  /* blue is dark, */
		{"11;rgb:ffff/ffff/0000", PFX_BACKGROUND_LIGHT}, /* yellow is not */
		{"10;rgb:ffff/ffff/ffff", PFX_BACKGROUND_UNKNOWN},
		{"11;rgb:fffff/0/0", PFX_BACKGROUND_UNKNOWN},
		{"11;rgb:ffff/ffff", PFX_BACKGROUND_UNKNOWN},
		{"11;rgb:", PFX_BACKGROUND_UNKNOWN},
		{"11;rgb", PFX_BACKGROUND_UNKNOWN},
		{"11;white", PFX_BACKGROUND_UNKNOWN},
		{"", PFX_BACKGROUND_UNKNOWN},
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(pfx_background_of_answer(rows[i].answer), rows[i].expected);
}

static void test_colours(void **state)
{
	assert_int_equal(pfx_background_of_colours("0;15"), PFX_BACKGROUND_LIGHT);
	assert_int_equal(pfx_background_of_colours("0;default;7"), PFX_BACKGROUND_LIGHT);
	assert_int_equal(pfx_background_of_colours("15;0"), PFX_BACKGROUND_DARK);
	assert_int_equal(pfx_background_of_colours("15;default"), PFX_BACKGROUND_UNKNOWN);
	assert_int_equal(pfx_background_of_colours("15;99"), PFX_BACKGROUND_UNKNOWN);
	assert_int_equal(pfx_background_of_colours("15;"), PFX_BACKGROUND_UNKNOWN);
	assert_int_equal(pfx_background_of_colours("15"), PFX_BACKGROUND_UNKNOWN);
	assert_int_equal(pfx_background_of_colours(NULL), PFX_BACKGROUND_UNKNOWN);
}

static void test_types(void **state)
{
	assert_true(pfx_background_can_ask("xterm-256color"));
	assert_true(pfx_background_can_ask("screen"));
	assert_true(pfx_background_can_ask("tmux-256color"));
	assert_false(pfx_background_can_ask("linux"));
	assert_false(pfx_background_can_ask("dumb"));
	assert_false(pfx_background_can_ask("vt100"));
	assert_false(pfx_background_can_ask("eterm-color"));
	assert_false(pfx_background_can_ask(""));
	assert_false(pfx_background_can_ask(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_colours),
		cmocka_unit_test(test_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
