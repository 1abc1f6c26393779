/* SPDX-License-Identifier: MIT */
/*
 * Windows over bytes, see feed_internal.h. Records have numbers, from which follows which chunks
 * can be freed. A record that does not fit in the rest of its chunk is moved to the start of the
 * next, so that every record is contiguous.
 */
#include "feed_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "spill_internal.h"

/* Big enough that moving a tail of up to 64 KiB is rare, small enough to stay in the cache. */
#define CHUNK_SIZE PFX_SPILL_PIECE

void pfx_feed_init_memory(struct pfx_feed *feed, const void *data, size_t size, uint64_t offset)
{
	static const uint8_t nothing[1];

	memset(feed, 0, sizeof(*feed));
	feed->fd = -1;
	feed->chunk_size = CHUNK_SIZE;
	feed->at = size ? data : nothing;
	feed->end = feed->at + size;
	feed->offset = offset + size;
}

void pfx_feed_init_fd(struct pfx_feed *feed, int fd)
{
	pfx_feed_init_memory(feed, NULL, 0, 0);
	feed->fd = fd;
}

static void free_chunks(struct pfx_chunk *chunk)
{
	struct pfx_chunk *next;

	for (; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
}

void pfx_feed_fini(struct pfx_feed *feed)
{
	free(feed->chunk);
	free(feed->spare);
	free_chunks(feed->left);
	free_chunks(feed->spilled);
	memset(feed, 0, sizeof(*feed));
	feed->fd = -1;
}

/* Free a chunk: keep one of the usual size for reuse. */
static void drop_chunk(struct pfx_feed *feed, struct pfx_chunk *chunk)
{
	if (chunk->is_spilled) {
		chunk->next = feed->spilled;
		feed->spilled = chunk;
	} else if (feed->spare || chunk->cap != feed->chunk_size) {
		free(chunk);
	} else {
		feed->spare = chunk;
	}
}

/* Records of the chunk are waiting: keep it in memory, or in the spill. */
static void keep_chunk(struct pfx_feed *feed, struct pfx_chunk *chunk, size_t size)
{
	if (chunk->is_spilled)
		feed->failed = pfx_spill_store(feed->spill, chunk->data, size);
	else if (feed->spill)
		feed->spill->held += chunk->cap;
	chunk->last = feed->seq;
	chunk->next = NULL;
	*(feed->left ? &feed->newest->next : &feed->left) = chunk;
	feed->newest = chunk;
}

static struct pfx_chunk *new_chunk(size_t cap)
{
	struct pfx_chunk *chunk = pfx_malloc(sizeof(*chunk) + cap);

	*chunk = (struct pfx_chunk){.data = (uint8_t *)(chunk + 1), .cap = cap};
	return chunk;
}

/* A chunk of the spill; NULL if there is none. */
static struct pfx_chunk *take_spilled(struct pfx_feed *feed)
{
	struct pfx_chunk *chunk = feed->spilled;
	uint8_t *data;

	data = chunk ? pfx_spill_renew(feed->spill, chunk->data) : pfx_spill_new_piece(feed->spill);
	if (!data)
		return NULL;
	if (chunk)
		feed->spilled = chunk->next;
	else
		chunk = new_chunk(0);
	chunk->data = data;
	chunk->cap = PFX_SPILL_PIECE;
	chunk->is_spilled = true;
	return chunk;
}

static struct pfx_chunk *take_chunk(struct pfx_feed *feed, size_t cap)
{
	struct pfx_chunk *chunk = NULL;

	if (feed->spill && cap <= PFX_SPILL_PIECE && pfx_spill_is_due(feed->spill))
		chunk = take_spilled(feed);
	if (chunk)
		return chunk;
	chunk = feed->spare;
	if (chunk && cap <= chunk->cap) {
		feed->spare = NULL;
		return chunk;
	}
	return new_chunk(cap > feed->chunk_size ? cap : feed->chunk_size);
}

/* Begin a chunk with room for @min bytes after the unread bytes. */
static void begin_chunk(struct pfx_feed *feed, size_t min)
{
	struct pfx_chunk *old = feed->chunk;
	size_t left = pfx_feed_left(feed), used = old ? (size_t)(feed->end - old->data) : 0;
	struct pfx_chunk *chunk = take_chunk(feed, left + min);

	if (left)
		memcpy(chunk->data, feed->at, left);
	feed->at = chunk->data;
	feed->end = feed->at + left;
	feed->chunk = chunk;
	if (old && feed->seq == feed->chunk_seq)
		drop_chunk(feed, old);
	else if (old)
		keep_chunk(feed, old, used);
	feed->chunk_seq = feed->seq;
}

uint8_t *pfx_feed_room(struct pfx_feed *feed, size_t min, size_t *ret_room)
{
	struct pfx_chunk *chunk = feed->chunk;

	if (!chunk || (size_t)(chunk->data + chunk->cap - feed->end) < min) {
		begin_chunk(feed, min);
		if (feed->failed)
			return NULL;
		chunk = feed->chunk;
	}
	*ret_room = (size_t)(chunk->data + chunk->cap - feed->end);
	return chunk->data + (feed->end - chunk->data);
}

void pfx_feed_added(struct pfx_feed *feed, size_t size)
{
	feed->end += size;
	feed->offset += size;
}

/*
 * The room for the next read so that @size bytes can be contiguous. They are read to the current
 * chunk if they fit. A large size is untrusted: the chunk is filled first, then doubled.
 */
static size_t wanted_room(const struct pfx_feed *feed, size_t size)
{
	const struct pfx_chunk *chunk = feed->chunk;
	size_t room = chunk ? (size_t)(chunk->data + chunk->cap - feed->end) : 0;
	size_t left = pfx_feed_left(feed), more = size - left;

	if (room >= more)
		return 1;
	if (more <= feed->chunk_size)
		return more;
	if (room)
		return 1;
	return left > feed->chunk_size ? left : feed->chunk_size;
}

static int fill(struct pfx_feed *feed, size_t size)
{
	size_t room;
	uint8_t *to = pfx_feed_room(feed, wanted_room(feed, size), &room);
	ssize_t n;

	if (!to)
		return feed->failed;
	do
		n = read(feed->fd, to, room);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	pfx_feed_added(feed, (size_t)n);
	return n > 0;
}

int pfx_feed_fill(struct pfx_feed *feed, size_t size)
{
	int rc;

	while (pfx_feed_left(feed) < size) {
		if (feed->fd < 0)
			return 0;
		rc = fill(feed, size);
		if (rc == 0)
			feed->fd = -1;
		if (rc <= 0)
			return rc;
	}
	return 1;
}

/* The window's bytes after the first @keep, or room to read more there. */
#define DRAIN_BYTES ((size_t)64 << 10)

static int drain_window(struct pfx_feed *feed, size_t keep, struct pfx_spill *to, uint64_t *ret)
{
	const uint8_t *at = feed->at + keep;
	size_t left = (size_t)(feed->end - at), n;
	int rc = 0;

	for (; left && !rc; at += n, left -= n, *ret += n) {
		n = left < DRAIN_BYTES ? left : DRAIN_BYTES;
		rc = to ? pfx_spill_write(to, at, n) : 0;
	}
	feed->end = feed->at + keep;
	return rc;
}

int pfx_feed_drain(struct pfx_feed *feed, size_t keep, uint64_t size, struct pfx_spill *to,
		   uint64_t *ret)
{
	size_t room;
	uint8_t *at;
	ssize_t n;
	int rc;

	*ret = 0;
	rc = drain_window(feed, keep, to, ret);
	while (!rc && *ret < size) {
		at = pfx_feed_room(feed, DRAIN_BYTES, &room);
		if (!at)
			return feed->failed;
		n = read(feed->fd, at, room < size - *ret ? room : (size_t)(size - *ret));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n) {
			feed->fd = -1;
			return 0;
		}
		pfx_feed_added(feed, (size_t)n);
		rc = drain_window(feed, keep, to, ret);
	}
	return rc;
}

void pfx_feed_release(struct pfx_feed *feed, uint64_t mark)
{
	struct pfx_chunk *chunk;

	while (feed->left && feed->left->last <= mark) {
		chunk = feed->left;
		feed->left = chunk->next;
		if (feed->spill && !chunk->is_spilled)
			feed->spill->held -= chunk->cap;
		drop_chunk(feed, chunk);
	}
}
