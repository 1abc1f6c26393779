/* SPDX-License-Identifier: MIT */
/*
 * Reads the notes of static probes (SDT). A note's description:
 *
 *	address		of the probe
 *	address		of .stapsdt.base when the file was linked
 *	address		of the semaphore, 0: none
 *	text, text, text	provider, name, arguments
 *
 * Addresses have 4 or 8 bytes, by the file's class. If .stapsdt.base has another address now (after
 * prelink), all addresses have moved by the difference. Source: the format is described with
 * SystemTap's user-space probes.
 */
#include "sym/probe/sdt.h"

#include <stdlib.h>
#include <string.h>

#include "sym/elf/elf_internal.h"

#define NOTE_SECTION ".note.stapsdt"
#define BASE_SECTION ".stapsdt.base"
#define OWNER        "stapsdt"
#define NOTE_TYPE    3
#define PROBES_MAX   1000000 /* of a file; the largest known programs have thousands */

static uint64_t read_address(struct pfx_cursor *c, bool is_64)
{
	return is_64 ? pfx_cursor_u64(c) : pfx_cursor_u32(c);
}

static void read_probe(const struct pfx_elf *elf, struct pfx_cursor *c, struct pfx_sdt *ret)
{
	const struct pfx_elf_section *base = pfx_elf_section(elf, BASE_SECTION);
	bool is_64 = elf->ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	uint64_t pc = read_address(c, is_64), linked = read_address(c, is_64);
	uint64_t semaphore = read_address(c, is_64), moved = base ? base->addr - linked : 0;
	const char *provider = pfx_cursor_cstr(c), *name = pfx_cursor_cstr(c);
	const char *arguments = pfx_cursor_cstr(c);
	struct pfx_sdt_probe probe = {0};

	if (!pfx_cursor_ok(c) || !*name || ret->probes.nr >= PROBES_MAX ||
	    !pfx_elf_offset(elf, pc + moved, &probe.offset))
		return;
	if (semaphore && !pfx_elf_offset(elf, semaphore + moved, &probe.semaphore_offset))
		return;
	probe.provider = pfx_strdup(provider);
	probe.name = pfx_strdup(name);
	probe.arguments = pfx_strdup(arguments);
	pfx_vec_push(&ret->probes, probe);
}

/* A note: sizes of name and description, type, then both, each padded to 4 bytes. */
static void read_notes(const struct pfx_elf *elf, struct pfx_cursor *c, struct pfx_sdt *ret)
{
	while (pfx_cursor_left(c) >= 12) {
		uint32_t name_size = pfx_cursor_u32(c), size = pfx_cursor_u32(c);
		uint32_t type = pfx_cursor_u32(c);
		const uint8_t *owner = pfx_cursor_bytes(c, name_size);
		struct pfx_cursor description;

		pfx_cursor_skip(c, -name_size & 3u);
		description = pfx_cursor_sub(c, size);
		if (!pfx_cursor_ok(c))
			return;
		if (type == NOTE_TYPE && name_size == sizeof(OWNER) &&
		    !memcmp(owner, OWNER, sizeof(OWNER)))
			read_probe(elf, &description, ret);
		if (pfx_cursor_left(c) >= (-size & 3u))
			pfx_cursor_skip(c, -size & 3u);
	}
}

int pfx_sdt_read(const char *path, struct pfx_sdt *ret, struct pfx_error *err)
{
	const struct pfx_elf_section *section;
	const uint8_t *bytes;
	struct pfx_cursor c;
	struct pfx_elf elf;
	bool is_foreign;
	size_t size;
	int rc;

	*ret = (struct pfx_sdt){0};
	rc = pfx_elf_open(path, &elf, err);
	if (rc)
		return rc;
	ret->build_id = elf.build_id;
	section = pfx_elf_section(&elf, NOTE_SECTION);
	bytes = section ? pfx_elf_bytes(&elf, section, &size) : NULL;
	is_foreign = (elf.ehdr.e_ident[EI_DATA] == ELFDATA2MSB) !=
		     (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	if (bytes) {
		c = pfx_cursor_make(bytes, size, is_foreign);
		read_notes(&elf, &c, ret);
	}
	pfx_elf_close(&elf);
	return 0;
}

void pfx_sdt_fini(struct pfx_sdt *sdt)
{
	for (size_t i = 0; i < sdt->probes.nr; i++) {
		free(sdt->probes.at[i].provider);
		free(sdt->probes.at[i].name);
		free(sdt->probes.at[i].arguments);
	}
	pfx_vec_free(&sdt->probes);
}
