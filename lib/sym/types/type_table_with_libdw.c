/* SPDX-License-Identifier: MIT */
/*
 * Types through libdw: each type DIE in use gets an id, and is read on first use. Qualifiers are
 * skipped, names of typedefs are kept. Files are untrusted: types may contain or refer to
 * themselves, so the length of all chains is bounded.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sym/dwarf/cfi_tables.h"
#include "sym/dwarf/dwarf_internal.h"
#include "sym/types/type_table_internal.h"

#define CHAIN_MAX   64  /* of qualifiers and typedefs; of nested types when computing a size */
#define NAME_MAX_OF 512 /* bytes of a name that are kept */
#define SUFFIX_MAX  8   /* levels of pointers that a name shows */
#define MEMBERS_MAX (1 << 16) /* of one type */

static const struct pfx_type no_type = {.name = ""};

struct pfx_type_table *pfx_type_table_new(struct pfx_debug_info *info, struct pfx_arena *arena)
{
	struct pfx_type_table *table;

	if (!info)
		return NULL;
	table = pfx_calloc(1, sizeof(*table));
	table->info = info;
	table->arena = arena;
	return table;
}

/* Used by type_globals_with_libdw.c. */
static void free_globals(struct pfx_type_table *table)
{
	struct pfx_type_unit *unit;
	size_t i;

	for (i = 0; i < table->units.cap; i++) {
		if (!table->units.used[i])
			continue;
		unit = (struct pfx_type_unit *)(uintptr_t)table->units.slots[i].value;
		pfx_vec_free(&unit->globals);
		pfx_hash_fini(&unit->declared);
		free(unit);
	}
	pfx_hash_fini(&table->units);
	pfx_vec_free(&table->symbols);
	if (table->eh)
		dwarf_cfi_end(table->eh);
	pfx_cfi_tables_free(table->tables);
}

void pfx_type_table_free(struct pfx_type_table *table)
{
	if (!table)
		return;
	free_globals(table);
	pfx_vec_free(&table->types);
	pfx_vec_free(&table->dies);
	pfx_hash_fini(&table->ids);
	free(table);
}

/* --- from DIEs to ids --- */

static bool is_qualifier(int tag)
{
	switch (tag) {
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_immutable_type:
	case DW_TAG_packed_type:
	case DW_TAG_shared_type:
		return true;
	default:
		return false;
	}
}

/* The DIE of @die's type (DW_AT_type). */
static bool type_die(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, ret);
}

/* Skips qualifiers, and typedefs on request. False when no type follows. */
static bool peel(Dwarf_Die *die, bool typedefs)
{
	Dwarf_Die next;
	unsigned i;
	int tag;

	for (i = 0; i < CHAIN_MAX; i++) {
		tag = dwarf_tag(die);
		if (!is_qualifier(tag) && !(typedefs && tag == DW_TAG_typedef))
			return true;
		if (!type_die(die, &next))
			return false;
		*die = next;
	}
	return false;
}

static uint32_t id_of(struct pfx_type_table *table, const Dwarf_Die *die)
{
	uint64_t *at = pfx_hash_add(&table->ids, (uintptr_t)die->addr, NULL);
	struct pfx_type *type;

	if (*at)
		return (uint32_t)*at;
	type = pfx_arena_new(table->arena, struct pfx_type);
	pfx_vec_push(&table->types, type);
	pfx_vec_push(&table->dies, *die);
	type->id = (uint32_t)table->types.nr;
	*at = type->id;
	return type->id;
}

uint32_t pfx_type_of(struct pfx_type_table *table, Dwarf_Die *die)
{
	Dwarf_Die type;

	if (!type_die(die, &type) || !peel(&type, false))
		return 0;
	return id_of(table, &type);
}

/* --- names --- */

static const char *tag_word(int tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_class_type:
		return "class ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	default:
		return "";
	}
}

/* The suffix of a derived type's name; NULL: the type has its own name. */
static const char *tag_suffix(int tag)
{
	switch (tag) {
	case DW_TAG_pointer_type:
		return "*";
	case DW_TAG_reference_type:
		return "&";
	case DW_TAG_rvalue_reference_type:
		return "&&";
	case DW_TAG_array_type:
		return "[]";
	default:
		return NULL;
	}
}

