/* SPDX-License-Identifier: MIT */
/*
 * Counts records of a recording by type, and samples by event. Zero-initialize; owns its lists. The
 * reader of the recording adds samples and passes on the LOST_SAMPLES records; the other types are
 * counted by the session.
 */
#ifndef PFX_READ_RECORD_COUNTS_H
#define PFX_READ_RECORD_COUNTS_H

#include <stdint.h>

#include "base/alloc.h"
#include "event/record.h"
#include "session/session.h"

struct pfx_record_counts {
	uint64_t nr_samples;           /* SAMPLE records */
	PFX_VEC(uint64_t) nr_by_event; /* samples, by event idx; parts of a group's sample count */
	PFX_VEC(uint64_t) nr_lost_by_event; /* sum of the LOST_SAMPLES records, by event idx */
};

/* Add the number in a LOST_SAMPLES record of a known event; other records are ignored. */
void pfx_record_counts_lost(struct pfx_record_counts *counts, const struct pfx_record *rec);
/* Samples of an event, and lost ones. */
uint64_t pfx_record_counts_event(const struct pfx_record_counts *counts, uint32_t idx,
				 uint64_t *ret_lost);
/* Records of a type, 0 to PFX_RECORD_USER_MAX. */
uint64_t pfx_record_counts_type(const struct pfx_record_counts *counts,
				const struct pfx_session *session, uint32_t type);
void pfx_record_counts_fini(struct pfx_record_counts *counts);

#endif
