/* SPDX-License-Identifier: MIT */
/*
 * Requests another file, after a signal, a command, a time, an event or a size. Overwritable ring
 * buffers are copied for it.
 */
#include "record/recorder_internal.h"

void pfx_recorder_ask_switch(struct pfx_recorder *rec)
{
	if (!pfx_output_begin_switch(rec->out.to))
		return;
	pfx_drain_collect(&rec->loop.drain, NULL);
	pfx_output_ask_switch(rec->out.to);
}

bool pfx_recorder_passed_size(const struct pfx_recorder *rec)
{
	uint64_t limit = rec->plan.options->out.switch_bytes;

	return limit && pfx_drain_passed(&rec->loop.drain) >= limit;
}

void pfx_recorder_mark_off(struct pfx_recorder *rec)
{
	const struct pfx_recorder_options *o = rec->plan.options;

	if (o->out.off_cpu)
		__atomic_store_n(&rec->file.sink.off_ns,
				 rec->source.machine->now(o->use_clockid ? &o->clockid : NULL),
				 __ATOMIC_RELEASE);
}
