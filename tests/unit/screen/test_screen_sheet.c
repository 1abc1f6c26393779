/* SPDX-License-Identifier: MIT */
/* The table as a sheet that the host makes: rows of text, what is open, filters, ways to other
 * rows. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "screen_world.h"

static struct pfx_screen_line lines[4];
static const struct pfx_screen_sheet_column columns[] = {{2, 8}, {12, 4}};
static unsigned nr_asked;
static struct pfx_screen_sheet_wish last; /* what was wished for last */
static uint32_t nr_left;                  /* samples that its filters leave */
static char refused[64];                  /* the keys that were asked for last */

/* A tree of two levels, and a row of the profile's function c. */
static int make_sheet(void *context, const struct pfx_screen_sheet_wish *wish,
		      struct pfx_screen_sheet *ret, struct pfx_error *err)
{
	struct pfx_selection left;
	size_t nr = 0;

	(void)context;
	nr_asked++;
	last = *wish;
	if (wish->keys && !strcmp(wish->keys, "broken"))
		return pfx_error_set(err, EIO, "the recording is gone");
	if (wish->select) {
		wish->select(wish->select_context, world.profile, &left);
		nr_left = left.nr_rows;
		pfx_selection_fini(&left);
	}
	lines[nr] = (struct pfx_screen_line){
		.key = 1, .text = "   60.00%  first", .has_kids = true, .percent = 60};
	lines[nr].tid = lines[nr].pid = lines[nr].cpu = PFX_NO_ID;
	lines[nr].is_open = wish->is_open(wish->context, 1);
	if (lines[nr++].is_open) {
		lines[nr] = (struct pfx_screen_line){
			.key = 2, .text = "      30.00%  kid", .depth = 1, .mark = 3};
		lines[nr].has_kids = true;
		lines[nr].is_open = wish->is_open(wish->context, 2);
		if (lines[nr++].is_open)
			lines[nr++] = (struct pfx_screen_line){
				.key = 3, .text = "         leaf", .depth = 2};
	}
	lines[nr++] = (struct pfx_screen_line){
		.key = 4, .text = "   40.00%  second", .function = "c", .dso = "prog"};
	lines[nr - 1].tid = world.profile->threads[0].tid;
	lines[nr - 1].pid = world.profile->processes[0].pid;
	lines[nr - 1].cpu = PFX_NO_ID;
	*ret = (struct pfx_screen_sheet){.heading = "  Overhead  What",
					 .about = wish->keys ? " by other keys" : " by what",
					 .lines = lines,
					 .nr = nr,
					 .columns = columns,
					 .nr_columns = 2,
					 .sorted = wish->order ? wish->order : 1,
					 .nr_members = 3,
					 .has_trees = true};
	return 0;
}

static int check_keys(void *context, const char *keys, struct pfx_error *err)
{
	(void)context;
	snprintf(refused, sizeof(refused), "%s", keys);
	return strcmp(keys, "nonsense") ? 0 : pfx_error_set(err, EINVAL, "no such keys");
}

static uint64_t own_samples; /* of the sheet; 0: as in the profile */

static int make_with_totals(void *context, const struct pfx_screen_sheet_wish *wish,
			    struct pfx_screen_sheet *ret, struct pfx_error *err)
{
	int rc = make_sheet(context, wish, ret, err);

	ret->nr_samples = own_samples;
	ret->period = 50 * own_samples;
	return rc;
}

static void begin(const struct pfx_screen_options *more)
{
	struct pfx_screen_options options = more ? *more : (struct pfx_screen_options){0};

	options.host.sheet = make_with_totals;
	options.host.sheet_keys = check_keys;
	options.sheet = true;
	world_begin(true);
	world_add_as("abc", &(struct world_sample){.period = 60, .time = 1000});
	world_add_as("n", &(struct world_sample){.period = 40, .time = 2000});
	screen_begin(&options);
}

