/* SPDX-License-Identifier: MIT */
/* The inside of struct pfx_reader, shared by the reader_*.c files. */
#ifndef PFX_FILE_READER_STATE_INTERNAL_H
#define PFX_FILE_READER_STATE_INTERNAL_H

#include "base/io.h"
#include "file/buffer/feed_internal.h"
#include "file/buffer/spill_internal.h"
#include "file/header/fixed_header_internal.h"
#include "file/pack/zstd_internal.h"
#include "file/reader/reader.h"

#define PFX_EVENTS_MAX       65536                /* as perf has it */
#define PFX_TRACING_DATA_MAX ((uint64_t)64 << 20) /* all formats of a kernel take a few MiB */
#define PFX_BODY_TYPES_MAX   0xffff /* no writer uses a greater type: such a record is damage */

/* One stream of records: the file, the pipe, or one of a directory's files. */
struct pfx_lane {
	struct pfx_feed raw;      /* the bytes as they are stored */
	struct pfx_feed unpacked; /* out of the COMPRESSED records among them */
	struct pfx_zstd *zstd;
	const uint8_t *packed; /* of a COMPRESSED record, what was not unpacked yet */
	size_t packed_left;
	uint64_t packed_offset;         /* of that record */
	uint64_t packed_in, packed_out; /* bytes unpacked so far, and what they gave */
	bool packed_more;      /* the decompressor holds bytes for which there was no room */
	bool packed_broken;    /* the compressed stream is damaged: the rest of it is skipped */
	bool broken;           /* nothing more can be read of the lane */
	struct pfx_feed *from; /* which feed the last record came from */
	struct pfx_mapping map;
	/* in a directory: the lane's next record, and how it stands to others */
	struct pfx_record head;
	uint64_t key;
};

struct pfx_reader {
	struct pfx_meta *meta;
	struct pfx_reader_options options;
	struct pfx_reader_damage damage;
	struct pfx_file_info info;
	bool swap;
	bool events_changed; /* pfx_meta_update() is due */
	uint64_t seq;        /* records cut out so far that the caller gets */
	struct pfx_lane *lanes;
	uint32_t nr_lanes;
	struct pfx_lane **heap; /* of a directory: lanes by key */
	uint32_t nr_heap;
	bool head_taken;            /* the first one's record was handed out */
	struct pfx_record *waiting; /* read by open, not yet handed out */
	uint32_t nr_waiting, next_waiting, cap_waiting;
	struct pfx_chunk *slurped; /* a whole file that came through a pipe */
	struct pfx_spill spill;    /* where records wait that memory is too small for */
	char *path;
	const uint8_t *payload; /* where the last long one waits, or NULL */
	size_t walked;          /* bytes looked at since mapped pages were let go */
	int fd;                 /* of a stream, -1 otherwise */
	bool own_fd;
	bool is_ended; /* by pfx_reader_end_stream() */
	int sparse_fd; /* of the file that the first lane maps, to ask for holes; or -1 */
};

/* The reader's path, escaped. */
const char *pfx_reader_name(const struct pfx_reader *reader, char *out, size_t size);

/* Mapped pages are given back when this much was looked at: enough to keep what is still in use. */
#define PFX_WALK_BYTES ((size_t)32 << 20)
/* @bytes of records were looked at. Pages that are needed again come back by themselves. */
static inline void pfx_reader_walked(struct pfx_reader *reader, size_t bytes)
{
	reader->walked += bytes;
	if (reader->walked >= PFX_WALK_BYTES)
		pfx_reader_drop_pages(reader);
}

/* A section of the header. */
struct pfx_section {
	uint64_t offset, size;
};

/* reader_header.c: what a file's fixed header, attrs and feature table say; then the first lane has
 * its records. @data is the whole file. */
int pfx_reader_read_file(struct pfx_reader *reader, const uint8_t *data, size_t size,
			 struct pfx_error *err);