static const char *own_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (dwarf_attr(die, DW_AT_name, &attr))
		name = dwarf_formstring(&attr);
	return name && *name ? name : NULL;
}

/* The type may be in a type unit (DW_AT_signature). */
static void follow_signature(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die other;

	if (dwarf_attr(die, DW_AT_signature, &attr) && dwarf_formref_die(&attr, &other))
		*die = other;
}

/* "struct foo", "char**", "int[]", "size_t" */
static const char *make_name(struct pfx_type_table *table, Dwarf_Die die)
{
	const char *suffixes[SUFFIX_MAX], *suffix, *name;
	struct pfx_str text = {0};
	unsigned nr = 0;
	bool is_void = false;
	Dwarf_Die next;

	while (!is_void && nr < SUFFIX_MAX && (suffix = tag_suffix(dwarf_tag(&die)))) {
		suffixes[nr++] = suffix;
		is_void = !type_die(&die, &next) || !peel(&next, false);
		die = next;
	}
	if (is_void) {
		pfx_str_add(&text, "void");
	} else if (nr == SUFFIX_MAX) {
		pfx_str_add(&text, "...");
	} else if (dwarf_tag(&die) == DW_TAG_subroutine_type) {
		pfx_str_add(&text, "(function_type)");
	} else {
		follow_signature(&die);
		name = own_name(&die);
		pfx_str_add(&text, tag_word(dwarf_tag(&die)));
		pfx_str_add(&text, name ? name : "(anonymous)");
	}
	while (nr)
		pfx_str_add(&text, suffixes[--nr]);
	name = pfx_arena_strndup(table->arena, text.at,
				 text.len < NAME_MAX_OF ? text.len : NAME_MAX_OF);
	pfx_str_fini(&text);
	return name;
}

/* --- sizes --- */

static bool number_of(Dwarf_Die *die, unsigned name, uint64_t *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &word))
		return false;
	*ret = word;
	return true;
}

static struct pfx_type *shape_of(struct pfx_type_table *table, uint32_t id);

static uint64_t dimension(Dwarf_Die *die)
{
	uint64_t nr, low = 0, high;

	if (number_of(die, DW_AT_count, &nr))
		return nr;
	number_of(die, DW_AT_lower_bound, &low);
	if (!number_of(die, DW_AT_upper_bound, &high) || high == UINT32_MAX || high == UINT64_MAX)
		return 0;
	return high >= low ? high - low + 1 : 0;
}

/* Flattens all dimensions: a part of the array is an element. */
static void read_array(struct pfx_type_table *table, struct pfx_type *type, Dwarf_Die *real)
{
	const struct pfx_type *element;
	uint64_t nr = 1;
	Dwarf_Die die;

	type->shape = PFX_SHAPE_ARRAY;
	type->target = pfx_type_of(table, real);
	if (!type->target || dwarf_child(real, &die))
		return;
	do {
		if (dwarf_tag(&die) == DW_TAG_subrange_type &&
		    __builtin_mul_overflow(nr, dimension(&die), &nr))
			nr = 0;
	} while (pfx_die_next(&die));
	element = shape_of(table, type->target);
	if (__builtin_mul_overflow(nr, element->size, &type->size))
		type->size = 0;
}

static void read_parts(struct pfx_type *type, Dwarf_Die *real)
{
	bool is_declared = false;
	Dwarf_Attribute attr;

	if (dwarf_attr(real, DW_AT_declaration, &attr) && dwarf_formflag(&attr, &is_declared))
		is_declared = true;
	if (!is_declared && number_of(real, DW_AT_byte_size, &type->size))
		type->shape = PFX_SHAPE_PARTS;
}

static void read_shape(struct pfx_type_table *table, struct pfx_type *type, Dwarf_Die *real)
{
	uint8_t word;

	switch (dwarf_tag(real)) {
	case DW_TAG_base_type:
	case DW_TAG_enumeration_type:
		if (number_of(real, DW_AT_byte_size, &type->size))
			type->shape = PFX_SHAPE_PLAIN;
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		type->shape = PFX_SHAPE_ADDRESS;
		type->target = pfx_type_of(table, real);
		if (number_of(real, DW_AT_byte_size, &type->size))
			break;
		type->size = dwarf_cu_info(real->cu, NULL, NULL, NULL, NULL, NULL, &word, NULL)
				     ? 8
				     : word;
		break;
	case DW_TAG_array_type:
		read_array(table, type, real);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type:
		follow_signature(real);
		read_parts(type, real);
		break;
	default:
		break;
	}
}

