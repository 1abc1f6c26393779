/* SPDX-License-Identifier: MIT */
/* A profile that is being made: make_profile.c adds, finish_profile.c sorts and merges. */
#ifndef PFX_VIEW_MAKE_PROFILE_INTERNAL_H
#define PFX_VIEW_MAKE_PROFILE_INTERNAL_H

#include "base/alloc.h"
#include "base/hash.h"
#include "view/profile/make_profile.h"
#include "view/profile/nodes_internal.h"

struct pfx_made_stack {
	uint32_t node, own;
	char level;
};

/* The columns of samples; see struct pfx_profile. */
struct pfx_made_rows {
	uint64_t *time, *period;
	uint32_t *event, *task, *cpu, *stack, *count;
	uint32_t nr, cap;
};

/* Finds rows that are equal in everything but period and count. */
struct pfx_row_finder {
	PFX_VEC(uint32_t) first;    /* by stack: its first row, plus 1; 0: none */
	struct pfx_id_table others; /* rows that are not the first of their stack */
};

#define PFX_NEAR_CPUS 1024

struct pfx_profile_maker {
	enum pfx_profile_frames frames_by;
	bool times;
	PFX_VEC(struct pfx_profile_event) events;
	PFX_VEC(struct pfx_profile_process) processes;
	PFX_VEC(struct pfx_profile_thread) threads;
	PFX_VEC(struct pfx_profile_dso) dsos;
	PFX_VEC(struct pfx_profile_function) functions;
	PFX_VEC(struct pfx_profile_marker) markers;
	PFX_VEC(struct pfx_profile_task) tasks;
	PFX_VEC(struct pfx_profile_frame) frames;
	struct pfx_made_nodes nodes;
	PFX_VEC(struct pfx_made_stack) stacks;
	PFX_VEC(uint32_t) cpus;
	PFX_VEC(const char *) comms;
	struct pfx_hash tasks_by, cpus_by, comms_by; /* comms_by: id of the text to index */
	struct pfx_id_table frames_by_hash, stacks_by_hash;
	struct pfx_made_rows rows;
	struct pfx_row_pages *row_pages; /* what the columns are in; NULL: plain memory */
	struct pfx_row_finder finder;    /* without times */
	bool has_counts;                 /* a row stands for several samples */
	struct pfx_intern texts;
	uint32_t near_cpus[PFX_NEAR_CPUS]; /* by number: index plus 1; 0: in cpus_by, or none */
	uint64_t first_time, last_time, nr_lost;
};

/* equal_rows.c: the row that equals row @row of @rows, among the rows that were looked up before;
 * else the row becomes one of them, and is returned. */
uint32_t pfx_row_find(struct pfx_row_finder *finder, const struct pfx_made_rows *rows,
		      uint32_t row);
void pfx_row_finder_clear(struct pfx_row_finder *finder);

#endif
