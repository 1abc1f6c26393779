/* SPDX-License-Identifier: MIT */
/*
 * Recordings that inject copies unchanged: records byte for byte, every feature, attrs, AUX area
 * data, between files and streams, in both byte orders.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/io.h"
#include "file/reader/reader.h"
#include "kit/kit.h"
#include "rewrite/inject.h"

static const char recording[] =
	"event cycles type=hw sample=ip,tid,time,id,period ids=5,6 size=144 config3=3\n"
	"event faults type=sw config=2 sample=ip,tid,time,id,period ids=7 size=144\n"
	"feature hostname str=box\n"
	"feature osrelease str=1.2\n"
	"feature branch_stack\n"
	"feature cache u32=1 u32=0\n"
	"feature event_desc\n"
	"feature 33 u32=62 u32=7\n"
	"feature 77 text=unknown bytes=00ff\n"
	"dso /bin/demo build_id=0102030405060708090a0b0c0d0e0f1011121314 mode=user\n"
	"comm pid=5 tid=6 time=100 demo\n"
	"mmap2 pid=5 tid=6 addr=0x400000 len=0x1000 prot=5 flags=2 time=110 /bin/demo\n"
	"sample ip=0x400123 pid=5 tid=6 time=120 period=1 id=5\n"
	"auxtrace size=16 offset=1 ref=2 idx=3 tid=4 cpu=5\n"
	"raw u64=0x1111111111111111 u64=0x2222222222222222\n"
	"raw u32=40 u16=0 u16=16 u64=1\n"
	"raw u32=200 u16=0 u16=12 u32=1\n"
	"round\n"
	"sample ip=0x400200 pid=5 tid=6 time=130 period=1 id=7\n";

/* A stream with a late description of its second event. */
static const char late[] = "event cycles type=hw sample=ip,tid,time,period ids=5\n"
			   "sample ip=0x400123 pid=5 tid=6 time=120 period=1\n"
			   "header_attr event=cycles\n"
			   "sample ip=0x400123 pid=5 tid=6 time=130 period=1\n";

static char dir[] = "/tmp/pfx-inject-XXXXXX";

