/* SPDX-License-Identifier: MIT */
/*
 * How many threads run at a time, from context switches: those that switched in and did not switch
 * out or end since. Zero is none; owns its table.
 */
#ifndef PFX_READ_RUNNING_H
#define PFX_READ_RUNNING_H

#include "base/hash.h"
#include "event/record.h"

struct pfx_running {
	struct pfx_hash tids;
};

/* Take a record in order of time; the number after it. Records of other types change nothing. */
uint32_t pfx_running_take(struct pfx_running *running, const struct pfx_record *rec);
void pfx_running_fini(struct pfx_running *running);

#endif
