/* SPDX-License-Identifier: MIT */
/* Symbols of the kernel and its modules, from generated kallsyms, images and modules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "base/io.h"
#include "base/str.h"
#include "sym/elf/buildid.h"
#include "sym/find/request.h"
#include "sym/kernel/kernel_code.h"
#include "sym/symtab_load.h"
#include "sym/table/symtab.h"
#include "unit/base/tree.h"
#include "unit/sym/elf_make.h"

static const char kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
			       "ffffffff81000000 T _stext\n"
			       "ffffffff81000000 T _text\n"
			       "ffffffff81000100 t local_one\n"
			       "ffffffff81000200 W weak_one\n"
			       "ffffffff81000200 t __alias\n"
			       "ffffffff81000300 r rodata\n"
			       "ffffffff81000400 D data_one\n"
			       "ffffffffc0000000 t mod_init\t[mod]\n"
			       "ffffffffc0000040 T mod_work\t[mod]\n"
			       "ffffffffc0001000 T other\t[mod2]\n"
			       "nonsense\n\nffffffff81000500 T last";

struct fixture {
	struct tree t;
	char file[512];
	struct pfx_sym_options options;
	struct pfx_sym_request request;
	struct pfx_symtab *tab;
	struct pfx_error err;
};

static void begin(struct fixture *f, enum pfx_sym_kind kind)
{
	*f = (struct fixture){0};
	tree_init(&f->t);
	f->options.buildid_dir = "/nonexistent";
	f->request.kind = kind;
	f->request.path = kind == PFX_SYM_MODULE ? "[mod]" : "[kernel.kallsyms]";
	f->request.module = kind == PFX_SYM_MODULE ? "[mod]" : NULL;
}

static void end(struct fixture *f)
{
	pfx_symtab_free(f->tab);
	tree_fini(&f->t);
}

static const char *text_file(struct fixture *f, const char *path, const char *text)
{
	tree_file(&f->t, path, text);
	return tree_path(&f->t, f->file, sizeof(f->file), path);
}

static void load(struct fixture *f, int expect)
{
	pfx_symtab_free(f->tab);
	f->tab = NULL;
	assert_int_equal(pfx_symtab_load(&f->tab, &f->request, &f->options, &f->err), expect);
	assert_int_equal(pfx_symtab_nr(f->tab) > 0, expect == 0);
}

static void expect_at(const struct fixture *f, uint64_t addr, const char *name)
{
	const struct pfx_symbol *sym = pfx_symtab_find(f->tab, addr);

	if (name)
		assert_string_equal(sym ? sym->name : "(none)", name);
	else
		assert_null(sym);
}

static void test_kallsyms(void **state)
{
	struct fixture f;

	begin(&f, PFX_SYM_KERNEL);
	f.options.kallsyms = text_file(&f, "/kallsyms", kallsyms);
	load(&f, 0);
	assert_string_equal(pfx_symtab_source(f.tab), f.file);
	expect_at(&f, 0, NULL);
	expect_at(&f, 0xffffffff81000000, "_text");
	expect_at(&f, 0xffffffff810000ff, "_text");
	expect_at(&f, 0xffffffff81000100, "local_one");
	expect_at(&f, 0xffffffff81000399, "__alias");
	expect_at(&f, 0xffffffff81000400, "data_one");
	assert_false(pfx_symtab_find(f.tab, 0xffffffff81000400)->is_func);
	assert_int_equal(pfx_symtab_find(f.tab, 0xffffffff81000000)->binding, 'g');
	expect_at(&f, 0xffffffff81000fff, "last");
	expect_at(&f, 0xffffffffc0000000, NULL);
	end(&f);
}

static void test_relocated(void **state)
{
	struct fixture f;

	begin(&f, PFX_SYM_KERNEL);
	f.options.kallsyms = text_file(&f, "/kallsyms", kallsyms);
	f.request.kernel_ref_name = "_text";
	f.request.kernel_ref_addr = 0xffffffff9a000000;
	load(&f, 0);
	expect_at(&f, 0xffffffff9a000100, "local_one");
	expect_at(&f, 0xffffffff9a000400, "data_one");
	expect_at(&f, 0xffffffff81000100, NULL);
	end(&f);
}

static void test_module_of_kallsyms(void **state)
{
	struct fixture f;

	begin(&f, PFX_SYM_MODULE);
	f.options.kallsyms = text_file(&f, "/kallsyms", kallsyms);
	load(&f, 0);
	assert_int_equal(pfx_symtab_nr(f.tab), 2);
	expect_at(&f, 0xffffffffc0000010, "mod_init");
	expect_at(&f, 0xffffffffc0000050, "mod_work");
	f.request.module = "[unknown]";
	load(&f, -ENOENT);
	assert_non_null(strstr(f.err.text, "[unknown]"));
	end(&f);
}

static void test_hidden(void **state)
{
	struct fixture f;

	begin(&f, PFX_SYM_KERNEL);
	f.options.kallsyms =
		text_file(&f, "/kallsyms", "0000000000000000 T _text\n0000000000000000 t x\n");
	load(&f, -EACCES);
	assert_non_null(strstr(f.err.text, "hidden"));
	f.options.kallsyms = "/nonexistent";
	load(&f, -ENOENT);
	end(&f);
}

static void test_other_kernel(void **state)
{
	struct fixture f;

	begin(&f, PFX_SYM_KERNEL);
	f.options.ignore_vmlinux = true;
	f.request.osrelease = "2.6.18-none";
	f.request.arch = "x86_64";
	load(&f, -ENOENT);
	assert_non_null(strstr(f.err.text, "2.6.18-none"));
	assert_true(strlen(f.err.hint) > 0);
	f.request.osrelease = NULL;
	load(&f, -ENOENT);
	f.request.build_id = (const uint8_t *)"not this kernel";
	f.request.build_id_size = 15;
	load(&f, -ENOENT);
	f.request.kind = PFX_SYM_MODULE;
	f.request.module = "[mod]";
	load(&f, -ENOENT);
	end(&f);
}

static void test_running_kernel(void **state)
{
	struct pfx_build_id id;
	struct utsname uts;
	struct fixture f;
	int rc;

	begin(&f, PFX_SYM_KERNEL);
	f.options.ignore_vmlinux = true;
	uname(&uts);
	f.request.osrelease = uts.release;
	f.request.arch = uts.machine;
	rc = pfx_symtab_load(&f.tab, &f.request, &f.options, &f.err);
	if (rc) { /* no /proc/kallsyms, or its addresses are hidden */
		assert_true(rc == -EACCES || rc == -ENOENT);
		assert_true(strlen(f.err.text) > 0);
		end(&f);
		return;
	}
	assert_string_equal(pfx_symtab_source(f.tab), "/proc/kallsyms");
	assert_true(pfx_symtab_nr(f.tab) > 1000);
	if (!pfx_build_id_of_kernel(&id)) {
		f.request.osrelease = "something else";
		f.request.build_id = id.data;
		f.request.build_id_size = id.size;
		load(&f, 0);
		id.data[0] ^= 1;
		load(&f, -ENOENT);
	}
	end(&f);
}

