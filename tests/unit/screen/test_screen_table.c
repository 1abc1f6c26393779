/* SPDX-License-Identifier: MIT */
/* The table of the screen: rows, trees, sorting, filters, search, history. */
#include "screen_world.h"

static void begin(void)
{
	world_begin(true);
	world_add_as("abc", &(struct world_sample){.period = 60, .time = 1000, .cpu = 1});
	world_add_as("abd", &(struct world_sample){.period = 30, .time = 2000, .thread = 1});
	world_add_as("no", &(struct world_sample){.period = 10, .time = 3000, .thread = 2});
	screen_begin(NULL);
}

static void test_rows(void **state)
{
	begin();
	expect_no_text("Tab next event");
	expect_text("Table of functions   cycles: 3 samples, period 100");
	expect_text(" 90.00%    0.00%        0    0.00%  prog                + [.] a\n");
	expect_text(" 60.00%   60.00%        1    0.00%  prog                  [.] c\n");
	assert_non_null(strstr(selected_line(), "prog                + [.] a"));
	screen_end();
}

/* Enter, +, e, E, C. */
static void test_trees(void **state)
{
	begin();
	type("\n");
	expect_text("- [.] a\n");
	expect_text("   + [.] b\n");
	type("\v+");
	expect_text("       [.] c\n");
	expect_text("       [.] d\n");
	type("C");
	expect_no_text("- [.]");
	type("e");
	expect_text("       [.] d\n");
	type("e");
	expect_no_text("- [.] a");
	type("c");
	expect_no_text("- [.] a");
	type("e\vc");
	expect_no_text("- [.]");
	type("E");
	expect_text("- [.] a\n");
	expect_text("- [.] n\n");
	type("\v\v\v");
	assert_non_null(strstr(selected_line(), "   [.] d"));
	type("C");
	expect_no_text("- [.]");
	assert_non_null(strstr(selected_line(), "+ [.] a"));
	screen_end();
}

/* As in perf, callers have the samples of the row itself where rows are sorted by these. */
static void test_trees_of_own(void **state)
{
	struct pfx_screen_options options = {.children = false};

	world_begin(true);
	world_add_as("ab", &(struct world_sample){.period = 60, .time = 1000});
	world_add_as("abc", &(struct world_sample){.period = 40, .time = 2000});
	screen_begin(&options);
	expect_text("100.00%   60.00%        1    0.00%  prog                + [.] b\n");
	expect_no_text("[.] a");
	type("e");
	expect_text(" 60.00%                             prog                    [.] a\n");
	type("w");
	expect_text("100.00%                    prog                    [.] a\n");
	type("q<");
	expect_text("100.00%    0.00%        0    0.00%  prog                + [.] a\n");
	type("oE");
	expect_text("100.00%                             prog                    [.] a\n");
	screen_end();
}

/* L replaces the threshold of branches, which is of everything, in the tree of any function. */
static void test_limit_of_branches(void **state)
{
	static const char light[] =
		" 30.00%   30.00%                    prog                    [.] d\n";

	world_begin(true);
	world_add_as("abc", &(struct world_sample){.period = 60, .time = 1000});
	world_add_as("abd", &(struct world_sample){.period = 30, .time = 2000});
	world_add_as("no", &(struct world_sample){.period = 10, .time = 3000});
	screen_begin(&(struct pfx_screen_options){.children = true, .min_branch = 50});
	type("E");
	expect_no_text(light);
	type("C\v\n");
	expect_no_text("all branches");
	type("C/n\n\n");
	expect_text("all branches of this row are below 50 %; L changes that");
	type("^EL\n");
	expect_text(light);
	type("L31\n");
	expect_no_text(light);
	expect_text(" 60.00%   60.00%                    prog                    [.] c\n");
	screen_end();
}

/* The columns of a group's other members have callees where rows are sorted with them. */
static void test_group_columns(void **state)
{
	world_begin(true);
	world_add_as("ab", &(struct world_sample){.period = 60, .time = 1000});
	world_add_as("ac", &(struct world_sample){.period = 60, .time = 2000, .event = 1});
	screen_begin(NULL);
	expect_text("100.00%    0.00%        0  100.00%  prog                + [.] a\n");
	type("1");
	assert_non_null(strstr(show(), "100.00%  prog                + [.] a\n  0.00%"));
	type(">");
	expect_text("100.00%    0.00%        0    0.00%  prog                  [.] a\n");
	screen_end();
}

