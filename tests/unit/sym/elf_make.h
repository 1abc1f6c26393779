/* SPDX-License-Identifier: MIT */
/*
 * Builds small ELF files: named sections, symbols, a build ID, a debug link. One segment maps
 * .text; its address differs from its file offset, so that confusing them fails a test.
 */
#ifndef PFX_TESTS_ELF_MAKE_H
#define PFX_TESTS_ELF_MAKE_H

#include <elf.h>
#include <endian.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAKE_TEXT_ADDR   0x401000
#define MAKE_TEXT_OFFSET 0x1000
#define MAKE_TEXT_SIZE   0x400
#define MAKE_TEXT_INDEX  1

struct make_symbol {
	const char *name;
	uint64_t value, size;
	unsigned char bind, type;
};

struct make_elf {
	const struct make_symbol *symbols;
	size_t nr_symbols;
	const char *build_id;  /* up to 20 bytes of text; NULL: none */
	const char *debuglink; /* name of the debug file; NULL: none */
	uint32_t crc;
	bool is_debug; /* .text has no content */
	bool is_rel;   /* a relocatable file: no segments, addresses start at 0 */
	bool dynsym;   /* the table is .dynsym, not .symtab */
};

struct make_names {
	char text[8192];
	size_t len;
};

static inline uint32_t make_name(struct make_names *names, const char *name)
{
	uint32_t at = (uint32_t)names->len;

	if (names->len + strlen(name) + 1 > sizeof(names->text))
		abort();
	memcpy(names->text + names->len, name, strlen(name) + 1);
	names->len += strlen(name) + 1;
	return at;
}

static inline Elf_Scn *make_section(Elf *elf, struct make_names *names, const char *name,
				    const GElf_Shdr *shdr, void *data, size_t size, Elf_Type type)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *d = elf_newdata(scn);
	GElf_Shdr h = *shdr;

	d->d_buf = data;
	d->d_size = size;
	d->d_type = type;
	d->d_align = 1;
	d->d_version = EV_CURRENT;
	h.sh_name = make_name(names, name);
	h.sh_size = size;
	gelf_update_shdr(scn, &h);
	return scn;
}

static inline size_t make_note(const char *id, uint8_t *note)
{
	const uint32_t head[3] = {htole32(4), htole32((uint32_t)strlen(id)),
				  htole32(NT_GNU_BUILD_ID)};

	memcpy(note, head, sizeof(head));
	memcpy(note + 12, "GNU", 4);
	memcpy(note + 16, id, strlen(id));
	return 16 + (strlen(id) + 3) / 4 * 4;
}

static inline size_t make_link(const struct make_elf *m, uint8_t *link)
{
	size_t len = (strlen(m->debuglink) + 4) / 4 * 4;

	uint32_t crc = htole32(m->crc);

	memcpy(link, m->debuglink, strlen(m->debuglink));
	memcpy(link + len, &crc, 4);
	return len + 4;
}

static inline void make_symbols(Elf *elf, struct make_names *names, const struct make_elf *m,
				struct make_names *strings, GElf_Sym *syms)
{
	GElf_Shdr shdr = {.sh_type = m->dynsym ? SHT_DYNSYM : SHT_SYMTAB,
			  .sh_entsize = sizeof(Elf64_Sym),
			  .sh_flags = m->dynsym ? SHF_ALLOC : 0,
			  .sh_addralign = 8};
	size_t i;

	make_name(strings, "");
	for (i = 0; i < m->nr_symbols; i++) {
		const struct make_symbol *from = &m->symbols[i];

		syms[i + 1].st_name = make_name(strings, from->name);
		syms[i + 1].st_value = from->value;
		syms[i + 1].st_size = from->size;
		syms[i + 1].st_info = GELF_ST_INFO(from->bind, from->type);
		syms[i + 1].st_shndx = MAKE_TEXT_INDEX;
	}
	shdr.sh_link = (uint32_t)elf_ndxscn(make_section(
		elf, names, ".strtab", &(GElf_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1},
		strings->text, strings->len, ELF_T_BYTE));
	make_section(elf, names, m->dynsym ? ".dynsym" : ".symtab", &shdr, syms,
		     (m->nr_symbols + 1) * sizeof(*syms), ELF_T_SYM);
}

