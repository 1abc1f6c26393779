/* SPDX-License-Identifier: MIT */
/*
 * Lines and inlined functions through libdw. An address leads to its unit (by .debug_aranges, else
 * by the units' own ranges), then to its function, and only the subtree of that function is read.
 * Files are untrusted: walks only move forward, depths and counts are bounded, and whatever libdw
 * refuses is treated as missing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "sym/dwarf/dwarf_internal.h"
#include "sym/dwarf/split_find_internal.h"
#include "sym/elf/debug_image_internal.h"
#include "sym/table/demangle.h"
#include "sym/table/source.h"
#include "sym/table/symtab_internal.h"

#define NODES_MAX    (1 << 22) /* inlined functions in one function */
#define OVERLAPS_MAX 64        /* functions that are tried for one address */
#define ROWS_AHEAD   8         /* rows of a line table that are tried before a search */

struct range {
	uint64_t low, high;
};

/* An inlined function; those nested in it follow it, up to index `end`. */
struct node {
	void *entry; /* address of the DIE in libdw */
	uint32_t end;
	uint32_t first_range, nr_ranges;
};

struct function {
	Dwarf_Die die;
	bool read;
	PFX_VEC(struct node) nodes; /* parents before their children */
	PFX_VEC(struct range) ranges;
};

/* An address range of a function. */
struct piece {
	uint64_t low, high;
	uint32_t function;
};

struct pfx_debug_unit {
	Dwarf_Die cu;   /* has the line table */
	Dwarf_Die tree; /* has the functions; differs from cu for split units */
	bool read, read_deep;
	struct pfx_split_file *split_file; /* the file of `split`, unless it is a package */
	struct pfx_split_unit *split; /* contains `tree`, if libdw did not find the split unit */
	PFX_VEC(struct function) functions;
	PFX_VEC(struct piece) pieces; /* sorted by address */
	uint64_t *ranges_left;        /* of the debug information */
};

/* A call that was inlined, identified by its DIE. */
struct call {
	void *entry;
	Dwarf_CU *cu;
	struct pfx_debug_unit *unit;
};

struct unit_range {
	uint64_t low, high;
	Dwarf_Off cu; /* of its DIE */
};

/* The row of the line table that was found last: look-ups mostly come in the order of addresses. */
struct last_row {
	struct pfx_debug_unit *unit;
	Dwarf_Lines *rows; /* sorted by address */
	size_t nr, at;
	bool has_source; /* of row `at` */
	struct pfx_source source;
};

struct pfx_debug_info {
	struct pfx_binary *binary;
	struct pfx_module_dwarf *module; /* owner of `dwarf`; NULL: it is owned here */
	struct pfx_debug_image *image;   /* that `dwarf` reads; NULL: the file of the binary */
	Dwarf *dwarf;
	struct pfx_alt_dwarf alt; /* the supplementary file */
	struct pfx_arena *arena;
	bool keep_names;
	Dwarf_Aranges *aranges; /* NULL: none */
	size_t nr_aranges;
	bool has_unit_ranges;
	PFX_VEC(struct unit_range) unit_ranges; /* by address; for units without aranges */
	struct pfx_hash units;                  /* offset -> struct pfx_debug_unit */
	struct pfx_hash names;                  /* DIE -> name */
	struct pfx_hash files;                  /* libdw's file name -> path */
	struct pfx_hash class_lines;            /* DIE of a function -> line of its class */
	struct pfx_split_gaps gaps;             /* missing split files */
	uint64_t ranges_left;                   /* see pfx_die_ranges_left() */
	struct {
		uint64_t low, high;
		struct pfx_debug_unit *unit;
	} last_unit; /* the one that was found last, by aranges, for these addresses */
	struct last_row last_row;
};

/* @ret: what the result uses, to be freed after it; NULL: nothing. */
static Dwarf *open_dwarf(struct pfx_binary *binary, struct pfx_debug_image **ret)
{
	Elf *elf = NULL;

	if (pfx_binary_has_section(binary, false, ".debug_info") ||
	    pfx_binary_has_section(binary, false, ".zdebug_info"))
		elf = pfx_binary_elf(binary);
	else if (pfx_binary_has_section(binary, true, ".debug_info") ||
		 pfx_binary_has_section(binary, true, ".zdebug_info"))
		elf = pfx_binary_debug_elf(binary);
	if (!elf)
		return NULL;
	*ret = pfx_debug_image_new(elf);
	if (*ret)
		elf = pfx_debug_image_elf(*ret);
	else
		pfx_debug_hide_needless(elf);
	return dwarf_begin_elf(elf, DWARF_C_READ, NULL);
}

