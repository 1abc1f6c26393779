/* SPDX-License-Identifier: MIT */
/*
 * From pieces to a profile: the tree in depth-first order, stacks in order of their nodes, CPUs by
 * number, equal samples merged, and the sums of events.
 */
#include <stdlib.h>
#include <string.h>

#include "base/groups.h"
#include "view/profile/make_profile_internal.h"

#define SUMS_SHARE 4 /* there are at least so many samples for each sum that is kept */

/* --- equal rows --- */

static void move_row(struct pfx_made_rows *rows, uint32_t to, uint32_t from)
{
	rows->event[to] = rows->event[from];
	rows->task[to] = rows->task[from];
	rows->cpu[to] = rows->cpu[from];
	rows->stack[to] = rows->stack[from];
	rows->count[to] = rows->count[from];
	rows->period[to] = rows->period[from];
}

/* Stacks that differed by address may be equal by function. */
static void merge_rows(struct pfx_profile_maker *maker)
{
	struct pfx_made_rows *rows = &maker->rows;
	struct pfx_row_finder finder = {.first = {0}};
	uint32_t nr = 0, same, i;

	for (i = 0; i < rows->nr; i++) {
		if (nr != i)
			move_row(rows, nr, i);
		same = pfx_row_find(&finder, rows, nr);
		if (same == nr) {
			nr++;
			continue;
		}
		rows->count[same] += rows->count[nr];
		rows->period[same] += rows->period[nr];
	}
	rows->nr = nr;
	pfx_row_finder_clear(&finder);
}

/* --- stacks --- */

static uint32_t *new_ids(uint32_t nr)
{
	return pfx_malloc((nr + 1ul) * sizeof(uint32_t));
}

static uint32_t node_of_stack(const void *context, uint32_t i)
{
	const struct pfx_profile_maker *maker = context;

	return pfx_made_nodes_now(&maker->nodes, maker->stacks.at[i].node);
}

/* Puts the stacks in order of their nodes; returns new numbers by old ones. */
static uint32_t *sort_stacks(const struct pfx_profile_maker *maker, struct pfx_profile *profile)
{
	uint32_t nr = (uint32_t)maker->stacks.nr, i, *now = new_ids(nr);
	const struct pfx_made_stack *stack;
	struct pfx_groups sorted;

	profile->nr_stacks = nr;
	profile->stack_node = new_ids(nr);
	profile->stack_own = new_ids(nr);
	profile->stack_level = pfx_malloc(nr + 1ul);
	pfx_groups_make(&sorted, nr, profile->nodes.nr, node_of_stack, maker);
	for (i = 0; i < nr; i++) {
		stack = &maker->stacks.at[sorted.at[i]];
		now[sorted.at[i]] = i;
		profile->stack_node[i] = node_of_stack(maker, sorted.at[i]);
		profile->stack_own[i] = stack->own;
		profile->stack_level[i] = stack->level;
	}
	pfx_groups_fini(&sorted);
	return now;
}

/* --- CPUs --- */

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void sort_cpus(struct pfx_profile_maker *maker)
{
	uint32_t nr = (uint32_t)maker->cpus.nr, i, *old, *now;

	if (!nr)
		return;
	old = new_ids(nr);
	now = new_ids(nr);
	memcpy(old, maker->cpus.at, nr * sizeof(*old));
	qsort(maker->cpus.at, nr, sizeof(*maker->cpus.at), by_number);
	for (i = 0; i < nr; i++)
		*pfx_hash_add(&maker->cpus_by, maker->cpus.at[i], NULL) = i;
	for (i = 0; i < nr; i++)
		now[i] = (uint32_t)*pfx_hash_get(&maker->cpus_by, old[i]);
	for (i = 0; i < maker->rows.nr; i++) {
		maker->rows.cpu[i] = now[maker->rows.cpu[i]];
		if (maker->row_pages && i % PFX_ROWS_IN_MEMORY == 0)
			pfx_row_pages_drop(maker->row_pages);
	}
	free(old);
	free(now);
}

