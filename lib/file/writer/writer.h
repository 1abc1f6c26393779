/* SPDX-License-Identifier: MIT */
/*
 * Writing perf.data: a file (header, ids, attrs, records, features) or a stream for a pipe. The
 * writer sees bytes; it asks nothing of the kernel and knows no ring. It owns its descriptor.
 */
#ifndef PFX_FILE_WRITER_H
#define PFX_FILE_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/error.h"
#include "event/meta.h"

struct pfx_writer;

/* Open the output: "-" is standard output (a pipe stream). An existing non-empty file becomes
 * PATH.old; the new one has mode 0600. Nothing is touched before this call. Links are followed;
 * what another user may have put there for us is refused (EACCES). -EAGAIN: nobody reads the named
 * pipe yet; nothing was done. */
int pfx_writer_open(struct pfx_writer **ret, const char *path, struct pfx_error *err);
/* The same for a recording in a directory: makes it, with mode 0700, and writes its file `data`.
 * The files beside it are the caller's. */
int pfx_writer_open_dir(struct pfx_writer **ret, const char *path, struct pfx_error *err);
/* Where an output of that name is written: with links followed, other users' refused. The caller
 * frees *@ret. */
int pfx_writer_follow(const char *path, char **ret, struct pfx_error *err);
/* What to do when a write failed with @code, where anything can be done. */
void pfx_writer_hint(int code, struct pfx_error *err);
/* Whether the open file @fd still has its first @size bytes, and the name @path: 0, or ESTALE with
 * a sentence. */
int pfx_output_check_size(int fd, const char *path, uint64_t size, struct pfx_error *err);
int pfx_output_check_name(int fd, const char *path, struct pfx_error *err);
/* Write the header: magic, ids and attrs of the meta's events, or the pipe's HEADER_ATTR,
 * HEADER_FEATURE and tracing data records. The meta stays borrowed until the end. */
int pfx_writer_begin(struct pfx_writer *writer, struct pfx_meta *meta, struct pfx_error *err);
/*
 * The same for the copy of a recording that a reader gave: its features go out as they came
 * (meta->env.raw; what the caller changed has no raw bytes any more), also those that nobody knows.
 * @with_meta_records: the input is a stream, the records that describe it are among those that the
 * caller appends; a stream then begins with nothing but its 16 bytes. Into a file such records are
 * not to be appended (see pfx_writer_wants()): their content is taken from the meta at the end.
 */
int pfx_writer_begin_copy(struct pfx_writer *writer, struct pfx_meta *meta, bool with_meta_records,
			  struct pfx_error *err);
/* Whether a record of that type belongs into the output of a copy. */
bool pfx_writer_wants(const struct pfx_writer *writer, uint32_t type);
/* Append whole records. A file is complete afterwards, header and features known at the start
 * included: a recorder that is killed leaves all that was appended. */
int pfx_writer_append(struct pfx_writer *writer, const void *data, size_t size,
		      struct pfx_error *err);
/* The same from a few pieces (a ring that wraps), 7 at most. */
int pfx_writer_appendv(struct pfx_writer *writer, const struct iovec *iov, int nr,
		       struct pfx_error *err);
/* Bring header and table of features up to date where they are not: after an error, in a copy. */
int pfx_writer_refresh(struct pfx_writer *writer, struct pfx_error *err);
/* In a copy of the process that writes, after its death: go on where it stopped. 0 or a negative
 * errno. */
int pfx_writer_catch_up(struct pfx_writer *writer);
/* The descriptor, to be kept open and not used. */
int pfx_writer_fd(const struct pfx_writer *writer);
/* Write the features of meta->env that came or changed since the start, and the final header.
 * Nothing for a pipe. ESTALE: the file was truncated, removed or renamed by others; a renamed one
 * is complete. */
int pfx_writer_end(struct pfx_writer *writer, struct pfx_error *err);
/* Bytes of records written so far. */
uint64_t pfx_writer_bytes(const struct pfx_writer *writer);
/* Where in the file the next record will stand. */
uint64_t pfx_writer_offset(const struct pfx_writer *writer);
/* Features that were left out because they are too long for the record of a stream. */
uint32_t pfx_writer_nr_left_out(const struct pfx_writer *writer);
bool pfx_writer_is_pipe(const struct pfx_writer *writer);
/* Take the output back: the new file goes, an earlier one is there again. Nothing for a pipe. */
void pfx_writer_discard(struct pfx_writer *writer);
/* Remove a finished recording; of a directory, only if there is nothing in it but a recording. */
int pfx_writer_remove(const char *path);
/* Closes; without an _end() before, the file stays as the last refresh left it. */
void pfx_writer_free(struct pfx_writer *writer);

/* --- outputs that are no recordings: text, JSON, HTML. They go where a recording would. --- */
enum pfx_output_how {
	PFX_OUTPUT_REPLACE, /* an existing file is emptied */
	PFX_OUTPUT_APPEND,  /* what is written goes to its end */
	PFX_OUTPUT_NEW,     /* an existing file is an error (EEXIST), a named pipe is not */
};

/* Open it for writing; a new file has mode 0666 without the umask. Returns a descriptor, which the
 * caller owns, or a negative errno. /dev/stdout is appended to in each case. A link, file or named
 * pipe of another user in a directory that others may write to is refused (EACCES). -EAGAIN: nobody
 * reads the named pipe yet, nothing was done, and @err is not set. */
int pfx_output_file_open(const char *path, enum pfx_output_how how, struct pfx_error *err);

#endif
