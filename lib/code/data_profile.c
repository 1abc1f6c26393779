/* SPDX-License-Identifier: MIT */
/*
 * Types are distinguished by DSO, name and size: debug information repeats a type in each unit. The
 * members are those of its first sample.
 */
#include "code/data_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compare.h"
#include "base/hash.h"

struct pfx_data_index {
	struct pfx_intern type_keys, names, mnemonics;
	PFX_VEC(struct pfx_data_type) types; /* by id of the key */
	PFX_VEC(struct pfx_data_insn) insns; /* by id of the mnemonic */
	struct pfx_cost_table by_type, by_member;
	uint32_t nr_members; /* of all types */
};

/* Which type it is. */
struct type_key {
	uint64_t dso, size, name;
};

struct pfx_data_profile *pfx_data_profile_new(uint32_t nr_events)
{
	struct pfx_data_profile *profile = pfx_calloc(1, sizeof(*profile));

	profile->nr_events = nr_events;
	profile->totals = pfx_arena_array(&profile->arena, struct pfx_cost, nr_events);
	profile->index = pfx_calloc(1, sizeof(*profile->index));
	return profile;
}

void pfx_data_profile_free(struct pfx_data_profile *profile)
{
	if (!profile)
		return;
	pfx_intern_fini(&profile->index->type_keys);
	pfx_intern_fini(&profile->index->names);
	pfx_intern_fini(&profile->index->mnemonics);
	pfx_vec_free(&profile->index->types);
	pfx_vec_free(&profile->index->insns);
	pfx_cost_table_fini(&profile->index->by_type);
	pfx_cost_table_fini(&profile->index->by_member);
	free(profile->index);
	pfx_arena_clear(&profile->arena);
	free(profile);
}

/* --- samples --- */

static uint32_t type_id(struct pfx_data_profile *profile, const struct pfx_dso *dso,
			const struct pfx_data *data)
{
	struct pfx_data_index *index = profile->index;
	const struct type_key key = {(uintptr_t)dso, data->size,
				     pfx_intern_str(&index->names, data->type)};

	return pfx_intern_add(&index->type_keys, &key, sizeof(key));
}

bool pfx_data_profile_is_new(struct pfx_data_profile *profile, const struct pfx_dso *dso,
			     const struct pfx_data *data)
{
	uint32_t id = type_id(profile, dso, data);

	return id >= profile->index->types.nr || !profile->index->types.at[id].name;
}

static const struct pfx_data_type *type_at(struct pfx_data_index *index, uint32_t id,
					   const struct pfx_data_access *access)
{
	struct pfx_data_type *type = pfx_vec_slot(&index->types, id);

	if (type->name)
		return type;
	*type = (struct pfx_data_type){
		.name = access->data->type,
		.dso = access->dso,
		.size = access->data->size,
		.members = access->members,
		.nr_members = access->nr_members,
		.first_member = index->nr_members,
	};
	index->nr_members += access->nr_members;
	return type;
}

/* Whether the offset is in a member; the end of a flexible array is unknown. */
static bool is_in(const struct pfx_data_type *type, uint32_t i, uint64_t offset)
{
	const struct pfx_data_member *member = &type->members[i];
	bool is_open = i + 1 == type->nr_members && !member->size;

	return offset >= member->offset && (is_open || offset - member->offset < member->size);
}

static void add_type(struct pfx_data_profile *profile, const struct pfx_data_access *access)
{
	struct pfx_data_index *index = profile->index;
	uint32_t i, id = type_id(profile, access->dso, access->data);
	const struct pfx_data_type *type = type_at(index, id, access);

	pfx_cost_table_add(&index->by_type, id, access->event, &access->cost);
	for (i = 0; i < type->nr_members; i++)
		if (is_in(type, i, access->data->offset))
			pfx_cost_table_add(&index->by_member, type->first_member + i, access->event,
					   &access->cost);
}

