// SPDX-License-Identifier: MIT
/* Subtrees that explain a change; functions that were renamed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diff/body.h"
#include "diff/diff_text.h"
#include "diff/tree.h"
#include "view/profile/make_profile.h"

struct chain {
	const char *names; /* "main;parse;read" */
	uint32_t samples;
};

/* Functions by name: each has an address that follows from it, so that sizes differ. */
static uint32_t frame_of(struct pfx_profile_maker *maker, const char *name, size_t len,
			 const char **names, uint32_t *nr)
{
	char *own = strndup(name, len);
	uint32_t i;

	for (i = 0; i < *nr; i++)
		if (!strcmp(names[i], own))
			break;
	if (i == *nr) {
		pfx_profile_add_function(
			maker, &(struct pfx_profile_function){.name = own,
							      .start = 0x1000 * (i + 1ull),
							      .end = 0x1000 * (i + 1ull) + 0x100,
							      .is_named = true,
							      .level = '.'});
		names[(*nr)++] = own;
	} else {
		free(own);
	}
	return pfx_profile_add_frame(maker, &(struct pfx_profile_frame){.function = i});
}

static struct pfx_profile *make(const struct chain *chains, uint32_t nr)
{
	struct pfx_profile_maker *maker = pfx_profile_maker_new(PFX_FRAMES_BY_FUNCTION, true);
	const char *names[32], *at;
	uint32_t nr_names = 0, i, k, node, frame = 0, stack;
	uint64_t time = 1;
	size_t len;

	pfx_profile_add_event(maker, &(struct pfx_profile_event){.name = "cycles"});
	pfx_profile_add_process(maker, &(struct pfx_profile_process){.comm = "p"});
	pfx_profile_add_thread(maker, &(struct pfx_profile_thread){.comm = "p"});
	pfx_profile_add_task(maker, 0, "p");
	pfx_profile_add_dso(maker, &(struct pfx_profile_dso){.name = "/no/p", .short_name = "p"});
	for (i = 0; i < nr; i++) {
		for (node = 0, at = chains[i].names;; at += len + 1) {
			len = strcspn(at, ";");
			frame = frame_of(maker, at, len, names, &nr_names);
			node = pfx_profile_add_node(maker, node, frame);
			if (!at[len])
				break;
		}
		stack = pfx_profile_add_stack(maker, node, frame, '.');
		for (k = 0; k < chains[i].samples; k++)
			pfx_profile_add_sample(maker, &(struct pfx_profile_sample){.time = time++,
										   .period = 1,
										   .stack = stack});
	}
	for (i = 0; i < nr_names; i++)
		free((char *)names[i]);
	return pfx_profile_maker_finish(maker);
}

struct world {
	struct pfx_profile *profiles[2];
	struct pfx_diff *diff;
};

#define NR(chains) ((uint32_t)(sizeof(chains) / sizeof(*(chains))))

static struct world compare(const struct chain *old, uint32_t nr_old, const struct chain *new,
			    uint32_t nr_new, const struct pfx_diff_options *options)
{
	struct world world = {{make(old, nr_old), make(new, nr_new)}, pfx_diff_new(options)};

	pfx_diff_add_run(world.diff, 0, world.profiles[0]);
	pfx_diff_add_run(world.diff, 1, world.profiles[1]);
	pfx_diff_finish(world.diff);
	return world;
}

static void world_free(struct world *world)
{
	pfx_diff_free(world->diff);
	pfx_profile_free(world->profiles[0]);
	pfx_profile_free(world->profiles[1]);
}

static const struct pfx_diff_options by_function = {
	.keys = {PFX_DIFF_DSO, PFX_DIFF_SYM}, .nr_keys = 2, .nr_sides = 2};

static void is_subtree(const struct pfx_diff *diff, const struct pfx_diff_subtree *subtree,
		       const char *path, double change)
{
	struct pfx_str text = {0};

	pfx_diff_path_text(diff, subtree->row, &text);
	assert_string_equal(pfx_str_get(&text), path);
	assert_float_equal(subtree->change, change, 1e-9);
	pfx_str_fini(&text);
}

/* read became slower below parse, and scan below it faster; main itself has a little more. */
static void test_subtrees(void **state)
{
	static const struct chain old[] = {{"main", 10},
					   {"main;parse;read", 100},
					   {"main;parse;scan.isra.0", 50},
					   {"main;eval", 70}};
	static const struct chain new[] = {{"main", 15},
					   {"main;parse;read", 160},
					   {"main;parse;scan", 20},
					   {"main;eval;gc", 70}};
	struct pfx_diff_options options = pfx_diff_tree_options(&by_function);
	struct world world = compare(old, NR(old), new, NR(new), &options);
	struct pfx_diff_measure how = {.diff = world.diff,
				       .event = pfx_diff_event_at(world.diff, 0),
				       .weight = PFX_DIFF_SAMPLES};
	struct pfx_diff_subtrees subtrees;

	pfx_diff_explain(&how, NULL, 1, 5, &subtrees);
	assert_int_equal(subtrees.nr, 5);
	is_subtree(world.diff, &subtrees.at[0], "main;eval", -70);
	is_subtree(world.diff, &subtrees.at[1], "main;eval;gc", 70);
	is_subtree(world.diff, &subtrees.at[2], "main;parse;read", 60);
	is_subtree(world.diff, &subtrees.at[3], "main;parse;scan", -30);
	is_subtree(world.diff, &subtrees.at[4], "main", 5);
	pfx_diff_subtrees_fini(&subtrees);
	world_free(&world);
}

