/* SPDX-License-Identifier: MIT */
/*
 * Functions are the same as in `pfx report`, so that both show the same numbers: a sampled place
 * counts for its symbol, a frame of a chain for the first place that was seen in the same function
 * (inlined functions are one by name), an address without a symbol for itself.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "unwind/pointer_chain.h"
#include "view/place_frames_internal.h"
#include "view/read_profile.h"

#define WANTED UINT32_MAX          /* a chain without nodes yet */
#define BY_IP  (UINT64_C(1) << 32) /* the key is the frame, not the symbol */

struct pfx_place_frames {
	struct pfx_resolver *resolver;
	struct pfx_profile_maker *maker;
	enum pfx_profile_frames by;
	bool function_lines, join_broken;
	bool has_nowhere;       /* some function is outside of all maps */
	uint32_t broken;        /* the node of callers that no map has; 0: none yet */
	PFX_VEC(uint32_t) dsos; /* by id of the session, plus 1 */
	struct pfx_intern function_keys;
	PFX_VEC(uint32_t) functions;   /* by key */
	PFX_VEC(uint32_t) by_frame_id; /* function of frames, plus 1 */
	PFX_VEC(uint32_t) frames, own; /* by place: as a frame of a chain, as a sample; plus 1 */
	PFX_VEC(uint32_t) nodes;       /* by chain */
};

struct pfx_place_frames *pfx_place_frames_new(struct pfx_resolver *resolver,
					      struct pfx_profile_maker *maker,
					      enum pfx_profile_frames by, bool function_lines,
					      bool join_broken)
{
	struct pfx_place_frames *frames = pfx_calloc(1, sizeof(*frames));

	frames->resolver = resolver;
	frames->maker = maker;
	frames->by = by;
	frames->function_lines = function_lines;
	frames->join_broken = join_broken;
	pfx_vec_slot(&frames->nodes, 0);
	return frames;
}

void pfx_place_frames_free(struct pfx_place_frames *frames)
{
	pfx_vec_free(&frames->dsos);
	pfx_intern_fini(&frames->function_keys);
	pfx_vec_free(&frames->functions);
	pfx_vec_free(&frames->by_frame_id);
	pfx_vec_free(&frames->frames);
	pfx_vec_free(&frames->own);
	pfx_vec_free(&frames->nodes);
	free(frames);
}

static uint32_t dso_of(struct pfx_place_frames *frames, const struct pfx_dso *dso)
{
	struct pfx_profile_dso own;
	uint32_t *slot, i;

	if (!dso)
		return PFX_NO_ID;
	slot = pfx_vec_slot(&frames->dsos, dso->id);
	if (*slot)
		return *slot - 1;
	own = (struct pfx_profile_dso){
		.name = dso->name,
		.short_name = dso->short_name,
		.kind = dso->kind,
		.symbols = pfx_symbols_are_loaded(frames->resolver, dso)
				   ? pfx_resolver_symbols_letter(frames->resolver, dso)
				   : '\0',
		.build_id_size = dso->build_id_size,
		.session_dso = dso->id,
	};
	for (i = 0; i < dso->build_id_size; i++)
		own.build_id[i] = dso->build_id[i];
	*slot = pfx_profile_add_dso(frames->maker, &own) + 1;
	return *slot - 1;
}

/* Its first instruction can be of a function that is inlined in it: then the line of that call. */
static struct pfx_place first_instruction(struct pfx_place_frames *frames,
					  const struct pfx_place *place)
{
	struct pfx_lines *lines = pfx_resolver_lines(frames->resolver, place->dso);
	struct pfx_place begin = pfx_place_begin(place);
	const struct pfx_inlined *inlined;
	uint32_t nr = lines ? pfx_lines_inlined(lines, begin.addr, &inlined) : 0;

	begin.is_return = false;
	begin.callee = nr ? &inlined[nr - 1] : NULL;
	return begin;
}