static const struct make_symbol image_symbols[] = {
	{"_text", MAKE_TEXT_ADDR, 0, STB_GLOBAL, STT_NOTYPE},
	{"start_kernel", MAKE_TEXT_ADDR + 0x10, 0x20, STB_GLOBAL, STT_FUNC},
};

/* The image's code is found at the recorded addresses. */
static void check_image_code(struct fixture *f, const char *path)
{
	struct pfx_mapping map;
	struct pfx_kernel_code *code;
	uint8_t bytes[16];

	f->options.symfs = f->t.root; /* not the running kernel's */
	assert_int_equal(pfx_kernel_code_open(&code, &f->request, &f->options, f->tab, &f->err), 0);
	assert_int_equal(pfx_map_file(path, &map, &f->err), 0);
	assert_int_equal(pfx_kernel_code_read(code, MAKE_TEXT_ADDR + 0x1010, bytes, 16), 16);
	assert_memory_equal(bytes, map.data + MAKE_TEXT_OFFSET + 0x10, 16);
	assert_int_equal(pfx_kernel_code_read(code, MAKE_TEXT_ADDR + 0x10, bytes, 16), 0);
	pfx_unmap(&map);
	pfx_kernel_code_free(code);
	f->options.symfs = NULL;
}

static void test_image(void **state)
{
	const struct make_elf m = {.symbols = image_symbols, .nr_symbols = 2, .build_id = "kernel"};
	char path[512];
	struct fixture f;

	begin(&f, PFX_SYM_KERNEL);
	make_file(tree_path(&f.t, path, sizeof(path), "/vmlinux"), &m);
	f.options.vmlinux = path;
	f.request.kernel_ref_name = "_text";
	f.request.kernel_ref_addr = MAKE_TEXT_ADDR + 0x1000;
	load(&f, 0);
	expect_at(&f, MAKE_TEXT_ADDR + 0x1010, "start_kernel");
	expect_at(&f, MAKE_TEXT_ADDR + 0x1030, NULL);
	check_image_code(&f, path);
	f.request.build_id = (const uint8_t *)"wanted";
	f.request.build_id_size = 6;
	load(&f, -ESTALE);
	f.request.build_id = (const uint8_t *)"kernel";
	load(&f, 0);
	end(&f);
}

