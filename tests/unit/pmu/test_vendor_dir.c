/* SPDX-License-Identifier: MIT */
/* Vendor events from directories: both layouts, their precedence, and malicious files. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "pmu/vendor/vendor_dir.h"
#include "unit/pmu/pmu_fixture.h"

#define SKX "GenuineIntel-6-55-4"
#define N1  "0x00000000410fd0c0"

static struct tree t;
static struct pfx_arena arena; /* texts of the built-in table */

static struct pfx_vendor_dir *dir;
static char dir_cpuid[64];

static void forget_dir(void)
{
	pfx_vendor_dir_free(dir);
	dir = NULL;
}

static int read_dir(const char *path, const char *arch, const char *cpuid, struct pfx_error *err)
{
	forget_dir();
	snprintf(dir_cpuid, sizeof(dir_cpuid), "%s", cpuid);
	return pfx_vendor_dir_read(&dir, path, arch, cpuid, err);
}

/* The row that was read, or else that of the built-in table. */
static const struct pfx_vendor_cpu_row *cpu_of(const char *cpuid)
{
	return dir && !strcmp(cpuid, dir_cpuid) ? pfx_vendor_dir_cpu(dir)
						: pfx_vendor_find_cpu(NULL, cpuid);
}

static int use(const char *below, const char *arch, const char *cpuid, struct pfx_error *err)
{
	char path[512];

	snprintf(path, sizeof(path), "%s%s", t.root, below);
	return read_dir(path, arch, cpuid, err);
}

static void check_event(const char *cpuid, const char *name, const char *pmu, const char *terms)
{
	const struct pfx_vendor_cpu_row *cpu = cpu_of(cpuid);
	struct pfx_vendor_event event;
	long at;

	assert_non_null(cpu);
	at = pfx_vendor_find_event(cpu, name);
	if (!terms) {
		assert_int_equal(at, -1);
		return;
	}
	if (at < 0)
		fail_msg("'%s' is not there", name);
	pfx_vendor_event_at(cpu, (size_t)at, &arena, &event);
	assert_string_equal(event.terms, terms);
	assert_string_equal(event.pmu, pmu);
}

static void make_kernel_tree(void)
{
	tree_file(&t, "/kernel/arch/x86/mapfile.csv",
		  "Family-model,Version,Filename,EventType\n# a comment\n\n"
		  "GenuineIntel-6-55-[0-4],v1.2,skx,core\n"
		  "GenuineIntel-6-99,v1,nowhere,core\n");
	tree_file(&t, "/kernel/arch/x86/skx/hot-loops.json",
		  "[{\"EventName\":\"HOT.LOOP\",\"EventCode\":\"0x12,0x13\",\"UMask\":\"0x3\","
		  "\"CounterMask\":\"2\",\"SampleAfterValue\":\"1000\",\"BriefDescription\":\"A\","
		  "\"PublicDescription\":\"B\",\"Deprecated\":\"1\"},"
		  "{\"EventName\":\"INST_RETIRED.ANY\",\"EventCode\":\"0x0\",\"UMask\":\"0x1\","
		  "\"SampleAfterValue\":\"7\"},"
		  "{\"EventName\":\"MEM_LOAD_RETIRED.L3_MISS\",\"EventCode\":\"0xff\"},"
		  "{\"EventName\":\"LAT.GT_8\",\"EventCode\":\"0xcd\",\"UMask\":\"1\","
		  "\"MSRIndex\":\"0x3F6\",\"MSRValue\":\"0x8\"},"
		  "{\"EventName\":\"STRANGE\",\"EventCode\":\"1\",\"MSRIndex\":\"0x999\"},"
		  "{\"MetricName\":\"Heat\",\"MetricExpr\":\"hot.loop / 2\","
		  "\"MetricGroup\":\"A;B\"}]");
	tree_file(&t, "/kernel/arch/x86/skx/below/memory.json",
		  "[{\"EventName\":\"UNC_X\",\"EventCode\":\"0x4\",\"UMask\":\"0x0\","
		  "\"Unit\":\"iMC\",\"ScaleUnit\":\"64Bytes\",\"PerPkg\":\"1\"}]");
	tree_file(&t, "/kernel/arch/common/common/metrics.json",
		  "[{\"MetricName\":\"clocks\",\"MetricExpr\":"
		  "\"software@cpu-clock\\\\,name\\\\=x@ if #target_cpu else 1\"}]");
	tree_file(&t, "/kernel/arch/arm64/mapfile.csv",
		  "Family-model,Version,Filename,EventType\n0x00000000410fd0c0,v1,arm/n1,core\n");
	tree_file(&t, "/kernel/arch/arm64/armv8.json",
		  "[{\"EventName\":\"L1D_THING\",\"EventCode\":\"0x77\",\"BriefDescription\":\"x\"}"
		  "]");
	tree_file(&t, "/kernel/arch/arm64/arm/n1/cache.json",
		  "[{\"ArchStdEvent\":\"L1D_THING\"},"
		  "{\"ArchStdEvent\":\"l1d_thing\",\"EventName\":\"OTHER\",\"BriefDescription\":"
		  "\"y\"},"
		  "{\"ArchStdEvent\":\"NOBODY\"}]");
}

