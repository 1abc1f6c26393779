/* SPDX-License-Identifier: MIT */
/* Off-CPU time from context switches: what counts, the order in the file, and that other records
 * pass unchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/record/offcpu_world.h"

/* The switches use ring buffers of their own, with the EXIT records of threads. */
static void setup_apart(struct world *w, uint64_t thresh_ns)
{
	struct pfx_offcpu_setup s = {
		.thresh_ns = thresh_ns, .event = 1, .user_pc = 8, .is_apart = true};

	setup(w, thresh_ns, true);
	pfx_offcpu_free(w->offcpu);
	s.meta = w->meta;
	s.in = w->in;
	w->offcpu = pfx_offcpu_new(&s);
	w->task_id = SWITCH_ID;
}

/* --- what the kernel writes --- */

static void put_task(struct world *w, uint32_t type, uint64_t time, uint32_t tid)
{
	struct pfx_body body = {.type = type};

	body.id = (struct pfx_sample_id){
		.pid = 100, .tid = tid, .time = time, .id = w->task_id, .identifier = w->task_id};
	if (type == PFX_RECORD_COMM) {
		body.misc = PFX_MISC_COMM_EXEC;
		body.comm = (struct pfx_comm){.pid = 100, .tid = tid, .comm = "x"};
	} else {
		body.task = (struct pfx_task){.pid = 100, .tid = tid, .time = time};
	}
	assert_true(pfx_record_encode(&body, &w->meta->events[0]->attr, &w->rings));
}

/* --- what is in the file --- */

/* The next sample of offcpu-time; false at the end. */
static bool next_sample(struct world *w, struct pfx_sample *ret)
{
	struct pfx_record rec;

	while (w->seen < w->file.len) {
		pfx_record_init(&rec, w->file.at + w->seen, false, 0);
		w->seen += rec.size;
		if (rec.type != PFX_RECORD_SAMPLE)
			continue;
		pfx_meta_identify(w->meta, &rec);
		assert_int_equal(rec.event->idx, 1);
		assert_true(pfx_sample_decode(&rec, &rec.event->attr, ret));
		return true;
	}
	return false;
}

static uint64_t total(struct world *w, size_t *ret_nr)
{
	struct pfx_sample sample;
	uint64_t ns = 0;

	for (*ret_nr = 0; next_sample(w, &sample); ++*ret_nr)
		ns += sample.period;
	return ns;
}

static void long_sleeps_are_samples(void **state)
{
	struct pfx_sample sample;
	struct world w;

	setup(&w, 100 * MS, true);
	put_sleep(&w, 1000, 7);
	put_wake(&w, 1001 + 200 * MS, 7);
	put_round(&w);
	put_round(&w);
	pass(&w);
	assert_true(next_sample(&w, &sample));
	assert_int_equal(sample.period, 200 * MS);
	assert_int_equal(sample.time, 1001 + 200 * MS);
	assert_int_equal(sample.cpu, 3);
	assert_int_equal(sample.pid, 100);
	assert_int_equal(sample.tid, 7);
	assert_int_equal(sample.id, SWITCH_ID);
	assert_int_equal(sample.ip, USER_IP);
	assert_int_equal(sample.cpumode, PFX_MODE_USER);
	assert_int_equal(sample.chain.nr, 5);
	assert_int_equal(pfx_word(&sample.chain, 1), KERNEL_IP);
	assert_false(next_sample(&w, &sample));
	pfx_offcpu_end(w.offcpu, 0, &w.file);
	assert_false(next_sample(&w, &sample));
	teardown(&w);
}

static void short_sleeps_are_summed_up(void **state)
{
	struct pfx_sample sample;
	struct world w;
	uint64_t i;

	setup(&w, 100 * MS, false);
	for (i = 0; i < 50; i++) {
		put_sleep(&w, i * 20 * MS + 1, 7);
		put_wake(&w, i * 20 * MS + 2 + 10 * MS, 7);
		put_round(&w);
		pass(&w);
	}
	assert_false(next_sample(&w, &sample));
	pfx_offcpu_end(w.offcpu, 0, &w.file);
	assert_true(next_sample(&w, &sample));
	assert_int_equal(sample.period, 500 * MS);
	assert_int_equal(sample.ip, USER_IP);
	assert_int_equal(sample.chain.nr, 0);
	assert_int_equal(sample.time, 49 * 20 * MS + 2 + 10 * MS);
	assert_false(next_sample(&w, &sample));
	teardown(&w);
}

