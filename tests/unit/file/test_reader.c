/* SPDX-License-Identifier: MIT */
/*
 * Reading old, unusual, truncated, damaged or malicious files: truncation at every length, flipped
 * bytes, streams in small blocks, directories, compressed records, payload outside records, and the
 * errors for inputs that are not recordings.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit/base/tree.h"
#include "unit/file/recording.h"

#define HEADER_BYTES 104
#define ATTR_BYTES   128

static struct tree tree;
static char path[128];

static int set_up(void **state)
{
	tree_init(&tree);
	tree_path(&tree, path, sizeof(path), "/perf.data");
	return 0;
}

static int set_up_swapped(void **state)
{
	*state = path;
	return set_up(state);
}

static int tear_down(void **state)
{
	tree_fini(&tree);
	return 0;
}

static void save(const struct pfx_buffer *b)
{
	assert_int_equal(save_bytes(path, b->at, b->len), 0);
}

static struct outcome read_bytes(const void *data, size_t size)
{
	assert_int_equal(save_bytes(path, data, size), 0);
	return read_recording(path, NULL);
}

/* ---- building files byte by byte ---- */

struct layout {
	bool swap;
	uint64_t header_size, attr_size; /* sizes in the header */
	bool attrs_last;                 /* after the records, as perf inject writes them */
	bool no_data_size;
	unsigned attr_gap; /* bytes between an attr and its section of ids, as simpleperf writes
			      them */
	const char *magic;
};

/* What a reader must swap in bytes that are spelled out little-endian. */
#define SWAP_LITTLE (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static const struct layout usual = {.header_size = HEADER_BYTES, .attr_size = ATTR_BYTES + 16};

static void put_section(struct pfx_buffer *b, uint64_t offset, uint64_t size)
{
	pfx_buffer_u64(b, offset);
	pfx_buffer_u64(b, size);
}

static void put_attrs(struct pfx_buffer *b, uint64_t ids_offset, unsigned gap)
{
	struct pfx_attr attr = test_attr();

	pfx_attr_encode(&attr, b);
	pfx_buffer_zeros(b, gap);
	put_section(b, ids_offset, 16);
}

/* One event with ids 11 and 12 and the given records; no features. */
static struct pfx_buffer build(const struct layout *as, const struct pfx_buffer *records)
{
	struct pfx_buffer b = {.swap = as->swap};
	uint64_t size = as->header_size, entry = ATTR_BYTES + as->attr_gap + 16;
	uint64_t ids = as->attrs_last ? size + records->len : size;
	uint64_t attrs = ids + 16;
	uint64_t data = as->attrs_last ? size : attrs + entry;

	if (as->magic)
		pfx_buffer_bytes(&b, as->magic, 8);
	else
		pfx_buffer_u64(&b, 0x32454c4946524550ull);
	pfx_buffer_u64(&b, size);
	pfx_buffer_u64(&b, as->attr_size);
	put_section(&b, attrs, as->attr_size);
	put_section(&b, data, as->no_data_size ? 0 : records->len);
	put_section(&b, 0, 0);
	pfx_buffer_zeros(&b, size - b.len);
	if (as->attrs_last)
		pfx_buffer_bytes(&b, records->at, records->len);
	pfx_buffer_u64(&b, 11);
	pfx_buffer_u64(&b, 12);
	put_attrs(&b, ids, as->attr_gap);
	if (!as->attrs_last)
		pfx_buffer_bytes(&b, records->at, records->len);
	return b;
}

static struct pfx_buffer build_usual(bool swap)
{
	struct pfx_buffer records = three_samples(swap), b;
	struct layout as = usual;

	as.swap = swap;
	b = build(&as, &records);
	pfx_buffer_fini(&records);
	return b;
}

