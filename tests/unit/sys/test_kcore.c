/* SPDX-License-Identifier: MIT */
/* The copy of a kernel's code, from a generated kernel: two ranges of memory and a module. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/io.h"
#include "sys/host/kcore.h"
#include "unit/base/tree.h"

#define TEXT   0xffffffff81000000ull
#define MODULE 0xffffffffc0100000ull
#define PAGE   4096u

#define SYMBOLS                              \
	"ffffffff81000000 T _text\n"         \
	"ffffffff81001010 T _stext\n"        \
	"ffffffff81001100 t some_function\n" \
	"ffffffff81002800 T _etext\n"        \
	"ffffffff81009000 D data\n"          \
	"ffffffffc0100000 t init\t[amodule]\n"

struct kernel {
	Elf64_Ehdr head;
	Elf64_Phdr segments[3];
	uint8_t notes[64];
	uint8_t text[4 * PAGE], module[2 * PAGE];
};

static void make(struct kernel *k, struct tree *t)
{
	size_t i;

	memset(k, 0, sizeof(*k));
	memcpy(k->head.e_ident, ELFMAG, SELFMAG);
	k->head.e_ident[EI_CLASS] = ELFCLASS64;
	k->head.e_ident[EI_DATA] = ELFDATA2LSB;
	k->head.e_type = ET_CORE;
	k->head.e_machine = EM_X86_64;
	k->head.e_phoff = offsetof(struct kernel, segments);
	k->head.e_phentsize = sizeof(Elf64_Phdr);
	k->head.e_phnum = 3;
	k->segments[0] =
		(Elf64_Phdr){.p_type = PT_NOTE, .p_offset = offsetof(struct kernel, notes)};
	k->segments[1] = (Elf64_Phdr){.p_type = PT_LOAD,
				      .p_offset = offsetof(struct kernel, text),
				      .p_vaddr = TEXT,
				      .p_memsz = sizeof(k->text)};
	k->segments[2] = (Elf64_Phdr){.p_type = PT_LOAD,
				      .p_offset = offsetof(struct kernel, module),
				      .p_vaddr = MODULE,
				      .p_memsz = sizeof(k->module)};
	for (i = 0; i < sizeof(k->text); i++)
		k->text[i] = (uint8_t)(i / PAGE * 16 + i % 7);
	memset(k->module, 'm', sizeof(k->module));
	tree_init(t);
	tree_bytes(t, "/proc/kcore", k, sizeof(*k));
	tree_file(t, "/proc/kallsyms", SYMBOLS);
	tree_file(t, "/proc/modules",
		  "amodule 4000 1 other, Live 0xffffffffc0100000\n"
		  "hidden 4000 0 - Live 0x0000000000000000\n");
}

static char *read_copy(const struct tree *t, const char *name, size_t *size)
{
	char path[512], *text;

	snprintf(path, sizeof(path), "%s/copy/%s", t->root, name);
	assert_int_equal(pfx_read_file(path, 1 << 20, &text, size, NULL), 0);
	return text;
}

static void text_and_modules_are_copied(void **state)
{
	struct pfx_error err = {0};
	char dir[512], *bytes, *text;
	Elf64_Phdr segments[2];
	struct kernel k;
	Elf64_Ehdr head;
	struct tree t;
	size_t size;

	(void)state;
	make(&k, &t);
	snprintf(dir, sizeof(dir), "%s/copy", t.root);
	assert_int_equal(pfx_kcore_copy(t.root, dir, &err), 0);
	bytes = read_copy(&t, "kcore", &size);
	memcpy(&head, bytes, sizeof(head));
	assert_int_equal(head.e_machine, EM_X86_64);
	assert_int_equal(head.e_type, ET_CORE);
	assert_int_equal(head.e_phnum, 2);
	memcpy(segments, bytes + head.e_phoff, sizeof(segments));
	/* From the page of _stext to the page after _etext. */
	assert_int_equal(segments[0].p_vaddr, TEXT + PAGE);
	assert_int_equal(segments[0].p_filesz, 2 * PAGE);
	assert_int_equal(segments[0].p_offset % PAGE, 0);
	assert_memory_equal(bytes + segments[0].p_offset, k.text + PAGE, 2 * PAGE);
	assert_int_equal(segments[1].p_vaddr, MODULE);
	assert_int_equal(segments[1].p_memsz, PAGE);
	assert_memory_equal(bytes + segments[1].p_offset, k.module, PAGE);
	assert_int_equal(size, segments[1].p_offset + PAGE);
	free(bytes);
	text = read_copy(&t, "kallsyms", &size);
	assert_string_equal(text, SYMBOLS);
	free(text);
	text = read_copy(&t, "modules", &size);
	assert_non_null(strstr(text, "amodule 4000"));
	free(text);
	assert_int_equal(pfx_kcore_copy(t.root, dir, &err), -EEXIST);
	pfx_kcore_remove(dir);
	assert_int_equal(access(dir, F_OK), -1);
	tree_fini(&t);
}

static void refuse(const struct tree *t, int code)
{
	struct pfx_error err = {0};
	char dir[512];

	snprintf(dir, sizeof(dir), "%s/copy", t->root);
	assert_int_equal(pfx_kcore_copy(t->root, dir, &err), -code);
	assert_true(*err.text);
	assert_int_equal(access(dir, F_OK), -1);
}

static void nothing_is_left_of_a_failure(void **state)
{
	struct kernel k;
	struct tree t;

	(void)state;
	make(&k, &t);
	k.head.e_ident[EI_CLASS] = ELFCLASS32;
	tree_bytes(&t, "/proc/kcore", &k, sizeof(k));
	refuse(&t, EBADMSG);
	k.head.e_ident[EI_CLASS] = ELFCLASS64;
	tree_bytes(&t, "/proc/kcore", &k, 100);
	refuse(&t, EBADMSG);
	tree_bytes(&t, "/proc/kcore", &k, offsetof(struct kernel, text) + PAGE + 8);
	refuse(&t, EIO);
	k.segments[1].p_vaddr = k.segments[2].p_vaddr = 0x1000;
	tree_bytes(&t, "/proc/kcore", &k, sizeof(k));
	refuse(&t, EBADMSG);
	tree_file(&t, "/proc/kallsyms", "0000000000000000 T _stext\n0000000000000000 T _etext\n");
	refuse(&t, EACCES);
	tree_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_and_modules_are_copied),
		cmocka_unit_test(nothing_is_left_of_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
