/* SPDX-License-Identifier: MIT */
/* Tables as lines: the text of the tables, what is open, keys that hold for a newer table. */
#include "unit/hist/hist_world.h"

#include "out/hist_lines.h"

#define PID 4194263

static struct pfx_hist_lines lines;
static uint64_t open_key; /* 0: all, 1: none */

static bool is_open(const void *context, uint64_t key)
{
	(void)context;
	return !open_key || key == open_key;
}

static void begin(bool hierarchy, const char *sort)
{
	struct pfx_error err;

	world_begin(PID);
	world.options.chains = true;
	world.options.hierarchy = hierarchy;
	assert_int_equal(pfx_callgraph_parse(&world.graph, "graph,callee", &err), 0);
	world_columns(sort, NULL);
	world_add("ab", 60);
	world_add("ac", 40);
}

static void make(uint64_t open, uint32_t max_rows)
{
	const struct pfx_hist_lines_options options = {.how = {.screen = 200, .max_rows = max_rows},
						       .is_open = is_open};

	open_key = open;
	pfx_hist_lines_make(&lines, &options, world.hists, pfx_hists_at(world.hists, 0));
}

static void expect(size_t i, const char *text, uint32_t depth, bool has_kids)
{
	assert_true(i < lines.at.nr);
	assert_string_equal(pfx_hist_line_text(&lines, &lines.at.at[i]), text);
	assert_int_equal(lines.at.at[i].depth, depth);
	assert_int_equal(lines.at.at[i].has_kids, has_kids);
}

static void end(void)
{
	pfx_hist_lines_fini(&lines);
	lines = (struct pfx_hist_lines){0};
	world_end();
}

static void test_rows(void **state)
{
	uint64_t key;

	begin(false, "comm,sym");
	pfx_hists_finish(world.hists);
	make(1, 0);
	assert_string_equal(lines.heading.at, "  Overhead  Command  Symbol");
	assert_int_equal(lines.at.nr, 2);
	expect(0, "    60.00%  prog     [.] b", 0, true);
	expect(1, "    40.00%  prog     [.] c", 0, true);
	assert_true(lines.at.at[0].percent == 60);
	assert_string_equal(lines.at.at[1].place->sym->name, "c");
	key = lines.at.at[1].key;
	assert_true(key && key != lines.at.at[0].key);
	make(key, 0);
	assert_int_equal(lines.at.nr, 5);
	assert_int_equal(lines.at.at[1].key, key);
	expect(2, "            |", 1, false);
	expect(3, "            ---c", 1, false);
	expect(4, "               a", 1, false);
	make(1, 1);
	assert_int_equal(lines.at.nr, 1);
	end();
}

/* A library leaves its rows, with what they have. */
static void test_zoom(void **state)
{
	world_begin(PID);
	world.options.chains = world.options.children = true;
	world_columns("sym", NULL);
	world_add("ab", 60);
	world_add("a?", 40);
	pfx_hists_finish(world.hists);
	make(1, 0);
	assert_int_equal(lines.at.nr, 3);
	pfx_hists_zoom(world.hists, "[JIT] tid 4194263");
	make(1, 0);
	assert_int_equal(lines.at.nr, 2);
	expect(0, "   100.00%     0.00%  [.] a", 0, true);
	expect(1, "    60.00%    60.00%  [.] b", 0, true);
	pfx_hists_set_relative(world.hists, true);
	make(1, 0);
	expect(0, "   166.67%     0.00%  [.] a", 0, true);
	expect(1, "   100.00%   100.00%  [.] b", 0, true);
	pfx_hists_zoom(world.hists, NULL);
	make(1, 0);
	assert_int_equal(lines.at.nr, 3);
	end();
}

static void test_hierarchy(void **state)
{
	begin(true, "comm,sym");
	pfx_hists_finish(world.hists);
	make(1, 0);
	assert_string_equal(lines.heading.at, "     Overhead  Command / Symbol");
	assert_int_equal(lines.at.nr, 1);
	expect(0, "   100.00%     prog", 0, true);
	assert_int_equal(lines.at.at[0].mark, 0);
	make(lines.at.at[0].key, 0);
	assert_int_equal(lines.at.nr, 3);
	expect(1, "       60.00%     [.] b", 1, true);
	assert_int_equal(lines.at.at[1].mark, 3);
	make(0, 0);
	assert_int_equal(lines.at.nr, 9);
	expect(4, "               a", 2, false);
	end();
}

/* Rows of newer samples have the same keys; those that are no function have no place. */
static void test_keys(void **state)
{
	uint64_t key;

	begin(false, "comm");
	pfx_hists_finish(world.hists);
	make(1, 0);
	key = lines.at.at[0].key;
	assert_null(lines.at.at[0].place);
	world_end();
	begin(false, "comm");
	world_add("d", 900);
	pfx_hists_finish(world.hists);
	make(1, 0);
	assert_int_equal(lines.at.at[0].key, key);
	end();
}

/* All lines are kept: a long name is not kept whole. */
static void test_long_names(void **state)
{
	char name[4001];

	memset(name, 1, sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	begin(false, "dso,comm");
	world_map(PID, 0x900000, name);
	world_add((const char[]){WORLD_NOWHERE, '\0'}, 900);
	pfx_hists_finish(world.hists);
	make(1, 0);
	assert_int_equal(lines.at.nr, 2);
	assert_int_equal(strlen(pfx_hist_line_text(&lines, &lines.at.at[0])), 8192);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zoom),       cmocka_unit_test(test_rows),
		cmocka_unit_test(test_hierarchy),  cmocka_unit_test(test_keys),
		cmocka_unit_test(test_long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
