/* SPDX-License-Identifier: MIT */
/* Files and descriptors, with EINTR and short transfers dealt with. Sizes in bytes. */
#ifndef PFX_BASE_IO_H
#define PFX_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/error.h"

/* Read until @size bytes are there or the input ends: the number of bytes, or a negative errno. */
ssize_t pfx_read_full(int fd, void *data, size_t size);
/* Write all: 0 or a negative errno. */
int pfx_write_full(int fd, const void *data, size_t size);
/* The same at an offset. */
int pfx_pwrite_full(int fd, const void *data, size_t size, off_t offset);
/* Open what is missing of descriptors 0 to 2, or the next files that are opened get these numbers.
 */
void pfx_fill_standard_files(void);

/*
 * Open a file for reading whose name was not chosen by the user: by a recording, a program, a
 * folder that others fill. Only a plain file is opened: a named pipe would wait for its writer, and
 * opening a device may do something. @flags: O_NOFOLLOW. @ret (may be NULL) is what fstat() says.
 * The descriptor, or a negative errno; -EINVAL: it is not a plain file.
 */
int pfx_open_plain(const char *path, int flags, struct stat *ret);

/*
 * A whole small file (of /proc, /sys or a configuration) as a NUL-terminated string that the caller
 * frees; *@ret_size may be NULL. At most @limit bytes are taken, EFBIG beyond. Quiet form: no error
 * text is wanted when @err is NULL.
 */
int pfx_read_file(const char *path, size_t limit, char **ret, size_t *ret_size,
		  struct pfx_error *err);
/* The same for a name that the user did not choose, see pfx_open_plain(). */
int pfx_read_plain_file(const char *path, size_t limit, char **ret, size_t *ret_size,
			struct pfx_error *err);
/* The first line of a small file without its newline into @line: 0 or a negative errno. */
int pfx_read_line(const char *path, char *line, size_t size);
/* A decimal (or 0x) number in a small file. */
int pfx_read_u64(const char *path, uint64_t *ret);

/*
 * Find a file as a process sees it, whose root directory is @root ("/proc/1/root", or a descriptor
 * "/proc/self/fd/3"): links in it that begin with a slash begin there, and none leads out of it.
 * @flags: O_DIRECTORY, O_NOFOLLOW. A descriptor with O_PATH, or a negative errno.
 */
int pfx_find_inside(const char *root, const char *name, int flags);
/* Open for reading what a descriptor with O_PATH stands for, when it is a plain file (else
 * -EINVAL). Takes it over; a negative one is the result. */
int pfx_open_found(int at);

/* The user's home directory ($HOME), NULL when there is none. A relative path is none: it would be
 * another directory wherever we are started. */
const char *pfx_home(void);

/* A file mapped for reading. Zero is none. An empty file has size 0 and no data. Where the file
 * becomes shorter, zeros are read (base/guard.h). */
struct pfx_mapping {
	const uint8_t *data;
	size_t size;
};
/* A plain file for looks here and there: what is not looked at takes no memory. */
int pfx_map_file(const char *path, struct pfx_mapping *ret, struct pfx_error *err);
/* @path is what pfx_guard_next_cut() calls it; NULL: the caller asks pfx_mapping_was_cut(). */
int pfx_map_fd(int fd, size_t size, const char *path, struct pfx_mapping *ret);
/* Whether the file became shorter, so that zeros were read instead of it. */
bool pfx_mapping_was_cut(const struct pfx_mapping *m);
void pfx_unmap(struct pfx_mapping *m);

#endif
