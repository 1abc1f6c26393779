/* SPDX-License-Identifier: MIT */
/*
 * Samples that count less and less: for a table that is shown again and again while it grows.
 * Buckets are copied before their symbols are looked up, so a set is finished at most once.
 */
#include "hist/hist_internal.h"

static void settle(struct pfx_hists *hists)
{
	if (hists->queue)
		pfx_chain_queue_settle(hists->queue);
}

uint32_t pfx_hists_nr_distinct(struct pfx_hists *hists)
{
	uint32_t nr = 0;
	size_t t;

	settle(hists);
	for (t = 0; t < hists->tallies.nr; t++)
		nr += hists->tallies.at[t].nr;
	return nr;
}

static void carry_bucket(struct pfx_hists *to, const struct pfx_hists *from, uint32_t event,
			 const struct pfx_bucket *old)
{
	struct pfx_bucket_key key = old->key;
	struct pfx_bucket *bucket;

	if (to->nr_slots)
		key.words = pfx_hist_words_intern(
			to, &from->word_values.at[(size_t)key.words * from->nr_slots]);
	bucket = pfx_hist_bucket(to, event, &key);
	bucket->thread = old->thread;
	bucket->comm = old->comm;
	bucket->cpu = old->cpu;
	bucket->period = old->period;
	bucket->count = old->count;
}

/* Without overflow. */
static uint64_t share(uint64_t value, unsigned part, unsigned whole)
{
	return value / whole * part + value % whole * part / whole;
}

struct pfx_hists *pfx_hists_carry(struct pfx_hists *from, unsigned part, unsigned whole,
				  uint32_t most)
{
	struct pfx_hists *to = pfx_hists_new(&from->options);
	bool is_full = pfx_hists_nr_distinct(from) > most;
	struct pfx_bucket bucket;
	size_t t;
	uint32_t i;

	for (t = 0; t < from->tallies.nr; t++)
		for (i = 0; i < from->tallies.at[t].nr; i++) {
			bucket = from->tallies.at[t].buckets[i];
			bucket.period = share(bucket.period, part, whole);
			bucket.count = share(bucket.count, part, whole);
			if (bucket.period && (bucket.count || !is_full))
				carry_bucket(to, from, (uint32_t)t, &bucket);
		}
	to->branches = from->branches;
	to->parallelism = from->parallelism;
	return to;
}
