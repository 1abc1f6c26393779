/* SPDX-License-Identifier: MIT */
/* Ring buffers in plain memory instead of the kernel's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "sys/counter/ring.h"

#define RING_SIZE 4096u
#define HEAD_AT   1024
#define TAIL_AT   1032

/* A ring buffer that the test fills instead of the kernel. */
struct fake {
	uint8_t *page;
	struct pfx_ring ring;
};

static uint64_t *head_of(struct fake *f)
{
	return (uint64_t *)(f->page + HEAD_AT);
}

static uint64_t tail_of(struct fake *f)
{
	uint64_t tail;

	memcpy(&tail, f->page + TAIL_AT, sizeof(tail));
	return tail;
}

static void fake_init(struct fake *f, uint64_t start)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	f->page = pfx_calloc(1, page + RING_SIZE);
	memcpy(f->page + HEAD_AT, &start, sizeof(start));
	memcpy(f->page + TAIL_AT, &start, sizeof(start));
	pfx_ring_init(&f->ring, f->page, RING_SIZE);
}

/* Store bytes as the kernel would. */
static void fake_store(struct fake *f, const void *data, size_t size)
{
	uint8_t *ring = f->page + sysconf(_SC_PAGESIZE);
	uint64_t head = *head_of(f);
	size_t i;

	for (i = 0; i < size; i++)
		ring[(head + i) & (RING_SIZE - 1)] = ((const uint8_t *)data)[i];
	*head_of(f) = head + size;
}

static void empty_ring(void **state)
{
	struct fake f;

	(void)state;
	fake_init(&f, 0);
	assert_int_equal(pfx_ring_snapshot(&f.ring), 0);
	free(f.page);
}

static void bytes_in_one_piece(void **state)
{
	struct fake f;
	char bytes[8];

	(void)state;
	fake_init(&f, 8 * RING_SIZE + 64);
	fake_store(&f, "01234567", 8);
	assert_int_equal(pfx_ring_snapshot(&f.ring), 8);
	pfx_ring_copy(&f.ring, f.ring.tail, bytes, 8);
	assert_memory_equal(bytes, "01234567", 8);
	assert_int_equal(tail_of(&f), 8 * RING_SIZE + 64);
	pfx_ring_release(&f.ring);
	assert_int_equal(tail_of(&f), 8 * RING_SIZE + 72);
	assert_int_equal(pfx_ring_snapshot(&f.ring), 0);
	free(f.page);
}

static void bytes_around_the_end(void **state)
{
	struct fake f;
	char bytes[24];

	(void)state;
	fake_init(&f, RING_SIZE - 8);
	fake_store(&f, "0123456789abcdefABCDEFGH", 24);
	assert_int_equal(pfx_ring_snapshot(&f.ring), 24);
	pfx_ring_copy(&f.ring, f.ring.tail, bytes, 24);
	assert_memory_equal(bytes, "0123456789abcdefABCDEFGH", 24);
	pfx_ring_copy(&f.ring, f.ring.tail + 8, bytes, 16);
	assert_memory_equal(bytes, "89abcdefABCDEFGH", 16);
	pfx_ring_release(&f.ring);
	assert_int_equal(f.ring.high, 24);
	free(f.page);
}

static void full_ring(void **state)
{
	uint8_t bytes[RING_SIZE], copy[RING_SIZE];
	struct fake f;

	(void)state;
	memset(bytes, 7, sizeof(bytes));
	fake_init(&f, 16);
	fake_store(&f, bytes, sizeof(bytes));
	assert_int_equal(pfx_ring_snapshot(&f.ring), RING_SIZE);
	pfx_ring_copy(&f.ring, f.ring.tail, copy, sizeof(copy));
	assert_memory_equal(copy, bytes, sizeof(copy));
	free(f.page);
}

/* Store a record as the kernel does in an overwritable ring buffer. */
static void fake_store_back(struct fake *f, uint16_t size, uint8_t fill)
{
	uint8_t *ring = f->page + sysconf(_SC_PAGESIZE), record[RING_SIZE];
	uint64_t head = *head_of(f) - size;
	size_t i;

	memset(record, fill, size);
	memset(record, 0, 8);
	memcpy(record + 6, &size, sizeof(size));
	for (i = 0; i < size; i++)
		ring[(head + i) & (RING_SIZE - 1)] = record[i];
	*head_of(f) = head;
}

static void backward_ring_gives_the_oldest_first(void **state)
{
	uint8_t to[RING_SIZE], *at;
	struct fake f;
	size_t size;

	(void)state;
	fake_init(&f, 0);
	at = pfx_ring_collect(&f.ring, to, &size);
	assert_int_equal(size, 0);
	fake_store_back(&f, 16, 1);
	fake_store_back(&f, 24, 2);
	assert_int_equal(pfx_ring_passed(&f.ring), 40);
	at = pfx_ring_collect(&f.ring, to, &size);
	assert_int_equal(size, 40);
	assert_ptr_equal(at, to + RING_SIZE - 40);
	assert_int_equal(at[8], 1);
	assert_int_equal(at[16 + 8], 2);
	/* the second time only the newer records */
	fake_store_back(&f, 32, 3);
	at = pfx_ring_collect(&f.ring, to, &size);
	assert_int_equal(size, 32);
	assert_int_equal(at[8], 3);
	pfx_ring_collect(&f.ring, to, &size);
	assert_int_equal(size, 0);
	free(f.page);
}

static void backward_ring_forgets_the_oldest(void **state)
{
	uint8_t to[RING_SIZE], *at;
	struct fake f;
	size_t size;
	unsigned i;

	(void)state;
	fake_init(&f, 0);
	for (i = 0; i < 200; i++)
		fake_store_back(&f, 40, (uint8_t)i);
	assert_int_equal(pfx_ring_passed(&f.ring), 8000);
	at = pfx_ring_collect(&f.ring, to, &size);
	/* 102 whole records of 40 bytes, and an incomplete one that does not count */
	assert_int_equal(size, 4080);
	assert_int_equal(at[8], 200 - 102);
	assert_int_equal(at[4080 - 8], 199);
	free(f.page);
}

/* Records after the snapshot wait for the next one. */
static void snapshot_does_not_move(void **state)
{
	struct fake f;

	(void)state;
	fake_init(&f, 0);
	fake_store(&f, "01234567", 8);
	pfx_ring_snapshot(&f.ring);
	fake_store(&f, "89abcdef", 8);
	assert_int_equal(f.ring.head - f.ring.tail, 8);
	pfx_ring_release(&f.ring);
	assert_int_equal(pfx_ring_snapshot(&f.ring), 8);
	free(f.page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_ring),
		cmocka_unit_test(bytes_in_one_piece),
		cmocka_unit_test(bytes_around_the_end),
		cmocka_unit_test(full_ring),
		cmocka_unit_test(backward_ring_gives_the_oldest_first),
		cmocka_unit_test(backward_ring_forgets_the_oldest),
		cmocka_unit_test(snapshot_does_not_move),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
