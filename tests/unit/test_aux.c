/* SPDX-License-Identifier: MIT */
/*
 * AUX areas in plain memory in place of a PMU's, what AUXTRACE_INFO tells of PMUs that this machine
 * does not have, and what an event that traces changes in the other events.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "cmd/record/record_internal.h"
#include "event/abi.h"
#include "pmu/aux_info.h"
#include "sys/aux_area.h"
#include "tree.h"

#define AREA_SIZE 16384u
#define HEAD_AT   1056
#define TAIL_AT   1064

/* --- areas --- */

struct fake {
	uint8_t *page, *data;
	struct pfx_aux_area area;
};

static uint64_t *head_of(struct fake *f)
{
	return (uint64_t *)(f->page + HEAD_AT);
}

static uint64_t tail_of(struct fake *f)
{
	return *(uint64_t *)(f->page + TAIL_AT);
}

static void fake_init(struct fake *f, uint64_t start, bool keeps_newest)
{
	f->page = pfx_calloc(1, (size_t)sysconf(_SC_PAGESIZE));
	f->data = pfx_calloc(1, AREA_SIZE);
	*head_of(f) = start;
	*(uint64_t *)(f->page + TAIL_AT) = start;
	pfx_aux_area_init(&f->area, f->page, f->data, AREA_SIZE, keeps_newest);
}

static void fake_fini(struct fake *f)
{
	free(f->page);
	free(f->data);
}

/* The PMU writes @size bytes of @value. */
static void fake_trace(struct fake *f, uint8_t value, size_t size)
{
	uint64_t head = *head_of(f);
	size_t i;

	for (i = 0; i < size; i++)
		f->data[(head + i) & (AREA_SIZE - 1)] = value;
	head += size;
	*head_of(f) = f->area.keeps_newest ? head & (AREA_SIZE - 1) : head;
}

static void a_trace_is_taken_in_order(void **state)
{
	struct iovec iov[2];
	uint64_t offset;
	struct fake f;

	(void)state;
	fake_init(&f, 0, false);
	assert_int_equal(pfx_aux_take(&f.area, 0, iov, &offset), 0);
	fake_trace(&f, 'a', 100);
	assert_int_equal(pfx_aux_head(&f.area), 100);
	assert_int_equal(pfx_aux_take(&f.area, 0, iov, &offset), 1);
	assert_int_equal(offset, 0);
	assert_int_equal(iov[0].iov_len, 100);
	assert_ptr_equal(iov[0].iov_base, f.data);
	assert_int_equal(tail_of(&f), 0);
	pfx_aux_release(&f.area);
	assert_int_equal(tail_of(&f), 100);
	fake_trace(&f, 'b', 8);
	assert_int_equal(pfx_aux_take(&f.area, 0, iov, &offset), 1);
	assert_int_equal(offset, 100);
	assert_int_equal(*(uint8_t *)iov[0].iov_base, 'b');
	fake_fini(&f);
}

static void a_trace_that_wraps_is_two_pieces(void **state)
{
	struct iovec iov[2];
	uint64_t offset;
	struct fake f;

	(void)state;
	fake_init(&f, 5 * AREA_SIZE - 16, false);
	fake_trace(&f, 'x', 40);
	assert_int_equal(pfx_aux_take(&f.area, 0, iov, &offset), 2);
	assert_int_equal(offset, 5 * AREA_SIZE - 16);
	assert_int_equal(iov[0].iov_len, 16);
	assert_ptr_equal(iov[0].iov_base, f.data + AREA_SIZE - 16);
	assert_int_equal(iov[1].iov_len, 24);
	assert_ptr_equal(iov[1].iov_base, f.data);
	pfx_aux_release(&f.area);
	fake_trace(&f, 'y', AREA_SIZE);
	assert_int_equal(pfx_aux_take(&f.area, 0, iov, &offset), 2);
	assert_int_equal(iov[0].iov_len + iov[1].iov_len, AREA_SIZE);
	fake_fini(&f);
}

