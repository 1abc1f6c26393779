/* SPDX-License-Identifier: MIT */
/* Attrs made from options, and the sequence of attempts to open them, with a kernel that the test
 * simulates. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sys/counter/counter.h"

#define BASE_TYPE  (PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_TIME)
#define BASE_FLAGS (PFX_ATTR_INHERIT | PFX_ATTR_SAMPLE_ID_ALL)
#define TRACK_FLAGS                                                                            \
	(PFX_ATTR_MMAP | PFX_ATTR_COMM | PFX_ATTR_TASK | PFX_ATTR_MMAP2 | PFX_ATTR_COMM_EXEC | \
	 PFX_ATTR_KSYMBOL | PFX_ATTR_BPF_EVENT)
#define START_FLAGS (PFX_ATTR_DISABLED | PFX_ATTR_ENABLE_ON_EXEC)

static const struct pfx_attr clock_attr = {.type = PFX_TYPE_SOFTWARE};
static const struct pfx_attr faults = {.type = PFX_TYPE_SOFTWARE, .config = PFX_SW_PAGE_FAULTS};
static const struct pfx_attr cycles = {.type = PFX_TYPE_HARDWARE};
static const struct pfx_attr point = {.type = PFX_TYPE_TRACEPOINT, .config = 7};

/* One row: the options, up to two events, and what the first (and second or last) must become. */
struct row {
	const char *name;
	struct pfx_sampling sampling;
	const struct pfx_attr *first, *second;
	uint64_t type, flags, period, format; /* of the first; format 0: ID and LOST */
	uint64_t last_type, last_flags;       /* of the last, if there are several */
};

