/* SPDX-License-Identifier: MIT */
/*
 * A grid of cells. Text comes from recordings: it is escaped first, as all text of pfx is, so that
 * only printable characters reach a cell. Characters take one column or two; the ranges of wide
 * ones are Unicode's, because wcwidth() depends on the locale.
 */
#include "screen/cells/cell_grid.h"

#include <stdlib.h>

#include "base/alloc.h"

#define SIDE_MAX 1000

void pfx_grid_resize(struct pfx_grid *grid, unsigned width, unsigned height)
{
	size_t nr, i;

	width = width < 1 ? 1 : width > SIDE_MAX ? SIDE_MAX : width;
	height = height < 1 ? 1 : height > SIDE_MAX ? SIDE_MAX : height;
	nr = (size_t)width * height;
	if (nr != (size_t)grid->width * grid->height)
		grid->cells = pfx_realloc(grid->cells, nr * sizeof(*grid->cells));
	grid->width = width;
	grid->height = height;
	grid->pen = (struct pfx_pen){0};
	for (i = 0; i < nr; i++)
		grid->cells[i] = (struct pfx_cell){.ch = ' '};
}

void pfx_grid_fini(struct pfx_grid *grid)
{
	free(grid->cells);
	*grid = (struct pfx_grid){0};
}

/* The first character of valid UTF-8; advances *@text. */
static uint32_t next_char(const char **text)
{
	const unsigned char *at = (const unsigned char *)*text;
	unsigned more = *at < 0xc0 ? 0 : *at < 0xe0 ? 1 : *at < 0xf0 ? 2 : 3;
	uint32_t ch = more ? *at & (0x3fu >> more) : *at;

	for (at++; more && (*at & 0xc0) == 0x80; more--)
		ch = ch << 6 | (*at++ & 0x3f);
	*text = (const char *)at;
	return ch;
}

struct range {
	uint32_t first, last;
};

static bool is_in(const struct range *ranges, size_t nr, uint32_t ch)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (ch >= ranges[i].first && ch <= ranges[i].last)
			return true;
	return false;
}

