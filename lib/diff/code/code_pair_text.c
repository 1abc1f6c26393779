/* SPDX-License-Identifier: MIT */
/*
 * Columns: the cost in the old and in the new recording, the change, a mark ('-' and '+' for what
 * is in one build alone, '~' for other operands), the addresses in both builds.
 */
#include "diff/code/code_pair_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/code/code_parts.h"
#include "out/colour/percent_colour.h"

#define COLOUR_LINE   "\033[34m"
#define COLOUR_WORSE  "\033[31m"
#define COLOUR_BETTER "\033[32m"

#define RAW_WIDTH     8     /* bytes of an instruction with --asm-raw, at least */
#define LEAST_CHANGE  0.005 /* that two digits show */
#define SUMMARY_LIMIT 0.5   /* points of lines in the summary, at least */

struct print {
	const struct pfx_code_pair *pair;
	const struct pfx_code_style *style;
	const struct pfx_code_pair_event *event;
	struct pfx_str *to;
	struct pfx_cost totals[2]; /* of the function */
	int digits;                /* width of addresses */
	uint32_t line;             /* the source line printed last */
	const char *function;      /* the function of the previous instruction; NULL: none yet */
};

static const struct pfx_code *code_of(const struct pfx_code_pair *pair, int side)
{
	return side ? pair->new : pair->old;
}

static uint32_t insn_of(const struct pfx_code_pair_row *row, int side)
{
	return side ? row->new : row->old;
}

struct pfx_cost pfx_code_pair_cost(const struct pfx_code_pair *pair,
				   const struct pfx_code_pair_event *event, uint32_t i, int side)
{
	uint32_t insn = insn_of(&pair->rows[i], side);

	return insn == PFX_CODE_NONE ? (struct pfx_cost){0}
				     : *pfx_code_cost(code_of(pair, side), insn, event->idx[side]);
}

struct pfx_cost pfx_code_pair_line_cost(const struct pfx_code_pair *pair,
					const struct pfx_code_pair_event *event, uint32_t i,
					int side)
{
	uint32_t line = side ? pair->lines[i].new : pair->lines[i].old;

	return line == PFX_CODE_NONE ? (struct pfx_cost){0}
				     : code_of(pair, side)->lines[line].self[event->idx[side]];
}

/* The function itself, of a build that has it: names and files are those of the new one. */
static const struct pfx_code *newest(const struct pfx_code_pair *pair)
{
	return pair->new ? pair->new : pair->old;
}

/* --- values --- */

static double percent_of(const struct print *print, const struct pfx_cost *cost, int side)
{
	const struct pfx_cost *whole =
		print->style->of_global ? &print->event->wholes[side] : &print->totals[side];

	return pfx_code_share(print->style, whole, cost);
}

static bool is_free(const struct pfx_cost *cost)
{
	return !cost->nr_samples && !cost->period;
}

/* A change in the unit of the values, in a column as wide as theirs. */
static void add_change(const struct print *print, const struct pfx_cost costs[2])
{
	int width = (int)pfx_code_value_width(print->style);
	double change = percent_of(print, &costs[1], 1) - percent_of(print, &costs[0], 0);
	const char *colour = print->style->colours ? change > 0 ? COLOUR_WORSE : COLOUR_BETTER : "";
	int64_t number = print->style->value == PFX_CODE_SAMPLES
				 ? (int64_t)(costs[1].nr_samples - costs[0].nr_samples)
				 : (int64_t)(costs[1].period - costs[0].period);

	if (print->style->value == PFX_CODE_PERCENT ? fabs(change) < LEAST_CHANGE : !number) {
		pfx_str_pad(print->to, ' ', (size_t)width + 1);
		return;
	}
	pfx_str_add(print->to, colour);
	if (print->style->value == PFX_CODE_PERCENT)
		pfx_str_addf(print->to, " %+*.2f", width, change);
	else
		pfx_str_addf(print->to, " %+*" PRId64, width, number);
	pfx_str_add(print->to, *colour ? PFX_COLOUR_END : "");
}

