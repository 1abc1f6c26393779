/* SPDX-License-Identifier: MIT */
/* The queue between its producer and its thread: order, bounds, errors. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "file/buffer/queue.h"

struct sink {
	uint64_t sum, nr_bytes, next; /* next: the expected value */
	uint64_t nr_requests, last_request, bytes_at_request;
	bool out_of_order;
	uint64_t fail_after;
};

static int take(void *context, const uint8_t *data, size_t size, struct pfx_error *err)
{
	struct sink *sink = context;
	uint64_t value;
	size_t i;

	if (!data) {
		sink->nr_requests++;
		sink->last_request = size;
		sink->bytes_at_request = sink->nr_bytes;
		return 0;
	}
	if (sink->fail_after && sink->nr_bytes >= sink->fail_after)
		return pfx_error_set(err, ENOSPC, "the disk is full");
	for (i = 0; i + 8 <= size; i += 8) {
		memcpy(&value, data + i, 8);
		sink->out_of_order |= value != sink->next++;
	}
	sink->nr_bytes += size;
	return 0;
}

/* Put @nr consecutive words in, flushing after every @pass of them. */
static int fill(struct pfx_queue *queue, uint64_t nr, uint64_t pass, struct pfx_error *err)
{
	uint64_t i;
	size_t room;
	int rc = 0;

	for (i = 0; i < nr && rc >= 0; i++) {
		memcpy(pfx_queue_room(queue, 8, &room), &i, 8);
		assert_true(room >= 8);
		pfx_queue_put(queue, 8);
		if (i % pass == pass - 1)
			rc = pfx_queue_flush(queue, err);
	}
	return rc;
}

static void test_order(void **state)
{
	static const uint64_t passes[] = {1, 3, 1000, 1u << 30};
	struct pfx_error err = {0};
	size_t i;

	for (i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
		struct sink sink = {0};
		struct pfx_queue *queue;
		uint64_t nr = passes[i] == 1 ? 100000 : 4000000;

		assert_int_equal(pfx_queue_new(&queue, 0, take, &sink, &err), 0);
		assert_int_equal(fill(queue, nr, passes[i], &err), 0);
		assert_int_equal(pfx_queue_finish(&queue, &err), 0);
		assert_int_equal(sink.nr_bytes, nr * 8);
		assert_false(sink.out_of_order);
	}
}

static void test_requests(void **state)
{
	struct sink sink = {0};
	struct pfx_error err = {0};
	struct pfx_queue *queue;
	uint64_t full, high;

	assert_int_equal(pfx_queue_new(&queue, 64u << 20, take, &sink, &err), 0);
	assert_int_equal(fill(queue, 1000, 10000, &err), 0);
	assert_int_equal(pfx_queue_ask(queue, 7, &err), 0);
	assert_int_equal(pfx_queue_ask(queue, 8, &err), 0);
	pfx_queue_stats(queue, &full, &high);
	assert_int_equal(full, 0);
	assert_int_equal(high, 8000);
	assert_int_equal(pfx_queue_finish(&queue, &err), 0);
	assert_int_equal(sink.nr_requests, 2);
	assert_int_equal(sink.last_request, 8);
	assert_int_equal(sink.bytes_at_request, 8000);
}

static void test_error(void **state)
{
	struct sink sink = {.fail_after = 100000};
	struct pfx_error err = {0};
	struct pfx_queue *queue;

	assert_int_equal(pfx_queue_new(&queue, 0, take, &sink, &err), 0);
	/* The producer does not block after the queue's work has failed. */
	fill(queue, 5000000, 1000, &err);
	assert_int_equal(pfx_queue_finish(&queue, &err), -ENOSPC);
	assert_string_equal(err.text, "the disk is full");
	assert_false(sink.out_of_order);
	assert_null(queue);
	assert_int_equal(pfx_queue_finish(&queue, &err), 0);
}

