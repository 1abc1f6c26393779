/* SPDX-License-Identifier: MIT */
/* Opens what takes long to open before it is needed, on several threads: the symbols and the debug
 * information of binaries, of which one may be packed. */
#include <stdlib.h>

#include "base/alloc.h"
#include "out/annotate_internal.h"

void pfx_annotate_prepare(const struct pfx_annotate *annotate)
{
	const uint32_t nr_dsos = pfx_session_nr_dsos(annotate->session);
	bool *is_wanted = pfx_calloc(nr_dsos + 1, sizeof(*is_wanted));
	struct pfx_prepare wanted = {.place_sources = !annotate->symbol};
	PFX_VEC(uint32_t) places = {0}; /* one of each binary */
	struct pfx_cost_entry entry;
	const struct pfx_dso *dso;
	uint32_t at = 0;

	while (pfx_costs_each(annotate->costs, &at, &entry)) {
		dso = entry.place->dso;
		if (!dso || is_wanted[dso->id] || !pfx_filter_dso(annotate->filter, dso))
			continue;
		is_wanted[dso->id] = true;
		pfx_vec_push(&places, entry.place->id);
	}
	wanted.places = places.at;
	wanted.nr_places = (uint32_t)places.nr;
	if (places.nr > 1)
		pfx_resolver_prepare(annotate->resolver, &wanted);
	pfx_vec_free(&places);
	free(is_wanted);
}
