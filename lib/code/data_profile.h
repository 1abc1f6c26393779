/* SPDX-License-Identifier: MIT */
/*
 * The data that samples access: types with the cost of their members, and how many samples have a
 * known type. Owns its lists; names and members are borrowed, names are untrusted text.
 */
#ifndef PFX_CODE_DATA_PROFILE_H
#define PFX_CODE_DATA_PROFILE_H

#include "base/arena.h"
#include "code/cost.h"

/* A struct, union or plain type of a DSO. */
struct pfx_data_type {
	const char *name;
	const struct pfx_dso *dso;
	uint64_t size;
	struct pfx_cost_list costs;
	const struct pfx_data_member *members;
	uint32_t nr_members;
	uint32_t first_member;              /* of all types' members */
	struct pfx_cost_list *member_costs; /* by member: accesses to any part of it */
};

/* The samples of an instruction's mnemonic. */
struct pfx_data_insn {
	const char *mnemonic;
	uint64_t nr_known, nr_unknown;
};

struct pfx_data_profile {
	struct pfx_arena arena;
	uint32_t nr_events;
	struct pfx_cost *totals;     /* by event: of all samples, with known data or not */
	struct pfx_data_type *types; /* sorted by descending cost of the first event that differs */
	uint32_t nr_types;
	uint64_t nr_samples, nr_known; /* known: types, and operations of the stack */
	uint64_t nr_lacking[PFX_NR_DATA_LACKS];
	struct pfx_data_insn *insns; /* most samples first */
	uint32_t nr_insns;
	struct pfx_data_index *index; /* of types and mnemonics, while samples are added */
};

/* Samples of one instruction. */
struct pfx_data_access {
	const struct pfx_dso *dso;
	const struct pfx_data *data;
	enum pfx_data_lack lack; /* if the data is unknown */
	const char *mnemonic;    /* copied; NULL: not wanted */
	uint32_t event;
	struct pfx_cost cost;
	const struct pfx_data_member *members; /* of the type, if it is new; not copied */
	uint32_t nr_members;
};

/* Without samples. */
struct pfx_data_profile *pfx_data_profile_new(uint32_t nr_events);
void pfx_data_profile_free(struct pfx_data_profile *profile);
/* Whether no sample of this type was added. */
bool pfx_data_profile_is_new(struct pfx_data_profile *profile, const struct pfx_dso *dso,
			     const struct pfx_data *data);
/* Add samples of one instruction and event. */
void pfx_data_profile_add(struct pfx_data_profile *profile, const struct pfx_data_access *access);
/* Set the sorted lists; no samples may be added afterwards. */
void pfx_data_profile_sort(struct pfx_data_profile *profile);
/* The name without its "struct ", "union ", "class " or "enum ". */
const char *pfx_data_type_bare(const char *name);
/* Whether @name names the type, with or without that word. */
bool pfx_data_type_is(const struct pfx_data_type *type, const char *name);

#endif
