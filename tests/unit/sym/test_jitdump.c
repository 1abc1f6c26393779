/* SPDX-License-Identifier: MIT */
/* Decoding of jitdump in both byte orders, damaged ones, and the ELF files made from them. */
#include <elf.h>
#include <errno.h>
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
#include "base/sha1.h"
#include "sym/find/request.h"
#include "sym/jit/jit_elf.h"
#include "sym/jit/jitdump.h"
#include "sym/symtab_load.h"
#include "sym/table/symtab.h"
#include "unit/sym/jitdump_make.h"

static void next(struct pfx_jitdump *dump, struct pfx_jit_record *ret, enum pfx_jit_type type,
		 uint64_t time)
{
	assert_true(pfx_jitdump_next(dump, ret));
	assert_int_equal(ret->type, type);
	assert_int_equal(ret->time, time);
}

static void check_lines(struct pfx_jit_debug debug)
{
	struct pfx_jit_line line;

	assert_int_equal(debug.addr, JIT_ADDR);
	assert_true(pfx_jit_debug_next(&debug, &line));
	assert_int_equal(line.addr, JIT_ADDR + 3);
	assert_int_equal(line.line, 11);
	assert_string_equal(line.file, "app.js");
	assert_true(pfx_jit_debug_next(&debug, &line));
	assert_int_equal(line.line, 10);
	assert_string_equal(line.file, "app.js");
	assert_true(pfx_jit_debug_next(&debug, &line));
	assert_string_equal(line.file, "far.js");
	assert_false(pfx_jit_debug_next(&debug, &line));
}

static void check_load(const struct pfx_jit_load *load)
{
	assert_int_equal(load->pid, JIT_PID);
	assert_int_equal(load->tid, JIT_PID + 1);
	assert_int_equal(load->vma, JIT_ADDR);
	assert_int_equal(load->addr, JIT_ADDR);
	assert_int_equal(load->size, sizeof(jit_code));
	assert_int_equal(load->index, 5);
	assert_string_equal(load->name, "app:run");
	assert_memory_equal(load->code, jit_code, sizeof(jit_code));
}

static void decode(bool swap)
{
	struct pfx_jit_record record;
	struct pfx_jitdump dump;
	struct pfx_error err;
	struct pfx_buffer b;

	jit_make(&b, swap);
	assert_int_equal(pfx_jitdump_init(&dump, b.at, b.len, &err), 0);
	assert_int_equal(dump.pid, JIT_PID);
	assert_int_equal(dump.machine, EM_X86_64);
	assert_int_equal(dump.time, 1000);
	next(&dump, &record, PFX_JIT_DEBUG_INFO, 1100);
	check_lines(record.debug);
	next(&dump, &record, PFX_JIT_UNWINDING, 1100);
	assert_int_equal(record.unwinding.size, sizeof(jit_tables));
	assert_int_equal(record.unwinding.header_size, 4);
	assert_int_equal(record.unwinding.mapped_size, sizeof(jit_tables));
	assert_memory_equal(record.unwinding.data, jit_tables, sizeof(jit_tables));
	next(&dump, &record, PFX_JIT_LOAD, 1200);
	check_load(&record.load);
	next(&dump, &record, PFX_JIT_MOVE, 1300);
	assert_int_equal(record.move.old_addr, JIT_ADDR);
	assert_int_equal(record.move.new_addr, JIT_ADDR + 0x1000);
	assert_int_equal(record.move.size, sizeof(jit_code));
	assert_int_equal(record.move.index, 5);
	assert_false(dump.closed);
	next(&dump, &record, PFX_JIT_CLOSE, 1400);
	assert_false(pfx_jitdump_next(&dump, &record));
	assert_true(dump.closed);
	assert_int_equal(dump.nr_unknown, 1);
	assert_int_equal(dump.nr_bad, 0);
	assert_false(dump.cut_short);
	pfx_buffer_fini(&b);
}

static void test_decode(void **state)
{
	decode(false);
	decode(true);
}

/* Read all records from bytes without anything after them; returns the number of records, or an
 * error. */
static int read_all(const uint8_t *data, size_t size, struct pfx_jitdump *dump)
{
	uint8_t *exact = malloc(size ? size : 1);
	struct pfx_error err = {0};
	struct pfx_jit_record record;
	struct pfx_jit_line line;
	int rc, nr = 0;

	memcpy(exact, data, size);
	rc = pfx_jitdump_init(dump, exact, size, &err);
	if (rc < 0)
		assert_string_not_equal(err.text, "");
	while (!rc && pfx_jitdump_next(dump, &record)) {
		nr++;
		while (record.type == PFX_JIT_DEBUG_INFO &&
		       pfx_jit_debug_next(&record.debug, &line))
			assert_non_null(line.file);
	}
	free(exact);
	return rc < 0 ? rc : nr;
}

