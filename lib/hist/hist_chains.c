/* SPDX-License-Identifier: MIT */
/*
 * From chains to paths in the tree of all chains, in the order in which they are shown. Where that
 * begins at the root, a chain is its callers' path and a few frames more; else it is converted as a
 * whole. Symbols and inlined functions are looked up here.
 */
#include <string.h>

#include "base/alloc.h"
#include "hist/hist_internal.h"

#define PIECE 8 /* frames of a node, of chains that are converted as a whole */

/* With -g address, srcline, frames are told apart by address in the dso or source line too. */
static uint32_t finer_node(struct pfx_hists *hists, struct pfx_place *place)
{
	uint64_t words[3] = {place->dso ? place->dso->id + 1ull : 0, place->addr, place->frame_id};
	uint32_t node;

	if (hists->options.graph->key == PFX_GRAPH_SRCLINE) {
		words[0] = 0;
		words[1] = (uintptr_t)pfx_place_srcline(hists->options.resolver, place);
	}
	node = pfx_intern_add(&hists->by_address, words, sizeof(words));

	if (node == hists->nodes.nr)
		pfx_vec_push(&hists->nodes, place);
	return node;
}

static uint32_t function_node(struct pfx_hists *hists, struct pfx_place *place)
{
	struct pfx_place **node = pfx_vec_slot(&hists->nodes, place->frame_id);

	if (!*node)
		*node = place;
	return place->frame_id;
}

static uint32_t frame_of(struct pfx_hists *hists, struct pfx_place *place)
{
	uint32_t node =
		hists->options.graph->key ? finer_node(hists, place) : function_node(hists, place);

	if (!hists->frames_are_places)
		return node;
	*pfx_vec_slot(&hists->node_of_place, place->id) = node;
	return place->id;
}

bool pfx_hist_name_matches(const struct pfx_hist_options *options, const regex_t *regex,
			   struct pfx_place *place)
{
	const struct pfx_symbol *sym = pfx_place_symbol(options->resolver, place);

	return sym && !regexec(regex, sym->name, 0, NULL, 0);
}

/* How many frames at the leaf lie below a function whose callees are to be forgotten; that function
 * itself into frames->root. */
static uint32_t ignored_callees(const struct pfx_hist_options *options, struct pfx_place **places,
				uint32_t nr, struct pfx_frames *frames)
{
	uint32_t i;

	frames->root = NULL;
	for (i = nr; options->ignore_callees && i--;)
		if (pfx_hist_name_matches(options, options->ignore_callees, places[i])) {
			frames->root = places[i];
			return i;
		}
	return 0;
}

static void convert(struct pfx_hists *hists, struct pfx_place **places, uint32_t nr,
		    struct pfx_frames *frames)
{
	const struct pfx_hist_options *options = &hists->options;
	uint32_t i, from, first = ignored_callees(options, places, nr, frames);

	frames->nr = 0;
	pfx_vec_reserve(&frames->ids, nr);
	pfx_vec_reserve(&frames->from, nr);
	for (i = 0; i < nr - first; i++) {
		from = options->graph->caller ? nr - 1 - i : i + first;
		if (!pfx_place_symbol(options->resolver, places[from]) && options->hide_unresolved)
			continue;
		frames->from.at[frames->nr] = from;
		frames->ids.at[frames->nr++] = frame_of(hists, places[from]);
	}
}

/* Which frame of the chain each of those shown is. */
static void keep_steps(struct pfx_hists *hists, uint32_t chain, struct pfx_place **places,
		       uint32_t nr)
{
	const struct pfx_frames *frames = &hists->frames;
	uint32_t i, *steps = pfx_hist_steps_of(hists, places, nr);
	uint32_t *shown = pfx_arena_alloc(&hists->arena, (frames->nr + 1) * sizeof(*shown));

	for (i = 0; i < frames->nr; i++)
		shown[i] = steps[frames->from.at[i]];
	*pfx_vec_slot(&hists->frame_steps, chain) = shown;
}

static uint32_t add_whole(struct pfx_hists *hists, uint32_t chain)
{
	struct pfx_frames *frames = &hists->frames;
	struct pfx_place **places;
	uint32_t i, nr = pfx_chain_frames(hists->options.resolver, chain, &places), node = 0;

	convert(hists, places, nr, frames);
	if (hists->options.branch_history)
		keep_steps(hists, chain, places, nr);
	if (frames->root)
		*pfx_hash_add(&hists->roots, chain, NULL) = (uintptr_t)frames->root;
	for (i = 0; i < frames->nr; i += nr) {
		nr = frames->nr - i < PIECE ? frames->nr - i : PIECE;
		node = pfx_tree_add(hists->tree, node, frames->ids.at + i, nr);
	}
	return node;
}

static uint32_t add_part(struct pfx_hists *hists, uint32_t chain, uint32_t parent)
{
	struct pfx_frames *frames = &hists->frames;
	struct pfx_place **places;
	uint32_t nr = pfx_chain_inner_frames(hists->options.resolver, chain, &places);

	convert(hists, places, nr, frames);
	return frames->nr ? pfx_tree_add(hists->tree, parent, frames->ids.at, frames->nr) : parent;
}

/* From the outermost part that is not in the tree yet to the innermost one. */
static uint32_t add_parts(struct pfx_hists *hists, uint32_t chain)
{
	uint32_t node = 0, at = chain;

	hists->path.nr = 0;
	for (; at && !hists->ends.at[at]; at = pfx_chain_outer(hists->options.resolver, at))
		pfx_vec_push(&hists->path, at);
	if (at)
		node = hists->ends.at[at] - 1;
	while (hists->path.nr) {
		at = hists->path.at[--hists->path.nr];
		node = add_part(hists, at, node);
		hists->ends.at[at] = node + 1;
	}
	return node;
}

uint32_t pfx_hist_chain_end(struct pfx_hists *hists, uint32_t chain)
{
	const struct pfx_hist_options *options = &hists->options;
	uint32_t *end;

	if (!chain)
		return 0;
	pfx_vec_slot(&hists->ends, pfx_resolver_nr_chains(options->resolver));
	end = &hists->ends.at[chain];
	if (!*end &&
	    (!options->graph->caller || options->ignore_callees || options->branch_history))
		*end = add_whole(hists, chain) + 1;
	else if (!*end)
		*end = add_parts(hists, chain) + 1;
	return *end - 1;
}

struct pfx_place *pfx_hist_chain_root(const struct pfx_hists *hists, uint32_t chain)
{
	const uint64_t *root = pfx_hash_get(&hists->roots, chain);

	return root ? (struct pfx_place *)(uintptr_t)*root : NULL;
}