struct pfx_debug_info *pfx_debug_info_new(struct pfx_binary *binary, struct pfx_arena *arena,
					  bool keep_names)
{
	struct pfx_debug_info *info;
	struct pfx_module_dwarf *module = NULL;
	struct pfx_debug_image *image = NULL;
	Dwarf *dwarf;
	size_t nr;

	if (pfx_binary_sections(binary, &nr)) {
		module = pfx_module_dwarf_new(binary);
		dwarf = module ? pfx_module_dwarf_get(module) : NULL;
	} else {
		dwarf = open_dwarf(binary, &image);
	}
	if (!dwarf) {
		pfx_debug_image_free(image);
		return NULL;
	}
	info = pfx_calloc(1, sizeof(*info));
	info->module = module;
	info->image = image;
	info->binary = binary;
	info->dwarf = dwarf;
	info->arena = arena;
	info->keep_names = keep_names;
	info->ranges_left = pfx_die_ranges_left(binary);
	pfx_alt_dwarf_open(&info->alt, dwarf, binary);
	if (dwarf_getaranges(dwarf, &info->aranges, &info->nr_aranges)) {
		info->aranges = NULL;
		info->nr_aranges = 0;
	}
	return info;
}

static void free_unit(struct pfx_debug_unit *unit)
{
	size_t i;

	if (!unit)
		return;
	for (i = 0; i < unit->functions.nr; i++) {
		pfx_vec_free(&unit->functions.at[i].nodes);
		pfx_vec_free(&unit->functions.at[i].ranges);
	}
	pfx_vec_free(&unit->functions);
	pfx_vec_free(&unit->pieces);
	pfx_split_unit_free(unit->split);
	pfx_split_file_free(unit->split_file);
	free(unit);
}

void pfx_debug_info_free(struct pfx_debug_info *info)
{
	size_t i;

	if (!info)
		return;
	for (i = 0; i < info->units.cap; i++)
		if (info->units.used[i])
			free_unit((struct pfx_debug_unit *)(uintptr_t)info->units.slots[i].value);
	pfx_hash_fini(&info->units);
	pfx_hash_fini(&info->names);
	pfx_hash_fini(&info->files);
	pfx_hash_fini(&info->class_lines);
	pfx_vec_free(&info->unit_ranges);
	if (!info->module)
		dwarf_end(info->dwarf);
	pfx_module_dwarf_free(info->module);
	pfx_debug_image_free(info->image);
	pfx_alt_dwarf_close(&info->alt);
	free(info);
}

bool pfx_debug_info_is_built_in(void)
{
	return true;
}

void pfx_debug_info_splits(struct pfx_debug_info *info, struct pfx_split_list *ret)
{
	pfx_split_list(info->binary, info->dwarf, ret);
}

bool pfx_debug_info_is_split(struct pfx_debug_info *info)
{
	return pfx_split_is_any(info->dwarf);
}

struct pfx_split_gaps pfx_debug_info_gaps(const struct pfx_debug_info *info)
{
	return info->gaps;
}

/* --- units --- */

static void add_unit_ranges(struct pfx_debug_info *info, Dwarf_Die *cu)
{
	struct pfx_die_range at = {.left = &info->ranges_left};

	while (pfx_die_next_range(cu, &at))
		pfx_vec_push(&info->unit_ranges,
			     ((struct unit_range){
				     .low = at.low, .high = at.high, .cu = dwarf_dieoffset(cu)}));
}

static int by_low(const void *x, const void *y)
{
	const struct unit_range *a = x, *b = y;

	return (a->low > b->low) - (a->low < b->low);
}

/* Collects the units in .debug_aranges. */
static void read_known_units(const struct pfx_debug_info *info, struct pfx_hash *ret)
{
	Dwarf_Off cu, last = 0;
	Dwarf_Arange *arange;
	size_t i;

	for (i = 0; i < info->nr_aranges; i++) {
		arange = dwarf_onearange(info->aranges, i);
		if (!arange || dwarf_getarangeinfo(arange, NULL, NULL, &cu) || cu == last)
			continue;
		pfx_hash_add(ret, cu, NULL);
		last = cu;
	}
}

