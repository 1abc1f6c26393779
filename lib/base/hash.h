/* SPDX-License-Identifier: MIT */
/*
 * Two tables: struct pfx_hash maps a 64-bit key to a 64-bit value, struct pfx_intern maps byte
 * strings to small consecutive ids (0, 1, 2, ...). Zero is an empty table for both.
 */
#ifndef PFX_BASE_HASH_H
#define PFX_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* A good 64-bit mix of one word, and of bytes. Not stable across versions: never store results. */
static inline uint64_t pfx_hash_u64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	x ^= x >> 32;
	return x;
}
uint64_t pfx_hash_bytes(const void *data, size_t len);

struct pfx_hash_slot {
	uint64_t key, value;
};

struct pfx_hash {
	struct pfx_hash_slot *slots;
	uint8_t *used;
	size_t nr, cap; /* cap is zero or a power of two */
};

/* The value's place for @key, or NULL. Valid until the next add. */
uint64_t *pfx_hash_get(const struct pfx_hash *hash, uint64_t key);
/* The value's place for @key, added with value 0 when it was not there; *@ret_new tells (may be
 * NULL). */
uint64_t *pfx_hash_add(struct pfx_hash *hash, uint64_t key, bool *ret_new);
void pfx_hash_remove(struct pfx_hash *hash, uint64_t key);
void pfx_hash_fini(struct pfx_hash *hash);

struct pfx_intern_entry {
	const char *data; /* NUL behind the last byte */
	uint32_t len;
	uint32_t hash;
};

struct pfx_intern {
	struct pfx_arena arena;
	struct pfx_intern_entry *entries; /* by id */
	uint32_t nr, cap;
	uint32_t *table; /* id + 1, 0 is free */
	uint32_t table_cap;
};

/* The id of the bytes; equal bytes get equal ids. The table keeps a copy. */
uint32_t pfx_intern_add(struct pfx_intern *intern, const void *data, size_t len);
uint32_t pfx_intern_str(struct pfx_intern *intern, const char *s);
/* The bytes of an id that pfx_intern_add() returned, NUL-terminated; owned by the table. */
const char *pfx_intern_get(const struct pfx_intern *intern, uint32_t id);
void pfx_intern_fini(struct pfx_intern *intern);

#endif
