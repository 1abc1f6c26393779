/* SPDX-License-Identifier: MIT */
/* Texts of configuration files: reading, and changing one key. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/settings/settings.h"

static void test_read(void **state)
{
	static const char text[] =
		"[a]\nx = 1\n# no\n[b \"C d\"]\n\ty\nz = \"q # r\" ; s\n[A]\nx=2";
	static const char *const expected[] = {"a.x=1", "b.C d.y=true", "b.C d.z=q # r", "a.x=2"};
	struct pfx_settings settings = {0};
	size_t i;

	(void)state;
	assert_int_equal(pfx_settings_read(&settings, text), 0);
	assert_int_equal(settings.list.nr, 4);
	for (i = 0; i < 4; i++) {
		char *line =
			pfx_strfmt("%s=%s", settings.list.at[i].key, settings.list.at[i].value);

		assert_string_equal(line, expected[i]);
		free(line);
	}
	pfx_settings_clear(&settings);
	assert_int_equal(pfx_settings_read(&settings, "[a]\nx=1\n[b\ny=2\n"), 3);
	assert_int_equal(settings.list.nr, 1);
	pfx_settings_clear(&settings);
}

/* Every changed text is read again, and has the value. */
static void changes(const char *text, const char *key, const char *value, const char *expected)
{
	struct pfx_settings settings = {0};
	struct pfx_error err = {0};
	struct pfx_str to = {0};
	size_t i, nr = 0;

	assert_int_equal(pfx_settings_change(text, key, value, &to, &err), 0);
	assert_string_equal(pfx_str_get(&to), expected);
	assert_int_equal(pfx_settings_read(&settings, pfx_str_get(&to)), 0);
	for (i = 0; i < settings.list.nr; i++)
		if (!strcmp(settings.list.at[i].key, key))
			nr += !strcmp(settings.list.at[i].value, value);
	assert_true(nr > 0);
	pfx_settings_clear(&settings);
	pfx_str_fini(&to);
}

static void test_change(void **state)
{
	(void)state;
	changes("", "a.x", "1", "[a]\n\tx = 1\n");
	changes("[a]", "a.x", "1", "[a]\n\tx = 1\n");
	changes("[a]\ny=2", "a.x", "1", "[a]\ny=2\n\tx = 1\n");
	changes("[a]\ny=2\n\n[b]\nz=3\n", "a.x", "1", "[a]\ny=2\n\tx = 1\n\n[b]\nz=3\n");
	changes("[a]\nx = 1 # why\n# more\n", "a.x", "2", "[a]\nx = 2\n# more\n");
	changes("[a]\nx=1\n[b]\n[a]\nx=3\n", "a.x", "2", "[a]\nx=1\n[b]\n[a]\nx = 2\n");
	changes("[b]\nx=1\n", "a.x", "2", "[b]\nx=1\n[a]\n\tx = 2\n");
	changes("", "a.b.x", " q\\\"\n#", "[a \"b\"]\n\tx = \" q\\\\\\\"\\n#\"\n");
}

static void test_refused(void **state)
{
	static const char *const keys[] = {"x",     "",      ".x",    "x.",    "x y.z=", "a.X",
					   "a.b c", "a\n.b", "[a].b", "a\".b", "a.b#"};
	struct pfx_error err = {0};
	struct pfx_str to = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		assert_int_equal(pfx_settings_check_key(keys[i], &err), -EINVAL);
	assert_int_equal(pfx_settings_check_key("a.b-c_1", &err), 0);
	assert_int_equal(pfx_settings_change("[a]\n=1\n", "a.x", "1", &to, &err), -EBADMSG);
	assert_string_equal(err.text, "line 2 is not a valid setting");
	assert_int_equal(to.len, 0);
	pfx_str_fini(&to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_change),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
