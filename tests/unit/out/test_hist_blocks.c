/* SPDX-License-Identifier: MIT */
/* Basic blocks between branches: the blocks, their cycles, and the speed of functions. */
#include "unit/hist/hist_world.h"

#include "hist/blocks.h"
#include "out/hist_text.h"
#include "sym/code/disasm.h"
#include "unit/sym/elf_make.h"

#define PID 4194921u /* not used by any process here, see hist_world.h */
#define F   ((uint64_t)MAKE_TEXT_ADDR)
#define G   (F + 0x10)

static char file_path[64];

static int begin(void **state)
{
	const struct make_symbol symbols[] = {{"f", F, 0x10, STB_GLOBAL, STT_FUNC},
					      {"g", G, 0x10, STB_GLOBAL, STT_FUNC}};
	const struct make_elf elf = {.symbols = symbols, .nr_symbols = 2};

	(void)state;
	world_begin(PID);
	world.meta->env.arch = "x86_64";
	snprintf(file_path, sizeof(file_path), "/tmp/pfx-test-blocks-%d", (int)getpid());
	make_file(file_path, &elf);
	world_map(PID, 0x400000, file_path);
	return 0;
}

static int end(void **state)
{
	(void)state;
	world.meta->env.arch = NULL;
	unlink(file_path);
	world_end();
	return 0;
}

static void new_hists(const char *sort, bool blocks)
{
	struct pfx_columns_request request = {.sort = sort, .mode = PFX_REPORT_BRANCH};
	struct pfx_error err;

	assert_int_equal(pfx_columns_build(&world.columns, &request, &err), 0);
	world.options.mode = PFX_REPORT_BRANCH;
	world.options.blocks = blocks;
	world.hists = pfx_hists_new(&world.options);
}

#define ENTRY(from, to, cycles) (from), (to), (uint64_t)(cycles) << 4 | 2

static void add_stack(const uint64_t *words, uint64_t nr, uint64_t type)
{
	struct pfx_sample sample = {
		.cpumode = PFX_MODE_USER, .pid = PID, .tid = PID, .ip = F, .period = 1};

	sample.branch.nr = nr;
	sample.branch.type = type;
	sample.branch.entries = (struct pfx_bytes){(const uint8_t *)words, nr * 24};
	pfx_hists_add(world.hists, world.meta->events[0], &sample,
		      pfx_session_thread(world.session, PID, PID));
}

/* The newest branch first; the start of the oldest one's block is unknown. */
static const uint64_t stack[] = {ENTRY(F + 8, G, 10), ENTRY(G + 0xf, F + 4, 20),
				 ENTRY(F + 8, G, 6)};

static void test_blocks(void **state)
{
	const struct pfx_block *blocks;
	const struct pfx_hist *hist;

	(void)state;
	new_hists("symbol_to", true);
	add_stack(stack, 3, PFX_BRANCH_ANY);
	pfx_hists_finish(world.hists);
	hist = pfx_hists_at(world.hists, 0);
	assert_int_equal(pfx_hist_cycles(world.hists, hist), 36);
	assert_int_equal(pfx_hist_blocks(world.hists, hist, &blocks), 2);
	assert_int_equal(blocks[0].cycles, 20);
	assert_int_equal(blocks[0].start->ip, G);
	assert_int_equal(blocks[0].end->ip, G + 0xf);
	assert_int_equal(blocks[1].cycles, 16);
	assert_int_equal(blocks[1].count, 2);
	assert_int_equal(blocks[1].start->ip, F + 4);
	assert_int_equal(pfx_hist_blocks(world.hists, hist, &blocks), 2);
}

static void test_no_starts(void **state)
{
	const struct pfx_block *blocks;

	(void)state;
	new_hists("symbol_to", true);
	add_stack(stack, 3, PFX_BRANCH_ANY_CALL);
	pfx_hists_finish(world.hists);
	assert_int_equal(pfx_hist_blocks(world.hists, pfx_hists_at(world.hists, 0), &blocks), 2);
	assert_null(blocks[0].start);
	assert_null(blocks[1].start);
}

/* Without cycles in the newest entry the CPU does not count them. */
static void test_no_cycles(void **state)
{
	const uint64_t without[] = {ENTRY(F + 8, G, 0), ENTRY(G + 0xf, F + 4, 20)};
	const struct pfx_block *blocks;

	(void)state;
	new_hists("symbol_to", true);
	add_stack(without, 2, PFX_BRANCH_ANY);
	add_stack(without, 0, PFX_BRANCH_ANY);
	pfx_hists_finish(world.hists);
	assert_int_equal(pfx_hist_blocks(world.hists, pfx_hists_at(world.hists, 0), &blocks), 0);
	assert_int_equal(pfx_hist_cycles(world.hists, pfx_hists_at(world.hists, 0)), 0);
}

static const struct pfx_row *row_of(const char *symbol)
{
	const struct pfx_hist *hist = pfx_hists_at(world.hists, 0);
	uint32_t i;

	for (i = 0; i < hist->nr_rows; i++)
		if (hist->rows[i]->place->sym && !strcmp(hist->rows[i]->place->sym->name, symbol))
			return hist->rows[i];
	fail_msg("no row of '%s'", symbol);
	return NULL;
}

/* All bytes of the code are instructions. */
static void test_ipc(void **state)
{
	struct pfx_disasm *disasm = NULL;
	struct pfx_ipc ipc;

	(void)state;
	new_hists("symbol", false);
	add_stack(stack, 3, PFX_BRANCH_ANY);
	pfx_hists_finish(world.hists);
	if (pfx_disasm_new(&disasm, "x86_64", true, NULL))
		skip();
	pfx_disasm_free(disasm);
	ipc = pfx_hist_ipc(world.hists, row_of("f")->place);
	assert_true(ipc.ipc == 0.5 && ipc.coverage == 31.25);
	ipc = pfx_hist_ipc(world.hists, row_of("g")->place);
	assert_true(ipc.ipc == 0.8 && ipc.coverage == 100);
}

static void test_text(void **state)
{
	const struct pfx_hist_text how = {.separator = "|"};
	struct pfx_str text = {0};

	(void)state;
	new_hists("symbol_to", true);
	add_stack(stack, 3, PFX_BRANCH_ANY);
	pfx_hists_finish(world.hists);
	assert_int_equal(
		pfx_block_text_rows(&how, world.hists, pfx_hists_at(world.hists, 0), &text), 0);
	assert_non_null(strstr(pfx_str_get(&text), "55.56%|20|71.43%|20|["));
	assert_non_null(strstr(pfx_str_get(&text), "44.44%|16|28.57%|8|["));
	/* The second form is for builds without libdw, which do not show source lines. */
	assert_true(strstr(text.at, "[      0 ->       f]|") || strstr(text.at, "[g+0 -> g+15]|"));
	assert_true(strstr(text.at, "[      4 ->       8]|") || strstr(text.at, "[f+4 -> f+8]|"));
	pfx_str_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_blocks, begin, end),
		cmocka_unit_test_setup_teardown(test_no_starts, begin, end),
		cmocka_unit_test_setup_teardown(test_no_cycles, begin, end),
		cmocka_unit_test_setup_teardown(test_ipc, begin, end),
		cmocka_unit_test_setup_teardown(test_text, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
