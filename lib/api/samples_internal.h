/* SPDX-License-Identifier: MIT */
/* What the files of the door `pfx/query.h` share. */
#ifndef PFX_API_SAMPLES_INTERNAL_H
#define PFX_API_SAMPLES_INTERNAL_H

#include "api/api_internal.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "pfx/query.h"
#include "view/select/selection.h"

struct pfx_samples {
	struct pfx_profile *profile;
	/* Columns that the profile does not have as such; NULL: not made yet. */
	int32_t *pids, *tids, *cpus;
	uint32_t *ones;
};

struct pfx_answer {
	struct pfx_answer_row *rows;
	uint32_t nr_rows;
	uint64_t total, nr_samples;
	const char *event;
	/* Timelines. */
	uint64_t *cells; /* nr_cells of each row */
	uint32_t nr_cells;
	uint64_t start, cell;   /* ns: of the first cell, length of each */
	struct pfx_arena texts; /* names that the profile does not have as text */
};

/* A query with its defaults, its filter and what the filter leaves. */
struct pfx_asked {
	struct pfx_query query;
	struct pfx_view_filter filter;
	struct pfx_selection selection; /* of one event */
};

/* Check a query and apply it; *@ret becomes NULL. 0, or -EINVAL with a message. Afterwards
 * pfx_asked_fini(), also after an error. */
int pfx_asked_init(struct pfx_asked *asked, const struct pfx_samples *samples,
		   const struct pfx_query *query, struct pfx_answer **ret, struct pfx_error *err);
void pfx_asked_fini(struct pfx_asked *asked);
/* An empty answer about the event of the query. */
struct pfx_answer *pfx_answer_new(const struct pfx_asked *asked);
/* The event with this name (NULL: the first with samples): its index, or -EINVAL with a message. */
int pfx_samples_find_event(const struct pfx_samples *samples, const char *name, uint32_t *ret,
			   struct pfx_error *err);

/* Name a row of a table or a lane: @id is an index of the profile. */
void pfx_answer_name_row(struct pfx_answer *answer, const struct pfx_profile *profile,
			 enum pfx_query_by by, uint32_t id, struct pfx_answer_row *row);

/* The share of a part. */
static inline double pfx_share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

#endif
