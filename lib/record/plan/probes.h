/* SPDX-License-Identifier: MIT */
/* Events that are places in code (uprobe:, kprobe:), of record and stat. */
#ifndef PFX_RECORD_PROBES_H
#define PFX_RECORD_PROBES_H

#include "base/error.h"
#include "pmu/parse/parse.h"
#include "record/options/recorder_news.h"
#include "record/options/recorder_options.h"
#include "sys/counter/counter.h"
#include "sys/counter/probe_guard.h"

/* Turn the files and functions that the user named into places. */
int pfx_probes_resolve(struct pfx_event_list *events, struct pfx_error *err);
/* After that: turn those that are to be followed into new processes into tracepoints, for as long
 * as @placed is there; reports those that cannot be. */
int pfx_probes_follow(struct pfx_recorder_options *options, struct pfx_probes *placed,
		      const struct pfx_recorder_observer *observer, struct pfx_error *err);
/* What the counter of a probe needs to know; other events are left alone. */
void pfx_probe_counter(const struct pfx_event_spec *spec, struct pfx_counter *counter);

#endif
