/* SPDX-License-Identifier: MIT */
/*
 * Sets of maps ordered by address. A set is a list of chunks of a few dozen maps. Processes share a
 * set after a fork (copy on write); a change copies the list and only the chunks that it changes,
 * so that tens of thousands of forks are cheap, and so are hundreds of thousands of maps in one
 * process. Knows nothing of processes and records.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "session/session_internal.h"

#define CHUNK_MAX   128
#define CHUNK_FIRST 8

struct slot {
	uint64_t start;
	struct pfx_map *map;
};

struct chunk {
	uint32_t refs;
	uint32_t nr, cap; /* nr is never 0 in a set */
	struct slot at[];
};

struct pfx_map_set {
	uint32_t refs;
	uint32_t nr, cap; /* chunks */
	uint64_t stamp;
	const struct pfx_map *last; /* result of the last search */
	struct pfx_map_set *behind; /* the maps before the exec */
	uint32_t walk_chunk;        /* the chunk of the last access by index, */
	uint32_t walk_base;         /* and the index of that chunk's first map */
	struct chunk **chunks;
};

/* The position of a map, or of its insertion. */
struct place {
	uint32_t chunk, slot;
};

static void drop_chunk(struct chunk *chunk)
{
	if (!--chunk->refs)
		free(chunk);
}

static struct chunk *new_chunk(uint32_t cap)
{
	struct chunk *chunk = pfx_malloc(sizeof(*chunk) + cap * sizeof(struct slot));

	*chunk = (struct chunk){.refs = 1, .cap = cap};
	return chunk;
}

static struct chunk *copy_chunk(const struct chunk *from, uint32_t first, uint32_t nr, uint32_t cap)
{
	struct chunk *chunk = new_chunk(cap);

	memcpy(chunk->at, from->at + first, nr * sizeof(struct slot));
	chunk->nr = nr;
	return chunk;
}

struct pfx_map_set *pfx_map_set_share(struct pfx_map_set *set)
{
	if (set)
		set->refs++;
	return set;
}

void pfx_map_set_drop(struct pfx_map_set *set)
{
	struct pfx_map_set *behind;
	uint32_t i;

	for (; set && !--set->refs; set = behind) {
		behind = set->behind;
		for (i = 0; i < set->nr; i++)
			drop_chunk(set->chunks[i]);
		free(set->chunks);
		free(set);
	}
}

/* The set for writing: created when NULL, copied when shared. */
static struct pfx_map_set *own_set(struct pfx_map_set **at)
{
	struct pfx_map_set *old = *at, *set;
	uint32_t i;

	if (old && old->refs == 1)
		return old;
	set = pfx_calloc(1, sizeof(*set));
	set->refs = 1;
	*at = set;
	if (!old)
		return set;
	set->nr = set->cap = old->nr;
	set->chunks = pfx_malloc((set->cap ? set->cap : 1) * sizeof(*set->chunks));
	for (i = 0; i < set->nr; i++) {
		set->chunks[i] = old->chunks[i];
		set->chunks[i]->refs++;
	}
	set->behind = pfx_map_set_share(old->behind);
	old->refs--;
	return set;
}

static struct chunk *own_chunk(struct pfx_map_set *set, uint32_t i)
{
	struct chunk *chunk = set->chunks[i];

	if (chunk->refs > 1) {
		set->chunks[i] = copy_chunk(chunk, 0, chunk->nr, chunk->cap);
		chunk->refs--;
	}
	return set->chunks[i];
}

static void insert_chunk(struct pfx_map_set *set, uint32_t at, struct chunk *chunk)
{
	if (set->nr == set->cap) {
		set->cap = set->cap ? set->cap * 2 : 1;
		set->chunks = pfx_realloc(set->chunks, set->cap * sizeof(*set->chunks));
	}
	memmove(set->chunks + at + 1, set->chunks + at, (set->nr - at) * sizeof(*set->chunks));
	set->chunks[at] = chunk;
	set->nr++;
}

/* The last chunk whose first map starts at or below @addr, else the first chunk. */
static uint32_t find_chunk(const struct pfx_map_set *set, uint64_t addr)
{
	size_t behind = pfx_bisect(i, set->nr, set->chunks[i]->at[0].start <= addr);

	return behind ? (uint32_t)behind - 1 : 0;
}

/* The number of maps in the chunk that start at or below @addr. */
static uint32_t count_below(const struct chunk *chunk, uint64_t addr)
{
	return (uint32_t)pfx_bisect(i, chunk->nr, chunk->at[i].start <= addr);
}

