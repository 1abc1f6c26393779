// SPDX-License-Identifier: MIT
/* Recordings compared: profiles are made by hand, so that every number is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diff/measure.h"
#include "diff/names/build_names.h"
#include "diff/names/match_programs.h"
#include "view/profile/make_profile.h"

struct part {
	const char *dso, *function;
	uint32_t samples;
};

/* A profile with that many samples of period 10 in each function. */
static struct pfx_profile *make(const struct part *parts, uint32_t nr)
{
	struct pfx_profile_maker *maker = pfx_profile_maker_new(PFX_FRAMES_BY_FUNCTION, false);
	uint32_t event = pfx_profile_add_event(
		maker, &(struct pfx_profile_event){.name = "cycles", .nr_members = 1});
	uint32_t process = pfx_profile_add_process(
		maker, &(struct pfx_profile_process){.pid = 5, .comm = "prog"});
	uint32_t thread = pfx_profile_add_thread(
		maker, &(struct pfx_profile_thread){.process = process, .tid = 5, .comm = "prog"});
	uint32_t task = pfx_profile_add_task(maker, thread, "prog"), i;

	for (i = 0; i < nr; i++) {
		uint32_t dso = pfx_profile_add_dso(
			maker, &(struct pfx_profile_dso){.name = parts[i].dso,
							 .short_name = parts[i].dso});
		uint32_t function = pfx_profile_add_function(
			maker,
			&(struct pfx_profile_function){.name = parts[i].function,
						       .dso = dso,
						       .is_named = parts[i].function[0] != '0',
						       .start = 0x100ull * i,
						       .end = 0x100ull * i + 0x80,
						       .level = '.'});
		uint32_t frame = pfx_profile_add_frame(
			maker, &(struct pfx_profile_frame){.function = function, .dso = dso});
		uint32_t node = pfx_profile_add_node(maker, 0, frame);
		uint32_t stack = pfx_profile_add_stack(maker, node, frame, '.');

		pfx_profile_add_sample(
			maker, &(struct pfx_profile_sample){.event = event,
							    .task = task,
							    .stack = stack,
							    .count = parts[i].samples,
							    .period = parts[i].samples * 10ull});
	}
	return pfx_profile_maker_finish(maker);
}

struct pair {
	struct pfx_profile *old, *new;
	struct pfx_diff *diff;
};

#define NR(parts)        ((uint32_t)(sizeof(parts) / sizeof(*(parts))))
#define COMPARE(a, b, x) compare((a), NR(a), (b), NR(b), (x))

static struct pair compare(const struct part *old, uint32_t nr_old, const struct part *new,
			   uint32_t nr_new, bool exact)
{
	const struct pfx_diff_options options = {
		.keys = {PFX_DIFF_DSO, PFX_DIFF_SYM}, .nr_keys = 2, .nr_sides = 2, .exact = exact};
	struct pair pair = {make(old, nr_old), make(new, nr_new), pfx_diff_new(&options)};

	pfx_diff_add_run(pair.diff, 0, pair.old);
	pfx_diff_add_run(pair.diff, 1, pair.new);
	pfx_diff_finish(pair.diff);
	return pair;
}

static void pair_free(struct pair *pair)
{
	pfx_diff_free(pair->diff);
	pfx_profile_free(pair->old);
	pfx_profile_free(pair->new);
}

static const struct pfx_diff_row *row_of(const struct pair *pair, const char *function)
{
	const struct pfx_diff_event *event = pfx_diff_event_at(pair->diff, 0);
	uint32_t i;

	for (i = 0; i < event->nr_rows; i++)
		if (!strcmp(event->rows[i].texts[1], function))
			return &event->rows[i];
	return NULL;
}

static void test_numbers(void **state)
{
	static const struct part old[] = {{"a", "f", 60}, {"a", "g", 40}};
	static const struct part new[] = {{"a", "h", 20}, {"a", "f", 180}};
	struct pair pair = COMPARE(old, new, false);
	const struct pfx_diff_event *event = pfx_diff_event_at(pair.diff, 0);
	struct pfx_diff_measure how = {.diff = pair.diff, .event = event};
	const struct pfx_diff_row **rows;
	double result;

	assert_int_equal(event->nr_rows, 3);
	assert_int_equal(row_of(&pair, "f")->state, PFX_DIFF_IN_BOTH);
	assert_int_equal(row_of(&pair, "g")->state, PFX_DIFF_VANISHED);
	assert_int_equal(row_of(&pair, "h")->state, PFX_DIFF_NEW);
	assert_float_equal(pfx_diff_delta(&how, row_of(&pair, "f"), 1), 30.0, 1e-9);
	assert_false(pfx_diff_result(&how, row_of(&pair, "g"), 1, &result));
	rows = pfx_diff_sorted(&how, 1);
	assert_string_equal(rows[0]->texts[1], "f");
	assert_string_equal(rows[2]->texts[1], "g");
	free(rows);
	how.weight = PFX_DIFF_SAMPLES;
	assert_float_equal(pfx_diff_delta(&how, row_of(&pair, "f"), 1), 120.0, 1e-9);
	pair_free(&pair);
}