static void add_values(const struct print *print, const struct pfx_cost costs[2])
{
	int side;

	for (side = 0; side < 2; side++) {
		pfx_str_addc(print->to, ' ');
		pfx_code_add_value(print->to, print->style, &costs[side],
				   percent_of(print, &costs[side], side));
	}
	add_change(print, costs);
}

/* --- source lines --- */

static const char *shown_file(const struct print *print, const char *file)
{
	return print->style->full_paths ? file : pfx_file_name(file);
}

static void begin_note(const struct print *print)
{
	pfx_str_pad(print->to, ' ', 3 * (pfx_code_value_width(print->style) + 1ul));
	pfx_str_add(print->to, " : ");
	pfx_str_add(print->to, print->style->colours ? COLOUR_LINE : "");
}

static void end_note(const struct print *print)
{
	pfx_str_add(print->to, print->style->colours ? PFX_COLOUR_END "\n" : "\n");
}

static void add_place(const struct print *print, const struct pfx_code_line *line)
{
	pfx_str_add_foreign(print->to, shown_file(print, line->file));
	pfx_str_addf(print->to, ":%u", line->line);
}

/* What stands at the numbers of the old build today is shown only if it is what stood there. */
static void add_line(const struct print *print, const struct pfx_code_pair_line *line)
{
	const struct pfx_code_pair *pair = print->pair;
	bool is_old = line->new == PFX_CODE_NONE;
	const struct pfx_code_line *at =
		is_old ? &pair->old->lines[line->old] : &pair->new->lines[line->new];
	char mark = !pair->old || !pair->new     ? ' '
		    : is_old                     ? '-'
		    : line->old == PFX_CODE_NONE ? '+'
						 : ' ';

	begin_note(print);
	pfx_str_addf(print->to, "%c %-4u ", mark, at->line);
	if (at->text && !(is_old && pair->lines_moved))
		pfx_code_add_source(print->to, at->text, at->len);
	else
		add_place(print, at);
	end_note(print);
}

static const char *function_of(const struct pfx_code *code, const struct pfx_code_insn *insn)
{
	return insn->inlined == PFX_CODE_NONE ? code->symbol->name
					      : code->inlined[insn->inlined].name;
}

/* The function and the source line, where they are others than before. */
static void add_notes(struct print *print, const struct pfx_code_pair_row *row)
{
	int side = row->new != PFX_CODE_NONE;
	const struct pfx_code *code = code_of(print->pair, side);
	const struct pfx_code_insn *insn = &code->insns[insn_of(row, side)];
	const char *function = function_of(code, insn);
	uint32_t line;

	if (!print->function || strcmp(print->function, function)) {
		begin_note(print);
		pfx_str_add(print->to, "       ");
		pfx_str_add_foreign(print->to, function);
		pfx_str_add(print->to, "():");
		end_note(print);
	}
	print->function = function;
	if (print->style->no_source || insn->line == PFX_CODE_NONE)
		return;
	line = print->pair->line_of[side][insn->line];
	if (line != print->line)
		add_line(print, &print->pair->lines[line]);
	print->line = line;
}

/* --- instructions --- */

static void add_address(const struct print *print, const struct pfx_code_pair_row *row, int side)
{
	if (insn_of(row, side) == PFX_CODE_NONE)
		pfx_str_pad(print->to, ' ', (size_t)print->digits + 1);
	else
		pfx_str_addf(print->to, " %*" PRIx64, print->digits,
			     code_of(print->pair, side)->insns[insn_of(row, side)].addr);
}

static void add_raw(const struct pfx_code_insn *insn, struct pfx_str *to)
{
	unsigned i;

	for (i = 0; i < insn->len; i++) {
		pfx_str_hex0(to, insn->bytes[i], 2);
		pfx_str_addc(to, ' ');
	}
	if (i < RAW_WIDTH)
		pfx_str_pad(to, ' ', 3 * (RAW_WIDTH - i));
}