static void kernel_layout(void **state)
{
	struct pfx_error err = {0};
	struct pfx_vendor_event event;
	struct pfx_vendor_metric metric;
	const struct pfx_vendor_cpu_row *cpu;
	long at;

	assert_int_equal(use("/kernel", "x86", SKX, &err), 1);
	assert_non_null(strstr(err.text, ".json:"));
	check_event(SKX, "hot.loop", "", "event=0x12,cmask=2,period=1000,umask=0x3");
	check_event(SKX, "Hot.Loop", "", "event=0x12,cmask=2,period=1000,umask=0x3");
	check_event(SKX, "inst_retired.any", "", "event=0xc0,period=7");
	check_event(SKX, "lat.gt_8", "", "event=0xcd,umask=1,ldlat=0x8");
	check_event(SKX, "unc_x", "uncore_imc", "event=0x4");
	check_event(SKX, "strange", "", NULL);
	/* the directory has precedence; other events are from the table */
	check_event(SKX, "mem_load_retired.l3_miss", "", "event=0xff");
	check_event(SKX, "mem_load_retired.l1_hit", "", "event=0xd1,period=2000003,umask=0x1");
	cpu = cpu_of(SKX);
	at = pfx_vendor_find_event(cpu, "hot.loop");
	pfx_vendor_event_at(cpu, (size_t)at, &arena, &event);
	assert_true(event.is_deprecated);
	assert_string_equal(event.topic, "hot loops");
	assert_string_equal(event.details, "B");
	at = pfx_vendor_find_metric(cpu, "heat");
	assert_true(at >= 0);
	pfx_vendor_metric_at(cpu, (size_t)at, &arena, &metric);
	assert_string_equal(metric.expr, "hot.loop / 2");
	assert_string_equal(metric.groups, "A;B");
	/* what every CPU has */
	assert_true(pfx_vendor_find_metric(cpu, "clocks") >= 0);
	assert_true(pfx_vendor_find_metric(cpu, "cs_per_second") >= 0);
	/* another CPU is unchanged */
	check_event("GenuineIntel-6-6A-6", "hot.loop", "", NULL);
	forget_dir();
	check_event(SKX, "hot.loop", "", NULL);
	check_event(SKX, "mem_load_retired.l3_miss", "", "event=0xd1,period=100007,umask=0x20");
}

/* The names are sorted, for iteration and binary search. */
static void order(void **state)
{
	struct pfx_vendor_event before, event;
	const struct pfx_vendor_cpu_row *cpu;
	size_t i;

	assert_int_equal(use("/kernel/arch/x86", "x86", SKX, NULL), 1);
	cpu = cpu_of(SKX);
	for (i = 0; i < pfx_vendor_nr_events(cpu); i++) {
		pfx_vendor_event_at(cpu, i, &arena, &event);
		assert_true(!i || strcasecmp(before.name, event.name) <= 0);
		assert_true(pfx_vendor_find_event(cpu, event.name) >= 0);
		before = event;
	}
	forget_dir();
}

static void standard_events(void **state)
{
	assert_int_equal(use("/kernel", "arm64", N1, NULL), 1);
	check_event(N1, "l1d_thing", "", "event=0x77");
	check_event(N1, "other", "", "event=0x77");
	check_event(N1, "nobody", "", NULL);
	forget_dir();
}