static void test_sort_library(void **state)
{
	begin();
	type(">>>");
	assert_non_null(strstr(selected_line(), "lib.so                [.] o"));
	type("\v<");
	assert_null(strstr(selected_line(), "lib.so"));
	/* Threads have no library. */
	type("b5<>");
	expect_text("main (10)");
	screen_end();
}

/* Callers of the hottest functions, when sorted by self. */
static void test_direction(void **state)
{
	begin();
	show();
	type("\v>"); /* the cursor goes to the first row */
	assert_non_null(strstr(selected_line(), "[.] c"));
	type("e");
	expect_text("    - [.] b\n");
	expect_text("        [.] a\n");
	type("o");
	expect_text("call trees show callees");
	screen_end();
}

static void begin_keyed(const char *sort)
{
	struct pfx_screen_options options = {.children = true};

	world_begin(true);
	world_add_as("abc", &(struct world_sample){.period = 60, .time = 1000, .cpu = 1});
	world_add_as("abd", &(struct world_sample){.period = 30, .time = 2000, .thread = 1});
	world_add_as("ano", &(struct world_sample){.period = 10, .time = 3000, .thread = 2});
	assert_int_equal(pfx_screen_rows_of(sort, &options.rows, NULL), 0);
	screen_begin(&options);
}

/* As in perf, a library leaves its rows, with what they have, whatever their samples are in. */
static void test_zoom_rows(void **state)
{
	world_begin(true);
	world_add_as("abn", &(struct world_sample){.period = 60, .time = 1000});
	world_add_as("abd", &(struct world_sample){.period = 10, .time = 2000});
	world_add_as("o", &(struct world_sample){.period = 30, .time = 3000});
	screen_begin(NULL);
	show();
	press(PFX_PRESS_HOME);
	type("d");
	expect_text("cycles: 3 samples, period 100  only library prog");
	expect_text(" 70.00%    0.00%        0    0.00%  prog                + [.] a\n");
	expect_text(" 10.00%   10.00%        1    0.00%  prog                  [.] d\n");
	expect_no_text("[.] n");
	expect_no_text("[.] o");
	type("E");
	expect_text(" 60.00%   60.00%                    lib.so                    [.] n\n");
	type("F");
	expect_text("cycles: 1 samples, period 10  only library prog");
	expect_text("700.00%    0.00%        0    0.00%  prog                - [.] a\n");
	type("w");
	expect_text("700.00%    0.00%           prog                  [.] a\n");
	type("qg");
	expect_text("100.00% total   0.00% self  all");
	type("Td");
	expect_no_text("only library");
	expect_text("100.00% main (10)");
	screen_end();
	world_begin(true);
	world_add_as("an", &(struct world_sample){.period = 60, .time = 1000});
	screen_begin(NULL);
	type("\v");
	assert_non_null(strstr(selected_line(), "[.] a"));
	type("dg");
	expect_text("no sample is in this library itself");
	screen_end();
	begin_keyed("comm,dso,sym");
	type("d");
	expect_text(" 60.00%    0.00%        0    0.00%  + main     prog     [.] a\n");
	expect_no_text("lib.so   [.]");
	type("b5");
	expect_text(" 60.00%        1    0.00%  + main (10)\n");
	expect_no_text("other");
	screen_end();
}

/* Percentages are of all samples; F, or the options, change that. */
static void test_relative(void **state)
{
	struct pfx_screen_options options = {.children = true, .relative = true};

	begin();
	type("t2");
	expect_text("cycles: 3 samples, period 100  only thread worker (11)");
	expect_text(" 30.00%   30.00%        1    0.00%  prog                  [.] d\n");
	type("F");
	expect_text("cycles: 1 samples, period 30  only thread worker (11)");
	expect_text("100.00%  100.00%        1    0.00%  prog                  [.] d\n");
	screen_end();
	world_begin(true);
	world_add_as("c", &(struct world_sample){.period = 60, .time = 1000});
	world_add_as("d", &(struct world_sample){.period = 30, .time = 1000, .thread = 1});
	screen_begin(&options);
	show();
	type("\vt1");
	expect_text("cycles: 1 samples, period 30  only thread worker (11)");
	expect_text("100.00%  100.00%");
	screen_end();
}

/* Relative percentages are of what rows with a text have themselves, as in perf. */
static void test_relative_to_text(void **state)
{
	begin();
	type("F/b\n");
	expect_text("cycles: 0 samples  /b/ ");
	type("/\n");
	expect_text("cycles: 3 samples, period 100 ");
	type("/c\n");
	expect_text("cycles: 1 samples, period 60  /c/ ");
	expect_text("100.00%  100.00%        1    0.00%  prog                  [.] c\n");
	type("F");
	expect_text(" 60.00%   60.00%        1    0.00%  prog                  [.] c\n");
	type("Fg");
	expect_text("cycles: 3 samples, period 100  /c/ ");
	screen_end();
}

