/* SPDX-License-Identifier: MIT */
/* Attrs made from options, and the ladder of openings against a kernel that the test plays. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "arch/reg_names.h"
#include "sys/cgroup.h"
#include "sys/counter.h"
#include "sys/perm.h"
#include "sys/ring.h"

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
	uint64_t last_type, last_flags;       /* of the last, where there is more than one */
};

static const struct row rows[] = {
	{"a command",
	 {.freq = 4000, .enable_on_exec = true},
	 &clock_attr,
	 NULL,
	 BASE_TYPE | PFX_SAMPLE_PERIOD,
	 BASE_FLAGS | TRACK_FLAGS | START_FLAGS | PFX_ATTR_FREQ,
	 4000,
	 0,
	 0,
	 0},
	{"a count",
	 {.period = 1000, .rate_given = true, .enable_on_exec = true},
	 &clock_attr,
	 NULL,
	 BASE_TYPE,
	 BASE_FLAGS | TRACK_FLAGS | START_FLAGS,
	 1000,
	 0,
	 0,
	 0},
	{"chains",
	 {.freq = 99,
	  .rate_given = true,
	  .enable_on_exec = true,
	  .callgraph.mode = PFX_CALLGRAPH_FP},
	 &clock_attr,
	 NULL,
	 BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_CALLCHAIN,
	 BASE_FLAGS | TRACK_FLAGS | START_FLAGS | PFX_ATTR_FREQ,
	 99,
	 0,
	 0,
	 0},
	{"the whole system",
	 {.freq = 4000, .system_wide = true},
	 &clock_attr,
	 NULL,
	 BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_CPU | PFX_SAMPLE_IDENTIFIER,
	 BASE_FLAGS | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 4000,
	 0,
	 BASE_TYPE | PFX_SAMPLE_CPU | PFX_SAMPLE_IDENTIFIER,
	 BASE_FLAGS | TRACK_FLAGS},
	{"the whole system by count",
	 {.period = 50, .rate_given = true, .system_wide = true},
	 &clock_attr,
	 NULL,
	 BASE_TYPE | PFX_SAMPLE_CPU | PFX_SAMPLE_ID,
	 BASE_FLAGS | PFX_ATTR_DISABLED,
	 50,
	 0,
	 BASE_TYPE | PFX_SAMPLE_CPU | PFX_SAMPLE_ID,
	 BASE_FLAGS | TRACK_FLAGS},
	{"a running process",
	 {.freq = 4000},
	 &clock_attr,
	 NULL,
	 BASE_TYPE | PFX_SAMPLE_PERIOD,
	 BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 4000,
	 0,
	 0,
	 0},
	{"no inheritance, no time",
	 {.freq = 4000, .no_inherit = true, .no_time = true},
	 &clock_attr,
	 NULL,
	 PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_PERIOD,
	 PFX_ATTR_SAMPLE_ID_ALL | TRACK_FLAGS | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 4000,
	 0,
	 0,
	 0},
	{"two of one shape",
	 {.freq = 4000},
	 &clock_attr,
	 &faults,
	 BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_ID,
	 BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 4000,
	 0,
	 BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_ID,
	 BASE_FLAGS | PFX_ATTR_DISABLED | PFX_ATTR_FREQ},
	{"two of two shapes",
	 {.freq = 4000},
	 &clock_attr,
	 &point,
	 BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_IDENTIFIER,
	 BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 4000,
	 0,
	 BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_CPU | PFX_SAMPLE_RAW | PFX_SAMPLE_IDENTIFIER,
	 BASE_FLAGS | PFX_ATTR_DISABLED},
	{"a tracepoint",
	 {.freq = 4000},
	 &point,
	 NULL,
	 BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_CPU | PFX_SAMPLE_RAW,
	 BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_DISABLED,
	 1,
	 0,
	 0,
	 0},
	{"a tracepoint by frequency",
	 {.freq = 99, .rate_given = true},
	 &point,
	 NULL,
	 BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_CPU | PFX_SAMPLE_RAW,
	 BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 99,
	 0,
	 0,
	 0},
	{"data",
	 {.freq = 4000,
	  .fields = PFX_SAMPLE_ADDR | PFX_SAMPLE_DATA_SRC,
	  .tracking = PFX_ATTR_MMAP_DATA},
	 &clock_attr,
	 NULL,
	 BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_ADDR | PFX_SAMPLE_DATA_SRC,
	 BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_MMAP_DATA | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 4000,
	 0,
	 0,
	 0},
	{"stack dumps",
	 {.freq = 4000,
	  .callgraph = {.mode = PFX_CALLGRAPH_DWARF, .stack_bytes = 8192},
	  .stack_regs = 0xff},
	 &clock_attr,
	 NULL,
	 BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_CALLCHAIN | PFX_SAMPLE_REGS_USER |
		 PFX_SAMPLE_STACK_USER | PFX_SAMPLE_ADDR | PFX_SAMPLE_DATA_SRC,
	 BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_MMAP_DATA | PFX_ATTR_EXCLUDE_CALLCHAIN_USER |
		 PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 4000,
	 0,
	 0,
	 0},
	{"raw and counts per thread",
	 {.freq = 4000, .fields = PFX_SAMPLE_RAW | PFX_SAMPLE_TIME | PFX_SAMPLE_CPU, .stat = true},
	 &faults,
	 NULL,
	 BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_CPU | PFX_SAMPLE_RAW,
	 BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_INHERIT_STAT | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 4000,
	 PFX_FORMAT_ID | PFX_FORMAT_LOST | PFX_FORMAT_ENABLED | PFX_FORMAT_RUNNING,
	 0,
	 0},
	{"a stream of one event",
	 {.freq = 4000, .is_pipe = true},
	 &clock_attr,
	 NULL,
	 BASE_TYPE | PFX_SAMPLE_PERIOD | PFX_SAMPLE_ID,
	 BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 4000,
	 0,
	 0,
	 0},
	{"user space of all",
	 {.freq = 4000, .all_user = true},
	 &clock_attr,
	 NULL,
	 BASE_TYPE | PFX_SAMPLE_PERIOD,
	 BASE_FLAGS | TRACK_FLAGS | PFX_ATTR_EXCLUDE_KERNEL | PFX_ATTR_DISABLED | PFX_ATTR_FREQ,
	 4000,
	 0,
	 0,
	 0},
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

	/* Precision that the user asked for is not taken away. */
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

static void what_a_kernel_lacks_is_left_out(void **state)
{
	struct pfx_target target = one_thread();
	struct pfx_counters set;
	struct pfx_error err = {0};

	(void)state;
	kernel_is(&set, old_kernel);
	setup_default(&set, &clock_attr, false);
	assert_int_equal(pfx_counters_open(&set, &target, &err), 0);
	assert_int_equal(set.gaps, 1 << 1 | 1 << 3 | 1 << 4);
	assert_string_equal(pfx_counter_gaps()[1], "lost counts");
	assert_int_equal(set.list.at[0].attr.read_format, PFX_FORMAT_ID);
	assert_true(set.list.at[0].attr.flags & PFX_ATTR_MMAP2);
	assert_false(set.list.at[0].attr.flags & PFX_ATTR_KSYMBOL);
	assert_int_equal(set.list.at[0].fds.nr, 2);
	pfx_counters_fini(&set);
	pfx_vec_free(&target.threads);
}

/* What an option asked for is not left out in silence: the sentence names the option. */
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

/* The leader's samples carry the counts of all; the members make none. */
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
	/* an event beside the group is as ever */
	assert_int_equal(set.list.at[2].attr.sample_type & PFX_SAMPLE_READ, 0);
	assert_true(set.list.at[2].attr.flags & PFX_ATTR_INHERIT);
	pfx_counters_fini(&set);
}