static void perfmon_layout(void **state)
{
	struct pfx_error err = {0};

	tree_file(&t, "/perfmon/mapfile.csv",
		  "Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role "
		  "Name\r\n"
		  "GenuineIntel-6-97,V1.1,/ADL/events/adl_core.json,hybridcore,0x40,0x1,Core\r\n"
		  "GenuineIntel-6-97,V1.1,/ADL/events/adl_atom.json,hybridcore,0x20,0x1,Atom\r\n"
		  "GenuineIntel-6-97,V1.1,/ADL/events/adl_uncore.json,uncore,,,\r\n"
		  "GenuineIntel-6-97,V1.1,/ADL/metrics/adl_metrics.json,metrics,,,\r\n");
	tree_file(&t, "/perfmon/ADL/events/adl_core.json",
		  "{\"Header\":{\"Copyright\":\"c\",\"Info\":{\"a\":[1]}},\"Events\":["
		  "{\"EventName\":\"BIG.ONE\",\"EventCode\":\"0x1\",\"UMask\":\"0x2\",\"Counter\":"
		  "\"0,1\",\"SampleAfterValue\":\"1009\",\"MSRIndex\":\"0x00\",\"Deprecated\":"
		  "\"0\"}]}");
	tree_file(&t, "/perfmon/ADL/events/adl_atom.json",
		  "{\"Events\":[{\"EventName\":\"SMALL.ONE\",\"EventCode\":5,\"UMask\":\"0x2\"}]}");
	tree_file(&t, "/perfmon/ADL/events/adl_uncore.json",
		  "{\"Events\":[{\"EventName\":\"UNC_ARB\",\"EventCode\":\"0x81\",\"Unit\":\"ARB\"}"
		  "]}");
	assert_int_equal(use("/perfmon", "x86", "GenuineIntel-6-97-2", &err), 0);
	check_event("GenuineIntel-6-97-2", "big.one", "cpu_core",
		    "event=0x1,period=1009,umask=0x2");
	check_event("GenuineIntel-6-97-2", "small.one", "cpu_atom", "event=0x5,umask=0x2");
	check_event("GenuineIntel-6-97-2", "unc_arb", "uncore_arb", "event=0x81");
	forget_dir();
}

/* -e accepts these names. */
static void words(void **state)
{
	char sysfs[512];
	struct pfx_pmu_roots roots = {sysfs, "/nonexistent", SKX, NULL};
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};
	struct pfx_str text = {0};

	snprintf(sysfs, sizeof(sysfs), "%s/skx", t.root);
	assert_int_equal(use("/kernel", "x86", SKX, NULL), 1);
	roots.vendor = cpu_of(SKX);
	assert_int_equal(pfx_events_parse(&list, "hot.loop:u,cpu/hot.*/", &roots, &err), 0);
	fixture_list_text(&text, &list);
	assert_string_equal(pfx_str_get(&text), "hot.loop:u 4:2000312 -khG period=1000 @cpu\n"
						"cpu/hot.loop/ 4:2000312 -G period=1000 @cpu");
	assert_true(list.specs.at[0].is_rate_proposed);
	assert_int_equal(pfx_events_parse(&list, "hot.lop", &roots, &err), -EINVAL);
	assert_non_null(strstr(err.hint, "did you mean 'hot.loop'?"));
	assert_int_equal(pfx_events_parse(&list, "cpu/period=5,hot.loop/", &roots, &err), 0);
	assert_int_equal(list.specs.at[2].attr.sample_period, 5);
	assert_false(list.specs.at[2].is_rate_proposed);
	pfx_str_fini(&text);
	pfx_event_list_fini(&list);
	forget_dir();
}

