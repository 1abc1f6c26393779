/* SPDX-License-Identifier: MIT */
/*
 * Damaged recordings: a file truncated at every length, and one flipped bit in every byte. The
 * reader returns a result or an error with a message, never crashes, reads beyond the end, or loops
 * forever. The files are the golden tests' descriptions, in both byte orders, as files and as saved
 * streams.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/io.h"
#include "event/dump.h"
#include "file/header/feature.h"
#include "file/order/order.h"
#include "file/reader/reader.h"
#include "kit/kit.h"

#define TEXT_MAX    (1 << 20)
#define RECORDS_MAX 100000

static void load(const char *name, const struct pfx_kit_options *options, struct pfx_buffer *ret)
{
	char *path = pfx_strfmt("%s/tests/golden/%s.txt", PFX_SOURCE_DIR, name);
	struct pfx_error err = {0};
	char *text;

	assert_int_equal(pfx_read_file(path, TEXT_MAX, &text, NULL, &err), 0);
	if (pfx_kit_build(text, options, ret, &err) < 0)
		fail_msg("%s: %s", path, err.text);
	free(text);
	free(path);
}

/* Read everything and decode everything; returns the number of records or an error. */
static int read_all(const char *path, bool as_is)
{
	struct pfx_reader_options options = {.force = true, .keep_meta_records = as_is};
	struct pfx_error err = {0};
	struct pfx_reader *reader;
	struct pfx_order *order;
	struct pfx_record rec;
	struct pfx_str text = {0};
	unsigned feature;
	int rc, nr = 0;

	rc = pfx_reader_open(&reader, path, &options, &err);
	if (rc < 0) {
		assert_string_not_equal(err.text, "");
		return rc;
	}
	order = pfx_order_new(reader, as_is);
	while ((rc = pfx_order_next(order, &rec, &err)) > 0) {
		assert_true(++nr < RECORDS_MAX);
		pfx_str_clear(&text);
		pfx_dump_record(&rec, NULL, &text);
		assert_int_not_equal(text.len, 0);
	}
	for (feature = 0; feature < PFX_FEAT_MAX; feature++)
		pfx_feature_text(pfx_reader_meta(reader), feature, true, &text);
	if (rc < 0)
		assert_string_not_equal(err.text, "");
	pfx_str_fini(&text);
	pfx_order_free(order);
	pfx_reader_free(reader);
	return rc < 0 ? rc : nr;
}

/* A file in memory that is rewritten each time, so that its end is the end of the bytes. */
struct scratch {
	int fd;
	char path[64];
};

static void scratch_init(struct scratch *s)
{
	s->fd = memfd_create("sweep", MFD_CLOEXEC);
	assert_true(s->fd >= 0);
	snprintf(s->path, sizeof(s->path), "/proc/self/fd/%d", s->fd);
}

static void scratch_fill(const struct scratch *s, const uint8_t *data, size_t size)
{
	assert_int_equal(ftruncate(s->fd, (off_t)size), 0);
	assert_int_equal(pfx_pwrite_full(s->fd, data, size, 0), 0);
}

static void cut_everywhere(const struct pfx_buffer *buf)
{
	struct scratch s;
	size_t size;
	int whole;

	scratch_init(&s);
	scratch_fill(&s, buf->at, buf->len);
	whole = read_all(s.path, true);
	assert_true(whole > 0);
	for (size = 0; size < buf->len; size++) {
		scratch_fill(&s, buf->at, size);
		assert_true(read_all(s.path, size & 1) <= whole);
	}
	close(s.fd);
}

static void flip_everywhere(const struct pfx_buffer *buf)
{
	struct scratch s;
	size_t i;

	scratch_init(&s);
	scratch_fill(&s, buf->at, buf->len);
	for (i = 0; i < buf->len; i++) {
		uint8_t byte = (uint8_t)(buf->at[i] ^ 1 << (i * 5 % 8));

		assert_int_equal(pfx_pwrite_full(s.fd, &byte, 1, (off_t)i), 0);
		read_all(s.path, i & 1);
		assert_int_equal(pfx_pwrite_full(s.fd, &buf->at[i], 1, (off_t)i), 0);
	}
	close(s.fd);
}

static const char *const names[] = {
	"samples", "sample-fields", "pipe", "all-records", "all-features", "simpleperf", "aux-area",
};

static void sweep(const struct pfx_kit_options *options)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct pfx_buffer buf = {0};

		load(names[i], options, &buf);
		cut_everywhere(&buf);
		flip_everywhere(&buf);
		pfx_buffer_fini(&buf);
	}
}

static void test_little_endian_file(void **state)
{
	(void)state;
	sweep(&(struct pfx_kit_options){.big_endian = false, .pipe = false});
}

static void test_big_endian_file(void **state)
{
	(void)state;
	sweep(&(struct pfx_kit_options){.big_endian = true, .pipe = false});
}

static void test_little_endian_stream(void **state)
{
	(void)state;
	sweep(&(struct pfx_kit_options){.big_endian = false, .pipe = true});
}

static void test_big_endian_stream(void **state)
{
	(void)state;
	sweep(&(struct pfx_kit_options){.big_endian = true, .pipe = true});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_little_endian_file),
		cmocka_unit_test(test_big_endian_file),
		cmocka_unit_test(test_little_endian_stream),
		cmocka_unit_test(test_big_endian_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
