/* SPDX-License-Identifier: MIT */
/*
 * Adds the pieces of a profile. Knows nothing of recordings: the reader, importers and tests decide
 * what is equal where only they can know it; frames, nodes, stacks, tasks and CPUs are found by
 * their contents.
 */
#include "view/profile/make_profile.h"

#include <stdlib.h>
#include <string.h>

#include "event/record.h"
#include "view/profile/make_profile_internal.h"

struct pfx_profile_maker *pfx_profile_maker_new(enum pfx_profile_frames frames_by, bool times)
{
	struct pfx_profile_maker *maker = pfx_calloc(1, sizeof(*maker));

	maker->frames_by = frames_by;
	maker->times = times;
	pfx_made_nodes_init(&maker->nodes, 0);
	return maker;
}

void pfx_profile_maker_page(struct pfx_profile_maker *maker)
{
	maker->row_pages = pfx_calloc(1, sizeof(*maker->row_pages));
}

static void free_rows(struct pfx_profile_maker *maker)
{
	struct pfx_made_rows *rows = &maker->rows;

	if (maker->row_pages) {
		pfx_row_pages_free(maker->row_pages);
		return;
	}
	free(rows->time);
	free(rows->period);
	free(rows->event);
	free(rows->task);
	free(rows->cpu);
	free(rows->stack);
	free(rows->count);
}

void pfx_profile_maker_free(struct pfx_profile_maker *maker)
{
	if (!maker)
		return;
	free_rows(maker);
	pfx_row_finder_clear(&maker->finder);
	pfx_vec_free(&maker->events);
	pfx_vec_free(&maker->processes);
	pfx_vec_free(&maker->threads);
	pfx_vec_free(&maker->dsos);
	pfx_vec_free(&maker->functions);
	pfx_vec_free(&maker->markers);
	pfx_vec_free(&maker->tasks);
	pfx_vec_free(&maker->frames);
	pfx_made_nodes_fini(&maker->nodes);
	pfx_vec_free(&maker->stacks);
	pfx_vec_free(&maker->cpus);
	pfx_vec_free(&maker->comms);
	pfx_hash_fini(&maker->tasks_by);
	pfx_hash_fini(&maker->cpus_by);
	pfx_hash_fini(&maker->comms_by);
	pfx_id_table_fini(&maker->frames_by_hash);
	pfx_id_table_fini(&maker->stacks_by_hash);
	pfx_intern_fini(&maker->texts);
	free(maker);
}

/* A copy; NULL stays NULL. Equal texts have the same address. */
static const char *keep(struct pfx_profile_maker *maker, const char *text)
{
	if (!text)
		return NULL;
	return pfx_intern_get(&maker->texts, pfx_intern_str(&maker->texts, text));
}

uint32_t pfx_profile_add_event(struct pfx_profile_maker *maker,
			       const struct pfx_profile_event *event)
{
	struct pfx_profile_event *own = pfx_vec_add(&maker->events);

	*own = *event;
	own->name = keep(maker, event->name);
	own->nr_samples = own->period = 0;
	return (uint32_t)maker->events.nr - 1;
}

uint32_t pfx_profile_add_process(struct pfx_profile_maker *maker,
				 const struct pfx_profile_process *process)
{
	struct pfx_profile_process *own = pfx_vec_add(&maker->processes);

	*own = *process;
	own->comm = keep(maker, process->comm);
	return (uint32_t)maker->processes.nr - 1;
}

uint32_t pfx_profile_add_thread(struct pfx_profile_maker *maker,
				const struct pfx_profile_thread *thread)
{
	struct pfx_profile_thread *own = pfx_vec_add(&maker->threads);

	*own = *thread;
	own->comm = keep(maker, thread->comm);
	return (uint32_t)maker->threads.nr - 1;
}

uint32_t pfx_profile_add_dso(struct pfx_profile_maker *maker, const struct pfx_profile_dso *dso)
{
	struct pfx_profile_dso *own = pfx_vec_add(&maker->dsos);

	*own = *dso;
	own->name = keep(maker, dso->name);
	own->short_name = keep(maker, dso->short_name);
	return (uint32_t)maker->dsos.nr - 1;
}