/* One of each key that the kernel's trees use. */
static void every_key(void **state)
{
	const struct pfx_vendor_cpu_row *cpu;
	struct pfx_vendor_metric metric;
	struct pfx_vendor_event event;

	tree_file(&t, "/keys/arch/x86/mapfile.csv", "h\nGenuineIntel-6-55,v1,cpu,core\n");
	tree_file(&t, "/keys/arch/x86/standard.json",
		  "[{\"MetricName\":\"Slow\",\"MetricExpr\":\"a / b\",\"ScaleUnit\":\"100%\"}]");
	tree_file(&t, "/keys/arch/x86/cpu/sys/x.json",
		  "[{\"EventName\":\"DEVICE.X\",\"EventCode\":\"1\"}]");
	tree_file(&t, "/keys/arch/x86/cpu/counter.json",
		  "[{\"Unit\":\"core\",\"CountersNumFixed\":\"4\"}]");
	tree_file(&t, "/keys/arch/x86/cpu/some_topic-metrics.json",
		  "[{\"ArchStdEvent\":\"slow\",\"MetricGroup\":\"Own\","
		  "\"MetricConstraint\":\"NO_GROUP_EVENTS\"}]");
	tree_file(&t, "/keys/arch/x86/cpu/a_b-c.json",
		  "[{\"EventName\":\"CMN\",\"EventidCode\":\"0x9\",\"NodeType\":\"0x5\","
		  "\"Unit\":\"arm_cmn\",\"Compat\":\"(434|436).*\"},"
		  "{\"EventName\":\"EXT\",\"EventCode\":\"0x1\",\"ExtSel\":\"10\"},"
		  "{\"EventName\":\"WIDE\",\"EventCode\":\"0x1\",\"UMask\":\"0x21\","
		  "\"UMaskExt\":\"0xC8\",\"Unit\":\"cpu_lowpower\"},"
		  "{\"EventName\":\"EXACT\",\"EventCode\":\"0x1\",\"PEBS\":\"2\","
		  "\"Data_LA\":\"1\",\"Errata\":\"SKL1\",\"BriefDescription\":\" Words \","
		  "\"PublicDescription\":\"Words.\"},"
		  "{\"EventName\":\"LOST\",\"EventCode\":\"0x1\",\"Filter\":\"Box1\"},"
		  "{\"EventName\":\"LOST2\",\"EventCode\":\"blue\"},"
		  "{\"EventName\":\"LOST3\",\"EventCode\":\"0x10000000000000000\"},"
		  "{\"EventName\":\"\",\"EventCode\":\"1\"}]");
	assert_int_equal(use("/keys", "x86", SKX, NULL), 4);
	check_event(SKX, "cmn", "arm_cmn", "eventid=0x9,type=0x5");
	check_event(SKX, "ext", "", "event=0x1001");
	check_event(SKX, "wide", "cpu_lowpower", "event=0x1,umask=0xc821");
	check_event(SKX, "lost", "", NULL);
	check_event(SKX, "lost2", "", NULL);
	check_event(SKX, "lost3", "", NULL);
	check_event(SKX, "", "", NULL);
	check_event(SKX, "device.x", "", "event=0x1");
	cpu = cpu_of(SKX);
	pfx_vendor_event_at(cpu, (size_t)pfx_vendor_find_event(cpu, "exact"), &arena, &event);
	assert_string_equal(event.text, "Words. Supports address when precise. Spec update: SKL1 "
					"(Must be precise)");
	assert_string_equal(event.details, "");
	assert_string_equal(event.topic, "a_b c");
	pfx_vendor_metric_at(cpu, (size_t)pfx_vendor_find_metric(cpu, "slow"), &arena, &metric);
	assert_string_equal(metric.expr, "a / b");
	assert_string_equal(metric.groups, "Own");
	assert_string_equal(metric.constraint, "NO_GROUP_EVENTS");
	assert_string_equal(metric.topic, "metrics");
	forget_dir();
}

/* Events of devices require a matching identifier. */
static void devices(void **state)
{
#define MESH "/dev/bus/event_source/devices/arm_cmn_0"
	char sysfs[512];
	struct pfx_pmu_roots roots = {sysfs, "/nonexistent", SKX, NULL};
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};

	snprintf(sysfs, sizeof(sysfs), "%s/dev", t.root);
	tree_file(&t, "/mesh/arch/x86/mapfile.csv", "h\nGenuineIntel-6-55,v1,cpu,core\n");
	tree_file(&t, "/mesh/arch/x86/cpu/a.json", "[]");
	tree_file(&t, "/mesh/arch/x86/maker/board/sys/mesh.json",
		  "[{\"EventName\":\"CMN_X\",\"EventidCode\":\"0x9\",\"NodeType\":\"0x5\","
		  "\"Unit\":\"arm_cmn\",\"Compat\":\"(434|436).*\"}]");
	tree_file(&t, MESH "/type", "25\n");
	tree_file(&t, MESH "/format/eventid", "config:16-26\n");
	tree_file(&t, MESH "/format/type", "config:0-15\n");
	assert_int_equal(use("/mesh", "x86", SKX, NULL), 0);
	roots.vendor = cpu_of(SKX);
	check_event(SKX, "cmn_x", "arm_cmn", "eventid=0x9,type=0x5");
	assert_int_equal(pfx_events_parse(&list, "cmn_x", &roots, &err), -EINVAL);
	tree_file(&t, MESH "/identifier", "43a01\n");
	assert_int_equal(pfx_events_parse(&list, "cmn_x", &roots, &err), -EINVAL);
	tree_file(&t, MESH "/identifier", "43601\n");
	assert_int_equal(pfx_events_parse(&list, "cmn_x", &roots, &err), 0);
	assert_int_equal(list.specs.at[0].attr.type, 25);
	assert_int_equal(list.specs.at[0].attr.config, 0x90005);
	pfx_event_list_fini(&list);
	forget_dir();
