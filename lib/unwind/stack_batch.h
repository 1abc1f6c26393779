/* SPDX-License-Identifier: MIT */
/*
 * Collects samples in a batch: when some hundred are there, or another record comes, their stack
 * dumps are unwound on several threads, and the samples are then processed in their original order.
 * Saves time and does not change any result. The batch borrows records whose bytes stay valid; it
 * copies others. Its memory is bounded, by number of samples and by bytes.
 */
#ifndef PFX_UNWIND_STACK_BATCH_H
#define PFX_UNWIND_STACK_BATCH_H

#include "event/sample.h"
#include "unwind/resolve.h"

struct pfx_stack_batch;

/* A waiting sample: its record, and the decoded sample. */
struct pfx_stack_wait {
	struct pfx_record rec;
	struct pfx_sample sample;
};

/* Borrows the resolver. NULL can be freed. */
struct pfx_stack_batch *pfx_stack_batch_new(struct pfx_resolver *resolver);
void pfx_stack_batch_free(struct pfx_stack_batch *batch);

/* Add a record to the batch. @stays: its bytes stay valid until the batch is emptied. *@ret is the
 * decoded sample, valid for the same time. False: not a sample with a stack dump, the batch is
 * full, or batching would save nothing; then process the waiting samples first, and this one after
 * them. */
bool pfx_stack_batch_put(struct pfx_stack_batch *batch, const struct pfx_record *rec, bool stays,
			 const struct pfx_sample **ret);
/* The call chain of the last added sample will be needed, for @thread. Without this call the sample
 * only keeps its place in the order. */
void pfx_stack_batch_want(struct pfx_stack_batch *batch, struct pfx_thread *thread);
/* Unwind the wanted stacks. *@ret gets the waiting samples in order; process them before the
 * session changes, then call pfx_stack_batch_empty(). Returns their number. */
uint32_t pfx_stack_batch_walk(struct pfx_stack_batch *batch, struct pfx_stack_wait **ret);
/* Remove all samples from the batch. */
void pfx_stack_batch_empty(struct pfx_stack_batch *batch);

#endif
