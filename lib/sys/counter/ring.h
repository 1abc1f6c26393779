/* SPDX-License-Identifier: MIT */
/*
 * Ring buffers, one for each CPU: the kernel writes records, pfx reads them. Reading takes a
 * snapshot of the available bytes, returns it as one or two pieces (it may wrap), and releases the
 * space after use. In backward mode, the kernel never waits for the reader: the newest records
 * overwrite the oldest, and the ring buffer must be paused for reading. A ring buffer owns its
 * mapping.
 */
#ifndef PFX_SYS_RING_H
#define PFX_SYS_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "sys/counter/counter.h"

struct pfx_ring {
	void *page; /* the control page; NULL: not mapped */
	uint8_t *data;
	uint64_t size;       /* of the data, a power of two */
	uint64_t tail, head; /* positions of the snapshot: [tail, head) is readable */
	uint64_t copied;     /* the bytes before it are copied, though maybe not released yet */
	int cpu;             /* -1: one thread, on any CPU */
	pid_t tid;           /* of the first counter */
	int fd;              /* the counter that owns the ring buffer; borrowed */
	uint64_t high;       /* maximum number of waiting bytes so far */
	bool backward; /* the kernel writes downward; `tail` is the head of the last reading */
	bool is_apart; /* only for counters with is_apart */
};

/* Take a snapshot: returns the number of waiting bytes. */
uint64_t pfx_ring_snapshot(struct pfx_ring *ring);
/* Copy @size bytes from position @at on; wraps at the end of the ring buffer. */
void pfx_ring_copy(const struct pfx_ring *ring, uint64_t at, void *to, size_t size);
/* A snapshot of what was neither released nor copied, independent of earlier snapshots. */
uint64_t pfx_ring_catch_up(struct pfx_ring *ring);
/* Release the snapshot's space to the kernel. */
void pfx_ring_release(struct pfx_ring *ring);
/* A ring buffer in memory that starts with a control page, followed by @size bytes: mapped by the
 * kernel, or plain memory in a test. */
void pfx_ring_init(struct pfx_ring *ring, void *page, uint64_t size);

/* For a paused backward ring buffer: copy the records since the last call that are not overwritten
 * yet to the end of @to, which must have room for the whole ring buffer. The oldest record is
 * first; *@ret_size is the number of bytes. */
uint8_t *pfx_ring_collect(struct pfx_ring *ring, uint8_t *to, size_t *ret_size);
/* The number of bytes written to it since then, including overwritten ones. */
uint64_t pfx_ring_passed(const struct pfx_ring *ring);

/* Whether the counter's records go to this ring buffer: same CPU or thread, same direction, same
 * is_apart. */
bool pfx_ring_takes(const struct pfx_ring *ring, const struct pfx_counter_fd *counter);

struct pfx_rings {
	PFX_VEC(struct pfx_ring) list; /* by CPU; those with is_apart are last */
};

/* Map a ring buffer of @size bytes (a power of two, at least a page) for each CPU of the counters,
 * and redirect all counters of a CPU to its ring buffer. -EPERM or -ENOMEM: too large for the
 * limits. On errors, nothing stays mapped. */
int pfx_rings_map(struct pfx_rings *rings, const struct pfx_counters *counters, size_t size,
		  struct pfx_error *err);
/* Pause or resume the backward ring buffers. The kernel counts records during a pause as lost. */
void pfx_rings_pause(const struct pfx_rings *rings, bool paused);
/* Whether any ring buffer is in backward mode. */
bool pfx_rings_overwrite(const struct pfx_rings *rings);
void pfx_rings_unmap(struct pfx_rings *rings);

#endif