#undef MESH
}

static void same_events(const struct pfx_vendor_event *a, const struct pfx_vendor_event *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->pmu, b->pmu);
	assert_string_equal(a->terms, b->terms);
	assert_string_equal(a->text, b->text);
	assert_string_equal(a->details, b->details);
	assert_string_equal(a->topic, b->topic);
	assert_string_equal(a->scale_unit, b->scale_unit);
	assert_string_equal(a->compat, b->compat);
	assert_int_equal(a->is_deprecated, b->is_deprecated);
	assert_int_equal(a->is_per_package, b->is_per_package);
}

static void same_metrics(const struct pfx_vendor_metric *a, const struct pfx_vendor_metric *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->pmu, b->pmu);
	assert_string_equal(a->expr, b->expr);
	assert_string_equal(a->threshold, b->threshold);
	assert_string_equal(a->groups, b->groups);
	assert_string_equal(a->constraint, b->constraint);
	assert_string_equal(a->text, b->text);
	assert_string_equal(a->details, b->details);
	assert_string_equal(a->topic, b->topic);
	assert_string_equal(a->scale_unit, b->scale_unit);
}

static size_t same_cpu(const char *arch, const char *cpuid)
{
	const struct pfx_vendor_cpu_row *table = pfx_vendor_find_cpu(arch, cpuid), *read;
	struct pfx_vendor_metric metrics[2];
	struct pfx_vendor_event events[2];
	struct pfx_error err = {0};
	size_t i;

	assert_non_null(table);
	if (read_dir(PFX_SOURCE_DIR "/pmu-events", arch, cpuid, &err) < 0)
		fail_msg("%s: %s", cpuid, err.text);
	read = cpu_of(cpuid);
	assert_ptr_not_equal(read, table);
	assert_int_equal(pfx_vendor_nr_events(read), pfx_vendor_nr_events(table));
	assert_int_equal(pfx_vendor_nr_metrics(read), pfx_vendor_nr_metrics(table));
	for (i = 0; i < pfx_vendor_nr_events(table); i++) {
		pfx_vendor_event_at(table, i, &arena, &events[0]);
		pfx_vendor_event_at(read, i, &arena, &events[1]);
		same_events(&events[0], &events[1]);
	}
	for (i = 0; i < pfx_vendor_nr_metrics(table); i++) {
		pfx_vendor_metric_at(table, i, &arena, &metrics[0]);
		pfx_vendor_metric_at(read, i, &arena, &metrics[1]);
		same_metrics(&metrics[0], &metrics[1]);
	}
	i = pfx_vendor_nr_events(table);
	forget_dir();
	return i;
}

