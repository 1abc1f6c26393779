/* SPDX-License-Identifier: MIT */
/*
 * Makes a profile piece by piece. Every add returns the index of what it added; the texts are
 * copied. What an index refers to must have been added before.
 *
 *	maker = pfx_profile_maker_new(PFX_FRAMES_BY_FUNCTION, true);
 *	event = pfx_profile_add_event(maker, &(struct pfx_profile_event){.name = "cycles"});
 *	node = pfx_profile_add_node(maker, 0, frame);
 *	stack = pfx_profile_add_stack(maker, node, frame, '.');
 *	pfx_profile_add_sample(maker, &sample);
 *	profile = pfx_profile_maker_finish(maker);
 */
#ifndef PFX_VIEW_MAKE_PROFILE_H
#define PFX_VIEW_MAKE_PROFILE_H

#include "view/profile/profile.h"

struct pfx_profile_maker;

/* One sample, or @count equal ones (0: one) whose periods add up to @period. */
struct pfx_profile_sample {
	uint64_t time, period;
	uint32_t event, task, cpu; /* cpu: its number, not an index; (uint32_t)-1: unknown */
	uint32_t stack, count;
};

/* Nothing yet but the root of the stacks. @times: samples keep their times, and are not merged. */
struct pfx_profile_maker *pfx_profile_maker_new(enum pfx_profile_frames frames_by, bool times);
/* Before samples are added: they may be many, their columns are in files then. */
void pfx_profile_maker_page(struct pfx_profile_maker *maker);
/* Frees a maker that is not finished; may be NULL. */
void pfx_profile_maker_free(struct pfx_profile_maker *maker);

/* Each call adds one: it is the caller who knows which are equal. Counts of events are made from
 * the samples. */
uint32_t pfx_profile_add_event(struct pfx_profile_maker *maker,
			       const struct pfx_profile_event *event);
uint32_t pfx_profile_add_process(struct pfx_profile_maker *maker,
				 const struct pfx_profile_process *process);
uint32_t pfx_profile_add_thread(struct pfx_profile_maker *maker,
				const struct pfx_profile_thread *thread);
uint32_t pfx_profile_add_dso(struct pfx_profile_maker *maker, const struct pfx_profile_dso *dso);
uint32_t pfx_profile_add_function(struct pfx_profile_maker *maker,
				  const struct pfx_profile_function *function);
void pfx_profile_add_marker(struct pfx_profile_maker *maker,
			    const struct pfx_profile_marker *marker);
/* These return the index of an equal one, if there is any. */
uint32_t pfx_profile_add_task(struct pfx_profile_maker *maker, uint32_t thread, const char *comm);
uint32_t pfx_profile_add_frame(struct pfx_profile_maker *maker,
			       const struct pfx_profile_frame *frame);
uint32_t pfx_profile_add_node(struct pfx_profile_maker *maker, uint32_t parent, uint32_t frame);
uint32_t pfx_profile_add_stack(struct pfx_profile_maker *maker, uint32_t node, uint32_t own,
			       char level);

/* Count a sample. Its stack and its task may be numbers of the caller's, if the next function
 * follows. */
void pfx_profile_add_sample(struct pfx_profile_maker *maker,
			    const struct pfx_profile_sample *sample);
/* After all samples: give them the stacks and tasks that the caller's numbers mean; NULL: they are
 * right already. */
void pfx_profile_map_samples(struct pfx_profile_maker *maker, const uint32_t *stacks,
			     const uint32_t *tasks);
/* Lost records and samples that belong to no event. */
void pfx_profile_add_lost(struct pfx_profile_maker *maker, uint64_t nr);

/* Sorts stacks, merges equal samples, sums events. Frees the maker; the caller frees the
 * profile. */
struct pfx_profile *pfx_profile_maker_finish(struct pfx_profile_maker *maker);

#endif
