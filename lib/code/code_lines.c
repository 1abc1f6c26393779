/* SPDX-License-Identifier: MIT */
/*
 * Source lines of instructions, the functions inlined in them, and the cost of lines. A line's self
 * cost is the sum of its instructions. Its inclusive cost counts each sample once if the line is
 * anywhere in its call chain: as the sampled line, as the line of a call, or as the call site of an
 * inlined function.
 */
#include <stdlib.h>
#include <string.h>

#include "code/code_internal.h"
#include "unwind/made_code.h"

#define NEST_MAX 64 /* nested inlined functions; deeper ones are dropped */

/* --- lines and inlined functions of instructions --- */

/* @made: has the text of the line; NULL: it is in a file. */
static uint32_t line_of(struct pfx_code_build *build, const struct pfx_source *source,
			const struct pfx_made_line *made)
{
	struct pfx_code *code = build->code;
	const struct {
		const char *file;
		uint64_t line;
	} key = {source->file, source->line};
	struct pfx_code_line line = {.file = source->file, .line = source->line};
	uint32_t id = pfx_intern_add(&build->line_keys, &key, sizeof(key));

	if (id < build->lines.nr)
		return id;
	if (made && made->text_size) {
		line.text = made->text;
		line.len = made->text_size;
	} else if (build->options->sources) {
		pfx_sources_named_by(build->options->sources, line.file, build->function->dso);
		line.text =
			pfx_sources_line(build->options->sources, line.file, line.line, &line.len);
	}
	if (line.len > PFX_CODE_LINE_MAX)
		line.len = PFX_CODE_LINE_MAX;
	line.self = pfx_arena_array(&code->arena, struct pfx_cost, code->nr_events);
	line.inclusive = pfx_arena_array(&code->arena, struct pfx_cost, code->nr_events);
	pfx_vec_push(&build->lines, line);
	return id;
}

/* The functions that an instruction is inlined in, outermost first. */
struct nest {
	uint32_t ids[NEST_MAX];
	const void *calls[NEST_MAX]; /* identify them in the debug information */
	uint32_t nr;
};

static uint32_t call_line(struct pfx_code_build *build, struct pfx_lines *lines,
			  const struct pfx_inlined *inlined)
{
	struct pfx_source call;

	return pfx_lines_call(lines, inlined, &call) ? line_of(build, &call, NULL) : PFX_CODE_NONE;
}

static bool is_same(const struct pfx_code_inlined *a, const struct pfx_code_inlined *b)
{
	return a->parent == b->parent && a->call_line == b->call_line && !strcmp(a->name, b->name);
}

/* Instruction @i is inlined in the @nr functions of @at, innermost first. A range continues as long
 * as the next instruction is in the same call. */
static void enter(struct pfx_code_build *build, struct pfx_lines *lines, struct nest *nest,
		  uint32_t i, const struct pfx_inlined *at, uint32_t nr)
{
	struct pfx_code_inlined one = {.parent = PFX_CODE_NONE, .first = i};
	bool goes_on = true;
	uint32_t k;

	if (nr > NEST_MAX)
		nr = NEST_MAX;
	for (k = 0; k < nr; k++) {
		if (goes_on && k < nest->nr && nest->calls[k] == at[nr - 1 - k].call) {
			build->inlined.at[nest->ids[k]].last = i;
			one.parent = nest->ids[k];
			continue;
		}
		nest->calls[k] = at[nr - 1 - k].call;
		one.name = at[nr - 1 - k].name;
		one.call_line = call_line(build, lines, &at[nr - 1 - k]);
		goes_on =
			goes_on && k < nest->nr && is_same(&build->inlined.at[nest->ids[k]], &one);
		if (!goes_on) {
			nest->ids[k] = (uint32_t)build->inlined.nr;
			pfx_vec_push(&build->inlined, one);
		}
		build->inlined.at[nest->ids[k]].last = i;
		one.parent = nest->ids[k];
	}
	nest->nr = nr;
}

/* The last answers of the debug information, and the code that they are valid for. */
struct line_state {
	uint64_t begin, size;
	bool found;
	struct pfx_source source; /* the last one that was found */
	uint32_t line;
};

struct inlined_state {
	uint64_t begin, size;
	const struct pfx_inlined *at;
	uint32_t nr;
	struct nest nest;
};

static uint32_t line_at(struct pfx_code_build *build, struct pfx_lines *lines,
			struct line_state *state, uint64_t offset)
{
	struct pfx_source source;

	if (offset - state->begin < state->size)
		return state->found ? state->line : PFX_CODE_NONE;
	state->begin = offset;
	state->found = pfx_lines_source_range(lines, offset, &source, &state->size);
	if (!state->found)
		return PFX_CODE_NONE;
	if (source.file != state->source.file || source.line != state->source.line)
		state->line = line_of(build, &source, NULL);
	state->source = source;
	return state->line;
}