static const struct row rows[] = {
	{.name = "a command",
	 .sampling = {.freq = 4000, .enable_on_exec = true},
	 .first = &clock_attr,
	 .type = BASE_TYPE | PFX_SAMPLE_PERIOD,
	 .flags = BASE_FLAGS | TRACK_FLAGS | START_FLAGS | PFX_ATTR_FREQ,
	 .period = 4000},
	{.name = "a count",
	 .sampling = {.period = 1000, .rate_given = true, .enable_on_exec = true},
	 .first = &clock_attr,
	 .type = BASE_TYPE,
	 .flags = BASE_FLAGS | TRACK_FLAGS | START_FLAGS,
	 .period = 1000},
	{.name = "chains",
	 .sampling = {.freq = 99,
		      .rate_given = true,
		      .enable_on_exec = true,
		      .callgraph.mode = PFX_CALLGRAPH_FP},
	 .first = &clock_attr,
	 .type = BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_CALLCHAIN,
	 .flags = BASE_FLAGS | TRACK_FLAGS | START_FLAGS | PFX_ATTR_FREQ,
	 .period = 99},
	{.name = "the whole system",
	 .sampling = {.freq = 4000, .system_wide = true},
	 .first = &clock_attr,
	 .type = BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_CPU | PFX_SAMPLE_IDENTIFIER,
	 .flags = BASE_FLAGS | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 .period = 4000,
	 .last_type = BASE_TYPE | PFX_SAMPLE_CPU | PFX_SAMPLE_IDENTIFIER,
	 .last_flags = BASE_FLAGS | TRACK_FLAGS},
	{.name = "the whole system by count",
	 .sampling = {.period = 50, .rate_given = true, .system_wide = true},
	 .first = &clock_attr,
	 .type = BASE_TYPE | PFX_SAMPLE_CPU | PFX_SAMPLE_ID,
	 .flags = BASE_FLAGS | PFX_ATTR_DISABLED,
	 .period = 50,
	 .last_type = BASE_TYPE | PFX_SAMPLE_CPU | PFX_SAMPLE_ID,
	 .last_flags = BASE_FLAGS | TRACK_FLAGS},
	{.name = "a running process",
	 .sampling = {.freq = 4000},
	 .first = &clock_attr,
	 .type = BASE_TYPE | PFX_SAMPLE_PERIOD,
	 .flags = BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 .period = 4000},
	{.name = "no inheritance, no time",
	 .sampling = {.freq = 4000, .no_inherit = true, .no_time = true},
	 .first = &clock_attr,
	 .type = PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_PERIOD,
	 .flags = PFX_ATTR_SAMPLE_ID_ALL | TRACK_FLAGS | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 .period = 4000},
	{.name = "two of one shape",
	 .sampling = {.freq = 4000},
	 .first = &clock_attr,
	 .second = &faults,
	 .type = BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_ID,
	 .flags = BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 .period = 4000,
	 .last_type = BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_ID,
	 .last_flags = BASE_FLAGS | PFX_ATTR_DISABLED | PFX_ATTR_FREQ},
	{.name = "two of two shapes",
	 .sampling = {.freq = 4000},
	 .first = &clock_attr,
	 .second = &point,
	 .type = BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_IDENTIFIER,
	 .flags = BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 .period = 4000,
	 .last_type = BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_CPU | PFX_SAMPLE_RAW |
		      PFX_SAMPLE_IDENTIFIER,
	 .last_flags = BASE_FLAGS | PFX_ATTR_DISABLED},
	{.name = "a tracepoint",
	 .sampling = {.freq = 4000},
	 .first = &point,
	 .type = BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_CPU | PFX_SAMPLE_RAW,
	 .flags = BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_DISABLED,
	 .period = 1},
	{.name = "a tracepoint by frequency",
	 .sampling = {.freq = 99, .rate_given = true},
	 .first = &point,
	 .type = BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_CPU | PFX_SAMPLE_RAW,
	 .flags = BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 .period = 99},
	{.name = "data",
	 .sampling = {.freq = 4000,
		      .fields = PFX_SAMPLE_ADDR | PFX_SAMPLE_DATA_SRC,
		      .tracking = PFX_ATTR_MMAP_DATA},
	 .first = &clock_attr,
	 .type = BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_ADDR | PFX_SAMPLE_DATA_SRC,
	 .flags = BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_MMAP_DATA | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 .period = 4000},
	{.name = "stack dumps",
	 .sampling = {.freq = 4000,
		      .callgraph = {.mode = PFX_CALLGRAPH_DWARF, .stack_bytes = 8192},
		      .stack_regs = 0xff},
	 .first = &clock_attr,
	 .type = BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_CALLCHAIN | PFX_SAMPLE_REGS_USER |
		 PFX_SAMPLE_STACK_USER | PFX_SAMPLE_ADDR | PFX_SAMPLE_DATA_SRC,
	 .flags = BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_MMAP_DATA | PFX_ATTR_EXCLUDE_CALLCHAIN_USER |
		  PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 .period = 4000},
	{.name = "frame pointers, and the register with the caller of a leaf",
	 .sampling = {.freq = 4000,
		      .callgraph = {.mode = PFX_CALLGRAPH_FP},
		      .leaf_regs = 1ull << 30},
	 .first = &clock_attr,
	 .type = BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_CALLCHAIN | PFX_SAMPLE_REGS_USER,
	 .flags = BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 .period = 4000},
	{.name = "raw and counts per thread",
	 .sampling = {.freq = 4000,
		      .fields = PFX_SAMPLE_RAW | PFX_SAMPLE_TIME | PFX_SAMPLE_CPU,
		      .stat = true},
	 .first = &faults,
	 .type = BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_CPU | PFX_SAMPLE_RAW,
	 .flags = BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_INHERIT_STAT | PFX_ATTR_DISABLED |
		  PFX_ATTR_FREQ,
	 .period = 4000,
	 .format = PFX_FORMAT_ID | PFX_FORMAT_LOST | PFX_FORMAT_ENABLED | PFX_FORMAT_RUNNING},
	{.name = "a stream of one event",
	 .sampling = {.freq = 4000, .is_pipe = true},
	 .first = &clock_attr,
	 .type = BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_ID,
	 .flags = BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 .period = 4000},
	{.name = "user space of all",
	 .sampling = {.freq = 4000, .all_user = true},
	 .first = &clock_attr,
	 .type = BASE_TYPE | PFX_SAMPLE_PERIOD,
	 .flags = BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_EXCLUDE_KERNEL | PFX_ATTR_DISABLED |
		  PFX_ATTR_FREQ,
	 .period = 4000},
};

