/* SPDX-License-Identifier: MIT */
/*
 * The members of a type as a flat list: each struct or union is followed by its own members. Types
 * come from untrusted files and may contain themselves: depth and length are bounded.
 */
#include "sym/types/types_internal.h"

#define DEPTH_MAX   16
#define MEMBERS_MAX 4096

struct layout {
	struct pfx_type_table *table;
	PFX_VEC(struct pfx_data_member) members;
};

static void add_members(struct layout *layout, const struct pfx_type *type, uint64_t offset,
			uint32_t depth)
{
	const struct pfx_type_member *member;
	const struct pfx_type *of;
	uint32_t i;

	for (i = 0; i < type->nr_members && layout->members.nr < MEMBERS_MAX; i++) {
		member = &type->members[i];
		of = pfx_type_get(layout->table, member->type);
		pfx_vec_push(&layout->members,
			     ((struct pfx_data_member){.name = member->name ? member->name : "",
						       .type = of->name,
						       .offset = offset + member->offset,
						       .size = member->size,
						       .depth = depth}));
		if (of->shape == PFX_SHAPE_PARTS && depth + 1 < DEPTH_MAX)
			add_members(layout, of, offset + member->offset, depth + 1);
	}
}

uint32_t pfx_type_layout(struct pfx_type_table *table, struct pfx_arena *arena, uint32_t id,
			 const struct pfx_data_member **ret)
{
	const struct pfx_type *type = pfx_type_get(table, id);
	struct layout layout = {.table = table};
	uint32_t nr;

	if (type->shape == PFX_SHAPE_PARTS)
		add_members(&layout, type, 0, 0);
	nr = (uint32_t)layout.members.nr;
	*ret = nr ? pfx_arena_memdup(arena, layout.members.at, nr * sizeof(*layout.members.at))
		  : NULL;
	pfx_vec_free(&layout.members);
	return nr;
}
