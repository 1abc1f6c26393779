/* SPDX-License-Identifier: MIT */
/*
 * The comparison of recordings: a model without terminal, file or kernel. A comparison has sides:
 * side 0 is the old one (the baseline), each other side is compared with it. A side has one or more
 * runs, and a run is a profile (view/profile.h). Events are matched by name, rows by the texts of
 * their keys, and then across builds: see lib/diff/match_rows.c. Owns its rows and texts, borrows
 * the profiles until pfx_diff_finish() returns.
 *
 *	diff = pfx_diff_new(&options);
 *	pfx_diff_add_run(diff, 0, old);
 *	pfx_diff_add_run(diff, 1, new);
 *	pfx_diff_finish(diff);
 *	for (i = 0; i < pfx_diff_nr_events(diff); i++)
 *		show(pfx_diff_event_at(diff, i));
 *	pfx_diff_free(diff);
 */
#ifndef PFX_DIFF_DIFF_H
#define PFX_DIFF_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "read/filter.h"
#include "sym/find/request.h"
#include "view/profile/profile.h"

/* What rows are distinguished by. */
enum pfx_diff_key {
	PFX_DIFF_COMM,
	PFX_DIFF_DSO,
	PFX_DIFF_SYM,
	PFX_DIFF_LINE,  /* requires profiles with lines */
	PFX_DIFF_FILE,  /* the same */
	PFX_DIFF_CHAIN, /* the names of all frames, callers first */
	PFX_DIFF_CPU,
	PFX_DIFF_PROCESS,
	PFX_DIFF_THREAD,
	PFX_DIFF_PATH, /* private to diff/tree.h: the callers of a frame and the frame */
	PFX_DIFF_NR_KEYS,
};

/* A key as words: of -s (perf's and ours), and the title of its column. */
struct pfx_diff_key_info {
	const char *name, *other_name; /* other_name: NULL or a second word */
	const char *title;
};

extern const struct pfx_diff_key_info pfx_diff_keys[PFX_DIFF_NR_KEYS];

#define PFX_DIFF_KEYS_MAX PFX_DIFF_NR_KEYS

/* The keys of a list like "dso,sym": -EINVAL with a message if a word is not a key. */
int pfx_diff_keys_parse(const char *words, enum pfx_diff_key keys[PFX_DIFF_KEYS_MAX],
			uint32_t *ret_nr, struct pfx_error *err);

struct pfx_diff_renames; /* diff/renames.h */

struct pfx_diff_options {
	enum pfx_diff_key keys[PFX_DIFF_KEYS_MAX];
	uint32_t nr_keys;
	uint32_t nr_sides;
	const struct pfx_filter *filter; /* names and ids; rows that it drops are not shown */
	bool relative;  /* totals are those of the rows that pass the filter, not of all samples */
	bool exact;     /* match rows by equal texts only */
	bool inlines;   /* inlined functions have rows of their own */
	bool long_dsos; /* paths instead of file names */
	/* A sample counts for the functions of all its frames, once each, instead of for the
	 * sampled one. */
	bool inclusive;
	/* Names that functions of side 0 got later, found in another comparison; NULL: none. */
	const struct pfx_diff_renames *renames;
	/* Where binaries are found, whose code shows which functions were renamed; NULL: renamed
	 * functions are not searched. Only used with rows by function. */
	const struct pfx_sym_options *binaries;
	bool noise;      /* keep what diff/noise.h needs: the profiles must have times */
	bool by_samples; /* numbers of samples count as periods */
};

/* What a side has in a row: sums over its runs. */
struct pfx_diff_value {
	uint64_t period, samples;
};

/* How a row was found in the sides. */
enum pfx_diff_state {
	PFX_DIFF_IN_BOTH,
	PFX_DIFF_NEW,      /* not in side 0 */
	PFX_DIFF_VANISHED, /* only in side 0 */
	PFX_DIFF_RENAMED,  /* in side 0 under another name; see old_texts */
};

/* Texts are untrusted. */
struct pfx_diff_row {
	const char *texts[PFX_DIFF_KEYS_MAX]; /* by key, in the order of the options */
	/* The same in side 0 where they differ; NULL: they are equal, or the row is new. */
	const char *old_texts[PFX_DIFF_KEYS_MAX];
	char level;      /* of the first sample: k kernel, . user, g guest kernel, u guest user */
	bool is_inlined; /* a function that only occurs inlined */
	bool by_other_build; /* matched by other means than equal texts */
	enum pfx_diff_state state;
	struct pfx_diff_value *values; /* by side */
	uint32_t id, series;           /* private */
};

/* An event of side 0 that another side has, too. */
struct pfx_diff_event {
	const char *name;
	const char *other_name;        /* in recordings with another precision; NULL: the same */
	struct pfx_diff_value *totals; /* by side: what is 100 percent */
	bool *is_in_side;              /* by side: false if it has no such event */
	struct pfx_diff_row *rows;     /* in order of appearance */
	uint32_t nr_rows;
	uint32_t number, nr_series; /* private */
};

struct pfx_diff;

/* Copies the options, but not what they point to. */
struct pfx_diff *pfx_diff_new(const struct pfx_diff_options *options);
void pfx_diff_free(struct pfx_diff *diff);
const struct pfx_diff_options *pfx_diff_options(const struct pfx_diff *diff);
/* Add a run to a side, and count its samples. */
void pfx_diff_add_run(struct pfx_diff *diff, uint32_t side, const struct pfx_profile *profile);
/* Match the rows. */
void pfx_diff_finish(struct pfx_diff *diff);
/* The functions that were renamed, for another comparison of the same profiles; lives as long as
 * this one. */
const struct pfx_diff_renames *pfx_diff_found_renames(const struct pfx_diff *diff);
/* The events of side 0 that at least one other side has, in order. */
uint32_t pfx_diff_nr_events(const struct pfx_diff *diff);
const struct pfx_diff_event *pfx_diff_event_at(const struct pfx_diff *diff, uint32_t i);
/* Whether any side has samples of the event. */
bool pfx_diff_has_samples(const struct pfx_diff *diff, const struct pfx_diff_event *event);
uint32_t pfx_diff_nr_runs(const struct pfx_diff *diff, uint32_t side);

#endif
