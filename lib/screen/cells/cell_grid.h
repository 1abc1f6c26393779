/* SPDX-License-Identifier: MIT */
/*
 * What a terminal shows, without a terminal: a grid of cells, each with a character, a style, and a
 * link, which is the object that it stands for. Text is untrusted: characters that would move the
 * cursor or change the direction of text are shown as \xNN. What does not fit is cut. Owns its
 * cells. Zero-initialize.
 *
 *	pfx_grid_resize(&grid, 80, 24);
 *	grid.pen.style = PFX_STYLE_TITLE;
 *	x += pfx_grid_put(&grid, x, y, name, 20);
 */
#ifndef PFX_SCREEN_CELL_GRID_H
#define PFX_SCREEN_CELL_GRID_H

#include <stdbool.h>

#include "base/str.h"

enum pfx_style {
	PFX_STYLE_NORMAL,
	PFX_STYLE_TITLE,   /* the bar on top */
	PFX_STYLE_HEADING, /* of columns */
	PFX_STYLE_HOT,     /* expensive */
	PFX_STYLE_WARM,
	PFX_STYLE_DIM, /* less important than the rest */
	PFX_STYLE_KEY, /* the name of a key */
	PFX_STYLE_NOTE,
	PFX_STYLE_MATCH, /* found by a search */
	PFX_STYLE_SOURCE,
	PFX_NR_STYLES,
};

/* Backgrounds of flame graphs and timelines: groups of shades. 0 is no background. */
enum {
	PFX_TONES_PER_GROUP = 8,
	PFX_TONE_USER = 1,
	PFX_TONE_KERNEL = PFX_TONE_USER + PFX_TONES_PER_GROUP,
	PFX_TONE_INLINED = PFX_TONE_KERNEL + PFX_TONES_PER_GROUP,
	PFX_TONE_HEAT = PFX_TONE_INLINED + PFX_TONES_PER_GROUP, /* from cold to hot */
	PFX_TONE_MORE = PFX_TONE_HEAT + PFX_TONES_PER_GROUP,    /* from little to much more */
	PFX_TONE_LESS = PFX_TONE_MORE + PFX_TONES_PER_GROUP,
	PFX_TONE_FOUND = PFX_TONE_LESS + PFX_TONES_PER_GROUP, /* one shade */
	PFX_TONE_SAME,                                        /* the same */
	PFX_NR_TONES,
};

/* The appearance of what is put, and what it is. */
struct pfx_pen {
	uint8_t style, tone;
	bool selected; /* the cursor is on it */
	uint32_t link; /* chosen by the caller; 0: none */
};

struct pfx_cell {
	uint32_t ch; /* code point; 0: the right half of a wide character */
	struct pfx_pen pen;
};

struct pfx_grid {
	unsigned width, height;
	struct pfx_cell *cells; /* by row, then column */
	struct pfx_pen pen;     /* of what is put next */
};

/* All cells become blanks. At least 1 x 1, at most 1000 x 1000. */
void pfx_grid_resize(struct pfx_grid *grid, unsigned width, unsigned height);
void pfx_grid_fini(struct pfx_grid *grid);

/* Put text with the pen: at most @max columns, and none outside the grid. Returns the columns. */
unsigned pfx_grid_put(struct pfx_grid *grid, unsigned x, unsigned y, const char *text,
		      unsigned max);
/* The same without the first @skip columns of the text. */
unsigned pfx_grid_put_from(struct pfx_grid *grid, unsigned x, unsigned y, const char *text,
			   unsigned skip);
/* Put one character @nr times. */
void pfx_grid_fill(struct pfx_grid *grid, unsigned x, unsigned y, uint32_t ch, unsigned nr);
/* The cell at a place of the grid. */
static inline struct pfx_cell *pfx_grid_at(const struct pfx_grid *grid, unsigned x, unsigned y)
{
	return &grid->cells[(size_t)y * grid->width + x];
}
/* Append the characters, a line for each row, without blanks at its end. */
void pfx_grid_text(const struct pfx_grid *grid, struct pfx_str *to);

/* The columns that a text takes. */
unsigned pfx_text_columns(const char *text);
/* A background as 0xRRGGBB. The text on it is black or white, whichever differs more. */
uint32_t pfx_tone_rgb(unsigned tone);
/* Append a character as UTF-8. */
void pfx_str_add_utf8(struct pfx_str *to, uint32_t ch);

#endif
