/* SPDX-License-Identifier: MIT */
/*
 * Threads for work that falls into independent pieces. Which thread does which piece is chance, so
 * a piece writes to a place of its own, found by its number, and the result does not depend on
 * how many threads there are. The workers own their threads and nothing else.
 */
#ifndef PFX_BASE_WORKERS_H
#define PFX_BASE_WORKERS_H

#include <stddef.h>

#define PFX_WORKERS_MAX 16 /* beyond it the pieces of one recording are too few */

struct pfx_workers;

/* Do piece @piece. @worker: a number below pfx_workers_number() that no other piece has at the same
 * time, for memory that is used again from piece to piece. */
typedef void (*pfx_workers_fn)(void *context, size_t piece, unsigned worker);

/* How many threads are wanted unless the caller knows better: the CPUs that this process may use,
 * or what $PFX_THREADS says; 1 to PFX_WORKERS_MAX. */
unsigned pfx_workers_wanted(void);

/* @nr threads at most, the caller's among them; 1: none is ever made. Starts none yet. */
struct pfx_workers *pfx_workers_new(unsigned nr);
/* Ends the threads. NULL is fine. */
void pfx_workers_free(struct pfx_workers *workers);
/* The number given to pfx_workers_new(). */
unsigned pfx_workers_number(const struct pfx_workers *workers);
/* Do pieces 0 to @nr - 1, begun in this order, and return when all are done. The caller does its
 * share; threads are made when there is a second piece, and kept. They take no signals. Where the
 * system gives no threads the caller does all. Not from within a piece. */
void pfx_workers_run(struct pfx_workers *workers, size_t nr, pfx_workers_fn work, void *context);

/* The same in two halves, between which the caller does something else while the threads begin: the
 * first returns at once, the second does what is left. With one thread that is all. */
void pfx_workers_begin(struct pfx_workers *workers, size_t nr, pfx_workers_fn work, void *context);
/* Nothing happens when nothing was begun. */
void pfx_workers_wait(struct pfx_workers *workers);

#endif
