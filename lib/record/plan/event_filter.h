/* SPDX-License-Identifier: MIT */
/* `--filter` of record and stat: it belongs to the events of the -e before it. */
#ifndef PFX_RECORD_EVENT_FILTER_H
#define PFX_RECORD_EVENT_FILTER_H

#include "base/error.h"
#include "pmu/parse/parse.h"
#include "sys/counter/counter.h"

/* Whether the events from @first on, those of the last -e, support @option (its name is for the
 * message). */
int pfx_event_filter_check(const struct pfx_event_list *events, size_t first, const char *option,
			   struct pfx_error *err);
/* Join @words with the expression in *@filter; the caller frees it. */
int pfx_event_filter_add(char **filter, const struct pfx_event_spec *spec, const char *words,
			 struct pfx_error *err);
/* The same for an expression of fields. */
void pfx_event_filter_and(char **filter, const char *text);
/* The same to exclude a thread. */
void pfx_event_filter_exclude(char **filter, uint64_t tid);
/* Add the fields of the tracepoint whose filter was refused to the hint. */
void pfx_event_filter_explain(const struct pfx_counters *counters, struct pfx_error *err);

#endif
