/* SPDX-License-Identifier: MIT */
/* The table of vendor events: the selection of the CPU, the events, their order, and the size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "pmu/catalog.h"
#include "pmu/vendor/vendor.h"
#include "pmu/vendor/vendor_table.h"
#include "unit/pmu/pmu_fixture.h"

/* The texts of the events that the tests look at. */
static struct pfx_arena arena;

static int clear_arena(void **state)
{
	(void)state;
	pfx_arena_clear(&arena);
	return 0;
}

static void test_cpuid(void **state)
{
	char out[64];

	(void)state;
	assert_true(pfx_vendor_cpuid("x86", "GenuineIntel,6,85,7", out, sizeof(out)));
	assert_string_equal(out, "GenuineIntel-6-55-7");
	assert_true(pfx_vendor_cpuid("x86", "AuthenticAMD,25,17,1", out, sizeof(out)));
	assert_string_equal(out, "AuthenticAMD-25-11-1");
	assert_false(pfx_vendor_cpuid("x86", "GenuineIntel", out, sizeof(out)));
	assert_true(pfx_vendor_cpuid("arm64", "0x00000000413fd0c1", out, sizeof(out)));
	assert_string_equal(out, "0x00000000410fd0c0");
	assert_false(pfx_vendor_cpuid("arm64", "", out, sizeof(out)));
	assert_true(pfx_vendor_cpuid("riscv", "0x489-0x1-0x2", out, sizeof(out)));
	assert_string_equal(out, "0x489-0x1-0x2");
}

static void check_cpu(const char *arch, const char *cpuid, const char *wanted)
{
	const struct pfx_vendor_cpu_row *cpu = pfx_vendor_find_cpu(arch, cpuid);

	if (!wanted) {
		assert_null(cpu);
		return;
	}
	assert_non_null(cpu);
	assert_string_equal(pfx_vendor_cpu_dir(cpu), wanted);
}

static void test_find_cpu(void **state)
{
	(void)state;
	check_cpu("x86", "GenuineIntel-6-55-4", "intel/skylakex");
	check_cpu("x86", "GenuineIntel-6-6A-6", "intel/icelakex");
	check_cpu("x86", "GenuineIntel-6-8F", "intel/sapphirerapids");
	check_cpu("x86", "GenuineIntel-6-9A-3", "intel/alderlake");
	check_cpu("x86", "GenuineIntel-6-3F-2", "intel/haswellx");
	check_cpu("x86", "AuthenticAMD-23-8-2", "amd/amdzen1");
	check_cpu("x86", "AuthenticAMD-23-31-0", "amd/amdzen2");
	check_cpu("x86", "AuthenticAMD-25-1-1", "amd/amdzen3");
	check_cpu("x86", "AuthenticAMD-25-11-1", "amd/amdzen4");
	check_cpu("x86", "AuthenticAMD-26-2-1", "amd/amdzen5");
	check_cpu("arm64", "0x00000000410fd490", "arm/neoverse-n2-v2");
	check_cpu("arm64", "0x00000000410fd400", "arm/neoverse-v1");
	check_cpu("arm64", "0x00000000410fd0c0", "arm/neoverse-n1");
	check_cpu("arm64", "0x00000000410fd0b0", "arm/cortex-a76");
	check_cpu(NULL, "0x00000000410fd080", "arm/cortex-a57-a72");
	check_cpu("x86", "0x00000000410fd080", NULL);
	check_cpu("riscv", "0x489-0x8000000000000007-0x0", "sifive/bullet");
	check_cpu("x86", "NoSuchVendor-6-1-1", NULL);
	check_cpu("x86", "GenuineIntel-6", NULL);
	check_cpu("s390", "IBM,3906,704,M03,3.5,002f", "ibm/cf_z14");
	check_cpu("powerpc", "0x00800200", "ibm/power10");
	check_cpu("riscv", "0x1-0x2-0x3", "sbi");
	assert_string_equal(pfx_vendor_arch("x86_64"), "x86");
	assert_string_equal(pfx_vendor_arch("aarch64"), "arm64");
	assert_string_equal(pfx_vendor_arch("mips"), "mips");
}

