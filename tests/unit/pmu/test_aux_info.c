/* SPDX-License-Identifier: MIT */
/* AUXTRACE_INFO of PMUs that this machine does not have, from directories instead of sysfs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "event/abi.h"
#include "pmu/aux_info.h"
#include "unit/base/tree.h"

#define PMUS "/bus/event_source/devices/"

static void words_of(const struct tree *t, struct pfx_aux_facts *facts, uint64_t *ret, size_t nr)
{
	struct pfx_pmu_roots roots = {.sysfs = t->root};
	struct pfx_buffer to = {0};
	struct pfx_error err = {0};
	uint32_t head[4];
	uint16_t size;

	assert_int_equal(pfx_aux_info(facts, &roots, &to, &err), 0);
	memcpy(head, to.at, sizeof(head));
	assert_int_equal(head[0], PFX_RECORD_AUXTRACE_INFO);
	memcpy(&size, to.at + 6, sizeof(size));
	assert_int_equal(size, to.len);
	assert_int_equal(head[2], facts->kind);
	assert_int_equal(head[3], 0);
	assert_int_equal(to.len, 16 + 8 * nr);
	memcpy(ret, to.at + 16, 8 * nr);
	pfx_buffer_fini(&to);
}

static void the_words_of_intel_pt(void **state)
{
	const struct pfx_attr attr = {.type = 8, .config = 0x300e601};
	struct pfx_aux_facts facts = {
		.kind = PFX_AUX_INTEL_PT,
		.pmu = "intel_pt",
		.attr = &attr,
		.snapshot = true,
		.per_cpu = true,
		.switches = 3,
		.has_time_zero = true,
		.time_shift = 31,
		.time_mult = 77,
		.time_zero = 99,
		.tsc_ctc_n = 200,
		.tsc_ctc_d = 2,
	};
	const uint64_t expected[] = {8, 31,    77,      99,  1, 0x400, 0x800, 3, 1,
				     1, 0x200, 0x3c000, 200, 2, 2,     32,    0, 1};
	uint64_t words[23];
	struct tree t;

	(void)state;
	tree_init(&t);
	tree_file(&t, PMUS "intel_pt/format/tsc", "config:10\n");
	tree_file(&t, PMUS "intel_pt/format/noretcomp", "config:11\n");
	tree_file(&t, PMUS "intel_pt/format/mtc", "config:9\n");
	tree_file(&t, PMUS "intel_pt/format/mtc_period", "config:14-17\n");
	tree_file(&t, PMUS "intel_pt/format/cyc", "config:1\n");
	tree_file(&t, PMUS "intel_pt/max_nonturbo_ratio", "32\n");
	tree_file(&t, PMUS "intel_pt/caps/event_trace", "1\n");
	words_of(&t, &facts, words, 18);
	assert_memory_equal(words, expected, sizeof(expected));
	facts.filter = "filter 0x1000/0x100@/usr/bin/ls";
	words_of(&t, &facts, words, 22);
	assert_int_equal(words[16], 31);
	assert_string_equal((const char *)&words[17], facts.filter);
	assert_int_equal(words[21], 1);
	facts.filter = "filter 0x1000/0x100@/usr/bin/ls2";
	words_of(&t, &facts, words, 23);
	assert_int_equal(words[22], 1);
	tree_fini(&t);
}

static void the_words_of_others(void **state)
{
	const struct pfx_attr attr = {.type = 9};
	struct pfx_aux_facts facts = {.pmu = "x", .attr = &attr, .per_cpu = true};
	const uint64_t bts[] = {9, 1, 2, 3, 0, 1};
	uint64_t words[6];
	struct tree t;

	(void)state;
	tree_init(&t);
	facts.kind = PFX_AUX_ARM_SPE;
	words_of(&t, &facts, words, 2);
	assert_int_equal(words[0], 9);
	assert_int_equal(words[1], 1);
	facts.kind = PFX_AUX_HISI_PTT;
	words_of(&t, &facts, words, 1);
	assert_int_equal(words[0], 9);
	facts.kind = PFX_AUX_INTEL_BTS;
	facts.time_shift = 1;
	facts.time_mult = 2;
	facts.time_zero = 3;
	facts.snapshot = true;
	words_of(&t, &facts, words, 6);
	assert_memory_equal(words, bts, sizeof(bts));
	tree_fini(&t);
}

static void the_words_of_coresight(void **state)
{
	const struct pfx_attr attr = {.type = 8, .config = 1u << 14 | 1u << 28};
	int cpus[] = {0, 5};
	const struct pfx_list list = {.at = cpus, .nr = 2};
	struct pfx_aux_facts facts = {
		.kind = PFX_AUX_CS_ETM, .pmu = "cs_etm", .attr = &attr, .cpus = &list};
	const uint64_t expected[] = {/* version, type and CPUs, snapshot */
				     1, 8ull << 32 | 2, 0,
				     /* magic, CPU, words, config, id, registers */
				     0x4040404040404040, 0, 7, 1u << 6 | 1u << 11, 0x10, 0x28000ea1,
				     0x4100f403, 0x488, 0, 0xcc,
				     /* ETE has one more word */
				     0x5050505050505050, 5, 8, 1u << 6 | 1u << 11, 0x1a, 1,
				     0x4100fff3, 3, 4, 5, 0x47705a13};
	uint64_t words[24];
	struct tree t;

	(void)state;
	tree_init(&t);
	tree_file(&t, PMUS "cs_etm/cpu0/trcidr/trcidr0", "0x28000ea1\n");
	tree_file(&t, PMUS "cs_etm/cpu0/trcidr/trcidr1", "0x4100f403\n");
	tree_file(&t, PMUS "cs_etm/cpu0/trcidr/trcidr2", "0x488\n");
	tree_file(&t, PMUS "cs_etm/cpu0/trcidr/trcidr8", "0x0\n");
	tree_file(&t, PMUS "cs_etm/cpu0/mgmt/trcauthstatus", "0xcc\n");
	tree_file(&t, PMUS "cs_etm/cpu5/trcidr/trcidr0", "0x1\n");
	tree_file(&t, PMUS "cs_etm/cpu5/trcidr/trcidr1", "0x4100fff3\n");
	tree_file(&t, PMUS "cs_etm/cpu5/trcidr/trcidr2", "0x3\n");
	tree_file(&t, PMUS "cs_etm/cpu5/trcidr/trcidr8", "0x4\n");
	tree_file(&t, PMUS "cs_etm/cpu5/mgmt/trcauthstatus", "0x5\n");
	tree_file(&t, PMUS "cs_etm/cpu5/mgmt/trcdevarch", "0x47705a13\n");
	words_of(&t, &facts, words, 24);
	assert_memory_equal(words, expected, sizeof(expected));
	tree_fini(&t);
}

