/* SPDX-License-Identifier: MIT */
/* A screen on a profile of two recordings: the old event beside the new one, the order by change,
 * trees, the flame graph, what is noise. */
#include <errno.h>

#include "screen_world.h"

static void find_noise(void *context, uint32_t event, enum pfx_measure measure,
		       const struct pfx_view_tree *tree, const struct pfx_tree_change *change,
		       bool *ret)
{
	assert_ptr_equal(context, &world);
	assert_int_equal(change->other[0], 1000);
	memset(ret, true, tree->nr_nodes);
}

static bool is_noise(void *context, uint32_t event, uint32_t function)
{
	assert_ptr_equal(context, &world);
	assert_int_equal(event, 0);
	return !strcmp(world.profile->functions[function].name, "n");
}

/* Event 0 is the new one, event 1 the old one. 100 and 1000 in all. */
static void begin(bool children)
{
	static const uint32_t old_of[] = {1, PFX_NO_ID, PFX_NO_ID, PFX_NO_ID};
	const struct pfx_screen_options options = {
		.children = children,
		.old_of = old_of,
		.host = {.context = &world, .is_noise = is_noise, .find_noise = find_noise},
	};

	world_begin(true);
	world_add_as("abc", &(struct world_sample){.period = 60, .time = 1000});
	world_add_as("abd", &(struct world_sample){.period = 30, .time = 2000});
	world_add_as("no", &(struct world_sample){.period = 10, .time = 3000});
	world_add_as("abc", &(struct world_sample){.event = 1, .period = 200, .time = 1000});
	world_add_as("abd", &(struct world_sample){.event = 1, .period = 300, .time = 1500});
	world_add_as("n", &(struct world_sample){.event = 1, .period = 100, .time = 1500});
	world_add_as("e", &(struct world_sample){.event = 1, .period = 400, .time = 1500});
	screen_begin(&options);
}

static void test_table(void **state)
{
	const char *text, *c, *e, *n;

	begin(false);
	expect_text("Table of functions, changes of self   cycles: 3 samples, period 100");
	expect_text("    Old      New   Change   Library");
	text = show();
	c = strstr(text, " 20.00%   60.00%   +40.00   prog                + [.] c\n");
	e = strstr(text, " 40.00%    0.00%   -40.00   prog                  [.] e\n");
	n = strstr(text, " 10.00%    0.00%   -10.00~  lib.so                [.] n\n");
	assert_non_null(c);
	assert_non_null(e);
	assert_non_null(n);
	assert_true(c < n && e < n);
	expect_text(" 30.00%   30.00%            prog                + [.] d\n");
	screen_end();
}

static void test_trees(void **state)
{
	begin(true);
	expect_text(", changes with callees ");
	expect_text(" 50.00%   90.00%   +40.00   prog                + [.] a\n");
	/* Noise is known of self cost alone. */
	expect_text(" 10.00%   10.00%            lib.so              + [.] n\n");
	type("e");
	expect_text(" 50.00%   90.00%   +40.00   prog                - [.] a\n");
	expect_text(" 50.00%   90.00%   +40.00   prog                  - [.] b\n");
	expect_text(" 20.00%   60.00%   +40.00   prog                      [.] c\n");
	type("w");
	expect_text("Callers and callees of a");
	expect_text(" 50.00%   90.00%   +40.00   prog                  [.] a\n");
	screen_end();
}

static void test_flame(void **state)
{
	unsigned x, y, more = 0, same = 0;

	begin(true);
	type("g\v");
	expect_text(" 90.00% was  50.00%  a");
	for (y = 0; y < grid.height; y++)
		for (x = 0; x < grid.width; x++) {
			unsigned tone = pfx_grid_at(&grid, x, y)->pen.tone;

			assert_false(tone && tone < PFX_TONE_HEAT);
			more += tone >= PFX_TONE_MORE && tone < PFX_TONE_LESS;
			same += tone == PFX_TONE_SAME;
		}
	/* All of it is noise. */
	assert_int_equal(more, 0);
	assert_true(same > 100);
	screen_end();
}

/* Many samples are: red and blue. */
static void test_colours(void **state)
{
	static const uint32_t old_of[] = {1, PFX_NO_ID, PFX_NO_ID, PFX_NO_ID};
	const struct pfx_screen_options options = {.children = true, .old_of = old_of};
	unsigned x, y, i, more = 0, less = 0;

	world_begin(true);
	for (i = 0; i < 300; i++) {
		world_add_as(i < 200 ? "ab" : "ac", &(struct world_sample){.period = 1});
		world_add_as(i < 100 ? "ab" : "ac",
			     &(struct world_sample){.event = 1, .period = 1});
	}
	screen_begin(&options);
	type("g");
	for (y = 0; y < grid.height; y++)
		for (x = 0; x < grid.width; x++) {
			unsigned tone = pfx_grid_at(&grid, x, y)->pen.tone;

			more += tone >= PFX_TONE_MORE && tone < PFX_TONE_LESS;
			less += tone >= PFX_TONE_LESS && tone < PFX_TONE_FOUND;
		}
	assert_int_equal(more, 80); /* of 120 columns */
	assert_int_equal(less, 40);
	screen_end();
}

/* Only the new events can be chosen; what needs one recording says so. */
static void test_limits(void **state)
{
	begin(true);
	type("v");
	expect_no_text("faults");
	type("^T");
	expect_text("two recordings have no common time");
	type("\v");
	expect_no_text("a code");
	expect_no_text("T time");
	press(PFX_PRESS_TAB);
	expect_text("no other event with samples");
	type("/n\n");
	expect_no_text("[.] c");
	screen_end();
}

static int code_pair(void *context, uint32_t function, struct pfx_str *ret, struct pfx_error *err)
{
	if (strcmp(world.profile->functions[function].name, "b"))
		return pfx_error_set(err, ENODATA, "its code is not available");
	pfx_str_add(ret, "  old  new\n\n+ 10: nop\n");
	return 0;
}

/* What only the old recording has, has its tree; code is of both builds. */
static void test_old(void **state)
{
	static const uint32_t old_of[] = {1, PFX_NO_ID, PFX_NO_ID, PFX_NO_ID};
	const struct pfx_screen_options options = {
		.children = true, .old_of = old_of, .host = {.code_pair = code_pair}};

	world_begin(true);
	world_add_as("ab", &(struct world_sample){.period = 10});
	world_add_as("ab", &(struct world_sample){.event = 1, .period = 10});
	world_add_as("xy", &(struct world_sample){.event = 1, .period = 10});
	screen_begin(&options);
	expect_text(" 50.00%    0.00%   -50.00   lib.so              + [.] x\n");
	type("\v\v\ve");
	expect_text(" 50.00%    0.00%   -50.00   lib.so              - [.] x\n"
		    " 50.00%    0.00%   -50.00   lib.so                  [.] y\n");
	expect_text("a code");
	type("a");
	expect_text("its code is not available");
	type("/b\na");
	expect_text("Code of both builds");
	expect_text("  old  new\n\n+ 10: nop\n");
	screen_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),  cmocka_unit_test(test_trees),
		cmocka_unit_test(test_flame),  cmocka_unit_test(test_colours),
		cmocka_unit_test(test_limits), cmocka_unit_test(test_old),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
