/* SPDX-License-Identifier: MIT */
/* A segment of a chain becomes another one as a whole, and is looked at once. */
#include "unwind/place_joiner.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "unwind/resolve_internal.h"

/* The first place of each function. */
struct firsts {
	struct pfx_intern functions;
	PFX_VEC(uint32_t) first; /* by function */
	PFX_VEC(uint32_t) known; /* by place: its first place, plus 1; 0: not looked up yet */
};

struct joined_chain {
	uint64_t hash; /* of the new chain */
	uint32_t id;   /* of the new chain, plus 1; 0: not looked up yet */
};

struct pfx_place_joiner {
	struct pfx_resolver *resolver;
	struct firsts places, of_dsos, frames;
	PFX_VEC(struct joined_chain) chains; /* by chain */
};

struct pfx_place_joiner *pfx_place_joiner_new(struct pfx_resolver *resolver)
{
	struct pfx_place_joiner *joined = pfx_calloc(1, sizeof(*joined));

	joined->resolver = resolver;
	return joined;
}

static void firsts_fini(struct firsts *firsts)
{
	pfx_intern_fini(&firsts->functions);
	pfx_vec_free(&firsts->first);
	pfx_vec_free(&firsts->known);
}

void pfx_place_joiner_free(struct pfx_place_joiner *joined)
{
	if (!joined)
		return;
	firsts_fini(&joined->places);
	firsts_fini(&joined->of_dsos);
	firsts_fini(&joined->frames);
	pfx_vec_free(&joined->chains);
	free(joined);
}

/* What distinguishes places of one sym_id. */
static uint32_t within(const struct pfx_place_joiner *joined, const struct firsts *firsts,
		       const struct pfx_place *place)
{
	if (firsts == &joined->frames)
		return place->frame_id;
	return firsts == &joined->of_dsos && place->dso ? place->dso->id + 1 : 0;
}

static uint32_t first_of(struct pfx_place_joiner *joined, struct firsts *firsts, uint32_t id)
{
	uint32_t *known = pfx_vec_slot(&firsts->known, id), key[3], function;
	struct pfx_place *place;

	if (*known)
		return *known - 1;
	place = joined->resolver->places.at[id];
	pfx_place_symbol(joined->resolver, place);
	key[0] = place->sym_id;
	key[1] = within(joined, firsts, place);
	key[2] = (uint32_t)place->cpumode;
	function = pfx_intern_add(&firsts->functions, key, sizeof(key));
	if (function == firsts->first.nr)
		pfx_vec_push(&firsts->first, id);
	*known = firsts->first.at[function] + 1;
	return *known - 1;
}

uint32_t pfx_join_place(struct pfx_place_joiner *joined, uint32_t place)
{
	return first_of(joined, &joined->places, place);
}

uint32_t pfx_join_place_of_dso(struct pfx_place_joiner *joined, uint32_t place)
{
	return first_of(joined, &joined->of_dsos, place);
}

static struct joined_chain join(struct pfx_place_joiner *joined, uint32_t chain)
{
	struct pfx_segment segment = joined->resolver->chains.at[chain];
	struct joined_chain outer = {0, 1}, *known;
	uint32_t i;

	known = pfx_vec_slot(&joined->chains, chain);
	if (known->id)
		return *known;
	if (segment.outer)
		outer = join(joined, segment.outer);
	for (i = 0; i < PFX_SEGMENT_FRAMES && segment.frames[i]; i++)
		segment.frames[i] = pfx_frame_make(
			first_of(joined, &joined->frames, pfx_frame_place_id(segment.frames[i])),
			false);
	segment.outer = outer.id - 1;
	outer.id = 1 + pfx_chain_intern(joined->resolver, &segment, &outer.hash);
	*pfx_vec_slot(&joined->chains, chain) = outer;
	*pfx_vec_slot(&joined->chains, outer.id - 1) = outer;
	return outer;
}

uint32_t pfx_join_chain(struct pfx_place_joiner *joined, uint32_t chain)
{
	return chain && !joined->resolver->options.inlines ? join(joined, chain).id - 1 : chain;
}
