/* SPDX-License-Identifier: MIT */
/* Sums of READ records by thread and event. */
#include "read/thread_reads.h"

void pfx_thread_reads_take(struct pfx_thread_reads *reads, const struct pfx_meta *meta,
			   const struct pfx_record *rec)
{
	struct pfx_body body;
	uint64_t key, *slot;
	uint32_t i;
	bool is_new;

	if (rec->type != PFX_RECORD_READ || !rec->event ||
	    pfx_record_decode(rec, &rec->event->attr, &body, NULL))
		return;
	if (!reads->keys.nr)
		reads->nr_events = meta->nr_events;
	key = (uint64_t)body.read.pid << 32 | body.read.tid;
	slot = pfx_hash_add(&reads->by_tid, key, &is_new);
	if (is_new) {
		*slot = reads->keys.nr;
		pfx_vec_push(&reads->keys, key);
		for (i = 0; i < reads->nr_events; i++)
			pfx_vec_push(&reads->values, 0);
	}
	if (body.read.read.nr && rec->event->idx < reads->nr_events)
		reads->values.at[*slot * reads->nr_events + rec->event->idx] +=
			body.read.read.values[0].value;
}

void pfx_thread_reads_fini(struct pfx_thread_reads *reads)
{
	pfx_hash_fini(&reads->by_tid);
	pfx_vec_free(&reads->keys);
	pfx_vec_free(&reads->values);
}
