/* SPDX-License-Identifier: MIT */
/*
 * Recordings of a program that does not exist, for the noise of comparisons: what differs between
 * two of them is known. It works in phases of random length, each with its own mix of functions, so
 * that neighbouring samples are alike; a daemon interrupts it in bursts. "target" has a fifth of
 * the time.
 */
#ifndef PFX_TEST_SIMULATED_RUNS_H
#define PFX_TEST_SIMULATED_RUNS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "view/profile/make_profile.h"

#define SIM_FUNCTIONS 60
#define SIM_PHASES    4
#define SIM_PHASE     20 /* samples of a phase, on average */

struct sim_run {
	uint64_t seed;
	uint32_t nr_samples;
	double slower;    /* "target" takes this times its usual time */
	double run_noise; /* each function's time varies by this part from run to run */
};

static inline double sim_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return (double)((x ^ x >> 31) >> 11) / 9007199254740992.0;
}

static inline double sim_normal(uint64_t *state)
{
	double sum = -6;
	int i;

	for (i = 0; i < 12; i++)
		sum += sim_random(state);
	return sum;
}

/* The time of each function, up to and with it, by phase. Function 0 is "target". */
static inline void sim_weights(const struct sim_run *run, uint64_t *state,
			       double sums[SIM_PHASES][SIM_FUNCTIONS])
{
	double rest = 0, weight, noise, in_phase;
	int f, p;

	for (f = 1; f < SIM_FUNCTIONS; f++)
		rest += 1.0 / f;
	for (f = 0; f < SIM_FUNCTIONS; f++) {
		noise = 1 + run->run_noise * sim_normal(state);
		weight = (f ? 0.8 / f / rest : 0.2 * run->slower) * (noise > 0 ? noise : 0);
		for (p = 0; p < SIM_PHASES; p++) {
			/* Each function has a third more in one phase, less in the others. */
			in_phase = (f + p) % SIM_PHASES ? 8.0 / 9 : 4.0 / 3;
			sums[p][f] = weight * in_phase + (f ? sums[p][f - 1] : 0);
		}
	}
}

static inline struct pfx_profile *sim_profile(const struct sim_run *run)
{
	struct pfx_profile_maker *maker = pfx_profile_maker_new(PFX_FRAMES_BY_FUNCTION, true);
	uint32_t stacks[SIM_FUNCTIONS + 1], i, frame, left = 0, burst = 0;
	double sums[SIM_PHASES][SIM_FUNCTIONS], at;
	uint64_t state = run->seed * 7919;
	char name[32];
	int f, p = 0;

	pfx_profile_add_event(maker,
			      &(struct pfx_profile_event){.name = "cpu-clock", .nr_members = 1});
	pfx_profile_add_process(maker, &(struct pfx_profile_process){.pid = 5, .comm = "sim"});
	pfx_profile_add_thread(maker, &(struct pfx_profile_thread){.tid = 5, .comm = "sim"});
	pfx_profile_add_task(maker, 0, "sim");
	pfx_profile_add_dso(maker, &(struct pfx_profile_dso){.name = "sim", .short_name = "sim"});
	for (f = 0; f <= SIM_FUNCTIONS; f++) {
		snprintf(name, sizeof(name), f == SIM_FUNCTIONS ? "daemon" : "function_%d", f);
		pfx_profile_add_function(
			maker, &(struct pfx_profile_function){.name = f ? name : "target",
							      .start = 0x100u * (uint32_t)f,
							      .is_named = true,
							      .level = '.'});
		frame = pfx_profile_add_frame(maker,
					      &(struct pfx_profile_frame){.function = (uint32_t)f});
		stacks[f] = pfx_profile_add_stack(maker, pfx_profile_add_node(maker, 0, frame),
						  frame, '.');
	}
	sim_weights(run, &state, sums);
	for (i = 0; i<run->nr_samples; i++, left -= left> 0) {
		if (!left) {
			left = 1 + (uint32_t)(-SIM_PHASE * log(1 - sim_random(&state)));
			p = (int)(sim_random(&state) * SIM_PHASES);
			burst = sim_random(&state) < 0.02 ? left : 0;
		}
		at = sim_random(&state) * sums[p][SIM_FUNCTIONS - 1];
		for (f = 0; sums[p][f] < at; f++)
			;
		f = burst ? SIM_FUNCTIONS : f;
		pfx_profile_add_sample(maker,
				       &(struct pfx_profile_sample){.time = 1000 + i * 1000000ull,
								    .period = 1000000,
								    .stack = stacks[f]});
	}
	return pfx_profile_maker_finish(maker);
}

#endif