/* Untrusted expressions: if one needs gigabytes in the C library, it matches nothing. */
static void test_expressions(void **state)
{
	char text[1024];

	(void)state;
	assert_true(pfx_vendor_fits("0x004[bB][0-9]{4}", "0x004b0123"));
	assert_true(
		pfx_vendor_fits("0x[[:xdigit:]]+-0x[[:xdigit:]]+-0x[[:xdigit:]]+", "0x1-0x2-0x3"));
	assert_true(pfx_vendor_fits("a{2,}b{1,20}", "aabb"));
	assert_false(pfx_vendor_fits("((a{200}){200}){200}", "aa"));
	assert_false(pfx_vendor_fits("a{99999}", "aa"));
	assert_false(pfx_vendor_fits("a{1,30000}", "aa"));
	assert_false(pfx_vendor_fits("a{99999999999999999999}", "aa"));
	assert_false(pfx_vendor_fits("(", "("));
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_false(pfx_vendor_fits(text, text));
}

/* Families with several kinds of cores, at the limits of each range of models. */
static void test_models(void **state)
{
	(void)state;
	check_cpu("x86", "GenuineIntel-6-55-7", "intel/cascadelakex");
	check_cpu("x86", "GenuineIntel-6-55-B", "intel/cascadelakex");
	check_cpu("x86", "GenuineIntel-6-6C-1", "intel/icelakex");
	check_cpu("x86", "GenuineIntel-6-CF-2", "intel/emeraldrapids");
	check_cpu("x86", "GenuineIntel-6-BF-2", "intel/alderlake");
	check_cpu("x86", "GenuineIntel-6-BE-0", "intel/alderlaken");
	check_cpu("x86", "GenuineIntel-18-1-0", "intel/novalake");
	check_cpu("x86", "GenuineIntel-18-2-0", "intel-arch");
	check_cpu("x86", "GenuineIntel-15-6-5", NULL);
	check_cpu("x86", "AuthenticAMD-23-2F-0", "amd/amdzen1");
	check_cpu("x86", "AuthenticAMD-23-50-1", "amd/amdzen2");
	check_cpu("x86", "AuthenticAMD-23-A0-0", "amd/amdzen2");
	check_cpu("x86", "AuthenticAMD-25-F-0", "amd/amdzen3");
	check_cpu("x86", "AuthenticAMD-25-30-1", "amd/amdzen4");
	check_cpu("x86", "AuthenticAMD-25-5F-0", "amd/amdzen3");
	check_cpu("x86", "AuthenticAMD-25-1F-0", "amd/amdzen4");
	check_cpu("x86", "AuthenticAMD-25-61-2", "amd/amdzen4");
	check_cpu("x86", "AuthenticAMD-25-A0-1", "amd/amdzen4");
	check_cpu("x86", "AuthenticAMD-26-44-0", "amd/amdzen5");
	check_cpu("x86", "AuthenticAMD-26-50-0", "amd/amdzen6");
	check_cpu("x86", "HygonGenuine-24-1-1", "amd/amdzen1");
	check_cpu("arm64", "0x00000000410fd070", "arm/cortex-a57-a72");
	check_cpu("arm64", "0x00000000410fd4f0", "arm/neoverse-n2-v2");
	check_cpu("arm64", "0x00000000410fd850", "armv8-arch");
	check_cpu("arm64", "0x00000000c00fac30", "ampere/ampereone");
	check_cpu("arm64", "0x00000000610f0220", NULL); /* its PMU is vendor-specific */
}

static void test_find_event(void **state)
{
	const struct pfx_vendor_cpu_row *skx = pfx_vendor_find_cpu("x86", "GenuineIntel-6-55-4");
	const struct pfx_vendor_cpu_row *adl = pfx_vendor_find_cpu("x86", "GenuineIntel-6-97-2");
	const struct pfx_vendor_cpu_row *n1 = pfx_vendor_find_cpu("arm64", "0x00000000410fd0c0");
	struct pfx_vendor_event event;
	long at;

	(void)state;
	at = pfx_vendor_find_event(skx, "CYCLE_ACTIVITY.Stalls_L3_MISS");
	assert_true(at >= 0);
	pfx_vendor_event_at(skx, (size_t)at, &arena, &event);
	assert_string_equal(event.name, "cycle_activity.stalls_l3_miss");
	assert_string_equal(event.terms, "event=0xa3,cmask=6,period=2000003,umask=0x6");
	assert_string_equal(event.pmu, "");
	assert_string_equal(event.topic, "memory");

	at = pfx_vendor_find_event(skx, "mem_trans_retired.load_latency_gt_16");
	pfx_vendor_event_at(skx, (size_t)at, &arena, &event);
	assert_string_equal(event.terms, "event=0xcd,period=20011,umask=0x1,ldlat=0x10");
	at = pfx_vendor_find_event(skx, "inst_retired.any");
	pfx_vendor_event_at(skx, (size_t)at, &arena, &event);
	assert_string_equal(event.terms, "event=0xc0,period=2000003");
	at = pfx_vendor_find_event(skx, "unc_m_cas_count.rd");
	pfx_vendor_event_at(skx, (size_t)at, &arena, &event);
	assert_string_equal(event.pmu, "uncore_imc");
	assert_true(event.is_per_package);
	assert_int_equal(pfx_vendor_find_event(skx, "inst_retired"), -1);
	assert_int_equal(pfx_vendor_find_event(skx, "zzz"), -1);

	/* The same name on both kinds of core: adjacent entries. */
	at = pfx_vendor_find_event(adl, "longest_lat_cache.miss");
	pfx_vendor_event_at(adl, (size_t)at, &arena, &event);
	assert_string_equal(event.pmu, "cpu_atom");
	pfx_vendor_event_at(adl, (size_t)at + 1, &arena, &event);
	assert_string_equal(event.name, "longest_lat_cache.miss");
	assert_string_equal(event.pmu, "cpu_core");

	at = pfx_vendor_find_event(n1, "l1d_cache_refill");
	pfx_vendor_event_at(n1, (size_t)at, &arena, &event);
	assert_string_equal(event.terms, "event=0x3");
	assert_string_equal(event.topic, "l1d_cache");
}