static void waiting_for_a_cpu_is_no_sleep(void **state)
{
	struct pfx_sample sample;
	struct world w;

	setup(&w, 0, true);
	put_stack(&w, 10, 7, USER_IP);
	put_switch(&w, 11, 7, PFX_MISC_SWITCH_OUT | PFX_MISC_SWITCH_OUT_PREEMPT);
	put_wake(&w, 100, 7);
	/* The idle thread, a thread that is already gone, and one that was never seen to leave. */
	put_sleep(&w, 100, 0);
	put_wake(&w, 200, 0);
	put_sleep(&w, 100, UINT32_MAX);
	put_wake(&w, 200, UINT32_MAX);
	put_wake(&w, 300, 9);
	pass(&w);
	pfx_offcpu_end(w.offcpu, 0, &w.file);
	assert_false(next_sample(&w, &sample));
	teardown(&w);
}

/* A thread that went to sleep on the CPU whose ring buffer is emptied last. */
static void rings_are_put_in_order(void **state)
{
	struct world w;
	size_t nr;

	setup(&w, 0, true);
	put_wake(&w, 150, 7);
	put_sleep(&w, 200, 7);
	put_wake(&w, 100, 8);
	put_sleep(&w, 99, 7);
	put_sleep(&w, 50, 8);
	put_round(&w);
	pass(&w);
	put_wake(&w, 301, 7);
	put_round(&w);
	pass(&w);
	put_round(&w);
	put_round(&w);
	pass(&w);
	assert_int_equal(total(&w, &nr), (150 - 100) + (100 - 51) + (301 - 201));
	assert_int_equal(nr, 3);
	teardown(&w);
}

static void all_else_passes(void **state)
{
	struct pfx_buffer expected = {0};
	struct pfx_sample clock = {.type = FIELDS, .id = CLOCK_ID, .time = 5, .ip = 0x1234};
	struct world w;

	setup(&w, 0, true);
	put_sleep(&w, 1, 7);
	pass(&w);
	put_task(&w, PFX_RECORD_FORK, 2, 8);
	pfx_sample_encode(&clock, &w.meta->events[0]->attr, &w.rings);
	put_task(&w, PFX_RECORD_COMM, 3, 8);
	put_round(&w);
	pfx_buffer_bytes(&expected, w.rings.at, w.rings.len);
	pass(&w);
	put_sleep(&w, 6, 9);
	pass(&w);
	put_task(&w, PFX_RECORD_EXIT, 7, 8);
	pfx_buffer_bytes(&expected, w.rings.at, w.rings.len);
	pass(&w);
	/* Invalid bytes are passed on, too. */
	pfx_buffer_zeros(&w.rings, 24);
	pfx_buffer_bytes(&expected, w.rings.at, w.rings.len);
	pass(&w);
	assert_int_equal(w.file.len, expected.len);
	assert_memory_equal(w.file.at, expected.at, expected.len);
	pfx_buffer_fini(&expected);
	teardown(&w);
}

/* Sums are written while the maps are still valid. */
static void sums_end_with_their_program(void **state)
{
	static const uint32_t ends[] = {PFX_RECORD_COMM, PFX_RECORD_EXIT};
	struct pfx_sample sample;
	struct world w;
	size_t i, nr;

	for (i = 0; i < 2; i++) {
		setup(&w, 100 * MS, true);
		put_sleep(&w, 10, 100);
		put_wake(&w, 31, 100);
		put_task(&w, ends[i], 40, 100);
		put_sleep(&w, 50, 7);
		put_wake(&w, 91, 7);
		put_round(&w);
		put_round(&w);
		pass(&w);
		assert_true(next_sample(&w, &sample));
		assert_int_equal(sample.period, 20);
		assert_int_equal(sample.time, 40);
		assert_false(next_sample(&w, &sample));
		pfx_offcpu_end(w.offcpu, 0, &w.file);
		assert_int_equal(total(&w, &nr), 40);
		teardown(&w);
	}
}

static void who_still_sleeps_at_the_end(void **state)
{
	struct world w;
	size_t nr;

	setup(&w, 0, true);
	put_sleep(&w, 100, 7);
	put_sleep(&w, 100, 8);
	put_task(&w, PFX_RECORD_EXIT, 150, 8);
	put_sleep(&w, 160, 8); /* the last context switch of a thread */
	put_round(&w);
	pass(&w);
	pfx_offcpu_pause(w.offcpu, 1101, &w.file);
	assert_int_equal(total(&w, &nr), 1000);
	assert_int_equal(nr, 1);
	/* It woke up while the events were disabled. */
	put_wake(&w, 5000, 7);
	pass(&w);
	pfx_offcpu_end(w.offcpu, 6000, &w.file);
	assert_int_equal(total(&w, &nr), 0);
	teardown(&w);
}

