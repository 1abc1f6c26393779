/* SPDX-License-Identifier: MIT */
/*
 * Jumps inside a function. Short jumps get the lanes next to the code: jumps are sorted by length,
 * and each gets the first lane that is free over its whole range.
 */
#include <stdlib.h>
#include <string.h>

#include "code/code_internal.h"

#define LANES_MAX 32 /* further jumps share the last lane */

static int by_length(const void *a, const void *b)
{
	const struct pfx_code_jump *x = a, *y = b;
	uint32_t x_len = x->from < x->to ? x->to - x->from : x->from - x->to;
	uint32_t y_len = y->from < y->to ? y->to - y->from : y->from - y->to;

	if (x_len != y_len)
		return x_len < y_len ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* The lanes in use at an instruction, as bits. */
static uint32_t lanes_between(const uint32_t *taken, const struct pfx_code_jump *jump)
{
	uint32_t first = jump->from < jump->to ? jump->from : jump->to;
	uint32_t last = jump->from < jump->to ? jump->to : jump->from;
	uint32_t i, lanes = 0;

	for (i = first; i <= last && lanes != UINT32_MAX; i++)
		lanes |= taken[i];
	return lanes;
}

static void take_lane(uint32_t *taken, const struct pfx_code_jump *jump)
{
	uint32_t first = jump->from < jump->to ? jump->from : jump->to;
	uint32_t last = jump->from < jump->to ? jump->to : jump->from;
	uint32_t i;

	for (i = first; i <= last; i++)
		taken[i] |= 1u << jump->lane;
}

static void assign_lanes(struct pfx_code *code)
{
	uint32_t *taken = pfx_calloc(code->nr_insns + 1, sizeof(*taken)), i, lanes;

	qsort(code->jumps, code->nr_jumps, sizeof(*code->jumps), by_length);
	for (i = 0; i < code->nr_jumps; i++) {
		lanes = lanes_between(taken, &code->jumps[i]);
		code->jumps[i].lane =
			lanes == UINT32_MAX ? LANES_MAX - 1 : (uint32_t)__builtin_ctz(~lanes);
		take_lane(taken, &code->jumps[i]);
		if (code->nr_lanes <= code->jumps[i].lane)
			code->nr_lanes = code->jumps[i].lane + 1;
	}
	free(taken);
}

void pfx_code_find_jumps(struct pfx_code_build *build)
{
	struct pfx_code *code = build->code;
	struct pfx_code_insn *insn;
	uint32_t i, to;

	code->jumps = pfx_arena_array(&code->arena, struct pfx_code_jump, code->nr_insns);
	for (i = 0; i < code->nr_insns; i++) {
		insn = &code->insns[i];
		if (!insn->has_target || insn->is_data ||
		    (insn->flow != PFX_FLOW_BRANCH && insn->flow != PFX_FLOW_JUMP))
			continue;
		to = pfx_code_find(code, insn->target);
		if (to == PFX_CODE_NONE || code->insns[to].addr != insn->target)
			continue;
		insn->target_insn = to;
		code->insns[to].is_target = true;
		code->jumps[code->nr_jumps++] = (struct pfx_code_jump){.from = i, .to = to};
	}
	if (code->nr_jumps)
		assign_lanes(code);
}