/* Addresses that are missing in aranges are mostly code without debug information: the ranges of
 * units that are in aranges, possibly very many, are not read again. */
static void read_unit_ranges(struct pfx_debug_info *info)
{
	struct pfx_hash known = {0};
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	info->has_unit_ranges = true;
	read_known_units(info, &known);
	while (!dwarf_get_units(info->dwarf, cu, &cu, NULL, &type, &die, NULL))
		if ((type == DW_UT_compile || type == DW_UT_skeleton) &&
		    !pfx_hash_get(&known, dwarf_dieoffset(&die)))
			add_unit_ranges(info, &die);
	pfx_hash_fini(&known);
	if (info->unit_ranges.nr)
		qsort(info->unit_ranges.at, info->unit_ranges.nr, sizeof(*info->unit_ranges.at),
		      by_low);
}

static bool find_by_unit_ranges(struct pfx_debug_info *info, uint64_t vaddr, Dwarf_Off *ret)
{
	size_t behind;

	if (!info->has_unit_ranges)
		read_unit_ranges(info);
	behind = pfx_bisect(i, info->unit_ranges.nr, info->unit_ranges.at[i].low <= vaddr);
	if (!behind || info->unit_ranges.at[behind - 1].high <= vaddr)
		return false;
	*ret = info->unit_ranges.at[behind - 1].cu;
	return true;
}

/* @ret_arange: the addresses for which .debug_aranges names the unit; empty if it does not. */
static bool find_cu(struct pfx_debug_info *info, uint64_t vaddr, Dwarf_Off *ret,
		    struct range *ret_arange)
{
	Dwarf_Arange *arange = NULL;
	Dwarf_Addr low;
	Dwarf_Word size;

	*ret_arange = (struct range){0};
	if (info->aranges)
		arange = dwarf_getarange_addr(info->aranges, vaddr);
	if (arange && !dwarf_getarangeinfo(arange, &low, &size, ret)) {
		*ret_arange = (struct range){low, low + size};
		return true;
	}
	return find_by_unit_ranges(info, vaddr, ret);
}

/* Counts a missing file, and keeps the path of the first. */
static void note_gap(struct pfx_debug_info *info, const char *path, const char **first,
		     uint32_t *nr)
{
	if (!path)
		return;
	if (!*first)
		*first = pfx_arena_strdup(info->arena, path);
	++*nr;
}

/* libdw does not search packages, and finds .dwo files only at their original paths. */
static void find_split(struct pfx_debug_info *info, struct pfx_debug_unit *unit, uint64_t id)
{
	struct pfx_split_found found;
	Dwarf_CU *cu = NULL;
	Dwarf_Die tree;

	if (!pfx_split_find(info->binary, &unit->cu, id, &found)) {
		note_gap(info, found.refused, &info->gaps.refused, &info->gaps.nr_refused);
		note_gap(info, found.missing, &info->gaps.missing, &info->gaps.nr_missing);
		pfx_split_found_fini(&found);
		return;
	}
	unit->split = found.unit;
	unit->split_file = found.file;
	free(found.path);
	free(found.refused);
	if (!dwarf_get_units(pfx_split_unit_dwarf(unit->split), cu, &cu, NULL, NULL, &tree, NULL))
		unit->tree = tree;
}

static struct pfx_debug_unit *open_unit(struct pfx_debug_info *info, Dwarf_Off offset)
{
	uint64_t id;
	struct pfx_debug_unit *unit;
	Dwarf_Die cu, split;
	uint8_t type;
	char *path;
	bool named;

	if (!dwarf_offdie(info->dwarf, offset, &cu))
		return NULL;
	unit = pfx_calloc(1, sizeof(*unit));
	unit->cu = unit->tree = cu;
	unit->ranges_left = &info->ranges_left;
	memset(&split, 0, sizeof(split));
	path = pfx_split_named_file(&cu);
	named = path != NULL;
	free(path);
	if (dwarf_cu_info(cu.cu, NULL, &type, NULL, named ? &split : NULL, &id, NULL, NULL) ||
	    type != DW_UT_skeleton)
		return unit;
	if (split.addr)
		unit->tree = split;
	else
		find_split(info, unit, id);
	return unit;
}

