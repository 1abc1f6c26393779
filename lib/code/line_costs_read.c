/* SPDX-License-Identifier: MIT */
/*
 * The lines of samples: each place is looked up once. The lines of a chain are those of its frames,
 * where inlined functions are frames, too; a sample without a chain has the call sites of the
 * functions that are inlined at its address.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "code/line_costs.h"

struct reading {
	struct pfx_line_costs *costs;
	const struct pfx_line_reading *of;
	PFX_VEC(uint32_t) places; /* by id: 0 not looked up, 1 unknown, else the line's id plus 2 */
	PFX_VEC(uint32_t) ids;    /* lines of the current chain */
};

static uint32_t id_of(struct reading *r, const struct pfx_dso *dso, const struct pfx_source *source)
{
	if (r->of->sources)
		pfx_sources_named_by(r->of->sources, source->file, dso);
	return pfx_line_costs_id(r->costs, source->file, source->line);
}

static uint32_t line_of(struct reading *r, const struct pfx_place *place)
{
	uint32_t *known = pfx_vec_slot(&r->places, place->id);
	struct pfx_source source;

	if (!*known)
		*known = pfx_place_source(r->of->resolver, place, &source)
				 ? id_of(r, place->dso, &source) + 2
				 : 1;
	return *known == 1 ? PFX_LINE_NONE : *known - 2;
}

static void push_call_sites(struct reading *r, const struct pfx_place *place)
{
	struct pfx_lines *lines = pfx_resolver_lines(r->of->resolver, place->dso);
	const struct pfx_inlined *inlined;
	struct pfx_source source;
	uint32_t i, nr = 0;

	if (lines)
		nr = pfx_lines_inlined(lines, pfx_place_inner_address(place, place->sym), &inlined);
	for (i = 0; i < nr; i++)
		if (pfx_lines_call(lines, &inlined[i], &source))
			pfx_vec_push(&r->ids, id_of(r, place->dso, &source));
}

static void push_frames(struct reading *r, uint32_t chain)
{
	struct pfx_place **places;
	uint32_t i, id, nr = pfx_chain_frames(r->of->resolver, chain, &places);

	for (i = 0; i < nr; i++) {
		id = line_of(r, places[i]);
		if (id != PFX_LINE_NONE)
			pfx_vec_push(&r->ids, id);
	}
}

static void read_entry(struct reading *r, const struct pfx_cost_entry *entry)
{
	r->ids.nr = 0;
	if (entry->chain)
		push_frames(r, entry->chain);
	else
		push_call_sites(r, entry->place);
	pfx_line_costs_add(r->costs, entry->event, &entry->cost, line_of(r, entry->place),
			   r->ids.at, (uint32_t)r->ids.nr);
}

void pfx_line_costs_read(struct pfx_line_costs *costs, const struct pfx_line_reading *reading)
{
	struct reading r = {.costs = costs, .of = reading};
	const struct pfx_code_function *functions;
	struct pfx_cost_entry entry;
	uint32_t i, at, nr;

	nr = pfx_costs_functions(reading->from, reading->nr_events, &functions);
	for (i = 0; i < nr; i++) {
		at = 0;
		while (pfx_filter_dso(reading->filter, functions[i].dso) &&
		       pfx_costs_next(reading->from, &functions[i], &at, &entry))
			read_entry(&r, &entry);
	}
	pfx_vec_free(&r.places);
	pfx_vec_free(&r.ids);
}
