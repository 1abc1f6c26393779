/* SPDX-License-Identifier: MIT */
/* The implementation of struct pfx_reader, shared by the reader_*.c files. */
#ifndef PFX_FILE_READER_STATE_INTERNAL_H
#define PFX_FILE_READER_STATE_INTERNAL_H

#include "base/io.h"
#include "file/buffer/feed_internal.h"
#include "file/buffer/spill_internal.h"
#include "file/header/fixed_header_internal.h"
#include "file/pack/zstd_internal.h"
#include "file/reader/reader.h"

#define PFX_EVENTS_MAX       65536                /* the same limit as perf */
#define PFX_TRACING_DATA_MAX ((uint64_t)64 << 20) /* all formats of a kernel take a few MiB */
#define PFX_BODY_TYPES_MAX \
	0xffff /* larger than the types of all writers: a record with a greater type is damage */

/* One stream of records: the file, the pipe, or one of a directory's files. */
struct pfx_lane {
	struct pfx_feed raw;      /* the input bytes */
	struct pfx_feed unpacked; /* unpacked from its COMPRESSED records */
	struct pfx_zstd *zstd;
	const uint8_t *packed; /* the bytes of a COMPRESSED record that are not unpacked yet */
	size_t packed_left;
	uint64_t packed_offset;         /* of that record */
	uint64_t packed_in, packed_out; /* bytes of input and output of unpacking */
	bool packed_more;      /* the decompressor holds output for which there was no room */
	bool packed_broken;    /* the compressed stream is damaged and the rest of it is skipped */
	bool broken;           /* the rest of the lane cannot be read */
	struct pfx_feed *from; /* feed of the last record */
	struct pfx_mapping map;
	/* for a directory: the lane's next record, and its sort key */
	struct pfx_record head;
	uint64_t key;
};

struct pfx_reader {
	struct pfx_meta *meta;
	struct pfx_reader_options options;
	struct pfx_reader_damage damage;
	struct pfx_file_info info;
	bool swap;
	bool events_changed; /* pfx_meta_update() must be called */
	uint64_t seq;        /* number of records for the caller so far */
	struct pfx_lane *lanes;
	uint32_t nr_lanes;
	struct pfx_lane **heap; /* for a directory: lanes by key */
	uint32_t nr_heap;
	bool head_taken;            /* the record of heap[0] was returned */
	struct pfx_record *waiting; /* read by open, not yet returned */
	uint32_t nr_waiting, next_waiting, cap_waiting;
	struct pfx_chunk *slurped; /* a whole file that was sent through a pipe */
	struct pfx_spill spill;    /* the file for waiting records that exceed the memory limit */
	char *path;
	const uint8_t *payload; /* address of the last long payload, or NULL */
	size_t walked;          /* bytes read since mapped pages were dropped */
	int fd;                 /* of a stream, otherwise -1 */
	bool own_fd;
	bool is_ended; /* set by pfx_reader_end_stream() */
	int sparse_fd; /* of the file that the first lane maps, to find holes; or -1 */
};

/* The reader's path, escaped. */
const char *pfx_reader_name(const struct pfx_reader *reader, char *out, size_t size);

/* Mapped pages are dropped after this many bytes; pages still in use should be within it. */
#define PFX_WALK_BYTES ((size_t)16 << 20)
/* @bytes of records were read. Pages that are needed again are read again by the kernel. */
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

/* reader_header.c: read the fixed header, attrs and feature table of a file; then the first lane
 * has its records. @data is the whole file. */
int pfx_reader_read_file(struct pfx_reader *reader, const uint8_t *data, size_t size,
			 struct pfx_error *err);
/* The 16 bytes at the start of a stream, or of a file that may be one: 1 a pipe stream, 0 a file.
 */
int pfx_reader_probe(struct pfx_reader *reader, const uint8_t *data, size_t size,
		     struct pfx_error *err);

/* reader_detect.c: the error for an input that is not a perf.data file. */
int pfx_reader_refuse(const struct pfx_reader *reader, const uint8_t *data, size_t size,
		      struct pfx_error *err);
int pfx_reader_refuse_short(const struct pfx_reader *reader, const char *what,
			    struct pfx_error *err);

/* reader_meta.c: update the meta from a metadata record. False for other records. */
bool pfx_reader_consume(struct pfx_reader *reader, const struct pfx_record *rec);

/* reader_lane.c */
void pfx_lane_init_memory(struct pfx_lane *lane, const void *data, size_t size, uint64_t offset);
void pfx_lane_fini(struct pfx_lane *lane);
/* The lane's next record of any type: 1, 0 at the end, or an error. */
int pfx_lane_next(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_record *ret,
		  struct pfx_error *err);
/* reader_fetch.c: the next record for the caller, identified. */
int pfx_reader_fetch(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_record *ret,
		     struct pfx_error *err);

#define PFX_AHEAD      1024 /* distance of prefetching, in bytes */
#define PFX_CACHE_LINE 64

/* Prefetches as many bytes as the record has, so that each cache line is prefetched once. Addresses
 * after the mapping do no harm. */
static inline void pfx_reader_fetch_ahead(const uint8_t *at, size_t size)
{
	size_t i, nr = size < PFX_AHEAD ? size : PFX_AHEAD;

	for (i = 0; i < nr; i += PFX_CACHE_LINE)
		__builtin_prefetch((const void *)((uintptr_t)at + PFX_AHEAD + i));
}

/* reader_skim.c: the address of the next record in memory; NULL if it is not contiguous with the
 * previous one. */
const uint8_t *pfx_reader_position(const struct pfx_reader *reader);
/* Read samples from there on while their times do not decrease from *@time, until any other record.
 * Returns their number; *@time becomes the time of the last. */
uint64_t pfx_reader_skim(struct pfx_reader *reader, uint64_t *time);

/* reader_recover.c: finds the next valid record after damage */
#define PFX_NOWHERE SIZE_MAX
/* Whether the 8 bytes could be the header of a record, possibly of an unknown type. */
static inline bool pfx_recover_is_sane(const uint8_t *at, bool swap)
{
	uint32_t type = pfx_load32(at, swap);

	return type && type <= PFX_BODY_TYPES_MAX &&
	       pfx_load16(at + 6, swap) >= PFX_RECORD_HEADER_SIZE;
}

/* Size of the payload after a record (outside its size); @left bytes are present. */
uint64_t pfx_recover_extra(const uint8_t *at, size_t left, bool swap);
/* The first position in [@from, @until) of the feed's bytes with valid records, or PFX_NOWHERE. */
size_t pfx_recover_find(const struct pfx_feed *feed, bool swap, size_t from, size_t until);
/* The same within the claimed size of the record at the start of the feed. */
size_t pfx_recover_inside(struct pfx_feed *feed, bool swap);
/* Move the feed to the next valid record: 1; 0 if there is none and the feed is at its end; or an
 * error. */
int pfx_recover_search(struct pfx_reader *reader, struct pfx_feed *feed, uint64_t *ret_skipped);

/* reader_dir.c: PATH/data and PATH/data.* as lanes, and their merge. */
int pfx_reader_open_dir(struct pfx_reader *reader, struct pfx_error *err);
int pfx_reader_next_merged(struct pfx_reader *reader, struct pfx_record *ret,
			   struct pfx_error *err);

/* Check the owner of @path and open it for reading. */
int pfx_reader_open_path(struct pfx_reader *reader, const char *path, int *ret_fd,
			 struct pfx_error *err);

#endif