/* The unit of an address, or NULL. */
static struct pfx_debug_unit *find_unit(struct pfx_debug_info *info, uint64_t vaddr)
{
	struct range arange;
	Dwarf_Off offset;
	uint64_t *at;
	bool is_new;

	if (vaddr >= info->last_unit.low && vaddr < info->last_unit.high)
		return info->last_unit.unit;
	if (!find_cu(info, vaddr, &offset, &arange))
		return NULL;
	at = pfx_hash_add(&info->units, offset, &is_new);
	if (is_new)
		*at = (uintptr_t)open_unit(info, offset);
	info->last_unit.low = arange.low;
	info->last_unit.high = arange.high;
	info->last_unit.unit = (struct pfx_debug_unit *)(uintptr_t)*at;
	return info->last_unit.unit;
}

void pfx_debug_info_splits_at(struct pfx_debug_info *info, const uint64_t *vaddrs, size_t nr,
			      struct pfx_split_list *ret)
{
	struct pfx_hash seen = {0};
	struct range arange;
	Dwarf_Off offset;
	Dwarf_Die cu;
	bool is_new;
	size_t i;

	*ret = (struct pfx_split_list){0};
	for (i = 0; i < nr; i++) {
		if (!find_cu(info, vaddrs[i], &offset, &arange))
			continue;
		pfx_hash_add(&seen, offset, &is_new);
		if (is_new && dwarf_offdie(info->dwarf, offset, &cu))
			pfx_split_list_add(info->binary, &cu, ret);
	}
	pfx_hash_fini(&seen);
}

/* --- functions of a unit --- */

static void add_function(struct pfx_debug_unit *unit, Dwarf_Die *die)
{
	struct pfx_die_range at = {.left = unit->ranges_left};
	size_t before = unit->pieces.nr;

	while (pfx_die_next_range(die, &at))
		pfx_vec_push(&unit->pieces,
			     ((struct piece){.low = at.low,
					     .high = at.high,
					     .function = (uint32_t)unit->functions.nr}));
	if (unit->pieces.nr > before)
		pfx_vec_push(&unit->functions, ((struct function){.die = *die}));
}

/* Whether a DIE may contain functions with code: scopes, and with @deep anything with a body. */
static bool may_hold_functions(int tag, bool deep)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_variant_part:
	case DW_TAG_variant:
		return true;
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return deep;
	default:
		return false;
	}
}

static void add_functions(struct pfx_debug_unit *unit, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;
	int tag;

	if (depth > PFX_DIE_DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		tag = dwarf_tag(&die);
		if (tag == DW_TAG_subprogram)
			add_function(unit, &die);
		if (may_hold_functions(tag, unit->read_deep))
			add_functions(unit, &die, depth + 1);
	} while (pfx_die_next(&die));
}

static int by_piece(const void *x, const void *y)
{
	const struct piece *a = x, *b = y;

	if (a->low != b->low)
		return a->low > b->low ? 1 : -1;
	return (a->function > b->function) - (a->function < b->function);
}

static void read_functions(struct pfx_debug_unit *unit, bool deep)
{
	unit->read = true;
	unit->read_deep = deep;
	add_functions(unit, &unit->tree, 0);
	if (unit->pieces.nr)
		qsort(unit->pieces.at, unit->pieces.nr, sizeof(*unit->pieces.at), by_piece);
}

/* The innermost function at the address: of all ranges that contain it, the one with the highest
 * start. */
static struct function *search_function(struct pfx_debug_unit *unit, uint64_t vaddr)
{
	size_t at = pfx_bisect(i, unit->pieces.nr, unit->pieces.at[i].low <= vaddr);
	unsigned tried;

	for (tried = 0; tried < OVERLAPS_MAX && at; tried++, at--)
		if (unit->pieces.at[at - 1].high > vaddr)
			return &unit->functions.at[unit->pieces.at[at - 1].function];
	return NULL;
}

/* Nested functions are rare: they are searched only when no other function contains the address. */
static struct function *find_function(struct pfx_debug_unit *unit, uint64_t vaddr)
{
	struct function *function;
	size_t i;

