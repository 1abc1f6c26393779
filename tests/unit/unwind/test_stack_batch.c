/* SPDX-License-Identifier: MIT */
/*
 * A batch of samples whose stacks are unwound together: samples whose bytes are copied have the
 * same frames as others, in order; the batch has a limit of samples and of bytes.
 */
#include "unwind/stack_batch.h"

#include <stdlib.h>

#include "unit/unwind/unwind_world.h"

#define MANY  100
#define HUGE  60000 /* bytes of a stack */
#define LIMIT ((size_t)8 << 20)

static struct pfx_event event;
static uint8_t huge[HUGE];

/* leaf at 0x100 is called at 0x220 or 0x240 by start at 0x200, which has no caller. */
static void start(enum pfx_unwind_style style)
{
	begin(X86_64);
	w.style = style;
	make_cie(&w.cfi, false);
	make_fde(&w.cfi, 0x100, 0x80);
	make_def_cfa(&w.cfi, 7, 8);
	make_saved(&w.cfi, 16, -1);
	make_entry_end(&w.cfi);
	make_fde(&w.cfi, 0x200, 0x80);
	make_def_cfa(&w.cfi, 7, 8);
	make_undefined(&w.cfi, 16);
	make_entry_end(&w.cfi);
	load(0);
	set_reg(X86_64->sample_pc, CODE + 0x100);
	set_reg(X86_64->sample_sp, STACK);
	event.attr.sample_type =
		PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_REGS_USER | PFX_SAMPLE_STACK_USER;
	event.attr.sample_regs_user = w.sample.regs_user.mask;
}

static uint64_t caller(unsigned i)
{
	return CODE + (i % 2 ? 0x240 : 0x220);
}

/* Encode the record of sample @i into @to. */
static struct pfx_record make_record(unsigned i, struct pfx_buffer *to)
{
	struct pfx_record rec;

	set_stack(0, caller(i));
	make_sample(4);
	w.sample.ip = CODE + 0x100;
	w.sample.pid = w.sample.tid = PID;
	w.sample.misc = PFX_MODE_USER;
	to->len = 0;
	assert_true(pfx_sample_encode(&w.sample, &event.attr, to));
	pfx_record_init(&rec, to->at, false, i);
	rec.event = &event;
	return rec;
}

static struct pfx_record make_huge(struct pfx_buffer *to)
{
	struct pfx_record rec = make_record(0, to);

	w.sample.stack = (struct pfx_bytes){huge, sizeof(huge)};
	to->len = 0;
	assert_true(pfx_sample_encode(&w.sample, &event.attr, to));
	pfx_record_init(&rec, to->at, false, 0);
	rec.event = &event;
	return rec;
}

static void put_many(struct pfx_stack_batch *batch, bool stays, struct pfx_buffer *bytes)
{
	const struct pfx_sample *sample;
	unsigned i;

	for (i = 0; i < MANY; i++) {
		struct pfx_record rec = make_record(i, &bytes[stays ? i : 0]);

		assert_true(pfx_stack_batch_put(batch, &rec, stays, &sample));
		assert_int_equal(sample->ip, CODE + 0x100);
		if (i % 10 != 9)
			pfx_stack_batch_want(batch, w.thread);
		if (!stays)
			memset(bytes[0].at, 0xff, bytes[0].len);
	}
}

static void expect_many(struct pfx_stack_batch *batch)
{
	struct pfx_stack_wait *waits;
	unsigned i, nr = pfx_stack_batch_walk(batch, &waits);

	assert_int_equal(nr, MANY);
	assert_int_equal(w.resolver->unwinder.ahead.nr, MANY - MANY / 10);
	for (i = 0; i < nr; i++) {
		assert_int_equal(waits[i].rec.offset, i);
		assert_ptr_equal(waits[i].rec.event, &event);
		if (i % 10 != 9)
			expect_frames(&waits[i].sample,
				      (const uint64_t[]){CODE + 0x100, caller(i) - 1, 0});
	}
	pfx_stack_batch_empty(batch);
	assert_int_equal(pfx_stack_batch_walk(batch, &waits), 0);
}

