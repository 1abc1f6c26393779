/* SPDX-License-Identifier: MIT */
/*
 * Converts buckets to rows, after all samples. Buckets are processed in order of their first
 * sample, so that a row shows the place, thread and name of its first sample; hist_visit.c finds
 * the row. With children, each function on a bucket's chain also gets a row: made from the frames
 * that no earlier chain had, according to the tree of all chains. Their weights and the call trees
 * come from the same tree: see hist_leaves.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "hist/hist_internal.h"

static unsigned level_of(enum pfx_cpumode mode)
{
	switch (mode) {
	case PFX_MODE_KERNEL:
		return PFX_LEVEL_SYS;
	case PFX_MODE_USER:
		return PFX_LEVEL_US;
	case PFX_MODE_GUEST_KERNEL:
		return PFX_LEVEL_GUEST_SYS;
	case PFX_MODE_GUEST_USER:
		return PFX_LEVEL_GUEST_US;
	default:
		return PFX_LEVELS;
	}
}

/* Whether the rows of a node, and of its ancestors, were already made in this context. */
static bool was_seen(struct pfx_visit *visit, uint32_t node)
{
	uint32_t *first = &visit->first_seen[node];
	bool is_new;

	if (!*first)
		*first = visit->context + 1;
	else if (*first == visit->context + 1)
		return true;
	else {
		pfx_hash_add(&visit->seen, (uint64_t)visit->context << 32 | node, &is_new);
		return !is_new;
	}
	return false;
}

/* Make rows for all functions of the chain, in the displayed order. */
static void make_chain_rows(struct pfx_visit *visit)
{
	const struct pfx_tree *tree = visit->hists->tree;
	uint32_t node, i;

	visit->path.nr = 0;
	for (node = visit->bucket->end; node && !was_seen(visit, node);
	     node = tree->nodes.at[node].parent)
		pfx_vec_push(&visit->path, node);
	while (visit->path.nr) {
		node = visit->path.at[--visit->path.nr];
		for (i = 0; i < tree->nodes.at[node].nr; i++)
			pfx_visit_row(visit, node, i);
	}
}

static void count_access(struct pfx_visit *visit, struct pfx_row_stat *stat)
{
	struct pfx_hists *hists = visit->hists;
	uint64_t src = pfx_hist_word(hists, visit->bucket->key.words, PFX_WORD_DATA_SRC);
	unsigned field;

	if (!stat->access)
		stat->access = pfx_arena_new(&hists->arena, struct pfx_access_sums);
	for (field = 0; field < PFX_ACCESS_FIELDS; field++)
		stat->access->period[field][pfx_access_kind(field, src)] += visit->bucket->period;
}

/* Latency (period divided by the number of running threads), memory accesses, and the sums of
 * weights. */
static void count_words(struct pfx_visit *visit, struct pfx_row_stat *stat)
{
	const struct pfx_hists *hists = visit->hists;
	const struct pfx_bucket *bucket = visit->bucket;
	unsigned i;

	if (hists->wants_access)
		count_access(visit, stat);
	stat->latency += pfx_hist_latency(hists, bucket);
	for (i = 0; i < 3; i++)
		stat->weights[i] += bucket->count *
				    pfx_hist_word(hists, bucket->key.words, PFX_WORD_WEIGHT + i);
}

static void keep_samples(struct pfx_visit *visit, struct pfx_row *row)
{
	const struct pfx_hist_build *build = visit->build;

	pfx_hist_kept_to_row(visit->hists, build->hist.members[visit->member]->idx,
			     (uint32_t)(visit->bucket - build->tallies[visit->member]->buckets),
			     row);
}

/* Count a row's own samples; the rest comes from the leaves. */
static void count_row(struct pfx_visit *visit, struct pfx_row *row)
{
	const struct pfx_bucket *bucket = visit->bucket;
	struct pfx_row_stat *stat = &row->stat[visit->member];
	const struct pfx_place *place;
	unsigned level;

	if (visit->hists->nr_slots)
		count_words(visit, stat);
	stat->period += bucket->period;
	stat->count += bucket->count;
	if (visit->hists->options.nr_kept)
		keep_samples(visit, row);
	if (visit->hists->wants_steps)
		pfx_hist_steps_count(visit->hists, bucket, row);
	place = pfx_resolver_place_at(visit->hists->options.resolver, bucket->key.place);
	level = level_of(place->cpumode);
	/* Branches outside of all mappings */
	if (level == PFX_LEVELS && visit->hists->options.mode == PFX_REPORT_BRANCH)
		level = place->ip >> 63 ? PFX_LEVEL_SYS : PFX_LEVEL_US;
	if (level < PFX_LEVELS)
		stat->by_level[level] += bucket->period;
}

