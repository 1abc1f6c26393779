/* SPDX-License-Identifier: MIT */
/*
 * Names for PLT entries and for slots of the global offset table, which have no symbols of their
 * own. An entry jumps through a GOT slot; the relocation of that slot names the function. arch/
 * decodes the entries; on other machines the entries are in the order of .rela.plt.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "sym/elf/elf_internal.h"
#include "sym/table/symtab_internal.h"

#define SEARCHES_MAX 4096 /* look-ups of resolver functions in the symbol table */

struct slot {
	uint64_t addr;   /* address of the GOT slot */
	uint32_t sym;    /* index in .dynsym; 0: use `target` */
	uint64_t target; /* IRELATIVE: address of the resolver function */
};

struct plt_reader {
	struct pfx_symtab *tab;
	const struct pfx_elf *elf;
	const struct pfx_arch *arch; /* of the file; NULL unknown */
	const struct pfx_elf_section *dynsym;
	Elf_Data *syms;
	unsigned nr_searches;
	size_t left;              /* limit of relocation bytes to read: the file's size */
	size_t nr_own;            /* symbols in the table before the first PLT entry */
	PFX_VEC(struct slot) all; /* sorted by address */
	PFX_VEC(struct slot) plt; /* from .rela.plt, in file order */
};

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void add_slot(struct plt_reader *r, const GElf_Rela *rela, bool is_plt)
{
	struct slot slot = {.addr = rela->r_offset, .sym = (uint32_t)GELF_R_SYM(rela->r_info)};

	if (pfx_elfsym_is_irelative(r->arch, (uint32_t)GELF_R_TYPE(rela->r_info)))
		slot.target = (uint64_t)rela->r_addend;
	if (slot.sym || slot.target)
		pfx_vec_push(&r->all, slot);
	if (is_plt)
		pfx_vec_push(&r->plt, slot);
}

