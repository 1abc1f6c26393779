/* SPDX-License-Identifier: MIT */
/*
 * AUX areas in plain memory instead of a PMU's, and changes that a tracing event makes to the attrs
 * of other events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "event/abi.h"
#include "sys/counter/aux_area.h"
#include "sys/counter/counter.h"

#define AREA_SIZE 16384u
#define HEAD_AT   1056
#define TAIL_AT   1064

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
	/* Wrapped: the whole area, the oldest bytes first. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_is_taken_in_order),
		cmocka_unit_test(a_trace_that_wraps_is_two_pieces),
		cmocka_unit_test(a_wrong_head_stays_inside),
		cmocka_unit_test(a_snapshot_has_the_newest_bytes),
		cmocka_unit_test(a_snapshot_may_be_shorter),
		cmocka_unit_test(dummies_of_a_command),
		cmocka_unit_test(dummies_of_the_whole_system),
		cmocka_unit_test(dummies_without_permission_or_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
