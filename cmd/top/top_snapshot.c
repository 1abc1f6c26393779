/* SPDX-License-Identifier: MIT */
/* The newest records as a file: its name. */
#include "browse/screen_files.h"
#include "cmd/top/top_internal.h"
#include "live/live_snapshot.h"

int pfx_top_snapshot(struct pfx_top *top, struct pfx_str *ret_name, struct pfx_live_snapshot *ret,
		     struct pfx_error *err)
{
	int rc = pfx_screen_files_free_name(ret_name, "perf.top", ".data", err);

	return rc < 0 ? rc : pfx_live_snapshot(top->live, ret_name->at, ret, err);
}
