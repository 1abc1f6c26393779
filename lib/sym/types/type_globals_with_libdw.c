/* SPDX-License-Identifier: MIT */
/*
 * Variables with fixed addresses: those that a unit defines, by address; and those that it only
 * declares, by the name in the symbol table. Also finds the canonical frame address and return
 * types of called functions. Files are untrusted: counts and depths are bounded.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/hash.h"
#include "sym/dwarf/cfi_tables.h"
#include "sym/types/type_table_internal.h"

#define GLOBALS_MAX (1 << 20) /* of one unit */
#define SYMBOLS_MAX (1 << 22)

/* --- of a unit --- */

bool pfx_type_fixed_address(Dwarf_Attribute *attr, Dwarf_Op *ops, size_t nr, uint64_t *ret)
{
	Dwarf_Attribute other;
	Dwarf_Addr addr;

	if (nr != 1)
		return false;
	switch (ops[0].atom) {
	case DW_OP_addr:
		*ret = ops[0].number;
		return true;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		if (dwarf_getlocation_attr(attr, &ops[0], &other) || dwarf_formaddr(&other, &addr))
			return false;
		*ret = addr;
		return true;
	default:
		return false;
	}
}

/* The symbol table contains the linkage name. */
static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name;

	name = dwarf_formstring(dwarf_attr(die, DW_AT_linkage_name, &attr));
	return name ? name : dwarf_diename(die);
}

static void add_declared(struct pfx_type_table *table, struct pfx_type_unit *unit, Dwarf_Die *die)
{
	const char *name = linkage_name(die);
	uint32_t type = name ? pfx_type_of(table, die) : 0;

	if (type)
		*pfx_hash_add(&unit->declared, pfx_hash_bytes(name, strlen(name)), NULL) = type;
}

static void add_global(struct pfx_type_table *table, struct pfx_type_unit *unit, Dwarf_Die *die)
{
	struct pfx_type_global global;
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_attr(die, DW_AT_location, &attr)) {
		add_declared(table, unit, die);
		return;
	}
	if (dwarf_getlocation(&attr, &ops, &nr) ||
	    !pfx_type_fixed_address(&attr, ops, nr, &global.addr))
		return;
	global.type = pfx_type_of(table, die);
	if (global.type)
		pfx_vec_push(&unit->globals, global);
}

static void add_globals(struct pfx_type_table *table, struct pfx_type_unit *unit, Dwarf_Die *parent,
			unsigned depth)
{
	Dwarf_Die die;

	if (depth > PFX_DIE_DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_variable:
			add_global(table, unit, &die);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
			add_globals(table, unit, &die, depth + 1);
			break;
		default:
			break;
		}
	} while (unit->globals.nr < GLOBALS_MAX && pfx_die_next(&die));
}

static int by_address(const void *x, const void *y)
{
	const struct pfx_type_global *a = x, *b = y;

	if (a->addr != b->addr)
		return a->addr > b->addr ? 1 : -1;
	return (a->type > b->type) - (a->type < b->type);
}

void pfx_type_globals_enter(struct pfx_type_table *table, struct pfx_debug_unit *unit)
{
	Dwarf_Die tree = pfx_debug_unit_tree(unit);
	struct pfx_type_unit *known;
	uint64_t *at;
	bool is_new;

	at = pfx_hash_add(&table->units, (uintptr_t)tree.addr, &is_new);
	if (is_new) {
		known = pfx_calloc(1, sizeof(*known));
		*at = (uintptr_t)known;
		add_globals(table, known, &tree, 0);
		if (known->globals.nr)
			qsort(known->globals.at, known->globals.nr, sizeof(*known->globals.at),
			      by_address);
	}
	table->unit = unit;
	table->known = (const struct pfx_type_unit *)(uintptr_t)*at;
}

/* --- by the symbol table --- */

static void add_symbols(struct pfx_type_table *table, Elf *elf, Elf_Scn *scn,
			const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t i, nr = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
	struct pfx_type_symbol symbol;
	GElf_Sym sym;

	for (i = 0; i < nr && table->symbols.nr < SYMBOLS_MAX; i++) {
		if (!gelf_getsym(data, (int)i, &sym) || GELF_ST_TYPE(sym.st_info) != STT_OBJECT ||
		    sym.st_shndx == SHN_UNDEF || !sym.st_size)
			continue;
		symbol = (struct pfx_type_symbol){sym.st_value, sym.st_size,
						  elf_strptr(elf, header->sh_link, sym.st_name)};
		if (symbol.name)
			pfx_vec_push(&table->symbols, symbol);
	}
}

