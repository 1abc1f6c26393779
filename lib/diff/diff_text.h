/* SPDX-License-Identifier: MIT */
/* A comparison as a table: perf's columns. */
#ifndef PFX_DIFF_DIFF_TEXT_H
#define PFX_DIFF_DIFF_TEXT_H

#include "base/str.h"
#include "diff/measure.h"

struct pfx_diff_look {
	struct pfx_diff_measure how; /* without its event */
	uint32_t order;              /* the side whose results rows are sorted by; 0: the weight */
	const char *const *names;    /* of the sides: the files */
	const char *separator;       /* NULL: columns are padded */
	bool elided[PFX_DIFF_NR_KEYS]; /* by key: a filter leaves one text only */
	bool baseline_only;            /* rows of side 0 only */
	bool periods, formula;         /* more columns */
	bool quiet;                    /* no comments */
	bool list_files;               /* name the files even if there are two */
};

/* Append the tables of all events. */
void pfx_diff_text(const struct pfx_diff *diff, const struct pfx_diff_look *look,
		   struct pfx_str *to);

#endif
