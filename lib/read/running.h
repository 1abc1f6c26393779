/* SPDX-License-Identifier: MIT */
/*
 * The number of running threads at a time, from context switches: threads that were switched in,
 * and not switched out or ended since. Zero-initialize; owns its table.
 */
#ifndef PFX_READ_RUNNING_H
#define PFX_READ_RUNNING_H

#include "base/hash.h"
#include "event/record.h"

struct pfx_running {
	struct pfx_hash tids;
};

/* Take a record, in order of time; returns the number after it. Ignores other types of records. */
uint32_t pfx_running_take(struct pfx_running *running, const struct pfx_record *rec);
void pfx_running_fini(struct pfx_running *running);

#endif
