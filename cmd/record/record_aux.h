/* SPDX-License-Identifier: MIT */
/*
 * Traces that a PMU writes into AUX areas, in `pfx record`: their options, which event makes them,
 * and how they come into the file.
 */
#ifndef PFX_CMD_RECORD_AUX_H
#define PFX_CMD_RECORD_AUX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/error.h"
#include "event/env.h"
#include "pmu/aux_info.h"
#include "sys/counter/aux_area.h"
#include "sys/counter/counter.h"

#define PFX_RECORD_AUX_SAMPLE 4096 /* bytes of a trace in a sample unless said otherwise */

struct pfx_recorder;
struct pfx_record_options;

struct pfx_record_aux_options {
	uint64_t bytes;          /* of an area, -m ,N; 0: by permission */
	bool snapshot;           /* -S: only the newest bytes, on demand */
	bool snapshot_at_end;    /* -Se */
	uint64_t snapshot_bytes; /* 0: the whole area */
	uint64_t sample_bytes;   /* --aux-sample, 0: none */
};

/* While it records the queue's thread has all but what is said to be atomic. */
struct pfx_record_aux {
	enum pfx_aux_kind kind; /* PFX_AUX_NONE: nothing traces */
	const char *pmu;
	bool keeps_newest;
	bool in_samples;   /* pieces of the trace stand in samples: the areas are not read */
	unsigned switches; /* what records tell of switches, see struct pfx_aux_facts */
	uint64_t bytes;    /* of an area */
	struct pfx_aux_areas areas;
	uint64_t *asked; /* the head of each area when it was last asked for; the other thread's */
	bool wants_snapshot; /* the other thread's */
	bool is_off;         /* atomic: the events are switched off, and stay so */
	PFX_VEC(struct pfx_env_aux_index) index; /* of the file at hand */
	uint64_t nr_bytes;                       /* written */
};

/* -S and --aux-sample. */
int pfx_record_opt_snapshot(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_aux_sample(void *options, const char *arg, bool unset, struct pfx_error *err);

/* Once all options are known: bring the event that traces to the front, put events that need it
 * into its group, and check what goes together. */
int pfx_record_aux_arrange(struct pfx_record_options *o, struct pfx_error *err);
/* What the tracing event, its group and the sampling of all are to have. */
int pfx_record_aux_setup(struct pfx_recorder *rec, struct pfx_sampling *sampling,
			 struct pfx_error *err);
/* Map the areas beside the rings; nothing to do without a tracing event. *@ret_too_large: another
 * size may do, see pfx_record_aux_shrink(). */
int pfx_record_aux_map(struct pfx_recorder *rec, bool *ret_too_large, struct pfx_error *err);
/* Of the rings beside the areas, unless the user chose them: both count against one limit. */
size_t pfx_record_aux_ring_bytes(const struct pfx_recorder *rec, size_t bytes);
/* Take smaller areas; false when they are the smallest, or the user chose them. */
bool pfx_record_aux_shrink(struct pfx_recorder *rec);
/* AUXTRACE_INFO, for the head of a file. */
int pfx_record_aux_describe(struct pfx_recorder *rec, struct pfx_buffer *to, struct pfx_error *err);
/* A file begins, and a file ends: the index of its AUXTRACE records. */
void pfx_record_aux_begin_file(struct pfx_recorder *rec);
void pfx_record_aux_end_file(struct pfx_recorder *rec);

/* --- on the thread that empties the rings --- */
/* SIGUSR2 or "snapshot": stop the trace; it is written after this pass over the rings. */
void pfx_record_aux_want_snapshot(struct pfx_recorder *rec);
/* After a pass over the rings: hand over what the areas have. */
int pfx_record_aux_pass(struct pfx_recorder *rec, struct pfx_error *err);
/* The same at the end, when all events are off. */
int pfx_record_aux_last(struct pfx_recorder *rec, struct pfx_error *err);
/* The events are switched on or off: whether a full area is started again. */
void pfx_record_aux_set_off(struct pfx_recorder *rec, bool off);

/* --- on the queue's thread --- */
/* Answer a request, one of those from PFX_OUTPUT_ASK_OWN on: the number of an area. */
int pfx_record_aux_answer(struct pfx_recorder *rec, size_t request, struct pfx_error *err);

/* Unmap the areas and free the index. */
void pfx_record_aux_fini(struct pfx_recorder *rec);

#endif
