/* SPDX-License-Identifier: MIT */
/*
 * Malicious ELF files with a high cost: thousands of sections of the same bytes, cyclic links,
 * names of other files.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/str.h"
#include "sym/elf/elf_internal.h"
#include "sym/find/binary.h"
#include "sym/find/request.h"
#include "sym/symtab_load.h"
#include "sym/table/symtab.h"

#define NR_SECTIONS 6000u
#define NR_SEGMENTS 4000u
#define AREA        (1u << 20) /* bytes shared by all sections */
#define RSS_MAX_KIB (1u << 20) /* a thousand times the file's size */

static char path[64];

static int set_path(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/pfx-elf-hostile-%d", (int)getpid());
	return 0;
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

static void put_header(struct pfx_buffer *b, bool big_endian)
{
	static const uint8_t ident[EI_NIDENT] = {0x7f, 'E', 'L', 'F', ELFCLASS64, 0, EV_CURRENT};

	b->swap = big_endian == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	pfx_buffer_bytes(b, ident, sizeof(ident));
	b->at[EI_DATA] = big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	pfx_buffer_u16(b, ET_DYN);
	pfx_buffer_u16(b, big_endian ? EM_S390 : EM_X86_64);
	pfx_buffer_u32(b, EV_CURRENT);
	pfx_buffer_u64(b, 0);
	pfx_buffer_u64(b, 0);
	pfx_buffer_u64(b, sizeof(Elf64_Ehdr) + AREA);
	pfx_buffer_u32(b, 0);
	pfx_buffer_u16(b, sizeof(Elf64_Ehdr));
	pfx_buffer_u16(b, sizeof(Elf64_Phdr));
	pfx_buffer_u16(b, 0);
	pfx_buffer_u16(b, sizeof(Elf64_Shdr));
	pfx_buffer_u16(b, NR_SECTIONS);
	pfx_buffer_u16(b, 1);
}

static void put_section(struct pfx_buffer *b, uint32_t type, uint64_t flags, uint64_t entry_size)
{
	pfx_buffer_u32(b, 0);
	pfx_buffer_u32(b, type);
	pfx_buffer_u64(b, flags);
	pfx_buffer_u64(b, 0x1000);
	pfx_buffer_u64(b, sizeof(Elf64_Ehdr));
	pfx_buffer_u64(b, AREA);
	pfx_buffer_u32(b, 1);
	pfx_buffer_u32(b, 1);
	pfx_buffer_u64(b, 8);
	pfx_buffer_u64(b, entry_size);
}

/* One area of bytes, and sections of this type that all cover it. The first has the strings. */
static void make(uint32_t type, uint64_t entry_size, bool big_endian)
{
	struct pfx_buffer b = {0};
	FILE *file = fopen(path, "w");
	uint32_t i;

	assert_non_null(file);
	put_header(&b, big_endian);
	for (i = 0; i < AREA / 4; i++)
		pfx_buffer_u32(&b, type == SHT_NOTE ? i % 3 * 4 : i % 7);
	b.at[b.len - 1] = 0;
	put_section(&b, SHT_NULL, 0, 0);
	put_section(&b, SHT_STRTAB, 0, 0);
	for (i = 2; i < NR_SECTIONS; i++)
		put_section(&b, type, SHF_ALLOC, entry_size);
	assert_int_equal(fwrite(b.at, 1, b.len, file), b.len);
	assert_int_equal(fclose(file), 0);
	pfx_buffer_fini(&b);
}

static void load(void)
{
	const struct pfx_sym_request request = {.kind = PFX_SYM_FILE, .path = path};
	const struct pfx_sym_options options = {.buildid_dir = ""};
	struct pfx_binary *binary;
	struct pfx_symtab *tab;
	struct rusage usage;

	pfx_symtab_load(&tab, &request, &options, NULL);
	assert_non_null(tab);
	assert_true(pfx_symtab_nr(tab) <= AREA / sizeof(Elf64_Sym) * 2);
	pfx_symtab_free(tab);
	if (!pfx_binary_open(&binary, &request, &options, NULL)) {
		pfx_binary_debug_elf(binary);
		pfx_binary_free(binary);
	}
	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	assert_true((unsigned long)usage.ru_maxrss < RSS_MAX_KIB);
}

static void sections_over_and_over(void **state)
{
	static const struct {
		uint32_t type, entry_size;
	} kinds[] = {
		{SHT_RELA, sizeof(Elf64_Rela)},
		{SHT_REL, sizeof(Elf64_Rel)},
		{SHT_NOTE, 0},
		{SHT_SYMTAB, sizeof(Elf64_Sym)},
		{SHT_DYNSYM, sizeof(Elf64_Sym)},
		{SHT_STRTAB, 0},
		{SHT_SYMTAB_SHNDX, sizeof(uint32_t)},
		{SHT_PROGBITS, 1},
	};
	size_t i;

	(void)state;
	for (i = 0; i < 2 * sizeof(kinds) / sizeof(*kinds); i++) {
		make(kinds[i / 2].type, kinds[i / 2].entry_size, i % 2);
		load();
	}
}

/* The same with segments of invalid notes. */
static void segments_over_and_over(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct pfx_buffer b = {0};
		FILE *file = fopen(path, "w");

		assert_non_null(file);
		put_header(&b, i);
		pfx_buffer_patch64(&b, offsetof(Elf64_Ehdr, e_phoff), sizeof(Elf64_Ehdr) + AREA);
		pfx_buffer_patch64(&b, offsetof(Elf64_Ehdr, e_shoff), 0);
		pfx_buffer_patch16(&b, offsetof(Elf64_Ehdr, e_phnum), NR_SEGMENTS);
		pfx_buffer_patch16(&b, offsetof(Elf64_Ehdr, e_shnum), 0);
		for (k = 0; k < AREA / 4; k++)
			pfx_buffer_u32(&b, k % 3 * 4);
		for (k = 0; k < NR_SEGMENTS; k++) {
			pfx_buffer_u32(&b, PT_NOTE);
			pfx_buffer_u32(&b, PF_R);
			pfx_buffer_u64(&b, sizeof(Elf64_Ehdr));
			pfx_buffer_u64(&b, 0);
			pfx_buffer_u64(&b, 0);
			pfx_buffer_u64(&b, AREA);
			pfx_buffer_u64(&b, AREA);
			pfx_buffer_u64(&b, 4);
		}
		assert_int_equal(fwrite(b.at, 1, b.len, file), b.len);
		assert_int_equal(fclose(file), 0);
		pfx_buffer_fini(&b);
		load();
	}
}

