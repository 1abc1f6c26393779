/* SPDX-License-Identifier: MIT */
/*
 * Call chains as lines "comm;root;...;leaf N", the input of flame graphs. N is the period; equal
 * lines are summed, in order of first occurrence. Names and marks: out/folded_names.h.
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "out/folded_names.h"
#include "out/form_internal.h"
#include "out/term/term.h"

#define FLUSH_SIZE (256u << 10)

static void add_frame(struct pfx_str *to, const struct pfx_place *place)
{
	const struct pfx_folded_frame frame = {
		.name = place->sym ? place->sym->name : NULL,
		.dso = place->dso ? place->dso->short_name : NULL,
		.is_kernel = pfx_place_level(place) == 'k',
		.is_inlined = place->sym && place->sym->is_inlined,
	};

	pfx_str_addc(to, ';');
	pfx_folded_add_frame(to, &frame);
}

int pfx_form_folded(const struct pfx_form_rows *from, struct pfx_str *to)
{
	PFX_VEC(uint64_t) periods = {0};
	struct pfx_folded folded = {0};
	struct pfx_intern lines = {0};
	struct pfx_str line = {0};
	uint32_t id, i;
	int rc = 0;

	while (pfx_folded_next(from->hists, &folded)) {
		pfx_str_clear(&line);
		pfx_folded_add_name(&line, folded.comm);
		for (i = folded.nr; i--;)
			add_frame(&line, folded.places[i]);
		id = pfx_intern_add(&lines, line.at, line.len);
		if (id == periods.nr)
			pfx_vec_push(&periods, 0);
		periods.at[id] += folded.period;
	}
	for (id = 0; id < lines.nr && !rc; id++) {
		pfx_str_add(to, pfx_intern_get(&lines, id));
		pfx_str_addf(to, " %" PRIu64 "\n", periods.at[id]);
		if (to->len > FLUSH_SIZE)
			rc = pfx_out_flush(to);
	}
	pfx_vec_free(&periods);
	pfx_intern_fini(&lines);
	pfx_str_fini(&line);
	return rc;
}
