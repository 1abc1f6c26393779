/* SPDX-License-Identifier: MIT */
/*
 * Addresses to places, places to symbols. Each distinct address is located in the session and named
 * once; what repeats is found in a small memo or by one hash. Chains are in chain.c. Knows where
 * symbols are wanted, not where they come from.
 */
#include "unwind/resolve.h"

#include <stdlib.h>
#include <string.h>

#include "unwind/resolve_internal.h"

#define DEFAULT_MAX_STACK 127
#define NO_DSO            UINT32_MAX

/* --- tables of ids --- */

static void put_slot(struct pfx_id_table *table, uint32_t hash, uint32_t id_plus_1)
{
	uint32_t at = hash & (table->cap - 1);

	while (table->slots[at].id_plus_1)
		at = (at + 1) & (table->cap - 1);
	table->slots[at] = (struct pfx_id_slot){hash, id_plus_1};
}

static void grow_table(struct pfx_id_table *table)
{
	struct pfx_id_table old = *table;
	uint32_t i;

	table->cap = old.cap ? old.cap * 2 : 256;
	table->slots = pfx_calloc(table->cap, sizeof(*table->slots));
	for (i = 0; i < old.cap; i++) {
		if (old.slots[i].id_plus_1)
			put_slot(table, old.slots[i].hash, old.slots[i].id_plus_1);
	}
	free(old.slots);
}

void pfx_id_table_add(struct pfx_id_table *table, uint64_t hash, uint32_t id)
{
	if (table->nr + 1 > table->cap / 2)
		grow_table(table);
	put_slot(table, (uint32_t)hash, id + 1);
	table->nr++;
}

void pfx_id_table_fini(struct pfx_id_table *table)
{
	free(table->slots);
	*table = (struct pfx_id_table){0};
}

/* --- the resolver --- */

struct pfx_resolver *pfx_resolver_new(struct pfx_session *session,
				      const struct pfx_resolve_options *options)
{
	struct pfx_resolver *resolver = pfx_calloc(1, sizeof(*resolver));

	resolver->session = session;
	if (options)
		resolver->options = *options;
	if (!resolver->options.max_stack)
		resolver->options.max_stack = DEFAULT_MAX_STACK;
	resolver->memos = pfx_calloc(PFX_IP_MEMOS, sizeof(*resolver->memos));
	pfx_chains_init(resolver);
	pfx_unwinder_init(&resolver->unwinder, &pfx_session_meta(session)->env);
	return resolver;
}

void pfx_resolver_free(struct pfx_resolver *resolver)
{
	size_t i;

	if (!resolver)
		return;
	for (i = 0; i < resolver->symbols.nr; i++)
		pfx_symtab_free(resolver->symbols.at[i].tab);
	pfx_vec_free(&resolver->symbols);
	pfx_vec_free(&resolver->places);
	pfx_id_table_fini(&resolver->places_by_key);
	pfx_hash_fini(&resolver->ids_by_symbol);
	pfx_hash_fini(&resolver->code_symbols);
	pfx_intern_fini(&resolver->sym_keys);
	pfx_intern_fini(&resolver->frame_keys);
	pfx_chains_fini(resolver);
	pfx_unwinder_fini(&resolver->unwinder);
	free(resolver->memos);
	pfx_arena_clear(&resolver->arena);
	free(resolver);
}

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
	return place;
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

/* --- symbols --- */

static enum pfx_sym_kind sym_kind(const struct pfx_dso *dso)
{
	switch (dso->kind) {
	case PFX_DSO_KERNEL:
		return PFX_SYM_KERNEL;
	case PFX_DSO_MODULE:
		return PFX_SYM_MODULE;
	case PFX_DSO_VDSO:
		return PFX_SYM_VDSO;
	case PFX_DSO_ANON:
		return PFX_SYM_PERF_MAP;
	default:
		return PFX_SYM_FILE;
	}
}

/* False for what has no symbols of its own anywhere: of a guest's kernel nothing is known here. */
static bool may_have_symbols(const struct pfx_dso *dso)
{
	if (dso->kind == PFX_DSO_ANON)
		return dso->anon_pid >= 0;
	return dso->kind != PFX_DSO_BPF && dso->kind != PFX_DSO_OTHER &&
	       strncmp(dso->name, "[guest.", 7) != 0;
}