static void a_wrong_head_stays_inside(void **state)
{
	struct iovec iov[2];
	uint64_t offset;
	struct fake f;

	(void)state;
	fake_init(&f, 0, false);
	*head_of(&f) = 10 * AREA_SIZE + 8;
	assert_int_equal(pfx_aux_take(&f.area, 0, iov, &offset), 2);
	assert_int_equal(offset, 9 * AREA_SIZE + 8);
	assert_int_equal(iov[0].iov_len + iov[1].iov_len, AREA_SIZE);
	fake_fini(&f);
}

static void a_snapshot_has_the_newest_bytes(void **state)
{
	struct iovec iov[2];
	uint64_t offset;
	struct fake f;

	(void)state;
	fake_init(&f, 0, true);
	fake_trace(&f, 'a', 64);
	assert_int_equal(pfx_aux_take(&f.area, 0, iov, &offset), 1);
	assert_int_equal(iov[0].iov_len, 64);
	pfx_aux_release(&f.area);
	assert_int_equal(tail_of(&f), 0);
	fake_trace(&f, 'b', 32);
	assert_int_equal(pfx_aux_take(&f.area, 0, iov, &offset), 1);
	assert_int_equal(offset, 64);
	assert_int_equal(iov[0].iov_len, 32);
	pfx_aux_release(&f.area);
	/* Once around: all of it, the oldest first. */
	fake_trace(&f, 'c', AREA_SIZE - 80);
	assert_int_equal(*head_of(&f), 16);
	assert_int_equal(pfx_aux_take(&f.area, 0, iov, &offset), 2);
	assert_int_equal(offset, 16);
	assert_int_equal(iov[0].iov_len, AREA_SIZE - 16);
	assert_int_equal(iov[1].iov_len, 16);
	assert_int_equal(*(uint8_t *)iov[0].iov_base, 'a');
	fake_fini(&f);
}

static void a_snapshot_may_be_shorter(void **state)
{
	struct iovec iov[2];
	uint64_t offset;
	struct fake f;

	(void)state;
	fake_init(&f, 0, true);
	fake_trace(&f, 'a', AREA_SIZE);
	fake_trace(&f, 'b', 8);
	assert_int_equal(pfx_aux_take(&f.area, 24, iov, &offset), 2);
	assert_int_equal(offset, 8 + AREA_SIZE - 24);
	assert_int_equal(iov[0].iov_len, 16);
	assert_int_equal(iov[1].iov_len, 8);
	assert_int_equal(*(uint8_t *)iov[1].iov_base, 'b');
	fake_fini(&f);
}

/* --- AUXTRACE_INFO --- */

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
				     /* of an ETE one more */
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

/* --- attrs of the events beside a trace --- */

static void setup(struct pfx_counters *set, const struct pfx_sampling *sampling)
{
	const struct pfx_attr pt = {.type = 8, .config = 0x400};
	struct pfx_counter *counter;

	memset(set, 0, sizeof(*set));
	counter = pfx_counters_add(set, &pt, "intel_pt//");
	counter->has_aux = counter->makes_no_samples = true;
	pfx_counters_setup(set, sampling);
}

static uint64_t flags_of(const struct pfx_counters *set, size_t i)
{
	const uint64_t quiet = PFX_ATTR_EXCLUDE_KERNEL | PFX_ATTR_EXCLUDE_HV |
			       PFX_ATTR_EXCLUDE_GUEST | PFX_ATTR_SAMPLE_ID_ALL | PFX_ATTR_INHERIT;

	assert_int_equal(set->list.at[i].attr.flags & quiet, quiet);
	return set->list.at[i].attr.flags & ~quiet;
}

