/* SPDX-License-Identifier: MIT */
/*
 * Opened ELF files, with sections and segments in plain arrays; every failure of libelf is treated
 * as "not there". Files are untrusted: every offset and index in them is checked before use.
 */
#ifndef PFX_SYM_ELF_INTERNAL_H
#define PFX_SYM_ELF_INTERNAL_H

#include <gelf.h>

#include "base/cursor.h"
#include "base/io.h"
#include "sym/elf/buildid.h"
#include "sym/table/symtab_internal.h"

struct pfx_elf_segment {
	uint64_t vaddr, memsz, offset, filesz;
};

struct pfx_elf_section {
	const char *name; /* "" without a name; in the file's mapping */
	uint32_t index, type, link, info;
	uint64_t flags, addr, offset, size, entry_size, align;
};

struct pfx_elf {
	struct pfx_mapping map; /* empty for an image in memory */
	uint8_t *unpacked;      /* the image, if the file was compressed */
	Elf *elf;
	GElf_Ehdr ehdr;
	struct pfx_elf_segment *segments; /* PT_LOAD only */
	size_t nr_segments;
	struct pfx_elf_section *sections; /* by index; [0] is empty */
	size_t nr_sections;
	struct pfx_build_id build_id; /* size 0: unknown */
};

/* Open a file (plain, or compressed by xz, gzip or zstd), or an image in memory that is borrowed.
 * -EBADMSG: not an ELF file. Close it after success; closing a zeroed struct is allowed. */
int pfx_elf_open(const char *path, struct pfx_elf *ret, struct pfx_error *err);
int pfx_elf_open_image(const void *data, size_t size, struct pfx_elf *ret, struct pfx_error *err);
void pfx_elf_close(struct pfx_elf *elf);
/* Makes the mapping writable (copy on write): libelf marks sections in the headers when it unpacks
 * them. */
bool pfx_elf_let_write(const struct pfx_elf *elf);

/* The file size in bytes. It bounds the sum of all section sizes in valid files; sections of a
 * malicious file may overlap and sum up to much more. */
size_t pfx_elf_size(const struct pfx_elf *elf);
const struct pfx_elf_section *pfx_elf_section(const struct pfx_elf *elf, const char *name);
const struct pfx_elf_section *pfx_elf_section_of_type(const struct pfx_elf *elf, uint32_t type);
/* The bytes of a section, in the file's byte order; NULL when the file has no contents for it. */
const uint8_t *pfx_elf_bytes(const struct pfx_elf *elf, const struct pfx_elf_section *section,
			     size_t *ret_size);
/* The same converted to this machine's byte order, for libelf's element readers. */
Elf_Data *pfx_elf_data(const struct pfx_elf *elf, const struct pfx_elf_section *section);
/* The file offset of the byte at @vaddr; false when no segment contains it. */
bool pfx_elf_offset(const struct pfx_elf *elf, uint64_t vaddr, uint64_t *ret);
/* The name of the debug file and the CRC of its bytes, from .gnu_debuglink; NULL: no such
 * section. */
const char *pfx_elf_debuglink(const struct pfx_elf *elf, uint32_t *ret_crc);

/* How symbol values are converted to addresses of the table. */
struct pfx_elf_place {
	enum { PFX_PLACE_OFFSET, PFX_PLACE_SHIFT, PFX_PLACE_SECTIONS } kind;
	const struct pfx_elf *runtime; /* OFFSET: the file that was mapped */
	uint64_t shift;                /* SHIFT: added to the value */
	const uint64_t *sections; /* SECTIONS: added, by section index; UINT64_MAX: not loaded */
};

/* Add the symbols of .symtab and .dynsym; returns their number, or a negative errno. Adds none when
 * the file was truncated meanwhile. */
int64_t pfx_elf_add_symbols(struct pfx_symtab *tab, const struct pfx_elf *elf,
			    const struct pfx_elf_place *place);
/* Add `name@plt` for the PLT entries of @elf, and the names of slots of its global offset table. */
void pfx_elf_add_plt(struct pfx_symtab *tab, const struct pfx_elf *elf);
bool pfx_elf_has_symtab(const struct pfx_elf *elf);

#endif
