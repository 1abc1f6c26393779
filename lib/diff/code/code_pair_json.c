/* SPDX-License-Identifier: MIT */
/* Costs are arrays with an element for each event; addresses are strings, as in pfx.annotate. */
#include <inttypes.h>
#include <stdlib.h>

#include "diff/code/code_pair_text.h"
#include "out/json_parts.h"

static void add_cost(struct pfx_str *to, const struct pfx_cost *cost)
{
	pfx_str_addc(to, '{');
	pfx_json_add_number(to, "period", cost->period);
	pfx_json_add_number(to, "samples", cost->nr_samples);
	pfx_str_addc(to, '}');
}

static void add_costs(struct pfx_str *to, const struct pfx_cost *costs, uint32_t nr)
{
	uint32_t i;

	pfx_json_add_name(to, "costs");
	pfx_str_addc(to, '[');
	for (i = 0; i < nr; i++) {
		pfx_json_add_comma(to, i);
		add_cost(to, &costs[i]);
	}
	pfx_str_addc(to, ']');
}

void pfx_code_pair_json_begin(const struct pfx_code_pair_event *events, uint32_t nr,
			      struct pfx_str *to)
{
	uint32_t i;

	pfx_str_add(to, "{\n\"schema\": \"" PFX_ANNOTATE_DIFF_SCHEMA "\",\n\"events\": [");
	for (i = 0; i < nr; i++) {
		pfx_str_add(to, i ? ",\n\t{" : "\n\t{");
		pfx_json_add_text(to, "name", events[i].name);
		pfx_json_add_name(to, "old");
		add_cost(to, &events[i].wholes[0]);
		pfx_json_add_name(to, "new");
		add_cost(to, &events[i].wholes[1]);
		pfx_str_addc(to, '}');
	}
	pfx_str_add(to, "],\n\"functions\": [");
}

/* The costs of the events on one side of a row or line, unless there are none. */
struct adding {
	const struct pfx_code_pair *pair;
	const struct pfx_code_pair_event *events;
	uint32_t nr;
	struct pfx_cost *costs; /* by event; for one side of one row */
	struct pfx_str *to;
};

static void add_side_costs(struct adding *adding, uint32_t i, int side, bool of_line)
{
	bool any = false;
	uint32_t e;

	for (e = 0; e < adding->nr; e++) {
		adding->costs[e] =
			of_line ? pfx_code_pair_line_cost(adding->pair, &adding->events[e], i, side)
				: pfx_code_pair_cost(adding->pair, &adding->events[e], i, side);
		any |= adding->costs[e].nr_samples || adding->costs[e].period;
	}
	if (!any)
		return;
	add_costs(adding->to, adding->costs, adding->nr);
}

static void add_insn(struct adding *adding, uint32_t i, int side)
{
	const struct pfx_code_pair_row *row = &adding->pair->rows[i];
	const struct pfx_code *code = side ? adding->pair->new : adding->pair->old;
	uint32_t number = side ? row->new : row->old;
	const struct pfx_code_insn *insn;
	struct pfx_str text = {0};

	if (number == PFX_CODE_NONE)
		return;
	insn = &code->insns[number];
	pfx_json_add_name(adding->to, side ? "new" : "old");
	pfx_str_addf(adding->to, "{\"address\":\"0x%" PRIx64 "\"", insn->addr);
	pfx_code_insn_text(code, insn, false, &text);
	pfx_json_add_text(adding->to, "text", pfx_str_get(&text));
	pfx_str_fini(&text);
	if (insn->line != PFX_CODE_NONE)
		pfx_json_add_number(adding->to, "line", adding->pair->line_of[side][insn->line]);
	add_side_costs(adding, i, side, false);
	pfx_str_addc(adding->to, '}');
}

