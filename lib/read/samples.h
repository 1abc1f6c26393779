/* SPDX-License-Identifier: MIT */
/*
 * The samples of a recording, once for each event that they count for: the loop of all commands
 * that aggregate. A sample of a group with the values of several counters is handed out once for
 * each counter that increased.
 */
#ifndef PFX_READ_SAMPLES_H
#define PFX_READ_SAMPLES_H

#include "read/event_switch.h"
#include "read/filter.h"
#include "read/record_counts.h"
#include "read/recording.h"
#include "read/time_ranges.h"

/* Called with each record first; a negative result ends reading with that error, a positive one as
 * if the recording ended here. */
typedef int (*pfx_reading_step_fn)(void *context, const struct pfx_item *item,
				   struct pfx_error *err);
/* A sample of @event, with the id and the period that count for it. */
typedef void (*pfx_take_sample_fn)(void *context, const struct pfx_event *event,
				   const struct pfx_sample *sample, struct pfx_thread *thread);
typedef void (*pfx_take_record_fn)(void *context, const struct pfx_record *rec);

/* Everything is borrowed. */
struct pfx_samples_reading {
	struct pfx_recording *recording;
	bool batch;                            /* the frames of many samples will be requested */
	const struct pfx_filter *filter;       /* by CPU; all else is the caller's task */
	const struct pfx_time_ranges *times;   /* NULL: no limits */
	struct pfx_event_switch *event_switch; /* NULL: none */
	struct pfx_record_counts *counts; /* result, also of dropped samples; NULL: not requested */
	pfx_take_sample_fn take;          /* NULL: samples are only counted */
	pfx_take_record_fn other;         /* records that are not samples; NULL: ignored */
	void *context;                    /* of these two */
	pfx_reading_step_fn step;         /* NULL: none */
	void *step_context;
};

/* Read all records: 0, or an error. */
int pfx_samples_read(const struct pfx_samples_reading *reading, struct pfx_error *err);

#endif
