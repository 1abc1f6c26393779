/* SPDX-License-Identifier: MIT */
/* Options of `pfx record` that need more than a row of the table. */
#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "cmd/app/commands.h"
#include "cmd/app/sampling/record_options.h"

static void frequencies(void **state)
{
	static const char *const bad[] = {"", "0", "-1", "fast", "99x", "maximum"};
	struct pfx_record_options o = {0};
	struct pfx_error err = {0};
	size_t i;

	(void)state;
	assert_int_equal(pfx_record_opt_freq(&o, "99", false, &err), 0);
	assert_int_equal(o.rec.freq, 99);
	assert_false(o.freq_max);
	assert_int_equal(pfx_record_opt_freq(&o, "max", false, &err), 0);
	assert_true(o.freq_max);
	assert_true(o.rec.freq > 0);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(pfx_record_opt_freq(&o, bad[i], false, &err), -EINVAL);
		assert_non_null(strstr(err.text, "is not a number of samples per second"));
	}
}

static void ring_sizes(void **state)
{
	static const char *const bad[] = {"",   "0",   "0K", "x",           "4M,x", ",",
					  ",0", "4M,", "3G", "99999999999", "4M,3G"};
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const struct {
		const char *word;
		uint64_t bytes, aux;
	} good[] = {
		{"1", page, 0},          {"128", 128 * page, 0},
		{"100", 128 * page, 0},  {"1B", page, 0},
		{"512K", 524288, 0},     {"3M", 4194304, 0},
		{"1G", 1073741824, 0},   {"512K,64", 524288, 64 * page},
		{"1,3M", page, 4194304}, {",16", 0, 16 * page},
	};
	struct pfx_record_options o;
	struct pfx_error err = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		o = (struct pfx_record_options){0};
		assert_int_equal(pfx_record_opt_ring(&o, good[i].word, false, &err), 0);
		assert_int_equal(o.rec.ring_bytes, good[i].bytes);
		assert_int_equal(o.rec.trace.bytes, good[i].aux);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(pfx_record_opt_ring(&o, bad[i], false, &err), -EINVAL);
		assert_non_null(strstr(err.text, "is not a valid ring buffer size"));
	}
}

static void call_graphs(void **state)
{
	const struct {
		const char *word;
		int rc;
		struct pfx_stack_options graph;
	} rows[] = {
		{NULL, 0, {.mode = PFX_CALLGRAPH_FP}},
		{"fp", 0, {.mode = PFX_CALLGRAPH_FP}},
		{"fp,10", 0, {.mode = PFX_CALLGRAPH_FP, .max_frames = 10}},
		{"fp,0", 0, {.mode = PFX_CALLGRAPH_FP}},
		{"fp,99999", 0, {.mode = PFX_CALLGRAPH_FP}},
		{"fp,defer", 0, {.mode = PFX_CALLGRAPH_FP, .defer = true}},
		{"no", 0, {0}},
		{"lbr", 0, {.mode = PFX_CALLGRAPH_LBR}},
		{"dwarf", 0, {PFX_CALLGRAPH_DWARF, 8192, 0, false}},
		{"dwarf,16384", 0, {PFX_CALLGRAPH_DWARF, 16384, 0, false}},
		{"dwarf,1001", 0, {PFX_CALLGRAPH_DWARF, 1008, 0, false}},
		{"dwarf,65528", 0, {PFX_CALLGRAPH_DWARF, 65528, 0, false}},
		{"dwarf,65529", -EINVAL, {0}},
		{"dwarf,", 0, {PFX_CALLGRAPH_DWARF, 8192, 0, false}},
		{"fp,many", -EINVAL, {0}},
		{"lbr,3", -EINVAL, {0}},
		{"no,3", -EINVAL, {0}},
		{"best", -EINVAL, {0}},
		{"", -EINVAL, {0}},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pfx_record_options o = {0};
		struct pfx_error err = {0};

		assert_int_equal(pfx_record_opt_callgraph(&o, rows[i].word, false, &err),
				 rows[i].rc);
		assert_int_equal(o.rec.callgraph.mode, rows[i].graph.mode);
		assert_int_equal(o.rec.callgraph.stack_bytes, rows[i].graph.stack_bytes);
		assert_int_equal(o.rec.callgraph.max_frames, rows[i].graph.max_frames);
		assert_int_equal(o.rec.callgraph.defer, rows[i].graph.defer);
		assert_int_equal(err.code != 0, rows[i].rc != 0);
	}
}