static void dummies_of_a_command(void **state)
{
	const struct pfx_sampling sampling = {
		.freq = 4000,
		.aux = true,
		.aux_timed = true,
		.aux_text_poke = true,
		.may_everywhere = true,
		.enable_on_exec = true,
		.callgraph = {.mode = PFX_CALLGRAPH_FP},
	};
	const uint64_t common =
		PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_TIME | PFX_SAMPLE_IDENTIFIER;
	struct pfx_counters set;

	(void)state;
	setup(&set, &sampling);
	assert_int_equal(set.list.nr, 4);
	assert_int_equal(set.list.at[0].attr.sample_period, 1);
	assert_int_equal(set.list.at[0].attr.sample_type, common | PFX_SAMPLE_CPU);
	assert_int_equal(set.list.at[1].attr.sample_type, common | PFX_SAMPLE_CPU);
	assert_int_equal(set.list.at[2].attr.sample_type, common | PFX_SAMPLE_CPU);
	assert_int_equal(set.list.at[3].attr.sample_type, common);
	assert_true(set.list.at[1].is_everywhere);
	assert_false(set.list.at[2].is_everywhere);
	assert_true(set.list.at[3].is_everywhere);
	assert_int_equal(flags_of(&set, 1), PFX_ATTR_CONTEXT_SWITCH);
	assert_int_equal(flags_of(&set, 2), PFX_ATTR_DISABLED | PFX_ATTR_ENABLE_ON_EXEC |
						    PFX_ATTR_MMAP | PFX_ATTR_COMM | PFX_ATTR_TASK |
						    PFX_ATTR_MMAP2 | PFX_ATTR_COMM_EXEC |
						    PFX_ATTR_BPF_EVENT);
	assert_int_equal(flags_of(&set, 3), PFX_ATTR_KSYMBOL | PFX_ATTR_TEXT_POKE);
	assert_string_equal(set.list.at[2].name, "dummy:u");
	pfx_counters_fini(&set);
}

static void dummies_of_the_whole_system(void **state)
{
	const struct pfx_sampling sampling = {
		.freq = 4000,
		.aux = true,
		.aux_timed = true,
		.may_everywhere = true,
		.system_wide = true,
	};
	struct pfx_counters set;

	(void)state;
	setup(&set, &sampling);
	assert_int_equal(set.list.nr, 2);
	assert_true(flags_of(&set, 1) & PFX_ATTR_CONTEXT_SWITCH);
	assert_true(flags_of(&set, 1) & PFX_ATTR_KSYMBOL);
	assert_false(flags_of(&set, 1) & PFX_ATTR_DISABLED);
	pfx_counters_fini(&set);
}

static void dummies_without_permission_or_times(void **state)
{
	struct pfx_sampling sampling = {
		.freq = 4000, .aux = true, .aux_timed = true, .enable_on_exec = true};
	struct pfx_counters set;

	(void)state;
	setup(&set, &sampling);
	assert_int_equal(set.list.nr, 2);
	assert_true(flags_of(&set, 1) & PFX_ATTR_CONTEXT_SWITCH);
	pfx_counters_fini(&set);
	sampling.aux_timed = false;
	sampling.may_everywhere = sampling.aux_text_poke = true;
	setup(&set, &sampling);
	assert_int_equal(set.list.nr, 2);
	assert_false(flags_of(&set, 1) & PFX_ATTR_CONTEXT_SWITCH);
	pfx_counters_fini(&set);
}

/* --- order and groups --- */

static void add(struct pfx_record_options *o, const char *name, const char *pmu, uint32_t group)
{
	struct pfx_event_spec *spec = pfx_vec_add(&o->events.specs);

	*spec = (struct pfx_event_spec){
		.name = pfx_strdup(name), .pmu = pmu ? pfx_strdup(pmu) : NULL, .group = group};
	if (group > o->events.nr_groups)
		o->events.nr_groups = group;
}

static void options_fini(struct pfx_record_options *o)
{
	pfx_record_bounds_fini(o);
	pfx_event_list_fini(&o->events);
}

static void the_trace_comes_first(void **state)
{
	static const char *const order[] = {"pt", "needs", "a", "b", "plain"};
	struct pfx_record_options o = {0};
	struct pfx_error err = {0};
	size_t i;

	(void)state;
	add(&o, "a", NULL, 1);
	add(&o, "b", NULL, 1);
	add(&o, "pt", "intel_pt", 0);
	add(&o, "plain", NULL, 0);
	add(&o, "needs", NULL, 0);
	o.events.specs.at[4].sampling.aux_output = true;
	pfx_vec_push(&o.bounds, ((struct pfx_record_bound){.filter = pfx_strdup("of a")}));
	assert_int_equal(pfx_record_aux_arrange(&o, &err), 0);
	for (i = 0; i < 5; i++)
		assert_string_equal(o.events.specs.at[i].name, order[i]);
	assert_int_equal(o.events.specs.at[0].group, 2);
	assert_int_equal(o.events.specs.at[1].group, 2);
	assert_int_equal(o.events.specs.at[4].group, 0);
	assert_string_equal(o.bounds.at[2].filter, "of a");
	assert_null(o.bounds.at[0].filter);
	options_fini(&o);
}