static int add_rows(struct adding *adding, const struct pfx_code_output *output)
{
	static const char *const states[] = {
		[PFX_CODE_SAME] = "same",
		[PFX_CODE_CHANGED] = "changed",
		[PFX_CODE_OLD] = "old",
		[PFX_CODE_NEW] = "new",
	};
	uint32_t i;
	int rc = 0;

	pfx_str_add(adding->to, ",\n\"rows\": [");
	for (i = 0; i < adding->pair->nr_rows && !rc; i++) {
		pfx_str_add(adding->to, i ? ",\n\t{" : "\n\t{");
		pfx_json_add_text(adding->to, "state", states[adding->pair->rows[i].state]);
		add_insn(adding, i, 0);
		add_insn(adding, i, 1);
		pfx_str_addc(adding->to, '}');
		rc = pfx_code_output_step(output);
	}
	pfx_str_addc(adding->to, ']');
	return rc;
}

static void add_line(struct adding *adding, uint32_t i, int side)
{
	uint32_t number = side ? adding->pair->lines[i].new : adding->pair->lines[i].old;
	const struct pfx_code *code = side ? adding->pair->new : adding->pair->old;
	const struct pfx_code_line *line;

	if (number == PFX_CODE_NONE)
		return;
	line = &code->lines[number];
	pfx_json_add_name(adding->to, side ? "new" : "old");
	pfx_str_addc(adding->to, '{');
	pfx_json_add_text(adding->to, "file", line->file);
	pfx_json_add_number(adding->to, "line", line->line);
	if (line->text && (side || !adding->pair->lines_moved)) {
		pfx_json_add_name(adding->to, "text");
		pfx_str_addc(adding->to, '"');
		pfx_str_add_json(adding->to, line->text, line->len);
		pfx_str_addc(adding->to, '"');
	}
	add_side_costs(adding, i, side, true);
	pfx_str_addc(adding->to, '}');
}

static int add_lines(struct adding *adding, const struct pfx_code_output *output)
{
	uint32_t i;
	int rc = 0;

	pfx_str_add(adding->to, ",\n\"lines\": [");
	for (i = 0; i < adding->pair->nr_lines && !rc; i++) {
		pfx_str_add(adding->to, i ? ",\n\t{" : "\n\t{");
		add_line(adding, i, 0);
		add_line(adding, i, 1);
		pfx_str_addc(adding->to, '}');
		rc = pfx_code_output_step(output);
	}
	pfx_str_addc(adding->to, ']');
	return rc;
}

static void add_function(struct adding *adding, int side)
{
	const struct pfx_code *code = side ? adding->pair->new : adding->pair->old;
	uint32_t e;

	if (!code)
		return;
	pfx_json_add_name(adding->to, side ? "new" : "old");
	pfx_str_addc(adding->to, '{');
	pfx_json_add_text(adding->to, "name", code->symbol->name);
	pfx_json_add_text(adding->to, "dso", code->dso->name);
	for (e = 0; e < adding->nr; e++)
		adding->costs[e] = code->totals[adding->events[e].idx[side]];
	add_costs(adding->to, adding->costs, adding->nr);
	pfx_str_addc(adding->to, '}');
}

int pfx_code_pair_json_add(const struct pfx_code_pair *pair,
			   const struct pfx_code_pair_event *events, uint32_t nr, bool is_first,
			   const struct pfx_code_output *output)
{
	struct adding adding = {.pair = pair, .events = events, .nr = nr, .to = output->text};
	int rc;

	adding.costs = pfx_calloc(nr + 1ul, sizeof(*adding.costs));
	pfx_str_add(adding.to, is_first ? "\n{" : ",\n{");
	add_function(&adding, 0);
	add_function(&adding, 1);
	rc = add_lines(&adding, output);
	if (!rc)
		rc = add_rows(&adding, output);
	pfx_str_addc(adding.to, '}');
	free(adding.costs);
	return rc;
}

void pfx_code_pair_json_end(struct pfx_str *to)
{
	pfx_str_add(to, "]\n}\n");
}
