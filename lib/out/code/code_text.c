/* SPDX-License-Identifier: MIT */
/*
 * A function as lines of text: its title, source lines before their instructions, and the
 * instructions with their costs.
 */
#include "out/code/code_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "out/code/code_parts.h"
#include "out/colour/percent_colour.h"

#define COLOUR_LINE "\033[34m"

#define MNEMONIC_WIDTH 6
#define WEIGHT_WIDTH   9
#define ADDRESS_WIDTH  32 /* in the histogram */
#define SPEED_WIDTH    6
#define LINE_WIDTH     4   /* of the numbers of lines, at least */
#define RAW_WIDTH      8   /* columns for the bytes of an instruction with --asm-raw, at least */
#define SUMMARY_LIMIT  0.5 /* minimum percentage of lines in the summary */

/* A function being printed. */
struct print {
	const struct pfx_code *code;
	const struct pfx_code_style *style;
	const struct pfx_code_events *events;
	struct pfx_str *to;
	unsigned digits;  /* width of addresses */
	unsigned margin;  /* width of the value columns */
	uint32_t line;    /* the source line printed last */
	uint32_t inlined; /* the function of the previous instruction */
	bool was_first;
};

/* --- values --- */

double pfx_code_percent(const struct pfx_code *code, const struct pfx_code_style *style,
			const struct pfx_code_events *events, uint32_t event,
			const struct pfx_cost *cost)
{
	return pfx_code_share(
		style, style->of_global ? &events->wholes[event] : &code->totals[event], cost);
}

const char *pfx_code_percent_name(const struct pfx_code_style *style)
{
	static const char *const names[2][2] = {{"local period", "local hits"},
						{"global period", "global hits"}};

	return names[style->of_global][style->of_hits];
}

static const char *value_title(const struct pfx_code_style *style)
{
	return style->value == PFX_CODE_PERIOD    ? " Period"
	       : style->value == PFX_CODE_SAMPLES ? " Samples"
						  : " Percent";
}

static void add_value(struct print *print, uint32_t event, const struct pfx_cost *cost)
{
	pfx_code_add_value(print->to, print->style, cost,
			   pfx_code_percent(print->code, print->style, print->events, event, cost));
}

/* --- instructions --- */

static void add_name(const struct pfx_code_insn *insn, struct pfx_str *to)
{
	pfx_str_add_foreign(to, insn->name);
	if (insn->name_offset)
		pfx_str_addf(to, "+0x%" PRIx64, insn->name_offset);
}

/* A name whose address is not known. */
static void add_unlinked(const struct pfx_code_insn *insn, struct pfx_str *to)
{
	pfx_str_addc(to, '<');
	if (insn->name)
		add_name(insn, to);
	pfx_str_addc(to, '>');
}

/* The start of the operand with the target address in the text: its last word. NULL: none. */
static const char *target_word(const struct pfx_code_insn *insn)
{
	const char *word = strrchr(insn->text, ' ');

	if (!word)
		return NULL;
	word++;
	if (*word == '#')
		word++;
	return !strncmp(word, "0x", 2) ? word : NULL;
}

/* Direct jumps and calls: the address without 0x, and its symbol. */
static void add_target(const struct pfx_code *code, const struct pfx_code_insn *insn,
		       bool short_form, struct pfx_str *to)
{
	if (insn->is_unlinked) {
		add_unlinked(insn, to);
		return;
	}
	if (short_form && insn->target_insn != PFX_CODE_NONE) {
		pfx_str_hex(to, insn->target - code->insns[0].addr, 0);
		return;
	}
	if (short_form && insn->name) {
		add_name(insn, to);
		return;
	}
	pfx_str_hex(to, insn->target, 0);
	if (!insn->name)
		return;
	pfx_str_add(to, " <");
	add_name(insn, to);
	pfx_str_addc(to, '>');
}

