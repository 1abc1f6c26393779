/* SPDX-License-Identifier: MIT */
/*
 * Chooses samples and sums them by stack. The conditions are prepared as one byte for each thread,
 * CPU and stack, so that each sample needs only a few look-ups.
 */
#include "view/select/selection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "view/select/select_nodes_internal.h"

struct choosing {
	const struct pfx_view_filter *filter;
	const struct pfx_profile *profile;
	struct pfx_selection *selection;
	struct pfx_stack_choice stacks;
	uint32_t *columns;     /* by event; PFX_NO_ID: not chosen */
	uint8_t *tasks, *cpus; /* whether they pass */
	uint8_t *used;         /* by stack of the profile: whether it has samples that pass */
	/* By column, then by stack of the profile; NULL: too large for a profile with many events,
	 * most of which have few stacks. */
	const struct pfx_stack_sum *sums;
	struct pfx_stack_sum *own_sums; /* unless they are those of the profile */
};

static void *new_array(uint64_t nr, size_t size)
{
	return pfx_calloc(nr + 1, size);
}

static void choose_events(struct choosing *choosing)
{
	struct pfx_selection *selection = choosing->selection;
	uint32_t i, nr = choosing->profile->nr_events;

	choosing->columns = new_array(nr, sizeof(*choosing->columns));
	selection->events = new_array(nr, sizeof(*selection->events));
	for (i = 0; i < nr; i++) {
		choosing->columns[i] = PFX_NO_ID;
		if (!pfx_view_filter_has(choosing->filter, PFX_VIEW_EVENT, i))
			continue;
		choosing->columns[i] = selection->nr_events;
		selection->events[selection->nr_events++] = i;
	}
	selection->total_period = new_array(selection->nr_events, sizeof(uint64_t));
	selection->total_samples = new_array(selection->nr_events, sizeof(uint64_t));
}

static void choose_tasks(struct choosing *choosing)
{
	const struct pfx_view_filter *filter = choosing->filter;
	const struct pfx_profile *profile = choosing->profile;
	const struct pfx_profile_task *task;
	uint32_t i;

	choosing->tasks = new_array(profile->nr_tasks, 1);
	for (i = 0; i < profile->nr_tasks; i++) {
		task = &profile->tasks[i];
		choosing->tasks[i] = pfx_view_filter_has(filter, PFX_VIEW_COMM, task->comm) &&
				     pfx_view_filter_has(filter, PFX_VIEW_THREAD, task->thread) &&
				     pfx_view_filter_has(filter, PFX_VIEW_PROCESS,
							 profile->threads[task->thread].process);
	}
	choosing->cpus = new_array(profile->nr_cpus, 1);
	for (i = 0; i < profile->nr_cpus; i++)
		choosing->cpus[i] = pfx_view_filter_has(filter, PFX_VIEW_CPU, i);
}

/* --- samples --- */

/* What is read of each row; NULL: all that it could be passes. */
struct row_tests {
	const uint32_t *columns;
	const uint8_t *tasks, *cpus;
	const uint8_t *stacks;
	const struct pfx_time_ranges *times;
};

static const uint8_t *unless_all(const uint8_t *flags, uint32_t nr)
{
	return memchr(flags, 0, nr) ? flags : NULL;
}

/* The stacks that pass, as bytes: these stay in the processor's cache. The caller frees them. */
static uint8_t *passing_stacks(const struct choosing *choosing)
{
	uint32_t nr = choosing->profile->nr_stacks, i;
	uint8_t *passing = new_array(nr, 1);

	for (i = 0; i < nr; i++)
		passing[i] = choosing->stacks.node[i] != PFX_NO_ID;
	return passing;
}

static struct row_tests make_tests(const struct choosing *choosing, const uint8_t *stacks)
{
	const struct pfx_profile *profile = choosing->profile;
	bool all_events = choosing->selection->nr_events == profile->nr_events;

	return (struct row_tests){
		.columns = all_events ? NULL : choosing->columns,
		.tasks = unless_all(choosing->tasks, profile->nr_tasks),
		.cpus = unless_all(choosing->cpus, profile->nr_cpus),
		.stacks = unless_all(stacks, profile->nr_stacks),
		.times = choosing->filter->times.at.nr ? &choosing->filter->times : NULL,
	};
}

