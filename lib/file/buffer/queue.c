/* SPDX-License-Identifier: MIT */
/*
 * Chunks of memory between two threads. Free chunks are reused last-in, first-out, so that few of
 * them stay in the CPU caches. A waiting chunk that is not full is taken back and filled further,
 * so that many small pieces do not use up the chunks while the disk is slow.
 *
 * The threads may be killed between any two instructions, and another process then looks for the
 * bytes that are left: each chunk with such bytes must be found at any time, so that it is put in
 * its next place before it is removed from the last one. PUBLISH keeps the compiler from changing
 * that order.
 */
#include "file/buffer/queue.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/alloc.h"
#include "base/guard.h"
#include "base/ns.h"

#define COLD_CHUNKS 1 /* touched before the first bytes arrive */
#define WARM_CHUNKS 4 /* and after this many bytes arrived: */
#define WARM_BYTES  (256u << 10)
#define WAIT_MS     100

#define PUBLISH(to, value) __atomic_store_n(&(to), value, __ATOMIC_RELEASE)

struct chunk {
	uint8_t *at;
	size_t len; /* bytes; of a request: its number */
	bool is_request;
};

struct pfx_queue {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t not_empty, not_full;
	pfx_queue_fn work;
	void *context;
	pfx_queue_wait_fn waits; /* NULL: not reported */
	void *wait_context;
	uint8_t *memory;
	size_t size;
	struct chunk *chunks; /* all of them */
	struct chunk **idle;  /* a stack */
	size_t nr_idle;
	struct chunk **waiting; /* a ring buffer of nr_chunks: positions from first to last */
	size_t first, last, nr_chunks;
	struct chunk *filling;          /* owned by the producer */
	struct chunk *busy;             /* owned by the thread */
	uint64_t busy_begin;            /* the position before it */
	pfx_queue_position_fn position; /* NULL: unknown */
	uint64_t nr_full, waiting_bytes, high;
	bool ends;
	int rc; /* the error of the function, with its message */
	struct pfx_error error;
};

/* Populates pages before they are needed; kernels before 5.14 populate them on use. Few at first,
 * since the workload waits for its start. */
static void warm_up(struct pfx_queue *queue, size_t first, size_t last)
{
	uint8_t *from = queue->memory + first * PFX_QUEUE_CHUNK;

	if (last > queue->nr_chunks)
		last = queue->nr_chunks;
	if (first >= last)
		return;
#ifdef MADV_POPULATE_WRITE
	madvise(from, (last - first) * PFX_QUEUE_CHUNK, MADV_POPULATE_WRITE);
#else
	madvise(from, (last - first) * PFX_QUEUE_CHUNK, MADV_WILLNEED);
#endif
}

static struct chunk *waiting_at(const struct pfx_queue *queue, size_t position)
{
	return queue->waiting[position % queue->nr_chunks];
}

static struct chunk *take_first(struct pfx_queue *queue)
{
	struct chunk *chunk;

	pthread_mutex_lock(&queue->lock);
	while (queue->first == queue->last && !queue->ends)
		pthread_cond_wait(&queue->not_empty, &queue->lock);
	chunk = queue->first < queue->last ? waiting_at(queue, queue->first) : NULL;
	if (chunk) {
		queue->busy_begin = queue->position ? queue->position(queue->context) : 0;
		PUBLISH(queue->busy, chunk);
		PUBLISH(queue->first, queue->first + 1);
	}
	pthread_mutex_unlock(&queue->lock);
	return chunk;
}

static void give_back(struct pfx_queue *queue, struct chunk *chunk, int rc,
		      const struct pfx_error *why)
{
	PUBLISH(queue->busy, NULL);
	pthread_mutex_lock(&queue->lock);
	if (!chunk->is_request)
		queue->waiting_bytes -= chunk->len;
	if (rc < 0 && queue->rc == 0) {
		queue->rc = rc;
		queue->error = *why;
	}
	queue->idle[queue->nr_idle++] = chunk;
	pthread_cond_signal(&queue->not_full);
	pthread_mutex_unlock(&queue->lock);
}

static void *run(void *arg)
{
	struct pfx_queue *queue = arg;
	struct pfx_error why = {0};
	struct chunk *chunk;
	bool is_warm = false;
	int rc = 0;

	warm_up(queue, 0, COLD_CHUNKS);
	while ((chunk = take_first(queue))) {
		if (!is_warm && !chunk->is_request && chunk->len > WARM_BYTES) {
			warm_up(queue, COLD_CHUNKS, WARM_CHUNKS);
			is_warm = true;
		}
		if (rc >= 0)
			rc = queue->work(queue->context, chunk->is_request ? NULL : chunk->at,
					 chunk->len, &why);
		give_back(queue, chunk, rc, &why);
	}
	return NULL;
}

