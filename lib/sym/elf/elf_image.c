/* SPDX-License-Identifier: MIT */
/*
 * Opens ELF files through libelf and reads what all users need: sections, segments, the build ID.
 * libelf gets a mapping of the file, so that only the pages that are used are read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/str.h"
#include "sym/elf/buildid.h"
#include "sym/elf/elf_internal.h"
#include "sym/elf/unpack_internal.h"

#define BLOAT_MAX    64 /* limit of the ratio of unpacked size to file size; real files reach 10 */
#define BLOAT_FREE   (64u << 20) /* bytes that may be unpacked in any case */
#define SEGMENTS_MAX 4096        /* real files have a dozen */
#define SECTIONS_MAX (1 << 20)   /* -ffunction-sections in a module gives thousands */

static void read_segments(struct pfx_elf *elf)
{
	size_t i, nr;
	GElf_Phdr phdr;

	if (elf_getphdrnum(elf->elf, &nr) || !nr || nr > SEGMENTS_MAX)
		return;
	elf->segments = pfx_calloc(nr, sizeof(*elf->segments));
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf->elf, (int)i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		elf->segments[elf->nr_segments++] = (struct pfx_elf_segment){
			phdr.p_vaddr, phdr.p_memsz, phdr.p_offset, phdr.p_filesz};
	}
}

static void read_sections(struct pfx_elf *elf)
{
	size_t i, nr, names;
	GElf_Shdr shdr;
	Elf_Scn *scn;

	if (elf_getshdrnum(elf->elf, &nr) || !nr || elf_getshdrstrndx(elf->elf, &names))
		return;
	elf->sections = pfx_alloc_checked(nr, sizeof(*elf->sections), SIZE_MAX);
	elf->nr_sections = elf->sections ? nr : 0;
	for (i = 0; i < elf->nr_sections; i++) {
		struct pfx_elf_section *to = &elf->sections[i];

		to->name = "";
		scn = elf_getscn(elf->elf, i);
		if (!scn || !gelf_getshdr(scn, &shdr))
			continue;
		*to = (struct pfx_elf_section){
			.name = elf_strptr(elf->elf, names, shdr.sh_name),
			.index = (uint32_t)i,
			.type = shdr.sh_type,
			.link = shdr.sh_link,
			.info = shdr.sh_info,
			.flags = shdr.sh_flags,
			.addr = shdr.sh_addr,
			.offset = shdr.sh_offset,
			.size = shdr.sh_size,
			.entry_size = shdr.sh_entsize,
			.align = shdr.sh_addralign,
		};
		to->name = to->name ? to->name : "";
	}
}

size_t pfx_elf_size(const struct pfx_elf *elf)
{
	size_t size = 0;

	return elf_rawfile(elf->elf, &size) ? size : 0;
}

/* Raw notes are only valid in this machine's byte order; libelf converts others. */
static bool id_of_data(Elf_Data *data, struct pfx_build_id *ret)
{
	return data && data->d_buf && !pfx_build_id_of_notes(data->d_buf, data->d_size, ret);
}

static void read_build_id(struct pfx_elf *elf)
{
	GElf_Phdr phdr;
	size_t i, nr, left = pfx_elf_size(elf);

	for (i = 0; i < elf->nr_sections; i++) {
		if (elf->sections[i].type != SHT_NOTE || elf->sections[i].size > left)
			continue;
		left -= elf->sections[i].size;
		if (id_of_data(pfx_elf_data(elf, &elf->sections[i]), &elf->build_id))
			return;
	}
	if (elf_getphdrnum(elf->elf, &nr) || nr > SEGMENTS_MAX)
		return;
	left = pfx_elf_size(elf);
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf->elf, (int)i, &phdr) || phdr.p_type != PT_NOTE ||
		    phdr.p_filesz > left)
			continue;
		left -= phdr.p_filesz;
		if (id_of_data(elf_getdata_rawchunk(elf->elf, (int64_t)phdr.p_offset, phdr.p_filesz,
						    phdr.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR),
			       &elf->build_id))
			return;
	}
}

