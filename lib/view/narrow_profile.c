/* SPDX-License-Identifier: MIT */
/* Marks what the chosen rows need, then adds that to a new profile, all in its order. */
#include "view/narrow_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "view/profile/make_profile.h"

#define NEEDED 0 /* in place of a new index */

struct narrowing {
	const struct pfx_selection *selection;
	const struct pfx_profile *from;
	struct pfx_profile_maker *maker;
	/* New indexes by old ones, of the profile; nodes: of the selection. PFX_NO_ID: not needed
	 */
	uint32_t *processes, *threads, *tasks, *dsos, *functions, *frames, *nodes, *stacks;
};

static uint32_t *new_map(uint32_t nr)
{
	uint32_t *map = pfx_malloc((nr + 1ul) * sizeof(*map));

	memset(map, 0xff, (nr + 1ul) * sizeof(*map));
	return map;
}

/* --- what is needed --- */

static void mark_tasks(struct narrowing *narrowing)
{
	const struct pfx_profile *from = narrowing->from;
	uint32_t i, task, thread;

	narrowing->processes = new_map(from->nr_processes);
	narrowing->threads = new_map(from->nr_threads);
	narrowing->tasks = new_map(from->nr_tasks);
	for (i = 0; i < narrowing->selection->nr_rows; i++) {
		pfx_profile_pass(from, narrowing->selection->rows[i]);
		task = from->row_task[narrowing->selection->rows[i]];
		thread = from->tasks[task].thread;
		narrowing->tasks[task] = NEEDED;
		narrowing->threads[thread] = NEEDED;
		narrowing->processes[from->threads[thread].process] = NEEDED;
	}
}

static void mark_frame(struct narrowing *narrowing, uint32_t id)
{
	const struct pfx_profile_frame *frame = &narrowing->from->frames[id];

	narrowing->frames[id] = NEEDED;
	narrowing->functions[frame->function] = NEEDED;
	if (frame->dso != PFX_NO_ID)
		narrowing->dsos[frame->dso] = NEEDED;
}

static void mark_frames(struct narrowing *narrowing)
{
	const struct pfx_selection *selection = narrowing->selection;
	const struct pfx_nodes *nodes = &selection->nodes;
	uint32_t i, node;

	narrowing->dsos = new_map(narrowing->from->nr_dsos);
	narrowing->functions = new_map(narrowing->from->nr_functions);
	narrowing->frames = new_map(narrowing->from->nr_frames);
	narrowing->nodes = new_map(nodes->nr);
	narrowing->nodes[0] = 0;
	for (i = 0; i < selection->nr_stacks; i++) {
		mark_frame(narrowing, selection->stack_own[i]);
		node = selection->stack_node[i];
		for (; narrowing->nodes[node] == PFX_NO_ID; node = nodes->parent[node]) {
			narrowing->nodes[node] = NEEDED;
			mark_frame(narrowing, nodes->frame[node]);
		}
	}
}

/* --- the new profile --- */

static void add_events(struct narrowing *narrowing)
{
	struct pfx_profile_event event;
	uint32_t i;

	for (i = 0; i < narrowing->from->nr_events; i++) {
		event = narrowing->from->events[i];
		if (pfx_selection_column(narrowing->selection, i) == PFX_NO_ID)
			event.name = "";
		pfx_profile_add_event(narrowing->maker, &event);
	}
	pfx_profile_add_lost(narrowing->maker, narrowing->from->nr_lost);
}

static void add_tasks(struct narrowing *narrowing)
{
	const struct pfx_profile *from = narrowing->from;
	struct pfx_profile_thread thread;
	uint32_t i;

	for (i = 0; i < from->nr_processes; i++)
		if (narrowing->processes[i] != PFX_NO_ID)
			narrowing->processes[i] =
				pfx_profile_add_process(narrowing->maker, &from->processes[i]);
	for (i = 0; i < from->nr_threads; i++) {
		if (narrowing->threads[i] == PFX_NO_ID)
			continue;
		thread = from->threads[i];
		thread.process = narrowing->processes[thread.process];
		narrowing->threads[i] = pfx_profile_add_thread(narrowing->maker, &thread);
	}
	for (i = 0; i < from->nr_tasks; i++)
		if (narrowing->tasks[i] != PFX_NO_ID)
			narrowing->tasks[i] = pfx_profile_add_task(
				narrowing->maker, narrowing->threads[from->tasks[i].thread],
				from->comms[from->tasks[i].comm]);
}

/* Those of threads that stay. */
static void add_markers(struct narrowing *narrowing)
{
	const struct pfx_profile *from = narrowing->from;
	const struct pfx_profile_task *task;
	struct pfx_profile_marker marker;
	uint32_t i;

	for (i = 0; i < from->nr_markers; i++) {
		marker = from->markers[i];
		if (marker.task != PFX_NO_ID) {
			task = &from->tasks[marker.task];
			if (narrowing->threads[task->thread] == PFX_NO_ID)
				continue;
			marker.task = pfx_profile_add_task(narrowing->maker,
							   narrowing->threads[task->thread],
							   from->comms[task->comm]);
		}
		pfx_profile_add_marker(narrowing->maker, &marker);
	}
}

