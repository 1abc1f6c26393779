/* SPDX-License-Identifier: MIT */
/*
 * Rings: memory that the kernel fills with records and we empty, one for each CPU. Reading takes a
 * snapshot of what is there, hands it out as one or two pieces (it may wrap), and gives the space
 * back once the pieces were used. A ring that is written backward is different: the kernel never
 * waits for us, the newest records take the place of the oldest, and it is read while the kernel is
 * kept from writing. A ring owns its mapping.
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
	uint64_t tail, head; /* positions of the snapshot: [tail, head) is there */
	int cpu;             /* -1: of one thread, on whatever CPU */
	pid_t tid;           /* the first counter's */
	int fd;              /* the counter whose ring it is; borrowed */
	uint64_t high;       /* the largest number of bytes that ever waited */
	bool backward;       /* the kernel writes downward; `tail` is where it was last time */
	bool is_apart;       /* of counters that want no others in it */
};

/* Take a snapshot: the number of bytes waiting. */
uint64_t pfx_ring_snapshot(struct pfx_ring *ring);
/* Copy @size bytes from the position @at on, around the end of the ring. */
void pfx_ring_copy(const struct pfx_ring *ring, uint64_t at, void *to, size_t size);
/* The same from the tail on that was released last, whatever happened to the snapshot. */
uint64_t pfx_ring_catch_up(struct pfx_ring *ring);
/* Give the snapshot's space back to the kernel. */
void pfx_ring_release(struct pfx_ring *ring);
/* A ring in memory that starts with a control page and holds @size bytes behind it: what the kernel
 * maps, or what a test makes. */
void pfx_ring_init(struct pfx_ring *ring, void *page, uint64_t size);

/* Of a ring that is written backward, and paused: copy what came since the last time, as far as it
 * is still there, to the end of @to, which has room for the whole ring. The oldest record comes
 * first; *@ret_size is how many bytes there are. */
uint8_t *pfx_ring_collect(struct pfx_ring *ring, uint8_t *to, size_t *ret_size);
/* How many bytes were written into it since then, if only to be overwritten. */
uint64_t pfx_ring_passed(const struct pfx_ring *ring);

/* Whether the counter's records go into this ring: that of its CPU or of its thread, of its
 * direction, and apart if it wants that. */
bool pfx_ring_takes(const struct pfx_ring *ring, const struct pfx_counter_fd *counter);

struct pfx_rings {
	PFX_VEC(struct pfx_ring) list; /* in the order of their CPUs; those apart come last */
};

/* Map a ring of @size bytes (a power of two, at least a page) for each CPU that the counters are
 * on, and send all counters of a CPU into its ring. -EPERM or -ENOMEM: too large for the limits. On
 * an error nothing stays mapped. */
int pfx_rings_map(struct pfx_rings *rings, const struct pfx_counters *counters, size_t size,
		  struct pfx_error *err);
/* Keep the kernel from writing into the rings that are written backward, or let it again. What it
 * would have written meanwhile counts as lost. */
void pfx_rings_pause(const struct pfx_rings *rings, bool paused);
/* Whether any ring is written backward. */
bool pfx_rings_overwrite(const struct pfx_rings *rings);
void pfx_rings_unmap(struct pfx_rings *rings);

#endif
