/* SPDX-License-Identifier: MIT */
#include "tests/bench/bench_profile.h"

#include <stdio.h>

#include "view/profile/make_profile.h"

#define NR_SAMPLES   1000000
#define NR_CHAINS    120000
#define NR_TRUNKS    2000 /* outer parts that chains share */
#define TRUNK        30   /* frames of them */
#define DEPTH        40
#define NR_FUNCTIONS 3000
#define NR_CPUS      8

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t nr)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((random_state >> 33) % nr);
}

static void add_functions(struct pfx_profile_maker *maker)
{
	struct pfx_profile_dso dso = {.name = "/lib/x", .short_name = "x"};
	struct pfx_profile_function function = {.is_named = true, .level = '.'};
	struct pfx_profile_frame frame = {0};
	char name[64];
	uint32_t i;

	pfx_profile_add_dso(maker, &dso);
	function.name = name;
	for (i = 0; i < NR_FUNCTIONS; i++) {
		snprintf(name, sizeof(name), "ns::module_%u::function_%u(int, char const*)", i % 50,
			 i);
		frame.function = pfx_profile_add_function(maker, &function);
		pfx_profile_add_frame(maker, &frame);
	}
}

static uint32_t add_frames(struct pfx_profile_maker *maker, uint32_t node, uint32_t nr)
{
	while (nr--)
		node = pfx_profile_add_node(maker, node, random_below(NR_FUNCTIONS));
	return node;
}

static void add_chains(struct pfx_profile_maker *maker)
{
	static uint32_t trunks[NR_TRUNKS];
	uint32_t i, own;

	for (i = 0; i < NR_TRUNKS; i++)
		trunks[i] = add_frames(maker, pfx_profile_add_node(maker, 0, 0), TRUNK - 1);
	for (i = 0; i < NR_CHAINS; i++) {
		own = random_below(NR_FUNCTIONS);
		pfx_profile_add_stack(
			maker,
			pfx_profile_add_node(maker,
					     add_frames(maker, trunks[random_below(NR_TRUNKS)],
							DEPTH - TRUNK - 1),
					     own),
			own, i % 4 ? '.' : 'k');
	}
}

struct pfx_profile *bench_profile(uint32_t nr_threads)
{
	struct pfx_profile_maker *maker = pfx_profile_maker_new(PFX_FRAMES_BY_FUNCTION, true);
	struct pfx_profile_thread thread = {.comm = "thread"};
	struct pfx_profile_sample sample = {0};
	uint32_t i;

	pfx_profile_add_event(maker, &(struct pfx_profile_event){.name = "cycles"});
	pfx_profile_add_process(maker, &(struct pfx_profile_process){1, "thread"});
	for (i = 0; i < nr_threads; i++) {
		thread.tid = i + 1;
		pfx_profile_add_task(maker, pfx_profile_add_thread(maker, &thread), "thread");
	}
	add_functions(maker);
	add_chains(maker);
	for (i = 0; i < NR_SAMPLES; i++) {
		sample.time += 500 + random_below(1000);
		sample.period = 1000 + random_below(100);
		sample.task = random_below(nr_threads);
		sample.cpu = random_below(NR_CPUS);
		sample.stack = i < NR_CHAINS ? i : random_below(NR_CHAINS);
		pfx_profile_add_sample(maker, &sample);
	}
	return pfx_profile_maker_finish(maker);
}