/* Without permission there are no stacks, but still times. */
static void sleeps_without_a_stack(void **state)
{
	struct pfx_sample sample;
	struct world w;

	setup(&w, 0, true);
	put_switch(&w, 100, 7, PFX_MISC_SWITCH_OUT);
	put_wake(&w, 350, 7);
	pass(&w);
	pfx_offcpu_end(w.offcpu, 0, &w.file);
	assert_true(next_sample(&w, &sample));
	assert_int_equal(sample.period, 250);
	assert_int_equal(sample.tid, 7);
	assert_int_equal(sample.ip, 0);
	assert_int_equal(sample.chain.nr, 0);
	teardown(&w);
}

#define MANY 300000u

/* More stacks than are kept: sums are written early, and no time is lost. */
static void many_stacks(void **state)
{
	struct world w;
	uint64_t i;
	size_t nr;

	setup(&w, 100 * MS, true);
	for (i = 0; i < MANY; i++) {
		put_stack(&w, i * 10, 7, USER_IP + 16 * i);
		put_switch(&w, i * 10, 7, PFX_MISC_SWITCH_OUT);
		put_wake(&w, i * 10 + 3, 7);
		if (i % 1000)
			continue;
		put_round(&w);
		pass(&w);
	}
	pass(&w);
	put_round(&w);
	put_round(&w);
	pass(&w);
	assert_true(total(&w, &nr) > 0);
	w.seen = 0;
	pfx_offcpu_put_sums(w.offcpu, &w.file);
	assert_int_equal(total(&w, &nr), 3ull * MANY);
	assert_int_equal(nr, MANY);
	teardown(&w);
}

/* Threads are created and end for ever: ended threads are forgotten, and the last context switch of
 * a recently ended one does not count as sleep. */
static void threads_that_went(void **state)
{
	struct world w;
	uint32_t tid;
	size_t nr;

	setup(&w, 0, true);
	put_sleep(&w, 100, 1);
	for (tid = 2; tid < MANY; tid++) {
		put_wake(&w, tid * 100ull, tid);
		put_sleep(&w, tid * 100ull + 10, tid);
		put_wake(&w, tid * 100ull + 20, tid);
		put_task(&w, PFX_RECORD_EXIT, tid * 100ull + 30, tid);
		put_sleep(&w, tid * 100ull + 40, tid);
		if (tid % 1000)
			continue;
		put_round(&w);
		pass(&w);
	}
	put_wake(&w, MANY * 100ull + 101, 1);
	put_round(&w);
	put_round(&w);
	pass(&w);
	assert_true(pfx_offcpu_nr_threads(w.offcpu) < 10000);
	pfx_offcpu_end(w.offcpu, MANY * 200ull, &w.file);
	assert_int_equal(total(&w, &nr), (MANY - 2) * 9ull + MANY * 100ull);
	assert_int_equal(nr, MANY - 1);
	teardown(&w);
}

/* Rounds without a FINISHED_ROUND record, and records about tasks that the file already
 * contains. */
static void rings_apart(void **state)
{
	struct world w;
	size_t nr;

	(void)state;
	setup_apart(&w, 100 * MS);
	put_sleep(&w, 10 * MS, 7);
	put_wake(&w, 30 * MS, 7);
	put_task(&w, PFX_RECORD_EXIT, 40 * MS, 100);
	put_sleep(&w, 50 * MS, 7);
	pass(&w);
	assert_int_equal(w.file.len, 0);
	pfx_offcpu_end_round(w.offcpu, &w.file);
	assert_int_equal(w.file.len, 0);
	put_wake(&w, 90 * MS, 7);
	pass(&w);
	pfx_offcpu_end_round(w.offcpu, &w.file);
	assert_int_equal(total(&w, &nr), 20 * MS - 1);
	assert_int_equal(nr, 1);
	pfx_offcpu_end(w.offcpu, 100 * MS, &w.file);
	assert_int_equal(total(&w, &nr), 40 * MS - 1);
	assert_int_equal(nr, 1);
	teardown(&w);
}

/* For the sanitizers: sorting an empty array without memory. */
static void rounds_without_switches(void **state)
{
	struct world w;

	setup(&w, 500 * MS, true);
	pfx_offcpu_end_round(w.offcpu, &w.file);
	pfx_offcpu_end(w.offcpu, 0, &w.file);
	assert_int_equal(w.file.len, 0);
	teardown(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_sleeps_are_samples),
		cmocka_unit_test(short_sleeps_are_summed_up),
		cmocka_unit_test(waiting_for_a_cpu_is_no_sleep),
		cmocka_unit_test(rings_are_put_in_order),
		cmocka_unit_test(all_else_passes),
		cmocka_unit_test(sums_end_with_their_program),
		cmocka_unit_test(who_still_sleeps_at_the_end),
		cmocka_unit_test(sleeps_without_a_stack),
		cmocka_unit_test(many_stacks),
		cmocka_unit_test(threads_that_went),
		cmocka_unit_test(rings_apart),
		cmocka_unit_test(rounds_without_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
