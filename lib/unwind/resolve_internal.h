/* SPDX-License-Identifier: MIT */
/* The resolver from the inside: places and symbols (resolve.c), chains (chain.c), frames from
 * copied stacks (stack_walk.c). */
#ifndef PFX_UNWIND_RESOLVE_INTERNAL_H
#define PFX_UNWIND_RESOLVE_INTERNAL_H

#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "unwind/resolve.h"
#include "unwind/rows_internal.h"

/* An open table of numbers below 2^32 - 1 that are found by a hash; who asks compares. */
struct pfx_id_table {
	struct pfx_id_slot {
		uint32_t hash;
		uint32_t id_plus_1; /* 0: free */
	} * slots;
	uint32_t nr, cap; /* cap is 0 or a power of two */
};

/* Add @id, which must not be in the table, under @hash. */
void pfx_id_table_add(struct pfx_id_table *table, uint64_t hash, uint32_t id);
void pfx_id_table_fini(struct pfx_id_table *table);

/* All ids with this hash, one after another: *@at starts at the hash; false when there are no more.
 */
static inline bool pfx_id_table_next(const struct pfx_id_table *table, uint64_t hash, uint64_t *at,
				     uint32_t *ret)
{
	const struct pfx_id_slot *slot;

	if (!table->cap)
		return false;
	for (;; ++*at) {
		slot = &table->slots[*at & (table->cap - 1)];
		if (!slot->id_plus_1)
			return false;
		if (slot->hash == (uint32_t)hash)
			break;
	}
	++*at;
	*ret = slot->id_plus_1 - 1;
	return true;
}

/* Symbols of one dso. */
struct pfx_dso_symbols {
	struct pfx_symtab *tab; /* NULL: not asked for yet */
	const char *error;
};

/* What an ip meant, the last time. */
struct pfx_ip_memo {
	uint64_t stamp, ip;
	enum pfx_cpumode cpumode;
	struct pfx_place *place; /* NULL: empty */
};

#define PFX_IP_MEMOS 4096 /* a power of two */

/* A raw chain that was resolved before. */
struct pfx_raw_chain {
	uint64_t stamp, hash;
	const uint8_t *words;
	uint32_t nr;
	enum pfx_cpumode cpumode;
	const struct pfx_chain *chain;
};

/* The rows of one dso. */
struct pfx_dso_rows {
	struct pfx_rows *rows; /* NULL: its file is not at hand */
	bool looked_for;
};

/* The row of an address, the last time. */
struct pfx_row_memo {
	uint64_t stamp, addr;
	const struct pfx_dso *dso; /* NULL: in no map */
	const struct pfx_row *row; /* NULL: empty */
};

#define PFX_ROW_MEMOS 8192 /* a power of two */

/* What walks through copied stacks. */
struct pfx_unwinder {
	PFX_VEC(struct pfx_dso_rows) rows; /* by dso id */
	struct pfx_row_memo *memos;
	PFX_VEC(uint64_t) words; /* of the chain at hand, as the kernel would have recorded it */
	const char *machine;
	struct pfx_unwind_stats stats;
};

struct pfx_resolver {
	struct pfx_session *session;
	struct pfx_resolve_options options;
	struct pfx_arena arena;

	PFX_VEC(struct pfx_place *) places; /* by id */
	struct pfx_id_table places_by_key;
	struct pfx_ip_memo *memos;

	PFX_VEC(struct pfx_dso_symbols) symbols; /* by dso id */
	struct pfx_hash ids_by_symbol;           /* symbol's address -> sym_id, frame_id */
	struct pfx_hash code_symbols;            /* map id -> symbol of a dso that is one symbol */
	struct pfx_intern sym_keys, frame_keys;

	struct pfx_unwinder unwinder;
	PFX_VEC(struct pfx_place *) frames; /* of the chain at hand */
	PFX_VEC(struct pfx_chain *) chains; /* by id */
	struct pfx_id_table chains_by_places;
	PFX_VEC(struct pfx_raw_chain) raw_chains;
	struct pfx_id_table raw_by_hash;
	struct pfx_arena raw_arena;
};

/* chain.c */
void pfx_chains_init(struct pfx_resolver *resolver);
void pfx_chains_fini(struct pfx_resolver *resolver);

/* stack_walk.c */
void pfx_unwinder_init(struct pfx_unwinder *unwinder, const struct pfx_env *env);
void pfx_unwinder_fini(struct pfx_unwinder *unwinder);
/* Whether the user's frames of @sample are in its registers and its copy of the stack. */
bool pfx_stack_walk_wanted(const struct pfx_sample *sample);
/* Append the addresses of the user's frames to unwinder.words, leaf first, max_stack at most. Those
 * of callers are one less than where they go on, which is in the call. */
void pfx_stack_walk(struct pfx_resolver *resolver, struct pfx_thread *thread,
		    const struct pfx_sample *sample);

/* resolve.c: what is known about a dso, for who opens its file. */
struct pfx_sym_request pfx_resolver_request(const struct pfx_resolver *resolver,
					    const struct pfx_dso *dso);

#endif
