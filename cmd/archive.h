/* SPDX-License-Identifier: MIT */
/*
 * Archives: a recording and the binaries that it needs in one file. Inside, the binaries lie as in
 * the build-id cache, so that any tar(1) can unpack them into one.
 */
#ifndef PFX_CMD_ARCHIVE_H
#define PFX_CMD_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define PFX_ARCHIVE_RECORDING "perf.data" /* what the recording is called in an archive */

struct pfx_archive_counts {
	uint64_t nr_files;   /* of binaries that went into the cache, or were there */
	uint64_t nr_skipped; /* that are neither of the cache nor the recording */
	bool has_recording;
};

/* Unpack the binaries of the archive @path into the cache @dir, and the recording to @recording
 * (NULL: not), which must not exist. Names in the archive are checked: nothing is written anywhere
 * else, links are never taken from it. */
int pfx_archive_unpack(const char *path, const char *dir, const char *recording,
		       struct pfx_archive_counts *ret, struct pfx_error *err);
/* Unpack the archive for this run of the program alone and take its binaries for the build-id
 * cache. The path of its recording goes to @ret; all is removed when the program ends, however it
 * does. */
int pfx_archive_use(const char *path, const char **ret, struct pfx_error *err);

#endif
