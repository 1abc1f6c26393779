/* SPDX-License-Identifier: MIT */
/*
 * Archives: a recording and the binaries that it needs in one file. Inside, the binaries lie as in
 * the build-id cache, so that any tar(1) can unpack them into one.
 */
#ifndef PFX_READ_ARCHIVE_H
#define PFX_READ_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define PFX_ARCHIVE_RECORDING "perf.data" /* name of the recording in an archive */

struct pfx_archive_counts {
	uint64_t nr_files;    /* of binaries that went into the cache, or were there */
	uint64_t nr_skipped;  /* that are neither of the cache nor the recording */
	uint64_t nr_wrong;    /* that are not the build that they are named as: left out */
	uint64_t nr_replaced; /* in the cache, that were not the build that they are named as */
	char wrong[256], replaced[256]; /* the first of each, fit to be shown */
	bool has_recording;
};

/* Unpack the binaries of the archive @path into the cache @dir, and the recording to @recording
 * (NULL: not), which must not exist. Names in the archive are checked: nothing is written anywhere
 * else, links are never taken from it. */
int pfx_archive_unpack(const char *path, const char *dir, const char *recording,
		       struct pfx_archive_counts *ret, struct pfx_error *err);

/* An archive in a directory of its own below $TMPDIR, for as long as its recording is read. A child
 * process removes the directory when the program ends without freeing it. */
struct pfx_unpacked;

/* -ENODATA: there is no recording in the archive. */
int pfx_unpacked_open(struct pfx_unpacked **ret, const char *path, struct pfx_error *err);
void pfx_unpacked_free(struct pfx_unpacked *unpacked);
/* Where the recording and the build-id cache are; both are valid until it is freed. */
const char *pfx_unpacked_recording(const struct pfx_unpacked *unpacked);
const char *pfx_unpacked_cache(const struct pfx_unpacked *unpacked);
const struct pfx_archive_counts *pfx_unpacked_counts(const struct pfx_unpacked *unpacked);

#endif
