/* SPDX-License-Identifier: MIT */
/*
 * Finds the part of a type at an offset. Types come from untrusted files and may contain
 * themselves: the number of steps is bounded.
 */
#include <string.h>

#include "sym/types/types_internal.h"

#define STEPS_MAX 32  /* nesting depth; compilers stay far below */
#define BUDGET    200 /* members to try when several overlap */

/* The parts at one offset. */
struct found {
	const struct pfx_type_member *best;
	bool is_ambiguous;
};

static bool covers(const struct pfx_type *type, const struct pfx_type_member *member,
		   uint64_t offset)
{
	bool is_last = member == &type->members[type->nr_members - 1];

	return offset >= member->offset && (offset - member->offset < member->size ||
					    (is_last && type->is_open && !member->size));
}

/* Whether a part of exactly that size is at the offset. Tries at most `budget` members: nested
 * unions grow exponentially. */
static bool has_exact(struct pfx_type_table *table, uint32_t id, uint64_t offset, uint64_t size,
		      unsigned *budget)
{
	const struct pfx_type *type = pfx_type_get(table, id);
	const struct pfx_type_member *member;
	uint32_t i;

	if (type->shape == PFX_SHAPE_ARRAY && pfx_type_get(table, type->target)->size)
		return *budget && --*budget &&
		       has_exact(table, type->target,
				 offset % pfx_type_get(table, type->target)->size, size, budget);
	if (type->shape != PFX_SHAPE_PARTS)
		return !offset && type->size == size;
	for (i = 0; i < type->nr_members && *budget; i++) {
		member = &type->members[i];
		--*budget;
		if (covers(type, member, offset) &&
		    has_exact(table, member->type, offset - member->offset, size, budget))
			return true;
	}
	return false;
}

/* Of overlapping members, as in unions: the one with a part of the wanted size, else the first. */
static struct found find_member(struct pfx_type_table *table, const struct pfx_type *type,
				uint64_t offset, uint64_t size)
{
	const struct pfx_type_member *member, *exact = NULL;
	struct found found = {0};
	unsigned budget = BUDGET;
	uint32_t i;

	for (i = 0; i < type->nr_members; i++) {
		member = &type->members[i];
		if (!covers(type, member, offset))
			continue;
		if (found.best && found.best->type != member->type)
			found.is_ambiguous = true;
		if (!found.best)
			found.best = member;
		if (!exact && size &&
		    has_exact(table, member->type, offset - member->offset, size, &budget))
			exact = member;
	}
	if (found.is_ambiguous && exact)
		found.best = exact;
	return found;
}

const struct pfx_type *pfx_type_element(struct pfx_type_table *table, uint32_t type)
{
	const struct pfx_type *at = pfx_type_get(table, type);
	unsigned i;

	for (i = 0; i < STEPS_MAX && at->shape == PFX_SHAPE_ARRAY; i++)
		at = pfx_type_get(table, at->target);
	return at->shape == PFX_SHAPE_ARRAY ? pfx_type_get(table, 0) : at;
}

/* The array's element. False when the type is not an array. */
static bool enter_array(struct pfx_type_table *table, const struct pfx_type *type,
			struct pfx_type_part *part, struct pfx_str *path)
{
	const struct pfx_type *element = pfx_type_get(table, type->target);

	if (!element->size)
		return false;
	part->element = element->size;
	part->is_late =
		part->offset >= element->size && part->offset >= type->size / 2 && type->size;
	part->offset %= element->size;
	part->type = type->target;
	if (path && pfx_type_element(table, type->target)->shape == PFX_SHAPE_PARTS)
		pfx_str_add(path, "[]");
	return true;
}

static bool enter_member(struct pfx_type_table *table, const struct pfx_type *type, uint64_t size,
			 struct pfx_type_part *part, struct pfx_str *path)
{
	struct found found = find_member(table, type, part->offset, size);

	if (!found.best)
		return false;
	part->is_ambiguous |= found.is_ambiguous;
	part->offset -= found.best->offset;
	part->type = found.best->type;
	part->is_bits = found.best->is_bits;
	if (path && found.best->name) {
		if (path->len)
			pfx_str_addc(path, '.');
		pfx_str_add(path, found.best->name);
	}
	return true;
}

struct pfx_type_part pfx_type_walk(struct pfx_type_table *table, uint32_t type, uint64_t offset,
				   uint64_t size, struct pfx_str *path)
{
	struct pfx_type_part part = {.type = type, .offset = offset};
	const struct pfx_type *at;
	bool more = true;
	unsigned i;

	for (i = 0; i < STEPS_MAX && more && !part.is_bits; i++) {
		at = pfx_type_get(table, part.type);
		if (at->shape == PFX_SHAPE_PARTS)
			more = enter_member(table, at, size, &part, path);
		else if (at->shape == PFX_SHAPE_ARRAY)
			more = enter_array(table, at, &part, path);
		else
			more = false;
	}
	return part;
}