static void visit_bucket(struct pfx_visit *visit, const struct pfx_hist_tally *tally, uint32_t nr)
{
	const struct pfx_bucket *bucket = &tally->buckets[nr];
	struct pfx_hist_leaf leaf = {.bucket = nr, .end = bucket->end};

	pfx_visit_begin(visit, bucket);
	visit->context = leaf.context = pfx_visit_context(visit);
	leaf.row = pfx_visit_own_row(visit);
	leaf.period = bucket->period;
	leaf.count = bucket->count;
	leaf.latency = pfx_hist_latency(visit->hists, bucket);
	count_row(visit, leaf.row);
	if (visit->hists->options.children)
		make_chain_rows(visit);
	pfx_vec_push(visit->leaves, leaf);
}

/* --- all buckets --- */

static void note_unresolved(struct pfx_hists *hists, const struct pfx_bucket *bucket,
			    const struct pfx_place *place)
{
	hists->nr_counted += bucket->count;
	if (!pfx_place_has_name(place))
		*pfx_hash_add(&hists->unresolved, place->dso ? place->dso->id + 1ull : 0, NULL) +=
			bucket->count;
}

/* With children, a filter by a part of a name selects rows, not samples: see pfx_hist_sort. */
static bool place_passes(const struct pfx_hist_options *options, const struct pfx_place *place)
{
	if (!options->children)
		return pfx_filter_place(options->filter, place);
	return pfx_filter_dso(options->filter, place->dso) &&
	       pfx_filter_symbol(options->filter, place->sym);
}

/* Whether -U hides it: samples without a symbol, and branches without one at either end. */
static bool is_hidden(struct pfx_hists *hists, const struct pfx_bucket *bucket,
		      const struct pfx_place *place)
{
	struct pfx_resolver *resolver = hists->options.resolver;
	struct pfx_place *from;

	if (!hists->options.hide_unresolved || hists->options.mode != PFX_REPORT_BRANCH)
		return hists->options.hide_unresolved && !pfx_place_has_name(place);
	from = pfx_resolver_place_at(
		resolver, (uint32_t)pfx_hist_word(hists, bucket->key.words, PFX_WORD_FROM));
	pfx_place_symbol(resolver, from);
	return !pfx_place_has_name(place) || !pfx_place_has_name(from);
}

/* Whether a bucket counts in rows. Adds it to the totals. */
static bool bucket_passes(struct pfx_hists *hists, const struct pfx_bucket *bucket,
			  struct pfx_hist_total *total)
{
	const struct pfx_hist_options *options = &hists->options;
	struct pfx_place *place = pfx_resolver_place_at(options->resolver, bucket->key.place);
	uint64_t latency;
	bool passes;

	pfx_place_symbol(options->resolver, place);
	if (is_hidden(hists, bucket, place))
		return false;
	passes = !bucket->key.fails && place_passes(options, place) &&
		 (!options->exclude_other || pfx_hist_has_parent(hists, bucket->key.chain));
	latency = pfx_hist_latency(hists, bucket);
	total->nr_samples += bucket->count;
	total->period += bucket->period;
	total->nr_passed += passes ? bucket->count : 0;
	total->passed_period += passes ? bucket->period : 0;
	total->latency += latency;
	total->passed_latency += passes ? latency : 0;
	if (passes)
		note_unresolved(hists, bucket, place);
	return passes;
}

uint64_t pfx_hist_min_hit(const struct pfx_hists *hists, const struct pfx_hist *hist,
			  const struct pfx_row *row)
{
	const struct pfx_callgraph *graph = hists->options.graph;
	uint64_t whole = pfx_hist_period(hists, hist, 0);

	if (graph->mode == PFX_GRAPH_FRACTAL)
		whole = hists->options.children ? row->stat->children : row->stat->period;
	return (uint64_t)(whole * (graph->min_percent / 100.0));
}