/* Some sections with an uncompressed size of a gigabyte each. */
static void packed_sections(void **state)
{
	const struct pfx_sym_request request = {.kind = PFX_SYM_FILE, .path = path};
	const struct pfx_sym_options options = {.buildid_dir = ""};
	struct pfx_binary *binary;
	uint64_t claims[] = {1 << 20, 1 << 30};
	size_t i, k;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct pfx_buffer b = {0};
		FILE *file = fopen(path, "w");

		assert_non_null(file);
		put_header(&b, false);
		pfx_buffer_u32(&b, ELFCOMPRESS_ZLIB);
		pfx_buffer_u32(&b, 0);
		pfx_buffer_u64(&b, claims[i]);
		pfx_buffer_u64(&b, 1);
		pfx_buffer_zeros(&b, AREA - sizeof(Elf64_Chdr));
		put_section(&b, SHT_NULL, 0, 0);
		put_section(&b, SHT_STRTAB, 0, 0);
		for (k = 2; k < NR_SECTIONS; k++)
			put_section(&b, SHT_PROGBITS, k < 32 ? SHF_COMPRESSED : 0, 0);
		assert_int_equal(fwrite(b.at, 1, b.len, file), b.len);
		assert_int_equal(fclose(file), 0);
		pfx_buffer_fini(&b);
		assert_int_equal(pfx_binary_open(&binary, &request, &options, NULL),
				 i ? -EBADMSG : 0);
		if (!i)
			pfx_binary_free(binary);
	}
}

/* Sections that are not looked at could not be checked for what they unpack to. */
static void too_many_sections(void **state)
{
	const uint64_t nr = (1u << 20) + 1;
	size_t size = sizeof(Elf64_Ehdr) + nr * sizeof(Elf64_Shdr);
	Elf64_Ehdr *header = pfx_calloc(1, size);
	struct pfx_error err = {0};
	struct pfx_elf elf;

	(void)state;
	memcpy(header->e_ident, ELFMAG, SELFMAG);
	header->e_ident[EI_CLASS] = ELFCLASS64;
	header->e_ident[EI_DATA] =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	header->e_ident[EI_VERSION] = EV_CURRENT;
	header->e_type = ET_EXEC;
	header->e_machine = EM_X86_64;
	header->e_version = EV_CURRENT;
	header->e_ehsize = sizeof(Elf64_Ehdr);
	header->e_shoff = sizeof(Elf64_Ehdr);
	header->e_shentsize = sizeof(Elf64_Shdr);
	((Elf64_Shdr *)(header + 1))->sh_size = nr; /* as e_shnum is 0 */
	assert_int_equal(pfx_elf_open_image(header, size, &elf, &err), -EBADMSG);
	assert_string_equal(err.text, "it has more than 1048576 sections");
	((Elf64_Shdr *)(header + 1))->sh_size = nr - 1;
	assert_int_equal(pfx_elf_open_image(header, size, &elf, &err), 0);
	pfx_elf_close(&elf);
	free(header);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_over_and_over),
		cmocka_unit_test(segments_over_and_over),
		cmocka_unit_test(packed_sections),
		cmocka_unit_test(too_many_sections),
	};

	return cmocka_run_group_tests(tests, set_path, remove_path);
}