static int wait_until_told(void *context, const uint8_t *data, size_t size, struct pfx_error *err)
{
	while (!__atomic_load_n((bool *)context, __ATOMIC_ACQUIRE))
		usleep(1000);
	return 0;
}

static void note_wait(void *context, unsigned waited_ms)
{
	assert_int_equal(waited_ms % 100, 0);
	__atomic_store_n((bool *)context, true, __ATOMIC_RELEASE);
}

/* Set by the other thread. */
static bool is_set(const volatile bool *flag)
{
	return *flag;
}

/* While the producer waits, the callback is called again and again, for space as well as at the
 * end. */
static void test_waits(void **state)
{
	struct pfx_queue *queue;
	struct pfx_error err;
	bool goes_on;
	size_t room;
	int i;

	for (i = 0; i < 2; i++) {
		goes_on = false;
		assert_int_equal(pfx_queue_new(&queue, 0, wait_until_told, &goes_on, &err), 0);
		pfx_queue_on_wait(queue, note_wait, &goes_on);
		pfx_queue_room(queue, PFX_QUEUE_CHUNK, &room);
		pfx_queue_put(queue, PFX_QUEUE_CHUNK);
		pfx_queue_flush(queue, NULL);
		/* There are only two chunks: the third one has to wait. */
		while (i == 0 && !is_set(&goes_on)) {
			pfx_queue_room(queue, PFX_QUEUE_CHUNK, &room);
			pfx_queue_put(queue, PFX_QUEUE_CHUNK);
			pfx_queue_flush(queue, NULL);
		}
		assert_int_equal(pfx_queue_finish(&queue, &err), 0);
		assert_true(goes_on);
	}
}

/* --- what is left when the process is killed --- */

static uint64_t position(void *context)
{
	return 4096;
}

static bool first_is_begun(const struct pfx_queue *queue)
{
	struct pfx_queue_rest rest = {0};

	return pfx_queue_next_rest(queue, &rest) && rest.is_begun;
}

/* The thread works on the first chunk, the others wait or are filled. */
static void test_rest(void **state)
{
	static const size_t sizes[] = {100, PFX_QUEUE_CHUNK, 200, PFX_QUEUE_CHUNK - 8, 300};
	struct pfx_queue_rest rest = {0};
	struct pfx_error err = {0};
	struct pfx_queue *queue;
	bool goes_on = false;
	size_t room, i;
	uint8_t *to;

	assert_int_equal(pfx_queue_new(&queue, 32u << 20, wait_until_told, &goes_on, &err), 0);
	pfx_queue_on_begin(queue, position);
	assert_false(pfx_queue_next_rest(queue, &rest));
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		to = pfx_queue_room(queue, sizes[i], &room);
		memset(to, 'a' + (int)i, sizes[i]);
		assert_false(pfx_queue_ends_at(queue, to + sizes[i]));
		pfx_queue_put(queue, sizes[i]);
		assert_true(pfx_queue_ends_at(queue, to + sizes[i]));
		/* Until the thread has it: a chunk that waits would be filled further. */
		if (i == 0)
			assert_int_equal(pfx_queue_flush(queue, &err), 0);
		while (i == 0 && !first_is_begun(queue))
			usleep(1000);
	}
	memset(&rest, 0, sizeof(rest));
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		assert_true(pfx_queue_next_rest(queue, &rest));
		assert_int_equal(rest.size, sizes[i]);
		assert_int_equal(rest.data[rest.size - 1], 'a' + i);
		assert_int_equal(rest.is_begun, i == 0);
		if (rest.is_begun)
			assert_int_equal(rest.begin, 4096);
	}
	assert_false(pfx_queue_next_rest(queue, &rest));
	__atomic_store_n(&goes_on, true, __ATOMIC_RELEASE);
	assert_int_equal(pfx_queue_finish(&queue, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order), cmocka_unit_test(test_requests),
		cmocka_unit_test(test_error), cmocka_unit_test(test_waits),
		cmocka_unit_test(test_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