static uint32_t new_dso(const struct narrowing *narrowing, uint32_t dso)
{
	return dso == PFX_NO_ID ? PFX_NO_ID : narrowing->dsos[dso];
}

/* The binary of a function is that of its first frame. */
static void add_functions(struct narrowing *narrowing)
{
	const struct pfx_profile *from = narrowing->from;
	uint32_t *first = new_map(from->nr_functions), i;
	struct pfx_profile_function function;

	for (i = from->nr_frames; i--;)
		if (narrowing->frames[i] != PFX_NO_ID)
			first[from->frames[i].function] = i;
	for (i = 0; i < from->nr_functions; i++) {
		if (narrowing->functions[i] == PFX_NO_ID)
			continue;
		function = from->functions[i];
		function.dso = new_dso(narrowing, from->frames[first[i]].dso);
		narrowing->functions[i] = pfx_profile_add_function(narrowing->maker, &function);
	}
	free(first);
}

static void add_frames(struct narrowing *narrowing)
{
	const struct pfx_profile *from = narrowing->from;
	struct pfx_profile_frame frame;
	uint32_t i;

	for (i = 0; i < from->nr_dsos; i++)
		if (narrowing->dsos[i] != PFX_NO_ID)
			narrowing->dsos[i] = pfx_profile_add_dso(narrowing->maker, &from->dsos[i]);
	add_functions(narrowing);
	for (i = 0; i < from->nr_frames; i++) {
		if (narrowing->frames[i] == PFX_NO_ID)
			continue;
		frame = from->frames[i];
		frame.function = narrowing->functions[frame.function];
		frame.dso = new_dso(narrowing, frame.dso);
		narrowing->frames[i] = pfx_profile_add_frame(narrowing->maker, &frame);
	}
}

static void add_stacks(struct narrowing *narrowing)
{
	const struct pfx_selection *selection = narrowing->selection;
	const struct pfx_nodes *nodes = &selection->nodes;
	uint32_t i, at;

	for (i = 1; i < nodes->nr; i++)
		if (narrowing->nodes[i] != PFX_NO_ID)
			narrowing->nodes[i] = pfx_profile_add_node(
				narrowing->maker, narrowing->nodes[nodes->parent[i]],
				narrowing->frames[nodes->frame[i]]);
	narrowing->stacks = new_map(narrowing->from->nr_stacks);
	for (i = 0; i < narrowing->from->nr_stacks; i++) {
		at = selection->stack_at[i];
		if (at != PFX_NO_ID)
			narrowing->stacks[i] = pfx_profile_add_stack(
				narrowing->maker, narrowing->nodes[selection->stack_node[at]],
				narrowing->frames[selection->stack_own[at]],
				narrowing->from->stack_level[i]);
	}
}

static void add_samples(struct narrowing *narrowing)
{
	const struct pfx_profile *from = narrowing->from;
	struct pfx_profile_sample sample;
	uint32_t i, row;

	for (i = 0; i < narrowing->selection->nr_rows; i++) {
		row = narrowing->selection->rows[i];
		pfx_profile_pass(from, row);
		sample = (struct pfx_profile_sample){
			.time = from->row_time ? from->row_time[row] : 0,
			.period = from->row_period[row],
			.event = from->row_event[row],
			.task = narrowing->tasks[from->row_task[row]],
			.cpu = from->cpus[from->row_cpu[row]],
			.stack = narrowing->stacks[from->row_stack[row]],
			.count = pfx_profile_count(from, row),
		};
		pfx_profile_add_sample(narrowing->maker, &sample);
	}
}

static void narrowing_fini(struct narrowing *narrowing)
{
	free(narrowing->processes);
	free(narrowing->threads);
	free(narrowing->tasks);
	free(narrowing->dsos);
	free(narrowing->functions);
	free(narrowing->frames);
	free(narrowing->nodes);
	free(narrowing->stacks);
}

struct pfx_profile *pfx_profile_narrow(const struct pfx_selection *selection)
{
	const struct pfx_profile *from = selection->profile;
	struct narrowing narrowing = {.selection = selection, .from = from};
	struct pfx_profile *ret;

	if (selection->nr_rows == from->nr_rows && selection->nodes.frame == from->nodes.frame)
		return NULL;
	narrowing.maker = pfx_profile_maker_new(from->frames_by, from->row_time != NULL);
	if (from->row_pages)
		pfx_profile_maker_page(narrowing.maker);
	mark_tasks(&narrowing);
	mark_frames(&narrowing);
	add_events(&narrowing);
	add_tasks(&narrowing);
	add_markers(&narrowing);
	add_frames(&narrowing);
	add_stacks(&narrowing);
	add_samples(&narrowing);
	narrowing_fini(&narrowing);
	ret = pfx_profile_maker_finish(narrowing.maker);
	ret->first_time = from->first_time;
	ret->last_time = from->last_time;
	return ret;
}
