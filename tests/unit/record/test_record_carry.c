/* SPDX-License-Identifier: MIT */
/* Records of ended threads for the next file of a recording. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "event/record.h"
#include "record/sink/carry.h"

#define GONE 100 /* only this thread is not running */
#define RUNS 200

static bool runs(uint32_t tid)
{
	return tid == RUNS;
}

static void take(struct pfx_carry *carry, const struct pfx_body *body)
{
	struct pfx_buffer record = {0};

	pfx_record_encode(body, NULL, &record);
	pfx_carry_take(carry, record.at, record.len);
	pfx_buffer_fini(&record);
}

static void take_comm(struct pfx_carry *carry, uint32_t tid, const char *name)
{
	take(carry, &(struct pfx_body){.type = PFX_RECORD_COMM, .comm = {tid, tid, name}});
}

static void take_map(struct pfx_carry *carry, uint32_t pid, const char *name)
{
	struct pfx_mmap map = {.pid = pid, .tid = pid, .len = 4096, .filename = name};

	take(carry, &(struct pfx_body){.type = PFX_RECORD_MMAP, .mmap = map});
}

static void take_task(struct pfx_carry *carry, uint32_t type, uint32_t tid)
{
	take(carry, &(struct pfx_body){.type = type, .task = {tid, 1, tid, 1, 0}});
}

/* The records for the next file, as words: names of threads and files, "fork". */
static void expect(struct pfx_carry *carry, const char *wanted)
{
	struct pfx_buffer to = {0};
	struct pfx_str words = {0};
	struct pfx_record rec;
	struct pfx_body body;
	size_t at;

	pfx_str_addf(&words, "%s", "");
	pfx_carry_switch(carry, runs, &to);
	for (at = 0; at < to.len; at += rec.size) {
		pfx_record_init(&rec, to.at + at, false, 0);
		assert_true(pfx_record_decode(&rec, NULL, &body, NULL) >= 0);
		pfx_str_addf(&words, "%s%s", at ? " " : "",
			     body.type == PFX_RECORD_COMM   ? body.comm.comm
			     : body.type == PFX_RECORD_MMAP ? body.mmap.filename
			     : body.type == PFX_RECORD_FORK ? "fork"
							    : "else");
	}
	assert_string_equal(words.at, wanted);
	pfx_str_fini(&words);
	pfx_buffer_fini(&to);
}

static void test_gone_in_order(void **state)
{
	struct pfx_carry carry = {0};

	(void)state;
	take_task(&carry, PFX_RECORD_FORK, GONE);
	take_comm(&carry, RUNS, "lives");
	take_comm(&carry, GONE, "gone");
	take_map(&carry, GONE, "/lib");
	take_map(&carry, RUNS, "/bin");
	take_map(&carry, UINT32_MAX, "[kernel]");
	take_comm(&carry, 0, "swapper");
	expect(&carry, "fork gone /lib");
	/* it may still have samples: it has no EXIT record yet */
	expect(&carry, "fork gone /lib");
	take_task(&carry, PFX_RECORD_EXIT, GONE);
	expect(&carry, "fork gone /lib");
	expect(&carry, "");
	pfx_carry_fini(&carry);
}

static void test_ended_once_more(void **state)
{
	struct pfx_carry carry = {0};

	(void)state;
	take_comm(&carry, GONE, "gone");
	take_task(&carry, PFX_RECORD_EXIT, GONE);
	expect(&carry, "gone");
	expect(&carry, "");
	/* another thread with its id */
	take_task(&carry, PFX_RECORD_FORK, GONE);
	take_comm(&carry, GONE, "other");
	expect(&carry, "fork other");
	take_task(&carry, PFX_RECORD_EXIT, GONE);
	expect(&carry, "fork other");
	expect(&carry, "");
	pfx_carry_fini(&carry);
}

static void test_memory_is_bounded(void **state)
{
	struct pfx_carry carry = {0};
	uint32_t i;

	(void)state;
	take_comm(&carry, GONE, "gone");
	for (i = 0; i < 1000000; i++) {
		take_comm(&carry, 1000 + i, "storm");
		take_task(&carry, PFX_RECORD_EXIT, 1000 + i);
		assert_true(carry.records.len <= (size_t)4 << 20);
	}
	assert_true(carry.ended.nr < 200000);
	/* running threads are kept, regardless of their number */
	for (i = 0; i < 200000; i++)
		take_comm(&carry, 2000000 + i, "alive");
	assert_true(carry.records.len >= (size_t)200000 * 24);
	pfx_carry_fini(&carry);
}

static void test_wrong_records(void **state)
{
	static const uint32_t words[] = {PFX_RECORD_COMM, 8u << 16};
	struct pfx_carry carry = {0};

	(void)state;
	pfx_carry_take(&carry, (const uint8_t *)words, sizeof(words));
	take(&carry, &(struct pfx_body){.type = PFX_RECORD_LOST_SAMPLES, .lost_samples = 3});
	assert_int_equal(carry.records.len, 0);
	expect(&carry, "");
	pfx_carry_fini(&carry);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gone_in_order),
		cmocka_unit_test(test_ended_once_more),
		cmocka_unit_test(test_memory_is_bounded),
		cmocka_unit_test(test_wrong_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
