/* SPDX-License-Identifier: MIT */
/*
 * Archives of files in tar format, optionally compressed with zstd, compatible with tar(1). Reader
 * and writer own their descriptors. Names of entries are untrusted: check them before writing
 * files.
 */
#ifndef PFX_FILE_TAR_H
#define PFX_FILE_TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* --- writing --- */

struct pfx_tar_writer;

/* Begin an archive at @path, which appears there when it is finished. It is compressed unless the
 * name ends in ".tar"; -ENOTSUP if compression is not available. */
int pfx_tar_create(struct pfx_tar_writer **ret, const char *path, struct pfx_error *err);
/* Add the regular file @from under @name, with the size that it has at the start. */
int pfx_tar_add_file(struct pfx_tar_writer *tar, const char *name, const char *from,
		     struct pfx_error *err);
/* Add bytes under @name. */
int pfx_tar_add_bytes(struct pfx_tar_writer *tar, const char *name, const void *data, size_t size,
		      struct pfx_error *err);
/* Add a symbolic link. */
int pfx_tar_add_link(struct pfx_tar_writer *tar, const char *name, const char *target,
		     struct pfx_error *err);
int pfx_tar_finish(struct pfx_tar_writer *tar, struct pfx_error *err);
/* Without pfx_tar_finish(), removes the unfinished archive. */
void pfx_tar_writer_free(struct pfx_tar_writer *tar);

/* --- reading --- */

struct pfx_tar_reader;

struct pfx_tar_entry {
	const char *name; /* valid until the next entry */
	const char *link; /* target of a link, else NULL */
	uint64_t size;    /* bytes of a regular file */
	bool is_file;     /* a regular file; else a link, a directory or anything else */
};

/* Whether the file looks like an archive in a supported format. */
bool pfx_tar_is_archive(const char *path);
int pfx_tar_open(struct pfx_tar_reader **ret, const char *path, struct pfx_error *err);
/* The next entry: 1, 0 at the end, negative if the archive is damaged. */
int pfx_tar_next(struct pfx_tar_reader *tar, struct pfx_tar_entry *ret, struct pfx_error *err);
/* Write the bytes of the current entry, once, to @fd. */
int pfx_tar_copy(struct pfx_tar_reader *tar, int fd, struct pfx_error *err);
void pfx_tar_reader_free(struct pfx_tar_reader *tar);

#endif