static void attrs_by_options(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct pfx_counters set = {0};
		const struct pfx_attr *attr, *last;

		print_message("%s\n", row->name);
		pfx_counters_add(&set, row->first, NULL);
		if (row->second)
			pfx_counters_add(&set, row->second, NULL);
		pfx_counters_setup(&set, &row->sampling);
		attr = &set.list.at[0].attr;
		last = &set.list.at[set.list.nr - 1].attr;
		assert_int_equal(attr->sample_type, row->type);
		assert_int_equal(attr->flags, row->flags);
		assert_int_equal(attr->sample_period, row->period);
		assert_int_equal(attr->read_format,
				 row->format ? row->format : PFX_FORMAT_ID | PFX_FORMAT_LOST);
		assert_int_equal(attr->size, PFX_ATTR_SIZE_VER7);
		assert_int_equal(set.list.nr > 1, row->last_type != 0);
		if (row->last_type) {
			assert_int_equal(last->sample_type, row->last_type);
			assert_int_equal(last->flags, row->last_flags);
		}
		pfx_counters_fini(&set);
	}
}

/* --- a kernel of the test's own --- */

static struct {
	int calls;
	int (*says)(const struct pfx_attr *attr, pid_t tid, int cpu);
	unsigned long last_flags;
	int last_group;
} kernel;

static int kernel_open(struct pfx_attr *attr, pid_t tid, int cpu, int group_fd, unsigned long flags)
{
	int rc;

	kernel.calls++;
	kernel.last_flags = flags;
	kernel.last_group = group_fd;
	rc = kernel.says(attr, tid, cpu);
	return rc < 0 ? rc : 1000 + kernel.calls;
}

static void kernel_is(struct pfx_counters *set,
		      int (*says)(const struct pfx_attr *attr, pid_t tid, int cpu))
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.says = says;
	memset(set, 0, sizeof(*set));
	set->open = kernel_open;
}

static struct pfx_target one_thread(void)
{
	static int cpus[] = {0, 1};
	struct pfx_target target = {.cpus = {cpus, 2}};

	pfx_target_add(&target, 42, 42, "demo");
	return target;
}

static void setup_default(struct pfx_counters *set, const struct pfx_attr *attr, bool precise_max)
{
	struct pfx_sampling sampling = {.freq = 4000, .enable_on_exec = true};
	struct pfx_counter *counter = pfx_counters_add(set, attr, NULL);

	counter->precise_max = precise_max;
	if (precise_max)
		pfx_attr_set_precise(&counter->attr, 3);
	pfx_counters_setup(set, &sampling);
}

static int yes(const struct pfx_attr *attr, pid_t tid, int cpu)
{
	(void)attr, (void)tid, (void)cpu;
	return 0;
}

static void one_counter_per_thread_and_cpu(void **state)
{
	struct pfx_target target = one_thread();
	struct pfx_counters set;
	struct pfx_error err = {0};

	(void)state;
	kernel_is(&set, yes);
	setup_default(&set, &cycles, true);
	assert_int_equal(pfx_counters_open(&set, &target, &err), 0);
	assert_int_equal(set.list.at[0].fds.nr, 2);
	assert_int_equal(set.list.at[0].fds.at[1].cpu, 1);
	assert_int_equal(set.list.at[0].fds.at[1].tid, 42);
	assert_int_equal(kernel.last_flags, 8);
	assert_int_equal(pfx_attr_precise(&set.list.at[0].attr), 3);
	assert_false(set.fell_to_clock);
	pfx_counters_fini(&set);
	pfx_vec_free(&target.threads);
}

static int only_imprecise(const struct pfx_attr *attr, pid_t tid, int cpu)
{
	(void)tid, (void)cpu;
	return pfx_attr_precise(attr) > 1 ? -EOPNOTSUPP : 0;
}

static void precision_is_lowered(void **state)
{
	struct pfx_target target = one_thread();
	struct pfx_counters set;
	struct pfx_error err = {0};

	(void)state;
	kernel_is(&set, only_imprecise);
	setup_default(&set, &cycles, true);
	assert_int_equal(pfx_counters_open(&set, &target, &err), 0);
	assert_int_equal(pfx_attr_precise(&set.list.at[0].attr), 1);
	assert_int_equal(set.list.at[0].attr.type, PFX_TYPE_HARDWARE);
	pfx_counters_fini(&set);

	/* An explicit precision is not lowered. */
	kernel_is(&set, only_imprecise);
	setup_default(&set, &cycles, false);
	pfx_attr_set_precise(&set.list.at[0].attr, 2);
	set.list.at[0].attr.type = PFX_TYPE_RAW;
	assert_int_equal(pfx_counters_open(&set, &target, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "precisely"));
	assert_int_equal(set.list.at[0].fds.nr, 0);
	pfx_counters_fini(&set);
	pfx_vec_free(&target.threads);
}

