/* SPDX-License-Identifier: MIT */
/*
 * Archives of files, in the form of tar and packed by zstd or not, as tar(1) reads and writes them.
 * Both sides own what they opened; names of entries are foreign text that says where a stranger
 * would like a file to be: who writes files checks them.
 */
#ifndef PFX_FILE_TAR_H
#define PFX_FILE_TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* --- writing --- */

struct pfx_tar_writer;

/* Begin an archive at @path, which appears there when it is finished. It is packed unless the name
 * ends in ".tar"; -ENOTSUP when it cannot be. */
int pfx_tar_create(struct pfx_tar_writer **ret, const char *path, struct pfx_error *err);
/* Add the plain file @from under @name. Its size is what it has at the beginning. */
int pfx_tar_add_file(struct pfx_tar_writer *tar, const char *name, const char *from,
		     struct pfx_error *err);
/* Add bytes under @name. */
int pfx_tar_add_bytes(struct pfx_tar_writer *tar, const char *name, const void *data, size_t size,
		      struct pfx_error *err);
/* Add a symbolic link. */
int pfx_tar_add_link(struct pfx_tar_writer *tar, const char *name, const char *target,
		     struct pfx_error *err);
int pfx_tar_finish(struct pfx_tar_writer *tar, struct pfx_error *err);
/* Without pfx_tar_finish() nothing is left of the archive. */
void pfx_tar_writer_free(struct pfx_tar_writer *tar);

/* --- reading --- */

struct pfx_tar_reader;

struct pfx_tar_entry {
	const char *name; /* valid until the next entry */
	const char *link; /* where a link leads, else NULL */
	uint64_t size;    /* bytes of a plain file */
	bool is_file;     /* a plain file; else a link, a directory or something stranger */
};

/* Whether the file looks like an archive that can be read. */
bool pfx_tar_is_archive(const char *path);
int pfx_tar_open(struct pfx_tar_reader **ret, const char *path, struct pfx_error *err);
/* The next entry: 1, 0 at the end, negative when the archive is damaged. */
int pfx_tar_next(struct pfx_tar_reader *tar, struct pfx_tar_entry *ret, struct pfx_error *err);
/* Write the bytes of the entry at hand, once, to @fd. */
int pfx_tar_copy(struct pfx_tar_reader *tar, int fd, struct pfx_error *err);
void pfx_tar_reader_free(struct pfx_tar_reader *tar);

#endif
