/* SPDX-License-Identifier: MIT */
/*
 * Archives: a recording and the binaries that it needs in one file. The binaries have the layout of
 * the build-ID cache, so that any tar(1) can unpack them into one.
 */
#ifndef PFX_READ_ARCHIVE_H
#define PFX_READ_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define PFX_ARCHIVE_RECORDING "perf.data" /* name of the recording in an archive */
#define PFX_ARCHIVE_SOURCES   ".sources"  /* directory of source files in an archive */

/* Limits of the source files in an archive; more are skipped. */
#define PFX_ARCHIVE_SOURCE_SIZE_MAX  (64ull << 20)
#define PFX_ARCHIVE_SOURCES_SIZE_MAX (256ull << 20)
#define PFX_ARCHIVE_NR_SOURCES_MAX   10000

struct pfx_archive_counts {
	uint64_t nr_files;    /* number of binaries' files that were stored in the cache, or were
				 already there */
	uint64_t nr_skipped;  /* entries that are neither binaries nor the recording */
	uint64_t nr_wrong;    /* entries that are not the build in their name: not stored */
	uint64_t nr_replaced; /* files in the cache that were not the build in their name */
	char wrong[256], replaced[256]; /* the first of each, escaped for display */
	bool has_recording;
	uint64_t nr_sources, sources_size; /* source files, and their bytes */
};

/* The path of a source file in a directory that mirrors the file system, without "." and "..": for
 * "/a/../b.c" FOLDER/b.c. NULL: the name is not absolute or too long. The caller frees it. */
char *pfx_archive_source_path(const char *folder, const char *name);
/* Directory of the source files that were unpacked beside a recording. The caller frees it. */
char *pfx_archive_sources_of(const char *recording);

/* Unpack the binaries of the archive @path into the cache @dir, the recording to @recording
 * (NULL: not), and source files to pfx_archive_sources_of() it; both must not exist. Names in the
 * archive are checked: nothing is written elsewhere, and links in the archive are ignored. */
int pfx_archive_unpack(const char *path, const char *dir, const char *recording,
		       struct pfx_archive_counts *ret, struct pfx_error *err);

/* An archive that is unpacked into a directory below $TMPDIR while its recording is read. A child
 * process removes the directory if the program ends without freeing it. */
struct pfx_unpacked;

/* -ENODATA: the archive contains no recording. */
int pfx_unpacked_open(struct pfx_unpacked **ret, const char *path, struct pfx_error *err);
void pfx_unpacked_free(struct pfx_unpacked *unpacked);
/* The paths of the recording and the build-ID cache; both are valid until @unpacked is freed. */
const char *pfx_unpacked_recording(const struct pfx_unpacked *unpacked);
const char *pfx_unpacked_cache(const struct pfx_unpacked *unpacked);
const struct pfx_archive_counts *pfx_unpacked_counts(const struct pfx_unpacked *unpacked);

#endif
