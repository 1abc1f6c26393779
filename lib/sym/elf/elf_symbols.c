/* SPDX-License-Identifier: MIT */
/*
 * Adds the symbols of an ELF file to a table: functions, objects, and labels in code or data
 * sections. The caller chooses how values become addresses (file offsets, run-time addresses). The
 * string table is copied as a whole, since most names are needed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "sym/elf/elf_internal.h"
#include "sym/table/symtab_internal.h"

#define CODE_SECTIONS_MAX 256 /* that are searched for a function */

struct reader {
	struct pfx_symtab *tab;
	const struct pfx_elf *elf;
	const struct pfx_arch *arch; /* of the file; NULL unknown */
	const struct pfx_elf_place *place;
	const char *names; /* copy of the string table, NUL-terminated */
	size_t names_size;
	const uint8_t *opd; /* function descriptors of 64-bit PowerPC */
	size_t opd_size;
	const struct pfx_elf_section *opd_section;
	const struct pfx_elf_segment *last_segment; /* of the previous symbol */
};

static bool is_text_or_data(const struct pfx_elf_section *section)
{
	return strstr(section->name, "text") || strstr(section->name, "data");
}

/* Whether a symbol is in loaded code or data. */
static bool is_wanted(const struct reader *r, const GElf_Sym *sym,
		      const struct pfx_elf_section *section, const char *name)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	unsigned visibility = GELF_ST_VISIBILITY(sym->st_other);

	if (!name[0] || !(section->flags & SHF_ALLOC))
		return false;
	if (type == STT_NOTYPE) {
		if (visibility == STV_HIDDEN || visibility == STV_INTERNAL ||
		    !is_text_or_data(section))
			return false;
	} else if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_OBJECT) {
		return false;
	}
	return !pfx_elfsym_is_marker(r->arch, name);
}

/* A function's value may be the address of its descriptor, whose first word is the address of the
 * code. */
static uint64_t code_address(const struct reader *r, const GElf_Sym *sym,
			     const struct pfx_elf_section **section)
{
	bool swap = r->elf->ehdr.e_ident[EI_DATA] !=
		    (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
	uint64_t at = sym->st_value - r->opd_section->addr, code;
	size_t i;

	if (r->opd_size < 8 || at > r->opd_size - 8)
		return sym->st_value;
	code = pfx_load64(r->opd + at, swap);
	for (i = 1; i < r->elf->nr_sections && i < CODE_SECTIONS_MAX; i++)
		if (r->elf->sections[i].flags & SHF_EXECINSTR &&
		    code - r->elf->sections[i].addr < r->elf->sections[i].size) {
			*section = &r->elf->sections[i];
			break;
		}
	return code;
}

/* Sections of a debug file have no contents; the program's section with the same index has the
 * offset. */
static uint64_t section_offset(const struct reader *r, const struct pfx_elf_section *section)
{
	const struct pfx_elf *elf = r->place->runtime;

	if (section->index < elf->nr_sections &&
	    elf->sections[section->index].addr == section->addr)
		return elf->sections[section->index].offset;
	return section->offset;
}

static bool to_offset(struct reader *r, uint64_t value, const struct pfx_elf_section *section,
		      uint64_t *ret)
{
	const struct pfx_elf_segment *seg = r->last_segment;
	const struct pfx_elf *elf = r->place->runtime;
	size_t i;

	if (seg && value - seg->vaddr < seg->memsz && seg->filesz) {
		*ret = value - seg->vaddr + seg->offset;
		return true;
	}
	for (i = 0; i < elf->nr_segments; i++)
		if (value - elf->segments[i].vaddr < elf->segments[i].memsz)
			r->last_segment = &elf->segments[i];
	if (!pfx_elf_offset(elf, value, ret))
		*ret = value - section->addr + section_offset(r, section);
	return true;
}

static bool place_value(struct reader *r, uint64_t value, const struct pfx_elf_section *section,
			uint64_t *ret)
{
	switch (r->place->kind) {
	case PFX_PLACE_SHIFT:
		*ret = value + r->place->shift;
		return true;
	case PFX_PLACE_SECTIONS:
		*ret = value + r->place->sections[section->index];
		return r->place->sections[section->index] != UINT64_MAX;
	default:
		return to_offset(r, value, section, ret);
	}
}

static char binding_of(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_LOCAL:
		return 'l';
	case STB_WEAK:
		return 'w';
	default:
		return 'g';
	}
}