/* An inlined function does not begin anywhere. */
static void find_line(struct pfx_place_frames *frames, const struct pfx_place *place,
		      struct pfx_profile_function *function)
{
	struct pfx_place begin = place->sym->is_inlined ? *place : first_instruction(frames, place);
	struct pfx_source source;

	if (!pfx_place_source(frames->resolver, &begin, &source))
		return;
	function->file = source.file;
	function->line = source.line;
}

static enum pfx_profile_role role_of(struct pfx_place_frames *frames, struct pfx_place *place)
{
	if (!place->dso && !place->sym && pfx_place_level(place) == '.')
		return PFX_ROLE_NOWHERE;
	return pfx_pointer_chain_starts(frames->resolver, place) ? PFX_ROLE_START : PFX_ROLE_CODE;
}

static uint32_t add_function(struct pfx_place_frames *frames, struct pfx_place *place,
			     uint64_t shown)
{
	const struct pfx_symbol *sym = place->sym;
	char address[32];
	struct pfx_profile_function function = {
		.name = address,
		.dso = dso_of(frames, place->dso),
		.start = shown,
		.end = shown + 1,
		.is_named = pfx_place_has_name(place),
		.role = role_of(frames, place),
		.level = pfx_place_level(place),
	};

	frames->has_nowhere |= function.role == PFX_ROLE_NOWHERE;
	snprintf(address, sizeof(address), "0x%" PRIx64, shown);
	if (sym) {
		function.name = sym->name;
		function.start = sym->start;
		function.end = sym->end;
		function.is_inlined = sym->is_inlined;
		if (frames->function_lines)
			find_line(frames, place, &function);
	}
	return pfx_profile_add_function(frames->maker, &function);
}

/* @word: distinguishes symbols in dsos with the same short name. @shown: for an address without a
 * symbol. */
static uint32_t function_by_key(struct pfx_place_frames *frames, struct pfx_place *place,
				uint64_t word, uint64_t shown)
{
	uint64_t key[2] = {place->dso ? place->dso->name_id + 1ull : 0, word};
	uint32_t id = pfx_intern_add(&frames->function_keys, key, sizeof(key));

	if (id == frames->functions.nr)
		pfx_vec_push(&frames->functions, add_function(frames, place, shown));
	return frames->functions.at[id];
}

static uint32_t function_of_frame(struct pfx_place_frames *frames, struct pfx_place *place)
{
	bool by_symbol = place->sym || place->ip == place->shown;
	uint32_t *slot = pfx_vec_slot(&frames->by_frame_id, place->frame_id);

	if (!*slot)
		*slot = 1 + function_by_key(frames, place,
					    by_symbol ? place->sym_id : place->frame_id | BY_IP,
					    place->ip);
	return *slot - 1;
}

static uint32_t add_frame(struct pfx_place_frames *frames, const struct pfx_place *place,
			  uint32_t function)
{
	struct pfx_profile_frame frame = {
		.function = function,
		.dso = dso_of(frames, place->dso),
	};
	struct pfx_source source;

	if (frames->by == PFX_FRAMES_BY_ADDRESS)
		frame.address = place->addr;
	if (frames->by != PFX_FRAMES_BY_FUNCTION &&
	    pfx_place_source(frames->resolver, place, &source)) {
		frame.file = source.file;
		frame.line = source.line;
	}
	return pfx_profile_add_frame(frames->maker, &frame);
}

static uint32_t frame_of(struct pfx_place_frames *frames, struct pfx_place *place)
{
	uint32_t *slot = pfx_vec_slot(&frames->frames, place->id);

	if (*slot)
		return *slot - 1;
	pfx_place_symbol(frames->resolver, place);
	*slot = add_frame(frames, place, function_of_frame(frames, place)) + 1;
	return *slot - 1;
}

static uint32_t own_frame(struct pfx_place_frames *frames, struct pfx_place *place)
{
	uint32_t *slot = pfx_vec_slot(&frames->own, place->id), function;

	if (*slot)
		return *slot - 1;
	pfx_place_symbol(frames->resolver, place);
	function = function_by_key(frames, place, place->sym_id, place->shown);
	*slot = add_frame(frames, place, function) + 1;
	return *slot - 1;
}

