/* SPDX-License-Identifier: MIT */
/* Counts of records by type and of samples by event; the session has those of the other types. */
#include "read/record_counts.h"

void pfx_record_counts_lost(struct pfx_record_counts *counts, const struct pfx_record *rec)
{
	struct pfx_body body;

	if (rec->type == PFX_RECORD_LOST_SAMPLES && rec->event &&
	    !pfx_record_decode(rec, &rec->event->attr, &body, NULL))
		*pfx_vec_slot(&counts->nr_lost_by_event, rec->event->idx) += body.lost_samples;
}

uint64_t pfx_record_counts_event(const struct pfx_record_counts *counts, uint32_t idx,
				 uint64_t *ret_lost)
{
	*ret_lost = idx < counts->nr_lost_by_event.nr ? counts->nr_lost_by_event.at[idx] : 0;
	return idx < counts->nr_by_event.nr ? counts->nr_by_event.at[idx] : 0;
}

uint64_t pfx_record_counts_type(const struct pfx_record_counts *counts,
				const struct pfx_session *session, uint32_t type)
{
	return type == PFX_RECORD_SAMPLE ? counts->nr_samples
					 : pfx_session_stats(session)->nr_by_type[type];
}

void pfx_record_counts_fini(struct pfx_record_counts *counts)
{
	pfx_vec_free(&counts->nr_by_event);
	pfx_vec_free(&counts->nr_lost_by_event);
}
