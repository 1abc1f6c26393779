/* SPDX-License-Identifier: MIT */
/*
 * A few samples of each row, with time and position in the file. Each bucket has a list of its
 * first samples; a row takes them from its buckets until it has enough.
 */
#include "hist/hist_internal.h"

static uint64_t key_of(uint32_t event, uint32_t nr)
{
	return (uint64_t)event << 32 | nr;
}

/* The value of a bucket: the index of its first sample in the upper half, that of its last one in
 * the lower half, plus 1. */
void pfx_hist_keep(const struct pfx_hist_sample *from, uint32_t nr)
{
	struct pfx_hists *hists = from->hists;
	const struct pfx_sample *sample = from->sample;
	const struct pfx_hist_kept kept = {
		.sample = {sample->time, sample->pid, sample->tid, sample->cpu}};
	uint64_t *slot = pfx_hash_add(&hists->kept_of, key_of(from->event->idx, nr), NULL);
	uint64_t at;

	pfx_vec_push(&hists->kept, kept);
	at = hists->kept.nr;
	if (*slot)
		hists->kept.at[(uint32_t)*slot - 1].next = (uint32_t)at;
	*slot = (*slot ? *slot >> 32 << 32 : at << 32) | (uint32_t)at;
}

void pfx_hist_kept_to_row(struct pfx_hists *hists, uint32_t event, uint32_t nr, struct pfx_row *row)
{
	uint32_t max = hists->options.nr_kept;
	const uint64_t *slot = pfx_hash_get(&hists->kept_of, key_of(event, nr));
	uint64_t at;

	if (!row->kept)
		row->kept = pfx_arena_array(&hists->arena, struct pfx_kept_sample, max);
	for (at = slot ? *slot >> 32 : 0; at && row->nr_kept < max;
	     at = hists->kept.at[at - 1].next)
		row->kept[row->nr_kept++] = hists->kept.at[at - 1].sample;
}