	if (!unit->read)
		read_functions(unit, false);
	function = search_function(unit, vaddr);
	if (function || unit->read_deep)
		return function;
	for (i = 0; i < unit->functions.nr; i++) {
		pfx_vec_free(&unit->functions.at[i].nodes);
		pfx_vec_free(&unit->functions.at[i].ranges);
	}
	unit->functions.nr = unit->pieces.nr = 0;
	read_functions(unit, true);
	return search_function(unit, vaddr);
}

/* --- for readers of other parts of a unit --- */

struct pfx_debug_unit *pfx_debug_info_unit(struct pfx_debug_info *info, uint64_t vaddr)
{
	return find_unit(info, vaddr);
}

Dwarf_Die pfx_debug_unit_tree(const struct pfx_debug_unit *unit)
{
	return unit->tree;
}

bool pfx_debug_unit_function(struct pfx_debug_unit *unit, uint64_t vaddr, Dwarf_Die *ret)
{
	const struct function *function = find_function(unit, vaddr);

	if (function)
		*ret = function->die;
	return function != NULL;
}

Dwarf *pfx_debug_info_dwarf(const struct pfx_debug_info *info)
{
	return info->dwarf;
}

struct pfx_binary *pfx_debug_info_binary(const struct pfx_debug_info *info)
{
	return info->binary;
}

/* --- inlined functions of a function --- */

static void add_ranges(struct function *function, struct node *node, Dwarf_Die *die, uint64_t *left)
{
	struct pfx_die_range at = {.left = left};

	node->first_range = (uint32_t)function->ranges.nr;
	while (pfx_die_next_range(die, &at)) {
		pfx_vec_push(&function->ranges, ((struct range){at.low, at.high}));
		node->nr_ranges++;
	}
}

static void add_nodes(struct function *function, Dwarf_Die *parent, uint64_t *left, unsigned depth);

static void add_node(struct function *function, Dwarf_Die *die, uint64_t *left, unsigned depth)
{
	struct node node = {.entry = die->addr};
	size_t at = function->nodes.nr;

	add_ranges(function, &node, die, left);
	pfx_vec_push(&function->nodes, node);
	add_nodes(function, die, left, depth + 1);
	function->nodes.at[at].end = (uint32_t)function->nodes.nr;
}

static void add_nodes(struct function *function, Dwarf_Die *parent, uint64_t *left, unsigned depth)
{
	Dwarf_Die die;

	if (depth > PFX_DIE_DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_inlined_subroutine:
			add_node(function, &die, left, depth);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			add_nodes(function, &die, left, depth + 1);
			break;
		default:
			break;
		}
	} while (function->nodes.nr < NODES_MAX && pfx_die_next(&die));
}

/* @end: becomes the next address at which the answer may differ, if that is before it. */
static bool has_address(const struct function *function, const struct node *node, uint64_t vaddr,
			uint64_t *end)
{
	const struct range *range;
	bool found = false;
	uint64_t next;
	uint32_t i;

	for (i = 0; i < node->nr_ranges; i++) {
		range = &function->ranges.at[node->first_range + i];
		next = vaddr < range->low ? range->low : range->high;
		if (next > vaddr && next < *end)
			*end = next;
		found = found || (vaddr >= range->low && vaddr < range->high);
	}
	return found;
}

/* --- names --- */

/* Prefers the linkage name, which contains namespaces and template parameters. */
static const char *read_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name;

	if (!dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) &&
	    !dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr) &&
	    !dwarf_attr_integrate(die, DW_AT_name, &attr))
		return NULL;
	name = dwarf_formstring(&attr);
	return name && *name ? name : NULL;
}

static const char *make_name(struct pfx_debug_info *info, Dwarf_Die *die)
{
	const char *name = read_name(die), *kept;
	char *readable;

	if (!name)
		return "??";
	readable = info->keep_names || pfx_name_is_long(name) ? NULL : pfx_demangle(name);
	kept = pfx_name_cut(info->arena, name, readable ? readable : name);
	free(readable);
	return kept;
}

/* All inlined copies of a function share one abstract DIE, which has the name. */
static const char *name_of(struct pfx_debug_info *info, Dwarf_Die *die)
{
	Dwarf_Die origin = *die;
	Dwarf_Attribute attr;
	uint64_t *at;

	if (dwarf_attr(die, DW_AT_abstract_origin, &attr) && !dwarf_formref_die(&attr, &origin))
		origin = *die;
	at = pfx_hash_add(&info->names, (uintptr_t)origin.addr, NULL);
	if (!*at)
		*at = (uintptr_t)make_name(info, &origin);
	return (const char *)(uintptr_t)*at;
}