static void add_row(struct print *print, uint32_t i)
{
	static const char marks[] = {
		[PFX_CODE_SAME] = ' ',
		[PFX_CODE_CHANGED] = '~',
		[PFX_CODE_OLD] = '-',
		[PFX_CODE_NEW] = '+',
	};
	const struct pfx_code_pair_row *row = &print->pair->rows[i];
	const struct pfx_cost costs[2] = {pfx_code_pair_cost(print->pair, print->event, i, 0),
					  pfx_code_pair_cost(print->pair, print->event, i, 1)};
	int side = row->new != PFX_CODE_NONE;
	const struct pfx_code *code = code_of(print->pair, side);
	const struct pfx_code_insn *insn = &code->insns[insn_of(row, side)];
	bool is_alone = !print->pair->old || !print->pair->new;

	add_values(print, costs);
	pfx_str_addf(print->to, " : %c", is_alone ? ' ' : marks[row->state]);
	add_address(print, row, 0);
	add_address(print, row, 1);
	pfx_str_add(print->to, ":   ");
	if (print->style->raw)
		add_raw(insn, print->to);
	pfx_code_insn_text(code, insn, false, print->to);
	if (row->state == PFX_CODE_CHANGED) {
		pfx_str_add(print->to, "        (was: ");
		pfx_code_insn_text(print->pair->old, &print->pair->old->insns[row->old], false,
				   print->to);
		pfx_str_addc(print->to, ')');
	}
	pfx_str_addc(print->to, '\n');
}

static bool has_cost(const struct print *print, uint32_t i)
{
	const struct pfx_cost costs[2] = {pfx_code_pair_cost(print->pair, print->event, i, 0),
					  pfx_code_pair_cost(print->pair, print->event, i, 1)};

	return !is_free(&costs[0]) || !is_free(&costs[1]);
}

/* Whether row @i is within the context of one with costs; @hot as for rows asked for in order. */
static bool is_shown(const struct print *print, uint32_t i, uint32_t *hot)
{
	uint32_t context = print->style->context;

	if (context == UINT32_MAX)
		return true;
	while (*hot < print->pair->nr_rows &&
	       ((*hot < i && i - *hot > context) || !has_cost(print, *hot)))
		++*hot;
	return *hot < print->pair->nr_rows && (*hot < i || *hot - i <= context);
}

static int add_rows(struct print *print, const struct pfx_code_output *output)
{
	bool left_out = false, shown;
	uint32_t i, hot = 0;
	int rc = 0;

	for (i = 0; i < print->pair->nr_rows && !rc; i++) {
		shown = is_shown(print, i, &hot);
		if (!shown && !left_out) {
			begin_note(print);
			pfx_str_add(print->to, "       ...");
			end_note(print);
		}
		left_out = !shown;
		if (!shown)
			continue;
		add_notes(print, &print->pair->rows[i]);
		add_row(print, i);
		rc = pfx_code_output_step(output);
	}
	return rc;
}

/* --- the title --- */

static void add_title(const struct print *print)
{
	const struct pfx_code *code = newest(print->pair);
	int width = (int)pfx_code_value_width(print->style);
	double old = percent_of(print, &print->totals[0], 0);
	double new = percent_of(print, &print->totals[1], 1);
	struct pfx_str title = {0};

	pfx_str_add(&title, "Source code & Disassembly of ");
	pfx_str_add_foreign(&title,
			    print->style->full_paths ? code->dso->name : code->dso->short_name);
	pfx_str_add(&title, " for ");
	pfx_str_add_foreign(&title, print->event->name);
	pfx_str_addf(&title, " (samples: %" PRIu64 ", %" PRIu64 ", percent: %s)",
		     print->totals[0].nr_samples, print->totals[1].nr_samples,
		     pfx_code_percent_name(print->style));
	pfx_str_addf(print->to, " %*s %*s %*s |\t%s\n", width, "Old", width, "New", width, "Change",
		     title.at);
	pfx_str_pad(print->to, '-', 3 * (width + 1ul) + 3 + title.len);
	pfx_str_addc(print->to, '\n');
	pfx_str_fini(&title);
	begin_note(print);
	pfx_str_add(print->to, "       <");
	pfx_str_add_foreign(print->to, code->symbol->name);
	pfx_str_addc(print->to, '>');
	if (!print->pair->old || !print->pair->new)
		pfx_str_add(print->to, print->pair->new ? ": new" : ": gone");
	else if (print->style->of_global)
		pfx_str_addf(print->to, ": %.2f%% -> %.2f%% (%+.2f)", old, new, new - old);
	end_note(print);
}

