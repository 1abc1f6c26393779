/* SPDX-License-Identifier: MIT */
/* Buckets: samples with the same key, in order of their first sample. */
#include <string.h>

#include "base/alloc.h"
#include "hist/hist_internal.h"

#define TALLY_FIRST 256

static uint32_t hash_key(const struct pfx_bucket_key *key)
{
	uint64_t h = pfx_hash_u64((uint64_t)key->place << 32 | key->chain);

	h ^= ((uint64_t)key->thread << 32 | key->comm) * 0x9e3779b97f4a7c15ull;
	h ^= ((uint64_t)key->cpu << 32 | key->fails) * 0xc2b2ae3d27d4eb4full;
	h ^= ((uint64_t)key->words << 32 | key->text) * 0xff51afd7ed558ccdull;
	return (uint32_t)(h ^ h >> 29 ^ h >> 47);
}

static struct pfx_bucket *add_bucket(struct pfx_hist_tally *tally, const struct pfx_bucket_key *key)
{
	struct pfx_bucket *bucket;

	if (tally->nr == tally->cap) {
		tally->cap = tally->cap ? tally->cap * 2 : TALLY_FIRST;
		tally->buckets = pfx_realloc(tally->buckets, tally->cap * sizeof(*tally->buckets));
	}
	bucket = &tally->buckets[tally->nr++];
	memset(bucket, 0, sizeof(*bucket));
	bucket->key = *key;
	return bucket;
}

/* Compare field by field: one of the keys was just written, so wider loads would stall on store
 * forwarding. */
static bool is_same_key(const struct pfx_bucket_key *a, const struct pfx_bucket_key *b)
{
	return a->place == b->place && a->chain == b->chain && a->thread == b->thread &&
	       a->comm == b->comm && a->cpu == b->cpu && a->text == b->text &&
	       a->words == b->words && a->fails == b->fails;
}

static bool is_bucket_of(const struct pfx_hist_tally *tally, uint32_t nr,
			 const struct pfx_bucket_key *key)
{
	return nr < tally->nr && is_same_key(&tally->buckets[nr].key, key);
}

/* Look up the bucket of a key in the hash table of a tally; created if new. */
static struct pfx_bucket *find_other(struct pfx_hist_tally *tally, const struct pfx_bucket_key *key)
{
	uint64_t hash = hash_key(key), probe = hash;
	uint32_t nr;

	while (pfx_id_table_next(&tally->others, hash, &probe, &nr))
		if (is_bucket_of(tally, nr, key))
			return &tally->buckets[nr];
	pfx_id_table_add(&tally->others, hash, tally->nr);
	return add_bucket(tally, key);
}

/* The bucket of a key; a new one has a count of 0. Most chains have only one bucket, which is
 * cached by chain; for samples without a chain, it is cached by place. */
static struct pfx_bucket *find_bucket(struct pfx_hists *hists, struct pfx_hist_tally *tally,
				      const struct pfx_bucket_key *key)
{
	struct pfx_bucket *bucket;
	uint32_t *first;

	first = key->chain ? pfx_vec_slot(&hists->first_buckets, key->chain)
			   : pfx_vec_slot(&hists->first_of_places, key->place);
	if (*first && is_bucket_of(tally, *first - 1, key))
		return &tally->buckets[*first - 1];
	if (*first)
		return find_other(tally, key);
	bucket = add_bucket(tally, key);
	*first = tally->nr;
	return bucket;
}

struct pfx_bucket *pfx_hist_bucket(struct pfx_hists *hists, uint32_t event,
				   const struct pfx_bucket_key *key)
{
	return find_bucket(hists, pfx_vec_slot(&hists->tallies, event), key);
}

struct pfx_bucket *pfx_hist_count(struct pfx_hists *hists, const struct pfx_hist_addend *entry)
{
	struct pfx_hist_tally *tally = pfx_vec_slot(&hists->tallies, entry->event);
	struct pfx_bucket *bucket = find_bucket(hists, tally, &entry->key);

	if (!bucket->count) {
		bucket->thread = entry->thread;
		bucket->comm = entry->comm;
		bucket->cpu = entry->cpu;
	}
	bucket->period += entry->period;
	bucket->count++;
	if (hists->can_repeat)
		hists->last = (uint32_t)(bucket - tally->buckets) + 1;
	return bucket;
}

void pfx_hist_init_repeats(struct pfx_hists *hists)
{
	const struct pfx_hist_options *options = &hists->options;

	hists->can_repeat = options->mode == PFX_REPORT_NORMAL && !options->chains &&
			    !options->branch_history && !options->nr_kept && !hists->runs &&
			    !hists->key_text && !hists->nr_slots && !hists->wants_steps &&
			    !options->filter->parallelism_given;
}

uint32_t pfx_hists_last(const struct pfx_hists *hists)
{
	return hists->last;
}

bool pfx_hists_need_cpu(const struct pfx_hist_options *options)
{
	const struct pfx_columns *columns = options->columns;
	bool by_cpu = false;
	size_t i;

	for (i = 0; i < columns->order.nr; i++)
		by_cpu |= pfx_key_info(columns->order.at[i])->by_cpu;
	return by_cpu || options->filter->cpus_given || options->filter->socket_given;
}

void pfx_hists_add_like(struct pfx_hists *hists, const struct pfx_event *event, uint32_t last,
			uint64_t period)
{
	struct pfx_bucket *bucket = &hists->tallies.at[event->idx].buckets[last - 1];

	bucket->period += period;
	bucket->count++;
}

#define AHEAD 8 /* distance of prefetching */

static void fetch(const struct pfx_hists *hists, const struct pfx_hist_addend *entry,
		  uint32_t chain)
{
	const struct pfx_hist_tally *tally;

	if (entry->event >= hists->tallies.nr || chain >= hists->first_buckets.nr ||
	    !hists->first_buckets.at[chain])
		return;
	tally = &hists->tallies.at[entry->event];
	__builtin_prefetch(&tally->buckets[hists->first_buckets.at[chain] - 1]);
	__builtin_prefetch(&tally->buckets[hists->first_buckets.at[chain] - 1].count);
}

void pfx_hist_count_queued(void *context, void *entries, const uint32_t *chains, uint32_t nr)
{
	struct pfx_hist_addend *entry = entries;
	struct pfx_hists *hists = context;
	uint32_t i;

	for (i = 0; i < nr; i++, entry++) {
		if (i + AHEAD < nr)
			fetch(hists, entry + AHEAD, chains[i + AHEAD]);
		entry->key.chain = chains[i];
		pfx_hist_count(hists, entry);
	}
}
