/* SPDX-License-Identifier: MIT */
/* Keys of branches, accesses and numbers; fields, parents, hierarchies; the text of accesses. */
#include <errno.h>

#include "unit/hist/hist_world.h"

#include "event/mem_text.h"
#include "hist/key_text.h"

#define PID 4194909u /* not used by any process here, see hist_world.h */

static int begin(void **state)
{
	(void)state;
	world_begin(PID);
	return 0;
}

static int end(void **state)
{
	(void)state;
	world_end();
	return 0;
}

static void columns_of(const char *sort, enum pfx_report_mode mode)
{
	struct pfx_columns_request request = {.sort = sort, .mode = mode};
	struct pfx_error err;

	assert_int_equal(pfx_columns_build(&world.columns, &request, &err), 0);
	world.options.mode = mode;
	world.hists = pfx_hists_new(&world.options);
}

static const char *text_of(const struct pfx_row *row, enum pfx_key key)
{
	const struct pfx_key_text how = {.hists = world.hists};
	const struct pfx_column column = {.key = key};
	static struct pfx_str text;

	pfx_str_clear(&text);
	pfx_key_text(&how, row, &column, 0, &text);
	return pfx_str_get(&text);
}

static void add_branches(const uint64_t *words, uint64_t nr)
{
	struct pfx_sample sample = {
		.cpumode = PFX_MODE_USER, .pid = world.pid, .tid = world.pid, .ip = world_ip('a')};

	sample.branch.nr = nr;
	sample.branch.entries = (struct pfx_bytes){(const uint8_t *)words, nr * 24};
	pfx_hists_add(world.hists, world.meta->events[0], &sample,
		      pfx_session_thread(world.session, world.pid, world.pid));
}

/* Each branch counts as 1, whatever the sample's period is. */
static void test_branches(void **state)
{
	const uint64_t words[] = {world_ip('a'), world_ip('b'), 0x52, /* predicted, 5 cycles */
				  world_ip('a'), world_ip('b'), 0x52, world_ip('c'),
				  world_ip('a'), 0x100001}; /* mispredicted, conditional */
	const struct pfx_hist *hist;

	(void)state;
	columns_of("symbol_from,symbol_to,cycles,mispredict", PFX_REPORT_BRANCH);
	add_branches(words, 3);
	pfx_hists_finish(world.hists);
	hist = pfx_hists_at(world.hists, 0);
	assert_int_equal(hist->nr_rows, 2);
	assert_int_equal(hist->totals[0].period, 3);
	assert_int_equal(hist->rows[0]->stat->period, 2);
	assert_string_equal(text_of(hist->rows[0], PFX_KEY_SYM_FROM), "[.] a");
	assert_string_equal(text_of(hist->rows[0], PFX_KEY_SYM_TO), "[.] b");
	assert_string_equal(text_of(hist->rows[0], PFX_KEY_CYCLES), "5");
	assert_string_equal(text_of(hist->rows[0], PFX_KEY_MISPREDICT), "N");
	assert_string_equal(text_of(hist->rows[1], PFX_KEY_CYCLES), "-");
	assert_string_equal(text_of(hist->rows[1], PFX_KEY_MISPREDICT), "Y");
	assert_int_equal(pfx_hists_branches(world.hists)->backward, 1);
	assert_int_equal(pfx_hists_branches(world.hists)->total, 1);
}

static void add_access(uint64_t weight, uint64_t data_src)
{
	struct pfx_sample sample = {
		.cpumode = PFX_MODE_USER, .pid = world.pid, .tid = world.pid, .ip = world_ip('a')};

	sample.weight = weight;
	sample.weight2 = 3;
	sample.data_src = data_src;
	sample.addr = world_ip('b');
	sample.period = 1000;
	pfx_hists_add(world.hists, world.meta->events[0], &sample,
		      pfx_session_thread(world.session, world.pid, world.pid));
}

/* Accesses count by weight, at least 1. */
static void test_accesses(void **state)
{
	const struct pfx_hist *hist;

	(void)state;
	columns_of("mem,symbol_daddr,local_weight,ins_lat", PFX_REPORT_MEM);
	add_access(7, 0x68100142);
	add_access(7, 0x68100142);
	add_access(0, 0x68100142);
	pfx_hists_finish(world.hists);
	hist = pfx_hists_at(world.hists, 0);
	assert_int_equal(hist->nr_rows, 2);
	assert_int_equal(hist->totals[0].period, 15);
	assert_string_equal(text_of(hist->rows[0], PFX_KEY_MEM), "L1 hit");
	assert_string_equal(text_of(hist->rows[0], PFX_KEY_SYM_DADDR), "[.] b");
	assert_string_equal(text_of(hist->rows[0], PFX_KEY_LOCAL_WEIGHT), "7");
	assert_string_equal(text_of(hist->rows[0], PFX_KEY_INS_LAT), "6");
	assert_string_equal(text_of(hist->rows[1], PFX_KEY_LOCAL_WEIGHT), "0");
}

static void check_access(void (*add)(uint64_t src, struct pfx_str *to), uint64_t data_src,
			 const char *want)
{
	struct pfx_str text = {0};

	add(data_src, &text);
	assert_string_equal(pfx_str_get(&text), want);
	pfx_str_fini(&text);
}

