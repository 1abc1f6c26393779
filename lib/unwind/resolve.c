/* SPDX-License-Identifier: MIT */
/*
 * Converts addresses to places, and places to symbols. Each distinct address is located in the
 * session and named once; repetitions are found in a small memo or by one hash look-up. Chains are
 * in chain.c, the symbols of DSOs in dso_symbols.c.
 */
#include "unwind/resolve.h"

#include <string.h>

#include "base/str.h"
#include "sym/find/request.h"
#include "unwind/resolve_internal.h"

#define NO_DSO UINT32_MAX

/* --- places --- */

static uint64_t shown_address(const struct pfx_location *at, uint64_t ip)
{
	if (at->map && at->map->dso && at->map->dso->kind == PFX_DSO_MODULE)
		return ip - at->map->start + at->map->pgoff;
	return at->addr;
}

static struct pfx_place *add_place(struct pfx_resolver *resolver, const struct pfx_location *at,
				   uint64_t ip, uint64_t hash)
{
	struct pfx_place *place = pfx_arena_new(&resolver->arena, struct pfx_place);

	place->id = (uint32_t)resolver->places.nr;
	place->ip = ip;
	place->addr = at->addr;
	place->shown = shown_address(at, ip);
	place->map = at->map;
	place->dso = at->map ? at->map->dso : NULL;
	place->cpumode = at->cpumode;
	pfx_vec_push(&resolver->places, place);
	pfx_id_table_add(&resolver->places_by_key, hash, place->id);
	if (place->dso)
		pfx_open_ahead_hit(resolver, place->dso);
	return place;
}

struct pfx_place *pfx_resolver_copy_place(struct pfx_resolver *resolver,
					  const struct pfx_place *place)
{
	struct pfx_place *copy = pfx_arena_new(&resolver->arena, struct pfx_place);

	*copy = *place;
	copy->id = (uint32_t)resolver->places.nr;
	pfx_vec_push(&resolver->places, copy);
	return copy;
}

static struct pfx_place *intern_place(struct pfx_resolver *resolver, const struct pfx_location *at,
				      uint64_t ip)
{
	const struct pfx_dso *dso = at->map ? at->map->dso : NULL;
	uint64_t level = (uint64_t)at->cpumode << 32 | (dso ? dso->id : NO_DSO);
	uint64_t hash = pfx_hash_u64(pfx_hash_u64(ip ^ level << 20) ^ at->addr), probe = hash;
	struct pfx_place *place;
	uint32_t id;

	while (pfx_id_table_next(&resolver->places_by_key, hash, &probe, &id)) {
		place = resolver->places.at[id];
		if (place->ip == ip && place->addr == at->addr && place->dso == dso &&
		    place->cpumode == at->cpumode)
			return place;
	}
	return add_place(resolver, at, ip, hash);
}

/* --- look-up --- */

/* The kernel's map ends with its text, but some code lies after it: boot code (which stays in the
 * chains of idle threads) and trampolines. Such addresses are assigned to the kernel if it has a
 * symbol for them. */
static void locate_beyond_map(struct pfx_resolver *resolver, struct pfx_location *at)
{
	const struct pfx_map *map = pfx_session_kernel_map(resolver->session);

	if (!map || !pfx_symtab_find(pfx_resolver_symtab(resolver, map->dso), at->addr))
		return;
	at->map = map;
	map->dso->hit = true;
}

struct pfx_ip_memo *pfx_resolver_look_up(struct pfx_resolver *resolver, struct pfx_thread *thread,
					 uint64_t stamp, enum pfx_cpumode cpumode, uint64_t ip)
{
	struct pfx_ip_memo *memo = &resolver->memos[pfx_ip_memo_slot(stamp, ip)];
	struct pfx_place *place;
	struct pfx_location at;

	pfx_session_locate(resolver->session, thread, cpumode, ip, &at);
	if (!at.map && at.cpumode == PFX_MODE_KERNEL)
		locate_beyond_map(resolver, &at);
	place = intern_place(resolver, &at, ip);
	*memo = (struct pfx_ip_memo){stamp, ip, place, place->id, cpumode, place->cpumode};
	return memo;
}

static const struct pfx_ip_memo *resolve(struct pfx_resolver *resolver, struct pfx_thread *thread,
					 enum pfx_cpumode cpumode, uint64_t ip)
{
	uint64_t stamp = pfx_session_maps_stamp(resolver->session, thread);

	return pfx_resolver_memo(resolver, thread, stamp, cpumode, ip);
}

struct pfx_place *pfx_resolve(struct pfx_resolver *resolver, struct pfx_thread *thread,
			      enum pfx_cpumode cpumode, uint64_t ip)
{
	return resolve(resolver, thread, cpumode, ip)->place;
}

