/* SPDX-License-Identifier: MIT */
/* Costs of source lines, and the lines of a file that are near cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "code/line_costs.h"

static void expect_costs(const struct pfx_cost_list *costs, uint32_t event, uint64_t period,
			 uint64_t nr_samples)
{
	const struct pfx_cost cost = pfx_cost_of(costs, event);

	assert_int_equal(cost.period, period);
	assert_int_equal(cost.nr_samples, nr_samples);
}

/* A sample counts once for each line and file of its chain, and only its own line has self cost. */
static void test_adding(void **state)
{
	struct pfx_line_costs *costs = pfx_line_costs_new();
	const uint32_t main_call = pfx_line_costs_id(costs, "/src/main.c", 20);
	const uint32_t recursion = pfx_line_costs_id(costs, "/src/work.c", 7);
	const uint32_t work = pfx_line_costs_id(costs, "/src/work.c", 5);
	const uint32_t chain[] = {work, recursion, recursion, main_call};
	const struct pfx_file_cost *files;

	(void)state;
	assert_int_equal(pfx_line_costs_id(costs, "/src/work.c", 5), work);
	pfx_line_costs_add(costs, 0, &(struct pfx_cost){100, 2}, work, chain, 4);
	pfx_line_costs_add(costs, 1, &(struct pfx_cost){7, 1}, work, NULL, 0);
	pfx_line_costs_add(costs, 0, &(struct pfx_cost){30, 1}, PFX_LINE_NONE, &main_call, 1);
	assert_int_equal(pfx_line_costs_files(costs, &files), 2);
	assert_string_equal(files[0].name, "/src/work.c");
	expect_costs(&files[0].self, 0, 100, 2);
	expect_costs(&files[0].inclusive, 0, 100, 2);
	expect_costs(&files[0].self, 1, 7, 1);
	expect_costs(&files[0].inclusive, 1, 7, 1);
	assert_int_equal(files[0].nr_lines, 2);
	assert_int_equal(files[0].lines[0].line, 5);
	expect_costs(&files[0].lines[0].self, 0, 100, 2);
	assert_int_equal(files[0].lines[1].line, 7);
	expect_costs(&files[0].lines[1].self, 0, 0, 0);
	expect_costs(&files[0].lines[1].inclusive, 0, 100, 2);
	assert_string_equal(files[1].name, "/src/main.c");
	expect_costs(&files[1].self, 0, 0, 0);
	expect_costs(&files[1].lines[0].inclusive, 0, 130, 3);
	pfx_line_costs_free(costs);
}

/* Files are in the order of their self cost, then of what they call. */
static void test_order(void **state)
{
	struct pfx_line_costs *costs = pfx_line_costs_new();
	const struct pfx_file_cost *files;
	uint32_t unused = pfx_line_costs_id(costs, "unused", 1);
	uint32_t b = pfx_line_costs_id(costs, "b", 1), c = pfx_line_costs_id(costs, "c", 1);
	uint32_t a = pfx_line_costs_id(costs, "a", 1);

	(void)state;
	assert_int_equal(pfx_line_costs_files(costs, &files), 0);
	assert_int_not_equal(unused, b);
	pfx_line_costs_add(costs, 0, &(struct pfx_cost){5, 1}, PFX_LINE_NONE, &a, 1);
	pfx_line_costs_add(costs, 0, &(struct pfx_cost){9, 1}, PFX_LINE_NONE, &b, 1);
	pfx_line_costs_add(costs, 0, &(struct pfx_cost){1, 1}, c, NULL, 0);
	assert_int_equal(pfx_line_costs_files(costs, &files), 3);
	assert_string_equal(files[0].name, "c");
	assert_string_equal(files[1].name, "b");
	assert_string_equal(files[2].name, "a");
	pfx_line_costs_free(costs);
}

/* --- walks: costs in lines 3, 4, 10 and 40; line 10 has none of the second event --- */

static const struct pfx_event_cost both[] = {{0, 0, {1, 1}}, {0, 1, {1, 1}}};
#define BOTH            \
	{               \
		both, 2 \
	}
#define FIRST           \
	{               \
		both, 1 \
	}
static const struct pfx_line_cost walk_lines[] = {
	{3, BOTH, BOTH}, {4, BOTH, BOTH}, {10, FIRST, FIRST}, {40, BOTH, BOTH}};
static const struct pfx_file_cost walk_file = {.lines = walk_lines, .nr_lines = 4};

/* As "4*": line 4 has cost; ".." for what is left out. */
static void expect_walk(struct pfx_line_walk walk, const char *lines)
{
	struct pfx_str shown = {0};

	walk.file = &walk_file;
	while (pfx_line_walk_next(&walk)) {
		pfx_str_add(&shown, walk.follows_gap ? " .." : "");
		pfx_str_addf(&shown, " %u%s", walk.line, walk.cost ? "*" : "");
	}
	assert_string_equal(pfx_str_get(&shown), lines);
	pfx_str_fini(&shown);
}

static void test_walks(void **state)
{
	const uint32_t second = 1;

	(void)state;
	expect_walk((struct pfx_line_walk){.nr_lines = 50}, " .. 3* 4* .. 10* .. 40*");
	expect_walk((struct pfx_line_walk){.nr_lines = 50, .context = 2},
		    " 1 2 3* 4* 5 6 .. 8 9 10* 11 12 .. 38 39 40* 41 42");
	expect_walk((struct pfx_line_walk){.nr_lines = 11, .context = 3},
		    " 1 2 3* 4* 5 6 7 8 9 10* 11 .. 40*");
	expect_walk((struct pfx_line_walk){.nr_lines = 5, .context = UINT32_MAX},
		    " 1 2 3* 4* 5 .. 10* .. 40*");
	expect_walk((struct pfx_line_walk){.context = 3}, " .. 3* 4* .. 10* .. 40*");
	expect_walk((struct pfx_line_walk){.context = UINT32_MAX}, " .. 3* 4* .. 10* .. 40*");
	expect_walk((struct pfx_line_walk){.nr_lines = 50, .events = &second, .nr_events = 1},
		    " .. 3* 4* .. 40*");
	expect_walk((struct pfx_line_walk){.nr_lines = 6,
					   .context = UINT32_MAX - 1,
					   .events = &second,
					   .nr_events = 1},
		    " 1 2 3* 4* 5 6 .. 40*");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_adding),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_walks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
