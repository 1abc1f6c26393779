/* SPDX-License-Identifier: MIT */
/* Statistics from records other than samples: losses, running threads, counters of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "event/meta.h"
#include "read/record_counts.h"
#include "read/running.h"
#include "read/thread_reads.h"

static struct pfx_event events[2] = {
	{.attr = {.flags = PFX_ATTR_SAMPLE_ID_ALL, .sample_type = PFX_SAMPLE_TID}, .idx = 0},
	{.attr = {.flags = PFX_ATTR_SAMPLE_ID_ALL, .sample_type = PFX_SAMPLE_TID}, .idx = 1},
};

/* The record of @body, of the event; its bytes are in @bytes. */
static struct pfx_record record_of(const struct pfx_body *body, const struct pfx_event *event,
				   struct pfx_buffer *bytes)
{
	struct pfx_record rec;

	bytes->len = 0;
	assert_true(pfx_record_encode(body, &event->attr, bytes));
	pfx_record_init(&rec, bytes->at, false, 0);
	rec.event = event;
	return rec;
}

static void lost_samples_are_added_up_by_event(void **state)
{
	struct pfx_body body = {.type = PFX_RECORD_LOST_SAMPLES, .lost_samples = 3};
	struct pfx_record_counts counts = {0};
	struct pfx_buffer bytes = {0};
	struct pfx_record rec = record_of(&body, &events[1], &bytes);
	uint64_t lost;

	(void)state;
	pfx_record_counts_lost(&counts, &rec);
	pfx_record_counts_lost(&counts, &rec);
	*pfx_vec_slot(&counts.nr_by_event, 0) = 9;
	assert_int_equal(pfx_record_counts_event(&counts, 1, &lost), 0);
	assert_int_equal(lost, 6);
	assert_int_equal(pfx_record_counts_event(&counts, 0, &lost), 9);
	assert_int_equal(lost, 0);
	assert_int_equal(pfx_record_counts_event(&counts, 7, &lost), 0);

	rec.event = NULL; /* of an unknown event */
	pfx_record_counts_lost(&counts, &rec);
	body.type = PFX_RECORD_SWITCH;
	rec = record_of(&body, &events[1], &bytes);
	pfx_record_counts_lost(&counts, &rec);
	pfx_record_counts_event(&counts, 1, &lost);
	assert_int_equal(lost, 6);
	pfx_record_counts_fini(&counts);
	pfx_buffer_fini(&bytes);
}

static void take_read(struct pfx_thread_reads *reads, uint32_t tid, uint32_t event, uint64_t value)
{
	const struct pfx_meta meta = {.nr_events = 2};
	struct pfx_body body = {.type = PFX_RECORD_READ, .read = {.pid = 1, .tid = tid}};
	struct pfx_buffer bytes = {0};
	struct pfx_record rec;

	body.read.read.nr = 1;
	body.read.read.values[0].value = value;
	rec = record_of(&body, &events[event], &bytes);
	pfx_thread_reads_take(reads, &meta, &rec);
	rec.event = NULL;
	pfx_thread_reads_take(reads, &meta, &rec);
	pfx_buffer_fini(&bytes);
}

static void counters_are_added_up_by_thread(void **state)
{
	struct pfx_thread_reads reads = {0};

	(void)state;
	take_read(&reads, 5, 0, 10);
	take_read(&reads, 4, 1, 20);
	take_read(&reads, 5, 0, 30);
	take_read(&reads, 5, 1, 40);
	assert_int_equal(reads.keys.nr, 2);
	assert_int_equal(reads.keys.at[0], 1ull << 32 | 5); /* in order of appearance */
	assert_int_equal(reads.keys.at[1], 1ull << 32 | 4);
	assert_int_equal(reads.values.at[0], 40);
	assert_int_equal(reads.values.at[1], 40);
	assert_int_equal(reads.values.at[2], 0);
	assert_int_equal(reads.values.at[3], 20);
	pfx_thread_reads_fini(&reads);
}

/* The number of running threads after a record of the thread. */
static uint32_t after(struct pfx_running *running, uint32_t type, uint32_t tid, uint16_t misc)
{
	struct pfx_body body = {.type = type, .misc = misc, .id = {.pid = tid, .tid = tid}};
	struct pfx_buffer bytes = {0};
	struct pfx_record rec;
	uint32_t nr;

	if (type == PFX_RECORD_EXIT)
		body.task = (struct pfx_task){.pid = tid, .tid = tid};
	rec = record_of(&body, &events[0], &bytes);
	nr = pfx_running_take(running, &rec);
	pfx_buffer_fini(&bytes);
	return nr;
}

static void threads_run_from_switch_to_switch(void **state)
{
	struct pfx_running running = {0};

	(void)state;
	assert_int_equal(after(&running, PFX_RECORD_SWITCH, 5, 0), 1);
	assert_int_equal(after(&running, PFX_RECORD_SWITCH, 5, 0), 1);
	assert_int_equal(after(&running, PFX_RECORD_SWITCH_CPU_WIDE, 6, 0), 2);
	assert_int_equal(after(&running, PFX_RECORD_SWITCH, 0, 0), 2); /* an idle CPU */
	assert_int_equal(after(&running, PFX_RECORD_LOST_SAMPLES, 7, 0), 2);
	assert_int_equal(after(&running, PFX_RECORD_SWITCH, 5, PFX_MISC_SWITCH_OUT), 1);
	assert_int_equal(after(&running, PFX_RECORD_SWITCH, 5, PFX_MISC_SWITCH_OUT), 1);
	assert_int_equal(after(&running, PFX_RECORD_EXIT, 6, 0), 0);
	pfx_running_fini(&running);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lost_samples_are_added_up_by_event),
		cmocka_unit_test(counters_are_added_up_by_thread),
		cmocka_unit_test(threads_run_from_switch_to_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
