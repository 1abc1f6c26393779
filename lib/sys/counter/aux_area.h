/* SPDX-License-Identifier: MIT */
/*
 * AUX areas: memory beside a ring into which a PMU writes its trace by itself. In the full form the
 * kernel stops at what was not read yet; in the form that keeps the newest bytes it goes round and
 * round, and is stopped to be read. An area owns its mapping and borrows its ring's control page.
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

#define PFX_AUX_SMALLEST 8192 /* what every PMU can work with */

struct pfx_aux_area {
	void *page; /* the ring's control page; NULL: this ring has no area */
	uint8_t *data;
	uint64_t size;       /* a power of two */
	bool keeps_newest;   /* mapped for reading only */
	bool has_wrapped;    /* of keeps_newest: the whole area is trace by now */
	uint64_t tail, head; /* what the last pfx_aux_take() gave */
	size_t ring;         /* index of the ring */
};

struct pfx_aux_areas {
	PFX_VEC(struct pfx_aux_area) list;
};

/* An area in memory: what the kernel maps, or what a test makes. @page is a control page. */
void pfx_aux_area_init(struct pfx_aux_area *area, void *page, void *data, uint64_t size,
		       bool keeps_newest);
/* Where the kernel writes next; it changes when there is something to take. */
uint64_t pfx_aux_head(const struct pfx_aux_area *area);
/*
 * What there is to write: 0, 1 or 2 pieces, and *@ret_offset, where in the stream they begin. At
 * most the newest @most bytes of an area that keeps_newest (0: all); its PMU must be stopped.
 */
int pfx_aux_take(struct pfx_aux_area *area, uint64_t most, struct iovec iov[2],
		 uint64_t *ret_offset);
/* Give what was taken back to the kernel. */
void pfx_aux_release(struct pfx_aux_area *area);

/* Map an area of @size bytes beside each ring that a counter with has_aux writes into. -EPERM or
 * -ENOMEM: too large for the limits. On an error nothing stays mapped. */
int pfx_aux_map(struct pfx_aux_areas *areas, const struct pfx_rings *rings,
		const struct pfx_counters *counters, size_t size, bool keeps_newest,
		struct pfx_error *err);
void pfx_aux_unmap(struct pfx_aux_areas *areas);
/* Stop or start the PMUs that write into the areas. */
void pfx_aux_switch(const struct pfx_counters *counters, bool on);
/* The same for the counters of one ring: after its area was full they have to be started. */
void pfx_aux_restart(const struct pfx_counters *counters, const struct pfx_ring *ring);

#endif
