// SPDX-License-Identifier: MIT
/* Two profiles as one. They are made by hand, so that every number is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "diff/join_profiles.h"
#include "view/profile/make_profile.h"

#define START 1000000ull /* ns: of the old one; the new one begins a second later */
#define LATER 1001000000ull

/* One sample of a caller and a function; names that begin with 0 are addresses. */
struct stack {
	const char *event, *comm, *dso, *caller, *function;
	uint64_t time;
};

struct made {
	struct pfx_profile_maker *maker;
	const char *names[32];
	uint32_t functions[32], nr;
	uint32_t dso;
};

static uint32_t frame_of(struct made *made, const char *name)
{
	struct pfx_profile_function function = {
		.name = name, .dso = made->dso, .is_named = *name != '0', .level = '.'};
	uint32_t i;

	for (i = 0; i < made->nr && strcmp(made->names[i], name); i++)
		;
	if (i == made->nr) {
		made->names[made->nr] = name;
		function.start = 0x100ull * i;
		function.end = function.start + 0x80;
		made->functions[made->nr++] = pfx_profile_add_function(made->maker, &function);
	}
	return pfx_profile_add_frame(
		made->maker,
		&(struct pfx_profile_frame){.function = made->functions[i], .dso = made->dso});
}

/* All samples are of the event, thread and library of the first. */
static struct pfx_profile *make(const struct stack *stacks, uint32_t nr, uint32_t pid)
{
	struct made made = {.maker = pfx_profile_maker_new(PFX_FRAMES_BY_FUNCTION, true)};
	const struct pfx_profile_event event = {.name = stacks->event, .nr_members = 1};
	const struct pfx_profile_process process = {.pid = pid, .comm = stacks->comm};
	const struct pfx_profile_dso dso = {.name = stacks->dso,
					    .short_name = stacks->dso,
					    .build_id = {(uint8_t)pid},
					    .build_id_size = 1};
	struct pfx_profile_thread thread = {.tid = pid, .comm = stacks->comm};
	uint32_t own, node, task, i;

	pfx_profile_add_event(made.maker, &event);
	thread.process = pfx_profile_add_process(made.maker, &process);
	task = pfx_profile_add_task(made.maker, pfx_profile_add_thread(made.maker, &thread),
				    stacks->comm);
	made.dso = pfx_profile_add_dso(made.maker, &dso);
	for (i = 0; i < nr; i++) {
		own = frame_of(&made, stacks[i].function);
		node = pfx_profile_add_node(made.maker, 0, frame_of(&made, stacks[i].caller));
		node = pfx_profile_add_node(made.maker, node, own);
		pfx_profile_add_sample(made.maker, &(struct pfx_profile_sample){
							   .time = stacks[i].time,
							   .period = 10,
							   .task = task,
							   .cpu = 1,
							   .stack = pfx_profile_add_stack(
								   made.maker, node, own, '.')});
	}
	return pfx_profile_maker_finish(made.maker);
}

static uint32_t function_named(const struct pfx_profile *profile, const char *name)
{
	uint32_t i;

	for (i = 0; i < profile->nr_functions; i++)
		if (!strcmp(profile->functions[i].name, name))
			return i;
	return PFX_NO_ID;
}

/* Samples of an event whose own function has the name. */
static uint32_t samples_of(const struct pfx_profile *profile, uint32_t event, const char *name)
{
	uint32_t row, nr = 0, own;

	for (row = 0; row < profile->nr_rows; row++) {
		own = profile->stack_own[profile->row_stack[row]];
		if (profile->row_event[row] == event &&
		    !strcmp(profile->functions[profile->frames[own].function].name, name))
			nr += pfx_profile_count(profile, row);
	}
	return nr;
}

static const struct stack new_stacks[] = {
	{"cycles", "prog", "libx.so.2", "main", "same", LATER},
	{"cycles", "prog", "libx.so.2", "main", "fast", LATER + 20},
	{"cycles", "prog", "libx.so.2", "main", "added", LATER + 30},
	{"cycles", "prog", "libx.so.2", "main", "0x10", LATER + 40},
};
static const struct stack old_stacks[] = {
	{"cycles", "prog", "libx.so.1", "main", "same", START},
	{"cycles", "prog", "libx.so.1", "main", "fast.isra.0", START + 10},
	{"cycles", "prog", "libx.so.1", "main", "fast.isra.0", START + 25},
	{"cycles", "prog", "libx.so.1", "main", "gone", START + 26},
	{"cycles", "prog", "libx.so.1", "main", "0x10", START + 50},
};