/* No room for page faults in a group. */
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

/* Events of a PMU that counts on some CPUs only are opened there. */
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

/* --- permissions and targets from a directory in place of /proc and /sys --- */

static char root[] = "/tmp/pfx-counter-XXXXXX";

static void put(const char *path, const char *text)
{
	char full[512], *slash;
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int make_root(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	put("sys/devices/system/cpu/online", "0-3,6\n");
	put("proc/sys/kernel/perf_event_paranoid", "3\n");
	put("proc/sys/kernel/perf_event_mlock_kb", "516\n");
	put("proc/sys/kernel/perf_event_max_sample_rate", "50000\n");
	put("proc/self/status", "Name:\tx\nCapEff:\t0000004000000000\nSeccomp:\t2\n");
	put("proc/77/task/77/comm", "main\n");
	put("proc/77/task/78/comm", "worker\n");
	put("proc/77/comm", "main\n");
	put("proc/78/comm", "worker\n");
	put("proc/78/status", "Name:\tworker\nTgid:\t77\n");
	put("sys/fs/old/web/x", "");
	put("sys/fs/new/app/x", "");
	put("proc/mounts", "none /proc proc rw 0 0\n");
	return 0;
}

static int drop_root(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command) ? -1 : 0;
}

static void permissions(void **state)
{
	struct pfx_perm perm;

	(void)state;
	pfx_perm_read(&perm, root);
	assert_int_equal(perm.paranoid, 3);
	assert_int_equal(perm.max_rate, 50000);
	assert_true(perm.may_profile);
	assert_false(perm.may_lock);
	assert_true(perm.has_seccomp);
	assert_true(pfx_perm_kernel(&perm));
	perm.may_profile = false;
	assert_false(pfx_perm_kernel(&perm));
}