static void check_layout(const struct layout *as)
{
	struct pfx_buffer records = three_samples(as->swap), b = build(as, &records);
	struct pfx_reader *reader;
	struct pfx_error err = {0};
	struct outcome out = read_bytes(b.at, b.len);

	assert_int_equal(out.rc, 0);
	assert_int_equal(out.nr_records, 5);
	assert_int_equal(out.time_sum, 650);
	assert_int_equal(pfx_reader_open(&reader, path, NULL, &err), 0);
	assert_int_equal(pfx_reader_meta(reader)->nr_events, 1);
	assert_int_equal(pfx_reader_meta(reader)->events[0]->ids[1], 12);
	assert_string_equal(pfx_reader_meta(reader)->events[0]->name, "cpu-clock");
	pfx_reader_free(reader);
	pfx_buffer_fini(&records);
	pfx_buffer_fini(&b);
}

static void layouts(void **state)
{
	struct layout as = usual;

	as.swap = *state != NULL;
	check_layout(&as);
	as.header_size = 72;
	check_layout(&as);
	as.header_size = HEADER_BYTES;
	as.attrs_last = true;
	check_layout(&as);
	as.no_data_size = true;
	check_layout(&as);
	as.attrs_last = false;
	check_layout(&as);
	as.no_data_size = false;
	as.attr_gap = 8;
	as.attr_size += 8;
	check_layout(&as);
}

static void first_version(void **state)
{
	struct layout as = usual;

	as.swap = *state != NULL;
	as.magic = "PERFFILE";
	check_layout(&as);
}

static void wrong_header_size(void **state)
{
	struct pfx_buffer b = build_usual(false);
	struct outcome out;

	pfx_buffer_patch64(&b, 8, 112);
	out = read_bytes(b.at, b.len);
	assert_int_equal(out.rc, -EPROTONOSUPPORT);
	assert_non_null(strstr(out.err.text, "112"));
	pfx_buffer_fini(&b);
}

static void header_not_filled_in(void **state)
{
	struct pfx_buffer b = build_usual(false);
	struct outcome out;

	pfx_buffer_patch64(&b, 16, 0);
	out = read_bytes(b.at, b.len);
	assert_int_equal(out.rc, -EBADMSG);
	assert_true(out.err.hint[0]);
	pfx_buffer_fini(&b);
}

/* ---- cut and damaged ---- */

/* From every prefix the whole records are returned, and the damage is reported. */
static void cut_at_every_byte(void **state)
{
	bool swap = *state != NULL;
	struct pfx_buffer records = three_samples(swap), b = build_usual(swap);
	size_t start = b.len - records.len, len, inside;
	struct outcome out;

	for (len = 0; len < b.len; len++) {
		out = read_bytes(b.at, len);
		if (len < start) {
			assert_int_equal(out.rc, len && len < 4 ? -EBADMSG : -ENODATA);
			assert_non_null(strstr(out.err.text, path));
			continue;
		}
		assert_int_equal(out.rc, 0);
		inside = len - start;
		assert_true(out.damage.cut_short);
		assert_int_equal(out.nr_samples, inside < 80 ? 0 : (inside - 40) / 40);
		assert_int_equal(out.damage.bytes_skipped,
				 inside < 160 ? inside % 40 : inside - 160);
	}
	pfx_buffer_fini(&records);
	pfx_buffer_fini(&b);
}

static void strict_tells_the_cut(void **state)
{
	const struct pfx_reader_options strict = {.strict = true};
	struct pfx_buffer b = build_usual(false);
	struct outcome out;

	b.len -= 9;
	save(&b);
	out = read_recording(path, &strict);
	assert_int_equal(out.rc, -ENODATA);
	assert_int_equal(out.nr_samples, 0);
	pfx_buffer_fini(&b);
}

/* Change every byte: reading ends, with an error if there is no result. */
static void flip_every_byte(void **state)
{
	static const uint8_t masks[] = {0x01, 0x80, 0xff};
	struct pfx_buffer b = build_usual(false);
	struct outcome out;
	size_t i, k;

	for (i = 0; i < b.len; i++)
		for (k = 0; k < sizeof(masks); k++) {
			b.at[i] ^= masks[k];
			out = read_bytes(b.at, b.len);
			b.at[i] ^= masks[k];
			assert_true(out.rc <= 0);
			assert_true(out.rc == 0 || out.err.text[0]);
			assert_true(out.nr_records <= 24);
		}
	pfx_buffer_fini(&b);
}