/* Mark the rows whose call tree will be shown. */
static bool mark_wanted(struct pfx_hists *hists, struct pfx_hist_build *build)
{
	const struct pfx_hist_options *options = &hists->options;
	const struct pfx_hist *hist = &build->hist;
	size_t nr = hists->most_rows ? hist->nr_rows : build->all.nr, i;
	struct pfx_row *row;
	bool any = false;
	uint64_t weight;

	for (i = 0; i < nr; i++) {
		row = hists->most_rows ? hist->rows[i] : build->all.at[i];
		weight = options->children ? row->stat->children : row->stat->period;
		if (weight < pfx_hist_min_hit(hists, hist, row) ||
		    !pfx_hist_row_is_shown(hists, hist, row))
			continue;
		row->wants_chains = true;
		any = true;
	}
	return any;
}

#define AHEAD 8 /* distance of prefetching buckets' nodes */

static void fetch_node(const struct pfx_visit *visit, const struct pfx_hist_tally *tally,
		       uint32_t i)
{
	if (i >= tally->nr || tally->buckets[i].end == PFX_NO_NODE)
		return;
	__builtin_prefetch(&visit->first_seen[tally->buckets[i].end]);
	__builtin_prefetch(&visit->hists->tree->nodes.at[tally->buckets[i].end]);
}

/* Convert all buckets of one member to rows, and count them. */
static void visit_member(struct pfx_visit *visit, uint32_t member)
{
	const struct pfx_hist_tally *tally = visit->build->tallies[member];
	struct pfx_hist_leaves others = {0};
	uint32_t i;

	visit->member = member;
	visit->leaves = member ? &others : &visit->build->leaves;
	for (i = 0; tally && i < tally->nr; i++) {
		fetch_node(visit, tally, i + AHEAD);
		if (tally->buckets[i].end != PFX_NO_NODE)
			visit_bucket(visit, tally, i);
	}
	pfx_hist_sort_leaves(visit->hists, visit->build, visit->leaves);
	pfx_hist_count_leaves(visit);
	pfx_vec_free(&others);
}

static void build_rows(struct pfx_hists *hists, struct pfx_hist_build *build)
{
	struct pfx_visit visit = {.hists = hists, .build = build};
	uint32_t m;

	visit.keeps_starts = hists->options.chains && hists->options.graph->mode != PFX_GRAPH_NONE;
	visit.memos = pfx_calloc(PFX_ROW_MEMOS, sizeof(*visit.memos));
	visit.first_seen = pfx_calloc(hists->tree->nodes.nr, sizeof(*visit.first_seen));
	for (m = 0; m < build->hist.nr_members; m++)
		visit_member(&visit, m);
	pfx_hist_sort(hists, build);
	if (visit.keeps_starts && mark_wanted(hists, build))
		pfx_hist_keep_parts(&visit);
	free(visit.memos);
	pfx_vec_free(&visit.own);
	pfx_vec_free(&visit.starts);
	free(visit.first_seen);
	pfx_hash_fini(&visit.seen);
	pfx_vec_free(&visit.path);
}

/* --- all builds --- */

/* Sum the buckets, and find the chains that are needed. */
static void take_buckets(struct pfx_hists *hists, struct pfx_hist_build *build)
{
	struct pfx_bucket *bucket;
	struct pfx_hist_tally *tally;
	uint32_t i, m;

	for (m = 0; m < build->hist.nr_members; m++) {
		tally = build->tallies[m];
		for (i = 0; tally && i < tally->nr; i++) {
			bucket = &tally->buckets[i];
			bucket->end = PFX_NO_NODE;
			if (!bucket_passes(hists, bucket, &build->hist.totals[m]))
				continue;
			bucket->end = 0;
			pfx_hist_chain_want(hists, bucket->key.chain);
		}
	}
}

static void find_ends(struct pfx_hists *hists)
{
	struct pfx_bucket *bucket;
	size_t t;
	uint32_t i;

	pfx_hist_chains_add(hists);
	for (t = 0; t < hists->tallies.nr; t++)
		for (i = 0; i < hists->tallies.at[t].nr; i++) {
			bucket = &hists->tallies.at[t].buckets[i];
			if (bucket->end != PFX_NO_NODE)
				bucket->end = pfx_hist_chain_end(hists, bucket->key.chain);
		}
	pfx_vec_free(&hists->ends);
}