/* --- look-ups --- */

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &word) || word > UINT32_MAX)
		return 0;
	return (uint32_t)word;
}

static struct pfx_inlined make_inlined(struct pfx_debug_info *info, struct pfx_debug_unit *unit,
				       const struct function *function, const struct node *node)
{
	struct call *call = pfx_arena_new(info->arena, struct call);
	Dwarf_Die die = {.addr = node->entry, .cu = function->die.cu};

	*call = (struct call){die.addr, die.cu, unit};
	return (struct pfx_inlined){
		.name = name_of(info, &die),
		.call = call,
		.line = number_of(&die, DW_AT_call_line),
		.column = number_of(&die, DW_AT_call_column),
	};
}

static void reverse(struct pfx_inlined *at, uint32_t nr)
{
	struct pfx_inlined other;
	uint32_t i;

	for (i = 0; i < nr / 2; i++) {
		other = at[i];
		at[i] = at[nr - 1 - i];
		at[nr - 1 - i] = other;
	}
}

/* Where the function that find_function() found for the address may end. */
static uint64_t piece_end(const struct pfx_debug_unit *unit, uint64_t vaddr)
{
	size_t at = pfx_bisect(i, unit->pieces.nr, unit->pieces.at[i].low <= vaddr), i;
	uint64_t end = at < unit->pieces.nr ? unit->pieces.at[at].low : UINT64_MAX;

	for (i = at; i && at - i < OVERLAPS_MAX; i--) {
		if (unit->pieces.at[i - 1].high <= vaddr)
			continue;
		return end < unit->pieces.at[i - 1].high ? end : unit->pieces.at[i - 1].high;
	}
	return vaddr + 1;
}

uint32_t pfx_debug_info_inlined(struct pfx_debug_info *info, uint64_t vaddr,
				struct pfx_inlined *ret, uint64_t *ret_end)
{
	struct pfx_debug_unit *unit = find_unit(info, vaddr);
	struct function *function = unit ? find_function(unit, vaddr) : NULL;
	const struct node *node;
	uint32_t i, end, nr = 0;

	*ret_end = vaddr + 1;
	if (!function)
		return 0;
	*ret_end = piece_end(unit, vaddr);
	if (!function->read) {
		function->read = true;
		add_nodes(function, &function->die, unit->ranges_left, 0);
	}
	end = (uint32_t)function->nodes.nr;
	for (i = 0; i < end && nr < PFX_INLINED_MAX;) {
		node = &function->nodes.at[i];
		if (!has_address(function, node, vaddr, ret_end)) {
			i = node->end;
			continue;
		}
		ret[nr++] = make_inlined(info, unit, function, node);
		end = node->end;
		i++;
	}
	reverse(ret, nr);
	return nr;
}

/* libdw joins a file name and its directory from the directory table; directory 0 is the
 * compilation directory, and other directories may be relative to it. */
static bool is_relative(Dwarf_Die *cu, const char *folder, const char *file)
{
	const char *const *folders;
	size_t len = strlen(folder), nr, i;
	Dwarf_Files *files;

	if (strncmp(file, folder, len) || file[len] != '/')
		return true;
	if (dwarf_getsrcfiles(cu, &files, &nr) || dwarf_getsrcdirs(files, &folders, &nr))
		return false;
	for (i = 1; i < nr; i++) {
		len = folders[i] ? strlen(folders[i]) : 0;
		if (len && !strncmp(file, folders[i], len) && file[len] == '/')
			return true;
	}
	return false;
}

static const char *join_folder(struct pfx_debug_info *info, Dwarf_Die *cu, const char *file)
{
	Dwarf_Attribute attr;
	const char *folder = dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attr));
	size_t len = folder ? strlen(folder) : 0, file_len = strlen(file);
	char *path;

	if (!len || !is_relative(cu, folder, file))
		return file;
	path = pfx_arena_alloc(info->arena, len + file_len + 2);
	memcpy(path, folder, len);
	path[len] = '/';
	memcpy(path + len + 1, file, file_len + 1);
	return path;
}