static void test_every_length(void **state)
{
	struct pfx_jitdump dump;
	struct pfx_buffer b;
	int last = 0, nr;
	size_t size;

	jit_make(&b, false);
	for (size = 0; size < b.len; size++) {
		nr = read_all(b.at, size, &dump);
		if (size < 4)
			assert_int_equal(nr, -EBADMSG);
		else if (size < 48)
			assert_int_equal(nr, -ENODATA);
		else
			assert_true(nr >= last && nr <= 5);
		last = nr > 0 ? nr : 0;
	}
	assert_true(dump.cut_short);
	assert_int_equal(read_all(b.at, b.len, &dump), 5);
	pfx_buffer_fini(&b);
}

static void test_every_bit(void **state)
{
	struct pfx_jitdump dump;
	struct pfx_buffer b;
	size_t i;

	jit_make(&b, false);
	for (i = 0; i < 8 * b.len; i++) {
		b.at[i / 8] ^= (uint8_t)(1u << (i % 8));
		assert_true(read_all(b.at, b.len, &dump) <= 6);
		b.at[i / 8] ^= (uint8_t)(1u << (i % 8));
	}
	pfx_buffer_fini(&b);
}

/* Set a word of the only record to an invalid value. */
static void hostile(void (*make)(struct pfx_buffer *b), size_t at, uint64_t value)
{
	struct pfx_buffer b = {0};
	struct pfx_jitdump dump;

	jit_header(&b, 40, 0);
	make(&b);
	pfx_buffer_patch64(&b, 40 + 16 + at, value);
	assert_int_equal(read_all(b.at, b.len, &dump), 0);
	assert_int_equal(dump.nr_bad, 1);
	pfx_buffer_fini(&b);
}

/* The size of tables in memory may be rounded up, as in CPython. */
static void test_rounded_size(void **state)
{
	struct pfx_jit_record record;
	struct pfx_jitdump dump;
	struct pfx_buffer b = {0};

	jit_python(&b, JIT_PID, JIT_ADDR, 1);
	assert_int_equal(pfx_jitdump_init(&dump, b.at, b.len, NULL), 0);
	assert_int_equal(dump.machine, EM_NONE);
	next(&dump, &record, PFX_JIT_UNWINDING, 1100);
	assert_int_equal(record.unwinding.size, 68);
	assert_int_equal(record.unwinding.mapped_size, 80);
	assert_memory_equal(record.unwinding.data, python_tables, sizeof(python_tables));
	next(&dump, &record, PFX_JIT_LOAD, 1200);
	assert_int_equal(record.load.size, PYTHON_CODE);
	assert_false(pfx_jitdump_next(&dump, &record));
	assert_int_equal(dump.nr_bad, 0);
	pfx_buffer_fini(&b);
}

static void test_hostile_sizes(void **state)
{
	static const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX - 7, 1ull << 63, 1ull << 32, 1000};
	struct pfx_buffer b = {0};
	struct pfx_jitdump dump;
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		hostile(jit_load, 24, sizes[i]);
		hostile(jit_debug, 8, sizes[i]);
		hostile(jit_unwinding, 0, sizes[i]);
		hostile(jit_unwinding, 8, sizes[i]);
		hostile(jit_unwinding, 16, i < 4 ? sizes[i] : 65537);
	}
	jit_header(&b, 40, 0);
	pfx_buffer_patch32(&b, 8, UINT32_MAX);
	assert_int_equal(read_all(b.at, b.len, &dump), -ENODATA);
	pfx_buffer_patch32(&b, 8, 39);
	assert_int_equal(read_all(b.at, b.len, &dump), -EBADMSG);
	pfx_buffer_patch32(&b, 8, 40);
	pfx_buffer_patch32(&b, 4, 2);
	assert_int_equal(read_all(b.at, b.len, &dump), -EPROTONOSUPPORT);
	pfx_buffer_patch32(&b, 4, 1);
	pfx_buffer_zeros(&b, 64);
	assert_int_equal(read_all(b.at, b.len, &dump), 0);
	assert_true(dump.cut_short);
	pfx_buffer_fini(&b);
}

static void test_text(void **state)
{
	static const char text[] = "this is no jitdump, whatever its name says, and it is long";
	struct pfx_jitdump dump;

	assert_int_equal(read_all((const uint8_t *)text, sizeof(text), &dump), -EBADMSG);
}

static uint8_t *read_elf(const char *path, size_t *ret_size)
{
	char *data;

	assert_int_equal(pfx_read_file(path, 1 << 20, &data, ret_size, NULL), 0);
	return (uint8_t *)data;
}

/* The bytes of @what stand at @offset of the file. */
static void check_at(const char *path, size_t offset, const void *what, size_t size)
{
	size_t file_size;
	uint8_t *data = read_elf(path, &file_size);

	assert_true(offset + size <= file_size);
	assert_memory_equal(data + offset, what, size);
	free(data);
}

