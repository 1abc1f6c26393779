/* SPDX-License-Identifier: MIT */
/*
 * Recovery after damage: invalid bytes of every length between records, sizes that are too large,
 * overwritten parts of a file, the same through a pipe, in a directory and in compressed records;
 * and the errors of a strict reader.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit/base/tree.h"
#include "unit/file/recording.h"

#define NR 100 /* samples on each side of the damage */

static struct tree tree;
static char path[128];

static int set_up(void **state)
{
	tree_init(&tree);
	tree_path(&tree, path, sizeof(path), "/perf.data");
	return 0;
}

static int tear_down(void **state)
{
	tree_fini(&tree);
	return 0;
}

static void put_samples(struct pfx_buffer *to, uint64_t from, uint64_t nr)
{
	uint64_t i;

	for (i = from; i < from + nr; i++)
		put_sample(to, 0x1000 + i, 100 + i);
}

static struct outcome read_records(const struct pfx_buffer *records, bool strict)
{
	const struct pfx_reader_options options = {.strict = strict};
	struct pfx_meta *meta = test_meta(records->swap);

	assert_int_equal(write_recording(path, meta, records), 0);
	pfx_meta_free(meta);
	return read_recording(path, &options);
}

static uint64_t next_random(uint64_t *x)
{
	*x = *x * 6364136223846793005ull + 1442695040888963407ull;
	return *x >> 33;
}

/* Invalid bytes of any length and kind: all records around them are returned, and all bytes are
 * counted. */
static void check_rubbish(size_t len, int kind, bool swap)
{
	struct pfx_buffer b = {.swap = swap};
	uint64_t x = len + 1;
	struct outcome out;
	size_t i;

	put_samples(&b, 0, NR);
	for (i = 0; i < len; i++)
		pfx_buffer_u8(&b, kind == 0 ? 0 : kind == 1 ? 0xff : 0x80 | next_random(&x));
	put_samples(&b, NR, NR);
	out = read_records(&b, false);
	assert_int_equal(out.rc, 0);
	assert_int_equal(out.nr_samples, 2 * NR);
	assert_int_equal(out.damage.bytes_skipped, len);
	assert_int_equal(out.damage.nr_places, len != 0);
	assert_int_equal(out.damage.nr_bad, 0);
	out = read_records(&b, true);
	assert_int_equal(out.rc, len ? -EBADMSG : 0);
	pfx_buffer_fini(&b);
}

static void rubbish_between_records(void **state)
{
	size_t len;
	int kind;

	for (kind = 0; kind < 3; kind++) {
		for (len = 0; len < 100; len++) {
			check_rubbish(len, kind, false);
			check_rubbish(len, kind, true);
		}
		for (len = 4096; len < 2000000; len = len * 5 + 3)
			check_rubbish(len, kind, len & 1);
	}
}

/* The size of one record is overwritten: no other record is lost, unless the wrong size ends at the
 * end of a later record. */
static void wrong_sizes(void **state)
{
	static const uint16_t sizes[] = {0, 1, 7, 8, 16, 48, 100, 1012, 30000, 65535};
	struct pfx_buffer b;
	struct outcome out;
	size_t i, at;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (at = 0; at < 2 * NR - 1; at += 33) {
			b = (struct pfx_buffer){0};
			put_samples(&b, 0, 2 * NR);
			pfx_buffer_patch16(&b, at * SAMPLE_BYTES + 6, sizes[i]);
			out = read_records(&b, false);
			assert_int_equal(out.rc, 0);
			assert_true(out.nr_samples >= 2 * NR - 1);
			assert_true(out.damage.nr_places == 1);
			assert_true(out.damage.bytes_skipped <= SAMPLE_BYTES);
			pfx_buffer_fini(&b);
		}
}

/* Unknown types with a valid size: each is reported as one unknown record. */
static void wrong_types(void **state)
{
	struct pfx_buffer b = {0};
	struct outcome out;

	put_samples(&b, 0, 2 * NR);
	pfx_buffer_patch32(&b, 50 * SAMPLE_BYTES, 1000);
	pfx_buffer_patch32(&b, 70 * SAMPLE_BYTES, 0x70000000);
	pfx_buffer_patch32(&b, 90 * SAMPLE_BYTES, 0);
	out = read_records(&b, false);
	assert_int_equal(out.rc, 0);
	assert_int_equal(out.nr_samples, 2 * NR - 3);
	assert_int_equal(out.damage.nr_unknown, 1);
	assert_int_equal(out.damage.nr_places, 2);
	assert_int_equal(out.damage.bytes_skipped, 2 * SAMPLE_BYTES);
	pfx_buffer_fini(&b);
}

