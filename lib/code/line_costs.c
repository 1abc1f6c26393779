/* SPDX-License-Identifier: MIT */
/*
 * Lines and files have small ids. A sample counts once for a line and once for a file, however
 * often they are in its call chain: each line and file remembers the last sample that was added to
 * it. It uses neither binaries nor sources; line_costs_read.c adds the lines of samples.
 */
#include "code/line_costs.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compare.h"
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
	uint64_t nr_added;
	struct pfx_intern names; /* of files */
	struct pfx_intern keys;  /* file and line; equal ids as lines */
	PFX_VEC(struct line) lines;
	PFX_VEC(struct file) files;
	struct pfx_cost_table by_line, by_file; /* two items for each: self_of(), inclusive_of() */
	PFX_VEC(struct pfx_file_cost) sorted;
};

struct pfx_line_costs *pfx_line_costs_new(void)
{
	return pfx_calloc(1, sizeof(struct pfx_line_costs));
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
	pfx_cost_table_fini(&costs->by_line);
	pfx_cost_table_fini(&costs->by_file);
	pfx_vec_free(&costs->sorted);
	pfx_intern_fini(&costs->names);
	pfx_intern_fini(&costs->keys);
	free(costs);
}

/* --- adding --- */

uint32_t pfx_line_costs_id(struct pfx_line_costs *costs, const char *file, uint32_t line)
{
	const uint32_t key[2] = {pfx_intern_str(&costs->names, file), line};
	uint32_t id = pfx_intern_add(&costs->keys, key, sizeof(key));

	pfx_vec_slot(&costs->files, key[0]);
	if (id >= costs->lines.nr)
		*pfx_vec_slot(&costs->lines, id) = (struct line){.file = key[0], .line = line};
	return id;
}

/* The items of a line or file. */
static uint32_t self_of(uint32_t id)
{
	return 2 * id;
}

static uint32_t inclusive_of(uint32_t id)
{
	return 2 * id + 1;
}

static void add_inclusive(struct pfx_line_costs *costs, uint32_t event, const struct pfx_cost *cost,
			  uint32_t id)
{
	struct line *line = &costs->lines.at[id];
	struct file *file = &costs->files.at[line->file];

	if (line->last == costs->nr_added)
		return;
	line->last = costs->nr_added;
	pfx_cost_table_add(&costs->by_line, inclusive_of(id), event, cost);
	if (file->last == costs->nr_added)
		return;
	file->last = costs->nr_added;
	pfx_cost_table_add(&costs->by_file, inclusive_of(line->file), event, cost);
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
	pfx_cost_table_add(&costs->by_line, self_of(self), event, cost);
	pfx_cost_table_add(&costs->by_file, self_of(costs->lines.at[self].file), event, cost);
}

/* --- files --- */

static int by_cost(const void *a, const void *b)
{
	const struct pfx_file_cost *x = a, *y = b;
	int order = pfx_cost_compare(&x->self, &y->self);

	if (!order)
		order = pfx_cost_compare(&x->inclusive, &y->inclusive);
	return order ? order : strcmp(x->name, y->name);
}

static int by_number(const void *a, const void *b)
{
	const struct pfx_line_cost *x = a, *y = b;

	return pfx_compare_u64(x->line, y->line);
}

static void collect_lines(struct pfx_line_costs *costs)
{
	struct pfx_line_cost cost;
	uint32_t i;

	for (i = 0; i < costs->files.nr; i++)
		costs->files.at[i].lines.nr = 0;
	for (i = 0; i < costs->lines.nr; i++) {
		cost = (struct pfx_line_cost){
			.line = costs->lines.at[i].line,
			.self = pfx_cost_table_list(&costs->by_line, self_of(i)),
			.inclusive = pfx_cost_table_list(&costs->by_line, inclusive_of(i)),
		};
		if (cost.inclusive.nr)
			pfx_vec_push(&costs->files.at[costs->lines.at[i].file].lines, cost);
	}
}

uint32_t pfx_line_costs_files(struct pfx_line_costs *costs, const struct pfx_file_cost **ret)
{
	const struct file *file;
	uint32_t i;

	pfx_cost_table_sort(&costs->by_line);
	pfx_cost_table_sort(&costs->by_file);
	collect_lines(costs);
	costs->sorted.nr = 0;
	for (i = 0; i < costs->files.nr; i++) {
		file = &costs->files.at[i];
		if (!file->lines.nr)
			continue;
		qsort(file->lines.at, file->lines.nr, sizeof(*file->lines.at), by_number);
		pfx_vec_push(
			&costs->sorted,
			((struct pfx_file_cost){
				.name = pfx_intern_get(&costs->names, i),
				.lines = file->lines.at,
				.nr_lines = (uint32_t)file->lines.nr,
				.self = pfx_cost_table_list(&costs->by_file, self_of(i)),
				.inclusive = pfx_cost_table_list(&costs->by_file, inclusive_of(i)),
			}));
	}
	if (costs->sorted.nr)
		qsort(costs->sorted.at, costs->sorted.nr, sizeof(*costs->sorted.at), by_cost);
	*ret = costs->sorted.at;
	return (uint32_t)costs->sorted.nr;
}

/* --- lines near cost --- */

static bool has_cost(const struct pfx_line_walk *walk, const struct pfx_line_cost *line)
{
	uint32_t i;

	for (i = 0; walk->events && i < walk->nr_events; i++)
		if (pfx_cost_of(&line->inclusive, walk->events[i]).nr_samples)
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
