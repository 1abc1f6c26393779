/* SPDX-License-Identifier: MIT */
/*
 * A queue of bytes with its own thread, for a producer that must not wait: the thread calls a
 * function for the bytes, in order. Memory is bounded and allocated when the queue is made; the
 * producer only waits while all of it is full. The queue owns its memory and its thread.
 */
#ifndef PFX_FILE_QUEUE_H
#define PFX_FILE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Default memory of a queue, less on small machines: a second of the fastest recordings. Only used
 * if the disk is too slow. */
#define PFX_QUEUE_BYTES (256u << 20)
/* Maximum size of a chunk; larger than any record of the kernel. */
#define PFX_QUEUE_CHUNK (4u << 20)

struct pfx_queue;

/*
 * Processes bytes, or, if @data is NULL, the request @size of pfx_queue_ask(). Called on the
 * queue's thread, one call at a time. After an error, all later bytes are dropped.
 */
typedef int (*pfx_queue_fn)(void *context, const uint8_t *data, size_t size, struct pfx_error *err);

/* @bytes: the memory, rounded to whole chunks, at least two. */
int pfx_queue_new(struct pfx_queue **ret, size_t bytes, pfx_queue_fn work, void *context,
		  struct pfx_error *err);
/* While the producer waits for room or for the end of the queue, this is called ten times per
 * second with the milliseconds since the last progress. It may end the program. */
typedef void (*pfx_queue_wait_fn)(void *context, unsigned waited_ms);
void pfx_queue_on_wait(struct pfx_queue *queue, pfx_queue_wait_fn fn, void *context);
/* Contiguous room for @want bytes (at most a chunk); *@ret_room is the available size. Waits while
 * the queue is full. */
uint8_t *pfx_queue_room(struct pfx_queue *queue, size_t want, size_t *ret_room);
/* @size bytes were put into that room. */
void pfx_queue_put(struct pfx_queue *queue, size_t size);
/* Hand over the bytes put so far. Returns the error of the function so far, if any. */
int pfx_queue_flush(struct pfx_queue *queue, struct pfx_error *err);
/* The same, followed by a request. */
int pfx_queue_ask(struct pfx_queue *queue, size_t request, struct pfx_error *err);
/* Hand over, wait until all bytes are processed, end the thread, set *@queue to NULL, free. *@queue
 * may be NULL. */
int pfx_queue_finish(struct pfx_queue **queue, struct pfx_error *err);

/*
 * For a process that shares the memory of a killed one: the bytes that its queue did not process,
 * in order. Takes no lock, which a dead thread may hold.
 */
struct pfx_queue_rest {
	const uint8_t *data;
	size_t size;
	bool is_begun;  /* the thread took these bytes: they may be processed in part or as a whole
			 */
	uint64_t begin; /* if so: the position before */
	size_t at;      /* private; begin with 0 */
};
/* False at the end. */
bool pfx_queue_next_rest(const struct pfx_queue *queue, struct pfx_queue_rest *rest);
/* Called on the queue's thread before it takes bytes: the output's position, for the above. Set it
 * before the first bytes. */
typedef uint64_t (*pfx_queue_position_fn)(void *context);
void pfx_queue_on_begin(struct pfx_queue *queue, pfx_queue_position_fn fn);
/* Whether the bytes before @end were put last. */
bool pfx_queue_ends_at(const struct pfx_queue *queue, const uint8_t *end);

/* How often the producer had to wait because all memory was full, and the maximum number of waiting
 * bytes. */
void pfx_queue_stats(struct pfx_queue *queue, uint64_t *ret_full, uint64_t *ret_high);

#endif
