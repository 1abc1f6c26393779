/* SPDX-License-Identifier: MIT */
/*
 * A table of counts as text: columns for a screen, fields with a separator, or a JSON object in
 * each line. The layout is perf's, which scripts parse.
 */
#ifndef PFX_OUT_STAT_TEXT_H
#define PFX_OUT_STAT_TEXT_H

#include "base/str.h"
#include "stat/stat.h"

enum pfx_stat_form { PFX_STAT_COLUMNS, PFX_STAT_FIELDS, PFX_STAT_JSON };

struct pfx_stat_style {
	enum pfx_stat_form form;
	const char *separator; /* of fields */
	const char *thousands; /* between groups of three digits; NULL: nothing */
	bool metric_only;      /* only the derived values */
	bool with_noise;       /* show the variation between runs */
	bool skip_zero;        /* omit rows with a count of 0 */
	bool colours;
	unsigned screen; /* columns of the terminal, to which names are truncated; 0: no terminal */
	const char *time; /* "     1.000123456": an interval; NULL: none */
	const char *mark; /* a word instead of the time; NULL: none */
};

/* The line above an interval's rows; nothing if the form has none. */
void pfx_stat_text_heading(const struct pfx_counts *stat, const struct pfx_stat_style *style,
			   struct pfx_str *to);
/* The names of the metrics above their columns, if only metrics are shown. */
void pfx_stat_text_metric_heading(const struct pfx_counts *stat, const struct pfx_stat_style *style,
				  struct pfx_str *to);
/* All rows. */
void pfx_stat_text_rows(const struct pfx_counts *stat, const struct pfx_stat_style *style,
			struct pfx_str *to);

/* Times of runs in seconds: the end of a text. */
struct pfx_stat_times {
	const double *runs; /* each run, for a table; NULL: no table */
	size_t nr;
	struct pfx_moments wall; /* s */
	bool has_usage;          /* of the command */
	double user, system;     /* s */
};
void pfx_stat_text_footer(const struct pfx_stat_times *times, struct pfx_str *to);

#endif
