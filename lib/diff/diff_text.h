/* SPDX-License-Identifier: MIT */
/* A comparison as a table: perf's columns. */
#ifndef PFX_DIFF_DIFF_TEXT_H
#define PFX_DIFF_DIFF_TEXT_H

#include "base/str.h"
#include "diff/rules.h"

struct pfx_diff_look {
	struct pfx_diff_measure how; /* without its event */
	uint32_t order;              /* the side whose results rows are sorted by; 0: the weight */
	const char *const *names;    /* of the sides: the files */
	const char *separator;       /* NULL: columns are padded */
	bool elided[PFX_DIFF_NR_KEYS];      /* by key: a filter leaves one text only */
	bool baseline_only;                 /* rows of side 0 only */
	bool periods, formula;              /* more columns */
	bool quiet;                         /* no comments */
	bool list_files;                    /* name the files even if there are two */
	const struct pfx_diff_noise *noise; /* NULL: not shown */
	/* What explains the change: a comparison with pfx_diff_tree_options(), and its noise; NULL:
	 * not shown. Subtrees that changed by less than @least are left out. */
	const struct pfx_diff *tree;
	const struct pfx_diff_noise *tree_noise;
	double least;
	bool beyond_noise;                      /* leave rows within noise out */
	const struct pfx_diff_amounts *amounts; /* NULL: none */
	/* Rules that were checked, and what became of them; for JSON and Markdown. */
	const struct pfx_diff_rule *rules;
	const struct pfx_diff_verdict *verdicts;
	uint32_t nr_rules;
};

/* Whether a row is shown: see baseline_only, beyond_noise. */
bool pfx_diff_is_shown(const struct pfx_diff_look *look, const struct pfx_diff_event *event,
		       const struct pfx_diff_row *row);
/* Whether all differences of a row are within noise; false if that is not known. */
bool pfx_diff_is_within(const struct pfx_diff_look *look, const struct pfx_diff_event *event,
			const struct pfx_diff_row *row);

/* Append the tables of all events, and that of the amounts if there are no events. */
void pfx_diff_text(const struct pfx_diff *diff, const struct pfx_diff_look *look,
		   struct pfx_str *to);

/* What explains the change, look->tree. */
void pfx_diff_tree_text(const struct pfx_diff_look *look, struct pfx_str *to);
/* Lines "comm;root;...;leaf OLD NEW", of a comparison with the keys COMM and CHAIN: the form of
 * difffolded.pl, for flame graphs. With the weight share, old counts are scaled to the new total.
 * Of several sides, the last. */
void pfx_diff_folded(const struct pfx_diff *diff, const struct pfx_diff_look *look,
		     struct pfx_str *to);
/* The rows as one JSON object (Documentation/diff-schema.json), with the subtrees of look->tree;
 * and as Markdown for a comment. */
void pfx_diff_json(const struct pfx_diff *diff, const struct pfx_diff_look *look,
		   struct pfx_str *to);
void pfx_diff_markdown(const struct pfx_diff *diff, const struct pfx_diff_look *look,
		       struct pfx_str *to);

#endif
