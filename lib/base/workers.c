/* SPDX-License-Identifier: MIT */
/*
 * A job is a counter of pieces under a lock: each thread takes the next piece. A thread that wakes
 * up after all pieces were taken sleeps again, so the caller does not wait for it.
 */
#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/guard.h"
#include "base/io.h"
#include "pfx/common.h"

struct pfx_workers {
	pthread_mutex_t lock; /* protects all fields below except the threads */
	pthread_cond_t begins, done;
	pfx_workers_fn work;
	void *context;
	size_t next, nr; /* pieces */
	size_t nr_busy;  /* pieces in progress in threads other than the caller's */
	bool ends;
	unsigned max;        /* threads, including the caller's */
	unsigned nr_threads; /* started so far */
	bool no_more;        /* pthread_create() failed */
	pthread_t threads[PFX_WORKERS_MAX];
};

static atomic_uint threads_set; /* 0: not */

void pfx_set_threads(unsigned nr)
{
	atomic_store(&threads_set, nr < PFX_WORKERS_MAX ? nr : PFX_WORKERS_MAX);
}

unsigned pfx_workers_wanted(void)
{
	const char *asked = pfx_environment("PFX_THREADS");
	long nr = atomic_load(&threads_set);
	cpu_set_t cpus;

	if (nr < 1 && asked)
		nr = strtol(asked, NULL, 10);
	if (nr < 1)
		nr = sched_getaffinity(0, sizeof(cpus), &cpus) ? sysconf(_SC_NPROCESSORS_ONLN)
							       : CPU_COUNT(&cpus);
	if (nr > PFX_WORKERS_MAX)
		nr = PFX_WORKERS_MAX;
	return nr < 1 ? 1 : (unsigned)nr;
}

struct pfx_workers *pfx_workers_new(unsigned nr)
{
	struct pfx_workers *workers = pfx_calloc(1, sizeof(*workers));

	workers->max = nr < 1 ? 1 : nr > PFX_WORKERS_MAX ? PFX_WORKERS_MAX : nr;
	pthread_mutex_init(&workers->lock, NULL);
	pthread_cond_init(&workers->begins, NULL);
	pthread_cond_init(&workers->done, NULL);
	return workers;
}

unsigned pfx_workers_number(const struct pfx_workers *workers)
{
	return workers->max;
}

/* Takes pieces until none are left. Called and left with the lock held. */
static void do_pieces(struct pfx_workers *workers, unsigned worker)
{
	size_t piece;

	while (workers->next < workers->nr) {
		piece = workers->next++;
		workers->nr_busy++;
		pthread_mutex_unlock(&workers->lock);
		workers->work(workers->context, piece, worker);
		pthread_mutex_lock(&workers->lock);
		workers->nr_busy--;
	}
}

/* The argument of a thread; freed by the thread. */
struct start {
	struct pfx_workers *workers;
	unsigned worker;
};

static void *run(void *arg)
{
	struct start start = *(struct start *)arg;
	struct pfx_workers *workers = start.workers;

	free(arg);
	pthread_mutex_lock(&workers->lock);
	while (!workers->ends) {
		do_pieces(workers, start.worker);
		if (!workers->nr_busy)
			pthread_cond_signal(&workers->done);
		if (!workers->ends)
			pthread_cond_wait(&workers->begins, &workers->lock);
	}
	pthread_mutex_unlock(&workers->lock);
	return NULL;
}

/* The new thread blocks signals: only the program's own threads handle them. */
static bool start_thread(struct pfx_workers *workers)
{
	struct start *start = pfx_malloc(sizeof(*start));
	sigset_t old;
	int code;

	*start = (struct start){workers, workers->nr_threads + 1};
	pfx_guard_block_signals(&old);
	code = pthread_create(&workers->threads[workers->nr_threads], NULL, run, start);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (code)
		free(start);
	return code == 0;
}

static void start_threads(struct pfx_workers *workers, size_t nr)
{
	while (workers->nr_threads + 1 < workers->max && workers->nr_threads + 1 < nr &&
	       !workers->no_more) {
		if (start_thread(workers))
			workers->nr_threads++;
		else
			workers->no_more = true;
	}
}

/* @busy: 1 when the caller takes a piece at once, so that the other threads have one piece less. */
static void post(struct pfx_workers *workers, size_t nr, pfx_workers_fn work, void *context,
		 unsigned busy)
{
	start_threads(workers, nr + 1 - busy);
	pthread_mutex_lock(&workers->lock);
	workers->work = work;
	workers->context = context;
	workers->next = 0;
	workers->nr = nr;
	if (workers->nr_threads && nr > busy)
		pthread_cond_broadcast(&workers->begins);
	pthread_mutex_unlock(&workers->lock);
}

void pfx_workers_begin(struct pfx_workers *workers, size_t nr, pfx_workers_fn work, void *context)
{
	post(workers, nr, work, context, 0);
}

void pfx_workers_wait(struct pfx_workers *workers)
{
	pthread_mutex_lock(&workers->lock);
	do_pieces(workers, 0);
	while (workers->nr_busy)
		pthread_cond_wait(&workers->done, &workers->lock);
	pthread_mutex_unlock(&workers->lock);
}

void pfx_workers_run(struct pfx_workers *workers, size_t nr, pfx_workers_fn work, void *context)
{
	post(workers, nr, work, context, 1);
	pfx_workers_wait(workers);
}

void pfx_workers_free(struct pfx_workers *workers)
{
	unsigned i;

	if (!workers)
		return;
	pthread_mutex_lock(&workers->lock);
	workers->ends = true;
	pthread_cond_broadcast(&workers->begins);
	pthread_mutex_unlock(&workers->lock);
	for (i = 0; i < workers->nr_threads; i++)
		pthread_join(workers->threads[i], NULL);
	pthread_cond_destroy(&workers->begins);
	pthread_cond_destroy(&workers->done);
	pthread_mutex_destroy(&workers->lock);
	free(workers);
}
