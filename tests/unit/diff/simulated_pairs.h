/* SPDX-License-Identifier: MIT */
/* Pairs of simulated recordings, compared: what is found, and what is found wrongly. */
#ifndef PFX_TEST_SIMULATED_PAIRS_H
#define PFX_TEST_SIMULATED_PAIRS_H

#include <string.h>

#include "diff/rules.h"
#include "simulated_runs.h"

#define SIM_RUNS_MAX 8

struct sim_case {
	const char *title;
	uint32_t runs_old, runs_new, nr_samples;
	double slower, run_noise;
	enum pfx_diff_footing weight;
};

struct sim_result {
	uint32_t alarms; /* reports with a row beyond noise; of a slower program: not "target", and
			  * the new weight, not the share, of which the others have less */
	uint32_t found;  /* reports in which "target" has more, beyond noise */
};

static const struct sim_case sim_cases[] = {
	{"same program, 20000 samples", 1, 1, 20000, 1, 0, PFX_DIFF_SHARE},
	{"same program, 2000 samples", 1, 1, 2000, 1, 0, PFX_DIFF_SHARE},
	{"same program, 20000 samples, by period", 1, 1, 20000, 1, 0, PFX_DIFF_PERIOD},
	{"same program, 5 runs a side that vary by 2 %", 5, 5, 4000, 1, 0.02, PFX_DIFF_SHARE},
	{"same program, 3 runs a side that vary by 5 %", 3, 3, 20000, 1, 0.05, PFX_DIFF_SHARE},
	{"same program, 5 runs and 1 run that vary by 2 %", 5, 1, 4000, 1, 0.02, PFX_DIFF_SHARE},
	{"a fifth of the time is 20 % slower, 20000 samples", 1, 1, 20000, 1.2, 0, PFX_DIFF_SHARE},
	{"same program, 2 runs a side that vary by 5 %", 2, 2, 4000, 1, 0.05, PFX_DIFF_SHARE},
	{"a fifth of the time is 30 % slower, 2 runs a side", 2, 2, 20000, 1.3, 0.01,
	 PFX_DIFF_SHARE},
	{"a fifth of the time is 12 % slower, 5 runs a side", 5, 5, 20000, 1.12, 0.01,
	 PFX_DIFF_SHARE},
};

static inline void sim_judge(const struct pfx_diff *diff, const struct pfx_diff_noise *noise,
			     struct sim_result *to)
{
	const struct pfx_diff_event *event = pfx_diff_event_at(diff, 0);
	struct pfx_diff_measure how = {.diff = diff, .event = event};
	bool alarm = false, found = false;
	uint32_t i;

	for (i = 0; i < event->nr_rows; i++) {
		if (pfx_diff_interval(noise, event, &event->rows[i], 1)->is_within)
			continue;
		if (!strcmp(event->rows[i].texts[0], "target"))
			found = pfx_diff_delta(&how, &event->rows[i], 1) > 0;
		alarm = true;
	}
	to->alarms += alarm;
	to->found += found;
}

/* Seeds are numbers of pairs: the result is always the same. */
static inline struct sim_result sim_try(const struct sim_case *the, uint32_t nr)
{
	const struct pfx_diff_options options = {
		.keys = {PFX_DIFF_SYM}, .nr_keys = 1, .nr_sides = 2, .noise = true};
	struct pfx_profile *profiles[2 * SIM_RUNS_MAX];
	struct sim_result result = {0};
	uint32_t pair, i, nr_runs = the->runs_old + the->runs_new;

	for (pair = 0; pair < nr; pair++) {
		struct pfx_diff *diff = pfx_diff_new(&options);
		struct pfx_diff_noise *noise;

		for (i = 0; i < nr_runs; i++) {
			const struct sim_run run = {
				.seed = 1 + pair * 100ull + i,
				.nr_samples = the->nr_samples,
				.slower = i < the->runs_old ? 1 : the->slower,
				.run_noise = the->run_noise,
			};

			profiles[i] = sim_profile(&run);
			pfx_diff_add_run(diff, i >= the->runs_old, profiles[i]);
		}
		pfx_diff_finish(diff);
		noise = pfx_diff_noise_new(diff, the->weight, PFX_DIFF_CONFIDENCE);
		sim_judge(diff, noise, &result);
		pfx_diff_noise_free(noise);
		pfx_diff_free(diff);
		for (i = 0; i < nr_runs; i++)
			pfx_profile_free(profiles[i]);
	}
	return result;
}

#endif
