/* SPDX-License-Identifier: MIT */
/* What is shown when a newer profile or sheet comes, and after another order or filter: the first
 * rows, where the cursor is, what is open. */
#include "screen_world.h"

/* Functions without stacks: the n-th gets the n-th of the periods. */
static void add_functions(const char *order)
{
	char stack[2] = "";
	uint64_t period = 1000;

	for (; *order; order++, period -= 10) {
		stack[0] = *order;
		world_add(stack, period);
	}
}

static void renew_begin(struct pfx_profile **ret_old)
{
	*ret_old = world.profile;
	pfx_view_filter_fini(&world.filter);
	world_begin(false);
}

static void renew_end(struct pfx_profile *old)
{
	world_ready();
	pfx_screen_show(screen, world.profile);
	pfx_profile_free(old);
}

/* A newer profile with another order. */
static void renew(const char *order)
{
	struct pfx_profile *old;

	renew_begin(&old);
	add_functions(order);
	renew_end(old);
}

/* Seven rows are visible. */
static void begin(void)
{
	world_begin(false);
	add_functions("abcdefghijkl");
	screen_begin(NULL);
	pfx_grid_resize(&grid, 120, 10);
	show();
}

static void expect_cursor(const char *name)
{
	const char *line = selected_line();

	if (!strstr(line, name))
		fail_msg("the cursor is on '%s', not on '%s':\n%s", line, name, shown.at);
}

/* The rows are visible from this one on. */
static void expect_first(char function)
{
	const char *at = strstr(show(), "[.] ");

	assert_non_null(at);
	if (at[4] != function)
		fail_msg("the first row is '%c', not '%c':\n%s", at[4], function, shown.at);
}

/* On the first row, the cursor stays there, also after it was elsewhere. */
static void test_first_row(void **state)
{
	begin();
	expect_cursor("[.] a");
	renew("lkjihgfedcba");
	expect_cursor("[.] l");
	expect_first('l');
	type("\v\v");
	press(PFX_PRESS_HOME);
	renew("abcdefghijkl");
	expect_cursor("[.] a");
	expect_first('a');
	screen_end();
}

/* The cursor follows its row among those that are visible, and stays on its line otherwise. */
static void test_moved(void **state)
{
	begin();
	type("\v\v");
	expect_cursor("[.] c");
	renew("acbdefghijkl");
	expect_cursor("[.] c");
	expect_first('a');
	renew("abdefgchijkl");
	expect_cursor("[.] c");
	expect_first('a');
	renew("abdefghijklc");
	expect_cursor("[.] h");
	expect_first('a');
	renew("hbdefgaijklc"); /* to the first row: it stays there */
	expect_cursor("[.] h");
	renew("bdefgahijklc");
	expect_cursor("[.] b");
	screen_end();
}

/* Further down, the same ranks stay visible. */
static void test_scrolled(void **state)
{
	begin();
	press(PFX_PRESS_END);
	expect_first('f');
	expect_cursor("[.] l");
	renew("lkjihgfedcba");
	expect_first('g');
	expect_cursor("[.] a");
	renew("bc");
	expect_first('b');
	expect_cursor("[.] c");
	screen_end();
}

/* The rows of a call tree that is being read stay, though they get other ranks. */
static void test_tree(void **state)
{
	struct pfx_profile *old;

	begin();
	renew_begin(&old);
	world_add("m", 9000);
	world_add("mqrstuvwxy", 100);
	renew_end(old);
	type("e\v\v\v\v\v\v\v\v\v");
	press(PFX_PRESS_UP);
	expect_first('s');
	expect_cursor("[.] x");
	renew_begin(&old);
	add_functions("abcdefghijkl");
	world_add("mqrstuvwxy", 800);
	renew_end(old);
	expect_first('s');
	expect_cursor("[.] x");
	screen_end();
}

static void add_stacks(void)
{
	char stack[3] = "a";
	uint32_t thread;

	for (thread = 0; thread < WORLD_THREADS; thread++)
		for (stack[1] = 'b'; stack[1] <= 'y'; stack[1]++)
			world_add_as(stack, &(struct world_sample){.period = 10, .thread = thread});
}

static unsigned nr_lines(const char *part)
{
	const char *at = show();
	unsigned nr = 0;

	while ((at = strstr(at, part))) {
		at++;
		nr++;
	}
	return nr;
}

/* What is open stays open, also when all is, and more rows than are opened at once. */
static void test_all_open(void **state)
{
	struct pfx_screen_options options = {0};
	struct pfx_profile *old;
	unsigned nr;

	world_begin(false);
	add_stacks();
	assert_int_equal(pfx_screen_rows_of("comm,sym", &options.rows, NULL), 0);
	screen_begin(&options);
	pfx_grid_resize(&grid, 120, 200);
	type("E");
	nr = nr_lines("- ");
	assert_true(nr >= 50);
	type("V");
	assert_int_equal(nr_lines("- "), nr);
	renew_begin(&old);
	add_stacks();
	renew_end(old);
	assert_int_equal(nr_lines("- "), nr);
	type("C");
	assert_int_equal(nr_lines("- "), 0);
	renew_begin(&old);
	add_stacks();
	renew_end(old);
	assert_int_equal(nr_lines("- "), 0);
	screen_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_row), cmocka_unit_test(test_moved),
		cmocka_unit_test(test_scrolled),  cmocka_unit_test(test_tree),
		cmocka_unit_test(test_all_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
