/* SPDX-License-Identifier: MIT */
/* Checks that a library may read call frame information, and finds the functions that it
 * describes. */
#include <fcntl.h>
#include <libelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "sym/dwarf/cfi_tables.h"
#include "unit/sym/cfi_make.h"

#define CODE     (MAKE_BASE + MAKE_CODE)
#define INDEX_NR (MAKE_HEADER + 8) /* file offset of the number of entries in the index */

struct file {
	char path[64];
	int fd;
	Elf *elf;
	struct pfx_cfi_tables *tables;
};

static const struct shape {
	uint16_t machine;
	unsigned word;
	bool big_endian;
} shapes[] = {{EM_X86_64, 8, false}, {EM_ARM, 4, false}, {EM_S390, 8, true}, {EM_PPC, 4, true}};

static struct make_cfi begin(const struct shape *shape)
{
	return (struct make_cfi){.machine = shape->machine,
				 .word = shape->word,
				 .big_endian = shape->big_endian,
				 .ra = 14};
}

#define NO_INDEX -2 /* there are section names, but no index */
#define AS_IT_IS -1

/* The file with this number of entries in the index of its program headers. */
static struct file open_with(struct make_cfi *m, int entries)
{
	struct file file;
	uint8_t number[4] = {0};

	snprintf(file.path, sizeof(file.path), "/tmp/pfx-cfi-%d", (int)getpid());
	make_cfi_file(m, file.path);
	file.fd = open(file.path, O_RDWR);
	assert_true(file.fd >= 0);
	if (entries != NO_INDEX)
		assert_int_equal(pwrite(file.fd, number, 2, m->word == 8 ? 62 : 50), 2);
	if (entries >= 0) {
		make_put(number, m, (uint64_t)entries, 4);
		assert_int_equal(pwrite(file.fd, number, 4, INDEX_NR), 4);
	}
	elf_version(EV_CURRENT);
	file.elf = elf_begin(file.fd, ELF_C_READ, NULL);
	assert_non_null(file.elf);
	file.tables = pfx_cfi_tables_new(file.elf, false);
	return file;
}

static void close_file(struct file *file)
{
	pfx_cfi_tables_free(file->tables);
	elf_end(file->elf);
	close(file->fd);
	unlink(file->path);
}

static void put_fde(struct make_cfi *m, uint32_t at, uint32_t size)
{
	make_fde(m, at, size);
	make_def_cfa(m, 7, 8);
	make_entry_end(m);
}

static void expect_function(const struct file *file, uint64_t at, uint64_t start, uint64_t end)
{
	uint64_t got_start = 0, got_end = 0;
	bool found = pfx_cfi_tables_function(file->tables, CODE + at, &got_start, &got_end);

	assert_int_equal(found, end > 0);
	if (found) {
		assert_int_equal(got_start, CODE + start);
		assert_int_equal(got_end, CODE + end);
	}
}

/* With the index, and without one; with all word sizes and byte orders. */
static void test_functions(void **state)
{
	size_t i;
	int entries;

	for (i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		for (entries = NO_INDEX; entries <= 0; entries++) {
			struct make_cfi m = begin(&shapes[i]);
			struct file file;

			make_cie(&m, false);
			put_fde(&m, 0x400, 0x80);
			put_fde(&m, 0x100, 0x20);
			put_fde(&m, 0x120, 0x10);
			file = open_with(&m, entries);
			assert_true(pfx_cfi_tables_allow_all(file.tables));
			expect_function(&file, 0xff, 0, 0);
			expect_function(&file, 0x100, 0x100, 0x120);
			expect_function(&file, 0x11f, 0x100, 0x120);
			expect_function(&file, 0x120, 0x120, 0x130);
			expect_function(&file, 0x130, 0, 0);
			expect_function(&file, 0x47f, 0x400, 0x480);
			expect_function(&file, 0x480, 0, 0);
			close_file(&file);
		}
	}
}

/* Instructions that are refused. */
static const struct {
	const char *name;
	uint8_t bytes[16];
	int nr, repeat;
} hostile[] = {
	{"offset_extended", {0x05, 0xff, 0xff, 0xff, 0x3f, 1}, 6, 1},
	{"restore_extended", {0x06, 0xff, 0xff, 0xff, 0x3f}, 5, 1},
	{"undefined", {0x07, 0xff, 0xff, 0xff, 0x3f}, 5, 1},
	{"same_value", {0x08, 0x80, 0x40}, 3, 1},
	{"register", {0x09, 1, 0xff, 0xff, 0xff, 0x3f}, 6, 1},
	{"def_cfa", {0x0c, 0xff, 0xff, 0xff, 0x3f, 8}, 6, 1},
	{"expression", {0x10, 0xff, 0xff, 0xff, 0x3f, 1, 0x96}, 7, 1},
	{"offset_extended_sf", {0x11, 0xff, 0xff, 0xff, 0x3f, 1}, 6, 1},
	{"val_offset", {0x14, 0xff, 0xff, 0xff, 0x3f, 1}, 6, 1},
	{"val_expression", {0x16, 0xff, 0xff, 0xff, 0x3f, 1, 0x96}, 7, 1},
	{"negative", {0x2f, 0xff, 0xff, 0xff, 0x3f, 1}, 6, 1},
	{"of ten bytes", {0x07, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}, 11, 1},
	{"block beyond the end", {0x0f, 0xff, 0x7f}, 3, 1},
	{"unknown", {0x3e}, 1, 1},
	{"remembered too often", {0x0a}, 1, 65},
	{"a wide state remembered", {0x07, 0xff, 0x3f, 0x0a, 0x0b}, 5, 200},
};