static const struct pfx_map *search(const struct pfx_map_set *set, uint64_t addr)
{
	const struct chunk *chunk;
	uint32_t i;

	if (!set->nr)
		return NULL;
	chunk = set->chunks[find_chunk(set, addr)];
	i = count_below(chunk, addr);
	return i && addr < chunk->at[i - 1].map->end ? chunk->at[i - 1].map : NULL;
}

const struct pfx_map *pfx_map_set_find(struct pfx_map_set *set, uint64_t addr)
{
	const struct pfx_map *map;

	if (!set)
		return NULL;
	if (set->last && addr >= set->last->start && addr < set->last->end)
		return set->last;
	map = search(set, addr);
	if (!map && set->behind)
		return search(set->behind, addr);
	if (map)
		set->last = map;
	return map;
}

/* The first map that ends above @addr; false when there is none. */
static bool find_first_above(const struct pfx_map_set *set, uint64_t addr, struct place *ret)
{
	const struct pfx_map *below;
	const struct chunk *chunk;
	uint32_t i;

	if (!set || !set->nr)
		return false;
	ret->chunk = find_chunk(set, addr);
	chunk = set->chunks[ret->chunk];
	i = count_below(chunk, addr);
	below = i ? chunk->at[i - 1].map : NULL;
	if (below && below->end > addr)
		i--;
	ret->slot = i;
	if (i < chunk->nr)
		return true;
	ret->slot = 0;
	return ++ret->chunk < set->nr;
}

static struct pfx_map *map_at(const struct pfx_map_set *set, struct place at)
{
	return set->chunks[at.chunk]->at[at.slot].map;
}

static void remove_at(struct pfx_map_set *set, struct place at)
{
	struct chunk *chunk = own_chunk(set, at.chunk);

	chunk->nr--;
	memmove(chunk->at + at.slot, chunk->at + at.slot + 1,
		(chunk->nr - at.slot) * sizeof(struct slot));
	if (chunk->nr)
		return;
	drop_chunk(chunk);
	set->nr--;
	memmove(set->chunks + at.chunk, set->chunks + at.chunk + 1,
		(set->nr - at.chunk) * sizeof(*set->chunks));
}

/* The chunk at @i with room for one more map at @addr. A full chunk is split in halves; when maps
 * arrive in ascending order, a new chunk is begun instead. */
static struct chunk *make_room(struct pfx_map_set *set, uint32_t *i, uint64_t addr)
{
	struct chunk *chunk = own_chunk(set, *i);
	uint32_t keep = chunk->nr;

	if (chunk->nr < chunk->cap)
		return chunk;
	if (chunk->cap < CHUNK_MAX) {
		chunk->cap *= 2;
		chunk = pfx_realloc(chunk, sizeof(*chunk) + chunk->cap * sizeof(struct slot));
		return set->chunks[*i] = chunk;
	}
	if (*i + 1 < set->nr || addr < chunk->at[keep - 1].start)
		keep = keep / 2;
	insert_chunk(set, *i + 1, copy_chunk(chunk, keep, chunk->nr - keep, CHUNK_MAX));
	chunk->nr = keep;
	if (keep == CHUNK_MAX || addr > set->chunks[*i + 1]->at[0].start)
		++*i;
	return set->chunks[*i];
}

/* Inserts a map into a free range. */
static void put(struct pfx_map_set *set, struct pfx_map *map)
{
	struct chunk *chunk;
	uint32_t i = 0, slot;

	if (!set->nr)
		insert_chunk(set, 0, new_chunk(CHUNK_FIRST));
	else
		i = find_chunk(set, map->start);
	chunk = make_room(set, &i, map->start);
	slot = count_below(chunk, map->start);
	memmove(chunk->at + slot + 1, chunk->at + slot, (chunk->nr - slot) * sizeof(struct slot));
	chunk->at[slot] = (struct slot){map->start, map};
	chunk->nr++;
}

static struct pfx_map *make_piece(const struct pfx_map *map, uint64_t start, uint64_t end,
				  struct pfx_map_source *from)
{
	struct pfx_map *piece = pfx_arena_memdup(from->arena, map, sizeof(*map));

	piece->id = from->next_id++;
	piece->start = start;
	piece->end = end;
	piece->pgoff += start - map->start;
	return piece;
}

static void changed(struct pfx_map_set *set, struct pfx_map_source *from)
{
	set->last = NULL;
	set->walk_chunk = set->walk_base = 0;
	set->stamp = ++from->next_stamp;
}