static unsigned columns_of(uint32_t ch)
{
	static const struct range wide[] = {
		{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xa960, 0xa97c},
		{0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
		{0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
		{0x20000, 0x3fffd},
	};
	static const struct range combining[] = {
		{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},
		{0x64b, 0x65f},   {0x900, 0x902},   {0xe31, 0xe3a},   {0x1ab0, 0x1aff},
		{0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
	};

	if (ch < 0x300)
		return 1;
	if (is_in(combining, sizeof(combining) / sizeof(*combining), ch))
		return 0;
	return is_in(wide, sizeof(wide) / sizeof(*wide), ch) ? 2 : 1;
}

static void set_cell(struct pfx_grid *grid, unsigned x, unsigned y, uint32_t ch)
{
	struct pfx_cell *cell = pfx_grid_at(grid, x, y);

	cell->ch = ch;
	cell->pen = grid->pen;
}

/* The columns of a character at @x that end before @end. */
static unsigned put_char(struct pfx_grid *grid, unsigned x, unsigned y, uint32_t ch)
{
	unsigned columns = columns_of(ch);

	if (columns)
		set_cell(grid, x, y, ch);
	if (columns == 2)
		set_cell(grid, x + 1, y, 0);
	return columns;
}

static bool is_plain(const char *text)
{
	for (; *text >= ' ' && *text < 127; text++)
		;
	return !*text;
}

/* Text between two columns of it, at x of the grid. */
static unsigned put_part(struct pfx_grid *grid, unsigned x, unsigned y, const char *text,
			 const unsigned part[2])
{
	unsigned end = grid->width, at = 0, columns, begin = x;
	uint32_t ch;

	if (part[1] - part[0] < end - x)
		end = x + part[1] - part[0];
	while (*text && x < end) {
		ch = next_char(&text);
		columns = columns_of(ch);
		if (at >= part[0] && x + columns <= end)
			x += put_char(grid, x, y, ch);
		else if (at >= part[0])
			break;
		at += columns;
	}
	return x - begin;
}

static unsigned put_escaped(struct pfx_grid *grid, unsigned x, unsigned y, const char *text,
			    const unsigned part[2])
{
	struct pfx_str escaped = {0};
	unsigned columns;

	if (x >= grid->width || y >= grid->height)
		return 0;
	if (is_plain(text))
		return put_part(grid, x, y, text, part);
	pfx_str_add_foreign(&escaped, text);
	columns = put_part(grid, x, y, pfx_str_get(&escaped), part);
	pfx_str_fini(&escaped);
	return columns;
}

unsigned pfx_grid_put(struct pfx_grid *grid, unsigned x, unsigned y, const char *text, unsigned max)
{
	return put_escaped(grid, x, y, text, (const unsigned[]){0, max});
}

unsigned pfx_grid_put_from(struct pfx_grid *grid, unsigned x, unsigned y, const char *text,
			   unsigned skip)
{
	return put_escaped(grid, x, y, text, (const unsigned[]){skip, skip + SIDE_MAX});
}

void pfx_grid_fill(struct pfx_grid *grid, unsigned x, unsigned y, uint32_t ch, unsigned nr)
{
	for (; nr && x < grid->width && y < grid->height; nr--, x++)
		set_cell(grid, x, y, ch);
}

void pfx_str_add_utf8(struct pfx_str *to, uint32_t ch)
{
	if (ch < 0x80) {
		pfx_str_addc(to, (char)ch);
		return;
	}
	if (ch < 0x800) {
		pfx_str_addc(to, (char)(0xc0 | ch >> 6));
	} else if (ch < 0x10000) {
		pfx_str_addc(to, (char)(0xe0 | ch >> 12));
		pfx_str_addc(to, (char)(0x80 | (ch >> 6 & 0x3f)));
	} else {
		pfx_str_addc(to, (char)(0xf0 | (ch >> 18 & 7)));
		pfx_str_addc(to, (char)(0x80 | (ch >> 12 & 0x3f)));
		pfx_str_addc(to, (char)(0x80 | (ch >> 6 & 0x3f)));
	}
	pfx_str_addc(to, (char)(0x80 | (ch & 0x3f)));
}

void pfx_grid_text(const struct pfx_grid *grid, struct pfx_str *to)
{
	unsigned x, y, end;

	for (y = 0; y < grid->height; y++) {
		for (end = grid->width; end && pfx_grid_at(grid, end - 1, y)->ch == ' '; end--)
			;
		for (x = 0; x < end; x++)
			if (pfx_grid_at(grid, x, y)->ch)
				pfx_str_add_utf8(to, pfx_grid_at(grid, x, y)->ch);
		pfx_str_addc(to, '\n');
	}
}

unsigned pfx_text_columns(const char *text)
{
	struct pfx_str escaped = {0};
	const char *at;
	unsigned columns = 0;

	if (is_plain(text))
		return (unsigned)strlen(text);
	pfx_str_add_foreign(&escaped, text);
	for (at = pfx_str_get(&escaped); *at;)
		columns += columns_of(next_char(&at));
	pfx_str_fini(&escaped);
	return columns;
}

uint32_t pfx_tone_rgb(unsigned tone)
{
	static const uint32_t tones[PFX_NR_TONES] = {
		/* user: orange to red */
		[PFX_TONE_USER] = 0xffaf5f,
		0xff875f,
		0xffaf00,
		0xff8700,
		0xffd75f,
		0xd78700,
		0xffd787,
		0xd7875f,
		/* kernel: blue */
		[PFX_TONE_KERNEL] = 0x87afff,
		0x5fafff,
		0x5fafd7,
		0x87afd7,
		0x87d7ff,
		0x5f87d7,
		0xafd7ff,
		0xafafff,
		/* inlined: green */
		[PFX_TONE_INLINED] = 0xafd75f,
		0x87d75f,
		0xafd787,
		0x87d787,
		0xd7d75f,
		0x87af5f,
		0xd7ff87,
		0xafaf5f,
		/* heat */
		[PFX_TONE_HEAT] = 0xffffd7,
		0xffffaf,
		0xffff87,
		0xffd75f,
		0xffaf5f,
		0xff8700,
		0xff5f00,
		0xd70000,
		/* more: red */
		[PFX_TONE_MORE] = 0xffd7d7,
		0xffd7d7,
		0xffafaf,
		0xffafaf,
		0xff8787,
		0xff8787,
		0xff5f5f,
		0xff5f5f,
		/* less: blue */
		[PFX_TONE_LESS] = 0xd7d7ff,
		0xd7d7ff,
		0xafd7ff,
		0xafd7ff,
		0x87afff,
		0x87afff,
		0x5f87ff,
		0x5f87ff,
		[PFX_TONE_FOUND] = 0xff5fff,
		[PFX_TONE_SAME] = 0xd0d0d0,
	};

	return tone < PFX_NR_TONES ? tones[tone] : 0;
}
