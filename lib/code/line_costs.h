/* SPDX-License-Identifier: MIT */
/*
 * Source files with the cost of each line, of all functions together. Owns its costs and copies
 * names of files, which are untrusted text. Samples are added as lists of lines, by
 * pfx_line_costs_read() or one by one; files are valid until more is added.
 */
#ifndef PFX_CODE_LINE_COSTS_H
#define PFX_CODE_LINE_COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "code/cost.h"
#include "code/source_file.h"
#include "read/filter.h"

#define PFX_LINE_NONE UINT32_MAX

struct pfx_line_costs;

struct pfx_line_cost {
	uint32_t line; /* from 1 */
	struct pfx_cost_list self;
	struct pfx_cost_list inclusive; /* samples with the line anywhere in their call chain */
};

struct pfx_file_cost {
	const char *name; /* path in the debug information */
	const struct pfx_line_cost *lines;
	uint32_t nr_lines; /* with cost, in ascending order */
	struct pfx_cost_list self;
	struct pfx_cost_list inclusive; /* samples with any line of the file in their call chain */
};

/* No files yet. */
struct pfx_line_costs *pfx_line_costs_new(void);
void pfx_line_costs_free(struct pfx_line_costs *costs);
/* The id of a line of a file. */
uint32_t pfx_line_costs_id(struct pfx_line_costs *costs, const char *file, uint32_t line);
/* Add samples of an event: @self is the sampled line (or PFX_LINE_NONE), @ids are the @nr lines of
 * its call chain, in any order, each any number of times; @self need not be among them. */
void pfx_line_costs_add(struct pfx_line_costs *costs, uint32_t event, const struct pfx_cost *cost,
			uint32_t self, const uint32_t *ids, uint32_t nr);

struct pfx_line_reading {
	struct pfx_resolver *resolver;
	struct pfx_costs *from;
	uint32_t nr_events;              /* of the recording */
	const struct pfx_filter *filter; /* only functions of its DSOs */
	struct pfx_sources *sources;     /* gets the binaries that name the files; NULL: none */
};
/* Add all samples of a recording. Reads debug information. Chains have call sites of inlined
 * functions if the resolver's chains have inlined functions. */
void pfx_line_costs_read(struct pfx_line_costs *costs, const struct pfx_line_reading *reading);
/* The files with samples, in descending order of self cost, then of inclusive cost, of the first
 * event in which they differ. */
uint32_t pfx_line_costs_files(struct pfx_line_costs *costs, const struct pfx_file_cost **ret);

/* Iterates over the lines of a file that are near cost; start with .line 0. */
struct pfx_line_walk {
	const struct pfx_file_cost *file;
	const uint32_t *events; /* only cost of these counts; NULL: of all */
	uint32_t nr_events;
	uint32_t nr_lines; /* of the source; 0: not available */
	uint32_t context;  /* lines around those with cost; UINT32_MAX: the whole source */
	uint32_t line;     /* the current line */
	bool follows_gap;  /* lines before it are left out */
	const struct pfx_line_cost *cost; /* NULL: none */
	uint32_t next;  /* index of the first line with cost that is not shown yet */
	uint32_t until; /* the last line of the context of those before it */
};
bool pfx_line_walk_next(struct pfx_line_walk *walk);

#endif