/* Replace every number of the header by absurd ones. */
static void absurd_numbers(void **state)
{
	static const uint64_t numbers[] = {0,
					   1,
					   7,
					   0x7fffffff,
					   0xffffffff,
					   0x7fffffffffffffff,
					   0x8000000000000000,
					   0xfffffffffffffff8,
					   UINT64_MAX};
	struct pfx_buffer b = build_usual(false);
	uint8_t saved[8];
	struct outcome out;
	size_t at, k;

	for (at = 8; at + 8 <= b.len; at += 8) {
		memcpy(saved, b.at + at, 8);
		for (k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++) {
			pfx_buffer_patch64(&b, at, numbers[k]);
			out = read_bytes(b.at, b.len);
			assert_true(out.rc <= 0);
			assert_true(out.rc == 0 || out.err.text[0]);
		}
		memcpy(b.at + at, saved, 8);
	}
	pfx_buffer_fini(&b);
}

static void record_without_size_is_skipped(void **state)
{
	struct pfx_buffer records = three_samples(false), b;
	struct outcome out;

	pfx_buffer_zeros(&records, 64);
	put_sample(&records, 4, 400);
	b = build(&usual, &records);
	out = read_bytes(b.at, b.len);
	assert_int_equal(out.rc, 0);
	assert_int_equal(out.nr_samples, 4);
	assert_int_equal(out.damage.nr_places, 1);
	assert_int_equal(out.damage.bytes_skipped, 64);
	pfx_buffer_fini(&records);
	pfx_buffer_fini(&b);
}

static void unknown_types_are_skipped(void **state)
{
	struct pfx_buffer records = {0}, b;
	struct outcome out;

	put_head(&records, 63, 20);
	pfx_buffer_zeros(&records, 12);
	put_head(&records, 32769, 8);
	put_sample(&records, 1, 100);
	b = build(&usual, &records);
	out = read_bytes(b.at, b.len);
	assert_int_equal(out.rc, 0);
	assert_int_equal(out.nr_records, 1);
	assert_int_equal(out.damage.nr_unknown, 2);
	assert_int_equal(out.damage.first_unknown, 63);
	pfx_buffer_fini(&records);
	pfx_buffer_fini(&b);
}

/* ---- records with payload, records that describe ---- */

static void put_auxtrace(struct pfx_buffer *b, uint64_t size)
{
	put_head(b, PFX_RECORD_AUXTRACE, 48);
	pfx_buffer_u64(b, size);
	pfx_buffer_zeros(b, 32);
}

static void payload_outside(void **state)
{
	struct pfx_buffer records = {0}, b;
	struct pfx_reader *reader;
	struct pfx_record rec;
	struct pfx_error err;
	struct outcome out;

	put_auxtrace(&records, 16);
	pfx_buffer_bytes(&records, "0123456789abcdef", 16);
	put_sample(&records, 1, 100);
	b = build(&usual, &records);
	save(&b);
	assert_int_equal(pfx_reader_open(&reader, path, NULL, &err), 0);
	assert_int_equal(pfx_reader_next(reader, &rec, &err), 1);
	assert_int_equal(rec.type, PFX_RECORD_AUXTRACE);
	assert_int_equal(rec.extra_size, 16);
	assert_memory_equal(rec.extra, "0123456789abcdef", 16);
	assert_int_equal(pfx_reader_next(reader, &rec, &err), 1);
	assert_int_equal(rec.type, PFX_RECORD_SAMPLE);
	pfx_reader_free(reader);
	/* a larger payload size than there is data */
	pfx_buffer_patch64(&b, b.len - records.len + 8, UINT64_MAX);
	out = read_bytes(b.at, b.len);
	assert_int_equal(out.rc, 0);
	assert_int_equal(out.nr_records, 2);
	assert_int_equal(out.damage.nr_places, 1);
	out = read_bytes(b.at, b.len - SAMPLE_BYTES);
	assert_int_equal(out.rc, 0);
	assert_int_equal(out.nr_records, 1);
	assert_true(out.damage.cut_short);
	pfx_buffer_fini(&records);
	pfx_buffer_fini(&b);
}

