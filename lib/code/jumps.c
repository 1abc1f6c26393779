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

/* The lanes in use at each instruction, as bits: a tree over ranges of instructions, so that a
 * function full of long jumps does not take its size squared. Node 1 is the root, the children of i
 * are 2i and 2i + 1. */
struct lanes {
	uint32_t size; /* leaves, a power of two */
	uint32_t *all; /* in use at all instructions of the node */
	uint32_t *any; /* at some of them, or in `all` of a node below */
};

/* A node with its range, and the range that is asked for. */
struct lane_range {
	uint32_t node, first, last;
	uint32_t from, to;
};

static bool split(const struct lane_range *range, struct lane_range ret[2])
{
	uint32_t mid = range->first + (range->last - range->first) / 2;

	if (range->from <= range->first && range->last <= range->to)
		return false;
	ret[0] = (struct lane_range){2 * range->node, range->first, mid, range->from, range->to};
	ret[1] = (struct lane_range){2 * range->node + 1, mid + 1, range->last, range->from,
				     range->to};
	return true;
}

static uint32_t lanes_in(const struct lanes *lanes, const struct lane_range *range)
{
	struct lane_range half[2];

	if (range->to < range->first || range->last < range->from)
		return 0;
	if (!split(range, half))
		return lanes->any[range->node];
	return lanes->all[range->node] | lanes_in(lanes, &half[0]) | lanes_in(lanes, &half[1]);
}

static void take_lane(struct lanes *lanes, const struct lane_range *range, uint32_t bit)
{
	struct lane_range half[2];

	if (range->to < range->first || range->last < range->from)
		return;
	lanes->any[range->node] |= bit;
	if (!split(range, half)) {
		lanes->all[range->node] |= bit;
		return;
	}
	take_lane(lanes, &half[0], bit);
	take_lane(lanes, &half[1], bit);
}

static void assign_lane(struct lanes *lanes, struct pfx_code_jump *jump)
{
	const struct lane_range range = {
		.node = 1,
		.last = lanes->size - 1,
		.from = jump->from < jump->to ? jump->from : jump->to,
		.to = jump->from < jump->to ? jump->to : jump->from,
	};
	uint32_t used = lanes_in(lanes, &range);

	jump->lane = used == UINT32_MAX ? LANES_MAX - 1 : (uint32_t)__builtin_ctz(~used);
	take_lane(lanes, &range, 1u << jump->lane);
}

static void assign_lanes(struct pfx_code *code)
{
	struct lanes lanes = {.size = 1};
	uint32_t i;

	while (lanes.size < code->nr_insns)
		lanes.size *= 2;
	lanes.all = pfx_calloc(2 * (size_t)lanes.size, sizeof(*lanes.all));
	lanes.any = pfx_calloc(2 * (size_t)lanes.size, sizeof(*lanes.any));
	qsort(code->jumps, code->nr_jumps, sizeof(*code->jumps), by_length);
	for (i = 0; i < code->nr_jumps; i++) {
		assign_lane(&lanes, &code->jumps[i]);
		if (code->nr_lanes <= code->jumps[i].lane)
			code->nr_lanes = code->jumps[i].lane + 1;
	}
	free(lanes.all);
	free(lanes.any);
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
	if (code->nr_jumps && !build->options->no_lanes)
		assign_lanes(code);
}