static void last_call_graph_wins(void **state)
{
	struct pfx_record_options o = {0};

	(void)state;
	assert_int_equal(pfx_record_opt_callgraph(&o, "dwarf", false, NULL), 0);
	assert_int_equal(pfx_record_opt_callgraph(&o, "fp", false, NULL), 0);
	assert_int_equal(o.rec.callgraph.mode, PFX_CALLGRAPH_FP);
	assert_int_equal(o.rec.callgraph.stack_bytes, 0);
	assert_int_equal(pfx_record_opt_callgraph(&o, NULL, true, NULL), 0);
	assert_int_equal(o.rec.callgraph.mode, PFX_CALLGRAPH_NONE);
}

/* A plain -g is NULL, at any position. */
static void plain_call_graph_keeps_mode(void **state)
{
	static const struct {
		const char *first, *second;
		struct pfx_stack_options graph;
	} rows[] = {
		{"dwarf,16384", NULL, {PFX_CALLGRAPH_DWARF, 16384, 0, false}},
		{NULL, "dwarf,16384", {PFX_CALLGRAPH_DWARF, 16384, 0, false}},
		{"lbr", NULL, {.mode = PFX_CALLGRAPH_LBR}},
		{NULL, "lbr", {.mode = PFX_CALLGRAPH_LBR}},
		{"fp,10", NULL, {.mode = PFX_CALLGRAPH_FP, .max_frames = 10}},
		{"fp,defer", NULL, {.mode = PFX_CALLGRAPH_FP, .defer = true}},
		{"fp,10", "dwarf", {PFX_CALLGRAPH_DWARF, 8192, 10, false}},
		{"fp,10", "fp,20", {.mode = PFX_CALLGRAPH_FP, .max_frames = 20}},
		{"fp,10", "fp,99999", {.mode = PFX_CALLGRAPH_FP}},
		{"dwarf,16384", "dwarf", {PFX_CALLGRAPH_DWARF, 8192, 0, false}},
		{"no", NULL, {.mode = PFX_CALLGRAPH_FP}},
		{NULL, "no", {0}},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pfx_record_options o = {0};

		assert_int_equal(pfx_record_opt_callgraph(&o, rows[i].first, false, NULL), 0);
		assert_int_equal(pfx_record_opt_callgraph(&o, rows[i].second, false, NULL), 0);
		assert_int_equal(o.rec.callgraph.mode, rows[i].graph.mode);
		assert_int_equal(o.rec.callgraph.stack_bytes, rows[i].graph.stack_bytes);
		assert_int_equal(o.rec.callgraph.max_frames, rows[i].graph.max_frames);
		assert_int_equal(o.rec.callgraph.defer, rows[i].graph.defer);
	}
}

/* A second value that would override the first is refused; the same value again is accepted. */
static void given_twice(void **state)
{
	static const struct {
		pfx_option_fn take;
		const char *option, *first, *second;
	} rows[] = {
		{pfx_record_opt_branch_filter, "'-j'", "any_call", "any_ret"},
		{pfx_record_opt_clockid, "'-k'", "mono", "raw"},
		{pfx_record_opt_delay, "'-D'", "10", "20"},
		{pfx_record_opt_user_regs, "'--user-regs'", "?", NULL},
		{pfx_record_opt_intr_regs, "'-I'", NULL, "?"},
	};
	struct pfx_error err = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pfx_record_options o = {0};

		assert_int_equal(rows[i].take(&o, rows[i].first, false, &err), 0);
		assert_int_equal(rows[i].take(&o, rows[i].first, false, &err), 0);
		assert_int_equal(rows[i].take(&o, rows[i].second, false, &err), -EINVAL);
		assert_non_null(strstr(err.text, rows[i].option));
		assert_non_null(strstr(err.text, "given twice, with different values"));
		assert_int_equal(rows[i].take(&o, NULL, true, &err), 0);
		assert_int_equal(rows[i].take(&o, rows[i].second, false, &err), 0);
		pfx_vec_free(&o.rec.out.ranges);
	}
}

