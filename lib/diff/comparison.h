/* SPDX-License-Identifier: MIT */
/*
 * A whole comparison: the recordings as they were read, what is asked of them, and what comes out:
 * rows, subtrees, noise, amounts, verdicts on rules. Reads no recordings itself.
 *
 *	pfx_comparison_add_file(&c, "old.data", 0);
 *	pfx_comparison_add_file(&c, "new.data", 1);
 *	c.files.at[0].profile = ...
 *	rc = pfx_comparison_make(&c, &err);
 *	pfx_diff_text(c.diff, &c.look, &text);
 *	pfx_comparison_notes(&c, &notes);
 *	pfx_comparison_fini(&c);
 */
#ifndef PFX_DIFF_COMPARISON_H
#define PFX_DIFF_COMPARISON_H

#include "base/alloc.h"
#include "diff/diff_text.h"
#include "out/notes_text.h"
#include "read/recording.h"

/* A recording that is compared. */
struct pfx_compared_file {
	const char *path; /* borrowed */
	uint32_t side;
	/* Once it was read, with times if noise is asked for; NULL: it has counts instead of
	 * samples. Owned. */
	struct pfx_profile *profile;
	char *machine; /* what it was recorded on: CPU and kernel; owned; NULL: unknown */
};

/* What is made besides the rows. */
enum pfx_comparison_form {
	PFX_COMPARISON_ROWS,
	PFX_COMPARISON_TREE,   /* the subtrees that explain the change */
	PFX_COMPARISON_FOLDED, /* chains by thread */
};

/* Zero-initialize. */
struct pfx_comparison {
	/* What is asked, set by the caller. */
	struct pfx_diff_options model; /* model.noise as by pfx_comparison_wants_times() */
	struct pfx_diff_look look;     /* the making sets what it says of noise, rules, amounts */
	enum pfx_comparison_form form;
	const struct pfx_sym_options *binaries; /* where renamed functions are looked up */
	bool with_noise;                        /* for rows and subtrees */
	bool ignore_noise;                      /* the same for rules */
	uint64_t min_samples;                   /* of rules, as in struct pfx_diff_gate */
	double min_share;
	/* By functions above. */
	PFX_VEC(struct pfx_compared_file) files;
	PFX_VEC(char *) names; /* by side: its files */
	PFX_VEC(struct pfx_diff_rule) rules;
	struct pfx_diff_amounts *amounts; /* counts may be added before it is made; NULL: none */
	/* The result, which @look has, too. */
	struct pfx_diff *diff;
	struct pfx_diff *total; /* inclusive, for rules about total; NULL: none */
	struct pfx_diff *tree;  /* of the other forms; NULL: not asked */
	struct pfx_diff_noise *noise, *tree_noise; /* tree_noise: of subtrees */
	PFX_VEC(struct pfx_diff_verdict) verdicts; /* by rule */
};

/* The path is borrowed. */
void pfx_comparison_add_file(struct pfx_comparison *c, const char *path, uint32_t side);
/* Add a rule, or those of a file: one a line; empty lines and those that begin with # are skipped.
 * -EINVAL names what cannot be read, and the line. */
int pfx_comparison_add_rule(struct pfx_comparison *c, const char *text, struct pfx_error *err);
int pfx_comparison_read_rules(struct pfx_comparison *c, const char *path, struct pfx_error *err);
/* Whether a rule needs call chains. */
bool pfx_comparison_has_total(const struct pfx_comparison *c);
/* Add the counts of an opened file of `stat record`; with intervals, their sums. */
int pfx_comparison_add_counts(struct pfx_comparison *c, const struct pfx_compared_file *file,
			      struct pfx_recording *recording, struct pfx_error *err);
/* Take "CPU, kernel" from its description; @meta may be NULL. */
void pfx_compared_file_describe(struct pfx_compared_file *file, const struct pfx_meta *meta);

/* Baselines: recordings that are kept by name in the directory @dir. */
/* Add the runs of a baseline to the old side. */
int pfx_comparison_load(struct pfx_comparison *c, const char *dir, const char *name,
			struct pfx_error *err);
/* What keeping did. */
struct pfx_comparison_kept {
	size_t bytes;
	bool replaces; /* what was kept under the name before */
};
/* Keep all files that were read. */
int pfx_comparison_keep(const struct pfx_comparison *c, const char *dir, const char *name,
			struct pfx_comparison_kept *ret, struct pfx_error *err);

/* Compare, and check the rules. -EINVAL: there is nothing that both sides have. */
int pfx_comparison_make(struct pfx_comparison *c, struct pfx_error *err);
/* Events that are not compared, or by another name, and recordings of different machines. */
void pfx_comparison_notes(const struct pfx_comparison *c, const struct pfx_note_to *to);
/* A line for each rule that is broken, that checks nothing or, with @excuses, that only noise would
 * break. Returns the number of broken ones. */
unsigned pfx_comparison_verdicts(const struct pfx_comparison *c, bool excuses,
				 const struct pfx_note_to *to);
void pfx_comparison_fini(struct pfx_comparison *c);

#endif
