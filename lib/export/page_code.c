/* SPDX-License-Identifier: MIT */
/*
 * The code of the functions with the highest cost: instructions with their cost, the source lines
 * that they belong to, and, if wanted, the text of these lines. The size of the page is bounded:
 * functions below a share of each event are left out, and instructions and lines are counted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "export/page_data_internal.h"
#include "out/json_parts.h"
#include "view/view_code.h"

#define MOST_FUNCTIONS 50
#define LEAST_SHARE    200   /* of an event: 1/200 */
#define MOST_INSNS     30000 /* of all functions; about 20 bytes each in a packed page */
#define MOST_LINES     20000 /* of all sources */
#define MOST_GAP       10    /* lines without code that are shown between others */

struct page_code {
	struct pfx_page_data *h;
	struct pfx_view_functions functions;
	uint32_t nr, insns_left, lines_left;
};

/* --- columns of a function --- */

static void add_texts(struct pfx_page_data *h, const struct pfx_code *code)
{
	const struct pfx_code_insn *insn;
	struct pfx_str text = {0};
	uint32_t i;

	pfx_page_begin(h, "text", '[');
	for (i = 0; i < code->nr_insns; i++) {
		insn = &code->insns[i];
		pfx_str_clear(&text);
		pfx_str_add(&text, insn->text);
		if (insn->name)
			pfx_str_addf(&text, " <%s", insn->name);
		if (insn->name && insn->name_offset)
			pfx_str_addf(&text, "+0x%llx", (unsigned long long)insn->name_offset);
		if (insn->name)
			pfx_str_addc(&text, '>');
		pfx_json_add_comma(h->to, i);
		pfx_json_add_string(h->to, pfx_str_get(&text));
	}
	pfx_page_end(h, ']');
	pfx_str_fini(&text);
}

/* Indexes plus 1; 0: none. */
static uint64_t plus_one(uint32_t index)
{
	return index == PFX_CODE_NONE ? 0 : index + 1ull;
}

static void add_insns(struct pfx_page_data *h, const struct pfx_code *code)
{
	uint32_t i;

	pfx_page_begin(h, "instructions", '{');
	pfx_json_add_number(h->to, "count", code->nr_insns);
	for (i = 0; i < code->nr_insns; i++)
		pfx_vec_push(&h->column, code->insns[i].addr - code->insns[0].addr);
	pfx_page_column(h, "offset");
	for (i = 0; i < code->nr_insns; i++)
		pfx_vec_push(&h->column, plus_one(code->insns[i].line));
	pfx_page_column(h, "line");
	for (i = 0; i < code->nr_insns; i++)
		pfx_vec_push(&h->column, plus_one(code->insns[i].target_insn));
	pfx_page_column(h, "target");
	for (i = 0; i < code->nr_insns; i++)
		pfx_vec_push(&h->column, plus_one(code->insns[i].inlined));
	pfx_page_column(h, "inlined");
	add_texts(h, code);
	pfx_page_end(h, '}');
}

/* The columns of events of the new recording, which are the first: the old one has no code here. */
static uint32_t nr_code_events(const struct pfx_page_data *h)
{
	uint32_t i = 0;

	while (i < h->selection->nr_events && h->selection->events[i] < h->nr_new_events)
		i++;
	return i;
}

/* Costs of the events of the page, where there are any. */
static void add_costs(struct pfx_page_data *h, const struct pfx_code *code)
{
	const struct pfx_selection *selection = h->selection;
	const struct pfx_cost *cost;
	uint32_t i, event, nr = 0;
	PFX_VEC(struct pfx_event_cost) found = {0};

	for (i = 0; i < code->nr_insns; i++)
		for (event = 0; event < nr_code_events(h); event++) {
			cost = pfx_code_cost(code, i, selection->events[event]);
			if (cost->nr_samples)
				pfx_vec_push(&found, ((struct pfx_event_cost){i, event, *cost}));
		}
	nr = (uint32_t)found.nr;
	pfx_page_begin(h, "costs", '{');
	pfx_json_add_number(h->to, "count", nr);
	for (i = 0; i < nr; i++)
		pfx_vec_push(&h->column, found.at[i].item);
	pfx_page_column(h, "instruction");
	for (i = 0; i < nr; i++)
		pfx_vec_push(&h->column, found.at[i].event);
	pfx_page_column(h, "event");
	for (i = 0; i < nr; i++)
		pfx_vec_push(&h->column, found.at[i].cost.nr_samples);
	pfx_page_column(h, "samples");
	for (i = 0; i < nr; i++)
		pfx_vec_push(&h->column, found.at[i].cost.period);
	pfx_page_column(h, "period");
	pfx_page_end(h, '}');
	pfx_vec_free(&found);
}

