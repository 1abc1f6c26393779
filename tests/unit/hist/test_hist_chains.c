/* SPDX-License-Identifier: MIT */
/* Children and call trees: each function once per chain, nodes, thresholds, orders, modes. */
#include "unit/hist/hist_world.h"

#include "base/str.h"

#define PID 4194281

static const struct pfx_hist *finish(void)
{
	pfx_hists_finish(world.hists);
	return pfx_hists_at(world.hists, 0);
}

static void begin(const char *graph, bool children)
{
	struct pfx_error err;

	world_begin(PID);
	world.options.chains = true;
	world.options.children = children;
	world.graph.caller = children;
	world.graph.min_percent = 0;
	assert_int_equal(pfx_callgraph_parse(&world.graph, graph, &err), 0);
	world_columns(NULL, NULL);
}

/* "ab:7(c:2 d:5)": frames, weight, kids. */
static void write_node(struct pfx_str *to, const struct pfx_call_node *node)
{
	uint32_t i;

	for (i = 0; i < node->nr_frames; i++)
		pfx_str_addc(to, node->frames[i]->sym ? *node->frames[i]->sym->name : '?');
	if (node->parent)
		pfx_str_addf(to, ":%d", (int)(node->hit + node->kids_hit));
	if (!node->nr_kids)
		return;
	pfx_str_addc(to, '(');
	for (i = 0; i < node->nr_kids; i++) {
		if (i)
			pfx_str_addc(to, ' ');
		write_node(to, node->kids[i]);
	}
	pfx_str_addc(to, ')');
}

static void check_tree(const struct pfx_hist *hist, char symbol, const char *wanted)
{
	struct pfx_arena arena = {0};
	struct pfx_str text = {0};
	struct pfx_call_node *root;

	root = pfx_hist_calltree(world.hists, hist, world_row(hist, symbol), &arena);
	if (root)
		write_node(&text, root);
	assert_string_equal(pfx_str_get(&text), wanted);
	pfx_str_fini(&text);
	pfx_arena_clear(&arena);
}

static void test_children(void **state)
{
	const struct pfx_hist *hist;

	begin("graph", true);
	world_add("abc", 10);
	world_add("abd", 5);
	world_add("ab", 1);
	hist = finish();
	assert_string_equal(world_order(hist), "abcd");
	assert_int_equal(world_row(hist, 'a')->stat->children, 16);
	assert_int_equal(world_row(hist, 'a')->stat->period, 0);
	assert_int_equal(world_row(hist, 'b')->stat->children, 16);
	assert_int_equal(world_row(hist, 'b')->stat->period, 1);
	assert_int_equal(world_row(hist, 'c')->stat->count, 1);
	world_end();
}

static void test_recursion_counts_once(void **state)
{
	const struct pfx_hist *hist;

	begin("graph", true);
	world_add("arrrx", 10);
	world_add("arrr", 3);
	world_add("arsrs", 2);
	hist = finish();
	assert_int_equal(world_row(hist, 'r')->stat->children, 15);
	assert_int_equal(world_row(hist, 'r')->stat->period, 3);
	assert_int_equal(world_row(hist, 's')->stat->children, 2);
	assert_int_equal(world_row(hist, 'a')->stat->children, 15);
	world_end();
}

/* The row of a sample has the whole chain, a caller's row starts at its first frame. */
static void test_tree_caller(void **state)
{
	const struct pfx_hist *hist;

	begin("graph,caller", true);
	world_add("abcd", 4);
	world_add("abce", 6);
	world_add("ab", 1);
	hist = finish();
	check_tree(hist, 'a', "(ab:11(c:10(e:6 d:4)))");
	check_tree(hist, 'b', "(bc:10(e:6 d:4) ab:1)");
	check_tree(hist, 'd', "(abcd:4)");
	world_end();
}

static void test_tree_callee(void **state)
{
	const struct pfx_hist *hist;

	begin("graph,callee", true);
	world_add("abx", 4);
	world_add("acx", 6);
	world_add("cx", 1);
	hist = finish();
	check_tree(hist, 'x', "(x:11(c:7(a:6) ba:4))");
	check_tree(hist, 'c', "(c:7(a:6))");
	world_end();
}

static void test_tree_of_recursion(void **state)
{
	const struct pfx_hist *hist;

	begin("graph,caller", true);
	world_add("arx", 1);
	world_add("arrx", 2);
	world_add("arrrx", 4);
	hist = finish();
	check_tree(hist, 'r', "(r:7(r:6(rx:4 x:2) x:1))");
	check_tree(hist, 'x', "(ar:7(r:6(rx:4 x:2) x:1))");
	world_end();
}