static const char *path_of(struct pfx_debug_info *info, Dwarf_Die *cu, const char *file)
{
	uint64_t *at;

	if (file && pfx_name_is_long(file))
		return pfx_name_cut(info->arena, file, NULL);
	if (!file || *file == '/')
		return file;
	at = pfx_hash_add(&info->files, (uintptr_t)file, NULL);
	if (!*at)
		*at = (uintptr_t)join_folder(info, cu, file);
	return (const char *)(uintptr_t)*at;
}

static uint64_t row_address(const struct last_row *row, size_t i)
{
	Dwarf_Addr addr = 0;

	dwarf_lineaddr(dwarf_onesrcline(row->rows, i), &addr);
	return addr;
}

/* Goes to the last row at or below the address, a few rows forward or by bisection. False: there is
 * none. *ret_moved: it is another row than before. */
static bool go_to_row(struct last_row *row, uint64_t vaddr, bool *ret_moved)
{
	size_t at = row->at, end = at < row->nr ? at + ROWS_AHEAD : 0;

	if (at < row->nr && row_address(row, at) <= vaddr) {
		while (at < end && at + 1 < row->nr && row_address(row, at + 1) <= vaddr)
			at++;
		*ret_moved = at != row->at;
		row->at = at;
		if (at < end)
			return true;
	}
	*ret_moved = true;
	at = pfx_bisect(i, row->nr, row_address(row, i) <= vaddr);
	row->at = at ? at - 1 : row->nr;
	return at > 0;
}

/* The row of an address, or NULL. */
static Dwarf_Line *find_row(struct pfx_debug_info *info, struct pfx_debug_unit *unit,
			    uint64_t vaddr)
{
	struct last_row *row = &info->last_row;
	bool ends = true, moved = true, found;
	Dwarf_Line *line;

	if (row->unit != unit) {
		*row = (struct last_row){.unit = unit};
		if (dwarf_getsrclines(&unit->cu, &row->rows, &row->nr))
			row->nr = 0;
		row->at = row->nr;
	}
	found = row->nr && go_to_row(row, vaddr, &moved);
	row->has_source = row->has_source && !moved;
	line = found ? dwarf_onesrcline(row->rows, row->at) : NULL;
	return line && !dwarf_lineendsequence(line, &ends) && !ends ? line : NULL;
}

static bool read_source(struct pfx_debug_info *info, struct pfx_debug_unit *unit, Dwarf_Line *line,
			struct pfx_source *ret)
{
	int number, column;

	if (dwarf_lineno(line, &number) || number <= 0)
		return false;
	ret->file = path_of(info, &unit->cu, dwarf_linesrc(line, NULL, NULL));
	ret->line = (uint32_t)number;
	ret->column = dwarf_linecol(line, &column) || column < 0 ? 0 : (uint32_t)column;
	return ret->file != NULL;
}

/* The end of the row that was found for the address. */
static uint64_t row_end(const struct last_row *row, uint64_t vaddr)
{
	uint64_t end = row->at + 1 < row->nr ? row_address(row, row->at + 1) : 0;

	return end > vaddr ? end : vaddr + 1;
}

bool pfx_debug_info_source(struct pfx_debug_info *info, uint64_t vaddr, struct pfx_source *ret,
			   uint64_t *ret_end)
{
	struct pfx_debug_unit *unit = find_unit(info, vaddr);
	Dwarf_Line *line = unit ? find_row(info, unit, vaddr) : NULL;
	struct last_row *row = &info->last_row;

	*ret_end = vaddr + 1;
	if (!line)
		return false;
	*ret_end = row_end(row, vaddr);
	if (!row->has_source)
		row->has_source = read_source(info, unit, line, &row->source);
	*ret = row->source;
	return row->has_source;
}

bool pfx_debug_info_call(struct pfx_debug_info *info, const struct pfx_inlined *inlined,
			 struct pfx_source *ret)
{
	const struct call *call = inlined->call;
	Dwarf_Die die = {.addr = call->entry, .cu = call->cu}, cu;
	Dwarf_Files *files;
	uint32_t file;
	size_t nr;