static void add_insn(struct pfx_data_profile *profile, const struct pfx_data_access *access)
{
	uint32_t id = pfx_intern_str(&profile->index->mnemonics, access->mnemonic);
	struct pfx_data_insn *insn = pfx_vec_slot(&profile->index->insns, id);

	if (access->data->kind == PFX_DATA_UNKNOWN)
		insn->nr_unknown += access->cost.nr_samples;
	else
		insn->nr_known += access->cost.nr_samples;
}

void pfx_data_profile_add(struct pfx_data_profile *profile, const struct pfx_data_access *access)
{
	pfx_cost_add(&profile->totals[access->event], &access->cost);
	profile->nr_samples += access->cost.nr_samples;
	if (access->data->kind == PFX_DATA_UNKNOWN)
		profile->nr_lacking[access->lack] += access->cost.nr_samples;
	else
		profile->nr_known += access->cost.nr_samples;
	if (access->data->kind == PFX_DATA_TYPE)
		add_type(profile, access);
	if (access->mnemonic)
		add_insn(profile, access);
}

/* --- order --- */

/* By the period of the first event in which they differ, then by name. */
static int compare_types(const void *a, const void *b)
{
	const struct pfx_data_type *x = a, *y = b;
	int rc = pfx_cost_compare(&x->costs, &y->costs);

	if (!rc)
		rc = strcmp(x->name, y->name);
	if (!rc)
		rc = pfx_compare_u64(x->size, y->size);
	return rc ? rc : pfx_compare_u64(x->dso->id, y->dso->id);
}

static int compare_insns(const void *a, const void *b)
{
	const struct pfx_data_insn *x = a, *y = b;
	int rc = pfx_compare_u64(y->nr_known + y->nr_unknown, x->nr_known + x->nr_unknown);

	return rc ? rc : strcmp(x->mnemonic, y->mnemonic);
}

/* The costs of the types and of their members, which are in the order of their ids. */
static void set_costs(struct pfx_data_profile *profile)
{
	struct pfx_data_index *index = profile->index;
	struct pfx_data_type *type;
	uint32_t id, i;

	pfx_cost_table_sort(&index->by_type);
	pfx_cost_table_sort(&index->by_member);
	for (id = 0; id < index->types.nr; id++) {
		type = &index->types.at[id];
		type->costs = pfx_cost_table_list(&index->by_type, id);
		type->member_costs =
			pfx_arena_array(&profile->arena, struct pfx_cost_list, type->nr_members);
		for (i = 0; i < type->nr_members; i++)
			type->member_costs[i] =
				pfx_cost_table_list(&index->by_member, type->first_member + i);
	}
}

void pfx_data_profile_sort(struct pfx_data_profile *profile)
{
	struct pfx_data_index *index = profile->index;
	uint32_t i;

	set_costs(profile);
	for (i = 0; i < index->insns.nr; i++)
		index->insns.at[i].mnemonic = pfx_intern_get(&index->mnemonics, i);
	profile->types = index->types.at;
	profile->nr_types = (uint32_t)index->types.nr;
	profile->insns = index->insns.at;
	profile->nr_insns = (uint32_t)index->insns.nr;
	if (profile->nr_types)
		qsort(profile->types, profile->nr_types, sizeof(*profile->types), compare_types);
	if (profile->nr_insns)
		qsort(profile->insns, profile->nr_insns, sizeof(*profile->insns), compare_insns);
}

const char *pfx_data_type_bare(const char *name)
{
	static const char *const tags[] = {"struct ", "union ", "class ", "enum "};
	size_t i;

	for (i = 0; i < sizeof(tags) / sizeof(*tags); i++)
		if (!strncmp(name, tags[i], strlen(tags[i])))
			return name + strlen(tags[i]);
	return name;
}

bool pfx_data_type_is(const struct pfx_data_type *type, const char *name)
{
	return !strcmp(type->name, name) || !strcmp(pfx_data_type_bare(type->name), name);
}