/* --- the profile --- */

/* Moves an array into the profile. */
#define TAKE(profile, maker, array)                                  \
	do {                                                         \
		(profile)->array = (maker)->array.at;                \
		(profile)->nr_##array = (uint32_t)(maker)->array.nr; \
		(maker)->array.at = NULL;                            \
	} while (0)

static void *fit(const struct pfx_profile *profile, void *column, size_t size)
{
	return profile->row_pages ? column : pfx_realloc(column, size);
}

/* Moves a column, without the memory that it did not need. */
#define TAKE_COLUMN(profile, rows, column)                                                   \
	do {                                                                                 \
		(profile)->row_##column = fit(profile, (rows)->column,                       \
					      ((rows)->nr + 1ul) * sizeof(*(rows)->column)); \
		(rows)->column = NULL;                                                       \
	} while (0)

static void take_rows(struct pfx_profile_maker *maker, struct pfx_profile *profile)
{
	struct pfx_made_rows *rows = &maker->rows;

	profile->nr_rows = rows->nr;
	profile->row_pages = maker->row_pages;
	maker->row_pages = NULL;
	TAKE_COLUMN(profile, rows, event);
	TAKE_COLUMN(profile, rows, task);
	TAKE_COLUMN(profile, rows, cpu);
	TAKE_COLUMN(profile, rows, stack);
	TAKE_COLUMN(profile, rows, period);
	if (maker->times)
		TAKE_COLUMN(profile, rows, time);
	if (!maker->times || maker->has_counts)
		TAKE_COLUMN(profile, rows, count);
	else if (profile->row_pages)
		rows->count = NULL;
}

static void sum_rows(struct pfx_profile *profile)
{
	uint64_t nr = (uint64_t)profile->nr_events * profile->nr_stacks;
	struct pfx_profile_event *event;
	struct pfx_stack_sum *sum, none = {0};
	uint32_t i;

	if (nr <= profile->nr_rows / SUMS_SHARE)
		profile->sums = pfx_calloc(nr + 1, sizeof(*profile->sums));
	for (i = 0; i < profile->nr_rows; i++) {
		pfx_profile_pass(profile, i);
		event = &profile->events[profile->row_event[i]];
		event->nr_samples += pfx_profile_count(profile, i);
		event->period += profile->row_period[i];
		sum = profile->sums ? &profile->sums[(uint64_t)profile->row_event[i] *
							     profile->nr_stacks +
						     profile->row_stack[i]]
				    : &none;
		sum->samples += pfx_profile_count(profile, i);
		sum->period += profile->row_period[i];
	}
}

struct pfx_profile *pfx_profile_maker_finish(struct pfx_profile_maker *maker)
{
	struct pfx_profile *profile = pfx_calloc(1, sizeof(*profile));
	uint32_t *stacks;

	pfx_made_nodes_sort(&maker->nodes, &profile->nodes);
	stacks = sort_stacks(maker, profile);
	pfx_profile_map_samples(maker, stacks, NULL);
	sort_cpus(maker);
	if (!maker->times)
		merge_rows(maker);
	take_rows(maker, profile);
	TAKE(profile, maker, events);
	TAKE(profile, maker, processes);
	TAKE(profile, maker, threads);
	TAKE(profile, maker, tasks);
	TAKE(profile, maker, comms);
	TAKE(profile, maker, cpus);
	TAKE(profile, maker, dsos);
	TAKE(profile, maker, functions);
	TAKE(profile, maker, frames);
	TAKE(profile, maker, markers);
	profile->frames_by = maker->frames_by;
	profile->first_time = maker->first_time;
	profile->last_time = maker->last_time;
	profile->nr_lost = maker->nr_lost;
	profile->texts = maker->texts.arena;
	maker->texts.arena = (struct pfx_arena){0};
	sum_rows(profile);
	pfx_profile_maker_free(maker);
	free(stacks);
	return profile;
}