static void test_no_children(void **state)
{
	const struct pfx_hist *hist;

	begin("graph,callee", false);
	world_add("abx", 4);
	world_add("acx", 6);
	world_add("ab", 3);
	hist = finish();
	assert_string_equal(world_order(hist), "xb");
	check_tree(hist, 'x', "(x:10(ca:6 ba:4))");
	check_tree(hist, 'b', "(ba:3)");
	world_end();
}

static void test_threshold_of_graph(void **state)
{
	const struct pfx_hist *hist;

	begin("graph,10,callee", false);
	world_add("ax", 89);
	world_add("bx", 10);
	world_add("cx", 1);
	world_add("dy", 0);
	hist = finish();
	check_tree(hist, 'x', "(x:100(a:89 b:10))");
	check_tree(hist, 'y', "");
	world_end();
}

/* The threshold is relative to the parent branch, not to the total. */
static void test_threshold_of_fractal(void **state)
{
	const struct pfx_hist *hist;

	begin("fractal,40,callee", false);
	world_add("ax", 50);
	world_add("bx", 50);
	world_add("cy", 4);
	world_add("dy", 1);
	hist = finish();
	check_tree(hist, 'x', "(x:100(b:50 a:50))");
	check_tree(hist, 'y', "(y:5(c:4))");
	world_end();
}

static void test_flat_lists_ends(void **state)
{
	const struct pfx_hist *hist;

	begin("flat,caller", true);
	world_add("ab", 3);
	world_add("abc", 2);
	world_add("abd", 9);
	hist = finish();
	check_tree(hist, 'a', "(d:9 ab:14(d:9 c:2) c:2)");
	world_end();
}

/* Siblings of equal weight: the function at the higher address first. */
static void test_ties_in_tree(void **state)
{
	const struct pfx_hist *hist;

	begin("graph,callee", false);
	world_add("ax", 5);
	world_add("cx", 5);
	world_add("bx", 5);
	hist = finish();
	check_tree(hist, 'x', "(x:15(c:5 b:5 a:5))");
	world_end();
}

static void test_caller_above_callee(void **state)
{
	const struct pfx_hist *hist;

	begin("graph,caller", true);
	world_add("zyxw", 5);
	hist = finish();
	assert_string_equal(world_order(hist), "wzyx");
	world_end();
}

static void test_hide_unresolved_frames(void **state)
{
	const struct pfx_hist *hist;

	begin("graph,caller", true);
	world.options.hide_unresolved = true;
	pfx_hists_free(world.hists);
	world.hists = pfx_hists_new(&world.options);
	world_add("a?b", 5);
	hist = finish();
	assert_int_equal(hist->nr_rows, 2);
	check_tree(hist, 'a', "(ab:5)");
	world_end();
}

static void test_by_address(void **state)
{
	struct pfx_arena arena = {0};
	const struct pfx_hist *hist;
	struct pfx_call_node *root;

	begin("graph,callee,address", false);
	world_add("ax", 5);
	world_add("bx", 4);
	hist = finish();
	root = pfx_hist_calltree(world.hists, hist, world_row(hist, 'x'), &arena);
	assert_non_null(root);
	assert_int_equal(root->nr_kids, 1);
	assert_int_equal(root->kids[0]->nr_kids, 2);
	pfx_arena_clear(&arena);
	world_end();
}

/* Chains that are longer than a node, equal up to a node's end and beyond: shown as one run, in
 * both orders, and counted once in each function, even if it occurs several times. */
static void test_long_chains(void **state)
{
	const struct pfx_hist *hist;

	begin("graph,caller", true);
	world_add("mabcdefghijklamnx", 4);
	world_add("mabcdefghijklamny", 3);
	world_add("mabcdefgz", 2);
	world_add("mabcdefgh", 1);
	hist = finish();
	assert_int_equal(world_row(hist, 'm')->stat->children, 10);
	assert_int_equal(world_row(hist, 'a')->stat->children, 10);
	assert_int_equal(world_row(hist, 'h')->stat->children, 8);
	assert_int_equal(world_row(hist, 'h')->stat->period, 1);
	assert_int_equal(world_row(hist, 'm')->depth, 17);
	assert_int_equal(world_row(hist, 'h')->depth, 9);
	check_tree(hist, 'a', "(abcdefg:10(h:8(ijklamn:7(x:4 y:3)) z:2))");
	check_tree(hist, 'l', "(lamn:7(x:4 y:3))");
	check_tree(hist, 'h', "(hijklamn:7(x:4 y:3) mabcdefgh:1)");
	world_end();
	begin("graph,callee", false);
	world_add("pmabcdefghijklmx", 4);
	world_add("qmabcdefghijklmx", 3);
	hist = finish();
	check_tree(hist, 'x', "(xmlkjihgfedcbam:7(p:4 q:3))");
	world_end();
}

