/* SPDX-License-Identifier: MIT */
/* The inside of struct pfx_writer, shared by the writer_*.c files. */
#ifndef PFX_FILE_WRITER_INTERNAL_H
#define PFX_FILE_WRITER_INTERNAL_H

#include "base/buffer.h"
#include "file/writer.h"

struct pfx_writer {
	int fd;
	bool own_fd, is_pipe;
	bool is_copy;          /* features go out as they came */
	bool has_meta_records; /* the records of a stream describe it, the header came without */
	bool rotated;          /* there was an earlier recording, it is PATH.old now */
	bool gone;             /* the output was taken back */
	char *path;
	struct pfx_meta *meta;
	struct pfx_buffer scratch;
	uint64_t attrs_offset, attrs_size, attr_size;
	uint64_t data_offset, data_size; /* bytes */
	uint64_t nr_ids;                 /* that the header has room for */
	uint32_t nr_events;
	uint32_t nr_left_out; /* features that are too long for a stream */
};

/* writer_rotate.c: make way for a new file: PATH becomes PATH.old. 1 it was there, 0 there was
 * none. */
int pfx_writer_rotate(const char *path, struct pfx_error *err);
/* Take it back: the new file could not even begin. */
void pfx_writer_unrotate(const char *path);

/* writer_stream.c: the records that describe the recording at the start of a stream. */
int pfx_writer_begin_stream(struct pfx_writer *writer, struct pfx_error *err);

/* writer.c: an error sentence for a write that failed with @code. */
int pfx_writer_failed(const struct pfx_writer *writer, int code, struct pfx_error *err);

#endif
