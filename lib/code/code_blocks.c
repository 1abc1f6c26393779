/* SPDX-License-Identifier: MIT */
/*
 * Basic blocks of a function: a block begins at the target of a jump or after a jump, and ends
 * before the next one. Executions and cycles come from branch stacks: code between two branches may
 * cover several blocks, and its cycles are divided among its instructions.
 */
#include <stdlib.h>

#include "code/code_internal.h"

static bool ends_block(const struct pfx_code_insn *insn)
{
	return insn->flow == PFX_FLOW_BRANCH || insn->flow == PFX_FLOW_JUMP ||
	       insn->flow == PFX_FLOW_RETURN;
}

static void add_costs(const struct pfx_code *code, struct pfx_code_block *block)
{
	uint32_t i, event;

	for (i = block->first; i <= block->last; i++)
		for (event = 0; event < code->nr_events; event++)
			pfx_cost_add(&block->costs[event], pfx_code_cost(code, i, event));
}

void pfx_code_find_blocks(struct pfx_code_build *build)
{
	struct pfx_code *code = build->code;
	PFX_VEC(struct pfx_code_block) blocks = {0};
	uint32_t i, first = 0;

	for (i = 0; i < code->nr_insns; i++) {
		if (i + 1 < code->nr_insns && !ends_block(&code->insns[i]) &&
		    !code->insns[i + 1].is_target)
			continue;
		pfx_vec_push(&blocks,
			     ((struct pfx_code_block){.first = first,
						      .last = i,
						      .costs = pfx_arena_array(&code->arena,
									       struct pfx_cost,
									       code->nr_events)}));
		add_costs(code, &blocks.at[blocks.nr - 1]);
		first = i + 1;
	}
	code->blocks = blocks.at;
	code->nr_blocks = (uint32_t)blocks.nr;
}

/* --- branch stacks --- */

/* The sums of the runs that contain an instruction. While runs are added: the difference from the
 * sums of the previous instruction. */
struct tally {
	uint64_t executions;
	uint64_t timed; /* executions with cycles */
	double cycles;
};

static void change(struct tally *at, const struct pfx_branch_run *run, double cycles, int sign)
{
	at->executions += (uint64_t)sign * run->executions;
	at->timed += (uint64_t)sign * run->count;
	at->cycles += sign * cycles;
}

static void tally_run(const struct pfx_code_build *build, const struct pfx_branch_run *run,
		      struct tally *tallies)
{
	uint32_t first, last;

	if (!run->start)
		return;
	first = pfx_code_find(build->code, run->start->addr + build->shift);
	last = pfx_code_find(build->code, run->end->addr + build->shift);
	if (first == PFX_CODE_NONE || last == PFX_CODE_NONE || last < first)
		return;
	change(&tallies[first], run, (double)run->cycles / (last - first + 1), 1);
	change(&tallies[last + 1], run, (double)run->cycles / (last - first + 1), -1);
}

static void add_tallies(struct pfx_code_block *block, const struct tally *tallies)
{
	double cycles = 0;
	uint64_t insns = 0;
	uint32_t i;

	for (i = block->first; i <= block->last; i++) {
		if (block->executions < tallies[i].executions)
			block->executions = tallies[i].executions;
		insns += tallies[i].timed;
		cycles += tallies[i].timed ? tallies[i].cycles : 0;
	}
	block->cycles = (uint64_t)(cycles + 0.5);
	block->ipc = cycles > 0 ? (double)insns / cycles : 0;
}

/* Without disassembler bytes take the place of instructions. */
static void forget_speeds(struct pfx_code *code)
{
	uint32_t i;

	for (i = 0; i < code->nr_blocks; i++)
		code->blocks[i].ipc = 0;
}

static void cost_blocks(struct pfx_code_build *build, const struct pfx_branch_run *runs, size_t nr)
{
	struct pfx_code *code = build->code;
	struct tally *tallies = pfx_calloc((size_t)code->nr_insns + 1, sizeof(*tallies));
	uint32_t i;
	size_t k;

	for (k = 0; k < nr; k++)
		tally_run(build, &runs[k], tallies);
	for (i = 1; i < code->nr_insns; i++) {
		tallies[i].executions += tallies[i - 1].executions;
		tallies[i].timed += tallies[i - 1].timed;
		tallies[i].cycles += tallies[i - 1].cycles;
	}
	for (i = 0; i < code->nr_blocks; i++)
		add_tallies(&code->blocks[i], tallies);
	if (!code->has_disassembler)
		forget_speeds(code);
	free(tallies);
}

/* --- the speed of instructions, as tables of blocks have it --- */

static void measure(struct pfx_code_build *build, const struct pfx_branch_run *runs, size_t nr)
{
	struct pfx_code *code = build->code;
	struct pfx_branch_code by_offset = {.size = build->size};
	uint64_t base = code->insns[0].addr;
	uint32_t i;

	by_offset.marks = pfx_calloc(build->size + 1, sizeof(*by_offset.marks));
	by_offset.ipc = pfx_calloc(build->size + 1, sizeof(*by_offset.ipc));
	for (i = 0; i < code->nr_insns; i++)
		by_offset.marks[code->insns[i].addr - base] = 1;
	code->ipc = pfx_branch_runs_measure(runs, nr, base - build->shift, &by_offset);
	for (i = 0; i < code->nr_insns; i++)
		code->speeds[i].ipc = by_offset.ipc[code->insns[i].addr - base];
	free(by_offset.marks);
	free(by_offset.ipc);
}

/* Runs with the same end follow each other. */
static void add_cycles(struct pfx_code_build *build, const struct pfx_branch_run *runs, size_t nr)
{
	uint64_t cycles = 0, count = 0;
	uint32_t insn;
	size_t i;

	for (i = 0; i < nr; i++) {
		cycles += runs[i].cycles;
		count += runs[i].count;
		if (i + 1 < nr && runs[i + 1].end->addr == runs[i].end->addr)
			continue;
		insn = pfx_code_find(build->code, runs[i].end->addr + build->shift);
		if (insn != PFX_CODE_NONE && count)
			build->code->speeds[insn].cycles = cycles / count;
		cycles = count = 0;
	}
}

void pfx_code_add_runs(struct pfx_code_build *build, const struct pfx_branch_run *runs, size_t nr)
{
	struct pfx_code *code = build->code;
	bool has_cycles = false;
	size_t i;

	for (i = 0; i < nr; i++)
		has_cycles |= runs[i].count != 0;
	cost_blocks(build, runs, nr);
	if (!has_cycles || !code->has_disassembler)
		return;
	code->speeds = pfx_arena_array(&code->arena, struct pfx_code_speed, code->nr_insns);
	measure(build, runs, nr);
	add_cycles(build, runs, nr);
}
