/* SPDX-License-Identifier: MIT */
/* The code view: what screen_code.c (loading, keys) and screen_listing.c (drawing) share. */
#ifndef PFX_SCREEN_LISTING_H
#define PFX_SCREEN_LISTING_H

#include "code/find_code.h"
#include "screen/screen_internal.h"

enum pfx_listing_values { PFX_LISTING_PERCENT, PFX_LISTING_PERIOD, PFX_LISTING_SAMPLES };

/* Which instructions have their offset before them. */
enum pfx_listing_offsets { PFX_OFFSETS_TARGETS, PFX_OFFSETS_CALLS, PFX_OFFSETS_ALL };

/* A function that is called, but that the profile does not have. Interned. */
struct pfx_listing_called {
	uint64_t key, start;
	const char *name, *dso;
};

struct pfx_screen_listing {
	const struct pfx_profile *profile; /* for which the costs were read; NULL: not yet */
	struct pfx_screen_code from;
	struct pfx_code *code; /* of the function */
	uint64_t function;     /* its key */
	const struct pfx_code_function *of;
	struct pfx_found_code *found; /* what @of is, if it has no samples of its own */
	PFX_VEC(struct pfx_listing_called) called;
	enum pfx_listing_values values;
	bool global, hits; /* percentages of the event, and of samples instead of periods */
	bool no_source, no_jumps, line_numbers, no_cycles;
	bool raw;         /* as disassembled, with addresses */
	bool addresses;   /* instead of offsets */
	bool nr_jumps_in; /* the number of jumps to an instruction */
	enum pfx_listing_offsets offsets;
};

/* What the code view keeps; made when first used. */
struct pfx_screen_listing *pfx_screen_listing(struct pfx_screen *s);

/* screen_listing.c */

/* The share of an instruction in the event with this index, as the listing counts it. */
double pfx_listing_percent(const struct pfx_screen *s, uint32_t insn, uint32_t event);
void pfx_listing_draw_heading(struct pfx_screen *s, struct pfx_grid *grid, unsigned y);
/* Append what a row shows beside costs and jumps. */
void pfx_listing_text(struct pfx_screen *s, const struct pfx_screen_row *row, struct pfx_str *to);
void pfx_listing_draw_row(struct pfx_screen *s, struct pfx_grid *grid, unsigned y,
			  const struct pfx_screen_row *row);

#endif