static void check_symbol(const char *path, const struct pfx_build_id *id)
{
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE, .path = path, .pid = -1};
	struct pfx_sym_options options = {.buildid_dir = "/dev/null"};
	const struct pfx_symbol *symbol;
	struct pfx_symtab *tab;

	request.build_id = id->data;
	request.build_id_size = id->size;
	assert_int_equal(pfx_symtab_load(&tab, &request, &options, NULL), 0);
	symbol = pfx_symtab_find(tab, PFX_JIT_TEXT_OFFSET + 2);
	assert_non_null(symbol);
	assert_string_equal(symbol->name, "app:run");
	assert_int_equal(symbol->start, PFX_JIT_TEXT_OFFSET);
	assert_int_equal(symbol->end, PFX_JIT_TEXT_OFFSET + sizeof(jit_code));
	pfx_symtab_free(tab);
}

/* A function from the dump as an ELF file of @machine. */
static void check_elf(uint32_t machine, bool big_endian)
{
	bool swap = big_endian == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	struct pfx_jit_record debug, unwinding, load;
	struct pfx_jit_function function = {&load.load, &debug.debug, &unwinding.unwinding, machine,
					    big_endian};
	struct pfx_build_id id, read, other;
	char path[] = "/tmp/pfx-jit-XXXXXX";
	struct pfx_jitdump dump;
	struct pfx_error err = {0};
	struct pfx_buffer b;

	close(mkstemp(path));
	jit_make(&b, swap);
	assert_int_equal(pfx_jitdump_init(&dump, b.at, b.len, &err), 0);
	assert_true(pfx_jitdump_next(&dump, &debug) && pfx_jitdump_next(&dump, &unwinding) &&
		    pfx_jitdump_next(&dump, &load));
	if (pfx_jit_elf_write(path, &function, &id, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(pfx_jit_mapped_size(&function), 16 + sizeof(jit_tables));
	assert_int_equal(pfx_build_id_of_file(path, &read, &err), 0);
	assert_int_equal(read.size, id.size);
	assert_memory_equal(read.data, id.data, id.size);
	check_symbol(path, &id);
	check_at(path, PFX_JIT_TEXT_OFFSET, jit_code, sizeof(jit_code));
	check_at(path, PFX_JIT_TEXT_OFFSET + 16, jit_tables, sizeof(jit_tables));
	function.debug = NULL;
	function.unwinding = NULL;
	assert_int_equal(pfx_jit_mapped_size(&function), sizeof(jit_code));
	assert_int_equal(pfx_jit_elf_write(path, &function, &other, &err), 0);
	assert_memory_not_equal(other.data, id.data, id.size);
	check_symbol(path, &other);
	unlink(path);
	pfx_buffer_fini(&b);
}

static void test_elf(void **state)
{
	check_elf(EM_X86_64, false);
	check_elf(EM_AARCH64, false);
	check_elf(EM_386, false);
	check_elf(EM_S390, true);
	check_elf(EM_PPC, true);
}

static void test_elf_errors(void **state)
{
	struct pfx_jit_load load = {.name = "f", .code = jit_code, .size = sizeof(jit_code)};
	struct pfx_jit_function function = {.load = &load, .machine = EM_X86_64};
	char path[] = "/tmp/pfx-jit-XXXXXX", target[] = "/tmp/pfx-jit-XXXXXX";
	struct pfx_error err = {0};
	struct pfx_build_id id;

	assert_int_equal(pfx_jit_elf_write("/nowhere/x.so", &function, &id, &err), -ENOENT);
	assert_non_null(strstr(err.text, "'/nowhere/x.so'"));
	/* a symbolic link of another user is replaced, its target is unchanged */
	close(mkstemp(path));
	close(mkstemp(target));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(pfx_jit_elf_write(path, &function, &id, &err), 0);
	assert_int_equal(readlink(path, err.text, sizeof(err.text)), -1);
	check_at(path, 0, "\177ELF", 4);
	assert_int_equal(pfx_build_id_of_file(target, &id, &err) < 0, 1);
	unlink(path);
	unlink(target);
}

static void check_digest(const char *text, size_t repeat, const char *expected)
{
	struct pfx_build_id id = {.size = PFX_SHA1_SIZE};
	struct pfx_sha1 sha;
	char hex[2 * PFX_SHA1_SIZE + 1];

	pfx_sha1_init(&sha);
	while (repeat--)
		pfx_sha1_add(&sha, text, strlen(text));
	pfx_sha1_end(&sha, id.data);
	assert_string_equal(pfx_build_id_text(&id, hex), expected);
}

/* The examples of the standard. */
static void test_sha1(void **state)
{
	check_digest("", 1, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
	check_digest("abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d");
	check_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
		     "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
	check_digest("aaaaaaaaaa", 100000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decode),        cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_every_bit),     cmocka_unit_test(test_rounded_size),
		cmocka_unit_test(test_hostile_sizes), cmocka_unit_test(test_text),
		cmocka_unit_test(test_elf),           cmocka_unit_test(test_elf_errors),
		cmocka_unit_test(test_sha1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
