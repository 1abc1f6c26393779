/* SPDX-License-Identifier: MIT */
/* Shared by the files of counting. */
#ifndef PFX_STAT_COUNTING_INTERNAL_H
#define PFX_STAT_COUNTING_INTERNAL_H

#include "stat/counting.h"

/* Formatted text for the observer. */
void pfx_stat_tell(const struct pfx_stat_runner *run, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void pfx_counting_note(const struct pfx_stat_runner *run, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* --- counting_events.c: from options to events, counters and rows --- */
/* Determine the events and the formulas of metrics. This may take long, so call it before signals
 * are blocked. */
int pfx_stat_choose_events(struct pfx_stat_runner *run, struct pfx_error *err);
/* Their counters and rows. */
int pfx_stat_events(struct pfx_stat_runner *run, struct pfx_error *err);
/* Whether the event is of a PMU that lists CPUs but is not a core's. */
bool pfx_stat_is_outside_of_cores(const struct pfx_event_spec *spec);

/* --- counting_metric.c --- */
/* Append the events of the metrics in @words (NULL: those that are shown unasked) to @events; the
 * metrics refer to them. */
int pfx_stat_metrics(struct pfx_stat_runner *run, const char *words, struct pfx_event_list *events,
		     struct pfx_error *err);
/* Set the machine's values for metric expressions. */
void pfx_stat_machine(struct pfx_stat_runner *run);

/* --- counting_smi.c: --smi-cost --- */
/* Append its events. */
int pfx_stat_smi_events(struct pfx_stat_runner *run, struct pfx_error *err);
/* Make core counters stop during SMIs, if --smi-cost requires it. */
int pfx_stat_smi_begin(struct pfx_stat_runner *run, struct pfx_error *err);
void pfx_stat_smi_end(struct pfx_stat_runner *run);

/* --- counting_read.c: from counters to the table --- */
/* Allocate groups and counts; the counters are open. */
int pfx_stat_counts_prepare(struct pfx_stat_runner *run, struct pfx_error *err);
/* Read all counters; the increase since the last reading, or since the start, goes into the table.
 * @wall_ns: the elapsed time. */
void pfx_stat_counts_read(struct pfx_stat_runner *run, uint64_t wall_ns, bool since_start);
/* Counters were opened again: they start from zero. */
void pfx_stat_counts_restart(struct pfx_stat_runner *run);

/* --- counting_file.c: counts into a file --- */
int pfx_stat_record_begin(struct pfx_stat_runner *run, struct pfx_error *err);
/* Write one counter's count; @event and @fd are indices. Errors are kept until the end. */
void pfx_stat_record_count(struct pfx_stat_runner *run, size_t event, size_t fd,
			   const uint64_t count[3]);
void pfx_stat_record_round(struct pfx_stat_runner *run, bool is_final, uint64_t at_ns);
int pfx_stat_record_end(struct pfx_stat_runner *run, struct pfx_error *err);

#endif