/* The key of the kernel is a library, too: the same key, or that of libraries, removes it. */
static void test_kernel(void **state)
{
	begin();
	world.profile->dsos[1].kind = PFX_DSO_KERNEL;
	type("k");
	expect_text("only kernel");
	expect_text("[.] o\n");
	expect_no_text("[.] a");
	type("d");
	expect_no_text("only kernel");
	type("kk");
	expect_no_text("only kernel");
	expect_text("[.] a");
	screen_end();
}

/* What options reject when the recording is read is in the totals. */
static void test_rejected(void **state)
{
	begin();
	world.profile->events[0].nr_rejected = 5;
	world.profile->events[0].rejected_period = 100;
	expect_text("cycles: 8 samples, period 200 ");
	expect_text(" 45.00%    0.00%        0    0.00%  prog                + [.] a\n");
	type("F");
	expect_text("cycles: 3 samples, period 100 ");
	expect_text(" 90.00%    0.00%        0    0.00%  prog                + [.] a\n");
	screen_end();
}

/* -g callee: callers, in any order of the rows. */
static void test_given_direction(void **state)
{
	const struct pfx_screen_options options = {.children = true, .callers = true};

	world_begin(false);
	world_add("abc", 60);
	screen_begin(&options);
	expect_text("  [.] a\n");
	expect_no_text("+ [.] a\n");
	type("+");
	expect_text("- [.] c\n");
	expect_text("    + [.] b\n");
	type("C>");
	expect_no_text("+ [.] a\n");
	screen_end();
}

/* A threshold of call graphs hides branches, not rows. */
static void test_branch_limit(void **state)
{
	const struct pfx_screen_options options = {.children = true, .min_branch = 40};

	world_begin(false);
	world_add("abc", 60);
	world_add("abd", 30);
	world_add("ad", 10);
	screen_begin(&options);
	type("e");
	expect_text("- [.] a\n");
	expect_text("- [.] b\n");
	expect_text("    [.] c\n");
	expect_text("40.00%   40.00%        2    0.00%  prog                  [.] d\n");
	expect_no_text(" 30.00%");
	expect_no_text(" 10.00%");
	screen_end();
}

static void test_zoom(void **state)
{
	begin();
	type("\v/n\n");
	assert_non_null(strstr(selected_line(), "[.] n"));
	type("^");
	type("R");
	assert_non_null(strstr(selected_line(), "[.] a"));
	type("d");
	expect_text("only library prog");
	expect_no_text("[.] n");
	type("d");
	expect_no_text("only library");
	type("^^");
	expect_text("[.] n");
	type("t");
	expect_text("Which thread?");
	type("2");
	expect_text("only thread worker (11)");
	expect_no_text("[.] c");
	type("^");
	type("]");
	expect_text("only thread worker (11)");
	type("^k");
	expect_text("only kernel");
	expect_no_text("[.] a");
	screen_end();
}

/* As in perf, / begins empty, and Enter alone shows all rows again. */
static void test_filter(void **state)
{
	begin();
	type("/n\n");
	expect_no_text("[.] a");
	type("/");
	expect_text("Only rows with:\n");
	expect_no_text("[.] a");
	type("\n");
	expect_text("[.] a");
	type("/n\n/^");
	expect_no_text("[.] a");
	screen_end();
}

/* A table without rows says why there is nothing to open. */
static void test_nothing_to_open(void **state)
{
	static const char *const keys[] = {"E", "e", "c", "+", "\n"};
	size_t i;

	begin();
	type("/zz\n");
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		type(keys[i]);
		pfx_grid_resize(&grid, 40, 3);
		if (i != 2)
			expect_text("\nno row has this text\n");
		pfx_grid_resize(&grid, 120, 20);
	}
	screen_end();
}

/* Left goes back at the left end. */
static void test_left(void **state)
{
	begin();
	type("d");
	expect_text("only library");
	press(PFX_PRESS_RIGHT);
	press(PFX_PRESS_LEFT);
	expect_text("only library");
	press(PFX_PRESS_LEFT);
	expect_no_text("only library");
	press(PFX_PRESS_LEFT);
	expect_text("Table of functions");
	screen_end();
}

