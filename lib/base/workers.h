/* SPDX-License-Identifier: MIT */
/*
 * Threads for work that consists of independent pieces. Which thread runs a piece is not
 * deterministic, so a piece writes to its own slot, found by its number, and the result does not
 * depend on the number of threads. Owns only the threads.
 */
#ifndef PFX_BASE_WORKERS_H
#define PFX_BASE_WORKERS_H

#include <stddef.h>

#define PFX_WORKERS_MAX 16 /* with more threads the pieces of one recording are too few */

struct pfx_workers;

/* Run piece @piece. @worker: a number below pfx_workers_number() that no other running piece has,
 * for memory that is reused from piece to piece. */
typedef void (*pfx_workers_fn)(void *context, size_t piece, unsigned worker);

/* The default number of threads: pfx_set_threads(), else $PFX_THREADS, else the CPUs that this
 * process may use; 1 to PFX_WORKERS_MAX. */
unsigned pfx_workers_wanted(void);

/* At most @nr threads, including the caller's; 1: no thread is ever started. Threads start
 * later. */
struct pfx_workers *pfx_workers_new(unsigned nr);
/* Ends the threads. @workers may be NULL. */
void pfx_workers_free(struct pfx_workers *workers);
/* The number given to pfx_workers_new(). */
unsigned pfx_workers_number(const struct pfx_workers *workers);
/* Run pieces 0 to @nr - 1, started in this order, and return when all are done. The caller's thread
 * takes pieces too; threads are started when there is a second piece, and kept. They handle no
 * signals. If no thread can be started, the caller runs all pieces. Must not be called from within
 * a piece. */
void pfx_workers_run(struct pfx_workers *workers, size_t nr, pfx_workers_fn work, void *context);

/* The same in two halves, so that the caller can do other work while the threads begin: the first
 * returns at once, the second runs the remaining pieces and waits. Without threads, the second half
 * runs everything. */
void pfx_workers_begin(struct pfx_workers *workers, size_t nr, pfx_workers_fn work, void *context);
/* No effect unless a job was begun. */
void pfx_workers_wait(struct pfx_workers *workers);

#endif