static void test_access_words(void **state)
{
	(void)state;
	check_access(pfx_mem_level_text, 0, "N/A");
	check_access(pfx_mem_level_text, 0x1e00000000 | 2 << 5, "N/A hit");
	check_access(pfx_mem_level_text, 0x800000000ull | 1ull << 37, "Remote L4");
	check_access(pfx_mem_level_text, 0xe00000000ull, "L0");
	check_access(pfx_mem_tlb_text, 0x1cull << 26, "L1 or L2 miss");
	check_access(pfx_mem_snoop_text, 1ull << 23 | 1ull << 38, "HitM or Fwd");
	check_access(pfx_mem_lock_text, 2ull << 24, "Yes");
	check_access(pfx_mem_block_text, 6ull << 40, " Data Addr");
}

static void test_transactions(void **state)
{
	struct pfx_str text = {0};

	(void)state;
	pfx_transaction_text(0x200000042, &text);
	assert_string_equal(pfx_str_get(&text), "TX CAP-WRITE NEITHER :2 ");
	pfx_str_fini(&text);
}

static void test_parents(void **state)
{
	const struct pfx_hist *hist;
	regex_t regex;

	(void)state;
	assert_int_equal(regcomp(&regex, "^b$", REG_EXTENDED), 0);
	world.options.chains = true;
	world.options.parent = &regex;
	columns_of("parent", PFX_REPORT_NORMAL);
	world_add("abc", 10);
	world_add("ac", 3);
	pfx_hists_finish(world.hists);
	hist = pfx_hists_at(world.hists, 0);
	assert_int_equal(hist->nr_rows, 2);
	assert_string_equal(text_of(hist->rows[0], PFX_KEY_PARENT), "b");
	assert_string_equal(text_of(hist->rows[1], PFX_KEY_PARENT), "[other]");
	assert_int_equal(hist->rows[1]->stat->period, 3);
	regfree(&regex);
}

static void test_ignored_callees(void **state)
{
	const struct pfx_hist *hist;
	regex_t regex;

	(void)state;
	assert_int_equal(regcomp(&regex, "^b$", REG_EXTENDED), 0);
	world.options.chains = true;
	world.options.ignore_callees = &regex;
	columns_of("sym", PFX_REPORT_NORMAL);
	world_add("abc", 10);
	world_add("abd", 5);
	world_add("ac", 3);
	pfx_hists_finish(world.hists);
	hist = pfx_hists_at(world.hists, 0);
	assert_string_equal(world_order(hist), "bc");
	assert_int_equal(hist->rows[0]->stat->period, 15);
	regfree(&regex);
}

static void test_hierarchy(void **state)
{
	const struct pfx_hist *hist;

	(void)state;
	world_comm(world.pid + 1, "other");
	world.options.hierarchy = true;
	columns_of("comm,sym", PFX_REPORT_NORMAL);
	world_add("a", 10);
	world_add("b", 20);
	world_add_as("a", &(struct world_sample){.tid = world.pid + 1, .period = 50});
	pfx_hists_finish(world.hists);
	hist = pfx_hists_at(world.hists, 0);
	assert_int_equal(hist->nr_top, 2);
	assert_string_equal(hist->top[0]->row->comm->text, "other");
	assert_int_equal(hist->top[1]->row->stat->period, 30);
	assert_int_equal(hist->top[1]->nr_kids, 2);
	assert_int_equal(world_symbol(hist->top[1]->kids[0]->row), 'b');
	assert_true(hist->top[1]->kids[0]->is_leaf);
}

static void test_chains_one_by_one(void **state)
{
	struct pfx_folded folded = {0};
	uint64_t sum = 0, nr = 0;

	(void)state;
	world.options.chains = true;
	columns_of("sym", PFX_REPORT_NORMAL);
	world_add("abc", 10);
	world_add("abc", 5);
	world_add("ac", 3);
	while (pfx_folded_next(world.hists, &folded)) {
		nr++;
		sum += folded.period;
		assert_string_equal(folded.comm, "prog");
	}
	assert_int_equal(nr, 2);
	assert_int_equal(sum, 18);
}

/* A key of another mode has another error than an unknown key. */
static void test_modes(void **state)
{
	struct pfx_columns_request request = {.sort = "comm,tlb"};
	struct pfx_columns columns;
	struct pfx_error err;

	(void)state;
	assert_int_equal(pfx_columns_build(&columns, &request, &err), -EINVAL);
	assert_non_null(strstr(err.text, "memory accesses"));
	assert_non_null(strstr(err.hint, "comm,tlb\n     ^ "));
	pfx_columns_fini(&columns);
	request.mode = PFX_REPORT_MEM;
	assert_int_equal(pfx_columns_build(&columns, &request, &err), 0);
	assert_true(pfx_columns_has(&columns, PFX_KEY_TLB));
	pfx_columns_fini(&columns);
	columns_of("comm", PFX_REPORT_NORMAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_branches),     TEST(test_accesses), TEST(test_access_words),
		TEST(test_transactions), TEST(test_parents),  TEST(test_ignored_callees),
		TEST(test_hierarchy),    TEST(test_modes),    TEST(test_chains_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
