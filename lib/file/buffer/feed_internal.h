/* SPDX-License-Identifier: MIT */
/*
 * Where a reader's bytes come from: mapped memory, a descriptor that is read bit by bit, or what
 * the decompressor wrote. A feed shows a window [at, end) that can be asked to grow. Bytes of a
 * descriptor and of the decompressor lie in chunks, which the feed owns; a chunk that was left goes
 * when the last record handed out of it is released. When many wait they go to a file, see
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
	uint64_t last;   /* number of the last record handed out of it */
	bool is_spilled; /* the data is the spill's, not behind this */
};

struct pfx_feed {
	const uint8_t *at, *end;  /* what is there */
	uint64_t offset;          /* of `end` in the input, or where the bytes were unpacked from */
	int fd;                   /* -1: nothing more will come by itself */
	uint64_t seq;             /* number of the last record handed out of this feed */
	uint64_t chunk_seq;       /* the value of seq when the chunk was begun */
	struct pfx_chunk *chunk;  /* the one that is filled */
	struct pfx_chunk *left;   /* chunks with records still in use, oldest first */
	struct pfx_chunk *newest; /* the last of them */
	struct pfx_chunk *spare;  /* one to use again */
	struct pfx_chunk *spilled; /* spilled ones to use again */
	struct pfx_spill *spill;   /* where chunks go that wait for long, borrowed; NULL: nowhere */
	size_t chunk_size;         /* bytes of a usual chunk */
	int failed;                /* why there is no room: a negative errno */
};

/* A feed of bytes that stay where they are; @offset is that of the first byte. */
void pfx_feed_init_memory(struct pfx_feed *feed, const void *data, size_t size, uint64_t offset);
/* A feed of what @fd (borrowed) gives; -1 for one that is filled by hand. */
void pfx_feed_init_fd(struct pfx_feed *feed, int fd);
void pfx_feed_fini(struct pfx_feed *feed);

/* See that @size bytes are there in one piece: 1 they are, 0 the input ends before, or an error.
 * What `at` pointed to moves when the answer needs a new chunk. */
int pfx_feed_fill(struct pfx_feed *feed, size_t size);
/* Room for at least @min bytes behind `end`; *@ret_room says how much there is. NULL when records
 * that wait could not be stored: `failed` says why. */
uint8_t *pfx_feed_room(struct pfx_feed *feed, size_t min, size_t *ret_room);
/* @size bytes were written there. */
void pfx_feed_added(struct pfx_feed *feed, size_t size);
/* Take @size bytes out of the input that follow the first @keep bytes of the window, which stay:
 * they go into the spill's region, or nowhere when @to is NULL. *@ret says how many came; fewer
 * when the input ends. 0 or a negative errno. */
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