/* The built-in table and the same directory, read now, have the same events for every CPU. */
static void same_as_built_in(void **state)
{
	static const struct {
		const char *arch, *cpuid;
	} cpus[] = {
		{"x86", SKX},
		{"x86", "GenuineIntel-6-55-7"},
		{"x86", "GenuineIntel-6-6A-6"},
		{"x86", "GenuineIntel-6-8F-8"},
		{"x86", "GenuineIntel-6-97-2"},
		{"x86", "GenuineIntel-6-3F-2"},
		{"x86", "AuthenticAMD-23-1-1"},
		{"x86", "AuthenticAMD-23-31-0"},
		{"x86", "AuthenticAMD-25-1-1"},
		{"x86", "AuthenticAMD-25-11-1"},
		{"x86", "AuthenticAMD-26-2-1"},
		{"arm64", N1},
		{"arm64", "0x00000000410fd080"},
		{"arm64", "0x00000000410fd0b0"},
		{"arm64", "0x00000000410fd400"},
		{"arm64", "0x00000000410fd490"},
		{"arm64", "0x00000000410fd4f0"},
		{"arm64", "0x00000000480fd010"},
		{"powerpc", "0x004e1202"},
		{"s390", "IBM,3931,704,A01,3.7,002f"},
		{"riscv", "0x489-0x8000000000000007-0x0"},
	};
	size_t i, nr = 0;

	for (i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
		nr += same_cpu(cpus[i].arch, cpus[i].cpuid);
	assert_true(nr > 2000);
}

static void refused(const char *file, const char *content, int code, const char *part)
{
	struct pfx_error err = {0};

	tree_file(&t, "/bad/mapfile.csv", "h\nGenuineIntel-6-55,v1,cpu,core\n");
	tree_file(&t, file, content);
	assert_int_equal(use("/bad", "x86", SKX, &err), code);
	if (!strstr(err.text, part))
		fail_msg("'%s' says nothing of '%s'", err.text, part);
	/* the table is unchanged */
	check_event(SKX, "mem_load_retired.l3_miss", "", "event=0xd1,period=100007,umask=0x20");
}

static void hostile_files(void **state)
{
	char deep[4096];
	struct pfx_error err = {0};

	refused("/bad/cpu/a.json", "[{\"EventName\":\"X\"", -EBADMSG, "ends too early");
	refused("/bad/cpu/a.json", "not json", -EBADMSG, "a.json");
	memset(deep, '[', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	refused("/bad/cpu/a.json", deep, -EBADMSG, "a.json");
	refused("/bad/cpu/a.json", "", -EBADMSG, "a.json");
	tree_file(&t, "/bad/cpu/a.json", "[1, \"x\", null, [], {\"EventName\":{\"a\":1}}, {}]");
	assert_int_equal(use("/bad", "x86", SKX, &err), 0);
	refused("/bad/mapfile.csv", "h\nGenuineIntel-6-55,v1,../../etc,core\n", -EBADMSG,
		"../../etc");
	refused("/bad/mapfile.csv", "h\nGenuineIntel-6-55,v1\n((,v,x,core\n", -EBADMSG,
		"mapfile.csv:3: '((' is not a regular expression");
	assert_int_equal(use("/nowhere", "x86", SKX, &err), -ENOENT);
	forget_dir();
}

/* Named pipes without a writer: reading them would block forever. */
static void no_plain_files(void **state)
{
	struct pfx_error err = {0};
	char path[256];

	assert_int_equal(mkfifo(tree_path(&t, path, sizeof(path), "/fifo/mapfile.csv"), 0600), 0);
	assert_int_equal(use("/fifo", "x86", SKX, &err), -EINVAL);
	assert_non_null(strstr(err.text, "mapfile.csv' is not a regular file"));
	assert_int_equal(unlink(path), 0);
	tree_file(&t, "/fifo/mapfile.csv", "h\nGenuineIntel-6-55,v1,cpu,core\n");
	assert_int_equal(mkfifo(tree_path(&t, path, sizeof(path), "/fifo/cpu/a.json"), 0600), 0);
	assert_int_equal(use("/fifo", "x86", SKX, &err), -EINVAL);
	assert_non_null(strstr(err.text, "a.json' is not a regular file"));
	forget_dir();
}

static int make(void **state)
{
	struct pfx_error err = {0};

	fixture_init(&t);
	make_kernel_tree();
	return use("/kernel", "x86", SKX, &err) == -ENOTSUP ? 1 : 0;
}

static int drop(void **state)
{
	forget_dir();
	pfx_arena_clear(&arena);
	tree_fini(&t);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_layout),   cmocka_unit_test(order),
		cmocka_unit_test(standard_events), cmocka_unit_test(perfmon_layout),
		cmocka_unit_test(words),           cmocka_unit_test(hostile_files),
		cmocka_unit_test(no_plain_files),  cmocka_unit_test(devices),
		cmocka_unit_test(every_key),       cmocka_unit_test(same_as_built_in),
	};

#ifndef PFX_HAVE_JSONC
	return 77;
#endif
	return cmocka_run_group_tests(tests, make, drop);
}