static uint32_t inlined_at(struct pfx_code_build *build, struct pfx_lines *lines,
			   struct inlined_state *state, uint32_t i, uint64_t offset)
{
	if (offset - state->begin >= state->size) {
		state->begin = offset;
		state->nr = pfx_lines_inlined_range(lines, offset, &state->at, &state->size);
	}
	enter(build, lines, &state->nest, i, state->at, state->nr);
	return state->nest.nr ? state->nest.ids[state->nest.nr - 1] : PFX_CODE_NONE;
}

/* Lines and inlined functions from debug information, or from a jitdump. */
static void find_in_lines(struct pfx_code_build *build, struct pfx_lines *lines)
{
	struct pfx_code *code = build->code;
	struct line_state line = {.line = PFX_CODE_NONE};
	struct inlined_state inlined = {0};
	uint64_t offset;
	uint32_t i;

	for (i = 0; i < code->nr_insns; i++) {
		offset = code->insns[i].addr - build->shift;
		code->insns[i].line = line_at(build, lines, &line, offset);
		code->insns[i].inlined = inlined_at(build, lines, &inlined, i, offset);
	}
}

/* Lines that come with code made at run time. */
static bool find_made_lines(struct pfx_code_build *build)
{
	struct pfx_code *code = build->code;
	struct pfx_made_line made;
	struct pfx_place place;
	bool found = false;
	uint32_t i;

	for (i = 0; i < code->nr_insns; i++) {
		place = pfx_code_place(build, code->insns[i].addr);
		if (!pfx_place_made_line(build->resolver, &place, &made))
			continue;
		code->insns[i].line = line_of(build, &made.source, &made);
		found = true;
	}
	return found;
}

void pfx_code_find_lines(struct pfx_code_build *build)
{
	const struct pfx_dso *dso = build->function->dso;
	struct pfx_lines *lines = pfx_resolver_lines(build->resolver, dso);
	struct pfx_code *code = build->code;

	code->has_lines = lines != NULL;
	if (lines)
		find_in_lines(build, lines);
	else if (dso->kind == PFX_DSO_BPF)
		code->has_lines = find_made_lines(build);
	code->lines = build->lines.at;
	code->nr_lines = (uint32_t)build->lines.nr;
	code->inlined = build->inlined.at;
	code->nr_inlined = (uint32_t)build->inlined.nr;
}

/* --- costs of lines --- */

/* Lines that the current sample was already counted for. */
struct counted {
	struct pfx_code *code;
	uint32_t *stamps; /* by line */
	uint32_t stamp;
};

static void count_once(struct counted *counted, uint32_t line, uint32_t event,
		       const struct pfx_cost *cost)
{
	if (line == PFX_CODE_NONE || counted->stamps[line] == counted->stamp)
		return;
	counted->stamps[line] = counted->stamp;
	pfx_cost_add(&counted->code->lines[line].inclusive[event], cost);
}

/* The line of an instruction, and the call sites of the functions inlined there. */
static void count_insn(struct counted *counted, uint32_t i, uint32_t event,
		       const struct pfx_cost *cost)
{
	const struct pfx_code *code = counted->code;
	uint32_t at;

	count_once(counted, code->insns[i].line, event, cost);
	for (at = code->insns[i].inlined; at != PFX_CODE_NONE; at = code->inlined[at].parent)
		count_once(counted, code->inlined[at].call_line, event, cost);
}

static void count_place(struct pfx_code_build *build, struct counted *counted,
			const struct pfx_place *place, const struct pfx_cost_entry *entry)
{
	uint64_t addr = pfx_place_inner_address(place, place->sym) + build->shift;
	uint32_t i = pfx_code_find(build->code, addr);

	if (i != PFX_CODE_NONE)
		count_insn(counted, i, entry->event, &entry->cost);
}

static void count_chain(struct pfx_code_build *build, struct counted *counted,
			const struct pfx_cost_entry *entry)
{
	struct pfx_place **places;
	uint32_t i, nr = pfx_chain_frames(build->resolver, entry->chain, &places);

	for (i = 0; i < nr; i++)
		if (places[i]->sym == build->function->symbol)
			count_place(build, counted, places[i], entry);
}

static void add_self(struct pfx_code *code)
{
	uint32_t i, event;

	for (i = 0; i < code->nr_insns; i++)
		for (event = 0; code->insns[i].line != PFX_CODE_NONE && event < code->nr_events;
		     event++)
			pfx_cost_add(&code->lines[code->insns[i].line].self[event],
				     pfx_code_cost(code, i, event));
}

void pfx_code_cost_lines(struct pfx_code_build *build)
{
	struct pfx_code *code = build->code;
	struct counted counted = {.code = code};
	struct pfx_cost_entry entry;
	uint32_t at = 0;

	if (!code->nr_lines)
		return;
	add_self(code);
	counted.stamps = pfx_calloc(code->nr_lines, sizeof(*counted.stamps));
	while (pfx_costs_next(build->costs, build->function, &at, &entry)) {
		counted.stamp++;
		if (!entry.chain)
			count_place(build, &counted, entry.place, &entry);
	}
	at = 0;
	while (pfx_costs_next_chain(build->costs, build->function, &at, &entry)) {
		counted.stamp++;
		count_chain(build, &counted, &entry);
	}
	free(counted.stamps);
}
