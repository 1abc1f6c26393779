// SPDX-License-Identifier: MIT
/* The noise of comparisons: few simulated pairs with fixed seeds; tests/bench/noise.c has many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulated_pairs.h"
#include "stat/student.h"

#ifdef PFX_SANITIZED
#define NR_PAIRS 2
#else
#define NR_PAIRS 12
#endif

/* Of the unchanged program at most one report in twenty; of the slower one nearly all find it. */
static void test_pairs(void **state)
{
	struct sim_result result;
	uint32_t alarms = 0, nr = 0;
	size_t i;

	for (i = 0; i < sizeof(sim_cases) / sizeof(*sim_cases); i++) {
		result = sim_try(&sim_cases[i], NR_PAIRS);
		if (sim_cases[i].slower > 1) {
			assert_true(result.found + 1 >= NR_PAIRS);
		} else {
			alarms += result.alarms;
			nr += NR_PAIRS;
		}
	}
	assert_in_range(alarms, 0, nr / 20);
}

static struct pfx_diff *compare(struct pfx_profile *const *profiles, uint32_t nr_old, uint32_t nr,
				bool noise)
{
	const struct pfx_diff_options options = {
		.keys = {PFX_DIFF_SYM}, .nr_keys = 1, .nr_sides = 2, .noise = noise};
	struct pfx_diff *diff = pfx_diff_new(&options);
	uint32_t i;

	for (i = 0; i < nr; i++)
		pfx_diff_add_run(diff, i >= nr_old, profiles[i]);
	pfx_diff_finish(diff);
	return diff;
}

/* The same profiles give the same intervals; more confidence gives longer ones. */
static void test_intervals(void **state)
{
	struct pfx_profile *profiles[2] = {
		sim_profile(&(struct sim_run){.seed = 1, .nr_samples = 3000, .slower = 1}),
		sim_profile(&(struct sim_run){.seed = 2, .nr_samples = 3000, .slower = 2})};
	struct pfx_diff *diff = compare(profiles, 1, 2, true);
	const struct pfx_diff_event *event = pfx_diff_event_at(diff, 0);
	struct pfx_diff_noise *one = pfx_diff_noise_new(diff, PFX_DIFF_SHARE, 95);
	struct pfx_diff_noise *same = pfx_diff_noise_new(diff, PFX_DIFF_SHARE, 95);
	struct pfx_diff_noise *wide = pfx_diff_noise_new(diff, PFX_DIFF_SHARE, 99.9);
	const struct pfx_diff_row *row;
	uint32_t i, nr_few = 0;

	for (i = 0; i < event->nr_rows; i++) {
		row = &event->rows[i];
		assert_true(pfx_diff_interval(one, event, row, 1)->is_known);
		assert_float_equal(pfx_diff_interval(one, event, row, 1)->half,
				   pfx_diff_interval(same, event, row, 1)->half, 0);
		assert_true(pfx_diff_interval(wide, event, row, 1)->half >
			    pfx_diff_interval(one, event, row, 1)->half);
		if (row->values[0].samples + row->values[1].samples < PFX_DIFF_NOISE_SAMPLES) {
			assert_true(pfx_diff_interval(one, event, row, 1)->is_within);
			nr_few++;
		}
		if (!strcmp(row->texts[0], "target"))
			assert_false(pfx_diff_interval(one, event, row, 1)->is_within);
	}
	assert_int_equal(pfx_diff_noise_family(one) + nr_few, event->nr_rows);
	assert_false(pfx_diff_noise_between_runs(one, 1));
	pfx_diff_noise_free(one);
	pfx_diff_noise_free(same);
	pfx_diff_noise_free(wide);
	pfx_diff_free(diff);
	pfx_profile_free(profiles[0]);
	pfx_profile_free(profiles[1]);
}