static bool add_symbol(struct reader *r, const GElf_Sym *sym, uint32_t index)
{
	const struct pfx_elf_section *section;
	bool is_func = GELF_ST_TYPE(sym->st_info) != STT_OBJECT;
	uint64_t value = sym->st_value, start;
	const char *name;

	if (index == SHN_UNDEF || index >= r->elf->nr_sections || sym->st_name >= r->names_size)
		return false;
	section = &r->elf->sections[index];
	name = r->names + sym->st_name;
	if (!is_wanted(r, sym, section, name))
		return false;
	if (section == r->opd_section)
		value = code_address(r, sym, &section);
	else if (is_func)
		value = pfx_elfsym_code_address(r->arch, value);
	if (!place_value(r, value, section, &start))
		return false;
	pfx_symtab_add(r->tab, start, sym->st_size, name, binding_of(sym), is_func);
	return true;
}

/* Copies the string table of a symbol table; false without one. */
static bool copy_names(struct reader *r, const struct pfx_elf_section *symtab)
{
	const struct pfx_elf_section *strings;
	const uint8_t *bytes;
	size_t size;
	char *copy;

	if (!symtab->link || symtab->link >= r->elf->nr_sections)
		return false;
	strings = &r->elf->sections[symtab->link];
	bytes = strings->type == SHT_STRTAB ? pfx_elf_bytes(r->elf, strings, &size) : NULL;
	copy = bytes ? pfx_alloc_checked(size + 1, 1, SIZE_MAX) : NULL;
	if (!copy)
		return false;
	memcpy(copy, bytes, size);
	pfx_symtab_own(r->tab, copy);
	r->names = copy;
	r->names_size = size;
	return true;
}

/* Section indices that do not fit into 16 bits are in a separate table (SHT_SYMTAB_SHNDX). */
static Elf_Data *wide_indices(const struct pfx_elf *elf, const struct pfx_elf_section *symtab)
{
	size_t i;

	for (i = 1; i < elf->nr_sections; i++)
		if (elf->sections[i].type == SHT_SYMTAB_SHNDX &&
		    elf->sections[i].link == symtab->index)
			return pfx_elf_data(elf, &elf->sections[i]);
	return NULL;
}

static int64_t add_table(struct reader *r, const struct pfx_elf_section *symtab)
{
	Elf_Data *data = pfx_elf_data(r->elf, symtab), *wide;
	size_t i, nr, size = gelf_fsize(r->elf->elf, ELF_T_SYM, 1, EV_CURRENT);
	int64_t added = 0;
	Elf32_Word index;
	GElf_Sym sym;

	if (!data || !size || !copy_names(r, symtab))
		return 0;
	nr = data->d_size / size;
	wide = wide_indices(r->elf, symtab);
	pfx_vec_reserve(&r->tab->syms, r->tab->syms.nr + nr);
	for (i = 0; i < nr && i < INT32_MAX; i++) {
		if (!gelf_getsymshndx(data, wide, (int)i, &sym, &index))
			break;
		if (sym.st_shndx != SHN_XINDEX)
			index = sym.st_shndx < SHN_LORESERVE ? sym.st_shndx : SHN_UNDEF;
		else if (!wide)
			index = SHN_UNDEF;
		added += add_symbol(r, &sym, index);
	}
	return added;
}

bool pfx_elf_has_symtab(const struct pfx_elf *elf)
{
	const struct pfx_elf_section *symtab = pfx_elf_section_of_type(elf, SHT_SYMTAB);

	return symtab && symtab->size;
}

int64_t pfx_elf_add_symbols(struct pfx_symtab *tab, const struct pfx_elf *elf,
			    const struct pfx_elf_place *place)
{
	static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
	struct reader r = {.tab = tab,
			   .elf = elf,
			   .arch = pfx_arch_of_elf(elf->ehdr.e_machine),
			   .place = place};
	const struct pfx_elf_section *section;
	size_t i, before = tab->syms.nr;
	int64_t added = 0;

	if (pfx_elfsym_has_descriptors(r.arch, elf->ehdr.e_flags)) {
		r.opd_section = pfx_elf_section(elf, ".opd");
		r.opd = pfx_elf_bytes(elf, r.opd_section, &r.opd_size);
		if (!r.opd)
			r.opd_section = NULL;
	}
	for (i = 0; i < 2; i++) {
		section = pfx_elf_section_of_type(elf, types[i]);
		if (i && added)
			tab->repeats_from = tab->syms.nr;
		if (section)
			added += add_table(&r, section);
	}
	if (!pfx_mapping_was_cut(&elf->map))
		return added;
	tab->syms.nr = before;
	tab->repeats_from = 0;
	tab->lack = "it became shorter while it was read";
	return 0;
}
