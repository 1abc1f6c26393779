/* SPDX-License-Identifier: MIT */
/* Probes as events (uprobe:, kprobe:), for record and stat. */
#ifndef PFX_RECORD_PROBES_H
#define PFX_RECORD_PROBES_H

#include "base/error.h"
#include "pmu/parse/parse.h"
#include "record/options/recorder_news.h"
#include "record/options/recorder_options.h"
#include "sys/counter/counter.h"
#include "sys/counter/probe_guard.h"

/* Resolve files and functions to locations. */
int pfx_probes_resolve(struct pfx_event_list *events, struct pfx_error *err);
/* Call it afterwards: replaces probes that must be inherited by new processes with tracepoints,
 * which exist as long as @placed; reports those that cannot be replaced. */
int pfx_probes_follow(struct pfx_recorder_options *options, struct pfx_probes *placed,
		      const struct pfx_recorder_observer *observer, struct pfx_error *err);
/* Set the attr of a probe's counter; other events are unchanged. */
void pfx_probe_counter(const struct pfx_event_spec *spec, struct pfx_counter *counter);

#endif
