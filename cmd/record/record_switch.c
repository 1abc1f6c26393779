/* SPDX-License-Identifier: MIT */
/*
 * Recordings in several files: one is ended and named after the time, the next one begins with what
 * runs by then. The rings are emptied into the queue meanwhile. Runs on the queue's thread while it
 * records.
 */
#include "cmd/app/commands.h"
#include "cmd/record/record_internal.h"

int pfx_record_switch(struct pfx_recorder *rec, struct pfx_error *err)
{
	int rc = pfx_sink_put_sums(&rec->sink, err);

	if (rc >= 0)
		rc = pfx_record_end_file(rec, err);
	if (rc < 0)
		return rc;
	if (!rec->options->quiet)
		pfx_print_line("[ pfx record: dump data: Woken up %llu times ]",
			       (unsigned long long)__atomic_load_n(&rec->drain.nr_wakes,
								   __ATOMIC_RELAXED));
	rc = pfx_record_name_file(rec, err);
	if (rc < 0)
		return rc;
	rc = pfx_sink_close_file(&rec->sink, err);
	return rc < 0 ? rc : pfx_record_begin_file(rec, true, err);
}
