/* SPDX-License-Identifier: MIT */
/* Configuration files: their syntax, and the precedence of several files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "cli/config.h"

static char home[] = "/tmp/pfx-test-config-XXXXXX";

static char *path_of(const char *name)
{
	return pfx_strfmt("%s/%s", home, name);
}

static void write_text(const char *name, const char *text)
{
	char *path = path_of(name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	free(path);
}

static void drop(const char *name)
{
	char *path = path_of(name);

	unlink(path);
	free(path);
}

static void set_env_path(const char *var, const char *name)
{
	char *path = path_of(name);

	setenv(var, path, 1);
	free(path);
}

static int set_up(void **state)
{
	char *dir;

	if (!mkdtemp(home))
		return -1;
	dir = path_of("pfx");
	mkdir(dir, 0700);
	free(dir);
	setenv("PERF_CONFIG_NOSYSTEM", "1", 1);
	return 0;
}

static int tear_down(void **state)
{
	char *dir = path_of("pfx");

	rmdir(dir);
	free(dir);
	return rmdir(home);
}

static int begin(void **state)
{
	unsetenv("PFX_CONFIG");
	unsetenv("PERF_CONFIG");
	setenv("HOME", home, 1);
	setenv("XDG_CONFIG_HOME", home, 1);
	pfx_config_clear();
	return 0;
}

static int end(void **state)
{
	drop("pfx/config");
	drop(".perfconfig");
	drop("named");
	pfx_config_clear();
	return 0;
}

/* One file, one key, and its value; NULL if there is none. */
static const struct {
	const char *text, *key, *value;
} forms[] = {
	{"", "a.b", NULL},
	{"[a]\nb = c\n", "a.b", "c"},
	{"[a]\nb = c", "a.b", "c"},
	{"[a]\n\tb=c\n", "a.b", "c"},
	{"[a] b = c\n", "a.b", "c"},
	{"\xef\xbb\xbf[a]\nb = c\n", "a.b", "c"},
	{"[a]\r\nb = c\r\n", "a.b", "c"},
	{"[A]\nB = C\n", "a.b", "C"},
	{"[call-graph]\n\trecord-mode = dwarf\n", "call-graph.record-mode", "dwarf"},
	{"[report]\nsort_order = comm,dso\n", "report.sort_order", "comm,dso"},
	{"[a \"Sub Name\"]\nb = c\n", "a.Sub Name.b", "c"},
	{"[a.b]\nc = d\n", "a.b.c", "d"},
	{"[a]\nb\n", "a.b", "true"},
	{"[a]\nb # yes\n", "a.b", "true"},
	{"[a]\nb =\n", "a.b", ""},
	{"[a]\nb = c d  \n", "a.b", "c d"},
	{"[a]\nb = c # d\n", "a.b", "c"},
	{"[a]\nb = c ; d\n", "a.b", "c"},
	{"[a]\nb = \"c # d\"\n", "a.b", "c # d"},
	{"[a]\nb = \"  c  \"\n", "a.b", "  c  "},
	{"[a]\nb = x\"y z\"\n", "a.b", "xy z"},
	{"[a]\nb = c\\\n d\n", "a.b", "c d"},
	{"[a]\nb = \\\"c\\\\d\\t\\n\\\"\n", "a.b", "\"c\\d\t\n\""},
	{"# x\n; y\n\n[a]\n# z\nb = c\n", "a.b", "c"},
	{"[a]\nb = c\nb = d\n", "a.b", "d"},
	{"[a]\nb = c\n[x]\nb = d\n[a]\nb = e\n", "a.b", "e"},
	/* syntax errors: the lines before them count */
	{"b = c\n", "b", NULL},
	{"[a\nb = c\n", "a.b", NULL},
	{"[]\nb = c\n", ".b", NULL},
	{"[a!]\nb = c\n", "a.b", NULL},
	{"[a]\nb = \"c\n", "a.b", NULL},
	{"[a]\nb = \\q\n", "a.b", NULL},
	{"[a]\nb c\n", "a.b", NULL},
	{"[a]\n= c\n", "a.b", NULL},
	{"[a]\nb = c\n!\nb = d\n", "a.b", "c"},
	{"[a]\nb = c\n\\", "a.b", "c"},
	{"[a]\nb = c\\", "a.b", NULL},
};

static void test_forms(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		const char *value;

		write_text("pfx/config", forms[i].text);
		pfx_config_clear();
		value = pfx_config_get(forms[i].key);
		if (!value != !forms[i].value || (value && strcmp(value, forms[i].value)))
			fail_msg("'%s': %s is '%s', not '%s'", forms[i].text, forms[i].key,
				 value ? value : "nothing",
				 forms[i].value ? forms[i].value : "nothing");
	}
}

static void test_ours_wins_over_perfs(void **state)
{
	write_text(".perfconfig", "[report]\nchildren = no\npercent-limit = 1\n");
	write_text("pfx/config", "[report]\nchildren = yes\n");
	assert_string_equal(pfx_config_get("report.children"), "yes");
	assert_string_equal(pfx_config_get("report.percent-limit"), "1");
}