static int no_pmu(const struct pfx_attr *attr, pid_t tid, int cpu)
{
	(void)tid, (void)cpu;
	return attr->type == PFX_TYPE_SOFTWARE ? 0 : -ENOENT;
}

/* @flags, @asked: of a cycle counter. Returns what the clock gets. */
static uint64_t clock_gets(uint64_t flags, uint64_t asked, bool *ret_slowed)
{
	struct pfx_target target = one_thread();
	struct pfx_counters set;
	struct pfx_error err = {0};
	struct pfx_attr *attr;
	uint64_t got;

	kernel_is(&set, no_pmu);
	setup_default(&set, &cycles, true);
	attr = &set.list.at[0].attr;
	attr->flags = (attr->flags & ~PFX_ATTR_FREQ) | flags;
	attr->sample_period = asked;
	assert_int_equal(pfx_counters_open(&set, &target, &err), 0);
	got = set.list.at[0].attr.sample_period;
	*ret_slowed = set.slowed_clock;
	pfx_counters_fini(&set);
	pfx_vec_free(&target.threads);
	return got;
}

static void clock_in_place_of_cycles_is_slow(void **state)
{
	static const struct {
		uint64_t flags, asked, gets;
	} rates[] = {
		{PFX_ATTR_FREQ, 100000, 20000},
		{PFX_ATTR_FREQ, 20001, 20000},
		{PFX_ATTR_FREQ, 20000, 20000},
		{PFX_ATTR_FREQ, 99, 99},
		{0, 1000, 50000},
		{0, 49999, 50000},
		{0, 50000, 50000},
		{0, 0, 0},
	};
	bool is_slowed;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		assert_int_equal(clock_gets(rates[i].flags, rates[i].asked, &is_slowed),
				 rates[i].gets);
		assert_int_equal(is_slowed, rates[i].asked != rates[i].gets);
	}
}

static void clock_in_place_of_cycles(void **state)
{
	struct pfx_target target = one_thread();
	struct pfx_attr instructions = {.type = PFX_TYPE_HARDWARE, .config = PFX_HW_INSTRUCTIONS};
	struct pfx_counters set;
	struct pfx_error err = {0};

	(void)state;
	kernel_is(&set, no_pmu);
	setup_default(&set, &cycles, true);
	assert_int_equal(pfx_counters_open(&set, &target, &err), 0);
	assert_true(set.fell_to_clock);
	assert_int_equal(set.list.at[0].attr.type, PFX_TYPE_SOFTWARE);
	assert_int_equal(set.list.at[0].attr.config, PFX_SW_CPU_CLOCK);
	assert_int_equal(pfx_attr_precise(&set.list.at[0].attr), 3);
	assert_false(set.slowed_clock);
	pfx_counters_fini(&set);

	kernel_is(&set, no_pmu);
	setup_default(&set, &instructions, false);
	assert_int_equal(pfx_counters_open(&set, &target, &err), -ENOENT);
	assert_non_null(strstr(err.text, "'instructions"));
	assert_non_null(strstr(err.hint, "cpu-clock"));
	pfx_counters_fini(&set);
	pfx_vec_free(&target.threads);
}

/* Linux 4.0: no LOST, no ksymbol, no bpf_event. */
static int old_kernel(const struct pfx_attr *attr, pid_t tid, int cpu)
{
	(void)tid, (void)cpu;
	if (attr->read_format & PFX_FORMAT_LOST)
		return -EINVAL;
	return attr->flags & (PFX_ATTR_KSYMBOL | PFX_ATTR_BPF_EVENT) ? -EINVAL : 0;
}

/* The bit of an attr field in the set of missing features. */
static uint32_t gap(const char *name)
{
	uint32_t bit = 0;

	while (strcmp(pfx_counter_gaps()[bit], name) != 0)
		bit++;
	return 1u << bit;
}

static void what_a_kernel_lacks_is_left_out(void **state)
{
	struct pfx_target target = one_thread();
	struct pfx_counters set;
	struct pfx_error err = {0};

	(void)state;
	kernel_is(&set, old_kernel);
	setup_default(&set, &clock_attr, false);
	assert_int_equal(pfx_counters_open(&set, &target, &err), 0);
	assert_int_equal(set.gaps, gap("lost counts") | gap("BPF program events") |
					   gap("kernel symbol events"));
	assert_int_equal(set.list.at[0].attr.read_format, PFX_FORMAT_ID);
	assert_true(set.list.at[0].attr.flags & PFX_ATTR_MMAP2);
	assert_false(set.list.at[0].attr.flags & PFX_ATTR_KSYMBOL);
	assert_int_equal(set.list.at[0].fds.nr, 2);
	pfx_counters_fini(&set);
	pfx_vec_free(&target.threads);
}

