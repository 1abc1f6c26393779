/* SPDX-License-Identifier: MIT */
/*
 * JIT code added to generated recordings: both clocks, both byte orders, moved code, code that
 * hides other maps, and invalid jitdumps.
 */
#include <elf.h>
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

#include "base/alloc.h"
#include "base/io.h"
#include "file/order/order.h"
#include "kit/kit.h"
#include "rewrite/inject.h"
#include "sym/jit/jit_elf.h"
#include "unit/sym/jitdump_make.h"

#define DUMP "jit-4711.dump"
#define ELF  "jitted-4711-5.so"
#define ARCH 1

/* The event, and the clock of the recording. */
#define MONO                                                      \
	"event clock type=sw sample=ip,tid,time ids=5 clockid=1 " \
	"flags=sample_id_all,mmap2,use_clockid\n"
#define CPU                                                                        \
	"event clock type=sw sample=ip,tid,time ids=5 flags=sample_id_all,mmap2\n" \
	"time_conv shift=4 mult=32 zero=500\n"
#define OTHER "event clock type=sw sample=ip,tid,time ids=5 flags=sample_id_all,mmap2\n"

static char dir[] = "/tmp/pfx-inject-XXXXXX";

static int set_up(void **state)
{
	return mkdtemp(dir) && !chdir(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	static const char *const names[] = {"in", "out", "out.old", DUMP, ELF, "target"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(names[i]);
	return rmdir(dir);
}

static void write_file(const char *path, const void *data, size_t size)
{
	int fd;

	unlink(path);
	fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	assert_int_equal(pfx_write_full(fd, data, size), 0);
	close(fd);
}

static void make_recording(const char *head, bool big_endian)
{
	const struct pfx_kit_options options = {.big_endian = big_endian};
	struct pfx_buffer bytes = {0};
	struct pfx_error err = {0};
	char *text = pfx_strfmt(
		"%s"
		"mmap2 pid=4711 tid=4711 addr=0x1000 len=0x1000 prot=5 time=1000 %s/" DUMP "\n"
		"mmap2 pid=4711 tid=4711 addr=%#llx len=0x10000 prot=7 time=1010 //anon\n"
		"mmap2 pid=9 tid=9 addr=0x5000 len=0x1000 prot=7 time=1020 //anon\n"
		"sample ip=%#llx pid=4711 tid=4712 time=1150\n"
		"sample ip=%#llx pid=4711 tid=4712 time=1250\n"
		"sample ip=%#llx pid=4711 tid=4712 time=5000\n",
		head, dir, JIT_ADDR, JIT_ADDR + 1, JIT_ADDR + 2, JIT_ADDR + 0x1001);

	if (pfx_kit_build(text, &options, &bytes, &err) < 0)
		fail_msg("%s", err.text);
	write_file("in", bytes.at, bytes.len);
	pfx_buffer_fini(&bytes);
	free(text);
}

static void make_dump(bool swap, uint64_t flags)
{
	struct pfx_buffer b;

	jit_make(&b, swap);
	pfx_buffer_patch64(&b, 32, flags);
	write_file(DUMP, b.at, b.len);
	pfx_buffer_fini(&b);
}

/* Result of the last run. */
static struct {
	size_t nr_dumps;
	int refused;
	uint64_t nr_functions, nr_bad;
	bool cut_short;
} said;

static void take_result(const struct pfx_inject_result *result)
{
	const struct pfx_inject_dump *dump = result->dumps.at;

	memset(&said, 0, sizeof(said));
	said.nr_dumps = result->dumps.nr;
	if (!said.nr_dumps)
		return;
	assert_non_null(strstr(dump->path, DUMP));
	said.refused = dump->refused.code;
	said.nr_functions = dump->nr_functions;
	said.nr_bad = dump->nr_bad;
	said.cut_short = dump->cut_short;
}

static int inject(void)
{
	const struct pfx_inject_options options = {.input = "in", .jit = true};
	struct pfx_inject *inject;
	struct pfx_writer *writer;
	struct pfx_error err = {0};
	int rc;

	unlink("out");
	unlink(ELF);
	assert_int_equal(pfx_inject_new(&inject, &options, &err), 0);
	assert_int_equal(pfx_writer_open(&writer, "out", &err), 0);
	rc = pfx_inject_run(inject, writer, &err);
	assert_int_equal(err.code && rc < 0, rc < 0);
	take_result(pfx_inject_result(inject));
	pfx_writer_free(writer);
	pfx_inject_free(inject);
	return rc;
}

struct found {
	uint32_t nr_maps, nr_anon, nr_marks, nr_samples;
	uint64_t times[8], addrs[8], last_time;
};

static void take_map(struct found *found, const struct pfx_record *rec)
{
	struct pfx_error err;
	struct pfx_body body;

	assert_int_equal(pfx_record_decode(rec, &rec->event->attr, &body, &err), 0);
	found->nr_anon += !strcmp(body.mmap.filename, "//anon");
	found->nr_marks += strstr(body.mmap.filename, DUMP) != NULL;
	if (!strstr(body.mmap.filename, ELF))
		return;
	assert_int_equal(body.mmap.pid, JIT_PID);
	assert_int_equal(body.mmap.tid, JIT_PID + 1);
	assert_int_equal(body.mmap.pgoff, PFX_JIT_TEXT_OFFSET);
	assert_int_equal(body.mmap.len, 16 + sizeof(jit_tables));
	assert_int_equal(body.mmap.build_id_size, 20);
	found->addrs[found->nr_maps] = body.mmap.addr;
	found->times[found->nr_maps++] = rec->time;
}

static struct found read_output(void)
{
	struct found found = {0};
	struct pfx_reader *reader;
	struct pfx_error err = {0};
	struct pfx_record rec;

	if (pfx_reader_open(&reader, "out", NULL, &err) < 0)
		fail_msg("%s", err.text);
	while (pfx_reader_next(reader, &rec, &err) > 0) {
		if (rec.time != PFX_NO_TIME) {
			assert_true(rec.time >= found.last_time);
			found.last_time = rec.time;
		}
		if (rec.type == PFX_RECORD_MMAP2)
			take_map(&found, &rec);
		found.nr_samples += rec.type == PFX_RECORD_SAMPLE;
	}
	pfx_reader_free(reader);
	return found;
}

static void check_output(uint64_t made, uint64_t moved)
{
	struct found found = read_output();

	assert_int_equal(found.nr_maps, 2);
	assert_int_equal(found.times[0], made);
	assert_int_equal(found.addrs[0], JIT_ADDR);
	assert_int_equal(found.times[1], moved);
	assert_int_equal(found.addrs[1], JIT_ADDR + 0x1000);
	assert_int_equal(found.nr_marks, 0);
	assert_int_equal(found.nr_anon, 1);
	assert_int_equal(found.nr_samples, 3);
}

static void test_monotonic(void **state)
{
	int big;

	for (big = 0; big < 2; big++) {
		make_recording(MONO, big);
		make_dump(big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__), 0);
		assert_int_equal(inject(), 0);
		check_output(1200, 1300);
		assert_int_equal(said.nr_dumps, 1);
		assert_int_equal(said.nr_functions, 1);
		assert_int_equal(said.nr_bad, 0);
		assert_false(said.cut_short);
	}
}

/* 500 + counter * 32 / 16 */
static void test_counter(void **state)
{
	make_recording(CPU, false);
	make_dump(false, ARCH);
	assert_int_equal(inject(), 0);
	check_output(500 + 2400, 500 + 2600);
}

static void test_wrong_clock(void **state)
{
	make_recording(OTHER, false);
	make_dump(false, 0);
	assert_int_equal(inject(), -EINVAL);
	assert_int_equal(access("out", F_OK), -1);
	make_dump(false, ARCH);
	assert_int_equal(inject(), -EINVAL);
	assert_int_equal(access("out", F_OK), -1);
}

static void test_no_jitdump(void **state)
{
	make_recording(MONO, false);
	write_file(DUMP, "just a text that is long enough for a header", 44);
	assert_int_equal(inject(), -EBADMSG);
	write_file(DUMP, "", 0);
	assert_true(inject() < 0);
	assert_int_equal(access("out", F_OK), -1);
}

/* The recording is copied unchanged if the jitdump cannot be read. */
static void check_untouched(void)
{
	struct found found;

	assert_int_equal(inject(), 0);
	assert_int_equal(said.nr_dumps, 1);
	assert_int_not_equal(said.refused, 0);
	found = read_output();
	assert_int_equal(found.nr_maps, 0);
	assert_int_equal(found.nr_marks, 1);
	assert_int_equal(found.nr_anon, 2);
	assert_int_equal(access(ELF, F_OK), -1);
}

static void test_missing(void **state)
{
	make_recording(MONO, false);
	unlink(DUMP);
	check_untouched();
	assert_int_equal(mkdir(DUMP, 0700), 0);
	check_untouched();
	assert_int_equal(rmdir(DUMP), 0);
	make_dump(false, 0);
	assert_int_equal(rename(DUMP, "target"), 0);
	assert_int_equal(symlink("target", DUMP), 0);
	check_untouched();
	unlink(DUMP);
}

/* Truncate a jitdump at every length: never an error if its header is complete. */
static void test_cut(void **state)
{
	struct stat st;
	off_t size;

	make_recording(MONO, false);
	make_dump(false, 0);
	assert_int_equal(stat(DUMP, &st), 0);
	for (size = st.st_size; size >= 0; size -= 7) {
		assert_int_equal(truncate(DUMP, size), 0);
		assert_int_equal(inject() < 0, size < 48);
		if (size >= 48)
			assert_int_equal(read_output().nr_samples, 3);
	}
}

/* A jitdump without a machine: its files get the machine of the recording. */
static void test_without_machine(void **state)
{
	struct pfx_buffer b = {0};
	uint8_t machine[2];
	FILE *file;

	jit_python(&b, JIT_PID, JIT_ADDR, 1);
	write_file(DUMP, b.at, b.len);
	pfx_buffer_fini(&b);
	make_recording(MONO "feature arch str=aarch64\n", false);
	assert_int_equal(inject(), 0);
	file = fopen("jitted-4711-1.so", "r");
	assert_non_null(file);
	assert_int_equal(fseek(file, 18, SEEK_SET), 0);
	assert_int_equal(fread(machine, 1, 2, file), 2);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(machine[0] | machine[1] << 8, EM_AARCH64);
	unlink("jitted-4711-1.so");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_monotonic),       cmocka_unit_test(test_counter),
		cmocka_unit_test(test_wrong_clock),     cmocka_unit_test(test_no_jitdump),
		cmocka_unit_test(test_missing),         cmocka_unit_test(test_cut),
		cmocka_unit_test(test_without_machine),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
