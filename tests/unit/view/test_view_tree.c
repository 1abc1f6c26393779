/* SPDX-License-Identifier: MIT */
/* Call trees, flame graphs and sandwiches of small made profiles. */
#include "view/view_tree.h"
#include "view_world.h"

static const char *name_of(const struct pfx_view_node *node)
{
	if (node->group != PFX_NO_ID)
		return world.profile->comms[node->group];
	if (node->frame == PFX_NO_ID)
		return "";
	return world.profile->functions[world.profile->frames[node->frame].function].name;
}

static void print_tree(const struct pfx_view_tree *tree, uint32_t at, struct pfx_str *to)
{
	const struct pfx_view_node *node = &tree->nodes[at];
	uint64_t x = node->x, kids = 0;
	uint32_t i;

	pfx_str_addf(to, "%s%d", name_of(node), (int)node->total);
	if (node->self)
		pfx_str_addf(to, "/%d", (int)node->self);
	for (i = node->first_kid; i < node->first_kid + node->nr_kids; i++) {
		assert_int_equal(tree->nodes[i].parent, at);
		assert_int_equal(tree->nodes[i].depth, node->depth + 1);
		assert_int_equal(tree->nodes[i].x, x);
		x += tree->nodes[i].total;
		kids += tree->nodes[i].total;
		pfx_str_add(to, i == node->first_kid ? "(" : " ");
		print_tree(tree, i, to);
	}
	assert_true(kids + node->self <= node->total);
	if (node->nr_kids)
		pfx_str_add(to, ")");
}

/* "10(a10(b3/3 c7/7))": totals, and self where it is not zero. */
static void expect(const struct pfx_view_tree_options *options, const char *expected)
{
	struct pfx_view_tree tree;
	struct pfx_str text = {0};

	pfx_view_tree_make(&tree, world_select(), options);
	assert_int_equal(tree.nodes[0].parent, PFX_NO_ID);
	print_tree(&tree, 0, &text);
	assert_string_equal(pfx_str_get(&text), expected);
	pfx_str_fini(&text);
	pfx_view_tree_fini(&tree);
}

static const struct pfx_view_tree_options down = {.function = PFX_NO_ID},
					  up = {.function = PFX_NO_ID, .inverted = true};

static struct pfx_view_tree_options of_function(char c, bool inverted)
{
	return (struct pfx_view_tree_options){.function = world_letter(c), .inverted = inverted};
}

static void begin(void)
{
	world_begin(false);
	world_add("abc", 1);
	world_add("abd", 2);
	world_add("adc", 4);
	world_add("e", 8);
	world_ready();
}

static void test_down(void **state)
{
	struct pfx_view_tree_options options = down;

	begin();
	expect(&options, "15(e8/8 a7(d4(c4/4) b3(d2/2 c1/1)))");
	options.order = PFX_TREE_BY_NAME;
	expect(&options, "15(a7(b3(c1/1 d2/2) d4(c4/4)) e8/8)");
	options.max_depth = 2;
	expect(&options, "15(a7(b3 d4) e8/8)");
	options.max_depth = 0;
	options.min_share = 0.2;
	expect(&options, "15(a7(b3 d4(c4/4)) e8/8)");
	options.measure = PFX_MEASURE_SAMPLES;
	options.min_share = 0;
	expect(&options, "4(a3(b2(c1/1 d1/1) d1(c1/1)) e1/1)");
	world_pattern(PFX_VIEW_HIDE, "[bd]");
	expect(&options, "4(a3/1(c2/2) e1/1)");
	world_end();
}

/* k stands for broken chains: x is in no map, threads start in s. */
static void test_broken(void **state)
{
	world_begin(false);
	world_add("xab", 1);
	world_add("cxab", 2);
	world_add("cxsab", 4);
	world_add("sxa", 8);
	world_add("cx", 16);
	world_ready();
	world.profile->functions[world_letter('x')].role = PFX_ROLE_NOWHERE;
	world.profile->functions[world_letter('s')].role = PFX_ROLE_START;
	world.filter.join_broken = true;
	expect(&down, "31(c22(x22/16(s4(a4(b4/4)) a2(b2/2))) s8(x8(a8/8)) x1(a1(b1/1)))");
	world.profile->functions[world_letter('k')].role = PFX_ROLE_BROKEN;
	expect(&down, "31(k19(x16/16 a3(b3/3)) s12(x8(a8/8) a4(b4/4)))");
	world.filter.drop_unresolved = true;
	expect(&down, "31(c22(x22/16(s4(a4(b4/4)) a2(b2/2))) s8(x8(a8/8)) x1(a1(b1/1)))");
	world_end();
}