static void read_relocations(struct plt_reader *r, const struct pfx_elf_section *section)
{
	bool is_rela = section->type == SHT_RELA;
	bool is_plt = !strcmp(section->name, ".rela.plt") || !strcmp(section->name, ".rel.plt");
	size_t size = gelf_fsize(r->elf->elf, is_rela ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
	Elf_Data *data;
	GElf_Rela rela;
	GElf_Rel rel;
	size_t i;

	if (!size || section->size > r->left)
		return;
	r->left -= section->size;
	data = pfx_elf_data(r->elf, section);
	for (i = 0; data && i < data->d_size / size && i < INT32_MAX; i++) {
		if (is_rela && !gelf_getrela(data, (int)i, &rela))
			return;
		if (!is_rela) {
			if (!gelf_getrel(data, (int)i, &rel))
				return;
			rela = (GElf_Rela){rel.r_offset, rel.r_info, 0};
		}
		add_slot(r, &rela, is_plt);
	}
}

/* Reads the relocations in loaded sections only; those for the linker (--emit-relocs) have other
 * targets. */
static void read_slots(struct plt_reader *r)
{
	size_t i;

	for (i = 1; i < r->elf->nr_sections; i++) {
		const struct pfx_elf_section *section = &r->elf->sections[i];

		if ((section->type == SHT_RELA || section->type == SHT_REL) &&
		    section->flags & SHF_ALLOC)
			read_relocations(r, section);
	}
	if (r->all.nr)
		qsort(r->all.at, r->all.nr, sizeof(*r->all.at), compare_slots);
}

/* The name of the symbol whose value in the file is @vaddr. */
static const char *name_at(struct plt_reader *r, uint64_t vaddr)
{
	uint64_t offset;
	size_t i;

	if (r->nr_searches++ >= SEARCHES_MAX || !pfx_elf_offset(r->elf, vaddr, &offset))
		return NULL;
	for (i = 0; i < r->nr_own; i++)
		if (r->tab->syms.at[i].start == offset && r->tab->syms.at[i].is_func)
			return r->tab->syms.at[i].name;
	return NULL;
}

/* "function@plt" in the table's arena, NULL when the slot has no name. */
static const char *slot_name(struct plt_reader *r, const struct slot *slot)
{
	const char *name = NULL;
	char *text, number[32];
	GElf_Sym sym;

	if (slot->sym && slot->sym < INT32_MAX && r->syms &&
	    gelf_getsym(r->syms, (int)slot->sym, &sym))
		name = elf_strptr(r->elf->elf, r->dynsym->link, sym.st_name);
	else if (slot->target)
		name = name_at(r, slot->target);
	if (!name && slot->target) {
		snprintf(number, sizeof(number), "*ABS*+%#llx", (unsigned long long)slot->target);
		name = number;
	}
	if (!name || !name[0])
		return NULL;
	text = pfx_arena_alloc(&r->tab->arena, strlen(name) + sizeof("@plt"));
	strcat(strcpy(text, name), "@plt");
	return text;
}

static void add_entry(struct plt_reader *r, uint64_t offset, uint64_t size, const struct slot *slot)
{
	const char *name = slot ? slot_name(r, slot) : NULL;

	if (name)
		pfx_symtab_add(r->tab, offset, size, name, 'g', true);
}

static const struct slot *find_slot(const struct plt_reader *r, const struct pfx_plt_entry *entry)
{
	const struct slot key = {.addr = entry->slot};

	if (entry->by_index)
		return entry->slot < r->plt.nr ? &r->plt.at[entry->slot] : NULL;
	return r->all.nr ? bsearch(&key, r->all.at, r->all.nr, sizeof(key), compare_slots) : NULL;
}

static void decode_entries(struct plt_reader *r, const struct pfx_elf_section *section,
			   uint32_t step)
{
	const struct pfx_elf_section *got = pfx_elf_section(r->elf, ".got.plt");
	struct pfx_plt_code code = {.entry_size = section->entry_size, .got = got ? got->addr : 0};
	struct pfx_plt_entry entry;
	size_t size, at = 0;
	const uint8_t *bytes = pfx_elf_bytes(r->elf, section, &size);

	if (code.entry_size != 8)
		code.entry_size = 16;
	while (bytes && at < size) {
		code.at = bytes + at;
		code.size = size - at;
		code.addr = section->addr + at;
		if (!pfx_plt_decode(r->arch, &code, &entry)) {
			at += step;
			continue;
		}
		add_entry(r, section->offset + at, entry.size, find_slot(r, &entry));
		at += entry.size;
	}
}

/* Assumes that the entries are in the order of their relocations, after a header. */
static void count_entries(struct plt_reader *r, const struct pfx_elf_section *section)
{
	uint32_t header, entry;
	size_t i;

	pfx_plt_layout(r->arch, &header, &entry);
	if (!entry && section->entry_size && section->entry_size < 256) {
		entry = (uint32_t)section->entry_size;
		header = entry;
	}
	for (i = 0; entry && i < r->plt.nr; i++) {
		if (header + (i + 1) * (uint64_t)entry > section->size)
			return;
		add_entry(r, section->offset + header + i * entry, entry, &r->plt.at[i]);
	}
}

static bool has_address(const struct pfx_elf_section *section, uint64_t addr)
{
	return section && addr - section->addr < section->size;
}

/* The name of the slot's symbol; NULL: none. */
static const char *symbol_name(const struct plt_reader *r, const struct slot *slot)
{
	const char *name;
	GElf_Sym sym;

	if (!slot->sym || slot->sym >= INT32_MAX || !r->syms ||
	    !gelf_getsym(r->syms, (int)slot->sym, &sym))
		return NULL;
	name = elf_strptr(r->elf->elf, r->dynsym->link, sym.st_name);
	return name && *name ? name : NULL;
}

/* Names of the slots that code calls through, without an entry of the PLT (-fno-plt). */
static void add_slots(struct plt_reader *r)
{
	const struct pfx_elf_section *got = pfx_elf_section(r->elf, ".got");
	const struct pfx_elf_section *got_plt = pfx_elf_section(r->elf, ".got.plt");
	size_t left = pfx_elf_size(r->elf), len, i; /* valid files do not repeat names */
	struct pfx_got_slot slot;
	const struct slot *from;
	uint64_t last = 0;

	for (i = 0; i < r->all.nr; i++) {
		from = &r->all.at[i];
		if (!has_address(got, from->addr) && !has_address(got_plt, from->addr))
			continue;
		slot.name = symbol_name(r, from);
		if (!slot.name || !pfx_elf_offset(r->elf, from->addr, &slot.addr) ||
		    slot.addr <= last)
			continue;
		len = strnlen(slot.name, left + 1);
		if (len > left)
			break;
		left -= len;
		last = slot.addr;
		slot.name = pfx_arena_strdup(&r->tab->arena, slot.name);
		pfx_vec_push(&r->tab->slots, slot);
	}
}

void pfx_elf_add_plt(struct pfx_symtab *tab, const struct pfx_elf *elf)
{
	static const char *const names[] = {".plt", ".plt.sec", ".plt.got", ".iplt"};
	struct plt_reader r = {
		.tab = tab, .elf = elf, .nr_own = tab->syms.nr, .left = pfx_elf_size(elf)};
	uint32_t step;
	const struct pfx_elf_section *section;
	size_t i;

	r.arch = pfx_arch_of_elf(elf->ehdr.e_machine);
	step = pfx_plt_step(r.arch);
	r.dynsym = pfx_elf_section_of_type(elf, SHT_DYNSYM);
	r.syms = pfx_elf_data(elf, r.dynsym);
	read_slots(&r);
	for (i = 0; i < sizeof(names) / sizeof(*names) && r.all.nr; i++) {
		section = pfx_elf_section(elf, names[i]);
		if (!section || section->type == SHT_NOBITS)
			continue;
		if (step)
			decode_entries(&r, section, step);
		else if (!i)
			count_entries(&r, section);
	}
	add_slots(&r);
	pfx_vec_free(&r.all);
	pfx_vec_free(&r.plt);
}
