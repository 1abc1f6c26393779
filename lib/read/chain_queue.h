/* SPDX-License-Identifier: MIT */
/*
 * Samples whose call chains are looked up in another thread: that is bound by memory latency, as is
 * counting them, while the next samples are read. Batches and samples are processed in the order of
 * the file, so chains get the same ids as without the queue. Owns copies of what is put in.
 */
#ifndef PFX_READ_CHAIN_QUEUE_H
#define PFX_READ_CHAIN_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/resolve.h"

struct pfx_chain_queue;

/* Takes @nr entries, in order, with the ids of their chains. Runs in another thread, never twice at
 * a time: it must not use the session, and of the resolver nothing but chains by id. */
typedef void (*pfx_chains_take_fn)(void *context, void *entries, const uint32_t *chains,
				   uint32_t nr);

/* @entry_size: of what describes a sample, in bytes. */
struct pfx_chain_queue *pfx_chain_queue_new(struct pfx_resolver *resolver, size_t entry_size,
					    pfx_chains_take_fn take, void *context);
/* Drops what was not taken. @queue may be NULL. */
void pfx_chain_queue_free(struct pfx_chain_queue *queue);
/* Queue a sample with its chain, as pfx_resolve_frames() found it. */
void pfx_chain_queue_put(struct pfx_chain_queue *queue, const void *entry,
			 const struct pfx_chain_found *chain);
/* Wait until all are taken. Call it before using chains by id. */
void pfx_chain_queue_settle(struct pfx_chain_queue *queue);

#endif