/* A run of 4000 samples, of which those from @from to @to of each @phase are in "burst". */
static struct pfx_profile *make_phases(uint32_t phase, uint32_t from, uint32_t to)
{
	struct pfx_profile_maker *maker = pfx_profile_maker_new(PFX_FRAMES_BY_FUNCTION, true);
	uint32_t stacks[2], k;

	pfx_profile_add_event(maker, &(struct pfx_profile_event){.name = "e"});
	pfx_profile_add_process(maker, &(struct pfx_profile_process){.comm = "p"});
	pfx_profile_add_thread(maker, &(struct pfx_profile_thread){.comm = "p"});
	pfx_profile_add_task(maker, 0, "p");
	for (k = 0; k < 2; k++) {
		pfx_profile_add_function(
			maker, &(struct pfx_profile_function){.name = k ? "burst" : "usual",
							      .dso = PFX_NO_ID,
							      .is_named = true});
		pfx_profile_add_frame(maker,
				      &(struct pfx_profile_frame){.function = k, .dso = PFX_NO_ID});
		stacks[k] = pfx_profile_add_stack(maker, pfx_profile_add_node(maker, 0, k), k, '.');
	}
	for (k = 0; k < 4000; k++)
		pfx_profile_add_sample(
			maker, &(struct pfx_profile_sample){
				       .time = k + 1,
				       .period = 1,
				       .stack = stacks[k % phase >= from && k % phase < to]});
	return pfx_profile_maker_finish(maker);
}

static bool burst_is_within(struct pfx_profile *const *profiles, uint32_t nr_old, uint32_t nr)
{
	struct pfx_diff *diff = compare(profiles, nr_old, nr, true);
	struct pfx_diff_noise *noise = pfx_diff_noise_new(diff, PFX_DIFF_SHARE, 95);
	const struct pfx_diff_event *event = pfx_diff_event_at(diff, 0);
	bool is_within = pfx_diff_interval(noise, event, &event->rows[0], 1)->is_within;

	assert_int_equal(pfx_diff_interval(noise, event, &event->rows[1], 1)->is_within, is_within);
	pfx_diff_noise_free(noise);
	pfx_diff_free(diff);
	return is_within;
}

/* What is in one part of the run only is no proof: a burst of 60 samples once. */
static void test_burst(void **state)
{
	struct pfx_profile *profiles[2] = {make_phases(4000, 0, 0), make_phases(4000, 1000, 1060)};

	assert_true(burst_is_within(profiles, 1, 2));
	pfx_profile_free(profiles[0]);
	pfx_profile_free(profiles[1]);
}

/* Phases that are the same in each run are no noise, which three runs a side show, and one does
 * not. */
static void test_phases(void **state)
{
	struct pfx_profile *profiles[6];
	uint32_t i;

	for (i = 0; i < 6; i++)
		profiles[i] = make_phases(1000, 0, (i < 3 ? 300 : 420) + i % 3 * 8);
	assert_true(burst_is_within((struct pfx_profile *[]){profiles[0], profiles[3]}, 1, 2));
	assert_false(burst_is_within(profiles, 3, 6));
	for (i = 0; i < 6; i++)
		pfx_profile_free(profiles[i]);
}

/* Values of printed tables. */
static void test_student(void **state)
{
	static const struct {
		double probability, df, t;
	} values[] = {
		{0.05, 1, 12.70620},   {0.05, 2, 4.302653},   {0.05, 10, 2.228139},
		{0.01, 5, 4.032143},   {0.001, 60, 3.460200}, {0.5, 4, 0.740697},
		{0.05, 1e6, 1.959966},
	};
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(*values); i++) {
		assert_float_equal(pfx_student_critical(values[i].probability, values[i].df),
				   values[i].t, values[i].t * 2e-6);
		assert_float_equal(pfx_student_tails(values[i].t, values[i].df),
				   values[i].probability, values[i].probability * 1e-5);
	}
	assert_float_equal(pfx_student_tails(0, 7), 1, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_student), cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_burst),   cmocka_unit_test(test_phases),
		cmocka_unit_test(test_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