static bool row_passes(const struct row_tests *tests, const struct pfx_profile *profile,
		       uint32_t row)
{
	return (!tests->stacks || tests->stacks[profile->row_stack[row]]) &&
	       (!tests->columns || tests->columns[profile->row_event[row]] != PFX_NO_ID) &&
	       (!tests->tasks || tests->tasks[profile->row_task[row]]) &&
	       (!tests->cpus || tests->cpus[profile->row_cpu[row]]) &&
	       (!tests->times || pfx_time_ranges_have(tests->times, profile->row_time[row]));
}

static uint64_t nr_sums(const struct choosing *choosing)
{
	return (uint64_t)choosing->selection->nr_events * choosing->profile->nr_stacks;
}

/* Rows are read once: their sums are made while they are in the cache. */
static void add_to_sums(const struct choosing *choosing, uint32_t row)
{
	const struct pfx_profile *profile = choosing->profile;
	uint64_t column = choosing->columns[profile->row_event[row]];
	struct pfx_stack_sum *sum =
		&choosing->own_sums[column * profile->nr_stacks + profile->row_stack[row]];

	sum->period += profile->row_period[row];
	sum->samples += pfx_profile_count(profile, row);
}

/* Whether rows are chosen by their stacks alone. */
static bool is_by_stack(const struct row_tests *tests)
{
	return !tests->columns && !tests->tasks && !tests->cpus && !tests->times;
}

/* Sums of all samples are those of a stack: they are known. */
static void begin_sums(struct choosing *choosing, const struct row_tests *tests)
{
	if (nr_sums(choosing) > choosing->profile->nr_rows)
		return;
	if (choosing->profile->sums && is_by_stack(tests)) {
		choosing->sums = choosing->profile->sums;
		return;
	}
	choosing->own_sums = new_array(nr_sums(choosing), sizeof(*choosing->own_sums));
	choosing->sums = choosing->own_sums;
}

static void choose_rows(struct choosing *choosing)
{
	struct pfx_selection *selection = choosing->selection;
	const struct pfx_profile *profile = choosing->profile;
	uint8_t *stacks = passing_stacks(choosing), *used = new_array(profile->nr_stacks, 1);
	const struct row_tests tests = make_tests(choosing, stacks);
	uint32_t row, nr = 0, *rows = pfx_malloc((profile->nr_rows + 1ul) * sizeof(*rows));

	begin_sums(choosing, &tests);
	for (row = 0; row < profile->nr_rows; row++) {
		pfx_profile_pass(profile, row);
		if (!row_passes(&tests, profile, row))
			continue;
		rows[nr++] = row;
		used[profile->row_stack[row]] = 1;
		if (choosing->own_sums)
			add_to_sums(choosing, row);
	}
	choosing->used = used;
	selection->rows = rows;
	selection->nr_rows = nr;
	free(stacks);
}

/* --- stacks --- */

/* Numbers the used stacks by node: in selection->stack_at. */
static void number_stacks(struct choosing *choosing)
{
	struct pfx_selection *selection = choosing->selection;
	uint32_t nr = choosing->profile->nr_stacks, i, node;
	uint32_t *first = new_array(selection->nodes.nr, sizeof(*first));

	for (i = 0; i < nr; i++)
		if (choosing->used[i])
			first[choosing->stacks.node[i] + 1]++;
	for (node = 0; node < selection->nodes.nr; node++)
		first[node + 1] += first[node];
	selection->nr_stacks = first[selection->nodes.nr];
	selection->stack_at = pfx_malloc((nr + 1ul) * sizeof(*selection->stack_at));
	for (i = 0; i < nr; i++)
		selection->stack_at[i] =
			choosing->used[i] ? first[choosing->stacks.node[i]]++ : PFX_NO_ID;
	free(first);
}

static void take_stacks(struct choosing *choosing)
{
	struct pfx_selection *selection = choosing->selection;
	uint32_t nr = choosing->profile->nr_stacks, i, at;

	number_stacks(choosing);
	selection->stack_node = new_array(selection->nr_stacks, sizeof(*selection->stack_node));
	selection->stack_own = new_array(selection->nr_stacks, sizeof(*selection->stack_own));
	for (i = 0; i < nr; i++) {
		at = selection->stack_at[i];
		if (at == PFX_NO_ID)
			continue;
		selection->stack_node[at] = choosing->stacks.node[i];
		selection->stack_own[at] = choosing->stacks.own[i];
	}
}

static void add_sum(struct pfx_selection *selection, uint32_t column, uint64_t at,
		    const struct pfx_stack_sum *sum)
{
	selection->periods[at] += sum->period;
	selection->samples[at] += sum->samples;
	selection->total_period[column] += sum->period;
	selection->total_samples[column] += sum->samples;
}