static void test_image_by_release(void **state)
{
	const struct make_elf m = {.symbols = image_symbols, .nr_symbols = 2, .build_id = "kernel"};
	char path[512];
	struct fixture f;

	begin(&f, PFX_SYM_KERNEL);
	make_file(tree_path(&f.t, path, sizeof(path), "/usr/lib/debug/lib/modules/9.9/vmlinux"),
		  &m);
	f.options.symfs = f.t.root;
	f.request.osrelease = "9.9";
	load(&f, 0);
	assert_string_equal(pfx_symtab_source(f.tab), path);
	expect_at(&f, MAKE_TEXT_ADDR + 0x10, "start_kernel");
	f.options.ignore_vmlinux = true;
	load(&f, -ENOENT);
	f.options.ignore_vmlinux = false;
	f.request.osrelease = "../9.9";
	load(&f, -ENOENT);
	f.request.osrelease = "9.8";
	load(&f, -ENOENT);
	end(&f);
}

static void test_cache(void **state)
{
	const struct make_elf m = {.symbols = image_symbols, .nr_symbols = 2, .build_id = "kernel"};
	char path[512], cache[512];
	struct fixture f;

	begin(&f, PFX_SYM_KERNEL);
	f.options.symfs = f.t.root;
	f.options.buildid_dir = tree_path(&f.t, cache, sizeof(cache), "/cache");
	f.request.build_id = (const uint8_t *)"kernel";
	f.request.build_id_size = 6;
	load(&f, -ENOENT);
	tree_file(&f.t, "/cache/.build-id/6b/65726e656c/kallsyms", kallsyms);
	load(&f, 0);
	expect_at(&f, 0xffffffff81000100, "local_one");
	make_file(tree_path(&f.t, path, sizeof(path), "/cache/.build-id/6b/65726e656c/vmlinux"),
		  &m);
	load(&f, 0);
	expect_at(&f, MAKE_TEXT_ADDR + 0x10, "start_kernel");
	end(&f);
}

/* A copy of kallsyms by the recorder has precedence over the running kernel's, if it is of the same
 * kernel and the recording contains the load address. */
static void test_cache_first(void **state)
{
	struct pfx_build_id own = {0};
	char cache[512], path[128];
	struct pfx_str hex = {0};
	struct fixture f;
	unsigned i;

	(void)state;
	pfx_build_id_of_kernel(&own);
	if (!own.size)
		skip();
	begin(&f, PFX_SYM_KERNEL);
	f.options.ignore_vmlinux = true;
	f.options.buildid_dir = tree_path(&f.t, cache, sizeof(cache), "/cache");
	f.request.build_id = own.data;
	f.request.build_id_size = own.size;
	for (i = 1; i < own.size; i++)
		pfx_str_hex0(&hex, own.data[i], 2);
	snprintf(path, sizeof(path), "/cache/.build-id/%02x/%s/kallsyms", own.data[0], hex.at);
	tree_file(&f.t, path, kallsyms);
	f.request.kernel_ref_name = "_text";
	f.request.kernel_ref_addr = 0xffffffff9a000000;
	load(&f, 0);
	expect_at(&f, 0xffffffff9a000100, "local_one");
	pfx_str_fini(&hex);
	end(&f);
}

