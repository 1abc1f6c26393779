/* SPDX-License-Identifier: MIT */
/*
 * Makes an ELF file in memory: the header, the headers of all sections, and the contents of those
 * with names and debug information, unpacked. Other sections have no contents.
 */
#include "sym/elf/debug_image_internal.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sym/elf/inflate_internal.h"
#include "sym/elf/unpack_internal.h"

#define ALIGN         16
#define ZSTD          2            /* ELFCOMPRESS_ZSTD, which older headers lack */
#define IMAGE_MAX     (8ull << 30) /* the file was checked when it was opened, but may have changed */
#define PREFIX        ".debug_"
#define PACKED_PREFIX ".zdebug_" /* the older format */

/* A section of the image. */
struct part {
	GElf_Shdr header;
	const uint8_t *from; /* contents in the file; NULL: none */
	size_t size;
	uint32_t packed; /* ELFCOMPRESS_ZLIB or ZSTD; 0: copied as it is */
};

struct pfx_debug_image {
	uint8_t *bytes;
	Elf *elf;
};

struct making {
	Elf *elf;
	GElf_Ehdr header;
	struct part *parts; /* by index of the section */
	size_t nr;
	uint64_t size;             /* of the image */
	uint64_t copied, unpacked; /* bytes of contents */
	uint8_t *bytes;
};

/* --- what is in it --- */

static bool can_unpack(uint32_t type)
{
	return type == ELFCOMPRESS_ZLIB ? pfx_inflate_is_built_in() : type == ZSTD;
}

static size_t packed_header_size(const Elf *elf)
{
	return gelf_getclass((Elf *)elf) == ELFCLASS64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
}

/* Section data begins with the header of what is packed. */
static void set_packed(const struct making *making, Elf_Scn *scn, struct part *part)
{
	size_t before = packed_header_size(making->elf);
	GElf_Chdr packed;

	if (!gelf_getchdr(scn, &packed) || !can_unpack(packed.ch_type) || part->size <= before)
		return;
	part->packed = packed.ch_type;
	part->from += before;
	part->size -= before;
	part->header.sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
	part->header.sh_size = packed.ch_size;
	part->header.sh_addralign = packed.ch_addralign;
}

/* The part of a debug section's name after ".debug_"; NULL: it is not one. */
static const char *debug_name(const char *name)
{
	if (!strncmp(name, PACKED_PREFIX, strlen(PACKED_PREFIX)))
		return name + strlen(PACKED_PREFIX);
	return strncmp(name, PREFIX, strlen(PREFIX)) ? NULL : name + strlen(PREFIX);
}

static bool is_packed(const char *name, const GElf_Shdr *header)
{
	return (header->sh_flags & SHF_COMPRESSED) || name[1] == 'z';
}

/* Debug information that is not used here, and would have to be unpacked. */
static bool is_needless(const char *name, const GElf_Shdr *header)
{
	static const char *const names[] = {"loclists",     "loc",         "frame",    "macro",
					    "macinfo",      "names",       "pubnames", "pubtypes",
					    "gnu_pubnames", "gnu_pubtypes"};
	const char *part = debug_name(name);
	size_t i;

	for (i = 0; part && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(part, names[i]))
			return is_packed(name, header);
	return false;
}

static bool is_wanted(const char *name, const GElf_Shdr *header)
{
	return !strcmp(name, ".gnu_debugaltlink") ||
	       (debug_name(name) && !is_needless(name, header));
}

static void set_contents(struct making *making, Elf_Scn *scn, struct part *part)
{
	Elf_Data *data = part->header.sh_type == SHT_NOBITS ? NULL : elf_rawdata(scn, NULL);

	if (!data || !data->d_buf)
		return;
	part->from = data->d_buf;
	part->size = data->d_size;
	if (part->header.sh_flags & SHF_COMPRESSED)
		set_packed(making, scn, part);
	if (part->header.sh_size <= IMAGE_MAX)
		*(part->packed ? &making->unpacked : &making->copied) += part->header.sh_size;
}

/* Places the contents of a section after those before it. */
static void place(struct making *making, struct part *part)
{
	if (!part->from) {
		if (part->header.sh_type != SHT_NULL)
			part->header.sh_type = SHT_NOBITS;
		part->header.sh_offset = 0;
		return;
	}
	part->header.sh_offset = making->size;
	if (making->size > IMAGE_MAX || part->header.sh_size > IMAGE_MAX)
		making->size = IMAGE_MAX + 1; /* and stays there: the sum must not wrap */
	else
		making->size += (part->header.sh_size + ALIGN - 1) / ALIGN * ALIGN;
}

/* Contents come after all headers. */
static uint64_t contents_at(const struct making *making)
{
	return sizeof(Elf64_Ehdr) + making->nr * sizeof(Elf64_Shdr);
}

static bool plan(struct making *making)
{
	size_t names, i;

	if (!gelf_getehdr(making->elf, &making->header) ||
	    elf_getshdrnum(making->elf, &making->nr) || !making->nr ||
	    elf_getshdrstrndx(making->elf, &names) || names >= making->nr)
		return false;
	making->parts = pfx_alloc_checked(making->nr, sizeof(*making->parts), SIZE_MAX);
	making->size = contents_at(making);
	for (i = 0; making->parts && i < making->nr; i++) {
		struct part *part = &making->parts[i];
		Elf_Scn *scn = elf_getscn(making->elf, i);
		const char *name;

		if (!scn || !gelf_getshdr(scn, &part->header))
			return false;
		name = elf_strptr(making->elf, names, part->header.sh_name);
		if (i && (i == names || (name && is_wanted(name, &part->header))))
			set_contents(making, scn, part);
		if (i)
			place(making, part);
	}
	/* a copy of much that is not packed would take longer than what unpacking saves */
	return making->parts && making->unpacked > making->copied && making->size <= IMAGE_MAX;
}

