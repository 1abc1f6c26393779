/* SPDX-License-Identifier: MIT */
/*
 * Samples that wait for each other: when some hundred are there, or something else comes, the
 * copied stacks in them are walked at once, on several threads, and they are taken in the order in
 * which they came. It saves time and changes no result. The batch borrows the bytes
 * of records that stay where they are; of others it owns a copy. Its memory is bounded, in samples
 * and in bytes.
 */
#ifndef PFX_UNWIND_STACK_BATCH_H
#define PFX_UNWIND_STACK_BATCH_H

#include "event/sample.h"
#include "unwind/resolve.h"

struct pfx_stack_batch;

/* A sample that waits: its record, and what that says. */
struct pfx_stack_wait {
	struct pfx_record rec;
	struct pfx_sample sample;
};

/* Borrows the resolver. NULL can be freed. */
struct pfx_stack_batch *pfx_stack_batch_new(struct pfx_resolver *resolver);
void pfx_stack_batch_free(struct pfx_stack_batch *batch);

/* Let a record wait. @stays: its bytes stay where they are until the batch is emptied. *@ret is the
 * decoded sample, valid for as long. False: it is no sample that could wait, the batch is full, or
 * waiting would save nothing; those that wait are to be taken first, then this one. */
bool pfx_stack_batch_put(struct pfx_stack_batch *batch, const struct pfx_record *rec, bool stays,
			 const struct pfx_sample **ret);
/* The call chain of the sample that was put last is going to be asked for, as one of @thread.
 * Without this it only keeps its turn. */
void pfx_stack_batch_want(struct pfx_stack_batch *batch, struct pfx_thread *thread);
/* Walk the stacks that are wanted. Those that wait come into *@ret, in order, to be taken before
 * the session changes, and then _empty(). Returns their number. */
uint32_t pfx_stack_batch_walk(struct pfx_stack_batch *batch, struct pfx_stack_wait **ret);
/* All that waited is taken. */
void pfx_stack_batch_empty(struct pfx_stack_batch *batch);

#endif