/* Names that the kernel surely does not have, without its symbols: those of other languages, and
 * those that the recorder's copy lacks, if nothing has precedence over it. */
static void test_may_have(void **state)
{
	static const char copy[] = "/cache/.build-id/6b/65726e656c/kallsyms";
	char cache[512];
	struct fixture f;

	(void)state;
	begin(&f, PFX_SYM_KERNEL);
	f.options.ignore_vmlinux = true;
	f.options.buildid_dir = tree_path(&f.t, cache, sizeof(cache), "/cache");
	f.request.build_id = (const uint8_t *)"kernel";
	f.request.build_id_size = 6;
	f.request.kernel_ref_name = "_text";
	f.request.kernel_ref_addr = 0xffffffff9a000000;
	assert_false(pfx_symtab_may_have(&f.request, &f.options, "Shelf<5>::fill"));
	f.options.demangle_kernel = true;
	assert_true(pfx_symtab_may_have(&f.request, &f.options, "Shelf<5>::fill"));
	f.options.demangle_kernel = false;
	assert_true(pfx_symtab_may_have(&f.request, &f.options, "absent")); /* no copy yet */
	tree_file(&f.t, copy, kallsyms);
	assert_false(pfx_symtab_may_have(&f.request, &f.options, "absent"));
	assert_false(pfx_symtab_may_have(&f.request, &f.options, "one"));
	assert_false(pfx_symtab_may_have(&f.request, &f.options, "local_on"));
	assert_true(pfx_symtab_may_have(&f.request, &f.options, "local_one"));
	assert_true(pfx_symtab_may_have(&f.request, &f.options, "mod_work"));
	assert_true(pfx_symtab_may_have(&f.request, &f.options, "last"));
	f.options.demangle_kernel = true; /* the copy has the names as they are */
	assert_true(pfx_symtab_may_have(&f.request, &f.options, "Shelf<5>::fill"));
	f.options.demangle_kernel = false;
	f.request.kernel_ref_addr = 0; /* the running kernel's list has precedence */
	assert_true(pfx_symtab_may_have(&f.request, &f.options, "absent"));
	f.request.kernel_ref_addr = 0xffffffff9a000000;
	tree_file(&f.t, "/cache/.build-id/6b/65726e656c/vmlinux", "any");
	assert_true(pfx_symtab_may_have(&f.request, &f.options, "absent"));
	f.request.kind = PFX_SYM_MODULE;
	assert_true(pfx_symtab_may_have(&f.request, &f.options, "absent"));
	f.request.kind = PFX_SYM_FILE;
	assert_true(pfx_symtab_may_have(&f.request, &f.options, "Shelf<5>::fill"));
	end(&f);
}

/* The kept kallsyms also contain modules, but only of the same boot. */
static void test_module_of_kept_list(void **state)
{
	char cache[512];
	struct fixture f;

	(void)state;
	begin(&f, PFX_SYM_MODULE);
	f.options.symfs = f.t.root;
	f.options.buildid_dir = tree_path(&f.t, cache, sizeof(cache), "/cache");
	tree_file(&f.t, "/cache/.build-id/6b/65726e656c/kallsyms", kallsyms);
	load(&f, -ENOENT);
	f.request.kernel_build_id = (const uint8_t *)"kernel";
	f.request.kernel_build_id_size = 6;
	load(&f, -ENOENT);
	f.request.kernel_ref_name = "_text";
	f.request.kernel_ref_addr = 0xffffffff81000000;
	load(&f, 0);
	assert_int_equal(pfx_symtab_nr(f.tab), 2);
	expect_at(&f, 0xffffffffc0000050, "mod_work");
	f.request.kernel_ref_addr = 0xffffffff9a000000;
	load(&f, -ENOENT);
	f.request.kernel_ref_addr = 0xffffffff81000000;
	f.request.kernel_ref_name = "_none";
	load(&f, -ENOENT);
	f.request.kernel_ref_name = "_text";
	f.request.kernel_build_id = (const uint8_t *)"kernem";
	load(&f, -ENOENT);
	end(&f);
}