/* The unpacked size of a compressed section, from its header; 0: not compressed. The older format
 * (.zdebug_*) begins with "ZLIB" and a big-endian size. */
static uint64_t unpacked_size(const struct pfx_elf *elf, const struct pfx_elf_section *section)
{
	GElf_Chdr header;
	const uint8_t *bytes;
	uint64_t size = 0;
	size_t i, len;

	if (section->flags & SHF_COMPRESSED) {
		Elf_Scn *scn = elf_getscn(elf->elf, section->index);

		return scn && gelf_getchdr(scn, &header) ? header.ch_size : 0;
	}
	if (strncmp(section->name, ".zdebug", 7))
		return 0;
	bytes = pfx_elf_bytes(elf, section, &len);
	if (!bytes || len < 12 || memcmp(bytes, "ZLIB", 4))
		return 0;
	for (i = 4; i < 12; i++)
		size = size << 8 | bytes[i];
	return size;
}

/* Libraries unpack whole sections: a small malicious file must not expand to gigabytes. */
static bool is_bloated(const struct pfx_elf *elf)
{
	uint64_t left = (uint64_t)pfx_elf_size(elf) * BLOAT_MAX + BLOAT_FREE, size;
	size_t i;

	for (i = 1; i < elf->nr_sections; i++) {
		size = unpacked_size(elf, &elf->sections[i]);
		if (size > left)
			return true;
		left -= size;
	}
	return false;
}

int pfx_elf_open_image(const void *data, size_t size, struct pfx_elf *ret, struct pfx_error *err)
{
	size_t nr;

	*ret = (struct pfx_elf){0};
	elf_version(EV_CURRENT);
	if (size)
		ret->elf = elf_memory((char *)data, size);
	if (!ret->elf || elf_kind(ret->elf) != ELF_K_ELF || !gelf_getehdr(ret->elf, &ret->ehdr)) {
		pfx_elf_close(ret);
		return pfx_error_set(err, EBADMSG, "not an ELF file");
	}
	if (!elf_getshdrnum(ret->elf, &nr) && nr > SECTIONS_MAX) {
		pfx_elf_close(ret);
		return pfx_error_set(err, EBADMSG, "it has more than %d sections", SECTIONS_MAX);
	}
	read_segments(ret);
	read_sections(ret);
	if (is_bloated(ret)) {
		pfx_elf_close(ret);
		return pfx_error_set(err, EBADMSG, "its sections are packed smaller than any real");
	}
	read_build_id(ret);
	return 0;
}

/* The image in a compressed file, NULL when it is not compressed. */
static uint8_t *unpack(const struct pfx_mapping *map, size_t *ret_size)
{
	static const uint8_t xz[] = {0xfd, '7', 'z', 'X', 'Z', 0}, gzip[] = {0x1f, 0x8b},
			     zstd[] = {0x28, 0xb5, 0x2f, 0xfd};

	if (map->size > sizeof(xz) && !memcmp(map->data, xz, sizeof(xz)))
		return pfx_unpack_xz(map->data, map->size, ret_size);
	if (map->size > sizeof(gzip) && !memcmp(map->data, gzip, sizeof(gzip)))
		return pfx_unpack_gzip(map->data, map->size, ret_size);
	if (map->size > sizeof(zstd) && !memcmp(map->data, zstd, sizeof(zstd)))
		return pfx_unpack_zstd(map->data, map->size, ret_size);
	return NULL;
}