/* A requested feature is not dropped silently: the error names the option. */
struct blamed {
	const char *text;
	uint64_t fields, flags, branch;
	int code;
};

static const struct blamed blamed_rows[] = {
	{"--call-graph lbr", PFX_SAMPLE_BRANCH_STACK, 0, PFX_BRANCH_CALL_STACK | PFX_BRANCH_USER,
	 EOPNOTSUPP},
	{"branch sampling (-b, -j)", PFX_SAMPLE_BRANCH_STACK, 0, PFX_BRANCH_ANY, EOPNOTSUPP},
	{"no permission for --phys-data", PFX_SAMPLE_PHYS_ADDR, 0, 0, EACCES},
	{"no permission for --namespaces", 0, PFX_ATTR_NAMESPACES, 0, EACCES},
	{"-k", 0, PFX_ATTR_USE_CLOCKID, 0, EINVAL},
	{"--transaction", PFX_SAMPLE_TRANSACTION, 0, 0, EINVAL},
	{"--phys-data", PFX_SAMPLE_PHYS_ADDR, 0, 0, EINVAL},
	{"--data-page-size", PFX_SAMPLE_DATA_PAGE_SIZE, 0, 0, EINVAL},
	{"--code-page-size", PFX_SAMPLE_CODE_PAGE_SIZE, 0, 0, EINVAL},
	{"--all-cgroups", PFX_SAMPLE_CGROUP, PFX_ATTR_CGROUP, 0, EINVAL},
	{"-I", PFX_SAMPLE_REGS_INTR, 0, 0, EOPNOTSUPP},
	{"--user-regs", PFX_SAMPLE_REGS_USER, 0, 0, EINVAL},
	{"--switch-events", 0, PFX_ATTR_CONTEXT_SWITCH, 0, EINVAL},
	{"--namespaces", 0, PFX_ATTR_NAMESPACES, 0, EINVAL},
	{"'aux-output'", 0, PFX_ATTR_AUX_OUTPUT, 0, EINVAL},
};
static const struct blamed *blamed;

static int without_blamed(const struct pfx_attr *attr, pid_t tid, int cpu)
{
	(void)tid, (void)cpu;
	if (attr->sample_type & blamed->fields || attr->flags & blamed->flags)
		return -blamed->code;
	return 0;
}

static void the_option_is_named(void **state)
{
	struct pfx_target target = one_thread();
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(blamed_rows) / sizeof(blamed_rows[0]); i++) {
		struct pfx_sampling sampling = {.freq = 99};
		struct pfx_counters set;
		struct pfx_error err = {0};

		blamed = &blamed_rows[i];
		sampling.fields = PFX_SAMPLE_PHYS_ADDR | blamed->fields;
		sampling.tracking = blamed->flags;
		sampling.branch_type = blamed->branch;
		kernel_is(&set, without_blamed);
		pfx_counters_add(&set, &clock_attr, NULL);
		pfx_counters_setup(&set, &sampling);
		assert_int_equal(pfx_counters_open(&set, &target, &err), -blamed->code);
		assert_int_equal(strncmp(err.text, blamed->text, strlen(blamed->text)) == 0 ||
					 strstr(err.text, blamed->text) != NULL,
				 true);
		assert_true(strstr(err.text, "it needs") || strstr(err.text, "no permission"));
		assert_true(err.hint[0]);
		pfx_counters_fini(&set);
	}
	pfx_vec_free(&target.threads);
}

static int no_parts(const struct pfx_attr *attr, pid_t tid, int cpu)
{
	(void)tid, (void)cpu;
	return attr->sample_type & PFX_SAMPLE_WEIGHT_STRUCT ||
			       attr->flags & PFX_ATTR_DEFER_CALLCHAIN
		       ? -EINVAL
		       : 0;
}

