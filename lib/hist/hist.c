/* SPDX-License-Identifier: MIT */
/*
 * The hot part: a sample becomes a place, a chain and a few ids, and is counted in the bucket that
 * has just these. No symbol is looked up and nothing is compared by name here. Buckets keep the
 * order in which they first appeared, which later decides what rows made of several of them show.
 */
#include "hist/hist.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "hist/hist_internal.h"

#define TALLY_FIRST 256

struct pfx_hists *pfx_hists_new(const struct pfx_hist_options *options)
{
	struct pfx_hists *hists = pfx_calloc(1, sizeof(*hists));
	const struct pfx_columns *columns = options->columns;

	hists->options = *options;
	hists->key_comm = pfx_columns_has(columns, PFX_KEY_COMM);
	hists->key_cpu = pfx_columns_has(columns, PFX_KEY_CPU);
	hists->key_text = options->texts.id && pfx_columns_has(columns, PFX_KEY_TRACE);
	hists->key_thread = pfx_columns_has(columns, PFX_KEY_PID) ||
			    pfx_columns_has(columns, PFX_KEY_TID) ||
			    pfx_columns_has(columns, PFX_KEY_TGID);
	return hists;
}

static void free_build(struct pfx_hist_build *build)
{
	size_t i;

	for (i = 0; i < build->all.nr; i++)
		free(build->all.at[i]->chains);
	pfx_vec_free(&build->all);
	pfx_intern_fini(&build->keys);
	free(build->hist.rows);
	free(build);
}

void pfx_hists_free(struct pfx_hists *hists)
{
	uint32_t i;

	if (!hists)
		return;
	for (i = 0; i < hists->nr_tallies; i++) {
		free(hists->tallies[i].buckets);
		free(hists->tallies[i].table);
	}
	for (i = 0; i < hists->nr_builds; i++)
		free_build(hists->builds[i]);
	free(hists->builds);
	free(hists->tallies);
	free(hists->thread_fails);
	free(hists->comm_fails);
	free(hists->frames);
	pfx_vec_free(&hists->nodes);
	pfx_intern_fini(&hists->by_address);
	pfx_arena_clear(&hists->arena);
	free(hists);
}

static uint32_t hash_key(const struct pfx_bucket_key *key)
{
	uint64_t h = pfx_hash_u64((uint64_t)key->place << 32 | key->chain);

	h ^= ((uint64_t)key->thread << 32 | key->comm) * 0x9e3779b97f4a7c15ull;
	h ^= ((uint64_t)key->cpu << 32 | key->fails) * 0xc2b2ae3d27d4eb4full;
	h ^= key->text * 0xff51afd7ed558ccdull;
	return (uint32_t)(h ^ h >> 29 ^ h >> 47);
}

static void grow_table(struct pfx_tally *tally)
{
	uint32_t i, at;

	free(tally->table);
	tally->table_cap = tally->table_cap ? tally->table_cap * 2 : TALLY_FIRST * 2;
	tally->table = pfx_calloc(tally->table_cap, sizeof(*tally->table));
	for (i = 0; i < tally->nr; i++) {
		at = hash_key(&tally->buckets[i].key) & (tally->table_cap - 1);
		while (tally->table[at])
			at = (at + 1) & (tally->table_cap - 1);
		tally->table[at] = i + 1;
	}
}

static struct pfx_bucket *add_bucket(struct pfx_tally *tally, const struct pfx_bucket_key *key)
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

/* The bucket of a key; *@ret_new when it was made just now. */
static struct pfx_bucket *find_bucket(struct pfx_tally *tally, const struct pfx_bucket_key *key,
				      bool *ret_new)
{
	uint32_t at;

	if (tally->nr * 2 >= tally->table_cap)
		grow_table(tally);
	at = hash_key(key) & (tally->table_cap - 1);
	for (; tally->table[at]; at = (at + 1) & (tally->table_cap - 1))
		if (!memcmp(&tally->buckets[tally->table[at] - 1].key, key, sizeof(*key)))
			return &tally->buckets[tally->table[at] - 1];
	*ret_new = true;
	tally->table[at] = tally->nr + 1;
	return add_bucket(tally, key);
}

/* The remembered answer for an id: 0 when it was not asked for yet. */
static uint8_t *answer_at(uint8_t **answers, uint32_t *nr, uint32_t id)
{
	uint32_t old = *nr;

	if (id >= old) {
		*nr = id + 1 > 2 * old ? id + 64 : 2 * old;
		*answers = pfx_realloc(*answers, *nr);
		memset(*answers + old, 0, *nr - old);
	}
	return &(*answers)[id];
}

