/* SPDX-License-Identifier: MIT */
/*
 * Files of split debug information: a single unit (.dwo), or a package of units (.dwp) with an
 * index. Finds a unit's contribution to each section, without decoding it. Files are untrusted:
 * each contribution must lie within its section.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sym/elf/elf_internal.h"
#include "sym/elf/split_internal.h"

#define PACKED_RATIO 1040 /* the highest compression ratio of the formats that ELF uses */

struct pfx_split_file {
	struct pfx_elf elf;
	struct pfx_slice sections[PFX_SPLIT_NR_COLUMNS];
	struct pfx_slice strings;
	bool has_index;
	struct pfx_split_index index;
};

static bool unpack(Elf_Scn *scn, const struct pfx_elf_section *section)
{
	GElf_Chdr header;

	if (!(section->flags & SHF_COMPRESSED))
		return true;
	return gelf_getchdr(scn, &header) && header.ch_size / PACKED_RATIO <= section->size &&
	       elf_compress(scn, 0, 0) >= 0;
}

static struct pfx_slice slice_of(const struct pfx_elf *elf, const char *name)
{
	const struct pfx_elf_section *section = pfx_elf_section(elf, name);
	struct pfx_slice slice = {0};
	Elf_Scn *scn;

	if (!section || section->type == SHT_NOBITS)
		return slice;
	scn = elf_getscn(elf->elf, section->index);
	if (scn && unpack(scn, section))
		slice.at = pfx_elf_bytes(elf, section, &slice.size);
	return slice;
}

static bool read_sections(struct pfx_split_file *file)
{
	static const char *const names[PFX_SPLIT_NR_COLUMNS] = {
		".debug_info.dwo",
		".debug_abbrev.dwo",
		".debug_str_offsets.dwo",
		".debug_rnglists.dwo",
	};
	struct pfx_slice index = slice_of(&file->elf, ".debug_cu_index");
	bool swap = file->elf.ehdr.e_ident[EI_DATA] !=
		    (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
	int i;

	for (i = 0; i < PFX_SPLIT_NR_COLUMNS; i++)
		file->sections[i] = slice_of(&file->elf, names[i]);
	file->strings = slice_of(&file->elf, ".debug_str.dwo");
	file->index.swap = swap;
	file->has_index = index.at != NULL;
	return file->sections[PFX_SPLIT_INFO].at && file->sections[PFX_SPLIT_ABBREV].at &&
	       (!file->has_index || pfx_split_index_open(&file->index, index, swap));
}

struct pfx_split_file *pfx_split_file_open(const char *path)
{
	struct pfx_split_file *file = pfx_calloc(1, sizeof(*file));

	if (!pfx_elf_open(path, &file->elf, NULL) && pfx_elf_let_write(&file->elf) &&
	    read_sections(file))
		return file;
	pfx_split_file_free(file);
	return NULL;
}

void pfx_split_file_free(struct pfx_split_file *file)
{
	if (!file)
		return;
	pfx_elf_close(&file->elf);
	free(file);
}

static bool cut(struct pfx_slice section, const struct pfx_split_range *range,
		struct pfx_slice *ret)
{
	*ret = (struct pfx_slice){0};
	if (!range->size)
		return true;
	if (!section.at || range->offset > section.size ||
	    range->size > section.size - range->offset)
		return false;
	*ret = (struct pfx_slice){section.at + range->offset, range->size};
	return true;
}

bool pfx_split_file_find(const struct pfx_split_file *file, uint64_t id,
			 struct pfx_split_parts *ret)
{
	const struct pfx_slice *from = file->sections;
	struct pfx_split_range ranges[PFX_SPLIT_NR_COLUMNS];

	*ret = (struct pfx_split_parts){
		.info = from[PFX_SPLIT_INFO],
		.abbrev = from[PFX_SPLIT_ABBREV],
		.str_offsets = from[PFX_SPLIT_STR_OFFSETS],
		.rnglists = from[PFX_SPLIT_RNGLISTS],
		.strings = file->strings,
		.elf_class = file->elf.ehdr.e_ident[EI_CLASS],
		.elf_data = file->elf.ehdr.e_ident[EI_DATA],
		.elf_machine = file->elf.ehdr.e_machine,
		.swap = file->index.swap,
	};
	if (!file->has_index)
		return true;
	return pfx_split_index_find(&file->index, id, ranges) &&
	       cut(from[PFX_SPLIT_INFO], &ranges[PFX_SPLIT_INFO], &ret->info) &&
	       cut(from[PFX_SPLIT_ABBREV], &ranges[PFX_SPLIT_ABBREV], &ret->abbrev) &&
	       cut(from[PFX_SPLIT_STR_OFFSETS], &ranges[PFX_SPLIT_STR_OFFSETS],
		   &ret->str_offsets) &&
	       cut(from[PFX_SPLIT_RNGLISTS], &ranges[PFX_SPLIT_RNGLISTS], &ret->rnglists) &&
	       ret->info.at && ret->abbrev.at;
}
