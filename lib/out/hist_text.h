/* SPDX-License-Identifier: MIT */
/*
 * A table of lib/hist as text, in the layout of `perf report --stdio`: lines about the event, heads
 * of the columns, rows, and a call tree below each row. Untrusted text is escaped. Text is appended
 * to a string, which is written to standard output when it gets large.
 */
#ifndef PFX_OUT_HIST_TEXT_H
#define PFX_OUT_HIST_TEXT_H

#include <stdbool.h>

#include "base/str.h"
#include "hist/blocks.h"
#include "hist/hist.h"

struct pfx_hist_text {
	const char *separator;  /* between the columns; NULL: blanks and aligned columns */
	const char *time;       /* the value of --time, for the line about the event; NULL: none */
	const uint32_t *socket; /* the one of --socket-filter; NULL: all */
	const char *sort;       /* for memory accesses: the keys; NULL: other samples */
	bool colours;
	bool quiet;   /* rows only */
	bool verbose; /* long names of dsos, addresses of symbols */
	bool ns;      /* times with all nine digits */
	bool full_source_path;
	unsigned screen;       /* columns of the terminal: rules and padding fit it;
				* 0: no terminal, or a separator */
	uint32_t max_rows;     /* rows of a table that is not a hierarchy; 0: all */
	bool fit_names;        /* names of functions are shortened for the screen */
	bool skip_first_frame; /* the tree omits its first frame, since the row shows it (-s sym) */
};

/* The lines "# Samples:" and "# Event count". */
void pfx_hist_text_event(const struct pfx_hist_text *how, const struct pfx_hists *hists,
			 const struct pfx_hist *hist, struct pfx_str *to);
/* The number of branches by type; nothing if branch stacks do not contain types. */
void pfx_branch_counts_text(const struct pfx_branch_counts *counts, struct pfx_str *to);
/* Blocks of code between branches, with column headings; as pfx_hist_text_rows(). */
int pfx_block_text_rows(const struct pfx_hist_text *how, struct pfx_hists *hists,
			const struct pfx_hist *hist, struct pfx_str *to);
/* "[file:line -> file:line]"; without lines, offsets in the function, with its name if the binary
 * is not available. Blocks with an unknown start are shown from the start of the function. */
void pfx_block_range(struct pfx_resolver *resolver, const struct pfx_block *block, bool full_path,
		     struct pfx_str *to);
/* Column headings and rows: 0, or a negative errno of standard output. */
int pfx_hist_text_rows(const struct pfx_hist_text *how, const struct pfx_hists *hists,
		       const struct pfx_hist *hist, struct pfx_str *to);
/* One line about samples without a symbol: their share, and the binaries with most of them. Nothing
 * below 1 percent. Returns the number of binaries in the line; *@ret_most: the first, or NULL. */
unsigned pfx_missing_text(const struct pfx_hists *hists, struct pfx_str *to,
			  const struct pfx_dso **ret_most);

#endif
