/* SPDX-License-Identifier: MIT */
/*
 * Opens the supplementary file that several debug files share (.gnu_debugaltlink), or sets an empty
 * one if it was not found: otherwise libdw would open the link's target by itself, even if it is a
 * FIFO.
 */
#include <elf.h>
#include <elfutils/libdwelf.h>
#include <libelf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sym/dwarf/dwarf_internal.h"
#include "sym/elf/buildid.h"
#include "sym/elf/debug_image_internal.h"
#include "sym/find/binary.h"

/* The smallest image that libdw accepts as debug information: it has a .debug_line section. */
struct empty_image {
	Elf64_Ehdr header;
	Elf64_Shdr sections[3]; /* null, .shstrtab, .debug_line */
	char names[24];
};

static const char names[] = "\0.shstrtab\0.debug_line";

static Elf64_Shdr section_of(uint32_t name, uint32_t type)
{
	return (Elf64_Shdr){
		.sh_name = name,
		.sh_type = type,
		.sh_offset = offsetof(struct empty_image, names),
		.sh_size = sizeof(names),
		.sh_addralign = 1,
	};
}

static struct empty_image *new_image(void)
{
	struct empty_image *image = pfx_calloc(1, sizeof(*image));
	bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	memcpy(image->header.e_ident, ELFMAG, SELFMAG);
	image->header.e_ident[EI_CLASS] = ELFCLASS64;
	image->header.e_ident[EI_DATA] = is_little ? ELFDATA2LSB : ELFDATA2MSB;
	image->header.e_ident[EI_VERSION] = EV_CURRENT;
	image->header.e_type = ET_REL;
	image->header.e_version = EV_CURRENT;
	image->header.e_shoff = offsetof(struct empty_image, sections);
	image->header.e_ehsize = sizeof(image->header);
	image->header.e_shentsize = sizeof(image->sections[0]);
	image->header.e_shnum = 3;
	image->header.e_shstrndx = 1;
	image->sections[1] = section_of(1, SHT_STRTAB);
	image->sections[2] = section_of(1 + sizeof(".shstrtab"), SHT_PROGBITS);
	memcpy(image->names, names, sizeof(names));
	return image;
}

static void use_empty(struct pfx_alt_dwarf *alt, Dwarf *of)
{
	if (!alt->empty) {
		alt->image = new_image();
		alt->elf = elf_memory((char *)alt->image, sizeof(struct empty_image));
		alt->empty = alt->elf ? dwarf_begin_elf(alt->elf, DWARF_C_READ, NULL) : NULL;
	}
	if (alt->empty)
		dwarf_setalt(of, alt->empty);
}

void pfx_alt_dwarf_open(struct pfx_alt_dwarf *alt, Dwarf *of, struct pfx_binary *binary)
{
	struct pfx_build_id id = {0};
	const void *bytes;
	const char *name;
	Elf *elf = NULL;
	ssize_t size = dwelf_dwarf_gnu_debugaltlink(of, &name, &bytes);

	if (size <= 0)
		return;
	if (size <= PFX_BUILD_ID_SIZE) {
		id.size = (uint8_t)size;
		memcpy(id.data, bytes, id.size);
		elf = pfx_binary_alt_elf(binary, name, &id);
	}
	alt->unpacked = elf ? pfx_debug_image_new(elf) : NULL;
	if (alt->unpacked)
		elf = pfx_debug_image_elf(alt->unpacked);
	alt->dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	if (!alt->dwarf) {
		use_empty(alt, of);
		return;
	}
	dwarf_setalt(of, alt->dwarf);
	use_empty(alt, alt->dwarf); /* supplementary files have no link themselves */
}

void pfx_alt_dwarf_close(struct pfx_alt_dwarf *alt)
{
	dwarf_end(alt->dwarf);
	dwarf_end(alt->empty);
	elf_end(alt->elf);
	pfx_debug_image_free(alt->unpacked);
	free(alt->image);
	*alt = (struct pfx_alt_dwarf){0};
}
