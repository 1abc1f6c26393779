/* SPDX-License-Identifier: MIT */
/* The iterator over a recording: its order, when the session changes, and its counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/str.h"
#include "kit/kit.h"
#include "read/recording.h"
#include "unit/file/recording.h"

#define PATH "test-recording.data"

static const char text[] =
	"event cycles type=hw freq=4000 sample=ip,tid,time,period,callchain "
	"flags=sample_id_all,mmap2,defer_callchain,defer_output\n"
	"feature hostname str=h\n"
	"comm pid=10 tid=10 time=1 before\n"
	"mmap2 pid=10 tid=10 addr=0x400000 len=0x10000 prot=5 flags=2 time=2 /no/such/file\n"
	"sample ip=0xffffffff81000100 pid=10 tid=10 time=10 period=3 mode=kernel "
	"chain=kernel,0xffffffff81000100,deferred,0xb06\n"
	"callchain_deferred pid=10 tid=10 cookie=0xb06 ips=0xfffffffffffffe00,0x401000 time=20\n"
	"comm pid=10 tid=10 time=30 after\n"
	"sample ip=0x401010 pid=10 tid=10 time=40 period=5 chain=user,0x401010\n";

static struct pfx_recording *open_text(const char *description,
				       const struct pfx_recording_options *options)
{
	const struct pfx_kit_options little = {0};
	struct pfx_recording *recording = NULL;
	struct pfx_buffer bytes = {0};
	struct pfx_error err = {0};

	assert_int_equal(pfx_kit_build(description, &little, &bytes, &err), 0);
	assert_int_equal(save_bytes(PATH, bytes.at, bytes.len), 0);
	pfx_buffer_fini(&bytes);
	assert_int_equal(pfx_recording_open(&recording, PATH, options, &err), 0);
	return recording;
}

static void next_is(struct pfx_recording *recording, uint32_t type, struct pfx_item *item)
{
	struct pfx_error err = {0};

	assert_int_equal(pfx_recording_next(recording, item, &err), 1);
	assert_int_equal(item->rec.type, type);
	assert_true((item->sample != NULL) == (type == PFX_RECORD_SAMPLE));
}

static const char *comm(const struct pfx_recording *recording)
{
	return pfx_session_thread(pfx_recording_session(recording), 10, 10)->comm->text;
}

static void late_frames_are_put_in(void **state)
{
	struct pfx_recording *recording = open_text(text, NULL);
	struct pfx_error err = {0};
	struct pfx_item item;

	(void)state;
	assert_true(pfx_recording_stats(recording)->nothing_read);
	next_is(recording, PFX_RECORD_COMM, &item);
	next_is(recording, PFX_RECORD_MMAP2, &item);
	next_is(recording, PFX_RECORD_CALLCHAIN_DEFERRED, &item);
	next_is(recording, PFX_RECORD_SAMPLE, &item);
	assert_int_equal(item.sample->period, 3);
	assert_int_equal(item.sample->chain.nr, 4);
	assert_int_equal(pfx_word(&item.sample->chain, 3), 0x401000);
	next_is(recording, PFX_RECORD_COMM, &item);
	next_is(recording, PFX_RECORD_SAMPLE, &item);
	assert_int_equal(item.sample->period, 5);
	assert_int_equal(pfx_recording_finish(recording, &err), 0);
	assert_int_equal(pfx_recording_stats(recording)->nr_samples, 2);
	assert_int_equal(pfx_recording_stats(recording)->nr_bad_samples, 0);
	assert_false(pfx_recording_stats(recording)->nothing_read);
	pfx_recording_free(recording);
}

static void records_are_applied_after_they_were_handed_out(void **state)
{
	const struct pfx_recording_options apart = {.late_frames_apart = true};
	struct pfx_recording *recording = open_text(text, &apart);
	struct pfx_item item;

	(void)state;
	next_is(recording, PFX_RECORD_COMM, &item);
	assert_string_equal(comm(recording), ":10");
	pfx_recording_apply(recording);
	assert_string_equal(comm(recording), "before");
	next_is(recording, PFX_RECORD_MMAP2, &item);
	next_is(recording, PFX_RECORD_SAMPLE, &item);
	assert_int_equal(item.sample->chain.nr, 4);
	assert_int_equal(pfx_word(&item.sample->chain, 3), 0xb06);
	next_is(recording, PFX_RECORD_CALLCHAIN_DEFERRED, &item);
	next_is(recording, PFX_RECORD_COMM, &item);
	assert_string_equal(comm(recording), "before");
	pfx_recording_drop(recording);
	next_is(recording, PFX_RECORD_SAMPLE, &item);
	assert_string_equal(comm(recording), "before");
	pfx_recording_free(recording);
}

static void as_they_lie_nothing_is_applied(void **state)
{
	const struct pfx_recording_options how = {.as_it_lies = true};
	struct pfx_recording *recording = open_text(text, &how);
	struct pfx_error err = {0};
	struct pfx_item item;

	(void)state;
	assert_null(pfx_recording_session(recording));
	assert_null(pfx_recording_order_stats(recording));
	assert_int_equal(pfx_recording_next(recording, &item, &err), 1);
	assert_int_equal(item.rec.type, PFX_RECORD_COMM);
	assert_null(item.sample);
	assert_int_equal(pfx_recording_finish(recording, &err), 0);
	pfx_recording_free(recording);
}

/* 1,200 samples with stacks, two for each thread, and a COMM in between: more than two batches. */
static char *text_of_stacks(void)
{
	struct pfx_str to = {0};
	unsigned i;

	pfx_str_add(&to, "event cycles type=hw freq=4000 sample=ip,tid,time,period,regs_user,"
			 "stack_user regs_user=0xff stack=64\n"
			 "feature arch str=x86_64\n");
	for (i = 0; i < 1200; i++)
		pfx_str_addf(&to,
			     "sample ip=0x400000 pid=1 tid=1 time=%u period=%u abi=2 "
			     "regs=1,2,3,4,5,6,7,8 stack=0102030405060708 dyn=8\n",
			     i * 10 + 1, i + 1);
	pfx_str_add(&to, "comm pid=1 tid=1 time=20000 end\n");
	return to.at;
}