static bool thread_passes(struct pfx_hists *hists, const struct pfx_thread *thread)
{
	const struct pfx_filter *filter = hists->options.filter;
	uint8_t *answer;

	if (filter->pids.given || filter->tids.given) {
		answer = answer_at(&hists->thread_fails, &hists->nr_thread_fails, thread->id);
		if (!*answer)
			*answer = pfx_filter_thread(filter, thread) ? 1 : 2;
		if (*answer == 2)
			return false;
	}
	if (!filter->comms.given)
		return true;
	answer = answer_at(&hists->comm_fails, &hists->nr_comm_fails, thread->comm->id);
	if (!*answer)
		*answer = pfx_filter_comm(filter, thread->comm->text) ? 1 : 2;
	return *answer == 1;
}

static struct pfx_tally *tally_of(struct pfx_hists *hists, uint32_t idx)
{
	uint32_t old = hists->nr_tallies;

	if (idx >= old) {
		hists->nr_tallies = idx + 1;
		hists->tallies =
			pfx_realloc(hists->tallies, hists->nr_tallies * sizeof(*hists->tallies));
		memset(hists->tallies + old, 0,
		       (hists->nr_tallies - old) * sizeof(*hists->tallies));
	}
	return &hists->tallies[idx];
}

/* Guests are not shown unless asked for, as perf has it. */
static bool is_guest(enum pfx_cpumode mode)
{
	return mode == PFX_MODE_GUEST_KERNEL || mode == PFX_MODE_GUEST_USER;
}

static void make_key(struct pfx_hists *hists, const struct pfx_event *event,
		     const struct pfx_sample *sample, struct pfx_thread *thread,
		     struct pfx_bucket_key *key)
{
	struct pfx_resolver *resolver = hists->options.resolver;

	memset(key, 0, sizeof(*key));
	key->place = pfx_resolve(resolver, thread, sample->cpumode, sample->ip)->id;
	if (hists->options.chains && (sample->chain.nr || sample->stack.size))
		key->chain = pfx_resolve_chain_id(resolver, thread, sample)->id;
	if (hists->key_thread)
		key->thread = thread->id;
	if (hists->key_comm)
		key->comm = thread->comm->id;
	if (hists->key_cpu)
		key->cpu = sample->cpu;
	if (hists->key_text)
		key->text = hists->options.texts.id(hists->options.texts.ctx, event, sample);
	key->fails = is_guest(sample->cpumode) || !thread_passes(hists, thread);
}

bool pfx_hists_add(struct pfx_hists *hists, const struct pfx_event *event,
		   const struct pfx_sample *sample, struct pfx_thread *thread)
{
	struct pfx_bucket_key key;
	struct pfx_bucket *bucket;
	bool is_new = false;

	if (!pfx_filter_cpu(hists->options.filter, sample->cpu))
		return false;
	make_key(hists, event, sample, thread, &key);
	bucket = find_bucket(tally_of(hists, event->idx), &key, &is_new);
	if (is_new) {
		bucket->thread = thread->id;
		bucket->comm = thread->comm->id;
		bucket->cpu = sample->cpu;
	}
	bucket->period += sample->period;
	bucket->count++;
	return true;
}

uint32_t pfx_hists_nr(const struct pfx_hists *hists)
{
	return hists->nr_builds;
}

const struct pfx_hist *pfx_hists_at(const struct pfx_hists *hists, uint32_t i)
{
	return &hists->builds[i]->hist;
}

const struct pfx_hist_options *pfx_hists_options(const struct pfx_hists *hists)
{
	return &hists->options;
}

uint64_t pfx_hist_period(const struct pfx_hists *hists, const struct pfx_hist *hist, uint32_t m)
{
	const struct pfx_hist_total *total = &hist->totals[m];

	return hists->options.relative ? total->passed_period : total->period;
}

uint64_t pfx_hist_samples(const struct pfx_hists *hists, const struct pfx_hist *hist, uint32_t m)
{
	const struct pfx_hist_total *total = &hist->totals[m];

	return hists->options.relative ? total->nr_passed : total->nr_samples;
}

double pfx_row_percent(const struct pfx_hists *hists, const struct pfx_hist *hist,
		       const struct pfx_row *row)
{
	uint64_t total = pfx_hist_period(hists, hist, 0);
	uint64_t part = hists->options.children ? row->stat->children : row->stat->period;

	return total ? 100.0 * part / total : 0;
}
