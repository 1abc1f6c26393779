/* SPDX-License-Identifier: MIT */
/*
 * The input bytes of a reader: mapped memory, a descriptor that is read step by step, or the output
 * of the decompressor. A feed provides a window [at, end), which can grow. Bytes of a descriptor
 * and of the decompressor are in chunks, which the feed owns; a chunk is freed after the last
 * record returned from it is released. Many waiting chunks are moved to a file, see
 * spill_internal.h.
 */
#ifndef PFX_FILE_FEED_INTERNAL_H
#define PFX_FILE_FEED_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pfx_spill;

struct pfx_chunk {
	struct pfx_chunk *next;
	uint8_t *data;
	size_t cap;
	uint64_t last;   /* number of the last record returned from it */
	bool is_spilled; /* the data is in memory of the spill, not after this struct */
};

struct pfx_feed {
	const uint8_t *at, *end;   /* the available bytes */
	uint64_t offset;           /* of `end` in the input, or of the COMPRESSED record */
	int fd;                    /* -1: cannot be refilled from a descriptor */
	uint64_t seq;              /* number of the last record returned from this feed */
	uint64_t chunk_seq;        /* the value of seq when the chunk was begun */
	struct pfx_chunk *chunk;   /* the chunk that is being filled */
	struct pfx_chunk *left;    /* chunks with records still in use, oldest first */
	struct pfx_chunk *newest;  /* the last of them */
	struct pfx_chunk *spare;   /* a free one for reuse */
	struct pfx_chunk *spilled; /* free spilled ones for reuse */
	struct pfx_spill *spill;   /* where chunks with long-waiting records are moved, borrowed;
				      NULL: nowhere */
	size_t chunk_size;         /* size of a normal chunk in bytes */
	int failed;                /* the negative errno of a failed allocation */
};

/* A feed of memory that does not move; @offset: of the first byte. */
void pfx_feed_init_memory(struct pfx_feed *feed, const void *data, size_t size, uint64_t offset);
/* A feed of the data of @fd (borrowed); -1 for one that the caller fills. */
void pfx_feed_init_fd(struct pfx_feed *feed, int fd);
void pfx_feed_fini(struct pfx_feed *feed);

/* Make @size contiguous bytes available: 1 done, 0 the input ends before, or an error. The bytes at
 * `at` may move to a new chunk. */
int pfx_feed_fill(struct pfx_feed *feed, size_t size);
/* Room for at least @min bytes after `end`; *@ret_room is the available size. NULL if waiting
 * records could not be stored: `failed` has the error. */
uint8_t *pfx_feed_room(struct pfx_feed *feed, size_t min, size_t *ret_room);
/* @size bytes were written to that room. */
void pfx_feed_added(struct pfx_feed *feed, size_t size);
/* Remove from the input the @size bytes after the first @keep bytes of the window: they go into the
 * region of @to, or are dropped if @to is NULL. *@ret is their number, less if the input ends. 0 or
 * a negative errno. */
int pfx_feed_drain(struct pfx_feed *feed, size_t keep, uint64_t size, struct pfx_spill *to,
		   uint64_t *ret);
/* Records up to number @mark are no longer used. */
void pfx_feed_release(struct pfx_feed *feed, uint64_t mark);

static inline size_t pfx_feed_left(const struct pfx_feed *feed)
{
	return (size_t)(feed->end - feed->at);
}

static inline int pfx_feed_need(struct pfx_feed *feed, size_t size)
{
	return pfx_feed_left(feed) >= size ? 1 : pfx_feed_fill(feed, size);
}

/* The offset of `at` in the input (for a feed that is read, not unpacked). */
static inline uint64_t pfx_feed_offset(const struct pfx_feed *feed)
{
	return feed->offset - pfx_feed_left(feed);
}

#endif