static void other_columns(const char *sort)
{
	pfx_hists_free(world.hists);
	pfx_columns_fini(&world.columns);
	world_columns(sort, NULL);
}

/* Rows of several CPUs share the chains; each counts only its own samples. */
static void test_contexts(void **state)
{
	const struct pfx_hist *hist;
	uint64_t sum = 0;
	uint32_t i;

	begin("graph,caller", true);
	other_columns("cpu,sym");
	for (i = 0; i < 12; i++)
		world_add_as(i & 1 ? "abcdefghijx" : "abcdefghijy",
			     &(struct world_sample){.tid = PID, .cpu = i % 3, .period = i + 1});
	hist = finish();
	for (i = 0; i < hist->nr_rows; i++)
		sum += hist->rows[i]->stat->children;
	assert_int_equal(hist->nr_rows, 3 * 12);
	assert_int_equal(sum, 11 * 78);
	world_end();
}

/* Samples of two CPUs in one row, some of them its own: its call tree contains those of both, and
 * its own ones from the start of their chains. */
static void test_row_of_two_contexts(void **state)
{
	const struct pfx_hist *hist;
	uint32_t cpu;

	begin("graph,caller", true);
	other_columns("socket,sym");
	for (cpu = 0; cpu < 2; cpu++) {
		world_add_as("mabc", &(struct world_sample){.tid = PID, .cpu = cpu, .period = 4});
		world_add_as("ma", &(struct world_sample){.tid = PID, .cpu = cpu, .period = 2});
		world_add_as("mabd", &(struct world_sample){.tid = PID, .cpu = cpu, .period = 1});
		world_add_as("na", &(struct world_sample){.tid = PID, .cpu = cpu, .period = 3});
	}
	world_add_as("mac", &(struct world_sample){.tid = PID, .cpu = 1, .period = 5});
	hist = finish();
	assert_int_equal(world_row(hist, 'a')->stat->children, 25);
	check_tree(hist, 'a', "(a:15(b:10(c:8 d:2) c:5) na:6 ma:4)");
	check_tree(hist, 'c', "(ma:13(bc:8 c:5))");
	check_tree(hist, 'b', "(b:10(c:8 d:2))");
	world_end();
}

/* Rows by line: the row starts at the first occurrence of its line on a chain, even below another
 * line of the same function, and counts each chain once. */
static void test_lines_of_one_function(void **state)
{
	const struct pfx_hist *hist;

	begin("graph,caller", true);
	other_columns("sym,srcline");
	world_add("mab", 5);
	world_add("mAab", 4);
	hist = finish();
	assert_int_equal(world_row(hist, 'a')->stat->children, 9);
	check_tree(hist, 'a', "(ab:9)");
	world_end();
}

/* No call tree is kept for rows that do not show one. */
static void test_none(void **state)
{
	const struct pfx_hist *hist;

	begin("none", true);
	world_add("ab", 5);
	hist = finish();
	assert_int_equal(world_row(hist, 'a')->stat->children, 5);
	check_tree(hist, 'a', "");
	world_end();
}

/* Chains of all lengths, many of them repeated, on several CPUs. */
static void add_many(void)
{
	uint32_t random = 1, i, k, nr;
	char chain[40];

	for (i = 0; i < 9000; i++) {
		nr = 1 + i % 30;
		for (k = 0; k < nr; k++) {
			random = random * 1664525 + 1013904223;
			chain[k] = (char)('a' + (random >> 24) % (k < 20 ? 3 : 20));
		}
		chain[nr] = '\0';
		world_add_as(chain,
			     &(struct world_sample){.tid = PID, .cpu = i % 3, .period = 1 + i % 7});
	}
}

/* All buckets, in order, then all rows with their call trees. */
static void write_all(struct pfx_str *to)
{
	struct pfx_folded folded = {0};
	struct pfx_arena arena = {0};
	const struct pfx_hist *hist;
	struct pfx_call_node *root;
	uint32_t i;

	while (pfx_folded_next(world.hists, &folded)) {
		for (i = 0; i < folded.nr; i++)
			pfx_str_addc(to, *pfx_place_symbol(world.resolver, folded.places[i])->name);
		pfx_str_addf(to, " %d %d\n", (int)folded.period, (int)folded.count);
	}
	hist = finish();
	for (i = 0; i < hist->nr_rows; i++) {
		pfx_str_addf(to, "%c %d %d\n", world_symbol(hist->rows[i]),
			     (int)hist->rows[i]->stat->period, (int)hist->rows[i]->stat->children);
		root = pfx_hist_calltree(world.hists, hist, hist->rows[i], &arena);
		if (root)
			write_node(to, root);
		pfx_arena_clear(&arena);
	}
}