static void refuse(struct pfx_record_options *o, const char *why)
{
	struct pfx_error err = {0};

	assert_int_equal(pfx_record_aux_arrange(o, &err), -EINVAL);
	assert_non_null(strstr(err.text, why));
}

static void what_does_not_go_together(void **state)
{
	struct pfx_record_options o = {0};

	(void)state;
	add(&o, "cycles", NULL, 0);
	o.aux.snapshot = true;
	refuse(&o, "-S is about traces");
	o.aux.snapshot = false;
	o.aux.sample_bytes = 4096;
	refuse(&o, "--aux-sample is about traces");
	o.aux.sample_bytes = 0;
	o.aux.bytes = 8192;
	refuse(&o, "the second size of -m is about traces");
	add(&o, "pt", "intel_pt", 0);
	o.use_clockid = true;
	refuse(&o, "-k does not go");
	o.use_clockid = false;
	o.output_side.threads = "cpu";
	refuse(&o, "--threads does not go");
	o.output_side.threads = NULL;
	o.aux.snapshot = true;
	o.aux.sample_bytes = 4096;
	refuse(&o, "exclude each other");
	add(&o, "pt2", "intel_pt", 0);
	refuse(&o, "name the event once");
	add(&o, "spe", "arm_spe_0", 0);
	refuse(&o, "two PMUs");
	options_fini(&o);
}

static void words_of_options(void **state)
{
	struct pfx_record_options o = {0};
	struct pfx_error err = {0};

	(void)state;
	assert_int_equal(pfx_record_opt_snapshot(&o, NULL, false, &err), 0);
	assert_true(o.aux.snapshot && !o.aux.snapshot_at_end && !o.aux.snapshot_bytes);
	assert_int_equal(pfx_record_opt_snapshot(&o, "e", false, &err), 0);
	assert_true(o.aux.snapshot_at_end && !o.aux.snapshot_bytes);
	assert_int_equal(pfx_record_opt_snapshot(&o, "e8192", false, &err), 0);
	assert_true(o.aux.snapshot_at_end && o.aux.snapshot_bytes == 8192);
	assert_int_equal(pfx_record_opt_snapshot(&o, "1M", false, &err), 0);
	assert_true(!o.aux.snapshot_at_end && o.aux.snapshot_bytes == 1 << 20);
	assert_int_equal(pfx_record_opt_snapshot(&o, "x", false, &err), -EINVAL);
	assert_int_equal(pfx_record_opt_snapshot(&o, "e0", false, &err), -EINVAL);
	assert_int_equal(pfx_record_opt_aux_sample(&o, NULL, false, &err), 0);
	assert_int_equal(o.aux.sample_bytes, 4096);
	assert_int_equal(pfx_record_opt_aux_sample(&o, "60K", false, &err), 0);
	assert_int_equal(o.aux.sample_bytes, 61440);
	assert_int_equal(pfx_record_opt_aux_sample(&o, "61K", false, &err), -EINVAL);
	assert_int_equal(pfx_record_opt_aux_sample(&o, NULL, true, &err), 0);
	assert_int_equal(o.aux.sample_bytes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_is_taken_in_order),
		cmocka_unit_test(a_trace_that_wraps_is_two_pieces),
		cmocka_unit_test(a_wrong_head_stays_inside),
		cmocka_unit_test(a_snapshot_has_the_newest_bytes),
		cmocka_unit_test(a_snapshot_may_be_shorter),
		cmocka_unit_test(the_words_of_intel_pt),
		cmocka_unit_test(the_words_of_others),
		cmocka_unit_test(the_words_of_coresight),
		cmocka_unit_test(too_many_cpus_are_refused),
		cmocka_unit_test(pmus_that_trace),
		cmocka_unit_test(dummies_of_a_command),
		cmocka_unit_test(dummies_of_the_whole_system),
		cmocka_unit_test(dummies_without_permission_or_times),
		cmocka_unit_test(the_trace_comes_first),
		cmocka_unit_test(what_does_not_go_together),
		cmocka_unit_test(words_of_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
