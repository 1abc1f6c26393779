/* SPDX-License-Identifier: MIT */
/*
 * A small profile for the tests of lib/view: functions are letters, so that a stack is a word:
 * "abc" is a calling b calling c. Upper-case letters are inlined functions. Functions before n are
 * in prog, others in the library lib.
 */
#ifndef PFX_TESTS_VIEW_WORLD_H
#define PFX_TESTS_VIEW_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/str.h"
#include "view/profile/make_profile_internal.h"
#include "view/select/selection.h"

#define WORLD_LETTERS 52
#define WORLD_THREADS 3

struct view_world {
	struct pfx_profile_maker *maker;
	uint32_t frames[WORLD_LETTERS], tasks[WORLD_THREADS];
	struct pfx_profile *profile;
	struct pfx_view_filter filter;
	struct pfx_selection selection;
};

static struct view_world world;

static inline uint32_t world_letter(char c)
{
	return c >= 'a' ? (uint32_t)(c - 'a') : (uint32_t)(c - 'A') + 26;
}

static inline void world_add_functions(void)
{
	struct pfx_profile_dso prog = {.name = "/bin/prog", .short_name = "prog"};
	struct pfx_profile_dso lib = {.name = "/lib/lib.so", .short_name = "lib.so"};
	char name[2] = "";
	uint32_t i, dsos[2];

	dsos[0] = pfx_profile_add_dso(world.maker, &prog);
	dsos[1] = pfx_profile_add_dso(world.maker, &lib);
	for (i = 0; i < WORLD_LETTERS; i++) {
		struct pfx_profile_function function = {
			.name = name,
			.dso = dsos[i % 26 >= 13],
			.start = 16 * i,
			.end = 16 * i + 16,
			.is_named = i != 25, /* z */
			.is_inlined = i >= 26,
			.level = '.',
		};
		struct pfx_profile_frame frame = {.dso = function.dso};

		name[0] = (char)(i < 26 ? 'a' + i : 'A' + i - 26);
		frame.function = pfx_profile_add_function(world.maker, &function);
		world.frames[i] = pfx_profile_add_frame(world.maker, &frame);
	}
}

/* Two events, which are a group, and three threads: 10 and 11 of process 10, and 20. */
static inline void world_begin(bool times)
{
	static const uint32_t tids[] = {10, 11, 20};
	static const char *const comms[] = {"main", "worker", "other"};
	struct pfx_profile_process process = {.pid = 10, .comm = "main"};
	struct pfx_profile_thread thread;
	uint32_t i;

	world = (struct view_world){.maker = pfx_profile_maker_new(PFX_FRAMES_BY_FUNCTION, times)};
	pfx_profile_add_event(world.maker,
			      &(struct pfx_profile_event){.name = "cycles", .nr_members = 2});
	pfx_profile_add_event(world.maker, &(struct pfx_profile_event){.name = "misses"});
	pfx_profile_add_process(world.maker, &process);
	process = (struct pfx_profile_process){.pid = 20, .comm = "other"};
	pfx_profile_add_process(world.maker, &process);
	for (i = 0; i < WORLD_THREADS; i++) {
		thread = (struct pfx_profile_thread){
			.process = i / 2, .tid = tids[i], .comm = comms[i]};
		world.tasks[i] = pfx_profile_add_task(
			world.maker, pfx_profile_add_thread(world.maker, &thread), comms[i]);
	}
	world_add_functions();
}

struct world_sample {
	uint32_t event, thread, cpu; /* thread: 0 to 2 */
	uint64_t period, time;
	char own; /* the function of the sampled address; 0: the last of the stack that is not
		     inlined */
	char level;
};

static inline void world_add_as(const char *stack, const struct world_sample *as)
{
	struct pfx_profile_sample sample = {
		.time = as->time,
		.period = as->period,
		.event = as->event,
		.task = world.tasks[as->thread],
		.cpu = as->cpu,
	};
	uint32_t node = 0;
	char own = as->own;

	for (; *stack; stack++) {
		node = pfx_profile_add_node(world.maker, node, world.frames[world_letter(*stack)]);
		if (!as->own && *stack >= 'a')
			own = *stack;
	}
	sample.stack = pfx_profile_add_stack(world.maker, node, world.frames[world_letter(own)],
					     as->level ? as->level : '.');
	pfx_profile_add_sample(world.maker, &sample);
}

static inline void world_add(const char *stack, uint64_t period)
{
	world_add_as(stack, &(struct world_sample){.period = period});
}

static inline void world_ready(void)
{
	world.profile = pfx_profile_maker_finish(world.maker);
	pfx_view_filter_init(&world.filter, world.profile);
}

static inline void world_end(void)
{
	pfx_selection_fini(&world.selection);
	pfx_view_filter_fini(&world.filter);
	pfx_profile_free(world.profile);
}

/* The selection of the filter as it is now. */
static inline const struct pfx_selection *world_select(void)
{
	pfx_selection_fini(&world.selection);
	assert_int_equal(pfx_selection_make(&world.selection, &world.filter, NULL), 0);
	return &world.selection;
}

static inline void world_pattern(enum pfx_view_pattern which, const char *pattern)
{
	assert_int_equal(pfx_view_filter_pattern(&world.filter, which, pattern, NULL), 0);
}

#endif
