/* SPDX-License-Identifier: MIT */
/*
 * Compressed recordings: gzip, xz, zstd, made by the programs of these names; complete, in several
 * parts, through a pipe, truncated and damaged at any position, and a small one that decompresses
 * to a very large file.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit/base/tree.h"
#include "unit/file/recording.h"

#define NR 2000

static struct tree tree;
static char path[128], packed[128];

static int set_up(void **state)
{
	tree_init(&tree);
	tree_path(&tree, path, sizeof(path), "/perf.data");
	tree_path(&tree, packed, sizeof(packed), "/packed");
	return 0;
}

static int tear_down(void **state)
{
	tree_fini(&tree);
	return 0;
}

/* Run a shell command; skip the test if the program is missing or can only decompress. */
static void shell(const char *fmt, const char *program, const char *from, const char *to)
{
	char command[512], probe[64];

	snprintf(probe, sizeof(probe), "%s -c </dev/null >/dev/null 2>&1", program);
	if (system(probe))
		skip();
	snprintf(command, sizeof(command), fmt, program, from, to);
	assert_int_equal(system(command), 0);
}

static void make_recording(void)
{
	struct pfx_meta *meta = test_meta(false);
	struct pfx_buffer b = {0};
	uint64_t i;

	for (i = 0; i < NR; i++)
		put_sample(&b, 0x1000 + i * i, 100 + i);
	assert_int_equal(write_recording(path, meta, &b), 0);
	pfx_meta_free(meta);
	pfx_buffer_fini(&b);
}

static struct outcome read_packed(void)
{
	struct outcome out = read_recording(packed, NULL);

	if (out.rc == -ENOTSUP)
		skip();
	return out;
}

static struct outcome read_packed_through_pipe(void)
{
	struct pfx_mapping bytes;
	struct outcome out;

	assert_int_equal(pfx_map_file(packed, &bytes, NULL), 0);
	out = read_through_pipe(bytes.data, bytes.size, 777);
	pfx_unmap(&bytes);
	return out;
}

static void check_program(const char *program)
{
	struct outcome out;
	char *data;
	size_t size, cut;

	make_recording();
	shell("%1$s -c < %2$s > %3$s", program, path, packed);
	out = read_packed();
	assert_int_equal(out.rc, 0);
	assert_int_equal(out.nr_samples, NR);
	assert_int_equal(out.damage.nr_places + out.damage.nr_bad, 0);
	assert_int_equal(read_packed_through_pipe().nr_samples, NR);
	/* truncated anywhere: an error or a part, never more */
	assert_int_equal(pfx_read_file(packed, 1 << 24, &data, &size, NULL), 0);
	for (cut = 0; cut < size; cut += 1 + size / 40) {
		assert_int_equal(save_bytes(packed, data, cut), 0);
		out = read_packed();
		assert_true(out.rc <= 0 && out.nr_samples < NR);
		assert_int_equal(save_bytes(packed, data, size), 0);
		data[cut] ^= 0x20;
		assert_int_equal(save_bytes(packed, data, size), 0);
		data[cut] ^= 0x20;
		out = read_packed();
		assert_true(out.rc <= 0);
		assert_true(out.rc == 0 || out.err.text[0]);
	}
	free(data);
	/* two concatenated parts */
	shell("{ head -c 5000 %2$s | %1$s -c; tail -c +5001 %2$s | %1$s -c; } > %3$s", program,
	      path, packed);
	assert_int_equal(read_packed().nr_samples, NR);
}

static void in_gzip(void **state)
{
	check_program("gzip");
}

static void in_xz(void **state)
{
	check_program("xz");
}

static void in_zstd(void **state)
{
	check_program("zstd");
}

/* A few kilobytes that decompress to more than the disk. */
static void bomb(void **state)
{
	struct outcome out;

	shell("head -c 1000000000 /dev/zero | %1$s -1 -c > %3$s", "zstd", "", packed);
	out = read_packed();
	assert_int_equal(out.rc, -EFBIG);
	assert_non_null(strstr(out.err.text, "unpacks to more than"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(in_gzip, set_up, tear_down),
		cmocka_unit_test_setup_teardown(in_xz, set_up, tear_down),
		cmocka_unit_test_setup_teardown(in_zstd, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bomb, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