/* Twice, so that the batch is reused. */
static void test_same_frames(void **state)
{
	static const bool orders[] = {false, true, true, false};
	struct pfx_buffer bytes[MANY] = {0};
	struct pfx_stack_batch *batch;
	unsigned i;

	setenv("PFX_THREADS", "2", 1);
	start(PFX_UNWIND_ROWS);
	batch = pfx_stack_batch_new(w.resolver);
	for (i = 0; i < 4; i++) {
		put_many(batch, orders[i], bytes);
		expect_many(batch);
	}
	for (i = 0; i < MANY; i++)
		pfx_buffer_fini(&bytes[i]);
	pfx_stack_batch_free(batch);
	end();
}

static unsigned count_until_full(struct pfx_stack_batch *batch, const struct pfx_record *rec,
				 bool stays)
{
	const struct pfx_sample *sample;
	unsigned nr = 0;

	while (pfx_stack_batch_put(batch, rec, stays, &sample))
		nr++;
	pfx_stack_batch_empty(batch);
	return nr;
}

static void test_full(void **state)
{
	struct pfx_buffer bytes = {0};
	struct pfx_stack_batch *batch;
	struct pfx_record rec;
	unsigned nr, i;

	setenv("PFX_THREADS", "2", 1);
	start(PFX_UNWIND_ROWS);
	batch = pfx_stack_batch_new(w.resolver);
	rec = make_record(0, &bytes);
	nr = count_until_full(batch, &rec, true);
	assert_in_range(nr, MANY, 1000);
	assert_int_equal(count_until_full(batch, &rec, false), nr);
	rec = make_huge(&bytes);
	assert_int_equal(count_until_full(batch, &rec, true), nr);
	for (i = 0; i < 2; i++)
		assert_int_equal(count_until_full(batch, &rec, false), LIMIT / rec.size);
	pfx_buffer_fini(&bytes);
	pfx_stack_batch_free(batch);
	end();
}

/* Whether a record modified by @change can be queued. */
static bool waits_with(void (*change)(struct pfx_record *))
{
	struct pfx_stack_batch *batch = pfx_stack_batch_new(w.resolver);
	struct pfx_buffer bytes = {0};
	struct pfx_record rec = make_record(0, &bytes);
	const struct pfx_sample *sample;
	bool waits;

	change(&rec);
	waits = pfx_stack_batch_put(batch, &rec, false, &sample);
	pfx_buffer_fini(&bytes);
	pfx_stack_batch_free(batch);
	return waits;
}

static void no_change(struct pfx_record *rec)
{
}

static void to_exit(struct pfx_record *rec)
{
	rec->type = PFX_RECORD_EXIT;
}

static void to_nobody(struct pfx_record *rec)
{
	rec->event = NULL;
}

static void to_half(struct pfx_record *rec)
{
	rec->size /= 2;
}

static void to_no_stack(struct pfx_record *rec)
{
	static struct pfx_event other;

	other = event;
	other.attr.sample_type &= ~(uint64_t)PFX_SAMPLE_STACK_USER;
	rec->event = &other;
}

static void test_refused(void **state)
{
	setenv("PFX_THREADS", "2", 1);
	start(PFX_UNWIND_ROWS);
	assert_true(waits_with(no_change));
	assert_false(waits_with(to_exit));
	assert_false(waits_with(to_nobody));
	assert_false(waits_with(to_half));
	assert_false(waits_with(to_no_stack));
	end();
	start(PFX_UNWIND_LIBUNWIND);
	assert_false(waits_with(no_change));
	end();
	setenv("PFX_THREADS", "1", 1);
	start(PFX_UNWIND_ROWS);
	assert_false(waits_with(no_change));
	end();
	pfx_stack_batch_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_frames),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