static void ring_sizes(void **state)
{
	struct pfx_perm perm = {.mlock_kb = 516, .mem_bytes = 64ull << 30};

	(void)state;
	assert_int_equal(pfx_perm_ring_bytes(&perm, 1), 512 << 10);
	assert_int_equal(pfx_perm_ring_bytes(&perm, 64), 512 << 10);
	perm.memlock = 8 << 20;
	assert_int_equal(pfx_perm_ring_bytes(&perm, 2), 4 << 20);
	assert_int_equal(pfx_perm_ring_bytes(&perm, 64), 512 << 10);
	perm.may_lock = true;
	assert_int_equal(pfx_perm_ring_bytes(&perm, 2), 8 << 20);
	assert_int_equal(pfx_perm_ring_bytes(&perm, 0), 8 << 20);
	/* Half a terabyte of CPUs does not take more than a sixteenth of the memory. */
	assert_int_equal(pfx_perm_ring_bytes(&perm, 1024), 4 << 20);
	perm.mem_bytes = 128 << 20;
	assert_int_equal(pfx_perm_ring_bytes(&perm, 2), 4 << 20);
}

static void cpus_of_a_list(void **state)
{
	struct pfx_target target = {0};
	struct pfx_error err = {0};

	(void)state;
	assert_int_equal(pfx_target_cpus(&target, NULL, root, &err), 0);
	assert_int_equal(target.cpus.nr, 5);
	assert_false(target.cpus_given);
	assert_int_equal(pfx_target_cpus(&target, "6,1-2", root, &err), 0);
	assert_int_equal(target.cpus.nr, 3);
	assert_int_equal(target.cpus.at[2], 6);
	assert_int_equal(pfx_target_cpus(&target, "2,5", root, &err), -ENODEV);
	assert_string_equal(err.text, "CPU 5 is not online");
	assert_non_null(strstr(err.hint, "0-3,6"));
	assert_int_equal(pfx_target_cpus(&target, "x", root, &err), -EINVAL);
	pfx_target_fini(&target);
}

static void threads_of_a_process(void **state)
{
	struct pfx_target target = {0};
	struct pfx_error err = {0};

	(void)state;
	assert_int_equal(pfx_target_pids(&target, "77,77", root, &err), 0);
	assert_int_equal(target.threads.nr, 2);
	assert_true(target.is_attached);
	assert_int_equal(target.threads.at[0].pid, 77);
	assert_int_equal(pfx_target_pids(&target, "79", root, &err), -ESRCH);
	assert_string_equal(err.text, "there is no process 79");
	pfx_target_fini(&target);
	assert_int_equal(pfx_target_tids(&target, "78", root, &err), 0);
	assert_int_equal(target.threads.nr, 1);
	assert_int_equal(target.threads.at[0].pid, 77);
	assert_string_equal(target.threads.at[0].comm, "worker");
	assert_int_equal(pfx_target_tids(&target, "80", root, &err), -ESRCH);
	pfx_target_fini(&target);
}

static void threads_of_a_user(void **state)
{
	struct pfx_target target = {0};
	struct pfx_error err = {0};
	char word[32];

	(void)state;
	snprintf(word, sizeof(word), "%u", (unsigned)getuid());
	assert_int_equal(pfx_target_user(&target, word, root, &err), 0);
	assert_true(target.is_attached);
	assert_int_equal(target.threads.nr, 2);
	assert_int_equal(target.threads.at[0].pid, 77);
	pfx_target_fini(&target);
	assert_int_equal(pfx_target_user(&target, "4000000000", root, &err), -ESRCH);
	assert_string_equal(err.text, "user '4000000000' has no processes");
	assert_int_equal(pfx_target_user(&target, "no such user", root, &err), -EINVAL);
	assert_string_equal(err.text, "there is no user 'no such user'");
	pfx_target_fini(&target);
}

static void one_ring_per_thread(void **state)
{
	struct pfx_counter_fd first = {.cpu = -1, .tid = 77}, second = {.cpu = -1, .tid = 78};
	struct pfx_ring ring = {.cpu = -1, .tid = 77};
	struct pfx_target target = {0};
	struct pfx_error err = {0};

	(void)state;
	assert_int_equal(pfx_target_cpus(&target, NULL, root, &err), 0);
	assert_int_equal(pfx_target_pids(&target, "77", root, &err), 0);
	assert_int_equal(pfx_target_rings(&target), 5);
	pfx_target_per_thread(&target);
	assert_int_equal(target.cpus.nr, 1);
	assert_int_equal(target.cpus.at[0], -1);
	assert_int_equal(pfx_target_rings(&target), 2);
	assert_true(pfx_ring_takes(&ring, &first));
	assert_false(pfx_ring_takes(&ring, &second));
	ring.cpu = second.cpu = 3;
	assert_true(pfx_ring_takes(&ring, &second));
	assert_false(pfx_ring_takes(&ring, &first));
	pfx_target_fini(&target);
}