static struct pfx_hist_build *new_build(struct pfx_hists *hists, uint32_t idx, uint32_t nr_members)
{
	const struct pfx_meta *meta = hists->options.meta;
	struct pfx_hist_build *build = pfx_calloc(1, sizeof(*build));
	struct pfx_hist *hist = &build->hist;
	uint32_t m;

	hist->event = meta->events[idx];
	hist->nr_members = nr_members;
	hist->members = pfx_arena_alloc(&hists->arena, nr_members * sizeof(*hist->members));
	hist->totals = pfx_arena_array(&hists->arena, struct pfx_hist_total, nr_members);
	build->tallies = pfx_arena_array(&hists->arena, struct pfx_hist_tally *, nr_members);
	for (m = 0; m < nr_members; m++) {
		hist->members[m] = meta->events[idx + m];
		if (idx + m < hists->tallies.nr)
			build->tallies[m] = &hists->tallies.at[idx + m];
	}
	return build;
}

/* The number of events, from @idx on, that share a table. */
static uint32_t members_from(const struct pfx_hists *hists, uint32_t idx)
{
	const struct pfx_meta *meta = hists->options.meta;
	const struct pfx_event *event = meta->events[idx];

	if (hists->options.join_all)
		return meta->nr_events - idx;
	if (!hists->options.join_groups || event->leader != idx || event->nr_members < 2 ||
	    event->nr_members > meta->nr_events - idx)
		return 1;
	return event->nr_members;
}

static void make_builds(struct pfx_hists *hists)
{
	uint32_t nr_events = hists->options.meta->nr_events, idx, nr;
	struct pfx_hist_build *build;

	hists->builds = pfx_calloc(nr_events + 1, sizeof(struct pfx_hist_build *));
	for (idx = 0; idx < nr_events; idx += nr) {
		nr = members_from(hists, idx);
		build = new_build(hists, idx, nr);
		hists->builds[hists->nr_builds++] = build;
		take_buckets(hists, build);
	}
}

/* Count how frame-pointer chains end: once for each distinct chain that the filter accepts. */
static void count_pointer_chains(struct pfx_hists *hists)
{
	const struct pfx_hist_options *options = &hists->options;
	const struct pfx_bucket *bucket;
	const struct pfx_attr *attr;
	size_t t;
	uint32_t i;

	if (!options->chains || options->mode == PFX_REPORT_BRANCH || options->carried)
		return;
	for (t = 0; t < hists->tallies.nr; t++) {
		attr = &options->meta->events[t]->attr;
		if (!pfx_pointer_chain_recorded(attr))
			continue;
		for (i = 0; i < hists->tallies.at[t].nr; i++) {
			bucket = &hists->tallies.at[t].buckets[i];
			if (bucket->key.chain && bucket->end != PFX_NO_NODE)
				pfx_pointer_chain_count(options->resolver, attr, bucket->key.chain,
							bucket->count);
		}
	}
}

void pfx_hists_finish_first(struct pfx_hists *hists, uint32_t most)
{
	hists->most_rows = most;
	pfx_hists_finish(hists);
}

void pfx_hists_finish(struct pfx_hists *hists)
{
	uint32_t i;

	if (hists->queue)
		pfx_chain_queue_settle(hists->queue);
	pfx_hist_prepare(hists);
	hists->frames_are_places = pfx_columns_has(hists->options.columns, PFX_KEY_SRCLINE) ||
				   pfx_columns_has(hists->options.columns, PFX_KEY_SRCFILE);
	make_builds(hists);
	find_ends(hists);
	count_pointer_chains(hists);
	for (i = 0; i < hists->nr_builds; i++) {
		build_rows(hists, hists->builds[i]);
		if (hists->options.hierarchy)
			pfx_hist_hierarchy(hists, hists->builds[i]);
	}
	if (hists->options.ref_chains)
		pfx_hist_find_references(hists);
}

void pfx_hists_sort_by(struct pfx_hists *hists, enum pfx_key first, uint32_t member)
{
	uint32_t i;

	if (first == hists->first_key && member == hists->options.sort_member)
		return;
	hists->first_key = first;
	hists->options.sort_member = member;
	for (i = 0; i < hists->nr_builds; i++) {
		pfx_hist_sort(hists, hists->builds[i]);
		if (hists->options.hierarchy)
			pfx_hist_sort_hierarchy(hists, hists->builds[i]);
	}
}