/* Reads a type without its members. Recursion through arrays of arrays is bounded. */
static struct pfx_type *shape_of(struct pfx_type_table *table, uint32_t id)
{
	struct pfx_type *type;
	Dwarf_Die real;

	if (!id || table->depth > CHAIN_MAX)
		return (struct pfx_type *)(uintptr_t)&no_type;
	type = table->types.at[id - 1];
	if (type->name)
		return type;
	real = table->dies.at[id - 1];
	type->name = make_name(table, real);
	table->depth++;
	if (peel(&real, true))
		read_shape(table, type, &real);
	table->depth--;
	table->dies.at[id - 1] = real;
	if (type->size > INT64_MAX)
		type->shape = PFX_SHAPE_NONE;
	return type;
}

/* --- members --- */

static bool is_elsewhere(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, DW_AT_external, &attr) || dwarf_attr(die, DW_AT_declaration, &attr);
}

/* Old compilers use an expression (DW_OP_plus_uconst) instead of a constant. */
static bool place_by_expression(Dwarf_Attribute *attr, uint64_t *ret)
{
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_getlocation(attr, &ops, &nr) || nr != 1 || ops[0].atom != DW_OP_plus_uconst)
		return false;
	*ret = ops[0].number;
	return true;
}

/* The offset of a member. False when it is static or has no constant offset. */
static bool place_member(Dwarf_Die *die, struct pfx_type_member *member)
{
	Dwarf_Attribute attr;
	uint64_t bits, width;

	if (dwarf_attr(die, DW_AT_data_member_location, &attr)) {
		if (!number_of(die, DW_AT_data_member_location, &member->offset) &&
		    !place_by_expression(&attr, &member->offset))
			return false;
	} else if (number_of(die, DW_AT_data_bit_offset, &bits)) {
		if (number_of(die, DW_AT_bit_size, &width) && width <= 1024)
			member->size = (bits % 8 + width + 7) / 8;
		member->offset = bits / 8;
	} else if (is_elsewhere(die)) {
		return false;
	}
	member->is_bits = number_of(die, DW_AT_bit_size, &bits);
	return true;
}

static bool read_member(struct pfx_type_table *table, Dwarf_Die *die, struct pfx_type_member *ret)
{
	int tag = dwarf_tag(die);
	const char *name;

	if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
		return false;
	*ret = (struct pfx_type_member){.type = pfx_type_of(table, die)};
	if (!ret->type)
		return false;
	ret->size = shape_of(table, ret->type)->size;
	name = tag == DW_TAG_member ? own_name(die) : NULL;
	if (name)
		ret->name = pfx_arena_strndup(table->arena, name, strnlen(name, NAME_MAX_OF));
	return place_member(die, ret);
}

static void read_members(struct pfx_type_table *table, struct pfx_type *type)
{
	PFX_VEC(struct pfx_type_member) members = {0};
	struct pfx_type_member member;
	const struct pfx_type *last;
	Dwarf_Die die;

	type->has_members = true;
	if (dwarf_child(&table->dies.at[type->id - 1], &die))
		return;
	do {
		if (read_member(table, &die, &member))
			pfx_vec_push(&members, member);
	} while (members.nr < MEMBERS_MAX && pfx_die_next(&die));
	type->nr_members = (uint32_t)members.nr;
	if (!members.nr)
		return;
	type->members =
		pfx_arena_memdup(table->arena, members.at, members.nr * sizeof(*members.at));
	last = shape_of(table, members.at[members.nr - 1].type);
	type->is_open = last->shape == PFX_SHAPE_ARRAY && !last->size;
	pfx_vec_free(&members);
}

const struct pfx_type *pfx_type_get(struct pfx_type_table *table, uint32_t id)
{
	struct pfx_type *type = shape_of(table, id);

	if (type->shape == PFX_SHAPE_PARTS && !type->has_members)
		read_members(table, type);
	return type;
}
