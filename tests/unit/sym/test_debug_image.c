/* SPDX-License-Identifier: MIT */
/*
 * Compressed debug information has the lines and inlined functions of what it was made from, for
 * each way to compress it, for 32-bit programs, and for the other byte order. Damaged sections end
 * nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gelf.h>

#include "base/alloc.h"
#include "base/str.h"
#include "sym/dwarf/lines.h"
#include "sym/elf/debug_image_internal.h"
#include "sym/elf/elf_internal.h"
#include "sym/elf/inflate_internal.h"
#include "sym/find/request.h"

#define BYTES 4096 /* of the program's code that are looked at */

static char dir[64] = "/tmp/pfx-image-XXXXXX";

static const char source[] =
	"static inline __attribute__((always_inline)) unsigned mix(unsigned x)\n"
	"{\n"
	"	for (int i = 0; i < 20; i++)\n"
	"		x = x * 1664525u + 7;\n"
	"	return x;\n"
	"}\n"
	"__attribute__((noinline)) unsigned leaf(unsigned x)\n"
	"{\n"
	"	return mix(x) + mix(x ^ 3);\n"
	"}\n"
	"int main(void)\n"
	"{\n"
	"	return (int)leaf(5);\n"
	"}\n"
	"void _start(void) { main(); for (;;) ; }\n";

static bool run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static bool run(const char *fmt, ...)
{
	char words[512];
	va_list args;
	char *command;
	bool ok;

	va_start(args, fmt);
	vsnprintf(words, sizeof(words), fmt, args);
	va_end(args);
	command = pfx_strfmt("cd %s && (%s) >/dev/null 2>&1", dir, words);
	ok = !system(command);
	free(command);
	return ok;
}

static int set_up(void **state)
{
	char *path;
	FILE *file;

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	path = pfx_strfmt("%s/one.c", dir);
	file = fopen(path, "w");
	free(path);
	return file && fputs(source, file) >= 0 && !fclose(file) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	return run("rm -rf %s", dir) ? 0 : -1;
}

/* Lines and inlined functions of all addresses. False: there is no debug information. */
static bool read_all(const char *name, struct pfx_str *ret, unsigned *ret_inlined)
{
	char *path = pfx_strfmt("%s/%s", dir, name);
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE, .path = path};
	struct pfx_sym_options options = {.buildid_dir = ""};
	const struct pfx_inlined *inlined;
	struct pfx_source at;
	struct pfx_lines *lines;
	uint64_t offset;
	uint32_t i, nr;
	bool ok = !pfx_lines_open(&lines, &request, &options, NULL);

	*ret_inlined = 0;
	pfx_str_clear(ret);
	for (offset = 0; ok && offset < 4 * BYTES; offset++) {
		if (pfx_lines_source(lines, offset, &at))
			pfx_str_addf(ret, "%lx %s:%u\n", (unsigned long)offset, at.file, at.line);
		nr = pfx_lines_inlined(lines, offset, &inlined);
		*ret_inlined += nr;
		for (i = 0; i < nr; i++)
			pfx_str_addf(ret, " in %s %u\n", inlined[i].name, inlined[i].line);
	}
	if (ok)
		pfx_lines_free(lines);
	free(path);
	return ok;
}

/* Whether sections of the file are unpacked here. */
static bool has_image(const char *name)
{
	char *path = pfx_strfmt("%s/%s", dir, name);
	struct pfx_debug_image *image;
	struct pfx_elf elf;

	assert_int_equal(pfx_elf_open(path, &elf, NULL), 0);
	image = pfx_debug_image_new(elf.elf);
	pfx_debug_image_free(image);
	pfx_elf_close(&elf);
	free(path);
	return image != NULL;
}

static void compare(const char *compiler)
{
	static const char *const ways[] = {"zlib-gabi", "zlib-gnu", "zstd"};
	struct pfx_str plain = {0}, packed = {0};
	unsigned inlined, same, i;

	if (!pfx_lines_are_built_in() || !run("command -v objcopy") ||
	    !run("%s -O1 -g -nostdlib -static -o plain one.c", compiler)) {
		print_message("SKIP: no libdw, no objcopy, or no %s\n", compiler);
		skip();
	}
	assert_true(read_all("plain", &plain, &inlined));
	assert_true(inlined > 10);
	assert_false(has_image("plain"));
	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		if (!run("%.*sobjcopy --compress-debug-sections=%s plain packed",
			 strcmp(compiler, "gcc") ? (int)strlen(compiler) - 3 : 0, compiler,
			 ways[i])) {
			print_message("no %s\n", ways[i]);
			continue;
		}
		if (i != 1)
			assert_int_equal(has_image("packed"), i || pfx_inflate_is_built_in());
		if (!read_all("packed", &packed, &same)) {
			assert_int_equal(i, 2); /* libelf does not know it */
			continue;
		}
		assert_string_equal(pfx_str_get(&packed), pfx_str_get(&plain));
		assert_int_equal(same, inlined);
	}
	pfx_str_fini(&plain);
	pfx_str_fini(&packed);
}