/* Where cgroups are is said by the mounts; their own hierarchy wins over the common one. */
static void directories_of_cgroups(void **state)
{
	char text[1024];
	struct pfx_error err = {0};
	char *mount;
	int fd;

	(void)state;
	assert_null(pfx_cgroup_mount(root));
	assert_int_equal(pfx_cgroup_open("web", root, &fd, &err), -ENOENT);
	assert_non_null(strstr(err.text, "no hierarchy"));
	snprintf(text, sizeof(text),
		 "c %s/sys/fs/new cgroup2 rw 0 0\nc /nowhere cgroup rw,cpu 0 0\n", root);
	put("proc/mounts", text);
	assert_int_equal(pfx_cgroup_open("/app", root, &fd, &err), 0);
	close(fd);
	assert_int_equal(pfx_cgroup_open("web", root, &fd, &err), -ENOENT);
	assert_non_null(strstr(err.text, "'web'"));
	assert_non_null(strstr(err.hint, "/sys/fs/new"));
	snprintf(text, sizeof(text),
		 "c %s/sys/fs/new cgroup2 rw 0 0\nc %s/sys/fs/old cgroup rw,cpu,perf_event 0 0\n",
		 root, root);
	put("proc/mounts", text);
	mount = pfx_cgroup_mount(root);
	assert_non_null(strstr(mount, "/sys/fs/old"));
	free(mount);
	assert_int_equal(pfx_cgroup_open("web", root, &fd, &err), 0);
	close(fd);
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
	set.list.at[0].cgroup_fd = set.list.at[1].cgroup_fd = 0;
	pfx_counters_fini(&set);
}

static void names_of_registers(void **state)
{
	(void)state;
	assert_string_equal(pfx_arch_reg_name("x86_64", 0), "AX");
	assert_string_equal(pfx_arch_reg_name("x86_64", 8), "IP");
	assert_string_equal(pfx_arch_reg_name("x86_64", 23), "R15");
	assert_string_equal(pfx_arch_reg_name("x86_64", 32), "XMM0");
	assert_string_equal(pfx_arch_reg_name("x86_64", 63), "XMM15");
	assert_null(pfx_arch_reg_name("x86_64", 24));
	assert_null(pfx_arch_reg_name("i686", 16));
	assert_string_equal(pfx_arch_reg_name("aarch64", 31), "sp");
	assert_string_equal(pfx_arch_reg_name("aarch64", 46), "vg");
	assert_string_equal(pfx_arch_reg_name("armv7l", 13), "sp");
	assert_string_equal(pfx_arch_reg_name("s390x", 33), "PC");
	assert_string_equal(pfx_arch_reg_name("riscv64", 2), "sp");
	assert_string_equal(pfx_arch_reg_name("ppc64le", 32), "nip");
	assert_null(pfx_arch_reg_name("vax", 0));
}

static void bad_ids(void **state)
{
	static const char *const words[] = {"",  "x",  "77,,77",      "12x",
					    "0", "-1", "99999999999", "77,x"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct pfx_target target = {0};
		struct pfx_error err = {0};

		assert_int_equal(pfx_target_pids(&target, words[i], root, &err), -EINVAL);
		assert_non_null(strstr(err.text, "no list of process ids"));
		pfx_target_fini(&target);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attrs_by_options),
		cmocka_unit_test(one_counter_per_thread_and_cpu),
		cmocka_unit_test(precision_is_lowered),
		cmocka_unit_test(clock_in_place_of_cycles),
		cmocka_unit_test(what_a_kernel_lacks_is_left_out),
		cmocka_unit_test(the_option_is_named),
		cmocka_unit_test(substitutes),
		cmocka_unit_test(refused_for_good),
		cmocka_unit_test(vanished_threads_are_counted),
		cmocka_unit_test(groups_follow_their_leader),
		cmocka_unit_test(leaders_that_read_their_group),
		cmocka_unit_test(weak_groups_are_broken_up),
		cmocka_unit_test(pmus_of_some_cpus),
		cmocka_unit_test(permissions),
		cmocka_unit_test(ring_sizes),
		cmocka_unit_test(cpus_of_a_list),
		cmocka_unit_test(threads_of_a_process),
		cmocka_unit_test(threads_of_a_user),
		cmocka_unit_test(one_ring_per_thread),
		cmocka_unit_test(directories_of_cgroups),
		cmocka_unit_test(a_cgroup_in_place_of_a_task),
		cmocka_unit_test(names_of_registers),
		cmocka_unit_test(bad_ids),
	};

	return cmocka_run_group_tests(tests, make_root, drop_root);
}