/* Paths, addresses of functions, and where their symbols are from. */
static void test_verbose(void **state)
{
	begin();
	world.profile->dsos[0].symbols = 'd';
	type("V");
	expect_text("/bin/prog                                 + 0x10               d [.] b\n");
	expect_text("/lib/lib.so                               + 0xd0               ! [.] n\n");
	world.profile->dsos[0].name = "/usr/local/libexec/a folder/with a program/bin/prog";
	expect_text("libexec/a folder/with a program/bin/prog ");
	expect_no_text("local");
	type("V");
	expect_no_text("/bin/prog");
	expect_text("prog                + [.] b\n");
	screen_end();
	begin_keyed("comm,dso,sym");
	type("V");
	expect_text("main     /bin/prog    0x10               ! [.] b\n");
	type("\v\n");
	expect_text("- main");
	type("V");
	expect_text("- main");
	screen_end();
}

/* Rows of equal self have the order of the text report. */
static void test_ties(void **state)
{
	struct pfx_screen_options options = {.children = false};
	const char *text;

	world_begin(true);
	world_add_as("c", &(struct world_sample){.period = 50, .time = 1000});
	world_add_as("o", &(struct world_sample){.period = 50, .time = 2000});
	world_add_as("n", &(struct world_sample){.period = 50, .time = 2000});
	screen_begin(&options);
	text = show();
	assert_true(strstr(text, "[.] n") < strstr(text, "[.] o"));
	assert_true(strstr(text, "[.] o") < strstr(text, "[.] c"));
	screen_end();
}

/* Numbers choose events of a group. */
static void test_no_group(void **state)
{
	begin();
	world.profile->events[0].nr_members = 1;
	type("1");
	expect_text("the event is in no group");
	screen_end();
}

static void test_rows_by(void **state)
{
	begin();
	type("b2");
	expect_text("Table of libraries");
	expect_text(" 90.00%   90.00%        2    0.00%    prog\n");
	type("m");
	expect_text("Zoom into library prog");
	type("^");
	type("b");
	type("5");
	expect_text("+ main (10)\n");
	type("\n");
	expect_text("- main (10)\n");
	expect_text("   + [.] a\n");
	screen_end();
}

static void test_limit(void **state)
{
	begin();
	type("L");
	expect_text("Hide rows below (percent):\n");
	type("50\n");
	expect_text("[.] c");
	expect_no_text("[.] d");
	type("L5x\n");
	expect_text("'5x' is not a percentage");
	expect_no_text("[.] d");
	type("L\n");
	expect_text("[.] d");
	screen_end();
}

static void test_search(void **state)
{
	begin();
	type("nd\n");
	assert_non_null(strstr(selected_line(), "[.] d"));
	type("n");
	expect_text("the search began again");
	type("/zz\n");
	expect_no_text("[.]");
	type("^");
	expect_text("[.] a");
	screen_end();
}

/* A newer profile: the cursor stays on its function, what is open stays open. */
static void test_live(void **state)
{
	struct pfx_profile *old;

	begin();
	type("\n\v");
	assert_non_null(strstr(selected_line(), "[.] b"));
	old = world.profile;
	pfx_view_filter_fini(&world.filter);
	world_begin(true);
	world_add_as("no", &(struct world_sample){.period = 900, .time = 1000});
	world_add_as("abq", &(struct world_sample){.period = 100, .time = 1000});
	world_ready();
	pfx_screen_show(screen, world.profile);
	assert_non_null(strstr(selected_line(), "[.] b"));
	expect_text(" 90.00%    0.00%        0    0.00%  lib.so              + [.] n\n");
	expect_text("- [.] a\n");
	pfx_profile_free(old);
	screen_end();
}

static void test_keys_end(void **state)
{
	begin();
	expect_text("q quit");
	type("?");
	expect_text("Keys of the view 'Table'");
	expect_text("q table");
	expect_no_text("q quit");
	assert_int_equal(press('q'), PFX_SCREEN_GO_ON);
	expect_text("Table of functions");
	expect_text("q quit");
	assert_int_equal(press(PFX_PRESS_CTRL('Z')), PFX_SCREEN_SUSPEND);
	type("^");
	expect_text("this is where you began");
	type("%");
	expect_text("this key does nothing here");
	assert_int_equal(press('q'), PFX_SCREEN_QUIT);
	screen_end();
}