struct pair {
	struct pfx_profile *new, *old;
	struct pfx_joined joined;
};

static int set_up(void **state)
{
	static struct pair pair;

	pair.new = make(new_stacks, 4, 7);
	pair.old = make(old_stacks, 5, 3);
	pfx_profiles_join(&pair.joined, pair.new, pair.old, NULL);
	*state = &pair;
	return 0;
}

static int tear_down(void **state)
{
	struct pair *pair = *state;

	pfx_joined_fini(&pair->joined);
	pfx_profile_free(pair->new);
	pfx_profile_free(pair->old);
	return 0;
}

static void test_events(void **state)
{
	struct pair *pair = *state;
	struct pfx_profile *both = pair->joined.profile;

	assert_int_equal(both->nr_events, 2);
	assert_int_equal(pair->joined.nr_new_events, 1);
	assert_int_equal(pair->joined.old_of[0], 1);
	assert_int_equal(both->events[0].nr_samples, 4);
	assert_int_equal(both->events[1].nr_samples, 5);
	assert_int_equal(both->events[1].period, 50);
}

static void test_what_is_shared(void **state)
{
	struct pair *pair = *state;
	struct pfx_profile *both = pair->joined.profile;

	assert_int_equal(both->nr_processes, 1);
	assert_int_equal(both->processes[0].pid, 7);
	assert_int_equal(both->nr_threads, 1);
	assert_int_equal(both->nr_dsos, 1);
	assert_string_equal(both->dsos[0].name, "libx.so.2");
	/* main, same, fast, added, gone, and the address in each build. */
	assert_int_equal(both->nr_functions, 7);
	assert_int_equal(function_named(both, "fast.isra.0"), PFX_NO_ID);
	/* The root, main, and the six others. */
	assert_int_equal(both->nodes.nr, 8);
}

static void test_samples(void **state)
{
	struct pair *pair = *state;
	const struct pfx_profile *both = pair->joined.profile;

	assert_int_equal(samples_of(both, 0, "same"), 1);
	assert_int_equal(samples_of(both, 1, "same"), 1);
	assert_int_equal(samples_of(both, 0, "fast"), 1);
	assert_int_equal(samples_of(both, 1, "fast"), 2);
	assert_int_equal(samples_of(both, 0, "added"), 1);
	assert_int_equal(samples_of(both, 1, "added"), 0);
	assert_int_equal(samples_of(both, 0, "gone"), 0);
	assert_int_equal(samples_of(both, 1, "gone"), 1);
	assert_int_equal(samples_of(both, 1, "0x10"), 1);
}

static void test_times(void **state)
{
	struct pair *pair = *state;
	const struct pfx_profile *both = pair->joined.profile;
	static const uint64_t expected[] = {0, 0, 10, 20, 25, 26, 30, 40, 50};
	uint32_t i;

	assert_int_equal(both->nr_rows, 9);
	for (i = 0; i < both->nr_rows; i++)
		assert_int_equal(both->row_time[i], LATER + expected[i]);
}

static void test_own_addresses_stay(void **state)
{
	struct pair *pair = *state;
	const struct pfx_profile *both = pair->joined.profile;
	uint32_t added = function_named(both, "added"), gone = function_named(both, "gone");

	assert_int_equal(both->functions[added].end - both->functions[added].start, 0x80);
	/* Its address is of a build that the joined profile does not have. */
	assert_int_equal(both->functions[gone].end, 0);
}

/* Other events are not compared, even if each recording has one; another precision is no other
 * event. */
static void test_names_of_events(void **state)
{
	static const struct {
		const char *name;
		uint32_t old;
	} cases[] = {{"cpu-clock", PFX_NO_ID}, {"cycles:pp", 1}, {"cycles:u", PFX_NO_ID}};
	struct pfx_profile *new = make(new_stacks, 4, 7), *old;
	struct stack other = old_stacks[0];
	struct pfx_joined joined;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		other.event = cases[i].name;
		old = make(&other, 1, 3);
		pfx_profiles_join(&joined, new, old, NULL);
		assert_int_equal(joined.old_of[0], cases[i].old);
		assert_string_equal(joined.profile->events[1].name, cases[i].name);
		pfx_joined_fini(&joined);
		pfx_profile_free(old);
	}
	pfx_profile_free(new);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_events, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_what_is_shared, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_samples, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_times, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_own_addresses_stay, set_up, tear_down),
		cmocka_unit_test(test_names_of_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
