/* SPDX-License-Identifier: MIT */
/* The newest records as a file: its name, and the sentence about it. */
#include <inttypes.h>

#include "browse/screen_files.h"
#include "cmd/top/top_internal.h"
#include "live/live_snapshot.h"

int pfx_top_snapshot(struct pfx_top *top, struct pfx_str *said, struct pfx_error *err)
{
	struct pfx_live_snapshot done;
	struct pfx_str name = {0};
	int rc = pfx_screen_files_free_name(&name, "perf.top", ".data", err);

	if (rc >= 0)
		rc = pfx_live_snapshot(top->live, name.at, &done, err);
	if (rc >= 0)
		pfx_str_addf(said, "%" PRIu64 " samples of the last %.1f s are in '%s'",
			     done.nr_samples, done.seconds, name.at);
	pfx_str_fini(&name);
	return rc;
}
