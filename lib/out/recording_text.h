/* SPDX-License-Identifier: MIT */
/*
 * Data of a recording besides samples, as text and as JSON: counts of records, tasks with their
 * mappings, counts of threads. Untrusted text is escaped; text is appended to a string.
 */
#ifndef PFX_OUT_RECORDING_TEXT_H
#define PFX_OUT_RECORDING_TEXT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"
#include "event/meta.h"
#include "read/record_counts.h"
#include "read/thread_reads.h"
#include "session/session.h"

/* Records by type and samples by event (--stats); @empty: also those that do not occur. */
void pfx_record_counts_text(const struct pfx_record_counts *counts,
			    const struct pfx_session *session, const struct pfx_meta *meta,
			    bool empty, struct pfx_str *to);
/* The same as an object. */
void pfx_record_counts_json(const struct pfx_record_counts *counts,
			    const struct pfx_session *session, const struct pfx_meta *meta,
			    struct pfx_str *to);

/* The forest of tasks (--tasks), with the mappings of each process if @mmaps. Long text goes to
 * standard output in pieces: 0, or a negative errno with an error. */
int pfx_tasks_text(struct pfx_session *session, bool mmaps, struct pfx_str *to,
		   struct pfx_error *err);
/* The same as an array in the order of tids; all of it is appended. */
void pfx_tasks_json(struct pfx_session *session, bool mmaps, struct pfx_str *to);

/* A line per thread with a column per event; @raw: a line per number, with the event's idx. */
void pfx_thread_reads_text(const struct pfx_thread_reads *reads, const struct pfx_meta *meta,
			   bool raw, struct pfx_str *to);
/* The same as an array, an object per thread. */
void pfx_thread_reads_json(const struct pfx_thread_reads *reads, const struct pfx_meta *meta,
			   struct pfx_str *to);

#endif
