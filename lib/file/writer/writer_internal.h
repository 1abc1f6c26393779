/* SPDX-License-Identifier: MIT */
/* The implementation of struct pfx_writer, shared by the writer_*.c files. */
#ifndef PFX_FILE_WRITER_INTERNAL_H
#define PFX_FILE_WRITER_INTERNAL_H

#include <sys/stat.h>

#include "base/buffer.h"
#include "file/writer/writer.h"

struct pfx_writer {
	int fd;
	bool own_fd, is_pipe;
	bool is_copy;          /* features are copied as bytes */
	bool has_meta_records; /* the appended records contain the metadata of the stream */
	bool rotated;          /* an earlier recording was renamed to PATH.old */
	bool gone;             /* the output was discarded, or removed by others */
	bool is_given;         /* an inherited descriptor, like /dev/stdout */
	uint64_t limit;        /* size limit of the file before the last features, 0: none */
	char *path;
	bool made_dir;
	char *dir; /* directory that was made for `path`; NULL: none */
	struct pfx_meta *meta;
	struct pfx_buffer scratch;
	uint64_t attrs_offset, attrs_size, attr_size;
	uint64_t data_offset, data_size; /* bytes */
	uint64_t nr_ids;                 /* number of ids that fit in the header */
	uint32_t nr_events;
	uint32_t nr_left_out; /* features too long for a stream */
	/* writer_live.c */
	bool is_live; /* the file is complete after every append */
	struct pfx_writer_early {
		uint64_t offset,
			size; /* in the file; size 0: the feature was not known at the start */
	} early[PFX_FEAT_BITS];
	struct pfx_buffer early_bytes; /* these bytes of the file, from early_offset on */
	uint64_t early_offset;
	struct pfx_buffer table; /* of the sections of the early features */
	uint64_t features[PFX_FEAT_BITS / 64];
};

/* The existing file at the path of an output. */
struct pfx_writer_place {
	char *path; /* with its links resolved */
	bool exists;
	bool is_given; /* the path is a /proc link to an open descriptor */
	struct stat st;
};

/* writer_place.c */
int pfx_place_find(struct pfx_writer_place *place, const char *path, struct pfx_error *err);
void pfx_place_fini(struct pfx_writer_place *place);
/* Open it: a descriptor or a negative errno. -EAGAIN: the named pipe has no reader yet. */
int pfx_place_open(const struct pfx_writer_place *place);

/* writer_pieces.c: a list of memory areas that are written as one. */
struct pfx_pieces {
	const struct iovec *iov;
	int nr;
};
#define PFX_PIECES_MAX 8

size_t pfx_pieces_size(const struct pfx_pieces *pieces);
/* The pieces up to byte @size; @iov has room for PFX_PIECES_MAX. */
struct pfx_pieces pfx_pieces_first(const struct pfx_pieces *pieces, size_t size, struct iovec *iov);
/* The number of the first @size bytes that are whole records. */
size_t pfx_pieces_whole_records(const struct pfx_pieces *pieces, size_t size, bool swap);
/* Write the pieces from byte *@done on, which is advanced. @offset is the file offset of their
 * first byte, -1 for a stream. */
int pfx_pieces_write(int fd, const struct pfx_pieces *pieces, off_t offset, size_t *done);

/* writer_error.c: the error message for a write that failed with @code. */
int pfx_writer_failed(const struct pfx_writer *writer, int code, struct pfx_error *err);
/* Whether the file still has @size bytes; if not, it is not changed any more. */
int pfx_writer_check(struct pfx_writer *writer, uint64_t size, struct pfx_error *err);

/* writer_header.c: compute the offsets of ids and attrs; the ids begin at @start. All entries are
 * as long as the longest attr, since the header has only one size. */
void pfx_writer_lay_out_events(struct pfx_writer *writer, uint64_t start);
/* Whether a stream brought more events or ids after the header was written. */
bool pfx_writer_has_new_events(const struct pfx_writer *writer);
/* Append bytes: ids and attrs at their computed offsets, the fixed header, an entry of a table. */
void pfx_writer_encode_events(const struct pfx_writer *writer, struct pfx_buffer *to);
void pfx_writer_encode_header(const struct pfx_writer *writer, const uint64_t *features,
			      struct pfx_buffer *to);
void pfx_writer_encode_section(struct pfx_buffer *to, uint64_t offset, uint64_t size);
/* Append the payload of a feature. False if it is empty. */
bool pfx_writer_put_feature(const struct pfx_writer *writer, unsigned feature,
			    struct pfx_buffer *to);
/* Write the fixed header with the current sizes. 0 or a negative errno. */
int pfx_writer_put_header(struct pfx_writer *writer, const uint64_t *features);

/* writer_rotate.c: rename PATH to PATH.old. 1 done, 0 there was none. */
int pfx_writer_rotate(const char *path, struct pfx_error *err);
/* Remove a recording in a directory, with nothing but its known files. */
void pfx_writer_remove_dir(const char *path);
/* Rename PATH.old back: the new file could not be started. */
void pfx_writer_unrotate(const char *path);

/* writer_stream.c: the metadata records at the start of a stream. */
int pfx_writer_begin_stream(struct pfx_writer *writer, struct pfx_error *err);

/* writer_live.c: append the payload of every feature known now to @to, the start of the file. */
void pfx_writer_put_early(struct pfx_writer *writer, struct pfx_buffer *to);
/* The place of the feature's early payload, if it has the same @size bytes; else NULL. */
const struct pfx_writer_early *pfx_writer_find_early(const struct pfx_writer *writer,
						     unsigned feature, const uint8_t *data,
						     size_t size);
/* Append to a file that is complete before and after, except for a moment. */
int pfx_writer_append_live(struct pfx_writer *writer, const struct pfx_pieces *pieces,
			   struct pfx_error *err);
/* Write table and header for the current records; truncate after them. */
int pfx_writer_publish(struct pfx_writer *writer);

#endif
