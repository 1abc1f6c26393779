/* SPDX-License-Identifier: MIT */
/*
 * Samples with the counter values of a whole group. Only the leader samples; the increase of each
 * member since the previous sample becomes one sample of that member. Does not use maps and
 * threads.
 */
#include "session/session_internal.h"

/* Inherited events have one value per thread. */
static uint64_t count_key(const struct pfx_event *event, const struct pfx_sample *sample,
			  uint64_t id)
{
	return event->attr.flags & PFX_ATTR_INHERIT ? id ^ pfx_hash_u64(sample->tid) : id;
}

static void add_part(struct pfx_session *session, const struct pfx_event *event,
		     const struct pfx_sample *sample, const struct pfx_read_value *value)
{
	const struct pfx_event *member = pfx_meta_find_id(session->meta, value->id);
	uint64_t *last, period;

	if (!member) {
		session->stats.nr_unknown_ids++;
		return;
	}
	last = pfx_hash_add(&session->counts, count_key(event, sample, value->id), NULL);
	period = value->value - *last;
	*last = value->value;
	if (period)
		pfx_vec_push(&session->parts,
			     ((struct pfx_sample_part){member, value->id, period}));
}

uint32_t pfx_session_split_sample(struct pfx_session *session, const struct pfx_event *event,
				  const struct pfx_sample *sample, struct pfx_sample_part **ret)
{
	struct pfx_read read;
	uint64_t i;

	session->parts.nr = 0;
	if (!pfx_session_splits(event) || !(sample->type & PFX_SAMPLE_READ) ||
	    !pfx_sample_read(sample, &event->attr, &read)) {
		pfx_vec_push(&session->parts,
			     ((struct pfx_sample_part){event, sample->id, sample->period}));
	} else {
		for (i = 0; i < read.nr && i < PFX_READ_MAX; i++)
			add_part(session, event, sample, &read.values[i]);
	}
	*ret = session->parts.at;
	return (uint32_t)session->parts.nr;
}
