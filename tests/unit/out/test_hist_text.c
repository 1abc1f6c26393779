/* SPDX-License-Identifier: MIT */
/* Tables and call trees as text, compared character by character. */
#include "unit/hist/hist_world.h"

#include "out/hist_text.h"

#define PID 4194271

static void begin(const char *graph, bool children, const char *sort)
{
	struct pfx_error err;

	world_begin(PID);
	world.options.chains = true;
	world.options.children = children;
	world.graph.caller = children;
	assert_int_equal(pfx_callgraph_parse(&world.graph, graph, &err), 0);
	world_columns(sort, NULL);
}

static void check_text(const struct pfx_hist_text *how, const char *wanted)
{
	struct pfx_str out = {0};

	pfx_hists_finish(world.hists);
	assert_int_equal(pfx_hist_text_rows(how, world.hists, pfx_hists_at(world.hists, 0), &out),
			 0);
	assert_string_equal(pfx_str_get(&out), wanted);
	pfx_str_fini(&out);
	world_end();
}

static void test_table(void **state)
{
	const struct pfx_hist_text how = {0};

	begin("none", false, NULL);
	world_add("a", 3);
	world_add("?", 1);
	check_text(&how, "# Overhead  Command  Shared Object      Symbol                \n"
			 "# ........  .......  .................  ......................\n"
			 "#\n"
			 "    75.00%  prog     [JIT] tid 4194271  [.] a\n"
			 "    25.00%  prog     [unknown]          [.] 0x0000000000900000\n");
}

static void test_separator(void **state)
{
	const struct pfx_hist_text how = {.separator = ","};

	begin("none", false, "comm,sym");
	world_comm(PID, "a,b");
	world_add("a", 3);
	check_text(&how, "# Overhead,Command,Symbol\n"
			 " 100.00%,a.b    ,[.] a\n");
}

static void test_escaped(void **state)
{
	const struct pfx_hist_text how = {.quiet = true};

	begin("none", false, "comm");
	world_comm(PID, "\033[2J");
	world_add("a", 3);
	check_text(&how, "   100.00%  \\x1b[2J\n");
}

static void test_colours(void **state)
{
	const struct pfx_hist_text how = {.quiet = true, .colours = true};

	begin("none", false, "sym");
	world_add("a", 949);
	world_add("b", 46);
	world_add("c", 5);
	check_text(&how, "  \033[31m  94.90%\033[m  [.] a\n"
			 "  \033[32m   4.60%\033[m  [.] b\n"
			 "     0.50%  [.] c\n");
}

static void test_graph(void **state)
{
	const struct pfx_hist_text how = {.quiet = true};

	begin("graph,callee", false, "dso,sym");
	world_add("abx", 60);
	world_add("acx", 40);
	check_text(&how, "   100.00%  [JIT] tid 4194271  [.] x\n"
			 "            |\n"
			 "            ---x\n"
			 "               |          \n"
			 "               |--60.00%--b\n"
			 "               |          a\n"
			 "               |          \n"
			 "                --40.00%--c\n"
			 "                          a\n"
			 "\n");
}

static void test_graph_skips_first(void **state)
{
	const struct pfx_hist_text how = {.quiet = true, .skip_first_frame = true};

	begin("graph,callee,count", false, "sym");
	world_add("abx", 60);
	check_text(&how, "   100.00%  [.] x\n"
			 "            |\n"
			 "            ---b\n"
			 "               a\n"
			 "\n");
}

static void test_fractal_rest(void **state)
{
	const struct pfx_hist_text how = {.quiet = true};

	begin("fractal,30,callee", false, "dso,sym");
	world_add("ax", 60);
	world_add("bx", 25);
	world_add("cx", 15);
	check_text(&how, "   100.00%  [JIT] tid 4194271  [.] x\n"
			 "            |\n"
			 "            ---x\n"
			 "               |          \n"
			 "               |--60.00%--a\n"
			 "                --40.00%--[...]\n"
			 "\n");
}

static void test_flat(void **state)
{
	const struct pfx_hist_text how = {.quiet = true};

	begin("flat,period,callee", false, "sym");
	world_add("ax", 60);
	world_add("bx", 40);
	check_text(&how, "   100.00%  [.] x\n"
			 "           60\n"
			 "                x\n"
			 "                a\n"
			 "\n"
			 "           40\n"
			 "                x\n"
			 "                b\n"
			 "\n");
}

static void test_folded(void **state)
{
	const struct pfx_hist_text how = {.quiet = true};

	begin("folded,count,caller", false, "sym");
	world_add("ax", 60);
	world_add("bx", 20);
	world_add("bx", 10);
	check_text(&how, "   100.00%  [.] x\n"
			 "1 a;x\n"
			 "2 b;x\n");
}

static void test_event_lines(void **state)
{
	const struct pfx_hist_text how = {.time = "10%-20%"};
	struct pfx_str out = {0};
	int i;

	begin("none", false, "sym");
	for (i = 0; i < 1234; i++)
		world_add("a", 2);
	pfx_hists_finish(world.hists);
	pfx_hist_text_event(&how, world.hists, pfx_hists_at(world.hists, 0), &out);
	assert_string_equal(pfx_str_get(&out),
			    "# Samples: 1K of event 'cycles' (time slices: 10%-20%)\n"
			    "# Event count (approx.): 2468\n#\n");
	pfx_str_fini(&out);
	world_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),        cmocka_unit_test(test_separator),
		cmocka_unit_test(test_escaped),      cmocka_unit_test(test_colours),
		cmocka_unit_test(test_graph),        cmocka_unit_test(test_graph_skips_first),
		cmocka_unit_test(test_fractal_rest), cmocka_unit_test(test_flat),
		cmocka_unit_test(test_folded),       cmocka_unit_test(test_event_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
