/* SPDX-License-Identifier: MIT */
/*
 * Lines have small ids and a row of costs: self and inclusive, for each event. Files have ids and
 * rows, too. A sample counts once for a line and once for a file, however often they are in its
 * call chain: each line and file remembers the last sample that was added to it. It uses
 * neither binaries nor sources; line_costs_read.c adds the lines of samples.
 */
#include "code/line_costs.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

struct line {
	uint32_t file, line;
	uint64_t last; /* the last sample that was added to it */
};

struct file {
	uint64_t last; /* the last sample that was added */
	PFX_VEC(struct pfx_line_cost) lines;
};

struct pfx_line_costs {
	uint32_t nr_events;
	uint64_t nr_added;
	struct pfx_intern names; /* of files */
	struct pfx_intern keys;  /* file and line; equal ids as lines */
	PFX_VEC(struct line) lines;
	PFX_VEC(struct file) files;
	PFX_VEC(struct pfx_cost) line_rows; /* 2 * nr_events for each line: self, inclusive */
	PFX_VEC(struct pfx_cost) file_rows;
	PFX_VEC(struct pfx_file_cost) sorted;
};

struct pfx_line_costs *pfx_line_costs_new(uint32_t nr_events)
{
	struct pfx_line_costs *costs = pfx_calloc(1, sizeof(*costs));

	costs->nr_events = nr_events;
	return costs;
}

void pfx_line_costs_free(struct pfx_line_costs *costs)
{
	size_t i;

	if (!costs)
		return;
	for (i = 0; i < costs->files.nr; i++)
		pfx_vec_free(&costs->files.at[i].lines);
	pfx_vec_free(&costs->lines);
	pfx_vec_free(&costs->files);
	pfx_vec_free(&costs->line_rows);
	pfx_vec_free(&costs->file_rows);
	pfx_vec_free(&costs->sorted);
	pfx_intern_fini(&costs->names);
	pfx_intern_fini(&costs->keys);
	free(costs);
}

uint32_t pfx_line_costs_nr_events(const struct pfx_line_costs *costs)
{
	return costs->nr_events;
}

/* --- adding --- */

uint32_t pfx_line_costs_id(struct pfx_line_costs *costs, const char *file, uint32_t line)
{
	const uint32_t key[2] = {pfx_intern_str(&costs->names, file), line};
	uint32_t id = pfx_intern_add(&costs->keys, key, sizeof(key));
	size_t width = 2 * (size_t)costs->nr_events;

	pfx_vec_slot(&costs->files, key[0]);
	pfx_vec_slot(&costs->file_rows, (key[0] + 1) * width);
	if (id >= costs->lines.nr)
		*pfx_vec_slot(&costs->lines, id) = (struct line){.file = key[0], .line = line};
	pfx_vec_slot(&costs->line_rows, (id + 1) * width);
	return id;
}

static struct pfx_cost *row_of(const struct pfx_line_costs *costs, struct pfx_cost *rows,
			       uint32_t id)
{
	return &rows[2 * (size_t)costs->nr_events * id];
}

static void add_cost(struct pfx_cost *to, const struct pfx_cost *cost)
{
	to->period += cost->period;
	to->nr_samples += cost->nr_samples;
}

static void add_inclusive(struct pfx_line_costs *costs, uint32_t event, const struct pfx_cost *cost,
			  uint32_t id)
{
	struct line *line = &costs->lines.at[id];
	struct file *file = &costs->files.at[line->file];
	uint32_t at = costs->nr_events + event;

	if (line->last == costs->nr_added)
		return;
	line->last = costs->nr_added;
	add_cost(&row_of(costs, costs->line_rows.at, id)[at], cost);
	if (file->last == costs->nr_added)
		return;
	file->last = costs->nr_added;
	add_cost(&row_of(costs, costs->file_rows.at, line->file)[at], cost);
}

void pfx_line_costs_add(struct pfx_line_costs *costs, uint32_t event, const struct pfx_cost *cost,
			uint32_t self, const uint32_t *ids, uint32_t nr)
{
	uint32_t i;

	costs->nr_added++;
	for (i = 0; i < nr; i++)
		add_inclusive(costs, event, cost, ids[i]);
	if (self == PFX_LINE_NONE)
		return;
	add_inclusive(costs, event, cost, self);
	add_cost(&row_of(costs, costs->line_rows.at, self)[event], cost);
	add_cost(&row_of(costs, costs->file_rows.at, costs->lines.at[self].file)[event], cost);
}

/* --- files --- */