static void add_inlined(struct pfx_page_data *h, const struct pfx_code *code)
{
	uint32_t i;

	pfx_page_begin(h, "inlined", '[');
	for (i = 0; i < code->nr_inlined; i++) {
		pfx_json_add_comma(h->to, i);
		pfx_json_add_string(h->to, code->inlined[i].name);
	}
	pfx_page_end(h, ']');
}

/* --- lines --- */

static int by_file_and_line(const void *a, const void *b, void *context)
{
	const struct pfx_code *code = context;
	const struct pfx_code_line *x = &code->lines[*(const uint32_t *)a];
	const struct pfx_code_line *y = &code->lines[*(const uint32_t *)b];
	int order = strcmp(x->file, y->file);

	return order ? order : pfx_compare_u64(x->line, y->line);
}

/* The lines of the model by file and number; the caller frees them. */
static uint32_t *sorted_lines(const struct pfx_code *code)
{
	uint32_t *lines = pfx_malloc((code->nr_lines + 1ul) * sizeof(*lines)), i;

	for (i = 0; i < code->nr_lines; i++)
		lines[i] = i;
	qsort_r(lines, code->nr_lines, sizeof(*lines), by_file_and_line, (void *)code);
	return lines;
}

static void add_lines(struct pfx_page_data *h, const struct pfx_code *code, const uint32_t *sorted)
{
	uint64_t *files = pfx_calloc(code->nr_lines + 1ul, sizeof(*files)), nr = 0;
	const char *last = NULL;
	uint32_t i;

	pfx_page_begin(h, "files", '[');
	for (i = 0; i < code->nr_lines; i++) {
		if (!last || strcmp(last, code->lines[sorted[i]].file)) {
			last = code->lines[sorted[i]].file;
			pfx_json_add_comma(h->to, (uint32_t)nr++);
			pfx_json_add_string(h->to, last);
		}
		files[sorted[i]] = nr - 1;
	}
	pfx_page_end(h, ']');
	pfx_page_begin(h, "lines", '{');
	pfx_json_add_number(h->to, "count", code->nr_lines);
	for (i = 0; i < code->nr_lines; i++)
		pfx_vec_push(&h->column, files[i]);
	pfx_page_column(h, "file");
	for (i = 0; i < code->nr_lines; i++)
		pfx_vec_push(&h->column, code->lines[i].line);
	pfx_page_column(h, "number");
	pfx_page_end(h, '}');
	free(files);
}

static void add_source_line(struct pfx_page_data *h, const char *file, uint32_t line, bool is_first)
{
	struct pfx_str copy = {0};
	const char *text;
	size_t len = 0;

	text = pfx_sources_line(h->in->sources, file, line, &len);
	if (text)
		pfx_str_addn(&copy, text, len < PFX_CODE_LINE_MAX ? len : PFX_CODE_LINE_MAX);
	pfx_json_add_comma(h->to, !is_first);
	pfx_json_add_string(h->to, pfx_str_get(&copy));
	pfx_str_fini(&copy);
}

/* Lines that follow each other with small gaps, from @i on: where they end. */
static uint32_t end_of_part(const struct pfx_code *code, const uint32_t *sorted, uint32_t i)
{
	const struct pfx_code_line *line = &code->lines[sorted[i]], *next;

	for (i++; i < code->nr_lines; i++, line = next) {
		next = &code->lines[sorted[i]];
		if (strcmp(line->file, next->file) || next->line - line->line > MOST_GAP)
			break;
	}
	return i;
}