/* Blocks all signals for the thread: other threads handle them. */
static int start_thread(struct pfx_queue *queue)
{
	sigset_t old;
	int code;

	pfx_guard_block_signals(&old);
	code = pthread_create(&queue->thread, NULL, run, queue);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return code;
}

static void release(struct pfx_queue *queue)
{
	if (queue->memory)
		munmap(queue->memory, queue->size);
	pthread_mutex_destroy(&queue->lock);
	pthread_cond_destroy(&queue->not_empty);
	pthread_cond_destroy(&queue->not_full);
	free(queue->chunks);
	free(queue->idle);
	free(queue->waiting);
	free(queue);
}

static int get_memory(struct pfx_queue *queue)
{
	size_t i;
	void *memory;

	queue->size = queue->nr_chunks * PFX_QUEUE_CHUNK;
	memory = mmap(NULL, queue->size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return errno;
	queue->memory = memory;
	for (i = queue->nr_chunks; i--;) {
		queue->chunks[i].at = queue->memory + i * PFX_QUEUE_CHUNK;
		queue->idle[queue->nr_idle++] = &queue->chunks[i];
	}
	return 0;
}

/* The producer may have a real-time priority: priority inheritance for the holder of the lock. */
static void init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	if (pthread_mutex_init(lock, &attr))
		pthread_mutex_init(lock, NULL);
	pthread_mutexattr_destroy(&attr);
}

int pfx_queue_new(struct pfx_queue **ret, size_t bytes, pfx_queue_fn work, void *context,
		  struct pfx_error *err)
{
	struct pfx_queue *queue = pfx_calloc(1, sizeof(*queue));
	int code;

	*ret = NULL;
	queue->work = work;
	queue->context = context;
	queue->nr_chunks = bytes / PFX_QUEUE_CHUNK > 2 ? bytes / PFX_QUEUE_CHUNK : 2;
	queue->chunks = pfx_calloc(queue->nr_chunks, sizeof(*queue->chunks));
	queue->idle = pfx_calloc(queue->nr_chunks, sizeof(*queue->idle));
	queue->waiting = pfx_calloc(queue->nr_chunks, sizeof(*queue->waiting));
	init_lock(&queue->lock);
	pthread_cond_init(&queue->not_empty, NULL);
	pthread_cond_init(&queue->not_full, NULL);
	code = get_memory(queue);
	if (!code)
		code = start_thread(queue);
	if (code) {
		release(queue);
		return pfx_error_sys(err, code, "cannot start the thread that writes");
	}
	*ret = queue;
	return 0;
}

/* The chunk that was handed over last, if it still waits and has room. */
static struct chunk *take_back(struct pfx_queue *queue, size_t want)
{
	struct chunk *chunk;

	if (queue->first == queue->last)
		return NULL;
	chunk = waiting_at(queue, queue->last - 1);
	if (chunk->is_request || PFX_QUEUE_CHUNK - chunk->len < want)
		return NULL;
	PUBLISH(queue->filling, chunk);
	PUBLISH(queue->last, queue->last - 1);
	queue->waiting_bytes -= chunk->len;
	return chunk;
}

void pfx_queue_on_wait(struct pfx_queue *queue, pfx_queue_wait_fn fn, void *context)
{
	queue->waits = fn;
	queue->wait_context = context;
}

static struct timespec next_wait(void)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_nsec += WAIT_MS * (long)PFX_NS_PER_MS;
	if (at.tv_nsec >= (long)PFX_NS_PER_SECOND) {
		at.tv_nsec -= (long)PFX_NS_PER_SECOND;
		at.tv_sec++;
	}
	return at;
}

/* Waits until a chunk is idle, with the lock held. */
static void wait_idle(struct pfx_queue *queue)
{
	struct timespec at;
	unsigned ms = 0;

	while (!queue->nr_idle) {
		at = next_wait();
		if (pthread_cond_timedwait(&queue->not_full, &queue->lock, &at) != ETIMEDOUT ||
		    queue->nr_idle || !queue->waits)
			continue;
		ms += WAIT_MS;
		queue->waits(queue->wait_context, ms);
	}
}

/* Waits until the thread has ended. */
static void wait_end(struct pfx_queue *queue)
{
	struct timespec at = next_wait();
	unsigned ms = 0;

	while (pthread_timedjoin_np(queue->thread, NULL, &at)) {
		ms += WAIT_MS;
		if (queue->waits)
			queue->waits(queue->wait_context, ms);
		at = next_wait();
	}
}

static struct chunk *take_idle(struct pfx_queue *queue)
{
	struct chunk *chunk;

	queue->nr_full += !queue->nr_idle;
	wait_idle(queue);
	chunk = queue->idle[--queue->nr_idle];
	PUBLISH(chunk->len, 0);
	chunk->is_request = false;
	return chunk;
}

