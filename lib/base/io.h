/* SPDX-License-Identifier: MIT */
/* Files and descriptors; EINTR and short transfers are handled. Sizes in bytes. */
#ifndef PFX_BASE_IO_H
#define PFX_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/error.h"

/* Read until @size bytes have arrived or the input ends: the number of bytes, or a negative
 * errno. */
ssize_t pfx_read_full(int fd, void *data, size_t size);
/* Write all: 0 or a negative errno. */
int pfx_write_full(int fd, const void *data, size_t size);
/* The same at an offset. */
int pfx_pwrite_full(int fd, const void *data, size_t size, off_t offset);
/* Open /dev/null for each of the descriptors 0 to 2 that is closed. Otherwise files opened later
 * would get these numbers. */
void pfx_fill_standard_files(void);

/*
 * Open a file for reading whose name the user did not choose (it comes from a recording, a program,
 * or a directory that other users can write to). Only a regular file is opened: opening a FIFO
 * would block until there is a writer, and opening a device may have side effects. @flags:
 * O_NOFOLLOW. @ret (may be NULL) gets the result of fstat(). Returns the descriptor or a negative
 * errno; -EINVAL: not a regular file.
 */
int pfx_open_plain(const char *path, int flags, struct stat *ret);

/*
 * Read a whole small file (from /proc, /sys or a configuration) into a NUL-terminated string that
 * the caller frees; *@ret_size may be NULL. More than @limit bytes: EFBIG. @err may be NULL.
 */
int pfx_read_file(const char *path, size_t limit, char **ret, size_t *ret_size,
		  struct pfx_error *err);
/* The same for a name that the user did not choose, see pfx_open_plain(). */
int pfx_read_plain_file(const char *path, size_t limit, char **ret, size_t *ret_size,
			struct pfx_error *err);
/* Whether a file can be read, or a directory exists, which the user has named in @option: 0, also
 * if @path is NULL, or a negative errno and @err. */
int pfx_check_readable(const char *option, const char *path, struct pfx_error *err);
int pfx_check_directory(const char *option, const char *path, struct pfx_error *err);
/* The first line of a small file without its newline into @line: 0 or a negative errno. */
int pfx_read_line(const char *path, char *line, size_t size);
/* A decimal (or 0x) number in a small file. */
int pfx_read_u64(const char *path, uint64_t *ret);

/*
 * Find a file as a process sees it whose root directory is @root ("/proc/1/root", or a descriptor
 * as "/proc/self/fd/3"): absolute symbolic links resolve within this root, and no link leads out of
 * it. @flags: O_DIRECTORY, O_NOFOLLOW. Returns a descriptor opened with O_PATH, or a negative
 * errno.
 */
int pfx_find_inside(const char *root, const char *name, int flags);
/* Reopen for reading the file of an O_PATH descriptor; -EINVAL when it is not a regular file.
 * Closes @at. A negative @at is returned as it is. */
int pfx_open_found(int at);

/* getenv(), or NULL if reading the environment is not allowed: a program has to allow it to libpfx.
 * The only access below lib/out. It is allowed until the next functions say otherwise. */
const char *pfx_environment(const char *name);
/* Nobody has allowed it so far: do not allow it. pfx_use_environment() (pfx/common.h) decides
 * otherwise, before or after. */
void pfx_environment_is_private(void);

/* The user's home directory ($HOME), or NULL. A relative path counts as unset, because it would
 * depend on the current directory. */
const char *pfx_home(void);

/* A file mapped for reading. Zero: no mapping. An empty file has size 0 and no data. If the file is
 * truncated, zeros are read (base/guard.h). */
struct pfx_mapping {
	const uint8_t *data;
	size_t size;
};
/* Map a regular file for random access: only the pages that are read become resident. */
int pfx_map_file(const char *path, struct pfx_mapping *ret, struct pfx_error *err);
/* @path is the name for pfx_guard_next_cut(); with NULL the caller checks pfx_mapping_was_cut(). */
int pfx_map_fd(int fd, size_t size, const char *path, struct pfx_mapping *ret);
/* Whether the file was truncated, so that zeros were read. */
bool pfx_mapping_was_cut(const struct pfx_mapping *m);
void pfx_unmap(struct pfx_mapping *m);

#endif
