/* SPDX-License-Identifier: MIT */
/*
 * Windows over bytes, see feed_internal.h. Knows nothing of records but that each has a number: the
 * number tells which chunks may go. A record that does not fit behind the others in its chunk is
 * moved to the start of the next, so that every record lies in one piece.
 */
#include "feed_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

/* Big enough that moving a tail of up to 64 KiB is rare, small enough to stay in the cache. */
#define CHUNK_SIZE ((size_t)1 << 20)

void pfx_feed_init_memory(struct pfx_feed *feed, const void *data, size_t size, uint64_t offset)
{
	static const uint8_t nothing[1];

	memset(feed, 0, sizeof(*feed));
	feed->fd = -1;
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
	memset(feed, 0, sizeof(*feed));
	feed->fd = -1;
}

/* A chunk that nobody uses: keep one of the usual size, it will be needed soon. */
static void drop_chunk(struct pfx_feed *feed, struct pfx_chunk *chunk)
{
	if (feed->spare || chunk->cap != CHUNK_SIZE)
		free(chunk);
	else
		feed->spare = chunk;
}

static void leave_chunk(struct pfx_feed *feed, struct pfx_chunk *chunk)
{
	struct pfx_chunk **link = &feed->left;

	if (!chunk)
		return;
	if (feed->seq == feed->chunk_seq) {
		drop_chunk(feed, chunk);
		return;
	}
	while (*link)
		link = &(*link)->next;
	chunk->last = feed->seq;
	chunk->next = NULL;
	*link = chunk;
}

static struct pfx_chunk *take_chunk(struct pfx_feed *feed, size_t cap)
{
	struct pfx_chunk *chunk = feed->spare;

	if (chunk && cap <= chunk->cap) {
		feed->spare = NULL;
		return chunk;
	}
	if (cap < CHUNK_SIZE)
		cap = CHUNK_SIZE;
	chunk = pfx_malloc(sizeof(*chunk) + cap);
	chunk->cap = cap;
	return chunk;
}

/* Begin a chunk with room for @min bytes behind what is still unread. */
static void begin_chunk(struct pfx_feed *feed, size_t min)
{
	struct pfx_chunk *old = feed->chunk;
	size_t left = pfx_feed_left(feed);
	struct pfx_chunk *chunk = take_chunk(feed, left + min);

	if (left)
		memcpy(chunk->data, feed->at, left);
	feed->at = chunk->data;
	feed->end = feed->at + left;
	feed->chunk = chunk;
	leave_chunk(feed, old);
	feed->chunk_seq = feed->seq;
}

uint8_t *pfx_feed_room(struct pfx_feed *feed, size_t min, size_t *ret_room)
{
	struct pfx_chunk *chunk = feed->chunk;

	if (!chunk || (size_t)(chunk->data + chunk->cap - feed->end) < min) {
		begin_chunk(feed, min);
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
 * How much room the next read wants so that @size bytes can lie in one piece. What fits behind the
 * rest is read there. A great size that the input claims is believed only as far as bytes come: the
 * chunk is filled first, then doubled.
 */
static size_t wanted_room(const struct pfx_feed *feed, size_t size)
{
	const struct pfx_chunk *chunk = feed->chunk;
	size_t room = chunk ? (size_t)(chunk->data + chunk->cap - feed->end) : 0;
	size_t left = pfx_feed_left(feed), more = size - left;

	if (room >= more)
		return 1;
	if (more <= CHUNK_SIZE)
		return more;
	if (room)
		return 1;
	return left > CHUNK_SIZE ? left : CHUNK_SIZE;
}

static int fill(struct pfx_feed *feed, size_t size)
{
	size_t room;
	uint8_t *to = pfx_feed_room(feed, wanted_room(feed, size), &room);
	ssize_t n;

	do
		n = read(feed->fd, to, room);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	pfx_feed_added(feed, (size_t)n);
	return n > 0;
}

int pfx_feed_need(struct pfx_feed *feed, size_t size)
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

void pfx_feed_release(struct pfx_feed *feed, uint64_t mark)
{
	struct pfx_chunk *chunk;

	while (feed->left && feed->left->last <= mark) {
		chunk = feed->left;
		feed->left = chunk->next;
		drop_chunk(feed, chunk);
	}
}