static void branches(void **state)
{
	struct pfx_record_options o = {0};
	struct pfx_error err = {0};

	(void)state;
	assert_int_equal(pfx_record_opt_branch_filter(&o, "any_call,any_ret,u", false, &err), 0);
	assert_int_equal(o.rec.branch_type,
			 PFX_BRANCH_ANY_CALL | PFX_BRANCH_ANY_RETURN | PFX_BRANCH_USER);
	o.said.branches = NULL;
	assert_int_equal(pfx_record_opt_branch_filter(&o, "k", false, &err), 0);
	assert_int_equal(o.rec.branch_type, PFX_BRANCH_KERNEL | PFX_BRANCH_ANY);
	o.said.branches = NULL;
	assert_int_equal(pfx_record_opt_branch_filter(&o, "any,sideways", false, &err), -EINVAL);
	assert_non_null(strstr(err.text, "'sideways'"));
	o.said.branches = NULL;
	assert_int_equal(pfx_record_opt_branch_filter(&o, "", false, &err), -EINVAL);
	o.said.branches = NULL;
	assert_int_equal(pfx_record_opt_branch_filter(&o, NULL, false, &err), 0);
	assert_int_equal(o.rec.branch_type, PFX_BRANCH_ANY);
	assert_int_equal(pfx_record_opt_branch_any(&o, NULL, false, &err), -EINVAL);
	assert_non_null(strstr(err.text, "exclude each other"));
	assert_int_equal(pfx_record_opt_branch_any(&o, NULL, true, &err), 0);
	assert_int_equal(o.rec.branch_type, 0);
}

/* Every word of -j has its own bit. */
static void words_of_branches(void **state)
{
	const char *at = pfx_branch_filter_words();
	uint64_t seen = 0, bits;
	const char *bad;
	size_t len;

	(void)state;
	for (; *at; at += len + (at[len] == ' ')) {
		len = strcspn(at, " ");
		assert_true(pfx_branch_filter_parse(at, len, &bits, &bad, &len));
		if (bits & (PFX_BRANCH_USER | PFX_BRANCH_KERNEL | PFX_BRANCH_HV))
			bits &= ~PFX_BRANCH_ANY;
		assert_int_equal(seen & bits, 0);
		seen |= bits;
		len = strcspn(at, " ");
	}
	assert_int_equal(seen, PFX_BRANCH_COUNTERS * 2 - 1);
}

/* A register that the kernel supports here, in lower and upper case. */
static void name_of_register(char *ret, char *ret_other, size_t size)
{
	struct utsname host;
	size_t i;

	uname(&host);
	snprintf(ret, size, "%s",
		 pfx_arch_reg_name(host.machine,
				   (unsigned)__builtin_ctzll(pfx_arch_host_frame_regs())));
	for (i = 0; i <= strlen(ret); i++)
		ret_other[i] = (char)(isupper(ret[i]) ? tolower(ret[i]) : toupper(ret[i]));
}

static void registers(void **state)
{
	struct pfx_record_options o = {0};
	struct pfx_error err = {0};
	char sp[16], large[16], none[32];

	(void)state;
	name_of_register(sp, large, sizeof(sp));
	snprintf(none, sizeof(none), "%s,none", sp);
	assert_int_equal(pfx_record_opt_user_regs(&o, sp, false, &err), 0);
	assert_int_equal(__builtin_popcountll(o.rec.user_regs), 1);
	o.said.user_regs = NULL;
	assert_int_equal(pfx_record_opt_user_regs(&o, large, false, &err), 0);
	assert_int_equal(__builtin_popcountll(o.rec.user_regs), 1);
	o.said.user_regs = NULL;
	assert_int_equal(pfx_record_opt_user_regs(&o, NULL, false, &err), 0);
	assert_true(__builtin_popcountll(o.rec.user_regs) > 10);
	o.said.user_regs = NULL;
	assert_int_equal(pfx_record_opt_user_regs(&o, none, false, &err), -EINVAL);
	assert_non_null(strstr(err.text, "'none'"));
	o.said.user_regs = NULL;
	assert_int_equal(pfx_record_opt_user_regs(&o, "?", false, &err), 0);
	assert_true(o.list_user_regs);
	assert_int_equal(pfx_record_opt_intr_regs(&o, sp, false, &err), 0);
	assert_int_equal(__builtin_popcountll(o.rec.intr_regs), 1);
	assert_int_equal(pfx_record_opt_intr_regs(&o, NULL, true, &err), 0);
	assert_int_equal(o.rec.intr_regs, 0);
}