static void substitutes(void **state)
{
	struct pfx_sampling sampling = {
		.freq = 99,
		.fields = PFX_SAMPLE_WEIGHT_STRUCT,
		.callgraph = {.mode = PFX_CALLGRAPH_FP, .defer = true},
	};
	struct pfx_target target = one_thread();
	struct pfx_counters set;
	struct pfx_error err = {0};

	(void)state;
	kernel_is(&set, no_parts);
	pfx_counters_add(&set, &clock_attr, NULL);
	pfx_counters_setup(&set, &sampling);
	assert_true(set.list.at[0].attr.flags & PFX_ATTR_DEFER_OUTPUT);
	assert_int_equal(pfx_counters_open(&set, &target, &err), 0);
	assert_int_equal(set.list.at[0].attr.sample_type,
			 BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_CALLCHAIN | PFX_SAMPLE_WEIGHT);
	assert_false(set.list.at[0].attr.flags &
		     (PFX_ATTR_DEFER_CALLCHAIN | PFX_ATTR_DEFER_OUTPUT));
	pfx_counters_fini(&set);
	pfx_vec_free(&target.threads);
}

static int nothing(const struct pfx_attr *attr, pid_t tid, int cpu)
{
	(void)attr, (void)tid, (void)cpu;
	return -EINVAL;
}

static void refused_for_good(void **state)
{
	struct pfx_target target = one_thread();
	struct pfx_counters set;
	struct pfx_error err = {0};

	(void)state;
	kernel_is(&set, nothing);
	setup_default(&set, &clock_attr, false);
	assert_int_equal(pfx_counters_open(&set, &target, &err), -EINVAL);
	assert_non_null(strstr(err.text, "cpu-clock"));
	assert_in_range(kernel.calls, 2, 10);
	pfx_counters_fini(&set);
	pfx_vec_free(&target.threads);
}

#define GONE_CPU 60000 /* a CPU number that no machine has */

static int cpu_gone(const struct pfx_attr *attr, pid_t tid, int cpu)
{
	(void)attr, (void)tid;
	return cpu == GONE_CPU ? -ENODEV : 0;
}

/* A CPU that went offline since the list was made is skipped and counted. */
static void a_cpu_that_is_gone_is_counted(void **state)
{
	struct pfx_target target = one_thread();
	int cpus[] = {0, GONE_CPU};
	struct pfx_counters set;
	struct pfx_error err = {0};

	(void)state;
	target.cpus = (struct pfx_list){cpus, 2};
	kernel_is(&set, cpu_gone);
	setup_default(&set, &clock_attr, false);
	assert_int_equal(pfx_counters_open(&set, &target, &err), 0);
	assert_int_equal(set.nr_offline, 1);
	assert_int_equal(set.list.at[0].fds.nr, 1);
	pfx_counters_fini(&set);
	pfx_vec_free(&target.threads);
}

static int half_vanished(const struct pfx_attr *attr, pid_t tid, int cpu)
{
	(void)attr, (void)cpu;
	return tid == 42 ? 0 : -ESRCH;
}

static void vanished_threads_are_counted(void **state)
{
	struct pfx_target target = one_thread();
	struct pfx_counters set;
	struct pfx_error err = {0};

	(void)state;
	target.is_attached = true;
	pfx_target_add(&target, 42, 43, "demo");
	pfx_target_add(&target, 42, 44, "demo");
	kernel_is(&set, half_vanished);
	setup_default(&set, &clock_attr, false);
	assert_int_equal(pfx_counters_open(&set, &target, &err), 0);
	assert_int_equal(set.nr_vanished, 2);
	assert_int_equal(set.list.at[0].fds.nr, 2);
	pfx_counters_fini(&set);

	target.threads.at[0].tid = 45;
	kernel_is(&set, half_vanished);
	setup_default(&set, &clock_attr, false);
	assert_int_equal(pfx_counters_open(&set, &target, &err), -ESRCH);
	assert_non_null(strstr(err.text, "45"));
	pfx_counters_fini(&set);
	pfx_vec_free(&target.threads);
}

/* Members of a group are opened with the leader's descriptor of the same CPU. */
static void groups_follow_their_leader(void **state)
{
	struct pfx_sampling sampling = {.freq = 4000, .enable_on_exec = true};
	struct pfx_target target = one_thread();
	struct pfx_counters set;
	struct pfx_error err = {0};

	(void)state;
	kernel_is(&set, yes);
	pfx_counters_add(&set, &clock_attr, NULL)->group = 1;
	pfx_counters_add(&set, &faults, NULL)->group = 1;
	pfx_counters_setup(&set, &sampling);
	assert_int_equal(set.list.at[1].leader, 0);
	assert_int_equal(set.list.at[1].attr.flags & START_FLAGS, 0);
	assert_int_equal(set.list.at[0].attr.flags & START_FLAGS, START_FLAGS);
	assert_int_equal(pfx_counters_open(&set, &target, &err), 0);
	assert_int_equal(kernel.last_group, set.list.at[0].fds.at[1].fd);
	pfx_counters_fini(&set);
	pfx_vec_free(&target.threads);
}

