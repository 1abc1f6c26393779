/* SPDX-License-Identifier: MIT */
/*
 * Basic blocks between branches as a table with their share of the cycles. A block is shown by its
 * source lines, or by the hexadecimal offsets of its start and end in the function.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "out/hist_lines.h"
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

/* --- as lines for a screen --- */

enum block_order { BY_CYCLES = 1, BY_CYCLES_TOO, BY_AVERAGE, BY_AVERAGE_TOO, BY_RANGE, BY_DSO };

static int compare_range(const struct pfx_block *a, const struct pfx_block *b)
{
	int rc = strcmp(a->end->sym->name, b->end->sym->name);

	return rc ? rc : pfx_compare_u64(a->end->addr, b->end->addr);
}

static int by_order(const void *x, const void *y, void *arg)
{
	const struct pfx_block *a = *(const struct pfx_block *const *)x;
	const struct pfx_block *b = *(const struct pfx_block *const *)y;
	unsigned order = *(const unsigned *)arg;
	int rc = 0;

	if (order == BY_AVERAGE || order == BY_AVERAGE_TOO)
		rc = pfx_compare_u64(b->cycles / b->count, a->cycles / a->count);
	else if (order == BY_RANGE)
		rc = compare_range(a, b);
	else if (order == BY_DSO)
		rc = strcmp(a->end->dso->short_name, b->end->dso->short_name);
	return rc ? rc : (a > b) - (a < b); /* the most cycles first */
}

static void add_block_line(struct pfx_hist_lines *lines, const struct pfx_block *block,
			   double percent, const struct pfx_str *text)
{
	struct pfx_hist_line *line = pfx_vec_add(&lines->at);
	size_t len = strcspn(pfx_str_get(text), "\n");

	*line = (struct pfx_hist_line){
		.key = pfx_hash_u64((uint64_t)block->end->dso->id << 48 ^ block->end->addr) | 1,
		.text = lines->text.len,
		.percent = percent,
		.place = block->end,
	};
	pfx_str_addn(&lines->text, pfx_str_get(text), len);
	pfx_str_addn(&lines->text, "", 1);
}

static void add_block_columns(struct pfx_hist_lines *lines, const struct pfx_hist_text *how)
{
	unsigned x = 2;
	size_t i;

	lines->columns.nr = 0;
	for (i = 0; i < NR_COLUMNS; i++) {
		pfx_vec_push(&lines->columns, ((struct pfx_hist_lines_column){
						      PFX_KEY_NR, x, (unsigned)width_of(how, i)}));
		x += (unsigned)width_of(how, i) + 2;
	}
	pfx_str_clear(&lines->heading);
	add_heads(how, &lines->heading);
	lines->heading.len = strcspn(lines->heading.at, "\n");
	lines->heading.at[lines->heading.len] = '\0';
	lines->heading.at[0] = ' ';
}

static double sum_averages(const struct pfx_block *blocks, uint32_t nr)
{
	double sum = 0;
	uint32_t i;

	for (i = 0; i < nr; i++)
		sum += (double)(blocks[i].cycles / blocks[i].count);
	return sum;
}

void pfx_block_lines_make(struct pfx_hist_lines *lines,
			  const struct pfx_hist_lines_options *options, struct pfx_hists *hists,
			  const struct pfx_hist *hist, unsigned order)
{
	struct pfx_resolver *resolver = pfx_hists_options(hists)->resolver;
	const struct pfx_block *blocks, **sorted;
	uint32_t i, nr = pfx_hist_blocks(hists, hist, &blocks);
	const double wholes[2] = {(double)pfx_hist_cycles(hists, hist), sum_averages(blocks, nr)};
	struct pfx_str text = {0};
	double percent;

	pfx_str_clear(&lines->text);
	lines->at.nr = 0;
	add_block_columns(lines, &options->how);
	sorted = pfx_calloc(nr + 1ul, sizeof(*sorted));
	for (i = 0; i < nr; i++)
		sorted[i] = &blocks[i];
	qsort_r(sorted, nr, sizeof(*sorted), by_order, &order);
	for (i = 0; i < nr; i++) {
		percent = 100.0 * (double)sorted[i]->cycles / wholes[0];
		if (percent < options->min_percent)
			continue;
		pfx_str_clear(&text);
		add_block(&options->how, resolver, sorted[i], wholes, &text);
		add_block_line(lines, sorted[i], percent, &text);
	}
	free(sorted);
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

	wholes[1] = sum_averages(blocks, nr);
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