static void clocks(void **state)
{
	static const struct {
		const char *word;
		int32_t id;
	} good[] = {
		{"mono", 1},     {"monotonic", 1},  {"raw", 4},      {"monotonic_raw", 4},
		{"realtime", 0}, {"real", 0},       {"boottime", 7}, {"boot", 7},
		{"tai", 11},     {"CLOCK_TAI", 11}, {"1", 1},        {"clock_monotonic", 1},
	};
	static const char *const bad[] = {"", "-1", "perf", "CLOCK_", "99999"};
	struct pfx_record_options o = {0};
	struct pfx_error err = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		o.said.clock = NULL;
		assert_int_equal(pfx_record_opt_clockid(&o, good[i].word, false, &err), 0);
		assert_int_equal(o.rec.clockid, good[i].id);
		assert_true(o.rec.use_clockid && o.rec.clock_res_ns > 0);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		o.said.clock = NULL;
		assert_int_equal(pfx_record_opt_clockid(&o, bad[i], false, &err), -EINVAL);
		assert_non_null(strstr(err.hint, "monotonic"));
	}
	assert_int_equal(pfx_record_opt_clockid(&o, NULL, true, &err), 0);
	assert_false(o.rec.use_clockid);
}

static void filters(void **state)
{
	struct pfx_record_options o = {0};
	struct pfx_error err = {0};
	struct pfx_event_spec *spec;

	(void)state;
	assert_int_equal(pfx_record_opt_filter(&o, "a > 1", false, &err), -EINVAL);
	assert_non_null(strstr(err.text, "there is none"));
	assert_int_equal(pfx_record_opt_events(&o, "cpu-clock", false, &err), 0);
	assert_int_equal(pfx_record_opt_filter(&o, "a > 1", false, &err), -EINVAL);
	assert_non_null(strstr(err.text, "'cpu-clock'"));
	/* As after -e sys:event. */
	o.last_events = o.rec.events.specs.nr;
	spec = pfx_vec_add(&o.rec.events.specs);
	*spec = (struct pfx_event_spec){.attr.type = PFX_TYPE_TRACEPOINT};
	assert_int_equal(pfx_record_opt_filter(&o, "a > 1", false, &err), 0);
	assert_string_equal(o.rec.bounds.at[1].filter, "a > 1");
	assert_int_equal(pfx_record_opt_filter(&o, "b", false, &err), 0);
	assert_string_equal(o.rec.bounds.at[1].filter, "(a > 1) && (b)");
	assert_int_equal(pfx_record_opt_exclude_perf(&o, NULL, false, &err), 0);
	assert_non_null(strstr(o.rec.bounds.at[1].filter, "&& (common_pid != "));
	assert_null(o.rec.bounds.at[0].filter);
	pfx_record_bounds_fini(&o.rec);
	pfx_event_list_fini(&o.rec.events);
}

static void cgroups(void **state)
{
	struct pfx_record_options o = {0};
	struct pfx_error err = {0};

	(void)state;
	assert_int_equal(pfx_record_opt_cgroup(&o, "a", false, &err), -EINVAL);
	assert_int_equal(pfx_record_opt_events(&o, "cpu-clock,cs,faults", false, &err), 0);
	assert_int_equal(pfx_record_opt_cgroup(&o, "a,", false, &err), 0);
	assert_string_equal(o.rec.bounds.at[0].cgroup, "a");
	assert_true(o.rec.bounds.at[1].has_cgroup);
	assert_null(o.rec.bounds.at[1].cgroup);
	assert_int_equal(pfx_record_opt_events(&o, "dummy", false, &err), 0);
	assert_int_equal(pfx_record_opt_cgroup(&o, "b", false, &err), 0);
	assert_string_equal(o.rec.bounds.at[2].cgroup, "b");
	assert_string_equal(o.rec.bounds.at[3].cgroup, "b");
	assert_int_equal(pfx_record_opt_cgroup(&o, "c", false, &err), -EINVAL);
	assert_non_null(strstr(err.text, "more cgroups"));
	pfx_record_bounds_fini(&o.rec);
	pfx_event_list_fini(&o.rec.events);
}