/* --- the bytes --- */

static bool unpack_zstd(const struct part *part, uint8_t *to)
{
	size_t size;
	uint8_t *bytes = pfx_unpack_zstd(part->from, part->size, &size);
	bool ok = bytes && size == part->header.sh_size;

	if (ok)
		memcpy(to, bytes, size);
	free(bytes);
	return ok;
}

static bool fill(const struct part *part, uint8_t *to)
{
	if (part->packed == ELFCOMPRESS_ZLIB)
		return pfx_inflate(part->from, part->size, to, part->header.sh_size);
	if (part->packed == ZSTD)
		return unpack_zstd(part, to);
	if (part->size != part->header.sh_size)
		return false;
	memcpy(to, part->from, part->size);
	return true;
}

/* Writes @nr elements of a type in the class and byte order of the file. */
static bool write_as(const struct making *making, Elf_Type type, void *from, size_t size,
		     uint64_t offset)
{
	Elf_Data source = {.d_buf = from, .d_size = size, .d_type = type, .d_version = EV_CURRENT};
	Elf_Data target = {.d_buf = making->bytes + offset,
			   .d_size = size,
			   .d_type = type,
			   .d_version = EV_CURRENT};

	return gelf_xlatetof(making->elf, &target, &source, making->header.e_ident[EI_DATA]) !=
	       NULL;
}

static Elf32_Ehdr narrow_header(const GElf_Ehdr *header)
{
	Elf32_Ehdr ret = {
		.e_type = header->e_type,
		.e_machine = header->e_machine,
		.e_version = header->e_version,
		.e_shoff = (Elf32_Off)header->e_shoff,
		.e_flags = header->e_flags,
		.e_ehsize = sizeof(Elf32_Ehdr),
		.e_shentsize = sizeof(Elf32_Shdr),
		.e_shnum = header->e_shnum,
		.e_shstrndx = header->e_shstrndx,
	};

	memcpy(ret.e_ident, header->e_ident, EI_NIDENT);
	return ret;
}

static Elf32_Shdr narrow_section(const GElf_Shdr *header)
{
	return (Elf32_Shdr){
		.sh_name = header->sh_name,
		.sh_type = header->sh_type,
		.sh_flags = (Elf32_Word)header->sh_flags,
		.sh_addr = (Elf32_Addr)header->sh_addr,
		.sh_offset = (Elf32_Off)header->sh_offset,
		.sh_size = (Elf32_Word)header->sh_size,
		.sh_link = header->sh_link,
		.sh_info = header->sh_info,
		.sh_addralign = (Elf32_Word)header->sh_addralign,
		.sh_entsize = (Elf32_Word)header->sh_entsize,
	};
}

static bool write_headers(struct making *making)
{
	bool is_64bit = making->header.e_ident[EI_CLASS] == ELFCLASS64;
	size_t each = is_64bit ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), i;
	Elf32_Ehdr narrow;
	Elf32_Shdr section;
	bool ok;

	making->header.e_phoff = 0;
	making->header.e_phnum = 0;
	making->header.e_shoff = sizeof(Elf64_Ehdr);
	narrow = narrow_header(&making->header);
	ok = is_64bit ? write_as(making, ELF_T_EHDR, &making->header, sizeof(making->header), 0)
		      : write_as(making, ELF_T_EHDR, &narrow, sizeof(narrow), 0);
	for (i = 0; ok && i < making->nr; i++) {
		section = narrow_section(&making->parts[i].header);
		ok = write_as(making, ELF_T_SHDR,
			      is_64bit ? (void *)&making->parts[i].header : (void *)&section, each,
			      sizeof(Elf64_Ehdr) + i * each);
	}
	return ok;
}

static bool write_image(struct making *making)
{
	size_t i;

	making->bytes = pfx_malloc_checked(making->size, IMAGE_MAX);
	if (!making->bytes)
		return false;
	memset(making->bytes, 0, contents_at(making));
	if (!write_headers(making))
		return false;
	for (i = 1; i < making->nr; i++)
		if (making->parts[i].from &&
		    !fill(&making->parts[i], making->bytes + making->parts[i].header.sh_offset))
			return false;
	return true;
}

struct pfx_debug_image *pfx_debug_image_new(Elf *elf)
{
	struct making making = {.elf = elf};
	struct pfx_debug_image *image = NULL;
	Elf *made = NULL;

	if (plan(&making) && write_image(&making))
		made = elf_memory((char *)making.bytes, making.size);
	free(making.parts);
	if (!made) {
		free(making.bytes);
		return NULL;
	}
	image = pfx_calloc(1, sizeof(*image));
	image->bytes = making.bytes;
	image->elf = made;
	return image;
}

Elf *pfx_debug_image_elf(const struct pfx_debug_image *image)
{
	return image->elf;
}

void pfx_debug_image_free(struct pfx_debug_image *image)
{
	if (!image)
		return;
	elf_end(image->elf);
	free(image->bytes);
	free(image);
}

void pfx_debug_hide_needless(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	const char *name;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		name = gelf_getshdr(scn, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		if (!name || !is_needless(name, &header))
			continue;
		header.sh_type = SHT_NOBITS;
		gelf_update_shdr(scn, &header);
	}
}
