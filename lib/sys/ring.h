/* SPDX-License-Identifier: MIT */
/*
 * Rings: memory that the kernel fills with records and we empty, one for each CPU. Reading takes a
 * snapshot of what is there, hands it out as one or two pieces (it may wrap), and gives the space
 * back once the pieces were used. A ring owns its mapping.
 */
#ifndef PFX_SYS_RING_H
#define PFX_SYS_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "sys/counter.h"

struct pfx_ring {
	void *page; /* the control page; NULL: not mapped */
	uint8_t *data;
	uint64_t size;       /* of the data, a power of two */
	uint64_t tail, head; /* positions of the snapshot: [tail, head) is there */
	int cpu;             /* -1: of one thread, on whatever CPU */
	pid_t tid;           /* the first counter's */
	int fd;              /* the counter whose ring it is; borrowed */
	uint64_t high;       /* the largest number of bytes that ever waited */
};

/* Take a snapshot: the number of bytes waiting. */
uint64_t pfx_ring_snapshot(struct pfx_ring *ring);
/* The snapshot as pieces: 0, 1 or 2. */
int pfx_ring_pieces(const struct pfx_ring *ring, struct iovec iov[2]);
/* Give the snapshot's space back to the kernel. */
void pfx_ring_release(struct pfx_ring *ring);
/* A ring in memory that starts with a control page and holds @size bytes behind it: what the kernel
 * maps, or what a test makes. */
void pfx_ring_init(struct pfx_ring *ring, void *page, uint64_t size);

/* Whether the counter's records go into this ring: that of its CPU, or of its thread. */
bool pfx_ring_takes(const struct pfx_ring *ring, const struct pfx_counter_fd *counter);

struct pfx_rings {
	PFX_VEC(struct pfx_ring) list; /* in the order of their CPUs */
};

/* Map a ring of @size bytes (a power of two, at least a page) for each CPU that the counters are
 * on, and send all counters of a CPU into its ring. -EPERM or -ENOMEM: too large for the limits. On
 * an error nothing stays mapped. */
int pfx_rings_map(struct pfx_rings *rings, const struct pfx_counters *counters, size_t size,
		  struct pfx_error *err);
void pfx_rings_unmap(struct pfx_rings *rings);

#endif