struct pfx_sym_request pfx_resolver_request(const struct pfx_resolver *resolver,
					    const struct pfx_dso *dso)
{
	const struct pfx_env *env = &pfx_session_meta(resolver->session)->env;

	return (struct pfx_sym_request){
		.kind = sym_kind(dso),
		.path = dso->name,
		.build_id = dso->build_id_size ? dso->build_id : NULL,
		.build_id_size = dso->build_id_size,
		.pid = dso->anon_pid,
		.osrelease = env->osrelease,
		.arch = env->arch,
		.kernel_ref_addr = dso->kernel_ref_addr,
		.kernel_ref_name = dso->kernel_ref_name,
		.module = dso->kind == PFX_DSO_MODULE ? dso->short_name : NULL,
		.module_addr = dso->module_addr,
	};
}

static void load_symbols(struct pfx_resolver *resolver, const struct pfx_dso *dso,
			 struct pfx_dso_symbols *symbols)
{
	struct pfx_sym_request request = pfx_resolver_request(resolver, dso);
	struct pfx_error err = {0};

	if (!may_have_symbols(dso)) {
		request.kind = PFX_SYM_FILE;
		request.path = "";
	}
	if (pfx_symtab_load(&symbols->tab, &request, &resolver->options.sym, &err))
		symbols->error = pfx_arena_strdup(&resolver->arena, err.text);
}

static struct pfx_dso_symbols *dso_symbols(struct pfx_resolver *resolver, const struct pfx_dso *dso)
{
	struct pfx_dso_symbols *symbols;

	while (resolver->symbols.nr <= dso->id)
		*pfx_vec_add(&resolver->symbols) = (struct pfx_dso_symbols){0};
	symbols = &resolver->symbols.at[dso->id];
	if (!symbols->tab)
		load_symbols(resolver, dso, symbols);
	return symbols;
}

const struct pfx_symtab *pfx_resolver_symtab(struct pfx_resolver *resolver,
					     const struct pfx_dso *dso)
{
	return dso_symbols(resolver, dso)->tab;
}

const char *pfx_resolver_symtab_error(const struct pfx_resolver *resolver,
				      const struct pfx_dso *dso)
{
	const char *error = NULL;

	if (dso->id < resolver->symbols.nr)
		error = resolver->symbols.at[dso->id].error;
	return error ? error : "";
}

/* The kernel's map ends with its text, but parts of it lie behind: what runs at boot (and stays in
 * the idle thread's chains), trampolines. They are the kernel's where it has a symbol for them. */
static void locate_beyond_map(struct pfx_resolver *resolver, struct pfx_location *at)
{
	const struct pfx_map *map = pfx_session_kernel_map(resolver->session);

	if (!map || !pfx_symtab_find(pfx_resolver_symtab(resolver, map->dso), at->addr))
		return;
	at->map = map;
	map->dso->hit = true;
}

struct pfx_place *pfx_resolve(struct pfx_resolver *resolver, struct pfx_thread *thread,
			      enum pfx_cpumode cpumode, uint64_t ip)
{
	uint64_t stamp = pfx_session_maps_stamp(resolver->session, thread);
	struct pfx_ip_memo *memo;
	struct pfx_location at;

	memo = &resolver->memos[pfx_hash_u64(ip ^ stamp << 7) & (PFX_IP_MEMOS - 1)];
	if (memo->place && memo->ip == ip && memo->stamp == stamp && memo->cpumode == cpumode)
		return memo->place;
	pfx_session_locate(resolver->session, thread, cpumode, ip, &at);
	if (!at.map && at.cpumode == PFX_MODE_KERNEL)
		locate_beyond_map(resolver, &at);
	*memo = (struct pfx_ip_memo){stamp, ip, cpumode, intern_place(resolver, &at, ip)};
	return memo->place;
}

/* A piece of code that a KSYMBOL record named is one symbol as a whole. */
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

const struct pfx_symbol *pfx_place_symbol(struct pfx_resolver *resolver, struct pfx_place *place)
{
	if (place->looked_up)
		return place->sym;
	if (place->dso && place->dso->kind == PFX_DSO_BPF)
		place->sym = code_symbol(resolver, place->map);
	else if (place->dso)
		place->sym =
			pfx_symtab_find(pfx_resolver_symtab(resolver, place->dso), place->addr);
	give_ids(resolver, place);
	place->looked_up = true;
	return place->sym;
}

/* --- questions --- */

uint32_t pfx_resolver_nr_places(const struct pfx_resolver *resolver)
{
	return (uint32_t)resolver->places.nr;
}

struct pfx_place *pfx_resolver_place_at(const struct pfx_resolver *resolver, uint32_t id)
{
	return resolver->places.at[id];
}

uint32_t pfx_resolver_nr_sym_ids(const struct pfx_resolver *resolver)
{
	return resolver->sym_keys.nr;
}

uint32_t pfx_resolver_nr_frame_ids(const struct pfx_resolver *resolver)
{
	return resolver->frame_keys.nr;
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
