/* SPDX-License-Identifier: MIT */
/* Basic blocks of a function, and what branch stacks say about them, without a binary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "code/code_internal.h"

#define NR_INSNS 8
#define BASE     0x1000ull
#define SHIFT    0x400000ull /* the binary's addresses minus those of places */

static struct pfx_code_insn insns[NR_INSNS];
static struct pfx_cost costs[NR_INSNS];
static struct pfx_code code;
static struct pfx_code_build build;
static struct pfx_place places[NR_INSNS];

/* Eight instructions of 4 bytes: 1 branches to 4, 3 calls, 5 jumps to 2, 7 returns. */
static int begin(void **state)
{
	uint32_t i;

	(void)state;
	memset(&code, 0, sizeof(code));
	memset(insns, 0, sizeof(insns));
	for (i = 0; i < NR_INSNS; i++) {
		insns[i] = (struct pfx_code_insn){
			.addr = SHIFT + BASE + 4 * i, .len = 4, .target_insn = PFX_CODE_NONE};
		costs[i] = (struct pfx_cost){10 * i, i};
		places[i] = (struct pfx_place){.addr = BASE + 4 * i};
	}
	insns[1].flow = PFX_FLOW_BRANCH;
	insns[3].flow = PFX_FLOW_CALL;
	insns[5].flow = PFX_FLOW_JUMP;
	insns[7].flow = PFX_FLOW_RETURN;
	insns[4].is_target = insns[2].is_target = true;
	code.insns = insns;
	code.nr_insns = NR_INSNS;
	code.costs = costs;
	code.nr_events = 1;
	code.has_disassembler = true;
	build = (struct pfx_code_build){.code = &code, .shift = SHIFT, .size = 4 * NR_INSNS};
	pfx_code_find_blocks(&build);
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(code.blocks);
	pfx_arena_clear(&code.arena);
	return 0;
}

static void test_blocks(void **state)
{
	static const uint32_t firsts[] = {0, 2, 4, 6};
	uint32_t i;

	(void)state;
	assert_int_equal(code.nr_blocks, 4);
	for (i = 0; i < 4; i++) {
		assert_int_equal(code.blocks[i].first, firsts[i]);
		assert_int_equal(code.blocks[i].last, firsts[i] + 1);
		assert_int_equal(code.blocks[i].costs[0].nr_samples, 2 * firsts[i] + 1);
		assert_int_equal(code.blocks[i].costs[0].period, 10 * (2 * firsts[i] + 1));
		assert_int_equal(code.blocks[i].executions, 0);
	}
	assert_null(code.speeds);
}

/* Of 10 executions from 2 to 5 that took 40 cycles, and of 5 from 4 that took 20. */
static void test_runs(void **state)
{
	const struct pfx_branch_run runs[] = {
		{.start = &places[2],
		 .end = &places[5],
		 .cycles = 40,
		 .count = 10,
		 .executions = 10},
		{.start = &places[4], .end = &places[5], .cycles = 20, .count = 5, .executions = 5},
		{.end = &places[5], .cycles = 7, .count = 1},
		{.start = &places[0], .end = &places[1], .executions = 3},
	};

	(void)state;
	pfx_code_add_runs(&build, runs, 4);
	assert_int_equal(code.blocks[0].executions, 3);
	assert_int_equal(code.blocks[0].cycles, 0);
	assert_true(code.blocks[0].ipc == 0);
	assert_int_equal(code.blocks[1].executions, 10);
	assert_int_equal(code.blocks[1].cycles, 20);
	assert_true(code.blocks[1].ipc == 1);
	assert_int_equal(code.blocks[2].executions, 15);
	assert_int_equal(code.blocks[2].cycles, 40);
	assert_true(code.blocks[2].ipc == 0.75);
	assert_int_equal(code.blocks[3].executions, 0);
	assert_true(code.ipc.ipc == 1 && code.ipc.coverage == 50); /* of the longest run alone */
	assert_true(code.speeds[2].ipc == 1 && code.speeds[5].ipc == 1 && code.speeds[1].ipc == 0);
	assert_int_equal(code.speeds[5].cycles, 67 / 16);
	assert_int_equal(code.speeds[1].cycles, 0);
}

/* CPUs that do not count cycles: only executions are known. */
static void test_no_cycles(void **state)
{
	const struct pfx_branch_run runs[] = {
		{.start = &places[2], .end = &places[5], .executions = 10}};

	(void)state;
	pfx_code_add_runs(&build, runs, 1);
	assert_int_equal(code.blocks[1].executions, 10);
	assert_int_equal(code.blocks[2].executions, 10);
	assert_int_equal(code.blocks[2].cycles, 0);
	assert_null(code.speeds);
}

/* Bytes that take the place of instructions have no speed. */
static void test_no_disassembler(void **state)
{
	const struct pfx_branch_run runs[] = {{.start = &places[2],
					       .end = &places[5],
					       .cycles = 40,
					       .count = 10,
					       .executions = 10}};

	(void)state;
	code.has_disassembler = false;
	pfx_code_add_runs(&build, runs, 1);
	assert_int_equal(code.blocks[1].executions, 10);
	assert_int_equal(code.blocks[1].cycles, 20);
	assert_true(code.blocks[1].ipc == 0);
	assert_null(code.speeds);
}

/* Places outside of the decoded code, as of a damaged file. */
static void test_outside(void **state)
{
	const struct pfx_place before = {.addr = BASE - 4}, after = {.addr = BASE + 4 * NR_INSNS};
	const struct pfx_branch_run runs[] = {
		{.start = &before, .end = &places[1], .cycles = 1, .count = 1, .executions = 1},
		{.start = &places[6], .end = &after, .cycles = 1, .count = 1, .executions = 1},
	};
	uint32_t i;

	(void)state;
	pfx_code_add_runs(&build, runs, 2);
	for (i = 0; i < code.nr_blocks; i++)
		assert_int_equal(code.blocks[i].executions, 0);
}

/* A large function whose every instruction is the end of a run from its start: the time must not
 * grow with the square of its size. */
static void test_many_runs(void **state)
{
	enum { SIZE = 1 << 20, NR = 1 << 18, STEP = SIZE / NR };
	struct pfx_place *at = pfx_calloc(NR, sizeof(*at));
	struct pfx_branch_run *runs = pfx_calloc(NR, sizeof(*runs));
	struct pfx_branch_code by_offset = {.marks = pfx_calloc(SIZE, 1), .size = SIZE};
	struct pfx_ipc ipc;
	uint32_t i;

	(void)state;
	for (i = 0; i < NR; i++) {
		at[i].addr = BASE + STEP * (uint64_t)i;
		by_offset.marks[STEP * (size_t)i] = 1;
		runs[i] = (struct pfx_branch_run){
			.start = at, .end = &at[NR - 1 - i], .cycles = 2, .count = 1};
	}
	ipc = pfx_branch_runs_measure(runs, NR, BASE, &by_offset);
	assert_true(ipc.ipc == NR / 2 && ipc.coverage == 100);
	free(at);
	free(runs);
	free(by_offset.marks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_blocks, begin, end),
		cmocka_unit_test_setup_teardown(test_runs, begin, end),
		cmocka_unit_test_setup_teardown(test_no_cycles, begin, end),
		cmocka_unit_test_setup_teardown(test_no_disassembler, begin, end),
		cmocka_unit_test_setup_teardown(test_outside, begin, end),
		cmocka_unit_test(test_many_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