static void with_config(const char *text)
{
	static char path[] = "/tmp/pfx-record-XXXXXX";
	static int fd = -1;

	if (fd < 0)
		fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
	setenv("PFX_CONFIG", path, 1);
	pfx_config_clear();
}

static void configuration(void **state)
{
	struct pfx_record_options o = {0};
	struct pfx_error err = {0};

	(void)state;
	with_config("[record]\nbuild-id = no-cache\n[call-graph]\nrecord-mode = dwarf\n"
		    "dump-size = 4096\n");
	assert_int_equal(pfx_record_configure(&o, &err), 0);
	assert_true(o.rec.no_copies);
	assert_false(o.rec.no_buildid);
	assert_true(o.rec.timestamp);
	assert_int_equal(pfx_record_opt_callgraph(&o, NULL, false, &err), 0);
	assert_int_equal(o.rec.callgraph.stack_bytes, 4096);
	with_config("[record]\nbuild-id = skip\n");
	memset(&o, 0, sizeof(o));
	assert_int_equal(pfx_record_configure(&o, &err), 0);
	assert_true(o.rec.no_buildid);
	with_config("[record]\nbuild-id = sometimes\n");
	assert_int_equal(pfx_record_configure(&o, &err), -EINVAL);
	assert_non_null(strstr(err.text, "'sometimes'"));
	unlink(getenv("PFX_CONFIG"));
	setenv("PFX_CONFIG", "/dev/null", 1);
	pfx_config_clear();
}

static void traces(void **state)
{
	struct pfx_record_options o = {0};
	struct pfx_error err = {0};

	(void)state;
	assert_int_equal(pfx_record_opt_snapshot(&o, NULL, false, &err), 0);
	assert_true(o.rec.trace.snapshot && !o.rec.trace.snapshot_at_end &&
		    !o.rec.trace.snapshot_bytes);
	assert_int_equal(pfx_record_opt_snapshot(&o, "e", false, &err), 0);
	assert_true(o.rec.trace.snapshot_at_end && !o.rec.trace.snapshot_bytes);
	assert_int_equal(pfx_record_opt_snapshot(&o, "e8192", false, &err), 0);
	assert_true(o.rec.trace.snapshot_at_end && o.rec.trace.snapshot_bytes == 8192);
	assert_int_equal(pfx_record_opt_snapshot(&o, "1M", false, &err), 0);
	assert_true(!o.rec.trace.snapshot_at_end && o.rec.trace.snapshot_bytes == 1 << 20);
	assert_int_equal(pfx_record_opt_snapshot(&o, "x", false, &err), -EINVAL);
	assert_int_equal(pfx_record_opt_snapshot(&o, "e0", false, &err), -EINVAL);
	assert_int_equal(pfx_record_opt_aux_sample(&o, NULL, false, &err), 0);
	assert_int_equal(o.rec.trace.sample_bytes, 4096);
	assert_int_equal(pfx_record_opt_aux_sample(&o, "60K", false, &err), 0);
	assert_int_equal(o.rec.trace.sample_bytes, 61440);
	assert_int_equal(pfx_record_opt_aux_sample(&o, "61K", false, &err), -EINVAL);
	assert_int_equal(pfx_record_opt_aux_sample(&o, NULL, true, &err), 0);
	assert_int_equal(o.rec.trace.sample_bytes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frequencies),
		cmocka_unit_test(ring_sizes),
		cmocka_unit_test(call_graphs),
		cmocka_unit_test(last_call_graph_wins),
		cmocka_unit_test(plain_call_graph_keeps_mode),
		cmocka_unit_test(given_twice),
		cmocka_unit_test(branches),
		cmocka_unit_test(words_of_branches),
		cmocka_unit_test(registers),
		cmocka_unit_test(clocks),
		cmocka_unit_test(filters),
		cmocka_unit_test(cgroups),
		cmocka_unit_test(traces),

		cmocka_unit_test(configuration),
	};

	setenv("PFX_CONFIG", "/dev/null", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