static void test_find_metric(void **state)
{
	const struct pfx_vendor_cpu_row *zen = pfx_vendor_find_cpu("x86", "AuthenticAMD-25-11-1");
	struct pfx_vendor_metric metric;
	long at = pfx_vendor_find_metric(zen, "ipc");

	(void)state;
	assert_true(at >= 0);
	pfx_vendor_metric_at(zen, (size_t)at, &arena, &metric);
	assert_string_equal(metric.expr, "ex_ret_instr / ls_not_halted_cyc");
	assert_string_equal(metric.groups, "Summary;Pipeline");
	assert_int_equal(pfx_vendor_find_metric(zen, "nothing"), -1);
}

/* The order for the binary search, for every CPU; each name finds itself. */
static void test_order(void **state)
{
	struct pfx_vendor_event before, event;
	struct pfx_vendor_metric metric;

	(void)state;
	assert_true(pfx_vendor_nr_cpus >= 110);
	for (uint32_t c = 0; c < pfx_vendor_nr_cpus; c++) {
		const struct pfx_vendor_cpu_row *cpu = &pfx_vendor_cpu_rows[c];

		assert_true(pfx_vendor_nr_events(cpu) > 0);
		for (size_t i = 0; i < pfx_vendor_nr_events(cpu); i++) {
			pfx_vendor_event_at(cpu, i, &arena, &event);
			assert_true(pfx_vendor_find_event(cpu, event.name) >= 0);
			assert_true(!i || strcasecmp(before.name, event.name) <= 0);
			before = event;
		}
		for (size_t i = 0; i < pfx_vendor_nr_metrics(cpu); i++) {
			pfx_vendor_metric_at(cpu, i, &arena, &metric);
			assert_true(pfx_vendor_find_metric(cpu, metric.name) >= 0);
		}
	}
}

/* The tables of all CPUs are small beside the program. */
static void test_cost(void **state)
{
	(void)state;
	assert_in_range(pfx_vendor_bytes, 1u << 20, 5u << 19);
}

/* Vendor events as words of -e, on machines made of directories. */
static void check_words(const struct tree *t, const char *machine, const char *cpuid,
			const char *words, const char *wanted)
{
	char sysfs[512];
	struct pfx_pmu_roots roots = {sysfs, "/nonexistent", cpuid};
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};
	struct pfx_str text = {0};

	snprintf(sysfs, sizeof(sysfs), "%s/%s", t->root, machine);
	if (pfx_events_parse(&list, words, &roots, &err))
		pfx_str_addf(&text, "%s\n%s", err.text, err.hint);
	else
		fixture_list_text(&text, &list);
	assert_string_equal(pfx_str_get(&text), wanted);
	pfx_str_fini(&text);
	pfx_event_list_fini(&list);
}