static void test_rows(void **state)
{
	begin(NULL);
	expect_text("Table by what   cycles: 2 samples, period 100");
	expect_text("  Overhead  What\n");
	expect_text("+  60.00%  first\n");
	expect_text("   40.00%  second\n");
	type("\n");
	expect_text("-  60.00%  first\n   +  30.00%  kid\n");
	type("c");
	expect_no_text("kid");
	type("e");
	expect_text("   -  30.00%  kid\n         leaf\n");
	type("e");
	expect_no_text("kid");
	type("E");
	expect_text("         leaf\n");
	expect_no_text("no call chains");
	type("C");
	expect_no_text("kid");
	type("\v+");
	expect_text("this row has no call tree");
	screen_end();
}

/* A sheet that is newer than the profile. */
static void test_renewed(void **state)
{
	unsigned asked;

	begin(NULL);
	assert_true(pfx_screen_shows_sheet(screen));
	expect_text("cycles: 2 samples, period 100");
	asked = nr_asked;
	expect_text("cycles: 2 samples");
	assert_int_equal(nr_asked, asked);
	own_samples = 7;
	pfx_screen_renew_sheet(screen);
	expect_text("cycles: 7 samples, period 350");
	assert_int_equal(nr_asked, asked + 1);
	type("g");
	assert_false(pfx_screen_shows_sheet(screen));
	expect_text("cycles: 2 samples, period 100");
	own_samples = 0;
	screen_end();
}

/* What keys change of how the rows are counted and sorted is wished for. */
static void test_wishes(void **state)
{
	begin(NULL);
	show();
	assert_int_equal(last.order, 0);
	assert_int_equal(last.member, PFX_NO_ID);
	assert_false(last.relative || last.paths || last.reversed);
	type(">");
	assert_int_equal(last.order, 2);
	type(">");
	assert_int_equal(last.order, 1);
	type("<");
	assert_int_equal(last.order, 2);
	pfx_screen_press(screen, &(struct pfx_press){.code = PFX_PRESS_CLICK, .x = 3, .y = 1});
	show();
	assert_int_equal(last.order, 1);
	type("2");
	assert_int_equal(last.member, 2);
	type("0");
	assert_int_equal(last.member, 0);
	type("7");
	expect_text("the group has no event 7");
	assert_int_equal(last.member, 0);
	type("F");
	assert_true(last.relative);
	type("FF");
	assert_true(last.relative);
	type("V");
	assert_true(last.paths);
	type("o");
	expect_text("call trees show the other direction");
	assert_true(last.reversed);
	screen_end();
}

/* Filters keep the sheet: by library, by what the row says of itself, by what is asked. */
static void test_zooms(void **state)
{
	unsigned filters;

	begin(NULL);
	type("\vd");
	expect_text("Table by what");
	expect_text("only library prog");
	assert_string_equal(last.dso, "prog");
	assert_null(last.select);
	assert_false(last.relative);
	filters = last.filters;
	assert_int_equal(filters, 0);
	type("\vt");
	expect_text("only library prog > thread ");
	assert_string_equal(last.dso, "prog");
	assert_int_equal(nr_left, 2);
	assert_int_not_equal(last.filters, filters);
	type("\vx");
	expect_text("> through c");
	assert_int_equal(nr_left, 1);
	type("R");
	assert_null(last.dso);
	assert_null(last.select);
	assert_int_equal(last.filters, 0);
	type("k");
	assert_string_equal(last.dso, "[kernel.kallsyms]");
	type("^");
	type("\vp");
	expect_text("only process ");
	screen_end();
}

/* Keys that a profile has no rows of are a sheet; others are not. */
static void test_keys(void **state)
{
	struct pfx_screen_options options = {0};

	begin(NULL);
	type("b8");
	expect_text("Sort keys, as of -s: ");
	type("\025weight,sym\n");
	expect_text("Table by other keys");
	assert_string_equal(refused, "weight,sym");
	assert_string_equal(last.keys, "weight,sym");
	type("b8\025nonsense\n");
	expect_text("no such keys");
	expect_text("Table by other keys");
	type("b8\025broken\n");
	expect_text("the recording is gone");
	type("^");
	expect_text("Table by other keys");
	type("b8\025comm\n");
	expect_text("Table of commands");
	type("^^");
	expect_text("Table by what");
	assert_null(last.keys);
	screen_end();
	options.host.sheet = make_sheet;
	world_begin(true);
	world_add("c", 60);
	screen_begin(&options);
	expect_text("Table of functions");
	type("b8\025weight\n");
	expect_text("the screen has no rows by weight");
	screen_end();
}

