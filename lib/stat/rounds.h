/* SPDX-License-Identifier: MIT */
/*
 * The counts of a recording (`stat record`), round by round. In the file they are from the
 * counter's start on; what belongs to a round is the difference to the one before.
 */
#ifndef PFX_STAT_ROUNDS_H
#define PFX_STAT_ROUNDS_H

#include "base/alloc.h"
#include "base/hash.h"
#include "event/meta.h"
#include "event/record.h"
#include "stat/stat.h"

/* A counter: an event on a CPU or thread. */
struct pfx_stat_source {
	uint32_t event;  /* its idx */
	int cpu;         /* -1: any */
	uint32_t thread; /* its place in the list of threads */
	struct pfx_count last, now;
	bool is_fresh; /* came since the last round */
};

/* A thread that was counted. */
struct pfx_stat_thread {
	int tid;
	char comm[17];
};

/* Begins as { .by = PFX_STAT_BY_ALL }, which is what a recording means that does not say. */
struct pfx_stat_rounds {
	PFX_VEC(struct pfx_stat_source) sources;
	struct pfx_hash by_key;  /* place -> index + 1 */
	PFX_VEC(uint32_t) fresh; /* sources of which something came in this round */
	PFX_VEC(struct pfx_stat_thread) threads;
	uint32_t by; /* what its rows were about: enum pfx_stat_by, or what is none of it */
	uint64_t interval_ms;
	bool no_scale;
	unsigned cache_level; /* of the rows, perf 6.5 and newer; 0: the last */
};

/* Take a record of any type. 1 when it ends a round, and fills @ret; else 0, or an error. */
int pfx_stat_rounds_take(struct pfx_stat_rounds *rounds, const struct pfx_meta *meta,
			 const struct pfx_record *rec, struct pfx_stat_round *ret,
			 struct pfx_error *err);
/* What the counter has counted in this round. */
struct pfx_count pfx_stat_source_count(const struct pfx_stat_source *source);
/* Its thread; NULL: none is known. */
const struct pfx_stat_thread *pfx_stat_source_thread(const struct pfx_stat_rounds *rounds,
						     const struct pfx_stat_source *source);
/* Bring the fresh sources in order: by event, thread and CPU. */
void pfx_stat_rounds_sort(struct pfx_stat_rounds *rounds);
/* The round was dealt with: nothing is fresh any more. */
void pfx_stat_rounds_end(struct pfx_stat_rounds *rounds);
void pfx_stat_rounds_fini(struct pfx_stat_rounds *rounds);

#endif