uint32_t pfx_profile_add_function(struct pfx_profile_maker *maker,
				  const struct pfx_profile_function *function)
{
	struct pfx_profile_function *own = pfx_vec_add(&maker->functions);

	*own = *function;
	own->name = keep(maker, function->name);
	own->file = keep(maker, function->file);
	return (uint32_t)maker->functions.nr - 1;
}

void pfx_profile_add_marker(struct pfx_profile_maker *maker,
			    const struct pfx_profile_marker *marker)
{
	pfx_vec_push(&maker->markers, *marker);
}

void pfx_profile_add_lost(struct pfx_profile_maker *maker, uint64_t nr)
{
	maker->nr_lost += nr;
}

/* --- what is found by its contents --- */

static uint32_t comm_index(struct pfx_profile_maker *maker, const char *comm)
{
	uint32_t text = pfx_intern_str(&maker->texts, comm);
	bool is_new;
	uint64_t *at = pfx_hash_add(&maker->comms_by, text, &is_new);

	if (is_new) {
		*at = maker->comms.nr;
		pfx_vec_push(&maker->comms, pfx_intern_get(&maker->texts, text));
	}
	return (uint32_t)*at;
}

uint32_t pfx_profile_add_task(struct pfx_profile_maker *maker, uint32_t thread, const char *comm)
{
	struct pfx_profile_task task = {thread, comm_index(maker, comm)};
	bool is_new;
	uint64_t *at = pfx_hash_add(&maker->tasks_by, (uint64_t)thread << 32 | task.comm, &is_new);

	if (is_new) {
		*at = maker->tasks.nr;
		pfx_vec_push(&maker->tasks, task);
	}
	return (uint32_t)*at;
}

static uint64_t hash_two(uint64_t a, uint64_t b)
{
	return pfx_hash_u64(pfx_hash_u64(a) ^ b);
}

static bool is_frame(const struct pfx_profile_frame *a, const struct pfx_profile_frame *b)
{
	return a->function == b->function && a->dso == b->dso && a->line == b->line &&
	       a->file == b->file && a->address == b->address;
}

uint32_t pfx_profile_add_frame(struct pfx_profile_maker *maker,
			       const struct pfx_profile_frame *frame)
{
	struct pfx_profile_frame own = *frame;
	uint64_t hash, at;
	uint32_t id;

	own.file = keep(maker, frame->file);
	hash = hash_two((uint64_t)own.function << 32 | own.dso,
			own.address ^ (uint64_t)own.line << 32 ^ (uintptr_t)own.file);
	at = hash;
	while (pfx_id_table_next(&maker->frames_by_hash, hash, &at, &id))
		if (is_frame(&maker->frames.at[id], &own))
			return id;
	id = (uint32_t)maker->frames.nr;
	pfx_id_table_add(&maker->frames_by_hash, hash, id);
	pfx_vec_push(&maker->frames, own);
	return id;
}

uint32_t pfx_profile_add_node(struct pfx_profile_maker *maker, uint32_t parent, uint32_t frame)
{
	return pfx_made_nodes_add(&maker->nodes, parent, frame);
}

uint32_t pfx_profile_add_stack(struct pfx_profile_maker *maker, uint32_t node, uint32_t own,
			       char level)
{
	uint64_t hash = hash_two((uint64_t)node << 32 | own, (uint8_t)level), at = hash;
	const struct pfx_made_stack *stack;
	uint32_t id;

	while (pfx_id_table_next(&maker->stacks_by_hash, hash, &at, &id)) {
		stack = &maker->stacks.at[id];
		if (stack->node == node && stack->own == own && stack->level == level)
			return id;
	}
	id = (uint32_t)maker->stacks.nr;
	pfx_id_table_add(&maker->stacks_by_hash, hash, id);
	pfx_vec_push(&maker->stacks, ((struct pfx_made_stack){node, own, level}));
	return id;
}

static uint32_t find_cpu(struct pfx_profile_maker *maker, uint32_t cpu)
{
	bool is_new;
	uint64_t *at = pfx_hash_add(&maker->cpus_by, cpu, &is_new);

	if (is_new) {
		*at = maker->cpus.nr;
		pfx_vec_push(&maker->cpus, cpu);
	}
	return (uint32_t)*at;
}

