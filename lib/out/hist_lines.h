/* SPDX-License-Identifier: MIT */
/*
 * A table of lib/hist as lines for a screen: the rows of out/hist_text.h one by one, each with a
 * key that is equal for the same row of a newer table. Rows of a hierarchy and call trees are open
 * or closed. Owns its text. Zero-initialize.
 */
#ifndef PFX_OUT_HIST_LINES_H
#define PFX_OUT_HIST_LINES_H

#include "base/alloc.h"
#include "out/hist_text.h"

struct pfx_hist_line {
	uint64_t key;   /* never 0 */
	size_t text;    /* its offset in the text of all lines */
	uint32_t depth; /* below the first level, or in a call tree: not 0 */
	uint32_t mark;  /* the column for a sign that it is open; there are two blanks */
	bool has_kids, is_open;
	double percent;
	const struct pfx_place *place; /* of a row whose function is among its columns; else NULL */
	const struct pfx_row *row;     /* NULL: of a call tree */
	size_t nr_keys;                /* of the levels of a hierarchy, those that the row has */
};

/* A column that lines can be sorted by. */
struct pfx_hist_lines_column {
	enum pfx_key key;
	unsigned x, width; /* in the heading */
};

struct pfx_hist_lines {
	struct pfx_str text;
	struct pfx_str heading; /* one line */
	PFX_VEC(struct pfx_hist_line) at;
	PFX_VEC(struct pfx_hist_lines_column) columns; /* from left to right */
};

struct pfx_hist_lines_options {
	struct pfx_hist_text how; /* colours and separators are not used */
	double min_percent;       /* besides the limit of the hists */
	bool (*is_open)(const void *context, uint64_t key);
	const void *context;
};

/* Replace the lines by those of a table. */
void pfx_hist_lines_make(struct pfx_hist_lines *lines, const struct pfx_hist_lines_options *options,
			 const struct pfx_hists *hists, const struct pfx_hist *hist);
/* The same of hists with options.blocks: a line for each block of code between branches, in the
 * order of a column, from 1 on; 0: the most cycles first. The keys of its columns are PFX_KEY_NR.
 */
void pfx_block_lines_make(struct pfx_hist_lines *lines,
			  const struct pfx_hist_lines_options *options, struct pfx_hists *hists,
			  const struct pfx_hist *hist, unsigned order);
const char *pfx_hist_line_text(const struct pfx_hist_lines *lines,
			       const struct pfx_hist_line *line);
void pfx_hist_lines_fini(struct pfx_hist_lines *lines);

#endif
