/* SPDX-License-Identifier: MIT */
/*
 * Writing perf.data: a file (header, ids, attrs, records, features) or a stream for a pipe. It gets
 * records as bytes, from any source. It owns its descriptor.
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
 * PATH.old; the new one has mode 0600. Links are followed; a link, file or named pipe that another
 * user may have planted is refused (EACCES). -EAGAIN: the named pipe has no reader yet; nothing was
 * done. */
int pfx_writer_open(struct pfx_writer **ret, const char *path, struct pfx_error *err);
/* The same for a recording in a directory: makes it, with mode 0700, and writes its file `data`.
 * The caller writes the other files in it. */
int pfx_writer_open_dir(struct pfx_writer **ret, const char *path, struct pfx_error *err);
/* The path to which an output of that name is written: with links followed, links of other users
 * refused. The caller frees *@ret. */
int pfx_writer_follow(const char *path, char **ret, struct pfx_error *err);
/* Add a hint to @err for a write that failed with @code, if there is a remedy. */
void pfx_writer_hint(int code, struct pfx_error *err);
/* Whether the open file @fd still has its first @size bytes, and the name @path: 0, or ESTALE with
 * a message. */
int pfx_output_check_size(int fd, const char *path, uint64_t size, struct pfx_error *err);
int pfx_output_check_name(int fd, const char *path, struct pfx_error *err);
/* Write the header: magic, ids and attrs of the meta's events, or the pipe's HEADER_ATTR,
 * HEADER_FEATURE and tracing data records. The meta stays borrowed until the end. */
int pfx_writer_begin(struct pfx_writer *writer, struct pfx_meta *meta, struct pfx_error *err);
/*
 * The same for a copy of a recording that was read: features, also unknown ones, are copied as
 * bytes (meta->env.raw; features that the caller changed have no raw bytes). @with_meta_records:
 * the input is a stream, and its metadata records are among the records that the caller appends; an
 * output stream then begins with only its 16 bytes. For an output file, these records must not be
 * appended (see pfx_writer_wants()): their content is taken from the meta at the end.
 */
int pfx_writer_begin_copy(struct pfx_writer *writer, struct pfx_meta *meta, bool with_meta_records,
			  struct pfx_error *err);
/* Whether a record of that type is to be appended to a copy. */
bool pfx_writer_wants(const struct pfx_writer *writer, uint32_t type);
/* Append whole records. Afterwards, the file is complete, including the header and the features
 * known at the start: if the recorder is killed, all appended records can be read. */
int pfx_writer_append(struct pfx_writer *writer, const void *data, size_t size,
		      struct pfx_error *err);
/* The same from at most 7 pieces (a ring buffer that wraps). */
int pfx_writer_appendv(struct pfx_writer *writer, const struct iovec *iov, int nr,
		       struct pfx_error *err);
/* Update header and feature table if necessary: after an error, or in a forked process. */
int pfx_writer_refresh(struct pfx_writer *writer, struct pfx_error *err);
/* In a forked copy of the writing process, after its death: continue where it stopped. 0 or a
 * negative errno. */
int pfx_writer_catch_up(struct pfx_writer *writer);
/* The descriptor, only to keep it open. */
int pfx_writer_fd(const struct pfx_writer *writer);
/* Write the features of meta->env that were added or changed since the start, and the final header.
 * Nothing for a pipe. ESTALE: the file was truncated, removed or renamed by others; a renamed one
 * is complete. */
int pfx_writer_end(struct pfx_writer *writer, struct pfx_error *err);
/* Bytes of records written so far. */
uint64_t pfx_writer_bytes(const struct pfx_writer *writer);
/* The file offset of the next record. */
uint64_t pfx_writer_offset(const struct pfx_writer *writer);
/* Features that were omitted because they are too long for a record of a stream. */
uint32_t pfx_writer_nr_left_out(const struct pfx_writer *writer);
bool pfx_writer_is_pipe(const struct pfx_writer *writer);
/* Remove the new output and restore the earlier one. No effect on a pipe. */
void pfx_writer_discard(struct pfx_writer *writer);
/* Remove a finished recording; a directory only if it contains nothing but a recording. */
int pfx_writer_remove(const char *path);
/* Whether that is the name of a file in a directory recording, or in its directory of the kernel's
 * code. */
bool pfx_writer_names(const char *name, bool inside_kcore);
/* Closes; without pfx_writer_end(), the file stays in the state of the last refresh. */
void pfx_writer_free(struct pfx_writer *writer);

/* --- other outputs: text, JSON, HTML. The same rules for paths apply. --- */
enum pfx_output_how {
	PFX_OUTPUT_REPLACE, /* an existing file is emptied */
	PFX_OUTPUT_APPEND,  /* output is appended to it */
	PFX_OUTPUT_NEW,     /* an existing file is an error (EEXIST), a named pipe is allowed */
};

/* Open it for writing; a new file has mode 0666 without the umask. Returns a descriptor, which the
 * caller owns, or a negative errno. /dev/stdout is always appended to. A link, file or named pipe
 * of another user in a directory that others may write to is refused (EACCES). -EAGAIN: the named
 * pipe has no reader yet, nothing was done, and @err is not set. */
int pfx_output_file_open(const char *path, enum pfx_output_how how, struct pfx_error *err);

#endif
