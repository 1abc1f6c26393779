/* SPDX-License-Identifier: MIT */
/*
 * A recording as one iterator, for all readers. It combines the container (file, pipe, directory,
 * archive), the time order of records, the session, deferred user frames, and the frames of
 * samples. After a record other than a sample was handed out, the iterator applies it to the
 * session itself. Owns all its parts.
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
	/* Records in file order, not applied, samples not decoded: for copying or counting
	 * records. */
	bool as_it_lies;
	bool unsorted; /* in file order, but applied and decoded */
	/* Hand out CALLCHAIN_DEFERRED records, and samples without their frames. */
	bool late_frames_apart;
	bool guest_code; /* look up guest addresses in the maps of the guest's process */
};

/* One record. */
struct pfx_item {
	struct pfx_record rec;
	struct pfx_sample *sample; /* NULL: another record, or a sample that could not be decoded */
};

/* @input, else "-" when standard input is a pipe, else "perf.data". */
const char *pfx_recording_path(const char *input);
/* Open pfx_recording_path(@path) ("-": standard input) and read its header. An archive is unpacked
 * for as long as it is read, and its binaries are used for symbols. @options may be NULL. */
int pfx_recording_open(struct pfx_recording **ret, const char *path,
		       const struct pfx_recording_options *options, struct pfx_error *err);
void pfx_recording_free(struct pfx_recording *recording);

/* Prepare for frames and symbols; call it before the first record. kallsyms and kcore in the
 * recording's directory are used unless the options name others. */
void pfx_recording_resolve(struct pfx_recording *recording,
			   const struct pfx_resolve_options *options);

/* Unwind stack dumps in batches, on several threads: saves time and does not change any result.
 * @wants returns whether the frames of a sample will be requested. */
typedef bool (*pfx_wants_frames_fn)(void *context, const struct pfx_event *event,
				    const struct pfx_sample *sample);
void pfx_recording_batch(struct pfx_recording *recording, pfx_wants_frames_fn wants, void *context);
/* The context of pfx_recording_batch() ends: from now on no sample's frames are requested. */
void pfx_recording_batch_forget(struct pfx_recording *recording);

/* Read the next record: 1, 0 at the end, or a negative errno. The item is valid until the next
 * call. */
int pfx_recording_next(struct pfx_recording *recording, struct pfx_item *ret,
		       struct pfx_error *err);
/* Apply the last record now, to use the state after it. */
void pfx_recording_apply(struct pfx_recording *recording);
/* Do not apply the last record, because it is removed from the output. */
void pfx_recording_drop(struct pfx_recording *recording);
/* Read and apply all remaining records, so that metadata at the end of a stream is complete. */
int pfx_recording_finish(struct pfx_recording *recording, struct pfx_error *err);

struct pfx_recording_stats {
	uint64_t nr_samples;     /* handed out */
	uint64_t nr_bad_samples; /* that could not be decoded */
	bool nothing_read;       /* no record was read, so that the counts are unknown */
};
const struct pfx_recording_stats *pfx_recording_stats(const struct pfx_recording *recording);

/* The parts. The session is NULL with `as_it_lies`; the resolver before pfx_recording_resolve(). */
struct pfx_meta *pfx_recording_meta(const struct pfx_recording *recording);
struct pfx_reader *pfx_recording_reader(const struct pfx_recording *recording);
struct pfx_session *pfx_recording_session(const struct pfx_recording *recording);
struct pfx_resolver *pfx_recording_resolver(const struct pfx_recording *recording);
/* Counts of the archive that contained the recording; NULL: not from an archive. */
const struct pfx_archive_counts *pfx_recording_archive(const struct pfx_recording *recording);
/* Directory of the source files that were archived with the recording; it need not exist. NULL: not
 * read from a file. */
const char *pfx_recording_sources(const struct pfx_recording *recording);
/* NULL with `as_it_lies`. */
const struct pfx_order_stats *pfx_recording_order_stats(const struct pfx_recording *recording);
/* The thread of a sample; an unknown thread is added. */
struct pfx_thread *pfx_recording_thread(const struct pfx_recording *recording,
					const struct pfx_sample *sample);

#endif
