/* SPDX-License-Identifier: MIT */
/*
 * A thread that takes bytes away from somebody who must not wait: what is put in is worked off in
 * order by a function on the queue's own thread. Memory is bounded and set aside when the queue is
 * made; putting in waits only while all of it is full. The queue owns its memory and its thread,
 * and does not look at the bytes.
 */
#ifndef PFX_FILE_QUEUE_H
#define PFX_FILE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Memory of a queue unless the machine is small: a second of the fastest recordings. It is address
 * space until the disk falls behind. */
#define PFX_QUEUE_BYTES (256u << 20)
/* Bytes that are handed over at once at most; a record of the kernel is smaller. */
#define PFX_QUEUE_CHUNK (4u << 20)

struct pfx_queue;

/*
 * Work off bytes, or with @data NULL the request @size that pfx_queue_ask() was given. Runs on the
 * queue's thread, never twice at the same time. After an error everything that follows is thrown
 * away.
 */
typedef int (*pfx_queue_fn)(void *context, const uint8_t *data, size_t size, struct pfx_error *err);

/* @bytes: the memory, rounded to whole chunks, two at least. */
int pfx_queue_new(struct pfx_queue **ret, size_t bytes, pfx_queue_fn work, void *context,
		  struct pfx_error *err);
/* Whoever puts in, or ends the queue, may have to wait for the work: @fn is called ten times a
 * second then, with the milliseconds since something moved. It may end the program. */
typedef void (*pfx_queue_wait_fn)(void *context, unsigned waited_ms);
void pfx_queue_on_wait(struct pfx_queue *queue, pfx_queue_wait_fn fn, void *context);
/* Room for @want bytes (a chunk at most), one piece; *@ret_room is how much there is. Waits while
 * the queue is full. */
uint8_t *pfx_queue_room(struct pfx_queue *queue, size_t want, size_t *ret_room);
/* @size bytes were put into that room. */
void pfx_queue_put(struct pfx_queue *queue, size_t size);
/* Hand over what was put in. Returns the error of the work so far, if there was one. */
int pfx_queue_flush(struct pfx_queue *queue, struct pfx_error *err);
/* The same, and a request behind it. */
int pfx_queue_ask(struct pfx_queue *queue, size_t request, struct pfx_error *err);
/* Hand over, wait until all is worked off, end the thread, free. NULL is fine. */
int pfx_queue_finish(struct pfx_queue *queue, struct pfx_error *err);
/* How often somebody had to wait because all memory was full, and how many bytes ever waited. */
void pfx_queue_stats(struct pfx_queue *queue, uint64_t *ret_full, uint64_t *ret_high);

#endif
