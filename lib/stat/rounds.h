/* SPDX-License-Identifier: MIT */
/*
 * The counts of a recording (`stat record`), round by round. Counts in the file are totals; the
 * count of a round is the difference to the round before.
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
	uint32_t thread; /* its index in the list of threads */
	struct pfx_count last, now;
	bool is_fresh; /* updated in this round */
};

/* A counted thread. */
struct pfx_stat_thread {
	int tid;
	char comm[17];
};

/* Initialize with { .by = PFX_STAT_BY_ALL }, the default of recordings without this information. */
struct pfx_stat_rounds {
	PFX_VEC(struct pfx_stat_source) sources;
	struct pfx_hash by_key;  /* key to index + 1 */
	PFX_VEC(uint32_t) fresh; /* sources updated in this round */
	PFX_VEC(struct pfx_stat_thread) threads;
	uint32_t by; /* aggregation of the recording: enum pfx_stat_by, or an unknown value */
	uint64_t interval_ms;
	bool no_scale;
	unsigned cache_level; /* for the rows, perf 6.5 and newer; 0: the last */
};

/* Process a record of any type. 1 if it ends a round, and fills @ret; else 0, or an error. */
int pfx_stat_rounds_take(struct pfx_stat_rounds *rounds, const struct pfx_meta *meta,
			 const struct pfx_record *rec, struct pfx_stat_round *ret,
			 struct pfx_error *err);
/* The increase of the counter in this round. */
struct pfx_count pfx_stat_source_count(const struct pfx_stat_source *source);
/* Its thread; NULL if unknown. */
const struct pfx_stat_thread *pfx_stat_source_thread(const struct pfx_stat_rounds *rounds,
						     const struct pfx_stat_source *source);
/* Sort the fresh sources by event, thread and CPU. */
void pfx_stat_rounds_sort(struct pfx_stat_rounds *rounds);
/* End the round: no source is fresh any more. */
void pfx_stat_rounds_end(struct pfx_stat_rounds *rounds);
void pfx_stat_rounds_fini(struct pfx_stat_rounds *rounds);

#endif