static void test_hostile_names(void **state)
{
	struct pfx_grid cells = {0};
	struct pfx_str text = {0};

	pfx_grid_resize(&cells, 40, 1);
	pfx_grid_put(&cells, 0, 0, "a\033[2Jb\xffq\xe2\x80\xae\xe4\xb8\xad", 40);
	pfx_grid_text(&cells, &text);
	assert_string_equal(text.at, "a\\x1b[2Jb\\xffq\\xe2\\x80\\xae\xe4\xb8\xad\n");
	/* The right half of a wide character does not go over the edge. */
	pfx_grid_resize(&cells, 3, 1);
	pfx_grid_put(&cells, 0, 0, "\xe4\xb8\xad\xe4\xb8\xad", 40);
	pfx_str_clear(&text);
	pfx_grid_text(&cells, &text);
	assert_string_equal(text.at, "\xe4\xb8\xad\n");
	pfx_str_fini(&text);
	pfx_grid_fini(&cells);
}

/* Rows with several keys: a column for each, trees of their own samples. */
static void test_keyed(void **state)
{
	begin_keyed("comm,dso,sym");
	expect_text("Table by comm,dso,symbol");
	expect_text("    Command  Library  Function\n");
	expect_text(" 60.00%    0.00%        0    0.00%  + main     prog     [.] a\n");
	expect_text(" 10.00%    0.00%        0    0.00%  + other    prog     [.] a\n");
	expect_text(" 10.00%   10.00%        1    0.00%    other    lib.so   [.] o\n");
	type("\ve");
	expect_text("- main     prog     [.] a\n");
	expect_text(" - [.] b\n");
	expect_text("   [.] c\n");
	expect_no_text("                          [.] d\n"); /* of another command */
	type("C>>>");
	assert_non_null(strstr(selected_line(), "main     prog     [.] c"));
	type(">");
	assert_non_null(strstr(selected_line(), "other    lib.so   [.] o"));
	type("<<<</lib.so\n");
	expect_text("other    lib.so   [.] n\n");
	expect_no_text("main     prog");
	screen_end();
}

/* The keys of a row are what it zooms into. */
static void test_keyed_zoom(void **state)
{
	begin_keyed("pid,cpu");
	expect_text("    Thread       CPU\n");
	expect_text(" 60.00%        1    0.00%  + main (10)    1\n");
	expect_text(" 30.00%        1    0.00%  + worker (11)  0\n");
	type("\vt");
	expect_text("only thread worker (11)");
	expect_text(" 30.00%");
	type("^e");
	expect_text("- [.] b\n");
	type("E");
	expect_text("[.] o\n");
	screen_end();
}

/* Keys are chosen by the menu, or typed; those that are wrong change nothing. */
static void test_choose_keys(void **state)
{
	static const char *const refused[][2] = {
		{"cpu,comn\n", "'comn' is not a key for -s"},
		{"weight\n", "the screen has no rows by weight"},
		{"srcline\n", "source lines are not known here"},
	};
	size_t i;

	begin();
	type("b7"); /* there are no lines */
	expect_text("Table by comm,dso,symbol");
	expect_text("+ main     prog     [.] a\n");
	type("b8");
	expect_text("Sort keys, as of -s: comm,dso,symbol");
	press(PFX_PRESS_CTRL('U'));
	type("cpu,tid\n");
	expect_text("Table by cpu,pid");
	for (i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		type("b8");
		press(PFX_PRESS_CTRL('U'));
		type(refused[i][0]);
		expect_text(refused[i][1]);
		expect_text("1    main (10)\n");
	}
	type("b8");
	press(PFX_PRESS_CTRL('U'));
	type("sym\n");
	expect_text("Table of functions");
	type("^");
	expect_text("Table by cpu,pid");
	type("^^");
	expect_text("Table of functions");
	type("]");
	expect_text("Table by comm,dso,symbol");
	screen_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keyed),
		cmocka_unit_test(test_keyed_zoom),
		cmocka_unit_test(test_choose_keys),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_sort_library),
		cmocka_unit_test(test_direction),
		cmocka_unit_test(test_given_direction),
		cmocka_unit_test(test_branch_limit),
		cmocka_unit_test(test_zoom),
		cmocka_unit_test(test_rows_by),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_live),
		cmocka_unit_test(test_keys_end),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_nothing_to_open),
		cmocka_unit_test(test_left),
		cmocka_unit_test(test_zoom_rows),
		cmocka_unit_test(test_relative),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_relative_to_text),
		cmocka_unit_test(test_trees_of_own),
		cmocka_unit_test(test_limit_of_branches),
		cmocka_unit_test(test_group_columns),
		cmocka_unit_test(test_no_group),
		cmocka_unit_test(test_ties),
		cmocka_unit_test(test_rejected),
		cmocka_unit_test(test_verbose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