/* The leader's samples contain the counts of all; the members are not sampled. */
static void leaders_that_read_their_group(void **state)
{
	struct pfx_sampling sampling = {.freq = 4000, .enable_on_exec = true};
	const struct pfx_attr *leader, *member;
	struct pfx_counters set;
	struct pfx_counter *counter;

	(void)state;
	kernel_is(&set, yes);
	counter = pfx_counters_add(&set, &clock_attr, NULL);
	counter->group = 1;
	counter->reads_group = true;
	counter = pfx_counters_add(&set, &faults, NULL);
	counter->group = 1;
	counter->reads_group = true;
	pfx_counters_add(&set, &faults, NULL);
	pfx_counters_setup(&set, &sampling);
	leader = &set.list.at[0].attr;
	member = &set.list.at[1].attr;
	assert_true(leader->sample_type & PFX_SAMPLE_READ);
	assert_int_equal(member->sample_type, leader->sample_type);
	assert_true(leader->read_format & member->read_format & PFX_FORMAT_GROUP);
	assert_int_equal((leader->flags | member->flags) & PFX_ATTR_INHERIT, 0);
	assert_int_equal(leader->sample_period, 4000);
	assert_int_equal(member->sample_period, 0);
	assert_int_equal(member->flags & PFX_ATTR_FREQ, 0);
	/* an event outside of the group is unchanged */
	assert_int_equal(set.list.at[2].attr.sample_type & PFX_SAMPLE_READ, 0);
	assert_true(set.list.at[2].attr.flags & PFX_ATTR_INHERIT);
	pfx_counters_fini(&set);
}

/* Refuse page faults in a group. */
static int no_faults_in_groups(const struct pfx_attr *attr, pid_t tid, int cpu)
{
	(void)tid, (void)cpu;
	return attr->config == PFX_SW_PAGE_FAULTS && kernel.last_group >= 0 ? -EINVAL : 0;
}

static int open_group(struct pfx_counters *set, bool is_weak)
{
	struct pfx_sampling sampling = {.freq = 4000, .enable_on_exec = true};
	struct pfx_target target = one_thread();
	struct pfx_error err = {0};
	int rc;
	size_t i;

	kernel_is(set, no_faults_in_groups);
	pfx_counters_add(set, &clock_attr, NULL);
	pfx_counters_add(set, &faults, NULL);
	for (i = 0; i < 2; i++) {
		set->list.at[i].group = 1;
		set->list.at[i].is_weak = is_weak;
	}
	pfx_counters_setup(set, &sampling);
	rc = pfx_counters_open(set, &target, &err);
	pfx_vec_free(&target.threads);
	return rc;
}

static void weak_groups_are_broken_up(void **state)
{
	struct pfx_counters set;

	(void)state;
	assert_int_equal(open_group(&set, true), 0);
	assert_int_equal(set.list.at[1].leader, 1);
	assert_int_equal(set.list.at[1].attr.flags & START_FLAGS, START_FLAGS);
	assert_int_equal(set.gaps, 0);
	pfx_counters_fini(&set);
	assert_true(open_group(&set, false) < 0);
	pfx_counters_fini(&set);
}

/* Events of a PMU that counts on some CPUs only are opened on these. */
static void pmus_of_some_cpus(void **state)
{
	struct pfx_sampling sampling = {.freq = 4000, .enable_on_exec = true};
	struct pfx_target target = one_thread();
	struct pfx_counters set;
	struct pfx_error err = {0};

	(void)state;
	kernel_is(&set, yes);
	pfx_counters_add(&set, &clock_attr, NULL);
	assert_true(pfx_list_parse("1-3", &pfx_counters_add(&set, &faults, NULL)->cpus));
	pfx_counters_setup(&set, &sampling);
	assert_int_equal(pfx_counters_open(&set, &target, &err), 0);
	assert_int_equal(set.list.at[0].fds.nr, 2);
	assert_int_equal(set.list.at[1].fds.nr, 1);
	assert_int_equal(set.list.at[1].fds.at[0].cpu, 1);
	pfx_counters_fini(&set);
	pfx_vec_free(&target.threads);
}

