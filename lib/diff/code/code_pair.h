/* SPDX-License-Identifier: MIT */
/*
 * The code of a function in two builds, side by side: instructions aligned by what they do, not by
 * their addresses, and source lines aligned by their instructions. Borrows both functions, of which
 * one may be missing: it is in one recording alone.
 */
#ifndef PFX_DIFF_CODE_PAIR_H
#define PFX_DIFF_CODE_PAIR_H

#include <stdbool.h>

#include "code/code.h"
#include "diff/code/align.h"

enum pfx_code_pair_state {
	PFX_CODE_SAME,    /* but for addresses */
	PFX_CODE_CHANGED, /* the same mnemonic with other operands */
	PFX_CODE_OLD,     /* in the old build alone */
	PFX_CODE_NEW,     /* in the new build alone */
};

struct pfx_code_pair_row {
	uint32_t old, new; /* instructions; PFX_CODE_NONE: none */
	enum pfx_code_pair_state state;
};

/* A source line in both builds, or in one. */
struct pfx_code_pair_line {
	uint32_t old, new; /* of the functions' lines; PFX_CODE_NONE: none */
};

struct pfx_code_pair {
	const struct pfx_code *old, *new; /* NULL: not in that recording */
	struct pfx_code_pair_row *rows;
	uint32_t nr_rows;
	struct pfx_code_pair_line *lines; /* those of the new build in its order, then others */
	uint32_t nr_lines;
	uint32_t *line_of[2]; /* by line of the old and of the new function: index of lines */
	/* Lines have other numbers in the old build, whose source is not known: what stands at its
	 * numbers today is something else. */
	bool lines_moved;
};

/* @old or @new may be NULL, but not both. Free it with pfx_code_pair_fini(). */
void pfx_code_pair_make(struct pfx_code_pair *ret, const struct pfx_code *old,
			const struct pfx_code *new);
void pfx_code_pair_fini(struct pfx_code_pair *pair);

#endif
