/* SPDX-License-Identifier: MIT */
/* Code of kernels: from cores of both byte orders, from images with another load address, and
 * without any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <elf.h>
#include <errno.h>

#include "base/buffer.h"
#include "sym/find/request.h"
#include "sym/kernel/kernel_code.h"
#include "sym/symtab_load.h"
#include "unit/base/tree.h"

#define TEXT 0xffffffff81000000ull

static const char kallsyms[] = "ffffffff81000000 T _text\nffffffff81000100 t work\n";

struct core {
	struct tree t;
	struct pfx_buffer file;
	char kallsyms_path[512], path[512];
	struct pfx_sym_options options;
	struct pfx_sym_request request;
	struct pfx_symtab *tab;
	struct pfx_kernel_code *code;
};

/* @nr segments of 16 bytes, 4096 apart from TEXT on; their content is their index. */
static void write_core(struct core *c, bool swap, uint16_t nr, uint16_t entry_size)
{
	const uint16_t one = 1;
	bool little = (*(const uint8_t *)&one == 1) != swap;
	uint8_t ident[EI_NIDENT] = {
		0x7f, 'E', 'L', 'F', ELFCLASS64, little ? ELFDATA2LSB : ELFDATA2MSB, EV_CURRENT};
	uint16_t i, k;

	c->file.swap = swap;
	pfx_buffer_clear(&c->file);
	pfx_buffer_bytes(&c->file, ident, sizeof(ident));
	pfx_buffer_u16(&c->file, ET_CORE);
	pfx_buffer_u16(&c->file, EM_X86_64);
	pfx_buffer_u32(&c->file, EV_CURRENT);
	pfx_buffer_u64(&c->file, 0);
	pfx_buffer_u64(&c->file, 64); /* the segments */
	pfx_buffer_u64(&c->file, 0);
	pfx_buffer_u32(&c->file, 0);
	pfx_buffer_u16(&c->file, 64);
	pfx_buffer_u16(&c->file, entry_size);
	pfx_buffer_u16(&c->file, nr);
	for (i = 0; i < 3; i++)
		pfx_buffer_u16(&c->file, 0);
	for (i = 0; i < nr; i++) {
		pfx_buffer_u32(&c->file, i ? PT_LOAD : PT_NOTE);
		pfx_buffer_u32(&c->file, 0);
		pfx_buffer_u64(&c->file, 64 + (uint64_t)nr * 56 + i * 16u);
		pfx_buffer_u64(&c->file, TEXT + i * 4096u);
		pfx_buffer_u64(&c->file, 0);
		pfx_buffer_u64(&c->file, 16);
		pfx_buffer_u64(&c->file, 16);
		pfx_buffer_u64(&c->file, 0);
	}
	for (i = 0; i < nr; i++)
		for (k = 0; k < 16; k++)
			pfx_buffer_bytes(&c->file, &(uint8_t){(uint8_t)i}, 1);
	tree_bytes(&c->t, "/core", c->file.at, c->file.len);
}

static void begin(struct core *c)
{
	*c = (struct core){0};
	tree_init(&c->t);
	tree_file(&c->t, "/kallsyms", kallsyms);
	c->options.kallsyms =
		tree_path(&c->t, c->kallsyms_path, sizeof(c->kallsyms_path), "/kallsyms");
	c->options.symfs = "/nonexistent"; /* no files of this machine */
	c->options.kcore = tree_path(&c->t, c->path, sizeof(c->path), "/core");
	c->request.kind = PFX_SYM_KERNEL;
	c->request.path = "[kernel.kallsyms]";
	assert_int_equal(pfx_symtab_load(&c->tab, &c->request, &c->options, NULL), 0);
}

static void open_code(struct core *c, int expect)
{
	struct pfx_error err = {0};

	pfx_kernel_code_free(c->code);
	assert_int_equal(pfx_kernel_code_open(&c->code, &c->request, &c->options, c->tab, &err),
			 expect);
	assert_int_equal(err.text[0] != 0, expect != 0);
}

static void end(struct core *c)
{
	pfx_kernel_code_free(c->code);
	pfx_symtab_free(c->tab);
	pfx_buffer_fini(&c->file);
	tree_fini(&c->t);
}

static void check_core(bool swap)
{
	uint8_t bytes[32] = {0};
	struct core c;

	begin(&c);
	write_core(&c, swap, 3, 56);
	open_code(&c, 0);
	assert_int_equal(pfx_kernel_code_read(c.code, TEXT + 4096, bytes, 4), 4);
	assert_int_equal(bytes[0], 1);
	assert_int_equal(pfx_kernel_code_read(c.code, TEXT + 2 * 4096 + 10, bytes, 32), 6);
	assert_int_equal(bytes[5], 2);
	assert_int_equal(pfx_kernel_code_read(c.code, TEXT, bytes, 4), 0); /* a note */
	assert_int_equal(pfx_kernel_code_read(c.code, TEXT + 4096 + 16, bytes, 4), 0);
	assert_int_equal(pfx_kernel_code_read(c.code, UINT64_MAX, bytes, 4), 0);
	assert_int_equal(pfx_kernel_code_read(c.code, 0, bytes, 4), 0);
	end(&c);
}

static void test_core(void **state)
{
	check_core(false);
	check_core(true);
}

/* Truncate a core at every length: an error or fewer bytes. */
static void test_cut_core(void **state)
{
	uint8_t bytes[16];
	struct core c;
	size_t size, i;

	begin(&c);
	write_core(&c, false, 2, 56);
	size = c.file.len;
	for (i = 0; i < size; i++) {
		tree_bytes(&c.t, "/core", c.file.at, i);
		open_code(&c, i < 64 + 2 * 56 ? -ENOENT : 0);
		if (c.code)
			assert_in_range(pfx_kernel_code_read(c.code, TEXT + 4096, bytes, 16), 0,
					i > size - 16 ? i - (size - 16) : 0);
	}
	end(&c);
}

static void test_no_core(void **state)
{
	struct core c;

	begin(&c);
	open_code(&c, -ENOENT);
	write_core(&c, false, 0, 56);
	open_code(&c, -ENOENT);
	write_core(&c, false, 2, 32);
	open_code(&c, -ENOENT);
	write_core(&c, false, 4097, 56);
	open_code(&c, -ENOENT);
	tree_file(&c.t, "/core",
		  "no core at all, but long enough to hold a header of one, if it were");
	open_code(&c, -ENOENT);
	end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_core),
		cmocka_unit_test(test_cut_core),
		cmocka_unit_test(test_no_core),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