static void put_update(struct pfx_buffer *b, uint64_t type, const void *data, size_t size)
{
	put_head(b, PFX_RECORD_EVENT_UPDATE, (uint16_t)(24 + size));
	pfx_buffer_u64(b, type);
	pfx_buffer_u64(b, 11);
	pfx_buffer_bytes(b, data, size);
}

static void put_build_id(struct pfx_buffer *b)
{
	put_head(b, PFX_RECORD_HEADER_BUILD_ID, 8 + 4 + 24 + 8);
	pfx_buffer_u32(b, (uint32_t)-1);
	pfx_buffer_bytes(b, "abcdefghijklmnopqrst", 20);
	pfx_buffer_zeros(b, 4);
	pfx_buffer_bytes(b, "/bin/ls", 8);
}

static void describing_records(void **state)
{
	const struct pfx_reader_options keep = {.keep_meta_records = true};
	struct pfx_buffer records = {0}, b;
	struct pfx_reader *reader;
	struct pfx_record rec;
	struct pfx_error err;
	struct pfx_meta *meta;
	double scale = 0.5;

	put_update(&records, PFX_UPDATE_UNIT, "Joules\0\0", 8);
	put_update(&records, PFX_UPDATE_SCALE, &scale, 8);
	put_update(&records, PFX_UPDATE_NAME, "energy\0\0", 8);
	put_build_id(&records);
	put_build_id(&records);
	put_build_id(&records);
	b = build(&usual, &records);
	save(&b);
	assert_int_equal(pfx_reader_open(&reader, path, NULL, &err), 0);
	assert_int_equal(pfx_reader_next(reader, &rec, &err), 0);
	assert_int_equal(pfx_reader_damage(reader)->nr_bad, 0);
	meta = pfx_reader_meta(reader);
	assert_string_equal(meta->events[0]->unit, "Joules");
	assert_string_equal(meta->events[0]->name, "energy");
	assert_true(meta->events[0]->scale > 0.49 && meta->events[0]->scale < 0.51);
	assert_int_equal(meta->env.nr_build_ids, 3);
	assert_string_equal(meta->env.build_ids[2].filename, "/bin/ls");
	assert_int_equal(meta->env.build_ids[2].size, 20);
	assert_int_equal(meta->env.build_ids[2].pid, -1);
	pfx_reader_free(reader);
	assert_int_equal(read_recording(path, &keep).nr_records, 6);
	pfx_buffer_fini(&records);
	pfx_buffer_fini(&b);
}

/* ---- streams ---- */

static struct pfx_buffer build_stream(bool swap)
{
	struct pfx_buffer b = {.swap = swap};
	struct pfx_attr attr = test_attr();

	pfx_buffer_u64(&b, 0x32454c4946524550ull);
	pfx_buffer_u64(&b, 16);
	put_head(&b, PFX_RECORD_HEADER_ATTR, 8 + ATTR_BYTES + 16);
	pfx_attr_encode(&attr, &b);
	pfx_buffer_u64(&b, 11);
	pfx_buffer_u64(&b, 12);
	put_head(&b, PFX_RECORD_HEADER_FEATURE, 16 + 4 + 8);
	pfx_buffer_u64(&b, PFX_FEAT_HOSTNAME);
	pfx_buffer_u32(&b, 8);
	pfx_buffer_bytes(&b, "machine", 8);
	put_head(&b, PFX_RECORD_HEADER_FEATURE, 16); /* end of the features */
	pfx_buffer_u64(&b, 32);
	put_head(&b, PFX_RECORD_HEADER_TRACING_DATA, 12);
	pfx_buffer_u32(&b, 8);
	pfx_buffer_bytes(&b, "formats\0", 8);
	put_comm(&b, "work", 50);
	put_sample(&b, 1, 100);
	put_sample(&b, 2, 200);
	put_round(&b);
	return b;
}

