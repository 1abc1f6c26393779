/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the relocations and symbols of a kernel module's file, whose code is linked and read
 * as annotate does it. The first byte chooses the machine, and whether the bytes are the whole file
 * instead. In a file that is made here, relocations mostly lie in the code and have types and
 * symbols that exist, so that they come to be applied.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "sym/kernel/module_code.h"
#include "sym/symtab_load.h"

#define SIZE_MAX_OF_FILE (1u << 18)
#define BASE             0xffffffffc0000000ull
#define TEXT_SIZE        256
#define SYMBOLS          16
#define RELOCATIONS_MAX  64
#define TYPES            64 /* of x86_64, or of arm64 from R_AARCH64_NONE on */
#define AARCH64_TYPES    256
#define CHUNK            64 /* bytes that are read at once */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint16_t machines[] = {EM_X86_64, EM_AARCH64, EM_S390, EM_X86_64};

enum { NONE, TEXT, RELA, SYMTAB, STRTAB, SHSTRTAB, NR_SECTIONS };

static const char names[] = "\0.text\0.rela.text\0.symtab\0.strtab\0.shstrtab\0kfree\0memcpy";

struct file {
	Elf64_Ehdr header;
	Elf64_Shdr sections[NR_SECTIONS];
	uint8_t text[TEXT_SIZE];
	Elf64_Rela relocations[RELOCATIONS_MAX];
	Elf64_Sym symbols[SYMBOLS];
	char names[sizeof(names)];
};

static size_t sum;

static void set_section(struct file *file, int i, uint32_t type, const void *at, size_t size)
{
	static const uint32_t name_of[NR_SECTIONS] = {0, 1, 7, 18, 26, 34};

	file->sections[i] = (Elf64_Shdr){
		.sh_name = name_of[i],
		.sh_type = type,
		.sh_offset = (uint64_t)((const uint8_t *)at - (const uint8_t *)file),
		.sh_size = size,
		.sh_addralign = 1,
	};
}

static void set_header(struct file *file, uint16_t machine)
{
	memcpy(file->header.e_ident, ELFMAG, SELFMAG);
	file->header.e_ident[EI_CLASS] = ELFCLASS64;
	file->header.e_ident[EI_DATA] = ELFDATA2LSB;
	file->header.e_ident[EI_VERSION] = EV_CURRENT;
	file->header.e_type = ET_REL;
	file->header.e_machine = machine;
	file->header.e_version = EV_CURRENT;
	file->header.e_shoff = sizeof(file->header);
	file->header.e_ehsize = sizeof(file->header);
	file->header.e_shentsize = sizeof(Elf64_Shdr);
	file->header.e_shnum = NR_SECTIONS;
	file->header.e_shstrndx = SHSTRTAB;
}

/* Symbols of the code, of other modules and of nowhere. */
static void set_symbols(struct file *file, const uint8_t *data, size_t size)
{
	uint32_t i;

	for (i = 1; i < SYMBOLS; i++)
		file->symbols[i] = (Elf64_Sym){
			.st_name = data[i % size] % (sizeof(names) + 4),
			.st_info = ELF64_ST_INFO(STB_GLOBAL, i % 2 ? STT_FUNC : STT_SECTION),
			.st_shndx = (uint16_t)(data[3 * i % size] % (NR_SECTIONS + 2)),
			.st_value = data[5 * i % size],
			.st_size = 8,
		};
}

static void set_relocations(struct file *file, const uint8_t *data, size_t size)
{
	bool is_arm = file->header.e_machine == EM_AARCH64;
	uint64_t words[2];
	uint32_t i, type;

	for (i = 0; i < RELOCATIONS_MAX && (i + 1) * sizeof(words) <= size; i++) {
		memcpy(words, data + i * sizeof(words), sizeof(words));
		type = (uint32_t)(words[0] >> 16);
		type = is_arm ? R_AARCH64_ABS64 + type % AARCH64_TYPES : type % TYPES;
		file->relocations[i] = (Elf64_Rela){
			.r_offset = words[0] % (TEXT_SIZE + 8),
			.r_info = ELF64_R_INFO((words[0] >> 48) % (SYMBOLS + 2), type),
			.r_addend = (int64_t)words[1],
		};
	}
	set_section(file, RELA, SHT_RELA, file->relocations, i * sizeof(Elf64_Rela));
	file->sections[RELA].sh_entsize = sizeof(Elf64_Rela);
	file->sections[RELA].sh_link = SYMTAB;
	file->sections[RELA].sh_info = TEXT;
}

static void make_file(struct file *file, uint16_t machine, const uint8_t *data, size_t size)
{
	memset(file, 0, sizeof(*file));
	set_header(file, machine);
	memcpy(file->text, data, size < TEXT_SIZE ? size : TEXT_SIZE);
	memcpy(file->names, names, sizeof(names));
	set_section(file, TEXT, SHT_PROGBITS, file->text, TEXT_SIZE);
	file->sections[TEXT].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	set_section(file, SYMTAB, SHT_SYMTAB, file->symbols, sizeof(file->symbols));
	file->sections[SYMTAB].sh_entsize = sizeof(Elf64_Sym);
	file->sections[SYMTAB].sh_link = STRTAB;
	set_section(file, STRTAB, SHT_STRTAB, file->names, sizeof(names));
	set_section(file, SHSTRTAB, SHT_STRTAB, file->names, sizeof(names));
	set_symbols(file, data, size);
	set_relocations(file, data, size);
}

/* All of the code, and what is not known in it. */
static void read_code(const struct pfx_module_code *code)
{
	const struct pfx_unlinked *unlinked;
	uint8_t bytes[CHUNK];
	uint64_t at;
	size_t nr;

	for (at = 0; at < 16 * TEXT_SIZE; at += CHUNK) {
		nr = pfx_module_code_read(code, BASE + at, bytes, CHUNK);
		sum += nr ? bytes[nr - 1] : 0;
		unlinked = pfx_module_code_unlinked(code, BASE + at, CHUNK);
		sum += unlinked && unlinked->name ? strlen(unlinked->name) : 0;
	}
}

static void link_module(const char *path)
{
	const struct pfx_sym_options options = {.buildid_dir = "", .symfs = ""};
	struct pfx_sym_request request = {
		.kind = PFX_SYM_FILE, .path = path, .module = "[fuzz]", .module_addr = BASE};
	struct pfx_module_code *code;
	struct pfx_symtab *kernel;
	int with_kernel;

	pfx_symtab_load(&kernel, &request, &options, NULL);
	request.kind = PFX_SYM_MODULE;
	for (with_kernel = 0; with_kernel < 2; with_kernel++) {
		if (!pfx_module_code_open(&code, &request, &options, with_kernel ? kernel : NULL,
					  NULL))
			read_code(code);
		pfx_module_code_free(code);
	}
	pfx_symtab_free(kernel);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), rc = -1;
	struct file *file = malloc(sizeof(*file));
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd >= 0 && file && size > 1 && size <= SIZE_MAX_OF_FILE && data[0] & 0x80)
		rc = pfx_write_full(fd, data + 1, size - 1);
	else if (fd >= 0 && file && size > 1 && size <= SIZE_MAX_OF_FILE) {
		make_file(file, machines[data[0] % 4], data + 1, size - 1);
		rc = pfx_write_full(fd, file, sizeof(*file));
	}
	if (!rc)
		link_module(path);
	free(file);
	close(fd);
	return 0;
}