int pfx_elf_open(const char *path, struct pfx_elf *ret, struct pfx_error *err)
{
	struct pfx_mapping map;
	uint8_t *unpacked;
	char shown[256];
	size_t size;
	int rc = pfx_map_file(path, &map, err);

	*ret = (struct pfx_elf){0};
	if (rc)
		return rc;
	unpacked = unpack(&map, &size);
	rc = pfx_elf_open_image(unpacked ? unpacked : map.data, unpacked ? size : map.size, ret,
				NULL);
	if (rc) {
		free(unpacked);
		pfx_unmap(&map);
		return pfx_error_set(err, -rc, "'%s' is not an ELF file",
				     pfx_escape(shown, sizeof(shown), path));
	}
	ret->map = map;
	ret->unpacked = unpacked;
	return 0;
}

bool pfx_elf_let_write(const struct pfx_elf *elf)
{
	return !elf->map.size ||
	       !mprotect((void *)(uintptr_t)elf->map.data, elf->map.size, PROT_READ | PROT_WRITE);
}

void pfx_elf_close(struct pfx_elf *elf)
{
	elf_end(elf->elf);
	free(elf->segments);
	free(elf->sections);
	free(elf->unpacked);
	pfx_unmap(&elf->map);
	*elf = (struct pfx_elf){0};
}

const struct pfx_elf_section *pfx_elf_section(const struct pfx_elf *elf, const char *name)
{
	size_t i;

	for (i = 1; i < elf->nr_sections; i++)
		if (!strcmp(elf->sections[i].name, name))
			return &elf->sections[i];
	return NULL;
}

const struct pfx_elf_section *pfx_elf_section_of_type(const struct pfx_elf *elf, uint32_t type)
{
	size_t i;

	for (i = 1; i < elf->nr_sections; i++)
		if (elf->sections[i].type == type)
			return &elf->sections[i];
	return NULL;
}

const uint8_t *pfx_elf_bytes(const struct pfx_elf *elf, const struct pfx_elf_section *section,
			     size_t *ret_size)
{
	Elf_Scn *scn = section && section->type != SHT_NOBITS ? elf_getscn(elf->elf, section->index)
							      : NULL;
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;

	if (!data || !data->d_buf || !data->d_size)
		return NULL;
	*ret_size = data->d_size;
	return data->d_buf;
}

Elf_Data *pfx_elf_data(const struct pfx_elf *elf, const struct pfx_elf_section *section)
{
	Elf_Scn *scn = section && section->type != SHT_NOBITS ? elf_getscn(elf->elf, section->index)
							      : NULL;
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	return data && data->d_buf ? data : NULL;
}

/*
 * A debug file has the program's segments without contents, and their file offsets do not match the
 * program's file. There the distance from the first segment is used: it equals the offset in every
 * file whose segments have the same layout in the file as in memory.
 */
bool pfx_elf_offset(const struct pfx_elf *elf, uint64_t vaddr, uint64_t *ret)
{
	size_t i;

	for (i = 0; i < elf->nr_segments; i++) {
		const struct pfx_elf_segment *seg = &elf->segments[i];

		if (vaddr - seg->vaddr >= seg->memsz)
			continue;
		*ret = seg->filesz ? vaddr - seg->vaddr + seg->offset
				   : vaddr - elf->segments[0].vaddr;
		return true;
	}
	return false;
}

/* name, NUL, zeros up to a multiple of 4, CRC in the file's byte order */
const char *pfx_elf_debuglink(const struct pfx_elf *elf, uint32_t *ret_crc)
{
	bool swap = elf->ehdr.e_ident[EI_DATA] !=
		    (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
	struct pfx_cursor c;
	const uint8_t *bytes;
	const char *name;
	size_t size;

	bytes = pfx_elf_bytes(elf, pfx_elf_section(elf, ".gnu_debuglink"), &size);
	if (!bytes)
		return NULL;
	c = pfx_cursor_make(bytes, size, swap);
	name = pfx_cursor_cstr(&c);
	pfx_cursor_skip(&c, -(size_t)(c.at - bytes) & 3);
	*ret_crc = pfx_cursor_u32(&c);
	return pfx_cursor_ok(&c) && name[0] && !strchr(name, '/') ? name : NULL;
}