static void stream_in_pieces(void **state)
{
	static const size_t pieces[] = {1, 7, 64, 4096};
	struct pfx_buffer b = build_stream(*state != NULL);
	struct outcome out;
	size_t i;

	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		out = read_through_pipe(b.at, b.len, pieces[i]);
		assert_int_equal(out.rc, 0);
		assert_int_equal(out.nr_records, 4);
		assert_int_equal(out.time_sum, 350);
		assert_int_equal(out.damage.nr_bad, 0);
	}
	pfx_buffer_fini(&b);
}

static void stream_describes_itself(void **state)
{
	struct pfx_buffer b = build_stream(*state != NULL);
	struct pfx_reader *reader;
	struct pfx_error err;
	struct pfx_meta *meta;

	save(&b);
	assert_int_equal(pfx_reader_open(&reader, path, NULL, &err), 0);
	meta = pfx_reader_meta(reader);
	assert_int_equal(pfx_reader_info(reader)->form, PFX_READER_PIPE);
	assert_int_equal(meta->nr_events, 1);
	assert_int_equal(meta->events[0]->nr_ids, 2);
	assert_string_equal(meta->env.hostname, "machine");
	assert_false(pfx_env_has(&meta->env, PFX_FEAT_CPU_DOMAIN_INFO));
	assert_int_equal(meta->env.tracing_data.size, 8);
	assert_memory_equal(meta->env.tracing_data.at, "formats", 8);
	pfx_reader_free(reader);
	pfx_buffer_fini(&b);
}

/* A complete file that is sent through a pipe, larger than one read. */
static void file_through_a_pipe(void **state)
{
	struct pfx_buffer records = {0}, b;
	struct outcome out;
	uint64_t i;

	for (i = 1; i <= 60000; i++)
		put_sample(&records, i, i);
	b = build(&usual, &records);
	out = read_through_pipe(b.at, b.len, 1 << 16);
	assert_int_equal(out.rc, 0);
	assert_int_equal(out.nr_samples, 60000);
	assert_int_equal(out.time_sum, 60000ull * 60001 / 2);
	pfx_buffer_fini(&records);
	pfx_buffer_fini(&b);
}

/* A long stream: chunks are released while it is read, and no record is lost between them. */
static void long_stream(void **state)
{
	struct pfx_buffer b = build_stream(false);
	struct outcome out;
	uint64_t i;

	for (i = 1; i <= 100000; i++) {
		put_sample(&b, i, 1000 + i);
		if (i % 1000 == 0)
			put_round(&b);
	}
	out = read_through_pipe(b.at, b.len, 5003);
	assert_int_equal(out.rc, 0);
	assert_int_equal(out.nr_samples, 100002);
	assert_int_equal(out.time_sum, 350 + 100000ull * 1000 + 100000ull * 100001 / 2);
	pfx_buffer_fini(&b);
}

static void cut_stream(void **state)
{
	struct pfx_buffer b = build_stream(false);
	size_t all = b.len, len;
	struct outcome out;

	for (len = 16; len < all; len++) {
		out = read_bytes(b.at, len);
		assert_true(out.rc == 0);
		assert_true(out.nr_records <= 3);
		b.len = len;
		if (len % 8 == 3)
			assert_int_equal(read_through_pipe(b.at, b.len, 100).rc, 0);
	}
	pfx_buffer_fini(&b);
}

static void text_behind_a_stream(void **state)
{
	struct pfx_buffer b = build_stream(false);
	struct outcome out;

	pfx_buffer_bytes(&b, "[ perf record: Woken up 1 times to write data ]\n", 48);
	out = read_bytes(b.at, b.len);
	assert_int_equal(out.rc, 0);
	assert_int_equal(out.nr_records, 4);
	assert_int_equal(out.damage.nr_places, 1);
	assert_int_equal(out.damage.bytes_skipped, 48);
	pfx_buffer_fini(&b);
}

