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

/* Addresses of one symbol that columns do not distinguish become one. */
struct carry {
	struct pfx_hists *to;
	const struct pfx_hists *from;
	bool by_symbol;
	PFX_VEC(uint32_t) place_of; /* by sym_id: its first place, plus 1 */
};

/* Whether rows that differ in the address alone are equal. */
static bool is_by_symbol(const struct pfx_hist_options *options)
{
	static const enum pfx_key keys[] = {
		PFX_KEY_COMM,   PFX_KEY_COMM_NODIGIT, PFX_KEY_PID,       PFX_KEY_TID,
		PFX_KEY_TGID,   PFX_KEY_DSO,          PFX_KEY_SYM,       PFX_KEY_CPU,
		PFX_KEY_SOCKET, PFX_KEY_CGROUP,       PFX_KEY_CGROUP_ID,
	};
	const struct pfx_columns *columns = options->columns;
	size_t i, k;

	if (options->chains || options->mode != PFX_REPORT_NORMAL)
		return false;
	for (i = 0; i < columns->order.nr; i++) {
		for (k = 0; k < sizeof(keys) / sizeof(*keys); k++)
			if (columns->order.at[i] == keys[k])
				break;
		if (k == sizeof(keys) / sizeof(*keys) && !pfx_key_is_value(columns->order.at[i]))
			return false;
	}
	return true;
}

static uint32_t place_of(struct carry *carry, uint32_t id)
{
	struct pfx_resolver *resolver = carry->from->options.resolver;
	struct pfx_place *place = pfx_resolver_place_at(resolver, id);
	uint32_t *first;

	pfx_place_symbol(resolver, place);
	first = pfx_vec_slot(&carry->place_of, place->sym_id);
	if (!*first)
		*first = id + 1;
	return *first - 1;
}

static void carry_bucket(struct carry *carry, uint32_t event, const struct pfx_bucket *old)
{
	const struct pfx_hists *from = carry->from;
	struct pfx_hists *to = carry->to;
	struct pfx_bucket_key key = old->key;
	struct pfx_bucket *bucket;

	if (carry->by_symbol)
		key.place = place_of(carry, key.place);

	if (to->nr_slots)
		key.words = pfx_hist_words_intern(
			to, &from->word_values.at[(size_t)key.words * from->nr_slots]);
	bucket = pfx_hist_bucket(to, event, &key);
	if (!bucket->period) {
		bucket->thread = old->thread;
		bucket->comm = old->comm;
		bucket->cpu = old->cpu;
	}
	bucket->period += old->period;
	bucket->count += old->count;
}

/* Without overflow. */
static uint64_t share(uint64_t value, unsigned part, unsigned whole)
{
	return value / whole * part + value % whole * part / whole;
}

struct pfx_hists *pfx_hists_carry(struct pfx_hists *from, unsigned part, unsigned whole,
				  uint32_t most)
{
	struct carry carry = {
		.to = pfx_hists_new(&from->options),
		.from = from,
		.by_symbol = is_by_symbol(&from->options),
	};
	bool is_full = pfx_hists_nr_distinct(from) > most;
	struct pfx_bucket bucket;
	size_t t;
	uint32_t i;

	if (carry.by_symbol)
		pfx_hist_prepare(from);
	for (t = 0; t < from->tallies.nr; t++)
		for (i = 0; i < from->tallies.at[t].nr; i++) {
			bucket = from->tallies.at[t].buckets[i];
			bucket.period = share(bucket.period, part, whole);
			bucket.count = share(bucket.count, part, whole);
			if (bucket.period && (bucket.count || !is_full))
				carry_bucket(&carry, (uint32_t)t, &bucket);
		}
	pfx_vec_free(&carry.place_of);
	carry.to->branches = from->branches;
	carry.to->parallelism = from->parallelism;
	return carry.to;
}