static void add_part(struct page_code *page, const struct pfx_code_line *first,
		     const struct pfx_code_line *last, uint32_t *nr)
{
	struct pfx_page_data *h = page->h;
	uint32_t from = first->line > 2 ? first->line - 2 : 1, line;
	uint32_t end = pfx_sources_nr_lines(h->in->sources, first->file);

	end = end < last->line + 1 ? end : last->line + 1;
	if (end < from || end - from + 1 > page->lines_left)
		return;
	page->lines_left -= end - from + 1;
	pfx_page_element(h, (*nr)++);
	pfx_json_add_text(h->to, "file", first->file);
	pfx_json_add_number(h->to, "first", from);
	pfx_page_begin(h, "text", '[');
	for (line = from; line <= end; line++)
		add_source_line(h, first->file, line, line == from);
	pfx_page_end(h, ']');
	pfx_page_end(h, '}');
}

static void add_sources(struct page_code *page, const struct pfx_code *code, const uint32_t *sorted)
{
	uint32_t i, end, nr = 0;

	if (!page->h->in->sources)
		return;
	pfx_page_begin(page->h, "sources", '[');
	for (i = 0; i < code->nr_lines; i = end) {
		end = end_of_part(code, sorted, i);
		add_part(page, &code->lines[sorted[i]], &code->lines[sorted[end - 1]], &nr);
	}
	pfx_page_end(page->h, ']');
}

/* --- functions --- */

static void add_model(struct page_code *page, const struct pfx_code *code)
{
	struct pfx_page_data *h = page->h;
	uint32_t *sorted;
	char start[32];

	if (code->nr_insns > page->insns_left) {
		pfx_json_add_text(h->to, "note",
				  "The page has no room for the instructions of this function; "
				  "'pfx annotate' shows them.");
		return;
	}
	page->insns_left -= code->nr_insns;
	if (!code->has_disassembler)
		pfx_json_add_text(h->to, "note",
				  "There is no disassembler for these instructions.");
	snprintf(start, sizeof(start), "%llx",
		 (unsigned long long)(code->nr_insns ? code->insns[0].addr : 0));
	pfx_json_add_text(h->to, "start", start);
	add_insns(h, code);
	add_costs(h, code);
	add_inlined(h, code);
	sorted = sorted_lines(code);
	add_lines(h, code, sorted);
	add_sources(page, code, sorted);
	free(sorted);
}

static void add_function(struct page_code *page, const struct pfx_code_function *function,
			 uint32_t id)
{
	const struct pfx_code_options options = {0};
	struct pfx_page_data *h = page->h;
	struct pfx_code *code = NULL;
	struct pfx_error err = {0};
	int rc = pfx_code_new(&code, h->in->resolver, h->in->costs, function, &options, &err);

	pfx_page_element(h, page->nr++);
	pfx_json_add_number(h->to, "function", id);
	if (rc < 0)
		pfx_json_add_text(h->to, "note", err.text);
	else
		add_model(page, code);
	pfx_page_end(h, '}');
	pfx_code_free(code);
}

/* A function with a share of an event that is worth showing. */
static bool is_hot(const struct pfx_page_data *h, const struct pfx_code_function *function)
{
	struct pfx_cost cost, total;
	uint32_t i;

	for (i = 0; i < nr_code_events(h); i++) {
		cost = pfx_cost_of(&function->costs, h->selection->events[i]);
		total = pfx_costs_total(h->in->costs, h->selection->events[i]);
		if (cost.nr_samples && (cost.period >= total.period / LEAST_SHARE ||
					cost.nr_samples >= total.nr_samples / LEAST_SHARE))
			return true;
	}
	return false;
}

void pfx_page_add_code(struct pfx_page_data *h)
{
	struct page_code page = {.h = h, .insns_left = MOST_INSNS, .lines_left = MOST_LINES};
	const struct pfx_code_function *functions;
	uint32_t i, nr, id;

	if (!h->in->costs)
		return;
	nr = pfx_costs_functions(h->in->costs, h->in->meta->nr_events, &functions);
	pfx_view_functions_init(&page.functions, h->profile);
	pfx_page_begin(h, "code", '[');
	for (i = 0; i < nr && page.nr < MOST_FUNCTIONS; i++) {
		if (!functions[i].symbol || !is_hot(h, &functions[i]))
			continue;
		id = pfx_view_function(&page.functions, functions[i].dso, functions[i].symbol);
		if (id != PFX_NO_ID)
			add_function(&page, &functions[i], id);
	}
	pfx_page_end(h, ']');
	h->has_code = page.nr > 0;
	pfx_view_functions_fini(&page.functions);
}
