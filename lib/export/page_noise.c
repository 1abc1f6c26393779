/* SPDX-License-Identifier: MIT */
/* The data of the HTML page: what `pfx diff` finds of the functions and call paths of two
 * recordings, by the ways in which the page compares. */
#include <math.h>
#include <stdlib.h>

#include "export/page_data_internal.h"
#include "out/json_parts.h"

#define SHARE_UNITS 1e4 /* of a percent point */

static const struct {
	struct pfx_pair_footing footing;
	const char *unit, *basis; /* the page's words */
} footings[] = {
	{{PFX_MEASURE_PERIOD, true}, "period", "share"},
	{{PFX_MEASURE_PERIOD, false}, "period", "amount"},
	{{PFX_MEASURE_SAMPLES, true}, "samples", "share"},
	{{PFX_MEASURE_SAMPLES, false}, "samples", "amount"},
};

/* An object with two columns; takes the findings. */
static void add_findings(struct pfx_page_data *h, const char *name,
			 struct pfx_pair_finding *findings, uint32_t nr, double units)
{
	uint32_t i;

	pfx_page_begin(h, name, '{');
	for (i = 0; i < nr; i++)
		pfx_vec_push(&h->column, findings[i].verdict);
	pfx_page_column(h, "verdict");
	for (i = 0; i < nr; i++)
		pfx_vec_push(&h->column, (uint64_t)ceil(findings[i].half * units));
	pfx_page_column(h, "half");
	pfx_page_end(h, '}');
	free(findings);
}

static void add_pair(struct pfx_page_data *h, uint32_t event, size_t i)
{
	const struct pfx_pair_footing *footing = &footings[i].footing;
	double units = footing->is_share ? SHARE_UNITS : 1;
	uint32_t nr = h->profile->nr_functions;

	pfx_json_add_number(h->to, "event", pfx_selection_column(h->selection, event));
	pfx_json_add_text(h->to, "unit", footings[i].unit);
	pfx_json_add_text(h->to, "basis", footings[i].basis);
	add_findings(h, "self", pfx_pair_functions(h->noise, event, PFX_PAIR_SELF, footing), nr,
		     units);
	add_findings(h, "total", pfx_pair_functions(h->noise, event, PFX_PAIR_TOTAL, footing), nr,
		     units);
	add_findings(h, "nodes", pfx_pair_nodes(h->noise, event, footing), h->selection->nodes.nr,
		     units);
}

void pfx_page_add_noise(struct pfx_page_data *h)
{
	uint32_t event, nr = 0;
	size_t i;

	pfx_page_begin(h, "noise", '[');
	for (event = 0; event < h->nr_new_events; event++) {
		if (h->joined->old_of[event] == PFX_NO_ID ||
		    pfx_selection_column(h->selection, event) == PFX_NO_ID ||
		    pfx_selection_column(h->selection, h->joined->old_of[event]) == PFX_NO_ID)
			continue;
		for (i = 0; i < sizeof(footings) / sizeof(*footings); i++) {
			pfx_page_element(h, nr++);
			add_pair(h, event, i);
			pfx_page_end(h, '}');
		}
	}
	pfx_page_end(h, ']');
}