static void native(void **state)
{
	(void)state;
	compare("gcc");
}

static void narrow(void **state)
{
	(void)state;
	compare("i686-linux-gnu-gcc");
}

static void other_order(void **state)
{
	(void)state;
	compare("s390x-linux-gnu-gcc");
}

/* Each byte of a packed file in turn is another one: there are lines or none. */
static void damaged(void **state)
{
	struct pfx_str text = {0};
	unsigned inlined, nr = 0;
	char *path;
	FILE *file;
	long at, size;
	int was;

	(void)state;
	if (!pfx_lines_are_built_in() ||
	    !run("gcc -O1 -g -nostdlib -static -o plain one.c && "
		 "objcopy --compress-debug-sections=zlib plain damaged")) {
		print_message("SKIP: no libdw, gcc or objcopy\n");
		skip();
	}
	path = pfx_strfmt("%s/damaged", dir);
	file = fopen(path, "r+");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	for (at = 4096; at < size; at += 17) {
		fseek(file, at, SEEK_SET);
		was = fgetc(file);
		fseek(file, at, SEEK_SET);
		fputc(was ^ 0x15, file);
		fflush(file);
		nr += read_all("damaged", &text, &inlined);
		fseek(file, at, SEEK_SET);
		fputc(was, file);
		fflush(file);
	}
	fclose(file);
	assert_true(nr > 0); /* many bytes are of sections that are not looked at */
	assert_true(read_all("damaged", &text, &inlined));
	assert_true(inlined > 10);
	pfx_str_fini(&text);
	free(path);
}

static uint8_t *read_file(const char *name, size_t *ret_size)
{
	char *path = pfx_strfmt("%s/%s", dir, name);
	uint8_t *bytes;
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	*ret_size = (size_t)ftell(file);
	rewind(file);
	bytes = pfx_malloc(*ret_size);
	assert_int_equal(fread(bytes, 1, *ret_size, file), *ret_size);
	fclose(file);
	free(path);
	return bytes;
}

/* Makes the packed section number @n of the file claim that it unpacks to @size bytes. */
static bool claim(uint8_t *bytes, size_t nr_bytes, unsigned n, uint64_t size)
{
	Elf *elf = elf_memory((char *)bytes, nr_bytes);
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	bool found = false;

	while (!found && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &header) && (header.sh_flags & SHF_COMPRESSED) && !n--)
			found = true;
	if (found)
		memcpy(bytes + header.sh_offset + offsetof(Elf64_Chdr, ch_size), &size,
		       sizeof(size));
	elf_end(elf);
	return found;
}

/* Sizes of which the sum is small again. */
static void no_sum_wraps(void **state)
{
	static const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX - 15, 1ull << 63, 1ull << 40};
	struct pfx_debug_image *image;
	uint8_t *bytes;
	unsigned n = 0, nr_refused = 0, i;
	size_t size;
	Elf *elf;

	(void)state;
	if (!pfx_inflate_is_built_in() ||
	    !run("gcc -O1 -g -nostdlib -static -o plain one.c && "
		 "objcopy --compress-debug-sections=zlib plain wrapped")) {
		print_message("SKIP: no libdeflate, gcc or objcopy\n");
		skip();
	}
	elf_version(EV_CURRENT);
	bytes = read_file("wrapped", &size);
	for (; claim(bytes, size, n, 0); n++)
		for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			free(bytes);
			bytes = read_file("wrapped", &size);
			/* a second one makes up for the first one */
			claim(bytes, size, n, sizes[i]);
			claim(bytes, size, n + 1, 0 - sizes[i]);
			elf = elf_memory((char *)bytes, size);
			image = pfx_debug_image_new(elf);
			nr_refused += !image;
			pfx_debug_image_free(image); /* sections that are not needed may claim */
			elf_end(elf);
		}
	assert_true(n > 1 && nr_refused > n);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(native),       cmocka_unit_test(narrow),
		cmocka_unit_test(other_order),  cmocka_unit_test(damaged),
		cmocka_unit_test(no_sum_wraps),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
