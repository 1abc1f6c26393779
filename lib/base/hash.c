/* SPDX-License-Identifier: MIT */
/*
 * Open addressing with linear probing, used by the hot tables of every command. Keys come from
 * untrusted recordings, so the hash is keyed with a secret: with a known hash function, a small
 * file of colliding keys could keep pfx busy for hours.
 */
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/alloc.h"

#define HASH_FIRST_CAP 16
#define IDS_FIRST_CAP  256

uint64_t pfx_hash_secret[2] = {0x9e3779b97f4a7c15ull, 0xe7037ed1a0b428dbull};

/* From AT_RANDOM, the 16 random bytes that the kernel gives each process. The second word is a
 * multiplier and must be odd. */
__attribute__((constructor)) static void choose_secret(void)
{
	const void *random = (const void *)(uintptr_t)getauxval(AT_RANDOM);

	if (random)
		memcpy(pfx_hash_secret, random, sizeof(pfx_hash_secret));
	pfx_hash_secret[1] |= 1;
}

static inline uint64_t load_word(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* Adds bytes to the two sums @sums. */
static inline void hash_bytes(const void *data, size_t len, uint64_t sums[2])
{
	const uint64_t one = pfx_hash_secret[0], two = pfx_hash_secret[1];
	uint64_t h = one ^ len, g = two, word;
	const uint8_t *p = data;

	/* Two products at a time: they do not wait for each other. */
	for (; len >= 32; len -= 32, p += 32) {
		h = pfx_hash_fold(h ^ load_word(p), two ^ load_word(p + 8));
		g = pfx_hash_fold(g ^ load_word(p + 16), one ^ load_word(p + 24));
	}
	if (len >= 16) {
		h = pfx_hash_fold(h ^ load_word(p), two ^ load_word(p + 8));
		len -= 16;
		p += 16;
	}
	if (len >= 8) {
		h = pfx_hash_fold(h ^ load_word(p), two);
		len -= 8;
		p += 8;
	}
	if (len) {
		word = 0;
		memcpy(&word, p, len);
		h = pfx_hash_fold(h ^ word, two);
	}
	sums[0] = h;
	sums[1] = g;
}

uint64_t pfx_hash_bytes(const void *data, size_t len)
{
	uint64_t sums[2];

	hash_bytes(data, len, sums);
	return pfx_hash_u64(sums[0] ^ sums[1]);
}

struct pfx_hash_wide pfx_hash_bytes_wide(const void *data, size_t len)
{
	uint64_t sums[2];

	hash_bytes(data, len, sums);
	return (struct pfx_hash_wide){pfx_hash_u64(sums[0] ^ sums[1]),
				      pfx_hash_u64(sums[0] + 2 * sums[1])};
}

static size_t find_slot(const struct pfx_hash *hash, uint64_t key)
{
	size_t i = pfx_hash_u64(key) & (hash->cap - 1);

	while (hash->used[i] && hash->slots[i].key != key)
		i = (i + 1) & (hash->cap - 1);
	return i;
}

static void rehash(struct pfx_hash *hash)
{
	struct pfx_hash old = *hash;
	size_t i, to;

	hash->cap = old.cap ? old.cap * 2 : HASH_FIRST_CAP;
	hash->slots = pfx_malloc(hash->cap * sizeof(*hash->slots));
	hash->used = pfx_calloc(hash->cap, 1);
	for (i = 0; i < old.cap; i++) {
		if (!old.used[i])
			continue;
		to = find_slot(hash, old.slots[i].key);
		hash->slots[to] = old.slots[i];
		hash->used[to] = 1;
	}
	free(old.slots);
	free(old.used);
}

uint64_t *pfx_hash_get(const struct pfx_hash *hash, uint64_t key)
{
	size_t i;

	if (!hash->nr)
		return NULL;
	i = find_slot(hash, key);
	return hash->used[i] ? &hash->slots[i].value : NULL;
}

uint64_t *pfx_hash_add(struct pfx_hash *hash, uint64_t key, bool *ret_new)
{
	size_t i;

	if ((hash->nr + 1) * 4 > hash->cap * 3)
		rehash(hash);
	i = find_slot(hash, key);
	if (ret_new)
		*ret_new = !hash->used[i];
	if (!hash->used[i]) {
		hash->used[i] = 1;
		hash->slots[i] = (struct pfx_hash_slot){.key = key};
		hash->nr++;
	}
	return &hash->slots[i].value;
}

/* Closes the gap after a removal: moves back each later element of the run whose probe sequence
 * includes the gap. */
static void close_gap(struct pfx_hash *hash, size_t gap)
{
	size_t mask = hash->cap - 1;
	size_t i, home;

	for (i = (gap + 1) & mask; hash->used[i]; i = (i + 1) & mask) {
		home = pfx_hash_u64(hash->slots[i].key) & mask;
		if (((i - home) & mask) < ((i - gap) & mask))
			continue;
		hash->slots[gap] = hash->slots[i];
		gap = i;
	}
	hash->used[gap] = 0;
}

void pfx_hash_remove(struct pfx_hash *hash, uint64_t key)
{
	size_t i;

	if (!hash->nr)
		return;
	i = find_slot(hash, key);
	if (!hash->used[i])
		return;
	close_gap(hash, i);
	hash->nr--;
}

void pfx_hash_fini(struct pfx_hash *hash)
{
	if (!hash)
		return;
	free(hash->slots);
	free(hash->used);
	memset(hash, 0, sizeof(*hash));
}

static void put_id(struct pfx_id_table *table, uint32_t hash, uint32_t id_plus_1)
{
	uint32_t at = hash & (table->cap - 1);

	while (table->slots[at].id_plus_1)
		at = (at + 1) & (table->cap - 1);
	table->slots[at] = (struct pfx_id_slot){hash, id_plus_1};
}

static void grow_ids(struct pfx_id_table *table, uint32_t cap)
{
	struct pfx_id_table old = *table;
	uint32_t i;

	table->cap = cap;
	table->slots = pfx_calloc(table->cap, sizeof(*table->slots));
	for (i = 0; i < old.cap; i++) {
		if (old.slots[i].id_plus_1)
			put_id(table, old.slots[i].hash, old.slots[i].id_plus_1);
	}
	free(old.slots);
}

void pfx_id_table_reserve(struct pfx_id_table *table, uint32_t nr)
{
	uint32_t cap = IDS_FIRST_CAP;

	while (cap / 2 < nr && cap <= UINT32_MAX / 2)
		cap *= 2;
	if (cap > table->cap)
		grow_ids(table, cap);
}

void pfx_id_table_add(struct pfx_id_table *table, uint64_t hash, uint32_t id)
{
	if (table->nr + 1 > table->cap / 2)
		grow_ids(table, table->cap ? table->cap * 2 : IDS_FIRST_CAP);
	put_id(table, (uint32_t)hash, id + 1);
	table->nr++;
}

void pfx_id_table_fini(struct pfx_id_table *table)
{
	free(table->slots);
	*table = (struct pfx_id_table){0};
}

static uint32_t add_entry(struct pfx_intern *intern, const void *data, size_t len)
{
	char *copy = pfx_arena_alloc(&intern->arena, len + 1);
	size_t cap = intern->cap;

	if (intern->nr == intern->cap) {
		intern->entries =
			pfx_vec_grow(intern->entries, &cap, cap + 1, sizeof(*intern->entries));
		intern->cap = (uint32_t)cap;
	}
	if (len)
		memcpy(copy, data, len);
	intern->entries[intern->nr] = (struct pfx_intern_entry){copy, len};
	return intern->nr++;
}

static bool find_hashed(const struct pfx_intern *intern, uint64_t hash, const void *data,
			size_t len, uint32_t *ret)
{
	const struct pfx_intern_entry *entry;
	uint64_t probe = hash;

	while (pfx_id_table_next(&intern->table, hash, &probe, ret)) {
		entry = &intern->entries[*ret];
		if (entry->len == len && !memcmp(entry->data, data, len))
			return true;
	}
	return false;
}

bool pfx_intern_find(const struct pfx_intern *intern, const void *data, size_t len, uint32_t *ret)
{
	return find_hashed(intern, pfx_hash_bytes(data, len), data, len, ret);
}

uint32_t pfx_intern_add(struct pfx_intern *intern, const void *data, size_t len)
{
	uint64_t hash = pfx_hash_bytes(data, len);
	uint32_t id;

	if (find_hashed(intern, hash, data, len, &id))
		return id;
	id = add_entry(intern, data, len);
	pfx_id_table_add(&intern->table, hash, id);
	return id;
}

uint32_t pfx_intern_str(struct pfx_intern *intern, const char *s)
{
	return pfx_intern_add(intern, s, strlen(s));
}

const char *pfx_intern_get(const struct pfx_intern *intern, uint32_t id)
{
	return intern->entries[id].data;
}

void pfx_intern_fini(struct pfx_intern *intern)
{
	if (!intern)
		return;
	pfx_arena_clear(&intern->arena);
	free(intern->entries);
	pfx_id_table_fini(&intern->table);
	memset(intern, 0, sizeof(*intern));
}
