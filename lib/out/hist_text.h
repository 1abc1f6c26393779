/* SPDX-License-Identifier: MIT */
/*
 * A table of lib/hist as text, in the layout of `perf report --stdio`: lines about the event, heads
 * of the columns, rows, and a call tree below each row. Foreign text is escaped. Text is appended
 * to a string; when that grows large, it is written to standard output.
 */
#ifndef PFX_OUT_HIST_TEXT_H
#define PFX_OUT_HIST_TEXT_H

#include <stdbool.h>

#include "base/str.h"
#include "hist/hist.h"

struct pfx_hist_text {
	const char *separator; /* between the columns; NULL: blanks and aligned columns */
	const char *time;      /* the words of --time, for the line about the event; NULL: none */
	bool colours;
	bool quiet;            /* rows only */
	bool verbose;          /* long names of dsos, addresses of symbols */
	bool skip_first_frame; /* the row says already what the tree begins with (-s sym) */
};

/* The lines "# Samples:" and "# Event count". */
void pfx_hist_text_event(const struct pfx_hist_text *how, const struct pfx_hists *hists,
			 const struct pfx_hist *hist, struct pfx_str *to);
/* Heads and rows: 0, or a negative errno of standard output. */
int pfx_hist_text_rows(const struct pfx_hist_text *how, const struct pfx_hists *hists,
		       const struct pfx_hist *hist, struct pfx_str *to);

#endif
