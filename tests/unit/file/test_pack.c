/* SPDX-License-Identifier: MIT */
/* COMPRESSED records: their sizes, their description in the header, a new stream for a new file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event/record.h"
#include "file/pack/pack.h"

#define INPUT (3u << 20)

/* Bytes that compress badly, so that records reach their maximum size. */
static uint8_t *noise(void)
{
	uint8_t *data = malloc(INPUT);
	uint64_t x = 88172645463325252ull;
	size_t i;

	for (i = 0; i < INPUT; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		data[i] = (uint8_t)x;
	}
	return data;
}

static void check_records(const struct pfx_buffer *buffer, uint64_t expected)
{
	uint64_t total = 0;
	uint32_t type;
	uint16_t size;
	size_t at;

	for (at = 0; at < buffer->len; at += size) {
		memcpy(&type, buffer->at + at, sizeof(type));
		memcpy(&size, buffer->at + at + 6, sizeof(size));
		assert_int_equal(type, PFX_RECORD_COMPRESSED);
		assert_true(size > PFX_RECORD_HEADER_SIZE);
		total += size;
	}
	assert_int_equal(at, buffer->len);
	assert_int_equal(total, expected);
}

static void test_records(void **state)
{
	struct pfx_error err = {0};
	struct pfx_buffer to = {0};
	struct pfx_pack *pack;
	struct pfx_env env = {0};
	uint8_t *data;

	if (pfx_pack_new(&pack, 1, &err) < 0)
		skip();
	data = noise();
	assert_int_equal(pfx_pack_bytes(pack, data, INPUT, &to, &err), 0);
	assert_int_equal(pfx_pack_original(pack), INPUT);
	check_records(&to, pfx_pack_packed(pack));
	pfx_pack_describe(pack, &env);
	assert_int_equal(env.comp_type, 1);
	assert_int_equal(env.comp_level, 1);
	assert_int_equal(env.comp_ratio, 1);
	assert_true(env.comp_mmap_len >= 512u << 10);

	assert_int_equal(pfx_pack_restart(pack, &err), 0);
	assert_int_equal(pfx_pack_packed(pack), 0);
	pfx_buffer_clear(&to);
	memset(data, 0, INPUT);
	assert_int_equal(pfx_pack_bytes(pack, data, INPUT, &to, &err), 0);
	check_records(&to, pfx_pack_packed(pack));
	assert_true(pfx_pack_packed(pack) < INPUT / 100);
	pfx_buffer_fini(&to);
	pfx_pack_free(pack);
	pfx_pack_free(NULL);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
