/* SPDX-License-Identifier: MIT */
/* The builder of test files: its layouts byte by byte, and its errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cursor.h"
#include "kit/kit.h"

static const char recording[] = "event cycles type=hw freq=99 sample=ip,tid ids=7,8\n"
				"feature hostname str=box\n"
				"sample ip=0x1234 pid=5 tid=6 # a comment\n";

static void build(const char *text, bool big_endian, bool pipe, struct pfx_buffer *ret)
{
	const struct pfx_kit_options options = {.big_endian = big_endian, .pipe = pipe};
	struct pfx_error err = {0};

	if (pfx_kit_build(text, &options, ret, &err) < 0)
		fail_msg("%s", err.text);
}

static uint64_t at64(const struct pfx_buffer *buf, uint64_t offset)
{
	assert_true(offset + 8 <= buf->len);
	return pfx_load64(buf->at + offset, buf->swap);
}

static void test_file_layout(void **state)
{
	int big;

	(void)state;
	for (big = 0; big < 2; big++) {
		struct pfx_buffer buf = {0};
		uint64_t attrs, data;

		build(recording, big, false, &buf);
		assert_memory_equal(buf.at, big ? "2ELIFREP" : "PERFILE2", 8);
		assert_int_equal(at64(&buf, 8), 104);
		assert_int_equal(at64(&buf, 16), 144);
		attrs = at64(&buf, 24);
		data = at64(&buf, 40);
		assert_int_equal(at64(&buf, 32), 144);
		assert_int_equal(at64(&buf, 48), 24);
		assert_int_equal(at64(&buf, 72), 1 << 3);
		assert_int_equal(at64(&buf, 104), 7);
		assert_int_equal(at64(&buf, 112), 8);
		assert_int_equal(attrs, 120);
		assert_int_equal(at64(&buf, attrs + 16), 99);
		assert_int_equal(at64(&buf, attrs + 128), 104);
		assert_int_equal(at64(&buf, attrs + 136), 16);
		assert_int_equal(data, attrs + 144);
		assert_int_equal(at64(&buf, data + 8), 0x1234);
		assert_int_equal(pfx_load32(buf.at + data + 20, buf.swap), 6);
		assert_int_equal(at64(&buf, data + 24), data + 24 + 16);
		assert_int_equal(at64(&buf, data + 32), 68);
		assert_int_equal(buf.len, data + 24 + 16 + 68);
		assert_string_equal((const char *)buf.at + data + 44, "box");
		pfx_buffer_fini(&buf);
	}
}

static void test_stream_layout(void **state)
{
	struct pfx_buffer buf = {0};

	(void)state;
	build(recording, false, true, &buf);
	assert_int_equal(at64(&buf, 8), 16);
	assert_int_equal(at64(&buf, 16), 64 | 152ull << 48); /* HEADER_ATTR */
	assert_int_equal(at64(&buf, 168), 80 | 84ull << 48); /* HEADER_FEATURE */
	assert_int_equal(at64(&buf, 176), 3);
	assert_int_equal(at64(&buf, 252), 80 | 16ull << 48); /* their end */
	assert_int_equal(at64(&buf, 268), 9 | 2ull << 32 | 24ull << 48);
	assert_int_equal(buf.len, 292);
	pfx_buffer_fini(&buf);
}

static void test_words(void **state)
{
	struct pfx_buffer buf = {0};
	uint64_t data;

	(void)state;
	build("event x\nraw u8=1 u16=-1 u32=0x10 u64=2 text=\"a b\\n\\x41\" bytes=00ff zeros=2 "
	      "align=8\n",
	      true, false, &buf);
	data = at64(&buf, 40);
	assert_int_equal(at64(&buf, 48) % 8, 0);
	assert_memory_equal(buf.at + data,
			    "\1\377\377\0\0\0\20\0\0\0\0\0\0\0\2"
			    "a b\nA\0\377\0\0",
			    24);
	pfx_buffer_fini(&buf);
}

static void test_damage(void **state)
{
	struct pfx_buffer buf = {0};

	(void)state;
	build("event x\npatch at=16 u64=5\ncut 30\n", false, false, &buf);
	assert_int_equal(buf.len, 30);
	assert_int_equal(at64(&buf, 16), 5);
	pfx_buffer_fini(&buf);
	build("event x\ncut -240\n", false, false, &buf);
	assert_int_equal(buf.len, 8);
	pfx_buffer_fini(&buf);
}

static void test_errors(void **state)
{
	static const char *const wrong[] = {
		"nonsense",
		"event x type=nothing",
		"event x sample=ip,nothing",
		"event x what=1",
		"event x\nsample ip=zz",
		"sample ip=1",
		"event x\ncomm pid=1",
		"event x\nsample chain=user,nobody",
		"event x\nraw bytes=0g",
		"event x\nraw bytes=000",
		"event x\nraw u128=1",
		"feature nothing str=x",
		"cut",
		"cut x",
		"event x\npatch at=100000 u8=1",
		"key=value",
		"dso x",
		"file bitmap_word=3",
		"part data.x",
		"event x\npack\ncomm x",
		"event x\nunpack",
		"event x\npack\npart data.0",
	};
	const struct pfx_kit_options options = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct pfx_buffer buf = {0};
		struct pfx_error err = {0};

		if (pfx_kit_build(wrong[i], &options, &buf, &err) >= 0)
			fail_msg("taken: %s", wrong[i]);
		assert_string_not_equal(err.text, "");
		pfx_buffer_fini(&buf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_layout), cmocka_unit_test(test_stream_layout),
		cmocka_unit_test(test_words),       cmocka_unit_test(test_damage),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
