/* SPDX-License-Identifier: MIT */
/*
 * A recording as one iterator, for everybody who reads one. It puts together what reading takes:
 *the container (file, pipe, directory, archive), records in order of time, the model of what ran,
 *user frames that come later, and the frames of samples. Records that are no samples are applied to
 *the model by the iterator itself, after they were handed out. Owns all of its parts.
 *
 *	pfx_recording_open(&recording, path, &options, &err);
 *	pfx_recording_resolve(recording, &resolving);
 *	while ((rc = pfx_recording_next(recording, &item, &err)) > 0)
 *		if (item.sample)
 *			nr = pfx_resolve_chain(pfx_recording_resolver(recording),
 *				pfx_recording_thread(recording, item.sample), item.sample, &places);
 *	pfx_recording_free(recording);
 */
#ifndef PFX_READ_RECORDING_H
#define PFX_READ_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "file/order/order.h"
#include "file/reader/reader.h"
#include "session/session.h"
#include "unwind/resolve.h"

struct pfx_archive_counts;
struct pfx_recording;

struct pfx_recording_options {
	struct pfx_reader_options reader;
	/* Records as they lie in the file, none applied, no sample decoded: for who copies or
	 * counts.
	 */
	bool as_it_lies;
	bool unsorted; /* in the order of the file, but applied and decoded */
	/* Hand out user frames that come later as records of their own, and the samples without
	 * them. */
	bool late_frames_apart;
	bool guest_code; /* code of guests lies in the process that runs them */
};

/* One record. */
struct pfx_item {
	struct pfx_record rec;
	struct pfx_sample *sample; /* NULL: no sample, or one that does not decode */
};

/* @input, else "-" when standard input is a pipe, else "perf.data". */
const char *pfx_recording_path(const char *input);
/* Open pfx_recording_path(@path) ("-": standard input) and read what describes it. An archive is
 * unpacked for as long as it is read; its binaries are used then. @options may be NULL. */
int pfx_recording_open(struct pfx_recording **ret, const char *path,
		       const struct pfx_recording_options *options, struct pfx_error *err);
void pfx_recording_free(struct pfx_recording *recording);

/* Before the first record: frames and symbols will be asked for. The symbols and the memory of the
 * kernel that lie in a recording's directory are used unless the options name others. */
void pfx_recording_resolve(struct pfx_recording *recording,
			   const struct pfx_resolve_options *options);

/* Walk copied stacks in batches, on several threads: it saves time and changes no result. @wants
 * says whether the frames of a sample will be asked for. */
typedef bool (*pfx_wants_frames_fn)(void *context, const struct pfx_event *event,
				    const struct pfx_sample *sample);
void pfx_recording_batch(struct pfx_recording *recording, pfx_wants_frames_fn wants, void *context);

/* The next record: 1, 0 at the end, or an error. The item is valid until the next call. */
int pfx_recording_next(struct pfx_recording *recording, struct pfx_item *ret,
		       struct pfx_error *err);
/* Apply the record handed out last now, for who shows the state after it. */
void pfx_recording_apply(struct pfx_recording *recording);
/* Leave it out of the model: for who takes records away. */
void pfx_recording_drop(struct pfx_recording *recording);
/* Read what is left without looking at it, so that all that the records say about the recording is
 * known. */
int pfx_recording_finish(struct pfx_recording *recording, struct pfx_error *err);

struct pfx_recording_stats {
	uint64_t nr_samples;     /* handed out */
	uint64_t nr_bad_samples; /* that did not decode */
	bool nothing_read; /* no record was asked for: nothing is known of how many there are */
};
const struct pfx_recording_stats *pfx_recording_stats(const struct pfx_recording *recording);

/* The parts. The session is NULL of records as they lie; the resolver until it was asked for. */
struct pfx_meta *pfx_recording_meta(const struct pfx_recording *recording);
struct pfx_reader *pfx_recording_reader(const struct pfx_recording *recording);
struct pfx_session *pfx_recording_session(const struct pfx_recording *recording);
struct pfx_resolver *pfx_recording_resolver(const struct pfx_recording *recording);
/* Of the archive that the recording was in; NULL: it was in none. */
const struct pfx_archive_counts *pfx_recording_archive(const struct pfx_recording *recording);
/* NULL of records as they lie. */
const struct pfx_order_stats *pfx_recording_order_stats(const struct pfx_recording *recording);
/* The thread of a sample, made when it was not known. */
struct pfx_thread *pfx_recording_thread(const struct pfx_recording *recording,
					const struct pfx_sample *sample);

#endif