/* ---- compressed records ---- */

/* 32 samples, ips 0x401000 + 16 i, times 1000 + i: a zstd stream that was flushed, not ended. */
static const uint8_t packed_samples[] = {
	0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x48, 0xfc, 0x05, 0x00, 0x14, 0x06, 0x09, 0x00, 0x00, 0x00,
	0x02, 0x00, 0x28, 0x00, 0x00, 0x10, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07, 0xe8, 0x03,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x90, 0xd0, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10,
	0xe9, 0x20, 0xea, 0x30, 0xeb, 0x40, 0xec, 0x50, 0xed, 0x60, 0xee, 0x70, 0xef, 0x80, 0xf0,
	0x90, 0xf1, 0xa0, 0xf2, 0xb0, 0xf3, 0xc0, 0xf4, 0xd0, 0xf5, 0xe0, 0xf6, 0xf0, 0xf7, 0x00,
	0x11, 0xf8, 0x10, 0xf9, 0x20, 0xfa, 0x30, 0xfb, 0x40, 0xfc, 0x50, 0xfd, 0x60, 0xfe, 0x70,
	0xff, 0x80, 0x00, 0x04, 0x90, 0x01, 0xa0, 0x02, 0xb0, 0x03, 0xc0, 0x04, 0xd0, 0x05, 0xe0,
	0x06, 0xf0, 0x07, 0x40, 0x20, 0xf0, 0x85, 0x35, 0x9d, 0x74, 0x57, 0xb3, 0x4e, 0xea, 0xeb,
	0x58, 0x2d, 0xdd, 0xd5, 0xac, 0x93, 0xf5, 0x75, 0xac, 0x96, 0xee, 0x2a, 0xd8, 0xb1, 0x5a,
	0xba, 0xab, 0x59, 0x27, 0xf5, 0xed, 0x58, 0x2d, 0xdd, 0xd5, 0xac, 0x93, 0xfa, 0x3a, 0x56,
	0x4b, 0x77, 0x35, 0x93, 0xdb, 0x5a, 0xba, 0xab, 0x59, 0x27, 0xf5, 0x75, 0xac, 0x96, 0xee,
	0x6a, 0xd6, 0x49, 0x7d, 0x3b, 0x56, 0x4b, 0x77, 0x35, 0xeb, 0xa4, 0xbe, 0x8e, 0xd5, 0xd2,
	0x5d, 0xcd, 0x3a, 0x59, 0x5f, 0xc7, 0x6a, 0xe9, 0xae, 0x66, 0x9d, 0xd4, 0xe7, 0x3a, 0xb3,
	0x12, 0x01, 0xcf, 0x24, 0x18,
};

/* The stream cut after @first bytes into two records, with a plain record between them. */
static struct pfx_buffer build_packed(size_t first, bool new_form)
{
	size_t sizes[2] = {first, sizeof(packed_samples) - first}, at = 0, i;
	struct pfx_buffer records = {.swap = SWAP_LITTLE}, b;
	struct layout little = usual;

	for (i = 0; i < 2; i++) {
		if (new_form) {
			put_head(&records, PFX_RECORD_COMPRESSED2,
				 (uint16_t)(16 + (sizes[i] + 7) / 8 * 8));
			pfx_buffer_u64(&records, sizes[i]);
		} else {
			put_head(&records, PFX_RECORD_COMPRESSED, (uint16_t)(8 + sizes[i]));
		}
		pfx_buffer_bytes(&records, packed_samples + at, sizes[i]);
		if (new_form)
			pfx_buffer_zeros(&records, (8 - sizes[i] % 8) % 8);
		at += sizes[i];
		if (!i)
			put_head(&records, PFX_RECORD_FINISHED_INIT, 8);
	}
	little.swap = SWAP_LITTLE;
	b = build(&little, &records);
	pfx_buffer_fini(&records);
	return b;
}