/* Lost disk pages, or pages with other data. */
static void overwritten_pages(void **state)
{
	struct pfx_buffer b = {0};
	struct outcome out;
	size_t lost;

	put_samples(&b, 0, 2000);
	memset(b.at + 4096, 0, 8192);
	memset(b.at + 40960, 0x5a, 4096);
	memmove(b.at + 61444, b.at + 20000, 4096);
	out = read_records(&b, false);
	assert_int_equal(out.rc, 0);
	lost = (8192 + 4096 + 4096) / SAMPLE_BYTES + 6;
	assert_true(out.nr_samples >= 2000 - lost);
	assert_true(out.damage.nr_places >= 2);
	assert_true(out.damage.bytes_skipped >= 8192 + 4096);
	assert_true(out.damage.bytes_skipped <= lost * SAMPLE_BYTES);
	pfx_buffer_fini(&b);
}

static void damaged_stream(void **state)
{
	static const size_t pieces[] = {11, 4096, 1 << 20};
	struct pfx_buffer b = {0};
	struct pfx_attr attr = test_attr();
	struct outcome out;
	size_t i, len;

	pfx_buffer_u64(&b, 0x32454c4946524550ull);
	pfx_buffer_u64(&b, 16);
	put_head(&b, PFX_RECORD_HEADER_ATTR, 8 + PFX_ATTR_SIZE_VER7);
	pfx_attr_encode(&attr, &b);
	put_samples(&b, 0, NR);
	len = 700001;
	for (i = 0; i < len; i++)
		pfx_buffer_u8(&b, 0xee);
	put_samples(&b, 0, NR);
	pfx_buffer_patch16(&b, b.len - 40 * SAMPLE_BYTES + 6, 8000);
	for (i = 0; i < 3; i++) {
		out = read_through_pipe(b.at, b.len, pieces[i]);
		assert_int_equal(out.rc, 0);
		assert_int_equal(out.nr_samples, 2 * NR - 1);
		assert_int_equal(out.damage.nr_places, 2);
		assert_int_equal(out.damage.bytes_skipped, len + SAMPLE_BYTES);
	}
	pfx_buffer_fini(&b);
}

/* An absurd size of the payload after a record: the records in it are read. */
static void wrong_payload_size(void **state)
{
	struct pfx_buffer b = {0};
	struct outcome out;

	put_samples(&b, 0, NR);
	put_head(&b, PFX_RECORD_AUXTRACE, 48);
	pfx_buffer_u64(&b, 1ull << 60);
	pfx_buffer_zeros(&b, 32);
	pfx_buffer_zeros(&b, 64); /* the existing part of the payload */
	put_samples(&b, NR, NR);
	out = read_records(&b, false);
	assert_int_equal(out.rc, 0);
	assert_int_equal(out.nr_samples, 2 * NR);
	assert_int_equal(out.damage.nr_places, 1);
	assert_false(out.damage.cut_short);
	pfx_buffer_fini(&b);
}

/* Damage at many places: the time is linear, and all intact records are returned. */
static void damage_everywhere(void **state)
{
	struct pfx_buffer b = {0};
	struct outcome out;
	uint64_t i;

	for (i = 0; i < 20000; i++) {
		put_samples(&b, 5 * i, 5);
		pfx_buffer_zeros(&b, 16);
	}
	out = read_records(&b, false);
	assert_int_equal(out.rc, 0);
	assert_int_equal(out.nr_samples, 5 * 20000);
	assert_int_equal(out.damage.bytes_skipped, 20000 * 16);
	pfx_buffer_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rubbish_between_records, set_up, tear_down),
		cmocka_unit_test_setup_teardown(wrong_sizes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(wrong_types, set_up, tear_down),
		cmocka_unit_test_setup_teardown(overwritten_pages, set_up, tear_down),
		cmocka_unit_test_setup_teardown(damaged_stream, set_up, tear_down),
		cmocka_unit_test_setup_teardown(wrong_payload_size, set_up, tear_down),
		cmocka_unit_test_setup_teardown(damage_everywhere, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
