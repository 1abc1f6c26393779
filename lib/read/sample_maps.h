/* SPDX-License-Identifier: MIT */
/* Which maps a sample is about: those that its addresses lie in. */
#ifndef PFX_READ_SAMPLE_MAPS_H
#define PFX_READ_SAMPLE_MAPS_H

#include "event/sample.h"
#include "session/session.h"

/* Called for a map; below 0 ends the visit. */
typedef int (*pfx_map_fn)(void *context, const struct pfx_map *map);

struct pfx_map_visitor {
	struct pfx_session *session;
	struct pfx_thread *thread;
	pfx_map_fn fn;
	void *context;
};

/* The map of each address of a call chain, which begins at the level @mode; a map may come more
 * than once. 0, or what @fn returned below it. */
int pfx_visit_chain_maps(const struct pfx_map_visitor *visitor, enum pfx_cpumode mode,
			 const struct pfx_words *chain);
/* The same for where the sample was, and its chain; with @all also its branches, the data that it
 * touched and, as the frames of a copied stack are not known yet, all maps of such a process. */
int pfx_visit_sample_maps(const struct pfx_map_visitor *visitor, const struct pfx_sample *sample,
			  bool all);

#endif
