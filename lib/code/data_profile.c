/* SPDX-License-Identifier: MIT */
/*
 * Types are distinguished by DSO, name and size: debug information repeats a type in each unit. The
 * members are those of its first sample.
 */
#include "code/data_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

struct pfx_data_index {
	struct pfx_intern type_keys, names, mnemonics;
	PFX_VEC(struct pfx_data_type) types; /* by id of the key */
	PFX_VEC(struct pfx_data_insn) insns; /* by id of the mnemonic */
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

	return id >= profile->index->types.nr || !profile->index->types.at[id].costs;
}

static struct pfx_data_type *type_of(struct pfx_data_profile *profile,
				     const struct pfx_data_access *access)
{
	uint32_t id = type_id(profile, access->dso, access->data), nr = profile->nr_events;
	struct pfx_data_type *type = pfx_vec_slot(&profile->index->types, id);

	if (type->costs)
		return type;
	*type = (struct pfx_data_type){
		.name = access->data->type,
		.dso = access->dso,
		.size = access->data->size,
		.members = access->members,
		.nr_members = access->nr_members,
		.costs = pfx_arena_array(&profile->arena, struct pfx_cost, nr),
		.member_costs = pfx_arena_array(&profile->arena, struct pfx_cost,
						(size_t)access->nr_members * nr),
	};
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
	struct pfx_data_type *type = type_of(profile, access);
	uint32_t i;

	pfx_cost_add(&type->costs[access->event], &access->cost);
	for (i = 0; i < type->nr_members; i++)
		if (is_in(type, i, access->data->offset))
			pfx_cost_add(
				&type->member_costs[(size_t)i * profile->nr_events + access->event],
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
static int compare_types(const void *a, const void *b, void *context)
{
	const struct pfx_data_type *x = a, *y = b;
	uint32_t nr_events = *(const uint32_t *)context, i;
	int rc;

	for (i = 0; i < nr_events; i++)
		if (x->costs[i].period != y->costs[i].period)
			return x->costs[i].period < y->costs[i].period ? 1 : -1;
	rc = strcmp(x->name, y->name);
	if (rc)
		return rc;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return x->dso->id < y->dso->id ? -1 : x->dso->id > y->dso->id;
}

static int compare_insns(const void *a, const void *b)
{
	const struct pfx_data_insn *x = a, *y = b;
	uint64_t mine = x->nr_known + x->nr_unknown, other = y->nr_known + y->nr_unknown;

	if (mine != other)
		return mine < other ? 1 : -1;
	return strcmp(x->mnemonic, y->mnemonic);
}

void pfx_data_profile_sort(struct pfx_data_profile *profile)
{
	struct pfx_data_index *index = profile->index;
	uint32_t i;

	for (i = 0; i < index->insns.nr; i++)
		index->insns.at[i].mnemonic = pfx_intern_get(&index->mnemonics, i);
	profile->types = index->types.at;
	profile->nr_types = (uint32_t)index->types.nr;
	profile->insns = index->insns.at;
	profile->nr_insns = (uint32_t)index->insns.nr;
	if (profile->nr_types)
		qsort_r(profile->types, profile->nr_types, sizeof(*profile->types), compare_types,
			&profile->nr_events);
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