	if (!inlined->line || !dwarf_diecu(&die, &cu, NULL, NULL))
		return false;
	if (call->unit->split) /* file numbers refer to the line table, which belongs to the
				  skeleton */
		cu = call->unit->cu;
	if (dwarf_getsrcfiles(&cu, &files, &nr))
		return false;
	file = number_of(&die, DW_AT_call_file);
	if (file >= nr)
		return false;
	ret->file = path_of(info, &cu, dwarf_filesrc(files, file, NULL, NULL));
	ret->line = inlined->line;
	ret->column = inlined->column;
	return ret->file != NULL;
}

/* --- for profiles of compilers --- */

#define AT_DISCRIMINATOR 0x2136 /* of an inlined call; an extension that dwarf.h lacks */

/* Also of the abstract function that an inlined copy refers to; of a lambda, the line of its class.
 */
static uint32_t declared_at(struct pfx_debug_info *info, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;
	Dwarf_Word word;
	uint64_t *line;
	bool is_new;

	if (dwarf_attr_integrate(die, DW_AT_decl_line, &attr))
		return dwarf_formudata(&attr, &word) || word > UINT32_MAX ? 0 : (uint32_t)word;
	origin = *die;
	if (dwarf_attr(die, DW_AT_abstract_origin, &attr) && !dwarf_formref_die(&attr, &origin))
		return 0;
	line = pfx_hash_add(&info->class_lines, (uintptr_t)origin.addr, &is_new);
	if (is_new)
		*line = pfx_die_class_line(&origin);
	return (uint32_t)*line;
}

static struct pfx_line_frame make_frame(struct pfx_debug_info *info, Dwarf_Die *die)
{
	const char *name = read_name(die);

	return (struct pfx_line_frame){
		.function = name ? pfx_name_cut(info->arena, name, name) : NULL,
		.declared = declared_at(info, die),
	};
}

uint32_t pfx_debug_info_frames(struct pfx_debug_info *info, uint64_t vaddr,
			       struct pfx_line_frame *ret)
{
	struct pfx_inlined inlined[PFX_INLINED_MAX];
	uint64_t end;
	uint32_t nr = pfx_debug_info_inlined(info, vaddr, inlined, &end), line, i;
	struct pfx_debug_unit *unit = find_unit(info, vaddr);
	struct function *function = unit ? find_function(unit, vaddr) : NULL;
	Dwarf_Line *row = function ? dwarf_getsrc_die(&unit->cu, vaddr) : NULL;
	unsigned discriminator = 0;
	int number;

	if (!row || dwarf_lineno(row, &number) || number <= 0 || nr + 1 > PFX_LINE_FRAMES_MAX)
		return 0;
	dwarf_linediscriminator(row, &discriminator);
	line = (uint32_t)number;
	for (i = 0; i <= nr; i++) {
		const struct call *call = i < nr ? inlined[i].call : NULL;
		Dwarf_Die die = function->die;

		if (call)
			die = (Dwarf_Die){.addr = call->entry, .cu = call->cu};
		ret[i] = make_frame(info, &die);
		ret[i].line = line;
		ret[i].discriminator = discriminator;
		if (!ret[i].function || !ret[i].declared || !line)
			return 0;
		line = i < nr ? inlined[i].line : 0;
		discriminator = number_of(&die, AT_DISCRIMINATOR);
	}
	return nr + 1;
}

uint64_t pfx_debug_info_unit_number(struct pfx_debug_info *info, uint64_t vaddr)
{
	struct pfx_debug_unit *unit = find_unit(info, vaddr);

	return unit ? dwarf_dieoffset(&unit->cu) + 1 : 0;
}

uint32_t pfx_debug_info_rows(struct pfx_debug_info *info, uint64_t low, uint64_t high,
			     uint64_t *ret, uint32_t max)
{
	struct pfx_debug_unit *unit = find_unit(info, low);
	Dwarf_Addr at, other;
	Dwarf_Lines *rows;
	uint32_t nr = 0;
	size_t all, i;

	if (!unit || dwarf_getsrclines(&unit->cu, &rows, &all))
		return 0;
	i = pfx_bisect(k, all, !dwarf_lineaddr(dwarf_onesrcline(rows, k), &other) && other < low);
	for (; i < all && nr < max; i++) {
		if (dwarf_lineaddr(dwarf_onesrcline(rows, i), &at) || at > high)
			break;
		if (!nr || ret[nr - 1] != at)
			ret[nr++] = at;
	}
	return nr;
}