static void move_sums(struct choosing *choosing)
{
	struct pfx_selection *selection = choosing->selection;
	const struct pfx_stack_sum *sum = choosing->sums;
	uint32_t nr = choosing->profile->nr_stacks, column, i;

	for (column = 0; column < selection->nr_events; column++)
		for (i = 0; i < nr; i++, sum++)
			if (choosing->used[i])
				add_sum(selection, column,
					(uint64_t)column * selection->nr_stacks +
						selection->stack_at[i],
					sum);
}

/* Of many events most have few stacks: what has no samples is not touched, so that it takes no
 * memory. */
static void sum_rows(struct choosing *choosing)
{
	struct pfx_selection *selection = choosing->selection;
	const struct pfx_profile *profile = choosing->profile;
	uint32_t i, row, column;

	for (i = 0; i < selection->nr_rows; i++) {
		row = selection->rows[i];
		pfx_profile_pass(profile, row);
		column = choosing->columns[profile->row_event[row]];
		add_sum(selection, column,
			(uint64_t)column * selection->nr_stacks +
				selection->stack_at[profile->row_stack[row]],
			&(struct pfx_stack_sum){profile->row_period[row],
						pfx_profile_count(profile, row)});
	}
}

static void sum_stacks(struct choosing *choosing)
{
	struct pfx_selection *selection = choosing->selection;
	uint64_t nr = (uint64_t)selection->nr_events * selection->nr_stacks;

	selection->periods = new_array(nr, sizeof(*selection->periods));
	selection->samples = new_array(nr, sizeof(*selection->samples));
	if (choosing->sums)
		move_sums(choosing);
	else
		sum_rows(choosing);
}

int pfx_selection_make(struct pfx_selection *ret, const struct pfx_view_filter *filter,
		       struct pfx_error *err)
{
	struct choosing choosing = {.filter = filter, .profile = filter->profile, .selection = ret};

	*ret = (struct pfx_selection){.profile = filter->profile};
	if (filter->times.at.nr && !filter->profile->row_time)
		return pfx_error_set(err, EINVAL,
				     "samples cannot be chosen by time: the profile was read "
				     "without times");
	choose_events(&choosing);
	choose_tasks(&choosing);
	pfx_stacks_choose(filter, &choosing.stacks);
	ret->nodes = choosing.stacks.nodes;
	ret->owns_nodes = choosing.stacks.owns_nodes;
	choose_rows(&choosing);
	take_stacks(&choosing);
	sum_stacks(&choosing);
	free(choosing.own_sums);
	free(choosing.columns);
	free(choosing.tasks);
	free(choosing.cpus);
	free(choosing.used);
	free(choosing.stacks.node);
	free(choosing.stacks.own);
	return 0;
}

void pfx_selection_fini(struct pfx_selection *selection)
{
	free(selection->events);
	free(selection->total_period);
	free(selection->total_samples);
	if (selection->owns_nodes)
		pfx_nodes_fini(&selection->nodes);
	free(selection->stack_node);
	free(selection->stack_own);
	free(selection->periods);
	free(selection->samples);
	free(selection->rows);
	free(selection->stack_at);
	*selection = (struct pfx_selection){.profile = selection->profile};
}

uint32_t pfx_selection_column(const struct pfx_selection *selection, uint32_t event)
{
	uint32_t column =
		(uint32_t)pfx_bisect(i, selection->nr_events, selection->events[i] < event);

	if (column < selection->nr_events && selection->events[column] == event)
		return column;
	return PFX_NO_ID;
}

const uint64_t *pfx_selection_weights(const struct pfx_selection *selection, uint32_t column,
				      enum pfx_measure measure)
{
	const uint64_t *all =
		measure == PFX_MEASURE_PERIOD ? selection->periods : selection->samples;

	return all + (uint64_t)column * selection->nr_stacks;
}

uint64_t pfx_selection_total(const struct pfx_selection *selection, uint32_t column,
			     enum pfx_measure measure)
{
	return measure == PFX_MEASURE_PERIOD ? selection->total_period[column]
					     : selection->total_samples[column];
}

void pfx_selection_sum(const struct pfx_selection *selection, const uint64_t *weights,
		       uint64_t *ret)
{
	const struct pfx_nodes *nodes = &selection->nodes;
	uint32_t i;

	for (i = 0; i < nodes->nr; i++)
		ret[i] = 0;
	for (i = 0; i < selection->nr_stacks; i++)
		ret[selection->stack_node[i]] += weights[i];
	for (i = nodes->nr; i-- > 1;)
		ret[nodes->parent[i]] += ret[i];
}
