/* SPDX-License-Identifier: MIT */
/*
 * Samples of one event by address, for profiles that compilers and linkers read. With branch stacks
 * also branches and the code that ran between two of them, each distinct one once.
 */
#ifndef PFX_EXPORT_SAMPLES_PGO_COUNTS_H
#define PFX_EXPORT_SAMPLES_PGO_COUNTS_H

#include "base/alloc.h"
#include "base/hash.h"
#include "export/samples/export_stream.h"

struct pfx_pgo_branch {
	struct pfx_place *from, *to;
	uint64_t count, mispredicted;
};

/* Code that ran from its first to its last instruction. */
struct pfx_pgo_range {
	struct pfx_place *begin, *end;
	uint64_t count;
};

struct pfx_pgo {
	const struct pfx_event *event; /* NULL: no samples */
	PFX_VEC(uint64_t) places;      /* samples by id of the place */
	PFX_VEC(struct pfx_pgo_branch) branches;
	PFX_VEC(struct pfx_pgo_range) ranges;
	uint64_t nr_samples;
	/* private */
	struct pfx_resolver *resolver;
	struct pfx_hash branch_at, range_at; /* ids of two places to an index */
	int failure;
	struct pfx_error *err;
};

/* Read all samples. -EINVAL with a message if they are of several events: a profile has one. Free
 * the counts with pfx_pgo_fini(), also after an error. */
int pfx_pgo_read(const struct pfx_export_stream *stream, struct pfx_pgo *ret,
		 struct pfx_error *err);
void pfx_pgo_fini(struct pfx_pgo *pgo);

#endif
