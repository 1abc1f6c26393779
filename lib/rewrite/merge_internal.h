/* SPDX-License-Identifier: MIT */
/* The parts of a merge: what a scan found of each input, and how its records change. */
#ifndef PFX_REWRITE_MERGE_INTERNAL_H
#define PFX_REWRITE_MERGE_INTERNAL_H

#include "base/alloc.h"
#include "base/hash.h"
#include "read/recording.h"
#include "rewrite/merge.h"

/* A mapping of the kernel or of a module. */
struct pfx_merge_map {
	uint64_t addr, len, pgoff;
	char *name;
};

struct pfx_merge_source {
	struct pfx_merge_input told;
	struct pfx_recording *recording; /* that was scanned: its header is complete */
	struct pfx_recording *copied;    /* the second reading */
	struct pfx_item item;            /* the next record, if has_item */
	bool has_item;
	/* From the scan: */
	struct pfx_hash ids; /* numbers of processes and threads */
	PFX_VEC(struct pfx_merge_map) maps;
	/* Changes: */
	uint64_t text_start, text_end;      /* the kernel's own code, if it moved */
	uint64_t text_shift, kernel_shift;  /* added to addresses of its code, and to all others */
	PFX_VEC(struct pfx_event *) events; /* of the output, by event of the input */
	struct pfx_intern build_names;      /* with a build ID; made for the first map */
	PFX_VEC(uint32_t) build_ids;        /* by name: index in the header, plus 1 */
	struct pfx_hash new_ids;            /* ids of the input to those of the output */
	PFX_VEC(uint64_t) first_ids;        /* of the output, by event of the input */
	PFX_VEC(uint64_t) chain;            /* scratch */
	struct pfx_buffer branches, read;   /* scratch */
};

struct pfx_merge {
	struct pfx_merge_options options;
	struct pfx_merge_source *sources;
	struct pfx_meta *meta; /* of the output */
	struct pfx_writer *writer;
	struct pfx_buffer pending;
	uint64_t since_round; /* bytes */
};

/* merge_plan.c: what changes, after all inputs were scanned. */
int pfx_merge_scan(struct pfx_merge_source *source, struct pfx_error *err);
int pfx_merge_plan(struct pfx_merge *merge, struct pfx_error *err);
/* The kernel's own mapping; NULL: none was recorded. */
const struct pfx_merge_map *pfx_merge_kernel_map(const struct pfx_merge_source *source);
bool pfx_merge_is_kernel_name(const char *name);

/* merge_events.c: events, ids and the header of the output. */
int pfx_merge_make_meta(struct pfx_merge *merge, struct pfx_error *err);

/* merge_records.c: append the record with its changes: 1; 0: it is left out. */
int pfx_merge_change(struct pfx_merge_source *source, const struct pfx_item *item,
		     struct pfx_buffer *to);

#endif