static void test_words(void **state)
{
	static const char skx[] = "GenuineIntel-6-55-4", adl[] = "GenuineIntel-6-97-2";
	struct tree t;

	(void)state;
	fixture_init(&t);
	check_words(&t, "x86", skx, "mem_load_retired.l3_miss",
		    "mem_load_retired.l3_miss 4:20d1 -G period=100007 @cpu");
	check_words(&t, "x86", skx, "MEM_LOAD_RETIRED.L3_MISS:u",
		    "MEM_LOAD_RETIRED.L3_MISS:u 4:20d1 -khG period=100007 @cpu");
	check_words(&t, "x86", skx, "cpu/exe_activity.1_ports_util,period=5/",
		    "cpu/exe_activity.1_ports_util,period=5/ 4:2a6 -G period=5 @cpu");
	check_words(&t, "x86", skx, "frontend_retired.l1i_miss",
		    "frontend_retired.l1i_miss 4:1c6 1=12 -G period=100007 @cpu");
	check_words(
		&t, "x86", skx, "idq_uops_not_delivered.cycles_0_uops_deliv.core",
		"idq_uops_not_delivered.cycles_0_uops_deliv.core 4:400019c -G period=2000003 @cpu");
	check_words(&t, "x86", skx, "unc_m_cas_count.rd",
		    "unc_m_cas_count.rd 20:304 -G per-package @uncore_imc_0#0\n"
		    "unc_m_cas_count.rd 21:304 -G per-package @uncore_imc_1#0");
	check_words(&t, "hyb", adl, "mem_load_retired.l1_hit",
		    "cpu_core/mem_load_retired.l1_hit/ 4:1d1 -G period=1000003 @cpu_core#0-3");
	check_words(
		&t, "none", skx, "inst_retired.any",
		"unknown event 'inst_retired.any'\n  inst_retired.any\n  ^~~~~~~~~~~~~~~~\n"
		"this CPU has the event, but the machine shows no PMU that counts it, as is usual "
		"in a virtual machine");
	check_words(&t, "x86", skx, "mem_load_retired.l3_mis",
		    "unknown event 'mem_load_retired.l3_mis'\n  mem_load_retired.l3_mis\n"
		    "  ^~~~~~~~~~~~~~~~~~~~~~~\ndid you mean 'mem_load_retired.l3_miss'?");
	check_words(&t, "x86", NULL, "mem_load_retired.l3_miss",
		    "unknown event 'mem_load_retired.l3_miss'\n  mem_load_retired.l3_miss\n"
		    "  ^~~~~~~~~~~~~~~~~~~~~~~~");
	tree_fini(&t);
}

static bool lists(const struct pfx_catalog *catalog, const char *name)
{
	size_t i;

	for (i = 0; i < catalog->events.nr; i++)
		if (!strcmp(catalog->events.at[i].name, name))
			return true;
	return false;
}

/* A machine has the events and metrics of its own devices: others' are of devices with another
 * identifier. */
static void test_devices(void **state)
{
	struct pfx_catalog catalog = {0};
	struct tree t;
	struct pfx_pmu_roots roots = {.cpuid = "0x00000000410fd030"};
	const unsigned kinds = PFX_CATALOG_VENDOR | PFX_CATALOG_METRIC;

	(void)state;
	tree_init(&t);
	roots.sysfs = t.root;
	tree_file(&t, "/bus/event_source/devices/imx8_ddr0/type", "11\n");
	tree_file(&t, "/bus/event_source/devices/imx8_ddr0/identifier", "i.MX8MP\n");
	tree_file(&t, "/bus/event_source/devices/hisi_sicl1_cpa0/type", "12\n");
	tree_file(&t, "/bus/event_source/devices/hisi_sicl1_cpa0/identifier", "0x00000030\n");
	pfx_catalog_read(&catalog, &roots, kinds, false);
	assert_true(lists(&catalog, "imx8mp_ddr_read.npu"));
	assert_true(lists(&catalog, "imx8mp_ddr.cycles"));
	assert_true(lists(&catalog, "cpa_p0_avg_bw"));
	assert_true(lists(&catalog, "cpa_cycles"));
	assert_false(lists(&catalog, "imx8mm_ddr_read.all"));
	assert_false(lists(&catalog, "imx8mm_ddr.cycles"));
	assert_false(lists(&catalog, "slc_miss_rate"));
	pfx_catalog_fini(&catalog);
	pfx_catalog_read(&catalog, &roots, kinds, true);
	assert_true(lists(&catalog, "imx8mm_ddr_read.all"));
	pfx_catalog_fini(&catalog);
	tree_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpuid),      cmocka_unit_test(test_find_cpu),
		cmocka_unit_test(test_models),     cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_find_event), cmocka_unit_test(test_find_metric),
		cmocka_unit_test(test_order),      cmocka_unit_test(test_cost),
		cmocka_unit_test(test_words),      cmocka_unit_test(test_devices),
	};

	return cmocka_run_group_tests(tests, NULL, clear_arena);
}
