/* SPDX-License-Identifier: MIT */
/*
 * The source of records: counters, ring buffers and AUX areas, of the kernel or of a test. Owned by
 * the thread that empties the ring buffers. The writing thread only takes data from the areas on
 * request, and reads constant members: the mapping of counters to ring buffers.
 */
#ifndef PFX_RECORD_SOURCE_H
#define PFX_RECORD_SOURCE_H

#include "base/error.h"
#include "sys/counter/aux_area.h"
#include "sys/counter/counter.h"
#include "sys/counter/ring.h"
#include "sys/target/target.h"

/* Kernel functions for recording. Each is documented in sys/ under its name: pfx_counters_attach(),
 * pfx_rings_map() and so on. */
struct pfx_record_machine {
	int (*attach)(struct pfx_counters *set, struct pfx_target *target, const char *root,
		      struct pfx_error *err);
	void (*close)(struct pfx_counters *set);
	int (*map)(struct pfx_rings *rings, const struct pfx_counters *counters, size_t size,
		   struct pfx_error *err);
	void (*unmap)(struct pfx_rings *rings);
	int (*enable)(struct pfx_counters *set, struct pfx_error *err);
	void (*disable)(struct pfx_counters *set);
	void (*turn)(const struct pfx_counter *counter, bool on); /* pfx_counter_switch() */
	uint64_t (*lost)(const struct pfx_counter *counter, size_t fd_index);
	uint64_t (*now)(const int32_t *clockid); /* by the clock of the records */
	uint64_t (*monotonic)(void);             /* for delays and deadlines */
};

/* The running kernel. */
extern const struct pfx_record_machine pfx_record_kernel;

struct pfx_record_source {
	const struct pfx_record_machine *machine; /* borrowed */
	struct pfx_counters counters;
	struct pfx_rings rings;
	size_t ring_bytes;
	struct pfx_aux_areas areas;
};

/* Close and unmap everything. */
void pfx_record_source_fini(struct pfx_record_source *source);

#endif