/* With the lock held. */
static void hand_over(struct pfx_queue *queue, struct chunk *chunk)
{
	queue->waiting[queue->last % queue->nr_chunks] = chunk;
	PUBLISH(queue->last, queue->last + 1);
	if (queue->filling == chunk)
		PUBLISH(queue->filling, NULL);
	if (!chunk->is_request)
		queue->waiting_bytes += chunk->len;
	if (queue->waiting_bytes > queue->high)
		queue->high = queue->waiting_bytes;
	pthread_cond_signal(&queue->not_empty);
}

uint8_t *pfx_queue_room(struct pfx_queue *queue, size_t want, size_t *ret_room)
{
	struct chunk *chunk = queue->filling;

	if (!chunk || PFX_QUEUE_CHUNK - chunk->len < want) {
		pthread_mutex_lock(&queue->lock);
		if (chunk)
			hand_over(queue, chunk);
		chunk = chunk ? NULL : take_back(queue, want);
		if (!chunk)
			chunk = take_idle(queue);
		PUBLISH(queue->filling, chunk);
		pthread_mutex_unlock(&queue->lock);
	}
	*ret_room = PFX_QUEUE_CHUNK - chunk->len;
	return chunk->at + chunk->len;
}

void pfx_queue_put(struct pfx_queue *queue, size_t size)
{
	PUBLISH(queue->filling->len, queue->filling->len + size);
}

/* The error of the function, with the lock held. */
static int result(const struct pfx_queue *queue, struct pfx_error *err)
{
	if (queue->rc < 0 && err)
		*err = queue->error;
	return queue->rc;
}

int pfx_queue_flush(struct pfx_queue *queue, struct pfx_error *err)
{
	int rc;

	pthread_mutex_lock(&queue->lock);
	if (queue->filling && queue->filling->len)
		hand_over(queue, queue->filling);
	else if (queue->filling)
		queue->idle[queue->nr_idle++] = queue->filling;
	queue->filling = NULL;
	rc = result(queue, err);
	pthread_mutex_unlock(&queue->lock);
	return rc;
}

int pfx_queue_ask(struct pfx_queue *queue, size_t request, struct pfx_error *err)
{
	struct chunk *chunk;
	int rc = pfx_queue_flush(queue, err);

	if (rc < 0)
		return rc;
	pthread_mutex_lock(&queue->lock);
	chunk = take_idle(queue);
	chunk->is_request = true;
	chunk->len = request;
	hand_over(queue, chunk);
	pthread_mutex_unlock(&queue->lock);
	return 0;
}

int pfx_queue_finish(struct pfx_queue **slot, struct pfx_error *err)
{
	struct pfx_queue *queue = *slot;
	int rc;

	if (!queue)
		return 0;
	pfx_queue_flush(queue, NULL);
	pthread_mutex_lock(&queue->lock);
	queue->ends = true;
	pthread_cond_signal(&queue->not_empty);
	pthread_mutex_unlock(&queue->lock);
	wait_end(queue);
	rc = result(queue, err);
	PUBLISH(*slot, NULL);
	release(queue);
	return rc;
}

void pfx_queue_stats(struct pfx_queue *queue, uint64_t *ret_full, uint64_t *ret_high)
{
	pthread_mutex_lock(&queue->lock);
	*ret_full = queue->nr_full;
	*ret_high = queue->high;
	pthread_mutex_unlock(&queue->lock);
}

/* --- after the death of the threads --- */

void pfx_queue_on_begin(struct pfx_queue *queue, pfx_queue_position_fn fn)
{
	queue->position = fn;
}

bool pfx_queue_ends_at(const struct pfx_queue *queue, const uint8_t *end)
{
	const struct chunk *filling = queue->filling;

	return filling && filling->at + filling->len == end;
}

/* The chunk at a place of the iteration: the thread's, the waiting ones, the producer's. NULL: none
 * that was not there before. */
static const struct chunk *rest_at(const struct pfx_queue *queue, size_t at)
{
	size_t nr_waiting = queue->last - queue->first;
	const struct chunk *chunk;

	if (at == 0)
		return queue->busy;
	if (at > nr_waiting) {
		chunk = queue->filling;
		if (nr_waiting && chunk == waiting_at(queue, queue->last - 1))
			return NULL;
	} else {
		chunk = waiting_at(queue, queue->first + at - 1);
	}
	return chunk == queue->busy ? NULL : chunk;
}

bool pfx_queue_next_rest(const struct pfx_queue *queue, struct pfx_queue_rest *rest)
{
	const struct chunk *chunk;
	size_t at;

	while (rest->at <= queue->last - queue->first + 1) {
		at = rest->at++;
		chunk = rest_at(queue, at);
		if (!chunk || chunk->is_request || !chunk->len)
			continue;
		rest->data = chunk->at;
		rest->size = chunk->len;
		rest->is_begun = at == 0;
		rest->begin = queue->busy_begin;
		return true;
	}
	return false;
}
