/* SPDX-License-Identifier: MIT */
/*
 * Basic blocks between branches as a table with their share of the cycles. A block is shown by its
 * source lines, or by the hexadecimal offsets of its start and end in the function.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "out/hist_text.h"
#include "out/term/term.h"

#define FLUSH_SIZE (256u << 10)

static const struct {
	const char *title;
	int width;
} block_columns[] = {
	{"Sampled Cycles%", 15}, {"Sampled Cycles", 14},        {"Avg Cycles%", 11},
	{"Avg Cycles", 10},      {"[Program Block Range]", 70}, {"Shared Object", 20},
};
#define RANGE_COLUMN 4
#define NR_COLUMNS   (sizeof(block_columns) / sizeof(*block_columns))

/* 1234 as "1.2K". */
static const char *short_cycles(uint64_t cycles, char *out, size_t size)
{
	static const struct {
		uint64_t unit;
		char letter;
	} units[] = {{1000000000, 'G'}, {1000000, 'M'}, {1000, 'K'}};
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (cycles >= units[i].unit) {
			snprintf(out, size, "%.1f%c", (double)cycles / units[i].unit,
				 units[i].letter);
			return out;
		}
	snprintf(out, size, "%" PRIu64, cycles);
	return out;
}

static bool add_line(struct pfx_resolver *resolver, const struct pfx_place *place, bool full_path,
		     struct pfx_str *to)
{
	struct pfx_source source;

	if (!pfx_place_source(resolver, place, &source))
		return false;
	pfx_str_add_foreign(to, full_path ? source.file : pfx_file_name(source.file));
	pfx_str_addf(to, ":%u", source.line);
	return true;
}

/* "main+12", for a block whose binary is not available. */
static void add_offset(const struct pfx_symbol *sym, uint64_t addr, struct pfx_str *to)
{
	pfx_str_add_foreign(to, sym->name);
	pfx_str_addf(to, "+%" PRIu64, addr - sym->start);
}

void pfx_block_range(struct pfx_resolver *resolver, const struct pfx_block *block, bool full_path,
		     struct pfx_str *to)
{
	struct pfx_place start = *(block->start ? block->start : block->end);
	uint64_t base = block->end->sym->start;
	size_t begin = to->len;
	bool known;

	if (!block->start)
		start.addr = base;
	pfx_str_addc(to, '[');
	if (!pfx_place_srcline(resolver, block->end)) {
		add_offset(block->end->sym, start.addr, to);
		pfx_str_add(to, " -> ");
		add_offset(block->end->sym, block->end->addr, to);
		pfx_str_addc(to, ']');
		return;
	}
	known = add_line(resolver, &start, full_path, to);
	pfx_str_add(to, " -> ");
	if (!known || !add_line(resolver, block->end, full_path, to)) {
		to->len = begin;
		pfx_str_addf(to, "[%7" PRIx64 " -> %7" PRIx64, start.addr - base,
			     block->end->addr - base);
	}
	pfx_str_addc(to, ']');
}

/* On a screen that is too narrow for all columns, the column of the range is shortened. */
static int width_of(const struct pfx_hist_text *how, size_t column)
{
	int width = block_columns[column].width, room = (int)how->screen;
	int least = (int)strlen(block_columns[column].title);
	size_t i;

	if (column != RANGE_COLUMN || !how->screen)
		return width;
	for (i = 0; i < NR_COLUMNS; i++)
		room -= i == column ? 2 : 2 + block_columns[i].width;
	if (room < least)
		room = least;
	return room < width ? room : width;
}

static void add_cell(const struct pfx_hist_text *how, size_t column, const char *text,
		     struct pfx_str *to)
{
	if (how->separator && column)
		pfx_str_add(to, how->separator);
	else if (!how->separator)
		pfx_str_add(to, "  ");
	pfx_str_addf(to, "%*s", how->separator ? 0 : width_of(how, column), text);
}

static void add_heads(const struct pfx_hist_text *how, struct pfx_str *to)
{
	const char *separator = how->separator;
	size_t i;

	pfx_str_add(to, "# ");
	for (i = 0; i < NR_COLUMNS; i++)
		pfx_str_addf(to, "%s%*s", i ? separator ? separator : "  " : "", width_of(how, i),
			     block_columns[i].title);
	pfx_str_addc(to, '\n');
	if (separator)
		return;
	pfx_str_add(to, "# ");
	for (i = 0; i < NR_COLUMNS; i++) {
		pfx_str_add(to, i ? "  " : "");
		pfx_str_pad(to, '.', (size_t)width_of(how, i));
	}
	pfx_str_add(to, "\n#\n");
}

static void add_percent(const struct pfx_hist_text *how, size_t column, double percent,
			struct pfx_str *to)
{
	char text[32];

	snprintf(text, sizeof(text), "%.2f%%", percent);
	add_cell(how, column, text, to);
}

/* @wholes: cycles of all branches, and the sum of the average cycles of all blocks. */
static void add_block(const struct pfx_hist_text *how, struct pfx_resolver *resolver,
		      const struct pfx_block *block, const double wholes[2], struct pfx_str *to)
{
	double average = (double)(block->cycles / block->count);
	struct pfx_str text = {0};
	char cycles[32];
	const struct pfx_dso *dso = block->end->dso;
	const char *name = how->verbose ? dso->name : dso->short_name;

	add_percent(how, 0, 100.0 * (double)block->cycles / wholes[0], to);
	add_cell(how, 1, short_cycles(block->cycles, cycles, sizeof(cycles)), to);
	add_percent(how, 2, wholes[1] ? 100.0 * average / wholes[1] : 0, to);
	add_cell(how, 3, short_cycles(block->cycles / block->count, cycles, sizeof(cycles)), to);
	pfx_block_range(resolver, block, how->full_source_path, &text);
	add_cell(how, RANGE_COLUMN, pfx_str_get(&text), to);
	pfx_str_clear(&text);
	pfx_str_add_foreign(&text, name);
	add_cell(how, 5, pfx_str_get(&text), to);
	pfx_str_addc(to, '\n');
	pfx_str_fini(&text);
}

int pfx_block_text_rows(const struct pfx_hist_text *how, struct pfx_hists *hists,
			const struct pfx_hist *hist, struct pfx_str *to)
{
	const struct pfx_hist_options *options = pfx_hists_options(hists);
	double wholes[2] = {(double)pfx_hist_cycles(hists, hist), 0};
	const struct pfx_block *blocks;
	uint32_t i, nr = pfx_hist_blocks(hists, hist, &blocks);
	int rc = 0;

	for (i = 0; i < nr; i++)
		wholes[1] += (double)(blocks[i].cycles / blocks[i].count);
	if (!how->quiet)
		add_heads(how, to);
	for (i = 0; i < nr && !rc; i++) {
		if (100.0 * (double)blocks[i].cycles / wholes[0] < options->min_percent)
			break;
		add_block(how, options->resolver, &blocks[i], wholes, to);
		if (to->len > FLUSH_SIZE)
			rc = pfx_out_flush(to);
	}
	return rc;
}