/* The 16 bytes at the start of a stream, or of a file that may be one: 1 a pipe stream, 0 a file.
 */
int pfx_reader_probe(struct pfx_reader *reader, const uint8_t *data, size_t size,
		     struct pfx_error *err);

/* reader_detect.c: the sentence about an input that is no perf.data. */
int pfx_reader_refuse(const struct pfx_reader *reader, const uint8_t *data, size_t size,
		      struct pfx_error *err);
int pfx_reader_refuse_short(const struct pfx_reader *reader, const char *what,
			    struct pfx_error *err);

/* reader_meta.c: take over what a record says about the recording. True if it was such a one. */
bool pfx_reader_consume(struct pfx_reader *reader, const struct pfx_record *rec);

/* reader_lane.c */
void pfx_lane_init_memory(struct pfx_lane *lane, const void *data, size_t size, uint64_t offset);
void pfx_lane_fini(struct pfx_lane *lane);
/* The lane's next record, whatever it is: 1, 0 at the end, or an error. */
int pfx_lane_next(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_record *ret,
		  struct pfx_error *err);
/* reader_fetch.c: the next record that the caller gets, identified. */
int pfx_reader_fetch(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_record *ret,
		     struct pfx_error *err);

#define PFX_AHEAD      1024 /* bytes in front of the record at hand: where memory is asked for */
#define PFX_CACHE_LINE 64

/* As many bytes as the record has: over all records, each line once. What lies behind the mapping
 * does no harm. */
static inline void pfx_reader_fetch_ahead(const uint8_t *at, size_t size)
{
	size_t i, nr = size < PFX_AHEAD ? size : PFX_AHEAD;

	for (i = 0; i < nr; i += PFX_CACHE_LINE)
		__builtin_prefetch((const void *)((uintptr_t)at + PFX_AHEAD + i));
}

/* reader_skim.c: where the next record lies in memory; NULL where it is not as simple. */
const uint8_t *pfx_reader_position(const struct pfx_reader *reader);
/* Take the samples from there on whose times are not below *@time, nor fall, until something else
 * comes. Returns how many there were, *@time becomes that of the last. */
uint64_t pfx_reader_skim(struct pfx_reader *reader, uint64_t *time);

/* reader_recover.c: where records go on behind damage */
#define PFX_NOWHERE SIZE_MAX
/* Whether the 8 bytes could be a record's header, if only of a type that nobody knows. */
static inline bool pfx_recover_is_sane(const uint8_t *at, bool swap)
{
	uint32_t type = pfx_load32(at, swap);

	return type && type <= PFX_BODY_TYPES_MAX &&
	       pfx_load16(at + 6, swap) >= PFX_RECORD_HEADER_SIZE;
}

/* Size of the payload that follows a record outside its size; @left bytes of it are there. */
uint64_t pfx_recover_extra(const uint8_t *at, size_t left, bool swap);
/* The first place in [@from, @until) of what the feed has where records begin, or PFX_NOWHERE. */
size_t pfx_recover_find(const struct pfx_feed *feed, bool swap, size_t from, size_t until);
/* The same within what the record at the feed's start claims to be. */
size_t pfx_recover_inside(struct pfx_feed *feed, bool swap);
/* Move the feed to the next such place: 1, 0 there is none and the feed is at its end, or an error.
 */
int pfx_recover_search(struct pfx_reader *reader, struct pfx_feed *feed, uint64_t *ret_skipped);

/* reader_dir.c: PATH/data and PATH/data.* as lanes, and their merge. */
int pfx_reader_open_dir(struct pfx_reader *reader, struct pfx_error *err);
int pfx_reader_next_merged(struct pfx_reader *reader, struct pfx_record *ret,
			   struct pfx_error *err);

/* Open @path for reading after the check of its owner. */
int pfx_reader_open_path(struct pfx_reader *reader, const char *path, int *ret_fd,
			 struct pfx_error *err);

#endif