uint32_t pfx_resolve_id(struct pfx_resolver *resolver, struct pfx_thread *thread,
			enum pfx_cpumode cpumode, uint64_t ip)
{
	return resolve(resolver, thread, cpumode, ip)->id;
}

/* Code from a KSYMBOL record is one symbol. */
static const struct pfx_symbol *code_symbol(struct pfx_resolver *resolver,
					    const struct pfx_map *map)
{
	uint64_t *at = pfx_hash_add(&resolver->code_symbols, map->id, NULL);
	struct pfx_symbol *sym;

	if (!*at) {
		sym = pfx_arena_new(&resolver->arena, struct pfx_symbol);
		sym->start = map->start;
		sym->end = map->end;
		sym->name = map->dso->name;
		sym->binding = 'g';
		sym->is_func = true;
		*at = (uintptr_t)sym;
	}
	return (const struct pfx_symbol *)(uintptr_t)*at;
}

static uint32_t sym_id_of(struct pfx_resolver *resolver, const struct pfx_place *place)
{
	const struct pfx_symbol *sym = place->sym;
	struct {
		uint32_t name_id, resolved;
		uint64_t start, end, name;
	} key = {.name_id = place->dso ? place->dso->name_id : NO_DSO, .start = place->shown};

	if (sym) {
		key.resolved = 1;
		key.start = sym->start;
		key.end = sym->end;
		key.name = pfx_hash_bytes(sym->name, strlen(sym->name));
	}
	return pfx_intern_add(&resolver->sym_keys, &key, sizeof(key));
}

#define INLINED 2

/* In call trees inlined functions are identified only by name: the same function may be inlined in
 * several others. */
static uint32_t frame_id_of(struct pfx_resolver *resolver, const struct pfx_place *place)
{
	struct {
		uint32_t dso, resolved;
		uint64_t address;
	} key = {
		.dso = place->dso ? place->dso->id : NO_DSO,
		.resolved = place->sym != NULL,
		.address = place->sym ? place->sym->start : place->ip,
	};

	if (place->sym && place->sym->is_inlined) {
		key.dso = NO_DSO;
		key.resolved = INLINED;
		key.address = pfx_hash_bytes(place->sym->name, strlen(place->sym->name));
	}
	return pfx_intern_add(&resolver->frame_keys, &key, sizeof(key));
}

static void give_ids(struct pfx_resolver *resolver, struct pfx_place *place)
{
	uint64_t *at, ids;
	bool is_new = true;

	if (!place->sym) {
		place->sym_id = sym_id_of(resolver, place);
		place->frame_id = frame_id_of(resolver, place);
		return;
	}
	at = pfx_hash_add(&resolver->ids_by_symbol, (uintptr_t)place->sym, &is_new);
	if (is_new)
		*at = (uint64_t)sym_id_of(resolver, place) << 32 | frame_id_of(resolver, place);
	ids = *at;
	place->sym_id = (uint32_t)(ids >> 32);
	place->frame_id = (uint32_t)ids;
}

void pfx_resolver_name_place(struct pfx_resolver *resolver, struct pfx_place *place)
{
	give_ids(resolver, place);
	place->looked_up = true;
}

const struct pfx_symbol *pfx_place_symbol(struct pfx_resolver *resolver, struct pfx_place *place)
{
	if (place->looked_up)
		return place->sym;
	if (place->dso && place->dso->kind == PFX_DSO_BPF)
		place->sym = code_symbol(resolver, place->map);
	else if (place->dso)
		place->sym =
			pfx_symtab_find(pfx_resolver_symtab(resolver, place->dso), place->addr);
	if (!place->sym && place->dso)
		place->sym = pfx_bounds_symbol(resolver, place->dso, place->addr);
	pfx_resolver_name_place(resolver, place);
	return place->sym;
}

/* --- accessors --- */

uint32_t pfx_resolver_nr_places(const struct pfx_resolver *resolver)
{
	return (uint32_t)resolver->places.nr;
}

bool pfx_resolver_has_unnamed(const struct pfx_resolver *resolver, const struct pfx_dso *dso)
{
	const struct pfx_place *place;
	size_t i;

	for (i = 0; i < resolver->places.nr; i++) {
		place = resolver->places.at[i];
		if (place->dso == dso && place->looked_up && !pfx_place_has_name(place))
			return true;
	}
	return false;
}

struct pfx_place *pfx_resolver_place_at(const struct pfx_resolver *resolver, uint32_t id)
{
	return resolver->places.at[id];
}

char pfx_place_level(const struct pfx_place *place)
{
	switch (place->cpumode) {
	case PFX_MODE_KERNEL:
		return 'k';
	case PFX_MODE_USER:
		return '.';
	case PFX_MODE_GUEST_KERNEL:
		return 'g';
	case PFX_MODE_GUEST_USER:
		return 'u';
	default:
		return 'H';
	}
}
