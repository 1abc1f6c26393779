/* SPDX-License-Identifier: MIT */
/* All records of a recording: samples are counted in hists, other records in counts beside them. */
#ifndef PFX_HIST_READ_HISTS_H
#define PFX_HIST_READ_HISTS_H

#include "hist/hist.h"
#include "read/running.h"
#include "read/samples.h"
#include "read/thread_reads.h"

/* Input and output of reading. Everything is borrowed; the counts are results. */
struct pfx_hists_reading {
	struct pfx_recording *recording;
	struct pfx_hists *hists; /* NULL: samples are only counted by event */
	bool batch;              /* the frames of many samples will be requested */
	const struct pfx_filter *filter;
	const struct pfx_time_ranges *times; /* NULL: no limits */
	struct pfx_event_switch *event_switch;
	struct pfx_record_counts *counts;
	struct pfx_running *running;    /* NULL: the recording has no context switches */
	struct pfx_thread_reads *reads; /* counters of threads; NULL: not requested */
	/* Of the samples that the filter accepts by CPU, process, thread and name, in order:
	 * whether they count; others count in totals only. NULL: all. Samples after these do not.
	 */
	const uint8_t *chosen;
	uint32_t nr_chosen;
	pfx_reading_step_fn step; /* called with each record before it is counted */
	void *context;
};

/* Read all records: 0, or an error. */
int pfx_hists_read(const struct pfx_hists_reading *reading, struct pfx_error *err);

#endif
