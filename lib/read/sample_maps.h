/* SPDX-License-Identifier: MIT */
/* Visits the maps that contain a sample's addresses. */
#ifndef PFX_READ_SAMPLE_MAPS_H
#define PFX_READ_SAMPLE_MAPS_H

#include "event/sample.h"
#include "session/session.h"

/* Called for each map; a negative result ends the visit. */
typedef int (*pfx_map_fn)(void *context, const struct pfx_map *map);

struct pfx_map_visitor {
	struct pfx_session *session;
	struct pfx_thread *thread;
	pfx_map_fn fn;
	void *context;
};

/* Visit the map of each address of a call chain that begins at cpumode @mode; the same map may be
 * visited several times. Returns 0, or the negative result of @fn. */
int pfx_visit_chain_maps(const struct pfx_map_visitor *visitor, enum pfx_cpumode mode,
			 const struct pfx_words *chain);
/* The same for the sample's ip and call chain; with @all also for its branches, its data address,
 * and, since the frames of a stack dump are unknown here, all maps of the process. */
int pfx_visit_sample_maps(const struct pfx_map_visitor *visitor, const struct pfx_sample *sample,
			  bool all);

#endif
