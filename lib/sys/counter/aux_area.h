/* SPDX-License-Identifier: MIT */
/*
 * AUX areas: memory besides a ring buffer to which a PMU writes its trace. In full mode, the kernel
 * stops at unread bytes; with keeps_newest, the PMU overwrites the oldest bytes and is stopped for
 * reading. An area owns its mapping and borrows the control page of its ring buffer.
 */
#ifndef PFX_SYS_AUX_AREA_H
#define PFX_SYS_AUX_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "sys/counter/counter.h"
#include "sys/counter/ring.h"

#define PFX_AUX_SMALLEST 8192 /* supported by every PMU */

struct pfx_aux_area {
	void *page; /* the control page of the ring buffer; NULL: no area */
	uint8_t *data;
	uint64_t size;       /* a power of two */
	bool keeps_newest;   /* mapped read-only */
	bool has_wrapped;    /* with keeps_newest: the PMU has filled the whole area */
	uint64_t tail, head; /* range of the last pfx_aux_take() */
	size_t ring;         /* index of the ring buffer */
};

struct pfx_aux_areas {
	PFX_VEC(struct pfx_aux_area) list;
};

/* An area of mapped memory, or in a test plain memory. @page is a control page. */
void pfx_aux_area_init(struct pfx_aux_area *area, void *page, void *data, uint64_t size,
		       bool keeps_newest);
/* The kernel's write position; it changes when there are new bytes. */
uint64_t pfx_aux_head(const struct pfx_aux_area *area);
/*
 * The bytes to write: 0, 1 or 2 pieces; *@ret_offset is their offset in the stream. At most the
 * newest @most bytes of an area with keeps_newest (0: all); its PMU must be stopped.
 */
int pfx_aux_take(struct pfx_aux_area *area, uint64_t most, struct iovec iov[2],
		 uint64_t *ret_offset);
/* Return the taken bytes to the kernel. */
void pfx_aux_release(struct pfx_aux_area *area);

/* Map an area of @size bytes for each ring buffer of a counter with has_aux. -EPERM or -ENOMEM: too
 * large for the limits. On an error nothing stays mapped. */
int pfx_aux_map(struct pfx_aux_areas *areas, const struct pfx_rings *rings,
		const struct pfx_counters *counters, size_t size, bool keeps_newest,
		struct pfx_error *err);
void pfx_aux_unmap(struct pfx_aux_areas *areas);
/* Stop or start the PMUs that write into the areas. */
void pfx_aux_switch(const struct pfx_counters *counters, bool on);
/* The same for the counters of one ring buffer: they must be restarted after its area was full. */
void pfx_aux_restart(const struct pfx_counters *counters, const struct pfx_ring *ring);

#endif