/* The function of a row is the profile's: what can be done with it. */
static void test_function(void **state)
{
	begin(NULL);
	type("\vw");
	expect_text("Callers and callees of c");
	type("q");
	expect_text("Table by what");
	screen_end();
}

/* Filters by text, whole blocks; a limit; rows of the profile and back. */
static void test_filters(void **state)
{
	begin(NULL);
	type("e/leaf\n");
	expect_text("-  60.00%  first\n");
	expect_no_text("second");
	type("R");
	expect_text("second");
	type("L5\n");
	assert_true(last.min_percent == 5);
	type("b2");
	expect_text("Table of libraries");
	type("^");
	expect_text("Table by what");
	type("g");
	expect_text("Flame graph");
	type("q");
	expect_text("Table by what");
	screen_end();
}

/* Another width makes other text; other keys do not. */
static void test_width(void **state)
{
	unsigned before;

	begin(NULL);
	show();
	before = nr_asked;
	type("\v");
	assert_int_equal(nr_asked, before);
	pfx_grid_resize(&grid, 80, 20);
	show();
	assert_int_equal(nr_asked, before + 1);
	screen_end();
}

/* Limits of rows and samples, and the number of samples on a narrow screen, without a sheet. */
static void test_limits(void **state)
{
	struct pfx_screen_options options = {.max_rows = 1, .samples = true};

	world_begin(true);
	world_add("c", 60);
	world_add("d", 30);
	world_add("d", 20);
	screen_begin(&options);
	pfx_grid_resize(&grid, 80, 20);
	expect_text("Samples");
	expect_text("[.] c\n");
	expect_no_text("[.] d\n");
	pfx_screen_free(screen);
	options = (struct pfx_screen_options){.min_samples = 2, .levels = "", .ascii = true};
	screen = pfx_screen_new(&options);
	pfx_screen_show(screen, world.profile);
	expect_text("[.] d\n");
	expect_no_text("[.] c\n");
	pfx_screen_free(screen);
	options.min_samples = 9;
	screen = pfx_screen_new(&options);
	pfx_screen_show(screen, world.profile);
	expect_text("all rows are below the limits");
	screen_end();
}

/* Without call chains there is nothing to open. */
static void test_no_trees(void **state)
{
	unsigned i;

	world_begin(true);
	world_add("c", 60);
	screen_begin(NULL);
	expect_text("  [.] c\n");
	expect_no_text("+ [.] c");
	for (i = 0; i < 3; i++) {
		type((const char *const[]){"+", "e", "E"}[i]);
		expect_text("the samples have no call chains; option -g takes them");
	}
	type("\n");
	expect_text("What next?");
	screen_end();
}

/* The end of the first line is never cut; what the host cannot do is not offered. */
static void test_alert(void **state)
{
	const struct pfx_screen_options options = {.alert = "frozen  9/s  lost 3/7"};

	world_begin(true);
	world_add("c", 60);
	screen_begin(&options);
	pfx_grid_resize(&grid, 50, 20);
	expect_text(" Table of functions   cycle~ frozen  9/s  lost 3/7\n");
	pfx_grid_resize(&grid, 120, 20);
	expect_text("period 60   test.data ");
	type("?");
	pfx_grid_resize(&grid, 120, 90);
	expect_text("the flame graph");
	expect_no_text("run a script");
	expect_no_text("the header of the recording");
	type("qm");
	expect_text("Flame graph");
	expect_no_text("Header of the recording");
	screen_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),    cmocka_unit_test(test_function),
		cmocka_unit_test(test_filters), cmocka_unit_test(test_width),
		cmocka_unit_test(test_limits),  cmocka_unit_test(test_no_trees),
		cmocka_unit_test(test_alert),   cmocka_unit_test(test_wishes),
		cmocka_unit_test(test_renewed), cmocka_unit_test(test_zooms),
		cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
