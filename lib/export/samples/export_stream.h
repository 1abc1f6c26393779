/* SPDX-License-Identifier: MIT */
/*
 * The samples of a recording one after another, for formats that keep nothing for each sample
 * (PFX_EXPORT_STREAM): filters by everything that a sample and its own frame have. Borrows all of
 * it.
 */
#ifndef PFX_EXPORT_EXPORT_STREAM_H
#define PFX_EXPORT_EXPORT_STREAM_H

#include "read/samples.h"

struct pfx_redact;

struct pfx_export_stream {
	/* Recording, filters and progress; what is done with samples is set by
	 * pfx_export_stream_read(). After pfx_recording_resolve(). */
	struct pfx_samples_reading reading;
	const char *const *events; /* names; nr_events 0: all */
	size_t nr_events;
	const char *levels;        /* letters of pfx_place_level(); NULL: all */
	bool drop_unresolved;      /* samples without a symbol */
	bool no_chains;            /* call chains are ignored */
	struct pfx_redact *redact; /* replaces names: samples/redact.h; NULL: they stay */
	uint64_t *nr_samples;      /* result: how many passed; NULL: not requested */
};

/* A sample that passes. A negative errno ends reading. */
typedef int (*pfx_stream_take_fn)(void *context, const struct pfx_event *event,
				  const struct pfx_sample *sample, struct pfx_thread *thread);

/* Read all: 0, an error of reading, or what the function returned. @other: records that are not
 * samples; NULL: ignored. */
int pfx_export_stream_read(const struct pfx_export_stream *stream, pfx_stream_take_fn take,
			   pfx_take_record_fn other, void *context, struct pfx_error *err);

#endif