/* --- the summary of lines --- */

struct summed {
	uint32_t line;
	double change;
};

static int by_change(const void *a, const void *b)
{
	const struct summed *x = a, *y = b;

	if (fabs(x->change) > fabs(y->change) || fabs(x->change) < fabs(y->change))
		return fabs(x->change) > fabs(y->change) ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static void add_summary(const struct print *print)
{
	const struct pfx_code_pair *pair = print->pair;
	struct summed *lines = pfx_calloc(pair->nr_lines + 1ul, sizeof(*lines));
	struct pfx_cost costs[2];
	uint32_t i, nr = 0;
	bool is_new;

	pfx_str_add(print->to, "\nLines that changed most\n-----------------------\n\n");
	for (i = 0; i < pair->nr_lines; i++) {
		costs[0] = pfx_code_pair_line_cost(pair, print->event, i, 0);
		costs[1] = pfx_code_pair_line_cost(pair, print->event, i, 1);
		lines[nr].line = i;
		lines[nr].change =
			percent_of(print, &costs[1], 1) - percent_of(print, &costs[0], 0);
		nr += fabs(lines[nr].change) >= SUMMARY_LIMIT;
	}
	qsort(lines, nr, sizeof(*lines), by_change);
	for (i = 0; i < nr; i++) {
		const struct pfx_code_pair_line *line = &pair->lines[lines[i].line];

		costs[0] = pfx_code_pair_line_cost(pair, print->event, lines[i].line, 0);
		costs[1] = pfx_code_pair_line_cost(pair, print->event, lines[i].line, 1);
		add_values(print, costs);
		pfx_str_add(print->to, "  ");
		is_new = line->new != PFX_CODE_NONE;
		add_place(print,
			  is_new ? &pair->new->lines[line->new] : &pair->old->lines[line->old]);
		if (!is_new && pair->new)
			pfx_str_add(print->to, " (of the old build)");
		pfx_str_addc(print->to, '\n');
	}
	if (!nr)
		pfx_str_addf(print->to, " Nothing of %1.1f points or more\n", SUMMARY_LIMIT);
	pfx_str_addc(print->to, '\n');
	free(lines);
}

/* --- the function --- */

static int digits_of(const struct pfx_code *code)
{
	uint64_t last = code ? code->insns[code->nr_insns - 1].addr : 0;
	int nr = 1;

	while (last >>= 4)
		nr++;
	return nr;
}

int pfx_code_pair_text(const struct pfx_code_pair *pair, const struct pfx_code_style *style,
		       const struct pfx_code_pair_event *event,
		       const struct pfx_code_output *output)
{
	struct print print = {.pair = pair,
			      .style = style,
			      .event = event,
			      .to = output->text,
			      .line = PFX_CODE_NONE};
	int side;

	for (side = 0; side < 2; side++) {
		if (code_of(pair, side))
			print.totals[side] = code_of(pair, side)->totals[event->idx[side]];
		if (digits_of(code_of(pair, side)) > print.digits)
			print.digits = digits_of(code_of(pair, side));
	}
	if (style->print_lines)
		add_summary(&print);
	add_title(&print);
	return add_rows(&print, output);
}
