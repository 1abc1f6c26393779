/* SPDX-License-Identifier: MIT */
/* What the files of counting share. */
#ifndef PFX_STAT_COUNTING_INTERNAL_H
#define PFX_STAT_COUNTING_INTERNAL_H

#include "stat/counting.h"

/* Formatted text for the observer. */
void pfx_stat_tell(const struct pfx_stat_runner *run, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void pfx_counting_note(const struct pfx_stat_runner *run, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* --- counting_events.c: from options to events, counters and rows --- */
/* The events of the options, and the formulas of metrics: the work that may take long. Before
 * signals are taken, so that they end it. */
int pfx_stat_choose_events(struct pfx_stat_runner *run, struct pfx_error *err);
/* Their counters and rows. */
int pfx_stat_events(struct pfx_stat_runner *run, struct pfx_error *err);

/* --- counting_metric.c --- */
/* Append the events of the metrics in @words to @events; the metrics refer to them. */
int pfx_stat_metrics(struct pfx_stat_runner *run, const char *words, struct pfx_event_list *events,
		     struct pfx_error *err);
/* What expressions may ask about the machine. */
void pfx_stat_machine(struct pfx_stat_runner *run);

/* --- counting_smi.c: --smi-cost --- */
/* Append its events. */
int pfx_stat_smi_events(struct pfx_stat_runner *run, struct pfx_error *err);
/* Let the counters of the cores stop while the firmware works, where --smi-cost wants it. */
int pfx_stat_smi_begin(struct pfx_stat_runner *run, struct pfx_error *err);
void pfx_stat_smi_end(struct pfx_stat_runner *run);

/* --- counting_read.c: from counters to the table --- */
/* Groups and room for all counts; the counters are open. */
int pfx_stat_counts_prepare(struct pfx_stat_runner *run, struct pfx_error *err);
/* Read all counters; what they say since the last time goes into the table, or since the start.
 * @wall_ns: how long that took. */
void pfx_stat_counts_read(struct pfx_stat_runner *run, uint64_t wall_ns, bool since_start);
/* Counters are opened afresh: they start from zero. */
void pfx_stat_counts_restart(struct pfx_stat_runner *run);

/* --- counting_file.c: counts into a file --- */
int pfx_stat_record_begin(struct pfx_stat_runner *run, struct pfx_error *err);
/* One counter's count; @event and @fd are indices. An error is kept until the end. */
void pfx_stat_record_count(struct pfx_stat_runner *run, size_t event, size_t fd,
			   const uint64_t count[3]);
void pfx_stat_record_round(struct pfx_stat_runner *run, bool is_final, uint64_t at_ns);
int pfx_stat_record_end(struct pfx_stat_runner *run, struct pfx_error *err);

#endif