static void compressed(void **state)
{
	struct pfx_buffer b;
	struct outcome out;
	size_t first;

	for (first = 0; first <= sizeof(packed_samples); first += 9) {
		b = build_packed(first, *state != NULL);
		out = read_bytes(b.at, b.len);
		pfx_buffer_fini(&b);
		if (out.rc == -ENOTSUP)
			skip();
		assert_int_equal(out.rc, 0);
		assert_int_equal(out.nr_samples, 32);
		assert_int_equal(out.nr_records, 33);
		assert_int_equal(out.time_sum, 32 * 1000 + 31 * 16);
		assert_int_equal(out.damage.bytes_skipped, 0);
	}
}

static void damaged_compressed(void **state)
{
	struct pfx_buffer b = build_packed(100, false);
	size_t at, start = b.len - sizeof(packed_samples) - 24;
	struct outcome out;

	for (at = start + 8; at < b.len; at++) {
		b.at[at] ^= 0x55;
		out = read_bytes(b.at, b.len);
		b.at[at] ^= 0x55;
		if (out.rc == -ENOTSUP)
			break;
		assert_int_equal(out.rc, 0);
		assert_true(out.nr_samples <= 64);
	}
	pfx_buffer_fini(&b);
}

/* Records decompressed before the damage are kept, and the plain records after it; a stream that
 * restarts is decompressed again. */