static void test_perfs_unknown_keys_are_left(void **state)
{
	write_text(".perfconfig", "[kmem]\ndefault = page\n[pager]\nreport = less\n");
	assert_null(pfx_config_get("kmem.default"));
	assert_string_equal(pfx_config_get("pager.report"), "less");
}

static void test_perf_config_replaces_perfs_files(void **state)
{
	write_text(".perfconfig", "[report]\nchildren = no\n");
	write_text("named", "[report]\npercent-limit = 3\n");
	write_text("pfx/config", "[color]\nui = no\n");
	set_env_path("PERF_CONFIG", "named");
	assert_null(pfx_config_get("report.children"));
	assert_string_equal(pfx_config_get("report.percent-limit"), "3");
	assert_string_equal(pfx_config_get("color.ui"), "no");
}

static void test_pfx_config_replaces_all(void **state)
{
	write_text(".perfconfig", "[report]\nchildren = no\n");
	write_text("pfx/config", "[color]\nui = no\n");
	write_text("named", "[my]\nkey = 3\n");
	set_env_path("PFX_CONFIG", "named");
	assert_null(pfx_config_get("report.children"));
	assert_null(pfx_config_get("color.ui"));
	assert_string_equal(pfx_config_get("my.key"), "3");
}

static void test_home_without_xdg(void **state)
{
	char *dir = path_of(".config");

	unsetenv("XDG_CONFIG_HOME");
	mkdir(dir, 0700);
	free(dir);
	dir = path_of(".config/pfx");
	mkdir(dir, 0700);
	write_text(".config/pfx/config", "[color]\nui = always\n");
	assert_string_equal(pfx_config_get("color.ui"), "always");
	drop(".config/pfx/config");
	rmdir(dir);
	free(dir);
	dir = path_of(".config");
	rmdir(dir);
	free(dir);
}

static void test_files_of_others_are_not_used(void **state)
{
	char *path = path_of("pfx/config");

	write_text("pfx/config", "[color]\nui = no\n");
	if (geteuid() || chown(path, 12345, -1) < 0) {
		free(path);
		skip();
	}
	free(path);
	assert_null(pfx_config_get("color.ui"));
}

static void test_bool(void **state)
{
	bool value = false;

	write_text("pfx/config", "[a]\nb = YES\nc = off\nd = maybe\ne\nf = 0\ng = 1\n");
	assert_true(pfx_config_get_bool("a.b", &value));
	assert_true(value);
	assert_true(pfx_config_get_bool("a.c", &value));
	assert_false(value);
	value = true;
	assert_false(pfx_config_get_bool("a.d", &value));
	assert_true(value);
	assert_false(pfx_config_get_bool("a.x", &value));
	assert_true(pfx_config_get_bool("a.f", &value));
	assert_false(value);
	assert_true(pfx_config_get_bool("a.e", &value));
	assert_true(value);
	assert_true(pfx_config_get_bool("a.g", &value));
	assert_true(value);
}

static void test_keys_are_described(void **state)
{
	const struct pfx_config_key *keys;
	size_t i, nr;

	keys = pfx_config_keys(&nr);
	assert_true(nr > 10);
	for (i = 0; i < nr; i++) {
		assert_non_null(strchr(keys[i].name, '.'));
		assert_true(strlen(keys[i].help) > 10);
		assert_true(!i || strcmp(keys[i - 1].name, keys[i].name) < 0);
	}
}

/* A key that is given several times has all values, in the order of the files. */
static void test_several(void **state)
{
	(void)state;
	write_text("several", "[annotate]\n\tsource-path = a=b\n[x]\n\ty = z\n[annotate]\n"
			      "\tsource-path = c=d\n");
	set_env_path("PFX_CONFIG", "several");
	pfx_config_clear();
	assert_string_equal(pfx_config_get_nth("annotate.source-path", 0), "a=b");
	assert_string_equal(pfx_config_get_nth("annotate.source-path", 1), "c=d");
	assert_null(pfx_config_get_nth("annotate.source-path", 2));
	assert_string_equal(pfx_config_get("annotate.source-path"), "c=d");
	pfx_config_clear();
	unsetenv("PFX_CONFIG");
	drop("several");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_several),
		cmocka_unit_test_setup_teardown(test_forms, begin, end),
		cmocka_unit_test_setup_teardown(test_ours_wins_over_perfs, begin, end),
		cmocka_unit_test_setup_teardown(test_perfs_unknown_keys_are_left, begin, end),
		cmocka_unit_test_setup_teardown(test_perf_config_replaces_perfs_files, begin, end),
		cmocka_unit_test_setup_teardown(test_pfx_config_replaces_all, begin, end),
		cmocka_unit_test_setup_teardown(test_home_without_xdg, begin, end),
		cmocka_unit_test_setup_teardown(test_files_of_others_are_not_used, begin, end),
		cmocka_unit_test_setup_teardown(test_bool, begin, end),
		cmocka_unit_test(test_keys_are_described),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
