/* SPDX-License-Identifier: MIT */
/*
 * Another file is asked for, by a signal, a command, the clock, an event or the size. Rings that
 * keep the newest records (--overwrite) are copied for it. On the thread that empties the rings.
 */
#include "cmd/record/record_internal.h"

void pfx_record_ask_switch(struct pfx_recorder *rec)
{
	if (!pfx_output_begin_switch(rec->out.to))
		return;
	pfx_drain_collect(&rec->drain, NULL);
	pfx_output_ask_switch(rec->out.to);
}

bool pfx_record_passed_size(const struct pfx_recorder *rec)
{
	uint64_t limit = rec->options->output_side.switch_bytes;

	return limit && pfx_drain_passed(&rec->drain) >= limit;
}