static void test_module_file(void **state)
{
	static const struct make_symbol symbols[] = {
		{"mod_work", 0x40, 0x20, STB_GLOBAL, STT_FUNC},
	};
	const struct make_elf m = {
		.symbols = symbols, .nr_symbols = 1, .build_id = "module", .is_rel = true};
	char path[512];
	struct fixture f;

	begin(&f, PFX_SYM_MODULE);
	make_file(tree_path(&f.t, path, sizeof(path), "/lib/modules/9.9/mod.ko"), &m);
	f.options.symfs = f.t.root;
	f.request.path = "/lib/modules/9.9/mod.ko";
	load(&f, -ENOENT);
	f.request.module_addr = 0xffffffffc0100000;
	load(&f, 0);
	expect_at(&f, 0xffffffffc0100050, "mod_work");
	expect_at(&f, 0xffffffffc0100060, NULL);
	f.request.build_id = (const uint8_t *)"modulf";
	f.request.build_id_size = 6;
	load(&f, -ENOENT);
	end(&f);
}

/* Only the name is known: the kernel's list of modules gives the file. */
static void test_module_by_name(void **state)
{
	static const struct make_symbol symbols[] = {
		{"mod_work", 0x40, 0x20, STB_GLOBAL, STT_FUNC},
	};
	const struct make_elf m = {
		.symbols = symbols, .nr_symbols = 1, .build_id = "module", .is_rel = true};
	const char *flat;
	char path[512];
	struct fixture f;

	(void)state;
	begin(&f, PFX_SYM_MODULE);
	text_file(&f, "/lib/modules/9.9/modules.dep",
		  "kernel/a/net-mod.ko.xz:\nkernel/a/mod.c:\nkernel/a/mod.other:\n"
		  "kernel/a/my-mod.ko: kernel/a/mod.ko\nkernel/a/mod.ko");
	make_file(tree_path(&f.t, path, sizeof(path), "/lib/modules/9.9/kernel/a/my-mod.ko"), &m);
	f.options.symfs = f.t.root;
	f.request.osrelease = "9.9";
	f.request.module_addr = 0xffffffffc0100000;
	load(&f, -ENOENT); /* [mod] is not listed */
	f.request.module = f.request.path = "[my_mod]";
	load(&f, 0);
	assert_string_equal(pfx_symtab_source(f.tab), path);
	expect_at(&f, 0xffffffffc0100050, "mod_work");
	f.request.osrelease = "9.8";
	load(&f, -ENOENT);
	f.request.osrelease = "../modules/9.9";
	load(&f, -ENOENT);
	f.request.osrelease = NULL;
	load(&f, -ENOENT);
	f.options.symfs_flat = true;
	load(&f, -ENOENT);
	flat = tree_path(&f.t, path, sizeof(path), "/my_mod.ko");
	make_file(flat, &m);
	load(&f, 0);
	assert_string_equal(pfx_symtab_source(f.tab), flat);
	f.request.build_id = (const uint8_t *)"modulf";
	f.request.build_id_size = 6;
	load(&f, -ENOENT);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kallsyms),         cmocka_unit_test(test_may_have),
		cmocka_unit_test(test_relocated),        cmocka_unit_test(test_module_of_kallsyms),
		cmocka_unit_test(test_hidden),           cmocka_unit_test(test_other_kernel),
		cmocka_unit_test(test_running_kernel),   cmocka_unit_test(test_image),
		cmocka_unit_test(test_image_by_release), cmocka_unit_test(test_cache),
		cmocka_unit_test(test_cache_first),      cmocka_unit_test(test_module_of_kept_list),
		cmocka_unit_test(test_module_file),      cmocka_unit_test(test_module_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
