/* SPDX-License-Identifier: MIT */
/* The newest records as a perf.data file, so that what was just seen can be kept. */
#ifndef PFX_LIVE_SNAPSHOT_H
#define PFX_LIVE_SNAPSHOT_H

#include "base/error.h"
#include "live/live.h"

struct pfx_live_snapshot {
	uint64_t nr_samples, bytes; /* of the records */
	double seconds;             /* that they cover */
};

/* Write the records that are kept (options log_bytes, log_ns) to a new file, with the tasks as they
 * were before the oldest of them. */
int pfx_live_snapshot(struct pfx_live *live, const char *path, struct pfx_live_snapshot *ret,
		      struct pfx_error *err);

#endif