static uint32_t cpu_index(struct pfx_profile_maker *maker, uint32_t cpu)
{
	if (cpu >= PFX_NEAR_CPUS)
		return find_cpu(maker, cpu);
	if (!maker->near_cpus[cpu])
		maker->near_cpus[cpu] = find_cpu(maker, cpu) + 1;
	return maker->near_cpus[cpu] - 1;
}

/* --- samples --- */

#define ROWS_FIRST 1024

/* Column @i. */
static void *grow(struct pfx_profile_maker *maker, unsigned i, void *column, size_t size)
{
	if (maker->row_pages)
		return pfx_paged_grow(&maker->row_pages->columns[i], size);
	return pfx_realloc(column, size);
}

static void grow_rows(struct pfx_profile_maker *maker)
{
	struct pfx_made_rows *rows = &maker->rows;
	uint32_t cap = rows->cap ? rows->cap + rows->cap / 2 : ROWS_FIRST;

	rows->period = grow(maker, 0, rows->period, cap * sizeof(*rows->period));
	rows->event = grow(maker, 1, rows->event, cap * sizeof(*rows->event));
	rows->task = grow(maker, 2, rows->task, cap * sizeof(*rows->task));
	rows->cpu = grow(maker, 3, rows->cpu, cap * sizeof(*rows->cpu));
	rows->stack = grow(maker, 4, rows->stack, cap * sizeof(*rows->stack));
	rows->count = grow(maker, 5, rows->count, cap * sizeof(*rows->count));
	if (maker->times)
		rows->time = grow(maker, 6, rows->time, cap * sizeof(*rows->time));
	rows->cap = cap;
}

static void note_time(struct pfx_profile_maker *maker, uint64_t time)
{
	if (!time || time == PFX_NO_TIME)
		return;
	if (!maker->first_time || time < maker->first_time)
		maker->first_time = time;
	if (time > maker->last_time)
		maker->last_time = time;
}

static void pass_row(const struct pfx_profile_maker *maker, uint32_t row)
{
	if (maker->row_pages && row % PFX_ROWS_IN_MEMORY == 0)
		pfx_row_pages_drop(maker->row_pages);
}

/* With times, counts are not written (and need no memory) before the first one above 1. */
static void set_count(struct pfx_profile_maker *maker, uint32_t row, uint32_t count)
{
	uint32_t i;

	if (count > 1 && !maker->has_counts)
		for (i = 0; maker->times && i < row; i++)
			maker->rows.count[i] = 1;
	maker->has_counts |= count > 1;
	if (maker->has_counts || !maker->times)
		maker->rows.count[row] = count ? count : 1;
}

void pfx_profile_add_sample(struct pfx_profile_maker *maker,
			    const struct pfx_profile_sample *sample)
{
	struct pfx_made_rows *rows = &maker->rows;
	uint32_t row, same;

	if (rows->nr == rows->cap)
		grow_rows(maker);
	row = rows->nr;
	rows->event[row] = sample->event;
	rows->task[row] = sample->task;
	rows->cpu[row] = cpu_index(maker, sample->cpu);
	rows->stack[row] = sample->stack;
	set_count(maker, row, sample->count);
	rows->period[row] = sample->period;
	note_time(maker, sample->time);
	if (maker->times) {
		rows->time[row] = sample->time;
		rows->nr++;
		pass_row(maker, row);
		return;
	}
	same = pfx_row_find(&maker->finder, rows, row);
	if (same == row) {
		rows->nr++;
		return;
	}
	rows->count[same] += rows->count[row];
	rows->period[same] += sample->period;
}

void pfx_profile_map_samples(struct pfx_profile_maker *maker, const uint32_t *stacks,
			     const uint32_t *tasks)
{
	struct pfx_made_rows *rows = &maker->rows;
	uint32_t i;

	for (i = 0; i < rows->nr; i++) {
		pass_row(maker, i);
		if (stacks)
			rows->stack[i] = stacks[rows->stack[i]];
		if (tasks)
			rows->task[i] = tasks[rows->task[i]];
	}
	pfx_row_finder_clear(&maker->finder);
}
