/* SPDX-License-Identifier: MIT */
/* What the parts of lib/hist share: combinations, converted chains, the growing tables. */
#ifndef PFX_HIST_HIST_INTERNAL_H
#define PFX_HIST_HIST_INTERNAL_H

#include "base/arena.h"
#include "hist/hist.h"

/* What tells samples of an event apart; unused parts are 0. */
struct pfx_bucket_key {
	uint32_t place, chain, thread, comm;
	uint32_t cpu, text;
	uint32_t fails; /* 1: the filter by thread or comm is against it */
};

/* Samples of an event that are equal for all that is shown. */
struct pfx_bucket {
	struct pfx_bucket_key key;
	uint32_t thread, comm; /* of the first sample */
	uint32_t cpu;
	uint64_t period, count;
};

struct pfx_tally {
	struct pfx_bucket *buckets;
	uint32_t nr, cap;
	uint32_t *table; /* index + 1, 0 is free */
	uint32_t table_cap;
};

/* A chain as node ids in display order: root first for order caller, else leaf first. */
struct pfx_frames {
	uint32_t *nodes;
	uint32_t nr;
	bool made;
};

struct pfx_row_chain {
	const struct pfx_frames *frames;
	uint32_t pos; /* the first frame that counts */
	uint64_t period, count;
};

struct pfx_hist_build {
	struct pfx_hist hist;       /* what users see */
	struct pfx_tally **tallies; /* one for each member */
	struct pfx_intern keys;     /* of rows */
	PFX_VEC(struct pfx_row *) all;
};

struct pfx_hists {
	struct pfx_hist_options options;
	struct pfx_arena arena;
	struct pfx_tally *tallies; /* by event idx */
	uint32_t nr_tallies;
	bool key_thread, key_comm, key_cpu, key_text; /* what columns need in a bucket's key */
	uint8_t *thread_fails, *comm_fails;           /* by id: 0 unknown, 1 passes, 2 fails */
	uint32_t nr_thread_fails, nr_comm_fails;
	struct pfx_frames *frames; /* by chain id */
	uint32_t nr_frames;
	PFX_VEC(struct pfx_place *) nodes; /* a place for each node id */
	struct pfx_intern by_address;      /* (dso, addr) to node id, with -g address */
	struct pfx_hist_build **builds;
	uint32_t nr_builds;
};

/* The frames of a chain, converted when first asked for. */
const struct pfx_frames *pfx_hist_frames(struct pfx_hists *hists, uint32_t chain_id);
/* Put the rows in order into hist->rows. */
void pfx_hist_sort(struct pfx_hists *hists, struct pfx_hist_build *build);
/* The smallest period that a branch of the call tree needs to be shown. */
uint64_t pfx_hist_min_hit(const struct pfx_hists *hists, const struct pfx_hist *hist,
			  const struct pfx_row *row);

#endif