/* Many small changes below one function are its own. */
static void test_many_small(void **state)
{
	static const struct chain old[] = {
		{"main;f;a", 10}, {"main;f;b", 10}, {"main;f;c", 10}, {"main;g", 30}};
	static const struct chain new[] = {
		{"main;f;a", 14}, {"main;f;b", 14}, {"main;f;c", 14}, {"main;g", 30}};
	struct pfx_diff_options options = pfx_diff_tree_options(&by_function);
	struct world world = compare(old, NR(old), new, NR(new), &options);
	struct pfx_diff_measure how = {.diff = world.diff,
				       .event = pfx_diff_event_at(world.diff, 0),
				       .weight = PFX_DIFF_SAMPLES};
	struct pfx_diff_subtrees subtrees;

	pfx_diff_explain(&how, NULL, 1, 5, &subtrees);
	assert_int_equal(subtrees.nr, 1);
	is_subtree(world.diff, &subtrees.at[0], "main;f", 12);
	pfx_diff_subtrees_fini(&subtrees);
	world_free(&world);
}

/* Without binaries, callers and size show it: "decode" is called as "parse" was. */
static void test_renames(void **state)
{
	static const struct chain old[] = {
		{"main", 10}, {"main;parse", 40}, {"main;eval;free_it", 30}};
	static const struct chain new[] = {
		{"main", 10}, {"main;decode", 60}, {"main;eval;free_it", 30}};
	static const struct pfx_sym_options binaries;
	struct pfx_diff_options options = by_function, tree;
	const struct pfx_diff_event *event;
	struct world world, again;
	uint32_t i, nr = 0;

	options.binaries = &binaries;
	world = compare(old, NR(old), new, NR(new), &options);
	event = pfx_diff_event_at(world.diff, 0);
	for (i = 0; i < event->nr_rows; i++) {
		assert_string_not_equal(event->rows[i].texts[1], "parse");
		if (event->rows[i].state != PFX_DIFF_RENAMED)
			continue;
		assert_string_equal(event->rows[i].texts[1], "decode");
		assert_string_equal(event->rows[i].old_texts[1], "parse");
		assert_int_equal(event->rows[i].values[0].samples, 40);
		assert_int_equal(event->rows[i].values[1].samples, 60);
		nr++;
	}
	assert_int_equal(nr, 1);
	tree = pfx_diff_tree_options(&by_function);
	tree.renames = pfx_diff_found_renames(world.diff);
	again = compare(old, NR(old), new, NR(new), &tree);
	assert_int_equal(pfx_diff_event_at(again.diff, 0)->nr_rows, 4);
	world_free(&again);
	world_free(&world);
	options.binaries = NULL;
	world = compare(old, NR(old), new, NR(new), &options);
	assert_int_equal(pfx_diff_event_at(world.diff, 0)->nr_rows, 4);
	world_free(&world);
}

static void test_bodies(void **state)
{
	uint8_t one[400], other[400], third[400];
	struct pfx_code_body a, b, c, none;
	size_t i;

	for (i = 0; i < sizeof(one); i++) {
		one[i] = (uint8_t)(i * i * 7 + i);
		other[i] = i % 40 < 4 ? (uint8_t)i : one[i]; /* addresses differ */
		third[i] = (uint8_t)(i * i * i * 3 + 5);
	}
	pfx_code_body_make(&a, one, sizeof(one));
	pfx_code_body_make(&b, other, sizeof(other));
	pfx_code_body_make(&c, third, sizeof(third));
	pfx_code_body_make(&none, one, 2);
	assert_float_equal(pfx_code_body_similarity(&a, &a), 1, 1e-9);
	assert_true(pfx_code_body_similarity(&a, &b) > 0.75);
	assert_true(pfx_code_body_similarity(&a, &c) < 0.3);
	assert_float_equal(pfx_code_body_similarity(&a, &none), 0, 1e-9);
	pfx_code_body_fini(&a);
	pfx_code_body_fini(&b);
	pfx_code_body_fini(&c);
	pfx_code_body_fini(&none);
}

/* Both counts of each chain; shares scale the old ones. */
static void test_folded(void **state)
{
	static const struct chain old[] = {{"main;a", 30}, {"main;b;c", 10}};
	static const struct chain new[] = {{"main;a", 40}, {"main;d", 40}};
	static const char *const names[] = {"old", "new"};
	const struct pfx_diff_options options = {
		.keys = {PFX_DIFF_COMM, PFX_DIFF_CHAIN}, .nr_keys = 2, .nr_sides = 2};
	struct world world = compare(old, NR(old), new, NR(new), &options);
	struct pfx_diff_look look = {.names = names};
	struct pfx_str text = {0};

	look.how.weight = PFX_DIFF_PERIOD;
	pfx_diff_folded(world.diff, &look, &text);
	assert_string_equal(pfx_str_get(&text), "p;main;a 30 40\np;main;b;c 10 0\np;main;d 0 40\n");
	pfx_str_clear(&text);
	look.how.weight = PFX_DIFF_SHARE;
	pfx_diff_folded(world.diff, &look, &text);
	assert_string_equal(pfx_str_get(&text), "p;main;a 60 40\np;main;b;c 20 0\np;main;d 0 40\n");
	pfx_str_fini(&text);
	world_free(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_subtrees), cmocka_unit_test(test_many_small),
		cmocka_unit_test(test_renames),  cmocka_unit_test(test_bodies),
		cmocka_unit_test(test_folded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
