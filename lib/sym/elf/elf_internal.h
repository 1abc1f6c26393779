/* SPDX-License-Identifier: MIT */
/*
 * ELF files as this folder needs them: opened, with their sections and segments in plain arrays and
 * all of libelf's failures turned into "not there". Files come from strangers: every offset and
 * index in them is checked before it is used.
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
	const char *name; /* "" where it has none; in the file's mapping */
	uint32_t index, type, link, info;
	uint64_t flags, addr, offset, size, entry_size, align;
};

struct pfx_elf {
	struct pfx_mapping map; /* none for an image in memory */
	uint8_t *unpacked;      /* the image, when the file was packed */
	Elf *elf;
	GElf_Ehdr ehdr;
	struct pfx_elf_segment *segments; /* PT_LOAD only */
	size_t nr_segments;
	struct pfx_elf_section *sections; /* by index; [0] is empty */
	size_t nr_sections;
	struct pfx_build_id build_id; /* size 0: none */
};

/* Open a file (packed by xz, gzip or zstd, or not), or an image in memory that is borrowed.
 * -EBADMSG: no ELF. Close it when 0 was returned; closing zero is fine. */
int pfx_elf_open(const char *path, struct pfx_elf *ret, struct pfx_error *err);
int pfx_elf_open_image(const void *data, size_t size, struct pfx_elf *ret, struct pfx_error *err);
void pfx_elf_close(struct pfx_elf *elf);
/* libelf notes in the headers which sections it has unpacked: let it, in our copy of the pages. */
bool pfx_elf_let_write(const struct pfx_elf *elf);

/* Bytes of the file. All sections of a real one together are not larger; those of a made-up one may
 * all be the same bytes, over and over. */
size_t pfx_elf_size(const struct pfx_elf *elf);
const struct pfx_elf_section *pfx_elf_section(const struct pfx_elf *elf, const char *name);
const struct pfx_elf_section *pfx_elf_section_of_type(const struct pfx_elf *elf, uint32_t type);
/* The bytes of a section, in the file's byte order, NULL when it has none in the file. */
const uint8_t *pfx_elf_bytes(const struct pfx_elf *elf, const struct pfx_elf_section *section,
			     size_t *ret_size);
/* The same translated to this machine's byte order, for libelf's readers of elements. */
Elf_Data *pfx_elf_data(const struct pfx_elf *elf, const struct pfx_elf_section *section);
/* Where the byte at @vaddr lies in the file; false when in no segment. */
bool pfx_elf_offset(const struct pfx_elf *elf, uint64_t vaddr, uint64_t *ret);
/* The name of the debug file and the CRC of its bytes, from .gnu_debuglink; NULL: none. */
const char *pfx_elf_debuglink(const struct pfx_elf *elf, uint32_t *ret_crc);

/* How the values of symbols become addresses of the table. */
struct pfx_elf_place {
	enum { PFX_PLACE_OFFSET, PFX_PLACE_SHIFT, PFX_PLACE_SECTIONS } kind;
	const struct pfx_elf *runtime; /* OFFSET: the file that was mapped */
	uint64_t shift;                /* SHIFT: is added to the value */
	const uint64_t *sections;      /* SECTIONS: added, by section; UINT64_MAX: not loaded */
};

/* Add the symbols of .symtab and .dynsym; returns how many, or a negative errno. None of a file
 * that became shorter meanwhile. */
int64_t pfx_elf_add_symbols(struct pfx_symtab *tab, const struct pfx_elf *elf,
			    const struct pfx_elf_place *place);
/* Add `name@plt` for the entries of the linkage tables of @elf. */
void pfx_elf_add_plt(struct pfx_symtab *tab, const struct pfx_elf *elf);
bool pfx_elf_has_symtab(const struct pfx_elf *elf);

#endif
