/* SPDX-License-Identifier: MIT */
/*
 * Source lines and inlined functions of the kernel and its modules. The kernel is a small program,
 * linked to one address and recorded at another one; the module is an object file, also compressed
 * and with separate debug information.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "sym/dwarf/lines.h"
#include "sym/find/request.h"
#include "sym/symtab_load.h"
#include "unit/sym/symbol_named.h"

#define KERNEL_AT 0xffffffff9a000000ull
#define MODULE_AT 0xffffffffc0123000ull

/* Line 5 is inlined in line 11, which is a function of its own. */
static const char source[] =
	"volatile int sink;\n"
	"static inline __attribute__((always_inline)) int mix(int x)\n"
	"{\n"
	"	for (int i = 0; i < 9; i++)\n"
	"		x = x * 7 + sink;\n"
	"	return x;\n"
	"}\n"
	"__attribute__((noinline)) int other(int x) { return x + sink; }\n"
	"__attribute__((noinline)) int work(int x)\n"
	"{\n"
	"	return mix(x) + 3;\n"
	"}\n"
	"__attribute__((section(\".init.text\"))) int start(int x) { return other(work(x)); }\n"
	"void _text(void) { sink = start(sink); for (;;); }\n";

static char dir[64] = "/tmp/pfx-kernel-lines-XXXXXX";

static bool run(const char *command)
{
	char *whole = pfx_strfmt("cd %s && (%s) >/dev/null 2>&1", dir, command);
	bool ok = system(whole) == 0;

	free(whole);
	return ok;
}

static int set_up(void **state)
{
	char *path;
	FILE *file;

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	path = pfx_strfmt("%s/kern.c", dir);
	file = fopen(path, "w");
	free(path);
	if (!file)
		return -1;
	fputs(source, file);
	return fclose(file);
}

static int tear_down(void **state)
{
	(void)state;
	run("rm -rf \"$PWD\"");
	return 0;
}

/* The source lines of each address of `work` that belongs to the inlined function. */
static void check_work(const struct pfx_sym_request *request, const struct pfx_sym_options *options,
		       const char *symbols_of)
{
	struct pfx_sym_request for_symbols = *request;
	const struct pfx_inlined *inlined;
	const struct pfx_symbol *work;
	struct pfx_source at;
	struct pfx_lines *lines;
	struct pfx_symtab *tab;
	unsigned nr_inlined = 0;
	uint64_t addr;

	for_symbols.path = symbols_of;
	assert_int_equal(pfx_symtab_load(&tab, &for_symbols, options, NULL), 0);
	work = symbol_named(tab, "work");
	assert_non_null(work);
	assert_true(work->start >= KERNEL_AT);
	assert_int_equal(pfx_lines_open(&lines, request, options, NULL), 0);
	for (addr = work->start; addr < work->end; addr++) {
		if (!pfx_lines_inlined(lines, addr, &inlined))
			continue;
		nr_inlined++;
		assert_string_equal(inlined[0].name, "mix");
		assert_true(pfx_lines_source(lines, addr, &at));
		assert_in_range(at.line, 2, 6);
		assert_non_null(strstr(at.file, "kern.c"));
		assert_true(pfx_lines_call(lines, &inlined[0], &at));
		assert_int_equal(at.line, 11);
	}
	assert_true(nr_inlined > 8);
	assert_true(pfx_lines_source(lines, symbol_named(tab, "other")->start, &at));
	assert_int_equal(at.line, 8);
	assert_false(pfx_lines_source(lines, 0x1000, &at));
	pfx_lines_free(lines);
	pfx_symtab_free(tab);
}

static void need(const char *command)
{
	if (run(command))
		return;
	print_message("SKIP: '%s' does not work here\n", command);
	skip();
}

#define LINK                                                                           \
	"gcc -O2 -g -fno-pie -no-pie -nostdlib -static -ffreestanding -Wl,--build-id " \
	"-Wl,-Ttext=0xffffffff81000000 -Wl,-e,_text -o vmlinux kern.c"
#define BUILD_KERNEL "(" LINK " -mcmodel=kernel || " LINK ")"

