/* SPDX-License-Identifier: MIT */
/*
 * Three tables: struct pfx_hash maps a 64-bit key to a 64-bit value; struct pfx_intern maps byte
 * strings to small consecutive ids (0, 1, 2, ...); struct pfx_id_table finds ids of objects that
 * the caller stores. A zeroed struct is an empty table for all three.
 */
#ifndef PFX_BASE_HASH_H
#define PFX_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* Chosen at random for each process: the author of a recording cannot choose keys that collide. */
extern uint64_t pfx_hash_secret[2];

/* The high and the low word of the 128-bit product, combined. */
static inline uint64_t pfx_hash_fold(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
	uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
	uint64_t mid = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
	uint64_t other = (a & UINT32_MAX) * (b >> 32) + (mid & UINT32_MAX);
	uint64_t high = (a >> 32) * (b >> 32) + (mid >> 32) + (other >> 32);

	return (other << 32 | (low & UINT32_MAX)) ^ high;
#endif
}

/* 64-bit hash of one word, and of bytes. It differs from process to process: never store it, and
 * let no output depend on it. */
static inline uint64_t pfx_hash_u64(uint64_t x)
{
	return pfx_hash_fold(pfx_hash_fold(x ^ pfx_hash_secret[0], pfx_hash_secret[1]),
			     0xd6e8feb86659fd93ull);
}
uint64_t pfx_hash_bytes(const void *data, size_t len);

struct pfx_hash_wide {
	uint64_t low, high;
};

/* 128 bits for keys that are not kept: different bytes have the same with a probability of 2^-64,
 * whoever chose them. */
struct pfx_hash_wide pfx_hash_bytes_wide(const void *data, size_t len);

struct pfx_hash_slot {
	uint64_t key, value;
};

struct pfx_hash {
	struct pfx_hash_slot *slots;
	uint8_t *used;
	size_t nr, cap; /* cap is zero or a power of two */
};

/* The address of the value of @key, or NULL. Valid until the next add. */
uint64_t *pfx_hash_get(const struct pfx_hash *hash, uint64_t key);
/* The address of the value of @key; an absent key is added with value 0. *@ret_new (may be NULL) is
 * set to whether it was added. */
uint64_t *pfx_hash_add(struct pfx_hash *hash, uint64_t key, bool *ret_new);
/* No effect when the key is absent. */
void pfx_hash_remove(struct pfx_hash *hash, uint64_t key);
void pfx_hash_fini(struct pfx_hash *hash);

/* An open hash table of ids below 2^32 - 1. It compares only hashes; the caller compares the
 * keys. */
struct pfx_id_table {
	struct pfx_id_slot {
		uint32_t hash;
		uint32_t id_plus_1; /* 0: free */
	} * slots;
	uint32_t nr, cap; /* cap is 0 or a power of two */
};

/* Allocate room for @nr ids, so that adding them does not rehash. */
void pfx_id_table_reserve(struct pfx_id_table *table, uint32_t nr);
/* Add @id, which must not be in the table, under @hash. */
void pfx_id_table_add(struct pfx_id_table *table, uint64_t hash, uint32_t id);
void pfx_id_table_fini(struct pfx_id_table *table);

/* Iterates over all ids with this hash: *@at starts at the hash; false after the last. */
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

/* For batches of look-ups, so that their cache misses overlap: prefetch the slot where the search
 * begins; later, read the first id with this hash (0: none). */
static inline void pfx_id_table_fetch(const struct pfx_id_table *table, uint64_t hash)
{
	if (table->cap)
		__builtin_prefetch(&table->slots[hash & (table->cap - 1)]);
}
static inline uint32_t pfx_id_table_first(const struct pfx_id_table *table, uint64_t hash)
{
	uint64_t at = hash;
	uint32_t id;

	return pfx_id_table_next(table, hash, &at, &id) ? id : 0;
}

struct pfx_intern_entry {
	const char *data; /* followed by a NUL */
	size_t len;
};

struct pfx_intern {
	struct pfx_arena arena;
	struct pfx_intern_entry *entries; /* by id */
	uint32_t nr, cap;
	struct pfx_id_table table;
};

/* The id of the bytes; equal bytes get equal ids. The table keeps a copy. */
uint32_t pfx_intern_add(struct pfx_intern *intern, const void *data, size_t len);
uint32_t pfx_intern_str(struct pfx_intern *intern, const char *s);
/* The id of bytes that were added; false: they were not. */
bool pfx_intern_find(const struct pfx_intern *intern, const void *data, size_t len, uint32_t *ret);
/* The bytes of an id that pfx_intern_add() returned, NUL-terminated; owned by the table. */
const char *pfx_intern_get(const struct pfx_intern *intern, uint32_t id);
void pfx_intern_fini(struct pfx_intern *intern);

#endif