/* "cpu=" of a counting event: a counter for each of these CPUs, also of a thread. */
static void cpus_asked_for(void **state)
{
	static int any[] = {-1};
	struct pfx_target target = one_thread();
	struct pfx_sampling sampling = {.enable_on_exec = true};
	struct pfx_counters set;
	struct pfx_error err = {0};

	(void)state;
	target.cpus = (struct pfx_list){any, 1};
	target.per_thread = true;
	kernel_is(&set, yes);
	set.counts_only = true;
	assert_true(pfx_list_parse("0,2", &pfx_counters_add(&set, &faults, NULL)->cpus));
	set.list.at[0].only_on_cpus = true;
	pfx_counters_setup(&set, &sampling);
	assert_int_equal(pfx_counters_open(&set, &target, &err), 0);
	assert_int_equal(set.list.at[0].fds.nr, 2);
	assert_int_equal(set.list.at[0].fds.at[0].cpu, 0);
	assert_int_equal(set.list.at[0].fds.at[1].cpu, 2);
	pfx_counters_fini(&set);
	pfx_vec_free(&target.threads);
}

/* An event on other CPUs only is not reported as an ended process. */
static void cpus_elsewhere(void **state)
{
	struct pfx_sampling sampling = {.freq = 4000, .enable_on_exec = true};
	struct pfx_target target = one_thread();
	struct pfx_counters set;
	struct pfx_error err = {0};

	(void)state;
	kernel_is(&set, yes);
	assert_true(pfx_list_parse("99", &pfx_counters_add(&set, &faults, "faults")->cpus));
	pfx_counters_setup(&set, &sampling);
	assert_int_equal(pfx_counters_open(&set, &target, &err), -ENODEV);
	assert_string_equal(err.text,
			    "event 'faults' counts on none of the CPUs that are recorded");
	assert_string_equal(err.hint, "it counts on '99'");
	pfx_counters_fini(&set);
	pfx_vec_free(&target.threads);
}

static int takes_cgroup(const struct pfx_attr *attr, pid_t tid, int cpu)
{
	(void)attr, (void)cpu;
	return tid == 99 && kernel.last_flags == (1 << 2 | 1 << 3) ? 0 : -EINVAL;
}

static void a_cgroup_in_place_of_a_task(void **state)
{
	struct pfx_sampling sampling = {.freq = 99, .system_wide = true};
	int cpus[] = {0, 1};
	struct pfx_target target = {.system_wide = true, .cpus = {cpus, 2}};
	struct pfx_counters set;
	struct pfx_error err = {0};

	(void)state;
	kernel_is(&set, takes_cgroup);
	pfx_counters_add(&set, &clock_attr, NULL);
	pfx_counters_setup(&set, &sampling);
	set.list.at[0].cgroup_fd = 99;
	set.list.at[1].cgroup_fd = 99;
	assert_int_equal(pfx_counters_open(&set, &target, &err), 0);
	assert_int_equal(set.list.at[0].fds.nr, 2);
	assert_int_equal(set.list.at[0].fds.at[0].tid, -1);
	set.list.at[0].cgroup_fd = set.list.at[1].cgroup_fd = -1;
	pfx_counters_fini(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attrs_by_options),
		cmocka_unit_test(one_counter_per_thread_and_cpu),
		cmocka_unit_test(precision_is_lowered),
		cmocka_unit_test(clock_in_place_of_cycles),
		cmocka_unit_test(clock_in_place_of_cycles_is_slow),
		cmocka_unit_test(what_a_kernel_lacks_is_left_out),
		cmocka_unit_test(the_option_is_named),
		cmocka_unit_test(substitutes),
		cmocka_unit_test(refused_for_good),
		cmocka_unit_test(vanished_threads_are_counted),
		cmocka_unit_test(a_cpu_that_is_gone_is_counted),
		cmocka_unit_test(groups_follow_their_leader),
		cmocka_unit_test(leaders_that_read_their_group),
		cmocka_unit_test(weak_groups_are_broken_up),
		cmocka_unit_test(pmus_of_some_cpus),
		cmocka_unit_test(cpus_asked_for),
		cmocka_unit_test(cpus_elsewhere),
		cmocka_unit_test(a_cgroup_in_place_of_a_task),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
