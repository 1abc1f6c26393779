/* SPDX-License-Identifier: MIT */
/*
 * Decides when AUX areas are written. The loop only checks whether an area has new data, and queues
 * a request in order with the records of the ring buffers; the writing thread writes directly from
 * the area.
 */
#include <stdlib.h>

#include "record/recorder_internal.h"

void pfx_recorder_trace_begin(struct pfx_recorder *rec)
{
	size_t nr = rec->source.areas.list.nr;

	rec->loop.trace.asked = pfx_calloc(nr + 1, sizeof(*rec->loop.trace.asked));
	rec->file.areas.is_off = rec->plan.options->out.delayed;
}

static int ask(struct pfx_recorder *rec, size_t number, struct pfx_error *err)
{
	return pfx_output_ask(rec->out.to, PFX_OUTPUT_ASK_OWN + number, err);
}

void pfx_recorder_trace_want_snapshot(struct pfx_recorder *rec)
{
	if (!rec->plan.options->trace.snapshot || !rec->plan.trace.kind ||
	    rec->plan.trace.in_samples)
		return;
	pfx_aux_switch(&rec->source.counters, false);
	rec->loop.trace.wants_snapshot = true;
}

/* Request all areas, then let the PMUs continue. */
static int ask_snapshot(struct pfx_recorder *rec, struct pfx_error *err)
{
	size_t nr = rec->source.areas.list.nr, i;
	int rc = 0;

	rec->loop.trace.wants_snapshot = false;
	for (i = 0; i <= nr && rc >= 0; i++)
		rc = ask(rec, i, err);
	return rc;
}

int pfx_recorder_trace_pass(struct pfx_recorder *rec, struct pfx_error *err)
{
	uint64_t head;
	size_t i;
	int rc = 0;

	if (rec->loop.trace.wants_snapshot)
		return ask_snapshot(rec, err);
	for (i = 0; i < rec->source.areas.list.nr && !rec->plan.trace.keeps_newest && rc >= 0;
	     i++) {
		head = pfx_aux_head(&rec->source.areas.list.at[i]);
		if (head == rec->loop.trace.asked[i])
			continue;
		rec->loop.trace.asked[i] = head;
		rc = ask(rec, i, err);
	}
	return rc;
}

int pfx_recorder_trace_last(struct pfx_recorder *rec, struct pfx_error *err)
{
	if (rec->plan.options->trace.snapshot_at_end && rec->plan.trace.kind &&
	    !rec->plan.trace.in_samples)
		rec->loop.trace.wants_snapshot = true;
	return pfx_recorder_trace_pass(rec, err);
}

void pfx_recorder_trace_set_off(struct pfx_recorder *rec, bool off)
{
	__atomic_store_n(&rec->file.areas.is_off, off, __ATOMIC_RELEASE);
}