static void test_builds(void **state)
{
	static const struct part old[] = {
		{"libz.so.1.2", "f", 10}, {"a", "g.isra.0", 20}, {"a", "h", 30}, {"a", "0x10", 1}};
	static const struct part new[] = {{"libz.so.1.3", "f", 10},
					  {"a", "g.constprop.1", 20},
					  {"a", "h", 20},
					  {"a", "h.cold", 10},
					  {"a", "0x20", 1}};
	struct pair pair = COMPARE(old, new, false);

	assert_int_equal(pfx_diff_event_at(pair.diff, 0)->nr_rows, 4);
	assert_string_equal(row_of(&pair, "f")->texts[0], "libz.so.1.3");
	assert_string_equal(row_of(&pair, "f")->old_texts[0], "libz.so.1.2");
	assert_string_equal(row_of(&pair, "g.constprop.1")->old_texts[1], "g.isra.0");
	assert_int_equal(row_of(&pair, "h")->values[1].samples, 30);
	assert_int_equal(row_of(&pair, "[unresolved]")->values[1].samples, 1);
	pair_free(&pair);
	pair = COMPARE(old, new, true);
	assert_int_equal(pfx_diff_event_at(pair.diff, 0)->nr_rows, 7);
	pair_free(&pair);
}

static void test_build_names(void **state)
{
	static const char *const functions[][2] = {
		{"f", "f"},
		{"f.isra.0", "f"},
		{"f.constprop.12.isra.0.cold", "f"},
		{"f.part.0", "f"},
		{"f(int) [clone .isra.0]", "f(int)"},
		{"a.b", "a.b"},
		{".cold", ".cold"},
		{"f.coldest", "f.coldest"},
	};
	static const char *const libraries[][2] = {
		{"libz.so.1.2.13", "libz.so"},     {"libc-2.36.so", "libc.so"}, {"prog", "prog"},
		{"[kernel.kallsyms]", "[kernel]"}, {"a.source", "a.source"},    {".so", ".so"},
		{"lib2-x.so", "lib2-x.so"},
	};
	static const char *const events[][2] = {
		{"cpu-clock:ppp", "cpu-clock"},
		{"cpu-clock:pppH", "cpu-clock"},
		{"cpu-clock", "cpu-clock"},
		{"cycles:upp", "cycles:u"},
		{"cycles:P", "cycles"},
		{"cpu/cycles/pp", "cpu/cycles/"},
		{"cpu/cycles/u", "cpu/cycles/u"},
		{"sched:sched_switch", "sched:sched_switch"},
		{"app", "app"},
		{"", ""},
	};
	struct pfx_str text = {0};
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(*events); i++) {
		pfx_str_clear(&text);
		pfx_build_event_name(events[i][0], &text);
		assert_string_equal(pfx_str_get(&text), events[i][1]);
	}
	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		pfx_str_clear(&text);
		pfx_build_function_name(functions[i][0], &text);
		assert_string_equal(pfx_str_get(&text), functions[i][1]);
	}
	for (i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		pfx_str_clear(&text);
		pfx_build_library_name(libraries[i][0], &text);
		assert_string_equal(pfx_str_get(&text), libraries[i][1]);
	}
	pfx_str_fini(&text);
}

/* One common function is enough if no other program could be meant. */
static void test_programs(void **state)
{
	struct pfx_programs programs = {.functions = {0}};
	struct pfx_hash now = {0};

	pfx_programs_add(&programs, 1, 5, PFX_PROGRAM_OLD);
	pfx_programs_add(&programs, 2, 5, PFX_PROGRAM_NEW);
	pfx_programs_add(&programs, 9, 7, PFX_PROGRAM_OLD);
	pfx_programs_add(&programs, 9, 7, PFX_PROGRAM_NEW);
	pfx_programs_match(&programs, &now);
	assert_int_equal(*pfx_hash_get(&now, 1), 2);
	pfx_hash_fini(&now);
	pfx_programs_add(&programs, 3, 6, PFX_PROGRAM_NEW);
	now = (struct pfx_hash){0};
	pfx_programs_match(&programs, &now);
	assert_null(pfx_hash_get(&now, 1));
	pfx_hash_fini(&now);
	pfx_programs_fini(&programs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_builds),
		cmocka_unit_test(test_build_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