static void test_up(void **state)
{
	struct pfx_view_tree_options options = up;

	begin();
	expect(&options, "15(e8/8 c5(d4(a4/4) b1(a1/1)) d2(b2(a2/2)))");
	options.min_share = 0.25;
	expect(&options, "15(e8/8 c5(d4(a4/4)))");
	world_end();
}

static void test_recursion(void **state)
{
	world_begin(false);
	world_add("abab", 1);
	world_add("ab", 2);
	world_ready();
	expect(&down, "3(a3(b3/2(a1(b1/1))))");
	expect(&up, "3(b3(a3/2(b1(a1/1))))");
	expect(&(struct pfx_view_tree_options){.function = world_letter('b')}, "b3/2(a1(b1/1))");
	expect(&(struct pfx_view_tree_options){.function = world_letter('b'), .inverted = true},
	       "b3(a3/3)");
	expect(&(struct pfx_view_tree_options){.function = world_letter('a'), .inverted = true},
	       "a3/3");
	world_end();
}

/* Only samples at an address of the function, also where one is inlined in it. */
static void test_own(void **state)
{
	struct pfx_view_tree_options options = of_function('b', true);

	world_begin(false);
	world_add("ab", 1);
	world_add("abc", 2);
	world_add("dbI", 4);
	world_ready();
	expect(&options, "b7(d4/4 a3/3)");
	options.own = true;
	expect(&options, "b5(d4/4 a1/1)");
	world_end();
}

static void test_sandwich(void **state)
{
	struct pfx_view_tree_options options = of_function('d', false);
	struct pfx_sandwich sandwich;

	begin();
	expect(&options, "d6/2(c4/4)");
	options.inverted = true;
	expect(&options, "d6(a4/4 b2(a2/2))");
	pfx_sandwich_make(&sandwich, world_select(), &options);
	assert_int_equal(sandwich.callers.nodes[0].total, 6);
	assert_int_equal(sandwich.callers.nodes[0].nr_kids, 2);
	assert_int_equal(sandwich.callees.nodes[0].total, 6);
	assert_int_equal(sandwich.callees.nodes[0].nr_kids, 1);
	pfx_sandwich_fini(&sandwich);
	options = of_function('y', false);
	expect(&options, "y0");
	world_end();
}

static void test_inlined(void **state)
{
	world_begin(false);
	world_add("aBC", 1);
	world_add("aC", 2);
	world_ready();
	expect(&down, "3(a3(C2/2 B1(C1/1)))");
	expect(&up, "3(C3(a2/2 B1(a1/1)))");
	world_end();
}

static void test_nothing(void **state)
{
	struct pfx_view_tree_options options = down;

	world_begin(false);
	world_add("ab", 0); /* a sample without any weight is not in a tree by period */
	world_ready();
	expect(&down, "0");
	expect(&up, "0");
	options.measure = PFX_MEASURE_SAMPLES;
	expect(&options, "1(a1(b1/1))");
	world_pattern(PFX_VIEW_HIDE, ".");
	expect(&options, "0");
	options.grouped = true;
	options.groups = PFX_VIEW_COMM;
	expect(&options, "0");
	world_end();
}

static void test_groups(void **state)
{
	struct pfx_view_tree_options options = down;

	world_begin(false);
	world_add_as("abc", &(struct world_sample){.thread = 2, .period = 1});
	world_add_as("ad", &(struct world_sample){.thread = 1, .period = 2});
	world_add_as("abc", &(struct world_sample){.thread = 1, .period = 4});
	world_add_as("abe", &(struct world_sample){.thread = 2, .period = 8});
	world_add_as("ab", &(struct world_sample){.thread = 1, .period = 16, .event = 1});
	world_add_as("f", &(struct world_sample){.thread = 0, .period = 1});
	world_add_as("abc", &(struct world_sample){.thread = 1, .period = 1, .cpu = 1});
	world_ready();
	options.grouped = true;
	options.groups = PFX_VIEW_COMM;
	expect(&options, "17(other9(a9(b9(e8/8 c1/1))) worker7(a7(b5(c5/5) d2/2)) main1(f1/1))");
	options.order = PFX_TREE_BY_NAME;
	options.inverted = true;
	expect(&options, "17(main1(f1/1) other9(c1(b1(a1/1)) e8(b8(a8/8))) "
			 "worker7(c5(b5(a5/5)) d2(a2/2)))");
	options.max_depth = 1;
	options.min_share = 0.1;
	expect(&options, "17(other9 worker7)");
	options.column = 1;
	expect(&options, "16(worker16)");
	world_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_down),      cmocka_unit_test(test_up),
		cmocka_unit_test(test_recursion), cmocka_unit_test(test_sandwich),
		cmocka_unit_test(test_inlined),   cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_groups),    cmocka_unit_test(test_broken),
		cmocka_unit_test(test_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
