/* SPDX-License-Identifier: MIT */
/* Two profiles as one: programs that have another name now, events that differ in precision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "diff/join_profiles.h"
#include "view/profile/make_profile.h"

/* A program whose functions are the letters of a word, each with a sample. */
static struct pfx_profile *make(const char *program, const char *letters, const char *const *events)
{
	struct pfx_profile_maker *maker = pfx_profile_maker_new(PFX_FRAMES_BY_FUNCTION, false);
	struct pfx_profile_dso dso = {.name = program, .short_name = program};
	struct pfx_profile_process process = {.pid = 1, .comm = "comm"};
	struct pfx_profile_thread thread = {.tid = 1, .comm = "comm"};
	struct pfx_profile_function function = {.is_named = true, .level = '.'};
	struct pfx_profile_sample sample = {.period = 1};
	struct pfx_profile_frame frame = {0};
	char name[2] = "";

	for (; *events; events++)
		pfx_profile_add_event(maker, &(struct pfx_profile_event){.name = *events});
	pfx_profile_add_process(maker, &process);
	sample.task = pfx_profile_add_task(maker, pfx_profile_add_thread(maker, &thread), "comm");
	function.dso = frame.dso = pfx_profile_add_dso(maker, &dso);
	for (; *letters; letters++) {
		name[0] = *letters;
		function.name = name;
		frame.function = pfx_profile_add_function(maker, &function);
		frame.address = 0;
		sample.stack = pfx_profile_add_frame(maker, &frame);
		sample.stack = pfx_profile_add_stack(
			maker, pfx_profile_add_node(maker, 0, sample.stack), sample.stack, '.');
		pfx_profile_add_sample(maker, &sample);
	}
	return pfx_profile_maker_finish(maker);
}

struct expected {
	const char *new_program, *new_functions, *old_program, *old_functions;
	uint32_t nr_dsos, nr_functions; /* of both */
};

static void check_programs(const struct expected *of)
{
	static const char *const event[] = {"cycles", NULL};
	struct pfx_profile *new = make(of->new_program, of->new_functions, event);
	struct pfx_profile *old = make(of->old_program, of->old_functions, event);
	struct pfx_joined joined;

	pfx_profiles_join(&joined, new, old, NULL);
	assert_int_equal(joined.profile->nr_dsos, of->nr_dsos);
	assert_int_equal(joined.profile->nr_functions, of->nr_functions);
	assert_int_equal(joined.old_of[0], 1);
	pfx_joined_fini(&joined);
	pfx_profile_free(new);
	pfx_profile_free(old);
}

static void test_programs(void **state)
{
	static const struct expected cases[] = {
		{"prog", "abc", "prog", "abd", 1, 4},        {"new", "abc", "old", "abd", 1, 4},
		{"new", "abc", "old", "axy", 2, 6},          /* one function is chance */
		{"new", "abcdef", "old", "abuvwxyz", 2, 14}, /* few of many */
		{"libz.so.1", "a", "libz.so.2", "b", 1, 2},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_programs(&cases[i]);
}

/* @old_of: by new event, the index of the old one; -1: none. */
static void check_events(const char *const *new_events, const char *const *old_events,
			 const int *old_of)
{
	struct pfx_profile *new = make("prog", "a", new_events);
	struct pfx_profile *old = make("prog", "a", old_events);
	struct pfx_joined joined;
	uint32_t i;

	pfx_profiles_join(&joined, new, old, NULL);
	for (i = 0; i < new->nr_events; i++)
		assert_int_equal(joined.old_of[i],
				 old_of[i] < 0 ? PFX_NO_ID : new->nr_events + (uint32_t)old_of[i]);
	pfx_joined_fini(&joined);
	pfx_profile_free(new);
	pfx_profile_free(old);
}

static void test_events(void **state)
{
	static const char *const plain[] = {"cpu-clock", NULL},
				 *const precise[] = {"cpu-clock:ppp", NULL},
				 *const both[] = {"cpu-clock:ppp", "cpu-clock", NULL},
				 *const user[] = {"cpu-clock:u", NULL},
				 *const other[] = {"cycles", NULL};

	check_events(plain, precise, (int[]){0});
	check_events(precise, plain, (int[]){0});
	check_events(precise, both, (int[]){0});
	check_events(plain, both, (int[]){1});
	check_events(both, plain, (int[]){-1, 0});
	check_events(both, both, (int[]){0, 1});
	check_events(plain, user, (int[]){-1});
	check_events(plain, other, (int[]){-1});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
