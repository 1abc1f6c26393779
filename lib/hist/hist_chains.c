/* SPDX-License-Identifier: MIT */
/*
 * Converts chains to paths in the tree of all chains, in the displayed order. If that starts at the
 * root, a chain is the path of its outer part and a few frames; otherwise it is converted as a
 * whole. Looks up symbols and inlined functions.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "hist/hist_internal.h"

#define WANTED UINT32_MAX /* in place of a tree node: the chain is not in the tree yet */

#define PIECE 8 /* frames of a node, for chains that are converted as a whole */

/* With -g address, srcline, frames are also distinguished by address in the dso or source line. */
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

/* The number of innermost frames below a function whose callees are ignored (--ignore-callees);
 * that function is stored in frames->root. */
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
		pfx_place_symbol(options->resolver, places[from]);
		if (options->hide_unresolved && !pfx_place_has_name(places[from]))
			continue;
		frames->from.at[frames->nr] = from;
		frames->ids.at[frames->nr++] = frame_of(hists, places[from]);
	}
}

/* Map each displayed frame to its frame of the chain. */
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
	uint64_t hash = 0;

	convert(hists, places, nr, frames);
	if (hists->options.branch_history)
		keep_steps(hists, chain, places, nr);
	if (frames->root)
		*pfx_hash_add(&hists->roots, chain, NULL) = (uintptr_t)frames->root;
	for (i = 0; i < frames->nr; i += nr) {
		nr = frames->nr - i < PIECE ? frames->nr - i : PIECE;
		hash = pfx_tree_hash(hash, frames->ids.at + i, nr);
		node = pfx_tree_add(hists->tree, node, hash, frames->ids.at + i, nr);
	}
	return node;
}

/* --- chains by their parts --- */

#define BLOCK 64 /* number of parts that are prefetched together, to overlap cache misses */

struct block {
	uint32_t chains[BLOCK], firsts[BLOCK]; /* firsts: index of their first frame */
	uint32_t nr;
	PFX_VEC(uint32_t) frames;
	uint64_t *hashes; /* by chain id: hash of the path down to it */
};

/* Look up the frames of each part of the block, and prefetch their entries in the tree. */
static void look_ahead(struct pfx_hists *hists, struct block *block)
{
	struct pfx_resolver *resolver = hists->options.resolver;
	const struct pfx_frames *frames = &hists->frames;
	struct pfx_place **places;
	uint32_t i, nr, chain;
	uint64_t outer;

	block->frames.nr = 0;
	for (i = 0; i < block->nr; i++) {
		chain = block->chains[i];
		nr = pfx_chain_inner_frames(resolver, chain, &places);
		convert(hists, places, nr, &hists->frames);
		block->firsts[i] = (uint32_t)block->frames.nr;
		pfx_vec_reserve(&block->frames, block->frames.nr + frames->nr + 1);
		memcpy(block->frames.at + block->frames.nr, frames->ids.at,
		       frames->nr * sizeof(*frames->ids.at));
		block->frames.nr += frames->nr;
		outer = block->hashes[pfx_chain_outer(resolver, chain)];
		block->hashes[chain] =
			frames->nr ? pfx_tree_hash(outer, frames->ids.at, frames->nr) : outer;
		pfx_id_table_fetch(&hists->tree->by_hash, block->hashes[chain]);
	}
}

static void add_block(struct pfx_hists *hists, struct block *block)
{
	struct pfx_tree *tree = hists->tree;
	uint32_t i, nr, chain, parent;

	look_ahead(hists, block);
	for (i = 0; i < block->nr; i++) {
		nr = pfx_id_table_first(&tree->by_hash, block->hashes[block->chains[i]]);
		__builtin_prefetch(&tree->nodes.at[nr]);
	}
	for (i = 0; i < block->nr; i++) {
		chain = block->chains[i];
		nr = (i + 1 < block->nr ? block->firsts[i + 1] : (uint32_t)block->frames.nr) -
		     block->firsts[i];
		parent = hists->ends.at[pfx_chain_outer(hists->options.resolver, chain)];
		hists->ends.at[chain] = nr ? pfx_tree_add(tree, parent, block->hashes[chain],
							  block->frames.at + block->firsts[i], nr)
					   : parent;
	}
	block->nr = 0;
}

/* The outer part of a chain has a smaller id. Returns the number of wanted chains. */
static uint32_t want_outer(struct pfx_hists *hists)
{
	uint32_t chain, nr = 0;

	for (chain = (uint32_t)hists->ends.nr; chain-- > 1;)
		if (hists->ends.at[chain]) {
			hists->ends.at[pfx_chain_outer(hists->options.resolver, chain)] = WANTED;
			nr++;
		}
	hists->ends.at[0] = 0;
	return nr;
}

static void add_parts(struct pfx_hists *hists)
{
	struct block block = {.nr = 0};
	uint32_t chain;

	pfx_id_table_reserve(&hists->tree->by_hash, want_outer(hists));
	block.hashes = pfx_calloc(hists->ends.nr, sizeof(*block.hashes));
	for (chain = 1; chain < hists->ends.nr; chain++) {
		if (hists->ends.at[chain])
			block.chains[block.nr++] = chain;
		if (block.nr == BLOCK)
			add_block(hists, &block);
	}
	add_block(hists, &block);
	pfx_vec_free(&block.frames);
	free(block.hashes);
}

/* --- all that are wanted --- */

void pfx_hist_chain_want(struct pfx_hists *hists, uint32_t chain)
{
	if (chain)
		*pfx_vec_slot(&hists->ends, chain) = WANTED;
}

static void order_ends(struct pfx_hists *hists)
{
	uint32_t *now = pfx_tree_sort(hists->tree);
	size_t chain;

	for (chain = 0; chain < hists->ends.nr; chain++)
		hists->ends.at[chain] = now[hists->ends.at[chain]];
	free(now);
}

void pfx_hist_chains_add(struct pfx_hists *hists)
{
	const struct pfx_hist_options *options = &hists->options;
	uint32_t chain;

	hists->tree = pfx_tree_new();
	pfx_vec_slot(&hists->ends, 0);
	if (hists->ends.nr > 1 && options->graph->caller && !options->ignore_callees &&
	    !options->branch_history)
		add_parts(hists);
	else
		for (chain = 1; chain < hists->ends.nr; chain++)
			if (hists->ends.at[chain])
				hists->ends.at[chain] = add_whole(hists, chain);
	order_ends(hists);
}

uint32_t pfx_hist_chain_end(const struct pfx_hists *hists, uint32_t chain)
{
	return hists->ends.at[chain];
}

struct pfx_place *pfx_hist_chain_root(const struct pfx_hists *hists, uint32_t chain)
{
	const uint64_t *root = pfx_hash_get(&hists->roots, chain);

	return root ? (struct pfx_place *)(uintptr_t)*root : NULL;
}