static int compare_costs(const struct pfx_cost *a, const struct pfx_cost *b, uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++)
		if (a[i].period != b[i].period)
			return a[i].period < b[i].period ? 1 : -1;
	return 0;
}

static int by_cost(const void *a, const void *b, void *context)
{
	const struct pfx_file_cost *x = a, *y = b;
	uint32_t nr_events = *(const uint32_t *)context;
	int order = compare_costs(x->self, y->self, nr_events);

	if (!order)
		order = compare_costs(x->inclusive, y->inclusive, nr_events);
	return order ? order : strcmp(x->name, y->name);
}

static int by_number(const void *a, const void *b)
{
	const struct pfx_line_cost *x = a, *y = b;

	return x->line < y->line ? -1 : x->line > y->line;
}

static bool is_free(const struct pfx_cost *inclusive, uint32_t nr_events)
{
	uint32_t i;

	for (i = 0; i < nr_events; i++)
		if (inclusive[i].nr_samples)
			return false;
	return true;
}

static void collect_lines(struct pfx_line_costs *costs)
{
	const struct pfx_cost *row;
	size_t i;

	for (i = 0; i < costs->files.nr; i++)
		costs->files.at[i].lines.nr = 0;
	for (i = 0; i < costs->lines.nr; i++) {
		row = row_of(costs, costs->line_rows.at, (uint32_t)i);
		if (!is_free(row + costs->nr_events, costs->nr_events))
			pfx_vec_push(&costs->files.at[costs->lines.at[i].file].lines,
				     ((struct pfx_line_cost){costs->lines.at[i].line, row,
							     row + costs->nr_events}));
	}
}

uint32_t pfx_line_costs_files(struct pfx_line_costs *costs, const struct pfx_file_cost **ret)
{
	const struct pfx_cost *row;
	const struct file *file;
	uint32_t i;

	collect_lines(costs);
	costs->sorted.nr = 0;
	for (i = 0; i < costs->files.nr; i++) {
		file = &costs->files.at[i];
		if (!file->lines.nr)
			continue;
		row = row_of(costs, costs->file_rows.at, i);
		qsort(file->lines.at, file->lines.nr, sizeof(*file->lines.at), by_number);
		pfx_vec_push(&costs->sorted, ((struct pfx_file_cost){
						     .name = pfx_intern_get(&costs->names, i),
						     .lines = file->lines.at,
						     .nr_lines = (uint32_t)file->lines.nr,
						     .self = row,
						     .inclusive = row + costs->nr_events,
					     }));
	}
	if (costs->sorted.nr)
		qsort_r(costs->sorted.at, costs->sorted.nr, sizeof(*costs->sorted.at), by_cost,
			&costs->nr_events);
	*ret = costs->sorted.at;
	return (uint32_t)costs->sorted.nr;
}

/* --- lines near cost --- */

static bool has_cost(const struct pfx_line_walk *walk, const struct pfx_line_cost *line)
{
	uint32_t i;

	for (i = 0; walk->events && i < walk->nr_events; i++)
		if (line->inclusive[walk->events[i]].nr_samples)
			return true;
	return !walk->events;
}

/* The next line to show; 0: none. @coming is the number of the next line with cost, 0: none. */
static uint32_t next_line(const struct pfx_line_walk *walk, uint32_t coming)
{
	uint32_t line = walk->line + 1, begin;

	if (line <= walk->until || (walk->context == UINT32_MAX && line <= walk->nr_lines))
		return line;
	if (!coming)
		return 0;
	begin = coming > walk->context ? coming - walk->context : 1;
	if (begin < line)
		begin = line;
	return begin <= walk->nr_lines ? begin : coming;
}

bool pfx_line_walk_next(struct pfx_line_walk *walk)
{
	const struct pfx_file_cost *file = walk->file;
	const struct pfx_line_cost *coming;
	uint32_t line;

	while (walk->next < file->nr_lines && !has_cost(walk, &file->lines[walk->next]))
		walk->next++;
	coming = walk->next < file->nr_lines ? &file->lines[walk->next] : NULL;
	line = next_line(walk, coming ? coming->line : 0);
	if (!line)
		return false;
	walk->follows_gap = line != walk->line + 1;
	walk->line = line;
	walk->cost = coming && coming->line == line ? coming : NULL;
	if (!walk->cost)
		return true;
	walk->next++;
	walk->until = line < walk->nr_lines && walk->context < walk->nr_lines - line
			      ? line + walk->context
			      : walk->nr_lines;
	return true;
}
