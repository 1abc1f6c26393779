/* SPDX-License-Identifier: MIT */
/* The inside of struct pfx_writer, shared by the writer_*.c files. */
#ifndef PFX_FILE_WRITER_INTERNAL_H
#define PFX_FILE_WRITER_INTERNAL_H

#include <sys/stat.h>

#include "base/buffer.h"
#include "file/writer/writer.h"

struct pfx_writer {
	int fd;
	bool own_fd, is_pipe;
	bool is_copy;          /* features go out as they came */
	bool has_meta_records; /* the records of a stream describe it, the header came without */
	bool rotated;          /* there was an earlier recording, it is PATH.old now */
	bool gone;             /* the output was taken back, or others took it away */
	bool is_given;         /* a descriptor of somebody else's, like /dev/stdout */
	uint64_t limit;        /* of the file's bytes before its last features, 0: none */
	char *path;
	bool made_dir;
	char *dir; /* that `path` was made in; NULL: none */
	struct pfx_meta *meta;
	struct pfx_buffer scratch;
	uint64_t attrs_offset, attrs_size, attr_size;
	uint64_t data_offset, data_size; /* bytes */
	uint64_t nr_ids;                 /* that the header has room for */
	uint32_t nr_events;
	uint32_t nr_left_out; /* features that are too long for a stream */
	/* writer_live.c */
	bool is_live; /* the file is complete after every append */
	struct pfx_writer_early {
		uint64_t offset, size; /* in the file; 0: the feature was not known at the start */
	} early[PFX_FEAT_BITS];
	struct pfx_buffer early_bytes; /* what stands there, from early_offset on */
	uint64_t early_offset;
	struct pfx_buffer table; /* of the early features' sections */
	uint64_t features[PFX_FEAT_BITS / 64];
};

/* What is at the place of an output. */
struct pfx_writer_place {
	char *path; /* with its links followed */
	bool exists;
	bool is_given; /* the path is a link of /proc to what is open already */
	struct stat st;
};

/* writer_place.c */
int pfx_place_find(struct pfx_writer_place *place, const char *path, struct pfx_error *err);
void pfx_place_fini(struct pfx_writer_place *place);
/* Open it: a descriptor or a negative errno. -EAGAIN: nobody reads the named pipe yet. */
int pfx_place_open(const struct pfx_writer_place *place);

/* writer_pieces.c: a few pieces of memory as one. */
struct pfx_pieces {
	const struct iovec *iov;
	int nr;
};
#define PFX_PIECES_MAX 8

size_t pfx_pieces_size(const struct pfx_pieces *pieces);
/* The pieces up to byte @size; @iov has room for PFX_PIECES_MAX. */
struct pfx_pieces pfx_pieces_first(const struct pfx_pieces *pieces, size_t size, struct iovec *iov);
/* How many of the first @size bytes are whole records. */
size_t pfx_pieces_whole_records(const struct pfx_pieces *pieces, size_t size, bool swap);
/* Write the pieces from byte *@done on, which moves on. @offset is where their first byte belongs,
 * -1 for a descriptor without places. */
int pfx_pieces_write(int fd, const struct pfx_pieces *pieces, off_t offset, size_t *done);

/* writer_error.c: an error sentence for a write that failed with @code. */
int pfx_writer_failed(const struct pfx_writer *writer, int code, struct pfx_error *err);
/* Whether the file has that many bytes still; if not it is left as it is from now on. */
int pfx_writer_check(struct pfx_writer *writer, uint64_t size, struct pfx_error *err);

/* writer_header.c: decide where ids and attrs are, the ids from @start on. All entries are as long
 * as the longest attr, so that header and entries agree. */
void pfx_writer_lay_out_events(struct pfx_writer *writer, uint64_t start);
/* A stream may have told more events or ids since the header was written. */
bool pfx_writer_has_new_events(const struct pfx_writer *writer);
/* Append bytes: ids and attrs as they were laid out, the fixed header, an entry of a table. */
void pfx_writer_encode_events(const struct pfx_writer *writer, struct pfx_buffer *to);
void pfx_writer_encode_header(const struct pfx_writer *writer, const uint64_t *features,
			      struct pfx_buffer *to);
void pfx_writer_encode_section(struct pfx_buffer *to, uint64_t offset, uint64_t size);
/* Append the payload of a feature. False when there is nothing to say. */
bool pfx_writer_put_feature(const struct pfx_writer *writer, unsigned feature,
			    struct pfx_buffer *to);
/* Write the fixed header as things stand. 0 or a negative errno. */
int pfx_writer_put_header(struct pfx_writer *writer, const uint64_t *features);

/* writer_rotate.c: make way for a new file: PATH becomes PATH.old. 1 it was there, 0 there was
 * none. */
int pfx_writer_rotate(const char *path, struct pfx_error *err);
/* Remove a recording in a directory, with nothing but its known files. */
void pfx_writer_remove_dir(const char *path);
/* Take it back: the new file could not even begin. */
void pfx_writer_unrotate(const char *path);

/* writer_stream.c: the records that describe the recording at the start of a stream. */
int pfx_writer_begin_stream(struct pfx_writer *writer, struct pfx_error *err);

/* writer_live.c: put the payload of every feature that is known now behind what @to holds, the
 * start of the file. */
void pfx_writer_put_early(struct pfx_writer *writer, struct pfx_buffer *to);
/* Where the feature's payload stands already, if it is @size bytes like these; else NULL. */
const struct pfx_writer_early *pfx_writer_find_early(const struct pfx_writer *writer,
						     unsigned feature, const uint8_t *data,
						     size_t size);
/* Append to a file that is complete before and after, but for a moment. */
int pfx_writer_append_live(struct pfx_writer *writer, const struct pfx_pieces *pieces,
			   struct pfx_error *err);
/* Write table and header for the records that there are; what stands behind them goes. */
int pfx_writer_publish(struct pfx_writer *writer);

#endif