void pfx_place_frames_want(struct pfx_place_frames *frames, uint32_t chain)
{
	*pfx_vec_slot(&frames->nodes, chain) = WANTED;
}

/* Where code does not keep the frame pointer, the kernel takes any value as the next frame: a
 * return address outside of all maps is none. */
static bool is_broken(struct pfx_place_frames *frames, struct pfx_place *place)
{
	pfx_place_symbol(frames->resolver, place);
	return role_of(frames, place) == PFX_ROLE_NOWHERE;
}

static uint32_t add_broken(struct pfx_place_frames *frames)
{
	const struct pfx_profile_function function = {
		.name = PFX_BROKEN_CHAIN,
		.dso = PFX_NO_ID,
		.role = PFX_ROLE_BROKEN,
		.level = '.',
	};
	struct pfx_profile_frame frame = {.dso = PFX_NO_ID};

	frame.function = pfx_profile_add_function(frames->maker, &function);
	return pfx_profile_add_frame(frames->maker, &frame);
}

void pfx_place_frames_offer_broken(struct pfx_place_frames *frames)
{
	if (frames->has_nowhere)
		add_broken(frames);
}

static uint32_t broken_node(struct pfx_place_frames *frames)
{
	if (!frames->broken)
		frames->broken = pfx_profile_add_node(frames->maker, 0, add_broken(frames));
	return frames->broken;
}

/* A chain from its root to a frame. */
struct way {
	uint32_t node;
	bool is_whole; /* one of the frames is where threads start */
};

/* Callers beyond an address in no map are broken if none of them is where threads start; the frames
 * beyond such a function are none. */
static void enter(struct pfx_place_frames *frames, struct way *way, struct pfx_place *place)
{
	if (frames->join_broken && !way->is_whole && is_broken(frames, place)) {
		way->node = broken_node(frames);
		return;
	}
	if (frames->join_broken && !way->is_whole &&
	    pfx_pointer_chain_starts(frames->resolver, place)) {
		way->is_whole = true;
		if (way->node == frames->broken)
			way->node = 0;
	}
	way->node = pfx_profile_add_node(frames->maker, way->node, frame_of(frames, place));
}

/* The innermost frames of a chain, whose outer part has nodes already. */
static uint32_t add_part(struct pfx_place_frames *frames, uint32_t chain)
{
	uint32_t outer = pfx_chain_outer(frames->resolver, chain), nr;
	struct way way = {frames->nodes.at[outer], false};
	struct pfx_place **places;

	way.is_whole = frames->join_broken && pfx_pointer_chain_is_whole(frames->resolver, outer);
	nr = pfx_chain_inner_frames(frames->resolver, chain, &places);
	while (nr--)
		enter(frames, &way, places[nr]);
	return way.node;
}

/* The outer part of a chain has a smaller id. */
void pfx_place_frames_add_chains(struct pfx_place_frames *frames)
{
	uint32_t *nodes = frames->nodes.at, nr = (uint32_t)frames->nodes.nr, i;

	for (i = nr; i-- > 1;)
		if (nodes[i])
			nodes[pfx_chain_outer(frames->resolver, i)] = WANTED;
	nodes[0] = 0;
	for (i = 1; i < nr; i++)
		if (nodes[i])
			nodes[i] = add_part(frames, i);
}

uint32_t pfx_place_frames_stack(struct pfx_place_frames *frames, uint32_t chain, uint32_t place)
{
	struct pfx_place *at = pfx_resolver_place_at(frames->resolver, place);
	uint32_t own = own_frame(frames, at), node = frames->nodes.at[chain];

	/* Without a chain, or with one that is all broken, the sampled address is the only frame.
	 */
	if (!chain || (node && node == frames->broken))
		node = pfx_profile_add_node(frames->maker, node, own);
	return pfx_profile_add_stack(frames->maker, node, own, pfx_place_level(at));
}