static inline void make_text(Elf *elf, struct make_names *names, const struct make_elf *m,
			     uint8_t *text)
{
	GElf_Shdr shdr = {.sh_type = m->is_debug ? SHT_NOBITS : SHT_PROGBITS,
			  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			  .sh_addr = m->is_rel ? 0 : MAKE_TEXT_ADDR,
			  .sh_addralign = 16};

	make_section(elf, names, ".text", &shdr, m->is_debug ? NULL : text, MAKE_TEXT_SIZE,
		     ELF_T_BYTE);
}

/* Choose the offsets: .text at the given one, everything else after it. */
static inline void make_layout(Elf *elf, const struct make_elf *m)
{
	uint64_t at = m->is_debug ? 0x200 : MAKE_TEXT_OFFSET;
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;
	Elf_Scn *scn = NULL;

	elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
	while ((scn = elf_nextscn(elf, scn))) {
		gelf_getshdr(scn, &shdr);
		shdr.sh_offset = at;
		gelf_update_shdr(scn, &shdr);
		at += shdr.sh_type == SHT_NOBITS ? 0 : (shdr.sh_size + 15) / 16 * 16;
	}
	gelf_getehdr(elf, &ehdr);
	ehdr.e_shoff = at;
	ehdr.e_phoff = m->is_rel ? 0 : 64;
	gelf_update_ehdr(elf, &ehdr);
}

static inline void make_headers(Elf *elf, const struct make_elf *m)
{
	GElf_Ehdr ehdr = {.e_type = m->is_rel ? ET_REL : ET_EXEC,
			  .e_machine = EM_X86_64,
			  .e_version = EV_CURRENT};
	GElf_Phdr phdr = {.p_type = PT_LOAD,
			  .p_flags = PF_R | PF_X,
			  .p_vaddr = MAKE_TEXT_ADDR,
			  .p_offset = m->is_debug ? 0 : MAKE_TEXT_OFFSET,
			  .p_filesz = m->is_debug ? 0 : MAKE_TEXT_SIZE,
			  .p_memsz = MAKE_TEXT_SIZE,
			  .p_align = 0x1000};

	gelf_newehdr(elf, ELFCLASS64);
	ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
	gelf_update_ehdr(elf, &ehdr);
	if (!m->is_rel) {
		gelf_newphdr(elf, 1);
		gelf_update_phdr(elf, 0, &phdr);
	}
}

static inline void make_file(const char *path, const struct make_elf *m)
{
	struct make_names names = {.len = 1}, strings = {.len = 0};
	GElf_Sym *syms = calloc(m->nr_symbols + 1, sizeof(*syms));
	uint8_t text[MAKE_TEXT_SIZE], note[64] = {0}, link[256] = {0};
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	GElf_Ehdr ehdr;
	Elf_Scn *scn;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	if (!elf || !syms)
		abort();
	memset(text, 0x90, sizeof(text));
	make_headers(elf, m);
	make_text(elf, &names, m, text);
	if (m->build_id)
		make_section(
			elf, &names, ".note.gnu.build-id",
			&(GElf_Shdr){.sh_type = SHT_NOTE, .sh_flags = SHF_ALLOC, .sh_addralign = 4},
			note, make_note(m->build_id, note), ELF_T_BYTE);
	if (m->debuglink)
		make_section(elf, &names, ".gnu_debuglink",
			     &(GElf_Shdr){.sh_type = SHT_PROGBITS, .sh_addralign = 4}, link,
			     make_link(m, link), ELF_T_BYTE);
	if (m->nr_symbols)
		make_symbols(elf, &names, m, &strings, syms);
	scn = make_section(elf, &names, ".shstrtab",
			   &(GElf_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1}, names.text,
			   names.len + 10, ELF_T_BYTE);
	gelf_getehdr(elf, &ehdr);
	ehdr.e_shstrndx = (uint16_t)elf_ndxscn(scn);
	gelf_update_ehdr(elf, &ehdr);
	make_layout(elf, m);
	if (elf_update(elf, ELF_C_WRITE) < 0)
		abort();
	elf_end(elf);
	close(fd);
	free(syms);
}

#endif
