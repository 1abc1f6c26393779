/* SPDX-License-Identifier: MIT */
/* The table as a sheet that the host makes: rows of text, what is open, filters, ways to other
 * rows. */
#include "screen_world.h"

static struct pfx_screen_line lines[4];
static unsigned nr_asked;
static double limit;

/* A tree of two levels, and a row of the profile's function c. */
static void make_sheet(void *context, const struct pfx_screen_sheet_wish *wish,
		       struct pfx_screen_sheet *ret)
{
	size_t nr = 0;

	(void)context;
	nr_asked++;
	limit = wish->min_percent;
	lines[nr] = (struct pfx_screen_line){
		.key = 1, .text = "   60.00%  first", .has_kids = true, .percent = 60};
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
	*ret = (struct pfx_screen_sheet){
		.heading = "  Overhead  What", .about = " by what", .lines = lines, .nr = nr};
}

static void begin(const struct pfx_screen_options *more)
{
	struct pfx_screen_options options = more ? *more : (struct pfx_screen_options){0};

	options.host.sheet = make_sheet;
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
	type("C");
	expect_no_text("kid");
	type("\v+");
	expect_text("this row has no call tree");
	type(">");
	expect_text("the options say how these rows are shown; b chooses others");
	type("1");
	expect_text("the options give the order of these rows; b chooses others");
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
	type("\vx");
	expect_text("Table of functions");
	expect_text("only through c");
	expect_no_text("second");
	type("^");
	expect_text("   40.00%  second\n");
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
	assert_true(limit == 5);
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
		cmocka_unit_test(test_alert),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
