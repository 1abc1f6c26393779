// SPDX-License-Identifier: MIT
/* Baselines: what is kept of a profile is the same when it is read. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diff/baseline/baseline.h"
#include "simulated_pairs.h"

static const struct pfx_diff_options options = {
	.keys = {PFX_DIFF_DSO, PFX_DIFF_SYM}, .nr_keys = 2, .nr_sides = 2, .noise = true};

/* Every row has equal numbers, and an interval like that of the recordings. */
static void test_same(void **state)
{
	struct pfx_profile *profile =
		sim_profile(&(struct sim_run){.seed = 3, .nr_samples = 4000, .slower = 1});
	struct pfx_baseline baseline;
	struct pfx_diff *diff = pfx_diff_new(&options);
	const struct pfx_diff_event *event;
	struct pfx_str text = {0}, again = {0};
	struct pfx_error err;
	uint32_t i;

	pfx_baseline_add_head("a machine", &text);
	pfx_baseline_add_run(profile, &text);
	if (pfx_baseline_parse(&baseline, pfx_str_get(&text), &err))
		fail_msg("%s", err.text);
	assert_string_equal(baseline.machine, "a machine");
	assert_int_equal(baseline.runs.nr, 1);
	pfx_diff_add_run(diff, 0, profile);
	pfx_diff_add_run(diff, 1, baseline.runs.at[0]);
	pfx_diff_finish(diff);
	event = pfx_diff_event_at(diff, 0);
	assert_int_equal(event->nr_rows, SIM_FUNCTIONS + 1);
	for (i = 0; i < event->nr_rows; i++) {
		assert_int_equal(event->rows[i].values[0].samples,
				 event->rows[i].values[1].samples);
		assert_int_equal(event->rows[i].values[0].period, event->rows[i].values[1].period);
		assert_int_equal(event->rows[i].state, PFX_DIFF_IN_BOTH);
	}
	pfx_baseline_add_head("a machine", &again);
	pfx_baseline_add_run(baseline.runs.at[0], &again);
	assert_int_equal(baseline.runs.at[0]->nr_rows, 4000);
	pfx_baseline_fini(&baseline);
	assert_int_equal(pfx_baseline_parse(&baseline, pfx_str_get(&again), &err), 0);
	assert_int_equal(baseline.runs.at[0]->nr_rows, 4000);
	pfx_baseline_fini(&baseline);
	pfx_diff_free(diff);
	pfx_profile_free(profile);
	pfx_str_fini(&text);
	pfx_str_fini(&again);
}

/* Numbers that lead nowhere. */
static void test_refused(void **state)
{
	static const char *const bad[][2] = {
		{"", "line 1 of the baseline: it is not 'pfx-baseline 1'"},
		{"pfx-baseline 2\n", "it is not 'pfx-baseline 1'"},
		{"pfx-baseline 1\n", "no run follows"},
		{"pfx-baseline 1\ne cycles\n", "line 2 of the baseline: no run has begun"},
		{"pfx-baseline 1\nr x\n", "the time of the run is missing"},
		{"pfx-baseline 1\nr 1\nz 1\n", "an unknown kind of line"},
		{"pfx-baseline 1\nr 1\nee\n", "a letter and a blank are missing"},
		{"pfx-baseline 1\nr 1\nf 0 . n 1 f\n", "not the number of a library"},
		{"pfx-baseline 1\nr 1\nf -1  n 1 f\n", "not a level"},
		{"pfx-baseline 1\nr 1\nf -1 . n f\n", "not the size of a function"},
		{"pfx-baseline 1\nr 1\nf -1 . n 1 f\nn 1 0\n", "not the number of a frame"},
		{"pfx-baseline 1\nr 1\nf -1 . n 1 f\nn 0 1\n", "not the number of a frame"},
		{"pfx-baseline 1\nr 1\nf -1 . n 1 f\ns 0 0 .\n", "not a frame, a function"},
		{"pfx-baseline 1\nr 1\ne e\nc c\nf -1 . n 1 f\nn 0 0\ns 1 0 .\nx 0 0 0 256 1 1\n",
		 "not an event, a thread, a stack"},
		{"pfx-baseline 1\nr 1\ne e\nc c\nf -1 . n 1 f\nn 0 0\ns 1 0 .\nx 0 0 0 0 0 1\n",
		 "not an event, a thread, a stack"},
		{"pfx-baseline 1\nr 1\ne e\nc c\nf -1 . n 1 f\nn 0 0\ns 1 0 .\nx 0 0 0 0 1 1\n"
		 "x 0 0 0 0 16777216 1\n",
		 "too many samples"},
	};
	struct pfx_baseline baseline;
	struct pfx_error err;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(pfx_baseline_parse(&baseline, bad[i][0], &err), -EBADMSG);
		assert_non_null(strstr(err.text, bad[i][1]));
		assert_int_equal(baseline.runs.nr, 0);
	}
}

static void test_names(void **state)
{
	static const char *const bad[] = {"", ".", "..", ".x", "a/b", "/etc/passwd"};
	struct pfx_error err;
	char *path = pfx_baseline_path("dir", "v1.0", &err);
	size_t i;

	assert_string_equal(path, "dir/v1.0.baseline");
	free(path);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_null(pfx_baseline_path("dir", bad[i], &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