static void same_with_any_number(const char *graph, bool children, const char *sort)
{
	static const char *const numbers[] = {"1", "2", "4"};
	struct pfx_str texts[3] = {{0}};
	unsigned i;

	for (i = 0; i < 3; i++) {
		setenv("PFX_THREADS", numbers[i], 1);
		begin(graph, children);
		other_columns(sort);
		add_many();
		write_all(&texts[i]);
		world_end();
		assert_true(texts[i].len > 100000);
		assert_string_equal(texts[i].at, texts[0].at);
	}
	for (i = 0; i < 3; i++)
		pfx_str_fini(&texts[i]);
	unsetenv("PFX_THREADS");
}

static void test_any_number_of_threads(void **state)
{
	same_with_any_number("graph,caller", true, "cpu,sym");
	same_with_any_number("graph,caller", true, "sym");
	same_with_any_number("fractal,callee", false, "sym");
	same_with_any_number("flat,address,caller", true, "sym");
}

/* The same samples in a new set, of which @expected combinations are left. */
static void carry(uint32_t expected)
{
	struct pfx_hists *old = world.hists;

	world.hists = pfx_hists_carry(old, 1, 1, 1000);
	pfx_hists_free(old);
	assert_int_equal(pfx_hists_nr_distinct(world.hists), expected);
}

/* Addresses of a function are one after a while, in chains of more than one segment, too; and no
 * row or tree is another one. */
static void test_carried_chains(void **state)
{
	const struct pfx_hist *hist;

	begin("graph,caller", true);
	world_add("ab", 1);
	world_add("Ab", 2);
	world_add("aB", 4);
	world_add("abcdefghijklmnopqrst", 8);
	world_add("abcdefgHijklmnopqrst", 16);
	world_add("Abcdefghijklmnopqrst", 32);
	world_add("a?", 64);
	assert_int_equal(pfx_hists_nr_distinct(world.hists), 7);
	carry(3);
	world_add("AB", 128);
	assert_int_equal(pfx_hists_nr_distinct(world.hists), 4);
	carry(3);
	hist = finish();
	assert_int_equal(world_row(hist, 'a')->stat->children, 255);
	assert_int_equal(world_row(hist, 'b')->stat->children, 191);
	assert_int_equal(world_row(hist, 'b')->stat->period, 135);
	assert_int_equal(world_row(hist, 't')->stat->period, 56);
	assert_int_equal(world_row(hist, WORLD_NOWHERE)->stat->period, 64);
	check_tree(hist, 't', "(abcdefghijklmnopqrst:56)");
	world_end();
}

static void test_carried_addresses(void **state)
{
	begin("graph,address,caller", true);
	world_add("ab", 1);
	world_add("Ab", 2);
	world_add("aB", 4);
	carry(3);
	carry(3);
	assert_int_equal(world_row(finish(), 'b')->stat->period, 7);
	world_end();
}

/* Queued samples are freed with the rest. */
static void test_never_finished(void **state)
{
	setenv("PFX_THREADS", "2", 1);
	begin("graph,caller", true);
	add_many();
	world_end();
	unsetenv("PFX_THREADS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_children),
		cmocka_unit_test(test_recursion_counts_once),
		cmocka_unit_test(test_tree_caller),
		cmocka_unit_test(test_tree_callee),
		cmocka_unit_test(test_tree_of_recursion),
		cmocka_unit_test(test_no_children),
		cmocka_unit_test(test_threshold_of_graph),
		cmocka_unit_test(test_threshold_of_fractal),
		cmocka_unit_test(test_flat_lists_ends),
		cmocka_unit_test(test_ties_in_tree),
		cmocka_unit_test(test_caller_above_callee),
		cmocka_unit_test(test_hide_unresolved_frames),
		cmocka_unit_test(test_by_address),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_long_chains),
		cmocka_unit_test(test_contexts),
		cmocka_unit_test(test_row_of_two_contexts),
		cmocka_unit_test(test_lines_of_one_function),
		cmocka_unit_test(test_any_number_of_threads),
		cmocka_unit_test(test_carried_chains),
		cmocka_unit_test(test_carried_addresses),
		cmocka_unit_test(test_never_finished),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
