/* SPDX-License-Identifier: MIT */
/*
 * Finds the row of a bucket, or of a frame of its chain: by the words that distinguish rows; a new
 * row is made from the first bucket with these words.
 */
#include <string.h>

#include "base/alloc.h"
#include "hist/hist_internal.h"

static struct pfx_row *make_row(struct pfx_visit *visit)
{
	struct pfx_hists *hists = visit->hists;
	struct pfx_row *row = pfx_arena_new(&hists->arena, struct pfx_row);

	*row = visit->probe;
	row->id = visit->build->all.nr;
	row->stat =
		pfx_arena_array(&hists->arena, struct pfx_row_stat, visit->build->hist.nr_members);
	pfx_vec_push(&visit->build->all, row);
	return row;
}

uint32_t pfx_hist_row_words(struct pfx_hists *hists, const struct pfx_row *row, uint64_t *words)
{
	const struct pfx_columns *columns = hists->options.columns;
	uint32_t nr = 0;
	size_t i;

	for (i = 0; i < columns->order.nr; i++)
		if (!pfx_key_is_value(columns->order.at[i]))
			words[nr++] = pfx_hist_key_word(hists, row, columns->order.at[i]);
	return nr;
}

/* The row that equals the probe; added if new. */
static struct pfx_row *find_row(struct pfx_visit *visit)
{
	uint64_t words[PFX_ROW_WORDS_MAX];
	uint32_t id, nr = pfx_hist_row_words(visit->hists, &visit->probe, words);

	id = pfx_intern_add(&visit->build->keys, words, nr * sizeof(*words));
	if (id < visit->build->all.nr)
		return visit->build->all.at[id];
	return make_row(visit);
}

/* The name of the first caller that matches options.parent, from the start of the displayed
 * chain. */
static uint32_t parent_text(struct pfx_hists *hists, uint32_t chain_id)
{
	const struct pfx_hist_options *options = &hists->options;
	struct pfx_place **places, *place;
	uint32_t i, nr;

	if (!options->parent || !chain_id)
		return pfx_intern_str(&hists->source_texts, PFX_NO_PARENT);
	nr = pfx_chain_frames(options->resolver, chain_id, &places);
	for (i = 0; i < nr; i++) {
		place = places[options->graph->caller ? nr - 1 - i : i];
		if (pfx_hist_name_matches(options, options->parent, place))
			return pfx_intern_str(&hists->source_texts, place->sym->name);
	}
	return pfx_intern_str(&hists->source_texts, PFX_NO_PARENT);
}

/* The same by chain id, cached. */
static uint32_t parent_id(struct pfx_hists *hists, uint32_t chain_id)
{
	bool is_new;
	uint64_t *slot = pfx_hash_add(&hists->parents, chain_id, &is_new);

	if (is_new)
		*slot = parent_text(hists, chain_id);
	return (uint32_t)*slot;
}

bool pfx_hist_has_parent(struct pfx_hists *hists, uint32_t chain_id)
{
	return strcmp(pfx_intern_get(&hists->source_texts, parent_id(hists, chain_id)),
		      PFX_NO_PARENT);
}

/* Fill in the part that all rows of the bucket share. */
static void fill_probe(struct pfx_visit *visit, struct pfx_place *place)
{
	const struct pfx_hist_options *options = &visit->hists->options;
	const struct pfx_bucket *bucket = visit->bucket;

	visit->probe = (struct pfx_row){
		.place = place,
		.thread = pfx_session_thread_at(options->session, bucket->thread),
		.comm = pfx_session_comm_at(options->session, bucket->comm),
		.cpu = (int32_t)bucket->cpu,
		.text = bucket->key.text,
		.words = bucket->key.words,
		.level = pfx_place_level(place),
		.shown = options->mode == PFX_REPORT_BRANCH ? place->ip : place->shown,
	};
	if (visit->hists->wants_types)
		visit->probe.type = pfx_hist_type_id(
			visit->hists, pfx_resolver_place_at(options->resolver, bucket->key.place));
	if (pfx_columns_has(options->columns, PFX_KEY_PARENT))
		visit->probe.parent = parent_id(visit->hists, bucket->key.chain);
}

uint32_t pfx_visit_context(struct pfx_visit *visit)
{
	const struct pfx_bucket_key *key = &visit->bucket->key;
	const struct pfx_row *probe = &visit->probe;
	uint32_t words[] = {key->thread, key->comm,     key->cpu,   key->text,
			    key->words,  probe->parent, probe->type};

	_Static_assert(sizeof(words) == sizeof(visit->context_words), "room for all");
	if (!visit->build->contexts.nr || memcmp(words, visit->context_words, sizeof(words)))
		visit->context_id = pfx_intern_add(&visit->build->contexts, words, sizeof(words));
	memcpy(visit->context_words, words, sizeof(words));
	return visit->context_id;
}

void pfx_visit_begin(struct pfx_visit *visit, const struct pfx_bucket *bucket)
{
	const struct pfx_hists *hists = visit->hists;
	struct pfx_place *root = pfx_hist_chain_root(hists, bucket->key.chain);

	visit->bucket = bucket;
	fill_probe(visit,
		   root ? root : pfx_resolver_place_at(hists->options.resolver, bucket->key.place));
	visit->level = visit->probe.level;
}

struct pfx_row *pfx_visit_own_row(struct pfx_visit *visit)
{
	struct pfx_row_memo *memo;

	if (visit->hists->roots.nr)
		return find_row(visit);
	memo = pfx_vec_slot(&visit->own, visit->bucket->key.place);
	if (!memo->row || memo->context != visit->context)
		*memo = (struct pfx_row_memo){visit->context, 0, find_row(visit)};
	return memo->row;
}

/* --- rows of frames --- */

/* The level of a frame outside of all mappings: inherited from the previous mapped frame, else the
 * sample's level. */
static char level_before(const struct pfx_visit *visit, uint32_t id, uint32_t at)
{
	const struct pfx_tree *tree = visit->hists->tree;
	const struct pfx_tree_node *node;
	struct pfx_place *place;

	for (; id; id = node->parent, at = id ? tree->nodes.at[id].nr : 0) {
		node = &tree->nodes.at[id];
		while (at--) {
			place = pfx_frame_place(visit->hists, tree->frames.at[node->first + at]);
			if (place->map)
				return pfx_place_level(place);
		}
	}
	return visit->level;
}

static struct pfx_row *frame_row(struct pfx_visit *visit, uint32_t node, uint32_t at,
				 uint32_t frame)
{
	struct pfx_place *place = pfx_frame_place(visit->hists, frame);

	visit->probe.place = place;
	visit->probe.level = place->map ? pfx_place_level(place) : level_before(visit, node, at);
	visit->probe.shown = place->ip;
	return find_row(visit);
}

struct pfx_row *pfx_visit_row(struct pfx_visit *visit, uint32_t node, uint32_t at)
{
	const struct pfx_tree *tree = visit->hists->tree;
	uint32_t frame = tree->frames.at[tree->nodes.at[node].first + at];
	uint32_t slot = (frame ^ visit->context * 0x9e3779b1u) & (PFX_ROW_MEMOS - 1);
	struct pfx_row_memo *memo = &visit->memos[slot];

	if (!memo->row || memo->frame != frame || memo->context != visit->context)
		*memo = (struct pfx_row_memo){visit->context, frame,
					      frame_row(visit, node, at, frame)};
	return memo->row;
}
