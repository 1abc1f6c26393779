/* SPDX-License-Identifier: MIT */
/*
 * Call chains as lines "comm;root;...;leaf N", the input of flame graphs. N is the period; equal
 * lines are summed, in order of first occurrence. A semicolon in a name would start a frame: it is
 * replaced by a colon. Kernel functions end in _[k], inlined ones in _[i].
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "out/form_internal.h"
#include "out/term.h"

#define FLUSH_SIZE (256u << 10)

static void add_part(struct pfx_str *to, const char *name)
{
	size_t start = to->len;

	pfx_str_add_foreign(to, name);
	for (; start < to->len; start++)
		if (to->at[start] == ';')
			to->at[start] = ':';
}

static void add_frame(struct pfx_str *to, const struct pfx_place *place)
{
	pfx_str_addc(to, ';');
	if (place->sym) {
		add_part(to, place->sym->name);
	} else {
		pfx_str_addc(to, '[');
		add_part(to, place->dso ? place->dso->short_name : "unknown");
		pfx_str_addc(to, ']');
	}
	if (pfx_place_level(place) == 'k')
		pfx_str_add(to, "_[k]");
	if (place->sym && place->sym->is_inlined)
		pfx_str_add(to, "_[i]");
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
		add_part(&line, folded.comm);
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