void pfx_code_insn_text(const struct pfx_code *code, const struct pfx_code_insn *insn,
			bool short_form, struct pfx_str *to)
{
	const char *operands = insn->text + insn->mnemonic, *word = NULL;

	pfx_str_addn(to, insn->text, insn->mnemonic);
	if (!*operands)
		return;
	if (insn->mnemonic < MNEMONIC_WIDTH)
		pfx_str_pad(to, ' ', MNEMONIC_WIDTH - insn->mnemonic);
	if ((insn->has_target && !insn->is_data) ||
	    (insn->is_unlinked && insn->flow != PFX_FLOW_ON))
		word = target_word(insn);
	if (word) {
		pfx_str_addn(to, operands, (size_t)(word - operands) - (word[-1] == '#'));
		add_target(code, insn, short_form, to);
		return;
	}
	pfx_str_add(to, operands);
	if (insn->is_unlinked) {
		pfx_str_add(to, "        # ");
		add_unlinked(insn, to);
	}
	if (!insn->has_target)
		return;
	pfx_str_add(to, "        # ");
	if (!short_form || !insn->name)
		pfx_str_hex(to, insn->target, 0);
	if (insn->name) {
		pfx_str_add(to, short_form ? "" : " <");
		add_name(insn, to);
		pfx_str_add(to, short_form ? "" : ">");
	}
	if (insn->string) {
		pfx_str_add(to, " \"");
		pfx_str_add_foreign(to, insn->string);
		pfx_str_addc(to, '"');
	}
	if (insn->value) {
		pfx_str_add(to, " = ");
		pfx_str_add(to, insn->value);
	}
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

/* --- source lines --- */

static const char *shown_file(const struct print *print, const char *file)
{
	return print->style->full_paths ? file : pfx_file_name(file);
}

static void begin_note(struct print *print, uint32_t line)
{
	struct pfx_str *to = print->to;
	size_t before;

	pfx_str_pad(to, ' ', print->margin + 1);
	if (print->style->short_form) {
		pfx_str_pad(to, ' ', print->digits + 3);
		return;
	}
	pfx_str_add(to, ": ");
	before = to->len;
	if (line)
		pfx_str_u64(to, line, 0);
	if (to->len - before < LINE_WIDTH)
		pfx_str_pad(to, ' ', LINE_WIDTH - (to->len - before));
	pfx_str_addc(to, ' ');
}

static void end_note(struct print *print)
{
	if (print->style->colours)
		pfx_str_add(print->to, PFX_COLOUR_END);
	pfx_str_addc(print->to, '\n');
}

/* "name():", where the instructions of another function begin or continue. */
static void add_function(struct print *print, uint32_t inlined)
{
	begin_note(print, 0);
	if (print->style->colours)
		pfx_str_add(print->to, COLOUR_LINE);
	pfx_str_add_foreign(print->to, inlined == PFX_CODE_NONE
					       ? print->code->symbol->name
					       : print->code->inlined[inlined].name);
	pfx_str_add(print->to, "():");
	end_note(print);
}

static void add_line(struct print *print, uint32_t line)
{
	const struct pfx_code_line *at = &print->code->lines[line];

	begin_note(print, print->style->short_form ? 0 : at->line);
	if (print->style->colours)
		pfx_str_add(print->to, COLOUR_LINE);
	if (at->text) {
		pfx_code_add_source(print->to, at->text, at->len);
	} else {
		pfx_str_add_foreign(print->to, shown_file(print, at->file));
		pfx_str_addc(print->to, ':');
		pfx_str_u64(print->to, at->line, 0);
	}
	end_note(print);
}

/* The source lines between the previous instruction and this one. */
static void add_notes(struct print *print, const struct pfx_code_insn *insn)
{
	if (!print->was_first || insn->inlined != print->inlined)
		add_function(print, insn->inlined);
	print->was_first = true;
	print->inlined = insn->inlined;
	if (insn->line == print->line || insn->line == PFX_CODE_NONE || print->style->no_source)
		return;
	print->line = insn->line;
	add_line(print, insn->line);
}

/* --- lines --- */

static const char *arrow_of(const struct pfx_code_insn *insn)
{
	switch (insn->flow) {
	case PFX_FLOW_CALL:
		return "→ ";
	case PFX_FLOW_RETURN:
		return "← ";
	case PFX_FLOW_BRANCH:
	case PFX_FLOW_JUMP:
		if (insn->target_insn == PFX_CODE_NONE)
			return "→ ";
		return insn->target < insn->addr ? "↑ " : "↓ ";
	default:
		return "  ";
	}
}

static void add_place(struct print *print, const struct pfx_code_insn *insn)
{
	uint64_t offset = insn->addr - print->code->insns[0].addr;

	if (!print->style->short_form) {
		pfx_str_add(print->to, " :   ");
		pfx_str_hex(print->to, insn->addr, print->digits);
		pfx_str_add(print->to, ":   ");
		return;
	}
	pfx_str_pad(print->to, ' ', 2);
	if (insn->is_target) {
		pfx_str_hex(print->to, offset, print->digits);
		pfx_str_add(print->to, ": ");
	} else {
		pfx_str_pad(print->to, ' ', print->digits + 2);
	}
	pfx_str_add(print->to, arrow_of(insn));
}

static bool has_cost(const struct print *print, uint32_t i)
{
	uint32_t e;

	for (e = 0; e < print->events->nr; e++)
		if (pfx_code_cost(print->code, i, print->events->events[e]->idx)->nr_samples)
			return true;
	return false;
}

static void add_values(struct print *print, uint32_t i)
{
	const struct pfx_cost *cost;
	uint32_t e, event;

	for (e = 0; e < print->events->nr; e++) {
		event = print->events->events[e]->idx;
		cost = pfx_code_cost(print->code, i, event);
		if (print->style->short_form && !cost->nr_samples)
			pfx_str_pad(print->to, ' ', pfx_code_value_width(print->style));
		else
			add_value(print, event, cost);
	}
}

/* The data that instruction @i accesses: "struct page +0x18 (lru.next)". */
static void add_data(struct print *print, uint32_t i)
{
	const struct pfx_data *data = &print->code->data[i];

	if (data->kind == PFX_DATA_UNKNOWN)
		return;
	pfx_str_add(print->to, "        # data-type: ");
	pfx_str_add_foreign(print->to, pfx_data_name(data));
	if (data->kind != PFX_DATA_TYPE)
		return;
	pfx_str_addf(print->to, " +%#" PRIx64, data->offset);
	if (!*data->member)
		return;
	pfx_str_add(print->to, " (");
	pfx_str_add_foreign(print->to, data->member);
	pfx_str_addc(print->to, ')');
}

/* Average weights of the samples of all shown events. */
static void add_weights(struct print *print, uint32_t i)
{
	struct pfx_weights sum = {0};
	uint32_t e;
	unsigned k;

	for (e = 0; e < print->events->nr; e++)
		pfx_weights_add(&sum,
				pfx_code_weights(print->code, i, print->events->events[e]->idx));
	for (k = 0; k < print->code->nr_weight_parts; k++)
		if (sum.nr_samples)
			pfx_str_addf(print->to, "%*.1f", WEIGHT_WIDTH, pfx_weights_mean(&sum, k));
		else
			pfx_str_pad(print->to, ' ', WEIGHT_WIDTH);
}

static bool has_speeds(const struct print *print)
{
	return print->style->short_form && print->code->speeds;
}

static void add_speed(struct print *print, const struct pfx_code_speed *speed)
{
	if (speed->ipc > 0)
		pfx_str_addf(print->to, "%*.2f", SPEED_WIDTH, (double)speed->ipc);
	else
		pfx_str_pad(print->to, ' ', SPEED_WIDTH);
	if (speed->cycles)
		pfx_str_addf(print->to, "%*" PRIu64, SPEED_WIDTH, speed->cycles);
	else
		pfx_str_pad(print->to, ' ', SPEED_WIDTH);
}

static void add_insn(struct print *print, uint32_t i)
{
	const struct pfx_code_insn *insn = &print->code->insns[i];
	const struct pfx_code_line *line;

	add_values(print, i);
	if (print->code->weights)
		add_weights(print, i);
	if (has_speeds(print))
		add_speed(print, &print->code->speeds[i]);
	add_place(print, insn);
	if (print->style->raw)
		add_raw(insn, print->to);
	pfx_code_insn_text(print->code, insn, print->style->short_form, print->to);
	if (print->code->data)
		add_data(print, i);
	if (print->style->print_lines && insn->line != PFX_CODE_NONE && has_cost(print, i)) {
		line = &print->code->lines[insn->line];
		pfx_str_add(print->to, " // ");
		pfx_str_add_foreign(print->to, shown_file(print, line->file));
		pfx_str_addf(print->to, ":%u", line->line);
	}
	pfx_str_addc(print->to, '\n');
}

/* --- the title --- */

static unsigned values_width(const struct print *print)
{
	return pfx_code_value_width(print->style) * print->events->nr;
}

/* The titles of the columns before the code, in the width of the columns. */
static void add_heads(struct print *print)
{
	static const char *const weights[] = {"Weight", "Latency", "Stage"};
	const char *first = value_title(print->style) + print->style->short_form;
	unsigned k;

	pfx_str_add(print->to, first);
	if (!print->style->short_form || print->margin > values_width(print))
		pfx_str_pad(print->to, ' ', values_width(print) - strlen(first));
	for (k = 0; k < print->code->nr_weight_parts; k++)
		pfx_str_addf(print->to, "%*s", WEIGHT_WIDTH, weights[k]);
	if (has_speeds(print))
		pfx_str_addf(print->to, "%*s%*s (Average IPC: %.2f, IPC Coverage: %.1f%%)",
			     SPEED_WIDTH, "IPC", SPEED_WIDTH, "Cycle", print->code->ipc.ipc,
			     print->code->ipc.coverage);
}

static const char *shown_binary(const struct print *print)
{
	const struct pfx_dso *dso = print->code->dso;

	return print->style->full_paths ? dso->name : dso->short_name;
}

/* The numbers of samples of the first event by address. */
static void add_histogram(struct print *print)
{
	uint32_t event = print->events->events[0]->idx, i;
	const struct pfx_cost *cost;

	for (i = 0; i < print->code->nr_insns; i++) {
		cost = pfx_code_cost(print->code, i, event);
		if (cost->nr_samples)
			pfx_str_addf(print->to, "%*" PRIx64 ": %" PRIu64 "\n", ADDRESS_WIDTH,
				     print->code->insns[i].addr, cost->nr_samples);
	}
	pfx_str_addf(print->to, "%*s: %" PRIu64 "\n", ADDRESS_WIDTH, "h->nr_samples",
		     print->code->totals[event].nr_samples);
}

static void add_title(struct print *print)
{
	uint32_t leader = print->events->events[0]->idx;
	struct pfx_str title = {0};

	pfx_str_add(&title, "Source code & Disassembly of ");
	pfx_str_add_foreign(&title, shown_binary(print));
	pfx_str_add(&title, " for ");
	pfx_code_add_event_names(&title, print->events);
	pfx_str_addf(&title, " (%" PRIu64 " samples, percent: %s)",
		     print->code->totals[leader].nr_samples, pfx_code_percent_name(print->style));
	add_heads(print);
	pfx_str_addf(print->to, " |\t%s\n", title.at);
	pfx_str_pad(print->to, '-', print->margin + 3 + title.len);
	pfx_str_addc(print->to, '\n');
	pfx_str_fini(&title);
	if (print->style->histogram)
		add_histogram(print);
	begin_note(print, 0);
	pfx_str_hex0(print->to, print->code->insns[0].addr, 16);
	pfx_str_add(print->to, " <");
	pfx_str_add_foreign(print->to, print->code->symbol->name);
	pfx_str_add(print->to, ">:\n");
}

static void add_short_title(struct print *print)
{
	const struct pfx_event *leader = print->events->events[0];
	const struct pfx_cost *total = &print->code->totals[leader->idx];
	struct pfx_str *to = print->to;

	pfx_str_addf(to, "Samples: %" PRIu64 "  of event%s '", total->nr_samples,
		     print->events->nr > 1 ? "s" : "");
	pfx_code_add_event_names(to, print->events);
	pfx_str_add(to, "', ");
	if (leader->attr.flags & PFX_ATTR_FREQ)
		pfx_str_addf(to, "%" PRIu64 " Hz, ", leader->attr.sample_period);
	pfx_str_addf(to, "Event count (approx.): %" PRIu64 ", [percent: %s]\n", total->period,
		     pfx_code_percent_name(print->style));
	pfx_str_add_foreign(to, print->code->symbol->name);
	pfx_str_add(to, "() ");
	pfx_str_add_foreign(to, print->code->dso->name);
	pfx_str_addc(to, '\n');
	add_heads(print);
	pfx_str_addc(to, '\n');
}

/* --- the summary of lines --- */

struct summed {
	const struct pfx_code_line *line;
	double percent;
};

static int by_percent(const void *a, const void *b)
{
	const struct summed *x = a, *y = b;

	if (x->percent != y->percent)
		return x->percent < y->percent ? 1 : -1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static void add_summary(struct print *print)
{
	const struct pfx_code *code = print->code;
	struct summed *lines = pfx_calloc(code->nr_lines + 1, sizeof(*lines));
	uint32_t event = print->events->events[0]->idx, i, nr = 0;
	struct pfx_str title = {0};

	pfx_str_add(&title, "Sorted summary for file ");
	pfx_str_add_foreign(&title, code->dso->name);
	pfx_str_addf(print->to, "\n%s\n", title.at);
	pfx_str_pad(print->to, '-', title.len + 1);
	pfx_str_add(print->to, "\n\n");
	pfx_str_fini(&title);
	for (i = 0; i < code->nr_lines; i++) {
		lines[nr].line = &code->lines[i];
		lines[nr].percent = pfx_code_percent(code, print->style, print->events, event,
						     &code->lines[i].self[event]);
		nr += lines[nr].percent > SUMMARY_LIMIT;
	}
	qsort(lines, nr, sizeof(*lines), by_percent);
	for (i = 0; i < nr; i++) {
		pfx_str_addf(print->to, " %7.2f ", lines[i].percent);
		pfx_str_add_foreign(print->to, shown_file(print, lines[i].line->file));
		pfx_str_addf(print->to, ":%u\n", lines[i].line->line);
	}
	if (!nr)
		pfx_str_addf(print->to, " Nothing higher than %1.1f%%\n", SUMMARY_LIMIT);
	free(lines);
}

/* --- the function --- */

static unsigned nr_digits(uint64_t v)
{
	unsigned nr = 1;

	while (v >>= 4)
		nr++;
	return nr;
}

/* Whether instruction @i belongs to the inlined function that is asked for, or to one in it. */
static bool is_asked_for(const struct print *print, uint32_t i)
{
	uint32_t at = print->code->insns[i].inlined;

	for (; at != PFX_CODE_NONE; at = print->code->inlined[at].parent)
		if (pfx_asked_name_fits(print->style->only, print->code->inlined[at].name))
			return true;
	return false;
}

/* Whether instruction @i is within the context of an instruction with costs. Instructions are asked
 * for in order: @hot, which begins at 0, is the first one with costs that is still in reach. */
static bool is_shown(const struct print *print, uint32_t i, uint32_t *hot)
{
	uint32_t context = print->style->context;

	if (print->style->only && !is_asked_for(print, i))
		return false;
	if (context == UINT32_MAX)
		return true;
	while (*hot < print->code->nr_insns &&
	       ((*hot < i && i - *hot > context) || !has_cost(print, *hot)))
		++*hot;
	return *hot < print->code->nr_insns && (*hot < i || *hot - i <= context);
}

static int add_insns(struct print *print, const struct pfx_code_output *to)
{
	const struct pfx_code *code = print->code;
	bool left_out = false, shown;
	uint32_t i, hot = 0;
	int rc = 0;

	for (i = 0; i < code->nr_insns && !rc; i++) {
		shown = is_shown(print, i, &hot);
		if (!shown && !left_out) {
			begin_note(print, 0);
			pfx_str_add(print->to, "...\n");
		}
		left_out = !shown;
		if (!shown)
			continue;
		add_notes(print, &code->insns[i]);
		add_insn(print, i);
		rc = pfx_code_output_step(to);
	}
	return rc;
}

int pfx_code_text(const struct pfx_code *code, const struct pfx_code_style *style,
		  const struct pfx_code_events *events, const struct pfx_code_output *to)
{
	struct print print = {.code = code,
			      .style = style,
			      .events = events,
			      .to = to->text,
			      .line = PFX_CODE_NONE,
			      .inlined = PFX_CODE_NONE};
	const struct pfx_code_insn *last = &code->insns[code->nr_insns - 1];

	print.digits = nr_digits(style->short_form ? last->addr - code->insns[0].addr : last->addr);
	print.margin = values_width(&print) + WEIGHT_WIDTH * code->nr_weight_parts +
		       (has_speeds(&print) ? 2 * SPEED_WIDTH : 0);
	if (style->print_lines)
		add_summary(&print);
	if (style->short_form)
		add_short_title(&print);
	else
		add_title(&print);
	return add_insns(&print, to);
}
