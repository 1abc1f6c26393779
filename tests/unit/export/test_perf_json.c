/* SPDX-License-Identifier: MIT */
/*
 * A recording as JSON, written to memory: the header, the samples in order, a failing output; a
 * recording in an archive is read with the archive's binaries, and its temporary files are removed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "export/perf_json.h"
#include "file/pack/tar.h"
#include "kit/kit.h"
#include "read/archive.h"
#include "unit/sym/elf_make.h"

static const char head[] = "event cycles type=hw sample=ip,tid,time,cpu ids=5\n"
			   "feature hostname str=box\n";
static const char samples[] = "comm pid=5 tid=6 time=100 demo\n"
			      "sample ip=0x401001 pid=5 tid=6 time=120 cpu=3\n"
			      "sample ip=0x401002 pid=5 tid=6 time=110 cpu=2\n";

static char dir[] = "/tmp/pfx-json-XXXXXX";

static int set_up(void **state)
{
	return mkdtemp(dir) && !chdir(dir) && !mkdir("tmp", 0700) && !setenv("TMPDIR", "tmp", 1)
		       ? 0
		       : -1;
}

static int tear_down(void **state)
{
	unlink("in");
	unlink("in.tar");
	rmdir("tmp");
	return rmdir(dir);
}

static void make(const char *text, bool big_endian)
{
	const struct pfx_kit_options options = {.big_endian = big_endian};
	struct pfx_buffer bytes = {0};
	struct pfx_error err = {0};
	int fd = open("in", O_CREAT | O_TRUNC | O_WRONLY, 0600);

	if (pfx_kit_build(text, &options, &bytes, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(pfx_write_full(fd, bytes.at, bytes.len), 0);
	close(fd);
	pfx_buffer_fini(&bytes);
}

static int gather(void *context, const struct pfx_str *text, struct pfx_error *err)
{
	pfx_str_addn(context, text->at, text->len);
	return 0;
}

static int fail_at_once(void *context, const struct pfx_str *text, struct pfx_error *err)
{
	return pfx_error_set(err, ENOSPC, "no room");
}

static struct pfx_recording *open_recording(const char *path)
{
	static const struct pfx_resolve_options resolving = {.max_stack = UINT32_MAX};
	struct pfx_recording *recording = NULL;
	struct pfx_error err = {0};

	if (pfx_recording_open(&recording, path, NULL, &err) < 0)
		fail_msg("%s", err.text);
	pfx_recording_resolve(recording, &resolving);
	return recording;
}

/* The whole text; the caller frees. */
static struct pfx_str convert(const char *path, uint64_t nr_samples)
{
	struct pfx_export_stream stream = {.reading.recording = open_recording(path)};
	struct pfx_str text = {0};
	struct pfx_error err = {0};
	uint64_t nr;

	assert_int_equal(pfx_json_write(&stream, gather, &text, &nr, &err), 0);
	assert_int_equal(nr, nr_samples);
	pfx_recording_free(stream.reading.recording);
	return text;
}

static void expect_samples(const char *text)
{
	const char *first = strstr(text, "\"timestamp\": 110"), *second;

	assert_non_null(strstr(text, "\"linux-perf-json-version\": 1"));
	assert_non_null(strstr(text, "\"hostname\": \"box\""));
	assert_non_null(first);
	second = strstr(first, "\"timestamp\": 120");
	assert_non_null(second);
	assert_non_null(strstr(second, "\"cpu\": 3"));
	assert_non_null(strstr(second, "\"comm\": \"demo\""));
	assert_non_null(strstr(second, "\"ip\": \"0x401001\""));
	assert_string_equal(text + strlen(text) - 3, "\n}\n");
}

static void test_samples(void **state)
{
	char text[512];
	struct pfx_str json;
	int big;

	snprintf(text, sizeof(text), "%s%s", head, samples);
	for (big = 0; big < 2; big++) {
		make(text, big);
		json = convert("in", 2);
		expect_samples(json.at);
		pfx_str_fini(&json);
	}
}

static void test_failing_sink(void **state)
{
	struct pfx_export_stream stream = {0};
	struct pfx_error err = {0};
	uint64_t nr;

	make(head, false);
	stream.reading.recording = open_recording("in");
	assert_int_equal(pfx_json_write(&stream, fail_at_once, NULL, &nr, &err), -ENOSPC);
	assert_string_equal(err.text, "no room");
	pfx_recording_free(stream.reading.recording);
}

static unsigned nr_entries(const char *path)
{
	DIR *open = opendir(path);
	unsigned nr = 0;

	assert_non_null(open);
	while (readdir(open))
		nr++;
	closedir(open);
	return nr - 2; /* . and .. */
}

/* A program that only exists in the archive. */
static void make_archive(void)
{
	static const struct make_symbol symbols[] = {
		{"only_in_the_archive", MAKE_TEXT_ADDR, 0x100, STB_GLOBAL, STT_FUNC}};
	const struct make_elf program = {
		.symbols = symbols, .nr_symbols = 1, .build_id = "\1\2\3\4\5\6\7\10"};
	struct pfx_tar_writer *tar;
	struct pfx_error err;

	make_file("elf", &program);
	assert_int_equal(pfx_tar_create(&tar, "in.tar", &err), 0);
	assert_int_equal(pfx_tar_add_file(tar, "perf.data", "in", &err), 0);
	assert_int_equal(pfx_tar_add_file(tar, "no/such/demo/0102030405060708/elf", "elf", &err),
			 0);
	assert_int_equal(pfx_tar_finish(tar, &err), 0);
	pfx_tar_writer_free(tar);
	unlink("elf");
}

static void test_archive(void **state)
{
	struct pfx_recording *recording;
	struct pfx_str text;

	make("event cycles type=hw sample=ip,tid,time ids=5\n"
	     "dso /no/such/demo build_id=0102030405060708 mode=user\n"
	     "mmap2 pid=5 tid=5 addr=0x400000 len=0x2000 prot=5 flags=2 time=100 /no/such/demo\n"
	     "sample ip=0x401010 pid=5 tid=5 time=110\n",
	     false);
	make_archive();
	text = convert("in.tar", 1);
	assert_non_null(strstr(text.at, "\"symbol\": \"only_in_the_archive\""));
	pfx_str_fini(&text);
	assert_int_equal(nr_entries("tmp"), 0);

	recording = open_recording("in.tar");
	assert_int_equal(nr_entries("tmp"), 1);
	assert_int_equal(pfx_recording_archive(recording)->nr_files, 1);
	pfx_recording_free(recording);
	assert_int_equal(nr_entries("tmp"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_failing_sink),
		cmocka_unit_test(test_archive),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