static int set_up(void **state)
{
	return mkdtemp(dir) && !chdir(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	static const char *const names[] = {"in",     "a",     "b",     "c",
					    "in.old", "a.old", "b.old", "c.old"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(names[i]);
	return rmdir(dir);
}

static void make(const char *text, bool big_endian, bool pipe)
{
	const struct pfx_kit_options options = {big_endian, pipe};
	struct pfx_buffer bytes = {0};
	struct pfx_error err = {0};
	int fd = open("in", O_CREAT | O_TRUNC | O_WRONLY, 0600);

	if (pfx_kit_build(text, &options, &bytes, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(pfx_write_full(fd, bytes.at, bytes.len), 0);
	close(fd);
	pfx_buffer_fini(&bytes);
}

static int run(const struct pfx_inject_options *options, const char *to)
{
	struct pfx_inject *inject = NULL;
	struct pfx_writer *writer = NULL;
	struct pfx_error err = {0};
	int rc = pfx_inject_new(&inject, options, &err);

	if (!rc)
		rc = pfx_writer_open(&writer, to, &err);
	if (!rc)
		rc = pfx_inject_run(inject, writer, &err);
	assert_int_equal(err.code, rc < 0 ? -rc : 0);
	pfx_writer_free(writer);
	pfx_inject_free(inject);
	return rc;
}

static int inject(const char *from, const char *to)
{
	const struct pfx_inject_options options = {.input = from};

	return run(&options, to);
}

/* The same to a stream: standard output is redirected to a file. */
static int inject_stream(const char *from, const char *to)
{
	int saved = dup(STDOUT_FILENO), fd = open(to, O_CREAT | O_TRUNC | O_WRONLY, 0600), code;

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	close(fd);
	code = inject(from, "-");
	dup2(saved, STDOUT_FILENO);
	close(saved);
	return code;
}

static struct pfx_reader *open_all(const char *path)
{
	const struct pfx_reader_options options = {.keep_meta_records = true};
	struct pfx_reader *reader;
	struct pfx_error err = {0};

	if (pfx_reader_open(&reader, path, &options, &err) < 0)
		fail_msg("%s: %s", path, err.text);
	return reader;
}

/* Records for data that a file has in its header. */
static bool is_meta(uint32_t type)
{
	return type == PFX_RECORD_HEADER_ATTR || type == PFX_RECORD_HEADER_FEATURE ||
	       type == PFX_RECORD_HEADER_TRACING_DATA || type == PFX_RECORD_HEADER_BUILD_ID;
}

static bool next_plain(struct pfx_reader *reader, struct pfx_record *ret)
{
	struct pfx_error err;
	int rc;

	do
		rc = pfx_reader_next(reader, ret, &err);
	while (rc > 0 && is_meta(ret->type));
	assert_true(rc >= 0);
	return rc;
}

static void check_aux(const struct pfx_reader *reader, const struct pfx_meta *meta,
		      const char *path)
{
	struct pfx_mapping file;
	struct pfx_error err;

	if (pfx_reader_info(reader)->form != PFX_READER_FILE)
		return;
	assert_true(pfx_env_has(&meta->env, PFX_FEAT_AUXTRACE));
	assert_int_equal(meta->env.nr_aux_index, 1);
	assert_int_equal(meta->env.aux_index[0].size, 48);
	assert_int_equal(pfx_map_file(path, &file, &err), 0);
	assert_int_equal(pfx_load32(file.data + meta->env.aux_index[0].offset, meta->swap),
			 PFX_RECORD_AUXTRACE);
	pfx_unmap(&file);
}

/* Compares the records, each with its payload. */
static int check_records(struct pfx_reader *a, struct pfx_reader *b)
{
	struct pfx_record x, y;
	int nr = 0;

	while (next_plain(a, &x)) {
		assert_true(next_plain(b, &y));
		assert_int_equal(x.size, y.size);
		assert_memory_equal(x.bytes, y.bytes, x.size);
		assert_int_equal(x.extra_size, y.extra_size);
		if (x.extra_size)
			assert_memory_equal(x.extra, y.extra, x.extra_size);
		nr++;
	}
	assert_false(next_plain(b, &y));
	return nr;
}

/* In streams, features that perf 6.1 does not support are dropped, because it refuses such a
 * stream. */
#define STREAM_FEATURES 32

static void check_features(const struct pfx_meta *a, const struct pfx_meta *b, unsigned nr)
{
	unsigned i;

	assert_int_equal(a->swap, b->swap);
	for (i = 0; i < nr; i++) {
		if (i == PFX_FEAT_AUXTRACE || i == PFX_FEAT_BUILD_ID)
			continue;
		if (pfx_env_has(&a->env, i) != pfx_env_has(&b->env, i) ||
		    a->env.raw[i].size != b->env.raw[i].size)
			fail_msg("feature %u", i);
		if (a->env.raw[i].size)
			assert_memory_equal(a->env.raw[i].at, b->env.raw[i].at, a->env.raw[i].size);
	}
	assert_int_equal(a->env.nr_build_ids, 1);
	assert_int_equal(b->env.nr_build_ids, 1);
	assert_string_equal(b->env.build_ids[0].filename, "/bin/demo");
	assert_memory_equal(a->env.build_ids[0].id, b->env.build_ids[0].id, PFX_BUILD_ID_MAX);
}

static void check_events(const struct pfx_meta *a, const struct pfx_meta *b)
{
	uint32_t i;

	assert_int_equal(a->nr_events, b->nr_events);
	for (i = 0; i < a->nr_events; i++) {
		assert_int_equal(a->events[i]->attr.size, b->events[i]->attr.size);
		assert_int_equal(a->events[i]->attr.config3, b->events[i]->attr.config3);
		assert_int_equal(a->events[i]->attr.flags, b->events[i]->attr.flags);
		assert_int_equal(a->events[i]->nr_ids, b->events[i]->nr_ids);
		assert_string_equal(a->events[i]->name, b->events[i]->name);
	}
}

static void check_same_up_to(const char *from, const char *to, unsigned nr_features)
{
	struct pfx_reader *a = open_all(from), *b = open_all(to);

	assert_int_equal(check_records(a, b), 8);
	check_features(pfx_reader_meta(a), pfx_reader_meta(b), nr_features);
	check_events(pfx_reader_meta(a), pfx_reader_meta(b));
	check_aux(b, pfx_reader_meta(b), to);
	assert_int_equal(pfx_reader_damage(b)->nr_bad, 0);
	pfx_reader_free(a);
	pfx_reader_free(b);
}

static void check_same(const char *from, const char *to)
{
	check_same_up_to(from, to, PFX_FEAT_BITS);
}

static void check_equal_bytes(const char *a, const char *b)
{
	struct pfx_mapping x, y;
	struct pfx_error err;

	assert_int_equal(pfx_map_file(a, &x, &err), 0);
	assert_int_equal(pfx_map_file(b, &y, &err), 0);
	assert_int_equal(x.size, y.size);
	assert_memory_equal(x.data, y.data, x.size);
	pfx_unmap(&x);
	pfx_unmap(&y);
}

static void test_from_file(void **state)
{
	int big;

	for (big = 0; big < 2; big++) {
		make(recording, big, false);
		assert_int_equal(inject("in", "a"), 0);
		check_same("in", "a");
		assert_int_equal(inject("a", "b"), 0);
		check_equal_bytes("a", "b");
		assert_int_equal(inject_stream("in", "c"), 0);
		check_same_up_to("in", "c", STREAM_FEATURES);
		assert_int_equal(inject("c", "a"), 0);
		check_same_up_to("in", "a", STREAM_FEATURES);
	}
}

static void test_from_stream(void **state)
{
	int big;

	for (big = 0; big < 2; big++) {
		make(recording, big, true);
		assert_int_equal(inject_stream("in", "a"), 0);
		check_equal_bytes("in", "a");
		assert_int_equal(inject("in", "b"), 0);
		check_same("in", "b");
	}
}

/* The header of a file has no space for events that a stream describes late: they are written at
 * the end. */
static void test_late_event(void **state)
{
	struct pfx_reader *reader;
	struct pfx_record rec;
	int nr = 0;

	make(late, false, true);
	assert_int_equal(inject("in", "a"), 0);
	reader = open_all("a");
	assert_int_equal(pfx_reader_meta(reader)->nr_events, 2);
	while (next_plain(reader, &rec))
		nr++;
	assert_int_equal(nr, 2);
	pfx_reader_free(reader);
}

/* perf 6.1 refuses files with longer attrs than its own: trailing zeros are not written. */
static void test_long_attrs(void **state)
{
	static const struct {
		const char *words;
		uint32_t size;
	} cases[] = {{"size=136", 128},
		     {"size=160", 128},
		     {"size=136 config3=1", 136},
		     {"size=144 config4=1", 144},
		     {"tail=0000000000000001", 152},
		     {"size=120", 120}};
	struct pfx_reader *reader;
	char text[128];
	size_t i;
	int pipe;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (pipe = 0; pipe < 2; pipe++) {
			snprintf(text, sizeof(text), "event cycles type=hw %s\n", cases[i].words);
			make(text, false, pipe);
			assert_int_equal(inject("in", "a"), 0);
			reader = open_all("a");
			assert_int_equal(pfx_reader_meta(reader)->events[0]->attr.size,
					 cases[i].size);
			assert_int_equal(pfx_reader_info(reader)->attr_size, cases[i].size + 16);
			pfx_reader_free(reader);
		}
}

static void test_in_place(void **state)
{
	make(recording, false, false);
	assert_int_equal(inject("in", "in"), 0);
	check_same("in.old", "in");
	unlink("in.old");
}

/* The damaged end is dropped; the output is a valid file. */
static void test_cut_input(void **state)
{
	struct pfx_reader *reader;

	make(recording, false, true);
	assert_int_equal(truncate("in", 500), 0);
	assert_int_equal(inject("in", "a"), 0);
	reader = open_all("a");
	assert_false(pfx_reader_damage(reader)->cut_short);
	pfx_reader_free(reader);
}

static void test_wrong_input(void **state)
{
	int fd = open("in", O_CREAT | O_TRUNC | O_WRONLY, 0600);

	assert_int_equal(pfx_write_full(fd, "just a text, nothing else\n", 26), 0);
	close(fd);
	unlink("a");
	assert_int_equal(inject("in", "a"), -EBADMSG);
	assert_int_equal(access("a", F_OK), -1);
	assert_int_equal(inject("nowhere", "a"), -ENOENT);
	assert_int_equal(access("a", F_OK), -1);
}

/* An invalid option is reported before the previous recording is changed. */
static void test_earlier_stays(void **state)
{
	const struct pfx_inject_options options = {
		.input = "in", .build_ids = true, .vmlinux = "/nowhere"};

	make(recording, false, false);
	assert_int_equal(inject("in", "a"), 0);
	assert_int_equal(run(&options, "a"), -ENOENT);
	check_same("in", "a");
}

/* The result: binaries whose build IDs were read on this machine, and the data missing from the
 * input. */
static void test_result(void **state)
{
	const struct pfx_inject_options options = {
		.input = "in", .build_ids_all = true, .known = "00ff /bin/other"};
	const struct pfx_inject_result *result;
	struct pfx_inject *inject;
	struct pfx_writer *writer;
	struct pfx_error err = {0};

	make("event cycles type=hw sample=ip,tid,time ids=5\n"
	     "mmap2 pid=5 tid=6 addr=0x400000 len=0x1000 prot=5 flags=2 time=110 /no/such/demo\n"
	     "mmap2 pid=5 tid=6 addr=0x500000 len=0x1000 prot=5 flags=2 time=120 /bin/other\n",
	     false, false);
	assert_int_equal(pfx_inject_new(&inject, &options, &err), 0);
	assert_int_equal(pfx_writer_open(&writer, "a", &err), 0);
	assert_int_equal(pfx_inject_run(inject, writer, &err), 0);
	result = pfx_inject_result(inject);
	assert_int_equal(result->asked.nr, 1);
	assert_string_equal(result->asked.at[0].name, "/no/such/demo");
	assert_int_equal(result->asked.at[0].id.size, 0);
	assert_int_equal(result->nr_cut, 0);
	assert_int_equal(result->nr_left_out, 0);
	assert_int_equal(result->dumps.nr, 0);
	pfx_writer_free(writer);
	pfx_inject_free(inject);
}

/* A map that the kernel marked to have a build ID, and that has device and inode, gets one. */
static void test_marked_map(void **state)
{
	const struct pfx_inject_options options = {
		.input = "in", .maps_all = true, .known = "00ff /bin/other"};
	struct pfx_error err = {0};
	struct pfx_reader *reader;
	struct pfx_record rec;
	struct pfx_body body;

	make("event cycles type=hw sample=ip\n"
	     "raw u32=10 u16=0x4002 u16=88 u32=5 u32=5 u64=0x500000 u64=0x1000 u64=0 u32=254 u32=1 "
	     "u64=77 "
	     "u64=5 u32=5 u32=2 bytes=2f62696e2f6f74686572000000000000\n",
	     false, false);
	assert_int_equal(run(&options, "a"), 0);
	reader = open_all("a");
	assert_true(next_plain(reader, &rec));
	assert_int_equal(pfx_record_decode(&rec, NULL, &body, &err), 0);
	assert_string_equal(body.mmap.filename, "/bin/other");
	assert_true(body.misc & PFX_MISC_MMAP_BUILD_ID);
	assert_int_equal(body.mmap.build_id_size, 2);
	assert_int_equal(body.mmap.build_id[1], 0xff);
	pfx_reader_free(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_from_file),     cmocka_unit_test(test_from_stream),
		cmocka_unit_test(test_late_event),    cmocka_unit_test(test_in_place),
		cmocka_unit_test(test_cut_input),     cmocka_unit_test(test_wrong_input),
		cmocka_unit_test(test_earlier_stays), cmocka_unit_test(test_long_attrs),
		cmocka_unit_test(test_result),        cmocka_unit_test(test_marked_map),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