static void kept_of_compressed(void **state)
{
	struct pfx_buffer records = {.swap = SWAP_LITTLE}, b;
	struct layout little = usual;
	struct outcome out;
	size_t i;

	for (i = 0; i < 3; i++) {
		put_head(&records, PFX_RECORD_COMPRESSED, (uint16_t)(8 + sizeof(packed_samples)));
		pfx_buffer_bytes(&records, packed_samples, sizeof(packed_samples));
		if (i)
			continue;
		put_head(&records, PFX_RECORD_COMPRESSED, 8 + 16);
		pfx_buffer_bytes(&records, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
		pfx_buffer_bytes(&records, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
		put_sample(&records, 1, 5000);
	}
	little.swap = SWAP_LITTLE;
	b = build(&little, &records);
	out = read_bytes(b.at, b.len);
	if (out.rc != -ENOTSUP) {
		assert_int_equal(out.rc, 0);
		assert_true(out.nr_samples == 32 + 1 + 32 || out.nr_samples == 32 + 1 + 64);
		assert_int_equal(out.damage.nr_places, 1 + (out.nr_samples == 32 + 1 + 32));
		assert_true(out.damage.bytes_skipped >= 16);
	}
	pfx_buffer_fini(&records);
	pfx_buffer_fini(&b);
}

/* ---- directories ---- */

static void save_ring(const char *name, uint64_t from, uint64_t nr)
{
	struct pfx_buffer b = {0};
	uint64_t i;

	for (i = 0; i < nr; i++)
		put_sample(&b, i, from + 3 * i);
	tree_bytes(&tree, name, b.at, b.len);
	pfx_buffer_fini(&b);
}

static void directory(void **state)
{
	struct pfx_buffer b = build_usual(false);
	struct pfx_reader *reader;
	struct pfx_record rec;
	struct pfx_error err;
	uint64_t last = 0, nr = 0;
	int rc;

	tree_bytes(&tree, "/perf.data/data", b.at, b.len);
	save_ring("/perf.data/data.0", 1000, 50);
	save_ring("/perf.data/data.1", 1001, 60);
	save_ring("/perf.data/data.10", 1002, 70);
	tree_file(&tree, "/perf.data/data.2", "");
	tree_file(&tree, "/perf.data/kcore_dir/kcore", "not ours");
	assert_int_equal(pfx_reader_open(&reader, path, NULL, &err), 0);
	assert_int_equal(pfx_reader_info(reader)->form, PFX_READER_DIRECTORY);
	while ((rc = pfx_reader_next(reader, &rec, &err)) > 0) {
		nr++;
		if (rec.type != PFX_RECORD_SAMPLE)
			continue;
		assert_true(rec.time >= last);
		last = rec.time;
	}
	assert_int_equal(rc, 0);
	assert_int_equal(nr, 5 + 50 + 60 + 70);
	pfx_reader_free(reader);
	assert_int_equal(read_recording(path, NULL).nr_records, nr);
	pfx_buffer_fini(&b);
}

static void directory_without_recording(void **state)
{
	struct outcome out;
	char fifo[256];

	tree_file(&tree, "/perf.data/letter", "x");
	out = read_recording(path, NULL);
	assert_int_equal(out.rc, -ENOENT);
	assert_non_null(strstr(out.err.text, "is a directory without a recording"));
	/* a named pipe in its place would block forever */
	snprintf(fifo, sizeof(fifo), "%s/data", path);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	out = read_recording(path, NULL);
	assert_int_equal(out.rc, -EINVAL);
	unlink(fifo);
}

/* ---- no recordings ---- */

static void assert_refused(const void *data, size_t size, int code, const char *words)
{
	struct outcome out = read_bytes(data, size);

	assert_int_equal(out.rc, -code);
	assert_int_equal(out.err.code, code);
	if (!strstr(out.err.text, words))
		fail_msg("'%s' does not say '%s'", out.err.text, words);
	assert_true(out.err.hint[0]);
}

static void sentences(void **state)
{
	struct outcome out = read_recording("/nowhere/perf.data", NULL);

	assert_int_equal(out.rc, -ENOENT);
	assert_non_null(strstr(out.err.text, "/nowhere/perf.data"));
	assert_true(out.err.hint[0]);
	assert_refused("", 0, ENODATA, "is empty");
	assert_refused("hello, this is no recording at all\n", 35, EBADMSG, "is text");
	assert_refused("PERFILE2", 8, ENODATA, "is cut short inside its header");
	assert_refused("BZh91AY&SY\0\0\0\0\0\0\0\0", 18, EBADMSG, "bzip2");
	assert_refused("\x7f"
		       "ELF\2\1\1\0\0\0\0\0\0\0\0\0\0",
		       17, EBADMSG, "is a program");
	assert_refused("\1\2\3\4\5\6\7\1\1\2\3\4\5\6\7\1\1\2\3", 19, EBADMSG, "something else");
}

static void somebody_elses_file(void **state)
{
	const struct pfx_reader_options force = {.force = true};
	struct pfx_buffer b = build_usual(false);
	struct outcome out;

	save(&b);
	pfx_buffer_fini(&b);
	if (geteuid() || chown(path, 12345, -1))
		skip();
	out = read_recording(path, NULL);
	assert_int_equal(out.rc, -EPERM);
	assert_non_null(strstr(out.err.hint, "-f"));
	assert_int_equal(read_recording(path, &force).nr_samples, 3);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
#define CASE_SWAPPED(f)                                           \
	{                                                         \
#f " swapped", f, set_up_swapped, tear_down, NULL \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(layouts),
		CASE_SWAPPED(layouts),
		CASE(first_version),
		CASE_SWAPPED(first_version),
		CASE(wrong_header_size),
		CASE(header_not_filled_in),
		CASE(cut_at_every_byte),
		CASE_SWAPPED(cut_at_every_byte),
		CASE(strict_tells_the_cut),
		CASE(flip_every_byte),
		CASE(absurd_numbers),
		CASE(record_without_size_is_skipped),
		CASE(unknown_types_are_skipped),
		CASE(payload_outside),
		CASE(describing_records),
		CASE(stream_in_pieces),
		CASE_SWAPPED(stream_in_pieces),
		CASE(stream_describes_itself),
		CASE_SWAPPED(stream_describes_itself),
		CASE(file_through_a_pipe),
		CASE(long_stream),
		CASE(cut_stream),
		CASE(text_behind_a_stream),
		CASE(compressed),
		CASE_SWAPPED(compressed),
		CASE(damaged_compressed),
		CASE(kept_of_compressed),
		CASE(directory),
		CASE(directory_without_recording),
		CASE(sentences),
		CASE(somebody_elses_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