static void too_many_cpus_are_refused(void **state)
{
	const struct pfx_attr attr = {.type = 8};
	struct pfx_list list = {0};
	struct pfx_aux_facts facts = {
		.kind = PFX_AUX_CS_ETM, .pmu = "cs_etm", .attr = &attr, .cpus = &list};
	struct pfx_pmu_roots roots = {.sysfs = "/nowhere"};
	struct pfx_buffer to = {0};
	struct pfx_error err = {0};

	(void)state;
	assert_true(pfx_list_parse("0-2000", &list));
	assert_int_equal(pfx_aux_info(&facts, &roots, &to, &err), -E2BIG);
	assert_int_equal(to.len, 0);
	pfx_list_fini(&list);
	pfx_buffer_fini(&to);
}

static void pmus_that_trace(void **state)
{
	(void)state;
	assert_int_equal(pfx_aux_kind_of("intel_pt"), PFX_AUX_INTEL_PT);
	assert_int_equal(pfx_aux_kind_of("intel_bts"), PFX_AUX_INTEL_BTS);
	assert_int_equal(pfx_aux_kind_of("arm_spe_0"), PFX_AUX_ARM_SPE);
	assert_int_equal(pfx_aux_kind_of("cs_etm"), PFX_AUX_CS_ETM);
	assert_int_equal(pfx_aux_kind_of("hisi_ptt0_2"), PFX_AUX_HISI_PTT);
	assert_int_equal(pfx_aux_kind_of("cpu"), PFX_AUX_NONE);
	assert_int_equal(pfx_aux_kind_of("intel_pt2"), PFX_AUX_NONE);
	assert_int_equal(pfx_aux_kind_of(NULL), PFX_AUX_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_words_of_intel_pt),
		cmocka_unit_test(the_words_of_others),
		cmocka_unit_test(the_words_of_coresight),
		cmocka_unit_test(too_many_cpus_are_refused),
		cmocka_unit_test(pmus_that_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