static bool every_third(void *context, const struct pfx_event *event,
			const struct pfx_sample *sample)
{
	unsigned *nr = context;

	assert_non_null(event);
	return ++*nr % 3 == 0 && sample->stack.size;
}

static void batches_keep_the_order(void **state)
{
	const struct pfx_resolve_options resolving = {.max_stack = 127};
	char *description = text_of_stacks();
	struct pfx_recording *recording = open_text(description, NULL);
	struct pfx_error err = {0};
	unsigned asked = 0, i;
	struct pfx_item item;

	(void)state;
	pfx_recording_resolve(recording, &resolving);
	pfx_recording_batch(recording, every_third, &asked);
	for (i = 1; i <= 1200; i++) {
		next_is(recording, PFX_RECORD_SAMPLE, &item);
		assert_int_equal(item.sample->period, i);
		assert_int_equal(item.rec.time, i * 10 - 9);
	}
	next_is(recording, PFX_RECORD_COMM, &item);
	assert_int_equal(pfx_recording_next(recording, &item, &err), 0);
	assert_int_equal(pfx_recording_stats(recording)->nr_samples, 1200);
	/* With one CPU, stacks are not unwound ahead. */
	assert_true(asked == 0 || asked == 1200);
	pfx_recording_free(recording);
	free(description);
}

static void what_is_no_recording_is_refused(void **state)
{
	struct pfx_recording *recording = NULL;
	struct pfx_error err = {0};

	(void)state;
	assert_int_equal(pfx_recording_open(&recording, "/no/such/file", NULL, &err), -ENOENT);
	assert_null(recording);
	assert_int_equal(save_bytes(PATH, "rubbish", 7), 0);
	assert_true(pfx_recording_open(&recording, PATH, NULL, &err) < 0);
	pfx_recording_free(recording);
}

static int drop_file(void **state)
{
	(void)state;
	unlink(PATH);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_frames_are_put_in),
		cmocka_unit_test(records_are_applied_after_they_were_handed_out),
		cmocka_unit_test(as_they_lie_nothing_is_applied),
		cmocka_unit_test(batches_keep_the_order),
		cmocka_unit_test(what_is_no_recording_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, drop_file);
}
