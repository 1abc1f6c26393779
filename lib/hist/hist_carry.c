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

struct carry {
	struct pfx_hists *to;
	const struct pfx_hists *from;
	struct pfx_place_joiner *joined; /* of the new set; NULL: columns distinguish addresses */
};

/* Whether call trees show functions alone. */
static bool has_function_chains(const struct pfx_hist_options *options)
{
	return !options->chains || (options->graph->key == PFX_GRAPH_FUNCTION &&
				    !options->graph->branch && !options->branch_history);
}

/* Whether rows that differ in the address alone are equal. */
static bool is_by_symbol(const struct pfx_hist_options *options)
{
	static const enum pfx_key keys[] = {
		PFX_KEY_COMM,     PFX_KEY_COMM_NODIGIT, PFX_KEY_PID,       PFX_KEY_TID,
		PFX_KEY_TGID,     PFX_KEY_DSO,          PFX_KEY_SYM,       PFX_KEY_CPU,
		PFX_KEY_SOCKET,   PFX_KEY_CGROUP,       PFX_KEY_CGROUP_ID, PFX_KEY_SYM_SIZE,
		PFX_KEY_DSO_SIZE, PFX_KEY_IPC_NULL,
	};
	const struct pfx_columns *columns = options->columns;
	size_t i, k;

	if (options->mode != PFX_REPORT_NORMAL || !has_function_chains(options))
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

static void carry_bucket(struct carry *carry, uint32_t event, const struct pfx_bucket *old)
{
	const struct pfx_hists *from = carry->from;
	struct pfx_hists *to = carry->to;
	struct pfx_bucket_key key = old->key;
	struct pfx_bucket *bucket;

	if (carry->joined) {
		key.place = pfx_join_place(carry->joined, key.place);
		key.chain = pfx_join_chain(carry->joined, key.chain);
	}
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

/* What addresses are joined to stays the same from set to set. */
static struct pfx_place_joiner *take_joined(struct pfx_hists *from, struct pfx_hists *to)
{
	if (!is_by_symbol(&from->options))
		return NULL;
	to->joined = from->joined ? from->joined : pfx_place_joiner_new(from->options.resolver);
	from->joined = NULL;
	return to->joined;
}

struct pfx_hists *pfx_hists_carry(struct pfx_hists *from, unsigned part, unsigned whole,
				  uint32_t most)
{
	struct carry carry = {
		.to = pfx_hists_new(&from->options),
		.from = from,
	};
	bool is_full = pfx_hists_nr_distinct(from) > most;
	struct pfx_bucket bucket;
	size_t t;
	uint32_t i;

	carry.joined = take_joined(from, carry.to);
	if (carry.joined)
		pfx_hist_prepare(from);
	for (t = 0; t < from->tallies.nr; t++)
		for (i = 0; i < from->tallies.at[t].nr; i++) {
			bucket = from->tallies.at[t].buckets[i];
			bucket.period = share(bucket.period, part, whole);
			bucket.count = share(bucket.count, part, whole);
			if (bucket.period && (bucket.count || !is_full))
				carry_bucket(&carry, (uint32_t)t, &bucket);
		}
	carry.to->branches = from->branches;
	carry.to->parallelism = from->parallelism;
	return carry.to;
}