static void cut(struct pfx_map_set *set, uint64_t start, uint64_t end, struct pfx_map_source *from)
{
	struct pfx_map *old;
	struct place at;

	while (find_first_above(set, start, &at)) {
		old = map_at(set, at);
		if (old->start >= end)
			return;
		remove_at(set, at);
		if (old->start < start)
			put(set, make_piece(old, old->start, start, from));
		if (old->end > end)
			put(set, make_piece(old, end, old->end, from));
	}
}

static bool is_same(const struct pfx_map *a, const struct pfx_map *b)
{
	return a->start == b->start && a->end == b->end && a->pgoff == b->pgoff &&
	       a->dso == b->dso && a->prot == b->prot && a->flags == b->flags;
}

void pfx_map_set_renew(struct pfx_map_set **at, struct pfx_map_source *from)
{
	struct pfx_map_set *old = *at;

	if (!old)
		return;
	if (old->refs == 1) {
		pfx_map_set_drop(old->behind);
		old->behind = NULL;
	}
	*at = NULL;
	changed(own_set(at), from);
	(*at)->behind = old;
}

void pfx_map_set_insert(struct pfx_map_set **at, struct pfx_map *map, struct pfx_map_source *from)
{
	const struct pfx_map *old = *at ? search(*at, map->start) : NULL;
	struct pfx_map_set *set;

	if (map->start >= map->end || (old && is_same(old, map)))
		return;
	set = own_set(at);
	cut(set, map->start, map->end, from);
	put(set, map);
	changed(set, from);
}

/* The first map that overlaps the range; NULL: none. */
static const struct pfx_map *first_in(const struct pfx_map_set *set, uint64_t start, uint64_t end)
{
	const struct pfx_map *first;
	struct place place;

	if (!find_first_above(set, start, &place))
		return NULL;
	first = map_at(set, place);
	return first->start < end ? first : NULL;
}

void pfx_map_set_fill(struct pfx_map_set **at, struct pfx_map *map, struct pfx_map_source *from)
{
	struct pfx_map_set *set = own_set(at);
	uint64_t start = map->start, end;
	const struct pfx_map *next;

	while (start < map->end) {
		next = first_in(set, start, map->end);
		if (next && next->start <= start) {
			start = next->end;
			continue;
		}
		end = next ? next->start : map->end;
		put(set, make_piece(map, start, end, from));
		start = end;
	}
	changed(set, from);
}

uint32_t pfx_map_set_insert_under_code(struct pfx_map_set **at, struct pfx_map *map,
				       struct pfx_map_source *from)
{
	struct pfx_map_set *set = own_set(at);
	uint64_t start = map->start, end;
	const struct pfx_map *next;
	uint32_t nr;

	for (nr = 0; start < map->end; nr++) {
		next = first_in(set, start, map->end);
		if (next && next->dso->kind != PFX_DSO_JITDUMP) {
			cut(set, start, next->end < map->end ? next->end : map->end, from);
			continue;
		}
		end = next ? next->start : map->end;
		if (start < end)
			put(set, make_piece(map, start, end, from));
		start = next ? next->end : map->end;
	}
	changed(set, from);
	return nr;
}

void pfx_map_set_cut(struct pfx_map_set **at, uint64_t start, uint64_t end,
		     struct pfx_map_source *from)
{
	struct pfx_map_set *set;

	if (!first_in(*at, start, end))
		return;
	set = own_set(at);
	cut(set, start, end, from);
	changed(set, from);
}

const struct pfx_map *pfx_map_set_at(struct pfx_map_set *set, uint32_t i)
{
	const struct chunk *chunk;

	if (!set)
		return NULL;
	if (i < set->walk_base)
		set->walk_chunk = set->walk_base = 0;
	for (; set->walk_chunk < set->nr; set->walk_chunk++) {
		chunk = set->chunks[set->walk_chunk];
		if (i - set->walk_base < chunk->nr)
			return chunk->at[i - set->walk_base].map;
		set->walk_base += chunk->nr;
	}
	return NULL;
}

uint64_t pfx_map_set_end(const struct pfx_map_set *set)
{
	const struct chunk *last = set && set->nr ? set->chunks[set->nr - 1] : NULL;

	return last ? last->at[last->nr - 1].map->end : 0;
}

uint64_t pfx_map_set_stamp(const struct pfx_map_set *set)
{
	return set ? set->stamp : 0;
}