static void put_hostile(struct make_cfi *m, size_t i)
{
	int n;

	for (n = 0; n < hostile[i].repeat; n++)
		make_bytes(m, hostile[i].bytes, (size_t)hostile[i].nr);
}

/* Only functions with such instructions are refused; without an index, all of them. */
static void test_hostile_function(void **state)
{
	struct make_cfi m;
	struct file file;
	size_t i;

	for (i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		print_message("%s\n", hostile[i].name);
		m = begin(&shapes[0]);
		make_cie(&m, false);
		put_fde(&m, 0x400, 0x80);
		make_fde(&m, 0x500, 0x80);
		put_hostile(&m, i);
		make_entry_end(&m);
		file = open_with(&m, AS_IT_IS);
		assert_true(pfx_cfi_tables_allow(file.tables, CODE + 0x410));
		assert_false(pfx_cfi_tables_allow(file.tables, CODE + 0x510));
		assert_false(pfx_cfi_tables_allow_all(file.tables));
		assert_true(pfx_cfi_tables_allow(file.tables, CODE + 0x410));
		close_file(&file);
		file = open_with(&m, NO_INDEX);
		assert_false(pfx_cfi_tables_allow(file.tables, CODE + 0x410));
		close_file(&file);
	}
}

/* The highest register numbers of machines, and the depth of saved states in compiled code. */
static void test_usual(void **state)
{
	const uint8_t usual[] = {0x07, 0xff, 0x3f, 0x0a, 0x0e, 16,   0x0b, 0x2d, 0x2e, 16,
				 0x86, 2,    0x02, 4,    0xc6, 0x41, 0x0f, 1,    0x96};
	struct make_cfi m = begin(&shapes[0]);
	struct file file;

	make_cie(&m, true);
	make_fde(&m, 0x400, 0x80);
	make_bytes(&m, usual, sizeof(usual));
	make_entry_end(&m);
	file = open_with(&m, AS_IT_IS);
	assert_true(pfx_cfi_tables_allow(file.tables, CODE + 0x410));
	assert_true(pfx_cfi_tables_allow_all(file.tables));
	close_file(&file);
}

static void expect_allowed(struct make_cfi *m, int entries, bool wanted)
{
	struct file file = open_with(m, entries);

	assert_int_equal(pfx_cfi_tables_allow(file.tables, CODE + 0x410), wanted);
	assert_int_equal(pfx_cfi_tables_allow_all(file.tables), wanted);
	close_file(&file);
}

/* Wrong lengths, distances and numbers of entries. */
static void test_hostile_sizes(void **state)
{
	const uint32_t lengths[] = {0xffffffff, 0xfffffffe, 0x10000, 0x1000, 3, 1};
	struct make_cfi m = begin(&shapes[0]);
	size_t i;

	make_cie(&m, false);
	put_fde(&m, 0x400, 0x80);
	expect_allowed(&m, AS_IT_IS, true);
	expect_allowed(&m, 2, false);          /* the second does not exist */
	expect_allowed(&m, 0x7fffffff, false); /* missing entries */
	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		make_put(m.frames + m.start, &m, lengths[i], 4);
		expect_allowed(&m, AS_IT_IS, false);
		expect_allowed(&m, NO_INDEX, false);
	}
	make_entry_end(&m);
	make_put(m.frames + m.start + 4, &m, 0x7fffffff, 4); /* far from its CIE */
	expect_allowed(&m, AS_IT_IS, false);
	make_put(m.frames + m.start + 4, &m, 0, 4); /* a CIE itself */
	expect_allowed(&m, AS_IT_IS, false);
}

/* A CIE that different readers interpret differently. */
static void test_hostile_common(void **state)
{
	const char *const letters[] = {"zBR", "zQR", "R", "eh", "zzR"};
	struct make_cfi m;
	size_t i;

	for (i = 0; i < sizeof(letters) / sizeof(*letters); i++) {
		m = begin(&shapes[0]);
		make_cie(&m, false);
		memcpy(m.frames + 9, letters[i], strlen(letters[i]) + 1);
		put_fde(&m, 0x400, 0x80);
		expect_allowed(&m, AS_IT_IS, false);
	}
}

/* Change every byte: a result, and no byte read after the end of the file (for ASan). */
static void test_damage(void **state)
{
	struct make_cfi m = begin(&shapes[0]);
	uint64_t start, end;
	struct file file;
	size_t i;

	make_cie(&m, false);
	put_fde(&m, 0x400, 0x80);
	for (i = 0; i < 8 * m.len; i++) {
		m.frames[i / 8] ^= (uint8_t)(1u << (i % 8));
		file = open_with(&m, (int)(i % 3) - 2);
		(void)pfx_cfi_tables_allow(file.tables, CODE + 0x410);
		if (pfx_cfi_tables_function(file.tables, CODE + 0x410, &start, &end))
			assert_true(start <= CODE + 0x410 && end > CODE + 0x410);
		close_file(&file);
		m.frames[i / 8] ^= (uint8_t)(1u << (i % 8));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),      cmocka_unit_test(test_hostile_function),
		cmocka_unit_test(test_usual),          cmocka_unit_test(test_hostile_sizes),
		cmocka_unit_test(test_hostile_common), cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
