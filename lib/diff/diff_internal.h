/* SPDX-License-Identifier: MIT */
/* What the files of lib/diff share. */
#ifndef PFX_DIFF_INTERNAL_H
#define PFX_DIFF_INTERNAL_H

#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"
#include "diff/diff.h"
#include "diff/renames.h"

/* The identity of a row: ids of texts, 0 for keys that are not used. */
struct pfx_diff_identity {
	uint32_t texts[PFX_DIFF_NR_KEYS];
};

/* One run, with its samples by event and row. */
struct pfx_diff_run {
	const struct pfx_profile *profile;
	uint32_t side;
	/* By row of the profile: the list of its identities, PFX_NO_ID: the filter drops it. */
	uint32_t *rows;
	PFX_VEC(uint32_t)
	lists; /* by list: where it begins in ids; the next one begins at its end */
	PFX_VEC(uint32_t) ids;
	uint32_t *event_of; /* by event of the profile: the event here, PFX_NO_ID: none */
};

struct pfx_diff_example {
	uint32_t run, function;
};

/* An event of a run in slices of time. */
struct pfx_diff_series {
	uint32_t nr;         /* slices; 0: the run has no times, or no samples */
	float *totals;       /* by slice: the periods of all samples that are 100 percent */
	float *values;       /* by series, then by slice: those of a row */
	double sum, squares; /* of the periods, and of their squares */
};

/* The sums of one event, on one side. */
struct pfx_diff_sums {
	PFX_VEC(struct pfx_diff_value) by_row; /* by identity */
	PFX_VEC(char) levels;                  /* the same: of the first sample; 0: none */
	struct pfx_diff_value all, passed;
	bool exists;
};

/* Events whose names differ in precision alone: the first one, and one that counts as it; index
 * plus 1, 0: none. */
struct pfx_diff_kin {
	uint32_t first, other;
};

struct pfx_diff {
	struct pfx_diff_options options;
	struct pfx_intern texts;      /* of keys; id 0 is the empty text */
	struct pfx_intern identities; /* struct pfx_diff_identity; the id is the row's */
	PFX_VEC(char) levels;         /* by identity */
	PFX_VEC(bool) inlined;        /* the same */
	/* The same: a function that has samples in it, in the first run of side 0 and in the first
	 * of another side; run plus 1, 0: none. */
	PFX_VEC(struct pfx_diff_example) examples[2];
	struct pfx_diff_renames renames;
	struct pfx_hash libraries; /* text of a library that only side 0 has: its new name */
	struct pfx_intern event_names, event_bases; /* bases: without precision */
	PFX_VEC(uint32_t) event_runs;               /* by name: the last run that has it, plus 1 */
	PFX_VEC(struct pfx_diff_kin) kin;           /* by base */
	uint32_t nr_matched;                        /* runs whose events are matched */
	PFX_VEC(struct pfx_diff_run) runs;
	PFX_VEC(struct pfx_diff_sums) sums; /* by event, then by side */
	uint32_t *merged; /* by identity: the identity that it is part of; itself if none */
	uint8_t *is_renamed;
	uint32_t *old_of; /* by identity: the one of side 0 with other texts; PFX_NO_ID: none */
	PFX_VEC(struct pfx_diff_event) events;
	PFX_VEC(struct pfx_diff_series) series; /* by event of `events`, then by run */
	struct pfx_arena arena;                 /* rows and values */
};

/* Texts of PFX_DIFF_PATH and PFX_DIFF_CHAIN are "PARENT;NAME": pass the names of all frames on,
 * callers first. */
typedef void (*pfx_diff_name_fn)(const char *name, bool is_last, struct pfx_str *to);
void pfx_diff_each_name(const struct pfx_diff *diff, uint32_t text, pfx_diff_name_fn add,
			struct pfx_str *to);
/* Append them with semicolons; escaped. */
void pfx_diff_add_path(const struct pfx_diff *diff, uint32_t text, struct pfx_str *to);
/* The number of the callers' text; 0: none. */
uint32_t pfx_diff_path_parent(const char *text);

static inline const struct pfx_diff_identity *pfx_diff_identity_at(const struct pfx_diff *diff,
								   uint32_t id)
{
	return (const void *)pfx_intern_get(&diff->identities, id);
}

static inline struct pfx_diff_sums *pfx_diff_sums_at(struct pfx_diff *diff, uint32_t event,
						     uint32_t side)
{
	return pfx_vec_slot(&diff->sums, (size_t)event * diff->options.nr_sides + side);
}

static inline const struct pfx_diff_series *pfx_diff_series_at(const struct pfx_diff *diff,
							       size_t event, size_t run)
{
	return &diff->series.at[event * diff->runs.nr + run];
}

/* The identities of the samples of a run: sets run->rows, lists and ids. */
void pfx_diff_identify(struct pfx_diff *diff, struct pfx_diff_run *run);
/* Sets diff->series, and the series of rows. */
void pfx_diff_make_series(struct pfx_diff *diff);
void pfx_diff_free_series(struct pfx_diff *diff);
/* Where an identity has samples. */
enum { PFX_DIFF_IN_OLD = 1, PFX_DIFF_IN_OTHERS = 2 };
/* Merge functions that got other names; @where and @weights (samples) by identity. */
void pfx_diff_match_renames(struct pfx_diff *diff, const uint8_t *where, const uint64_t *weights);
/* Sets diff->merged and old_of. */
void pfx_diff_match_rows(struct pfx_diff *diff);

#endif