static void add_symbols_of(struct pfx_type_table *table, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	while (elf && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			add_symbols(table, elf, scn, &header);
}

static int by_symbol(const void *x, const void *y)
{
	const struct pfx_type_symbol *a = x, *b = y;

	if (a->addr != b->addr)
		return a->addr > b->addr ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void read_symbols(struct pfx_type_table *table)
{
	struct pfx_binary *binary = pfx_debug_info_binary(table->info);

	table->has_symbols = true;
	add_symbols_of(table, pfx_binary_elf(binary));
	add_symbols_of(table, pfx_binary_debug_elf(binary));
	if (table->symbols.nr)
		qsort(table->symbols.at, table->symbols.nr, sizeof(*table->symbols.at), by_symbol);
}

/* Several symbols may have the address: uses the one that the unit declares. */
static bool find_declared(struct pfx_type_table *table, uint64_t vaddr, uint32_t *ret_type,
			  uint64_t *ret_offset)
{
	const struct pfx_type_symbol *symbol;
	uint64_t *type;
	size_t behind;

	if (!table->has_symbols)
		read_symbols(table);
	behind = pfx_bisect(i, table->symbols.nr, table->symbols.at[i].addr <= vaddr);
	for (; behind; behind--) {
		symbol = &table->symbols.at[behind - 1];
		if (symbol->addr + symbol->size <= vaddr)
			break;
		type = pfx_hash_get(&table->known->declared,
				    pfx_hash_bytes(symbol->name, strlen(symbol->name)));
		if (!type)
			continue;
		*ret_type = (uint32_t)*type;
		*ret_offset = vaddr - symbol->addr;
		return true;
	}
	return false;
}

static bool find_defined(struct pfx_type_table *table, uint64_t vaddr, uint32_t *ret_type,
			 uint64_t *ret_offset)
{
	const struct pfx_type_global *global = table->known->globals.at;
	size_t behind = pfx_bisect(i, table->known->globals.nr, global[i].addr <= vaddr);

	if (!behind)
		return false;
	global += behind - 1;
	if (vaddr - global->addr >= pfx_type_get(table, global->type)->size)
		return false;
	*ret_type = global->type;
	*ret_offset = vaddr - global->addr;
	return true;
}

bool pfx_type_global_find(struct pfx_type_table *table, uint64_t vaddr, uint32_t *ret_type,
			  uint64_t *ret_offset)
{
	if (!table->known)
		return false;
	return find_defined(table, vaddr, ret_type, ret_offset) ||
	       find_declared(table, vaddr, ret_type, ret_offset);
}

/* --- functions and frames --- */

uint32_t pfx_type_returned(struct pfx_type_table *table, uint64_t vaddr)
{
	const struct pfx_type *type;
	Dwarf_Die die;

	if (pfx_debug_info_unit(table->info, vaddr) != table->unit ||
	    !pfx_debug_unit_function(table->unit, vaddr, &die))
		return 0;
	type = pfx_type_get(table, pfx_type_of(table, &die));
	return type->shape == PFX_SHAPE_ADDRESS ? type->target : 0;
}

static Dwarf_Frame *find_frame(struct pfx_type_table *table, uint64_t vaddr)
{
	Dwarf *dwarf = pfx_debug_info_dwarf(table->info);
	Dwarf_CFI *debug = NULL;
	Dwarf_Frame *frame = NULL;
	Elf *elf;

	if (!table->tables) {
		elf = pfx_binary_elf(pfx_debug_info_binary(table->info));
		table->eh = dwarf_getcfi_elf(elf);
		table->tables = pfx_cfi_tables_new(elf, false);
		table->debug_allowed = pfx_cfi_debug_frame_allowed(dwarf_getelf(dwarf), false);
	}
	if (table->eh && pfx_cfi_tables_allow(table->tables, vaddr) &&
	    !dwarf_cfi_addrframe(table->eh, vaddr, &frame))
		return frame;
	if (table->debug_allowed)
		debug = dwarf_getcfi(dwarf);
	if (debug && !dwarf_cfi_addrframe(debug, vaddr, &frame))
		return frame;
	return NULL;
}

bool pfx_type_cfa(struct pfx_type_table *table, uint64_t vaddr, uint8_t *ret_reg,
		  int64_t *ret_offset)
{
	Dwarf_Frame *frame = find_frame(table, vaddr);
	uint64_t reg = UINT64_MAX;
	Dwarf_Op *ops;
	size_t nr;

	if (frame && !dwarf_frame_cfa(frame, &ops, &nr) && nr == 1) {
		if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
			reg = ops[0].atom - DW_OP_breg0;
			*ret_offset = (int64_t)ops[0].number;
		} else if (ops[0].atom == DW_OP_bregx) {
			reg = ops[0].number;
			*ret_offset = (int64_t)ops[0].number2;
		}
	}
	free(frame);
	*ret_reg = (uint8_t)reg;
	return reg < PFX_DATA_NR_REGS;
}