static void test_kernel(void **state)
{
	char *image = pfx_strfmt("%s/vmlinux", dir);
	struct pfx_sym_options options = {.buildid_dir = "", .vmlinux = image};
	struct pfx_sym_request request = {
		.kind = PFX_SYM_KERNEL,
		.path = "[kernel.kallsyms]",
		.kernel_ref_name = "_text",
		.kernel_ref_addr = KERNEL_AT + 0x1000,
	};

	(void)state;
	need(BUILD_KERNEL);
	check_work(&request, &options, request.path);
	free(image);
}

/* Found by its release in a directory, without a given image. */
static void test_kernel_by_release(void **state)
{
	struct pfx_sym_options options = {.buildid_dir = "", .symfs = dir};
	struct pfx_sym_request request = {
		.kind = PFX_SYM_KERNEL,
		.path = "[kernel.kallsyms]",
		.osrelease = "6.6.6-test",
		.kernel_ref_name = "_text",
		.kernel_ref_addr = KERNEL_AT + 0x1000,
	};
	struct pfx_lines *lines;

	(void)state;
	need(BUILD_KERNEL " && mkdir -p usr/lib/debug/boot && "
			  "mv vmlinux "
			  "usr/lib/debug/boot/vmlinux-6.6.6-test");
	check_work(&request, &options, request.path);
	request.osrelease = "6.6.7-other";
	assert_true(pfx_lines_open(&lines, &request, &options, NULL) < 0);
}

static void check_module(const char *path, const char *symbols_of)
{
	struct pfx_sym_options options = {.buildid_dir = "", .symfs = dir};
	struct pfx_sym_request request = {
		.kind = PFX_SYM_MODULE,
		.path = path,
		.module = "[mod]",
		.module_addr = MODULE_AT,
	};

	check_work(&request, &options, symbols_of);
}

#define BUILD_MODULE "gcc -O2 -g -ffreestanding -fno-pie -c -o mod.ko kern.c && mkdir -p m && "

static void test_module(void **state)
{
	(void)state;
	need(BUILD_MODULE "mv mod.ko m/mod.ko");
	check_module("/m/mod.ko", "/m/mod.ko");
}

static void test_old_module(void **state)
{
	(void)state;
	need("gcc -O2 -gdwarf-4 -ffreestanding -fno-pie -c -o mod.ko kern.c && mkdir -p m && "
	     "mv mod.ko m/old.ko");
	check_module("/m/old.ko", "/m/old.ko");
}

/* Modules may be compressed in any of three formats. */
static void test_packed_module(void **state)
{
	(void)state;
	need("command -v xz");
	need("rm -rf m && " BUILD_MODULE "xz -f mod.ko && mv mod.ko.xz m/");
	check_module("/m/mod.ko.xz", "/m/mod.ko.xz");
}

static void test_gzip_module(void **state)
{
	(void)state;
	need("command -v gzip");
	need("rm -rf m && " BUILD_MODULE "gzip -f mod.ko && mv mod.ko.gz m/");
	check_module("/m/mod.ko.gz", "/m/mod.ko.gz");
}

static void test_zstd_module(void **state)
{
	(void)state;
	need("command -v zstd");
	need("rm -rf m && " BUILD_MODULE "zstd -q mod.ko && mv mod.ko.zst m/");
	check_module("/m/mod.ko.zst", "/m/mod.ko.zst");
}

static void test_stripped_module(void **state)
{
	(void)state;
	need("command -v objcopy xz");
	need(BUILD_MODULE "mkdir -p usr/lib/debug/m && "
			  "objcopy --only-keep-debug mod.ko usr/lib/debug/m/bare.ko.debug && "
			  "strip -g mod.ko && xz -f mod.ko && mv mod.ko.xz m/bare.ko.xz");
	check_module("/m/bare.ko.xz", "/m/bare.ko.xz");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel),        cmocka_unit_test(test_kernel_by_release),
		cmocka_unit_test(test_module),        cmocka_unit_test(test_old_module),
		cmocka_unit_test(test_packed_module), cmocka_unit_test(test_stripped_module),
		cmocka_unit_test(test_gzip_module),   cmocka_unit_test(test_zstd_module),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
