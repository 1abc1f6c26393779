/* SPDX-License-Identifier: MIT */
/*
 * From buckets to rows, once all samples are there. Buckets are taken in the order in which they
 * first appeared, so that a row shows the place, thread and name of its first sample. With
 * children, each function on a bucket's chain gets the bucket's weight once, however often it is on
 * the chain. Chains are kept only for rows whose call tree can be shown: a second pass, when the
 * sums are known.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "hist/hist_internal.h"

#define NO_ID UINT32_MAX

/* A bucket on its way into rows. */
struct visit {
	struct pfx_hists *hists;
	struct pfx_hist_build *build;
	const struct pfx_bucket *bucket;
	uint32_t member;
	uint32_t stamp;
	const struct pfx_thread *thread;
	const struct pfx_comm_ref *comm;
	const struct pfx_frames *frames;
};

static const struct pfx_frames no_frames;

/* With -g address, frames are told apart by address in the dso instead of by function. */
static uint32_t address_node(struct pfx_hists *hists, struct pfx_place *place)
{
	uint64_t words[2] = {place->dso ? place->dso->id + 1ull : 0, place->addr};
	uint32_t node = pfx_intern_add(&hists->by_address, words, sizeof(words));

	if (node == hists->nodes.nr)
		pfx_vec_push(&hists->nodes, place);
	return node;
}

static uint32_t function_node(struct pfx_hists *hists, struct pfx_place *place)
{
	size_t need = (size_t)place->frame_id + 1;
	size_t old = hists->nodes.nr;

	if (need > old) {
		pfx_vec_reserve(&hists->nodes, need);
		hists->nodes.nr = need;
		memset(hists->nodes.at + old, 0, (need - old) * sizeof(*hists->nodes.at));
	}
	if (!hists->nodes.at[place->frame_id])
		hists->nodes.at[place->frame_id] = place;
	return place->frame_id;
}

static void convert(struct pfx_hists *hists, uint32_t chain_id, struct pfx_frames *frames)
{
	const struct pfx_hist_options *options = &hists->options;
	const struct pfx_chain *chain = pfx_resolver_chain_at(options->resolver, chain_id);
	struct pfx_place *place;
	uint32_t i;

	frames->made = true;
	if (chain->nr)
		frames->nodes = pfx_arena_alloc(&hists->arena, chain->nr * sizeof(uint32_t));
	for (i = 0; i < chain->nr; i++) {
		place = chain->places[options->graph->caller ? chain->nr - 1 - i : i];
		pfx_place_symbol(options->resolver, place);
		if (!place->sym && options->hide_unresolved)
			continue;
		frames->nodes[frames->nr++] = options->graph->by_address
						      ? address_node(hists, place)
						      : function_node(hists, place);
	}
}

const struct pfx_frames *pfx_hist_frames(struct pfx_hists *hists, uint32_t chain_id)
{
	uint32_t nr;

	if (!hists->frames) {
		nr = pfx_resolver_nr_chains(hists->options.resolver);
		hists->frames = pfx_calloc(nr + 1, sizeof(*hists->frames));
		hists->nr_frames = nr;
	}
	if (chain_id >= hists->nr_frames)
		return &no_frames;
	if (!hists->frames[chain_id].made)
		convert(hists, chain_id, &hists->frames[chain_id]);
	return &hists->frames[chain_id];
}

/* Frames without a symbol are told apart by where they ran, samples by where they lie in the file.
 */
#define BY_IP 0x80000000u

static uint32_t symbol_word(const struct pfx_place *place, bool is_self)
{
	if (place->sym || is_self || place->ip == place->shown)
		return place->sym_id;
	return place->frame_id | BY_IP;
}

static uint32_t key_word(const struct visit *visit, enum pfx_key key, const struct pfx_place *place,
			 bool is_self)
{
	switch (key) {
	case PFX_KEY_COMM:
		return visit->comm->id;
	case PFX_KEY_DSO:
		return place->dso ? place->dso->name_id : NO_ID;
	case PFX_KEY_SYM:
		return symbol_word(place, is_self);
	case PFX_KEY_CPU:
		return visit->bucket->cpu;
	case PFX_KEY_TRACE:
		return visit->bucket->key.text;
	case PFX_KEY_TGID:
		return visit->thread->pid;
	case PFX_KEY_PID:
	case PFX_KEY_TID:
		return visit->thread->tid;
	default:
		return 0;
	}
}

static struct pfx_row *make_row(struct visit *visit, struct pfx_place *place, char level,
				bool is_self)
{
	struct pfx_hists *hists = visit->hists;
	struct pfx_row *row = pfx_arena_new(&hists->arena, struct pfx_row);

	row->id = visit->build->all.nr;
	row->place = place;
	row->thread = visit->thread;
	row->comm = visit->comm;
	row->cpu = (int32_t)visit->bucket->cpu;
	row->text = visit->bucket->key.text;
	row->level = level;
	row->shown = is_self ? place->shown : place->ip;
	row->stat =
		pfx_arena_array(&hists->arena, struct pfx_row_stat, visit->build->hist.nr_members);
	pfx_vec_push(&visit->build->all, row);
	return row;
}

/* The row that a place in the bucket belongs to, made when it is not there. */
static struct pfx_row *find_row(struct visit *visit, struct pfx_place *place, char level,
				bool is_self)
{
	const struct pfx_columns *columns = visit->hists->options.columns;
	uint32_t words[PFX_KEY_FIRST_VALUE];
	uint32_t nr = 0, id;
	size_t i;

	for (i = 0; i < columns->order.nr; i++)
		if (!pfx_key_is_value(columns->order.at[i]))
			words[nr++] = key_word(visit, columns->order.at[i], place, is_self);
	id = pfx_intern_add(&visit->build->keys, words, nr * sizeof(*words));
	if (id < visit->build->all.nr)
		return visit->build->all.at[id];
	return make_row(visit, place, level, is_self);
}

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

/* What happens with each row that a bucket counts in; @pos: the frame where it starts. */
typedef void (*visit_fn)(struct visit *visit, struct pfx_row *row, uint32_t pos, bool is_self);

/* Every function on the chain, once. A frame outside of all maps has the level of the one before.
 */
static void visit_frames(struct visit *visit, char level, visit_fn fn)
{
	const struct pfx_frames *frames = visit->frames;
	struct pfx_place *place;
	struct pfx_row *row;
	uint32_t i;

	for (i = 0; i < frames->nr; i++) {
		place = visit->hists->nodes.at[frames->nodes[i]];
		if (place->map)
			level = pfx_place_level(place);
		row = find_row(visit, place, level, false);
		if (row->stamp == visit->stamp)
			continue;
		row->stamp = visit->stamp;
		fn(visit, row, i, false);
	}
}

static void visit_bucket(struct visit *visit, visit_fn fn)
{
	const struct pfx_hist_options *options = &visit->hists->options;
	const struct pfx_bucket *bucket = visit->bucket;
	struct pfx_place *place = pfx_resolver_place_at(options->resolver, bucket->key.place);
	struct pfx_row *row;
	char level = pfx_place_level(place);

	visit->stamp++;
	visit->thread = pfx_session_thread_at(options->session, bucket->thread);
	visit->comm = pfx_session_comm_at(options->session, bucket->comm);
	visit->frames =
		bucket->key.chain ? pfx_hist_frames(visit->hists, bucket->key.chain) : &no_frames;
	row = find_row(visit, place, level, true);
	row->stamp = visit->stamp;
	fn(visit, row, 0, true);
	if (options->children)
		visit_frames(visit, level, fn);
}

static void count_row(struct visit *visit, struct pfx_row *row, uint32_t pos, bool is_self)
{
	const struct pfx_bucket *bucket = visit->bucket;
	struct pfx_row_stat *stat = &row->stat[visit->member];
	const struct pfx_place *place;
	unsigned level;

	stat->children += bucket->period;
	if (row->depth < visit->frames->nr - pos)
		row->depth = visit->frames->nr - pos;
	if (!is_self)
		return;
	stat->period += bucket->period;
	stat->count += bucket->count;
	place = pfx_resolver_place_at(visit->hists->options.resolver, bucket->key.place);
	level = level_of(place->cpumode);
	if (level < PFX_LEVELS)
		stat->by_level[level] += bucket->period;
}

static void keep_chain(struct visit *visit, struct pfx_row *row, uint32_t pos, bool is_self)
{
	struct pfx_row_chain *part;

	if (!row->wants_chains || pos >= visit->frames->nr)
		return;
	if (row->nr_chains == row->cap_chains) {
		row->cap_chains = row->cap_chains ? row->cap_chains * 2 : 4;
		row->chains = pfx_realloc(row->chains, row->cap_chains * sizeof(*row->chains));
	}
	part = &row->chains[row->nr_chains++];
	part->frames = visit->frames;
	part->pos = pos;
	part->period = visit->bucket->period;
	part->count = visit->bucket->count;
}

/* Whether a bucket counts in rows. Adds it to the totals in the first pass. */
static bool bucket_passes(struct visit *visit, struct pfx_hist_total *total)
{
	const struct pfx_hist_options *options = &visit->hists->options;
	const struct pfx_bucket *bucket = visit->bucket;
	struct pfx_place *place = pfx_resolver_place_at(options->resolver, bucket->key.place);
	bool passes;

	pfx_place_symbol(options->resolver, place);
	if (options->hide_unresolved && !place->sym)
		return false;
	passes = !bucket->key.fails && pfx_filter_place(options->filter, place);
	if (total) {
		total->nr_samples += bucket->count;
		total->period += bucket->period;
		total->nr_passed += passes ? bucket->count : 0;
		total->passed_period += passes ? bucket->period : 0;
	}
	return passes;
}

static void visit_member(struct visit *visit, uint32_t member, visit_fn fn, bool sum_up)
{
	struct pfx_hist_build *build = visit->build;
	const struct pfx_tally *tally = build->tallies[member];
	uint32_t i;

	visit->member = member;
	for (i = 0; tally && i < tally->nr; i++) {
		visit->bucket = &tally->buckets[i];
		if (bucket_passes(visit, sum_up ? &build->hist.totals[member] : NULL))
			visit_bucket(visit, fn);
	}
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

/* Mark the rows whose call tree will be asked for. */
static bool mark_wanted(struct pfx_hists *hists, struct pfx_hist_build *build)
{
	const struct pfx_hist_options *options = &hists->options;
	const struct pfx_hist *hist = &build->hist;
	struct pfx_row *row;
	bool any = false;
	uint64_t weight;
	size_t i;

	for (i = 0; i < build->all.nr; i++) {
		row = build->all.at[i];
		weight = options->children ? row->stat->children : row->stat->period;
		if (weight < pfx_hist_min_hit(hists, hist, row) ||
		    pfx_row_percent(hists, hist, row) < options->min_percent)
			continue;
		row->wants_chains = true;
		any = true;
	}
	return any;
}

static void build_rows(struct pfx_hists *hists, struct pfx_hist_build *build)
{
	struct visit visit = {.hists = hists, .build = build};
	uint32_t m;

	for (m = 0; m < build->hist.nr_members; m++)
		visit_member(&visit, m, count_row, true);
	pfx_hist_sort(hists, build);
	if (hists->options.chains && hists->options.graph->mode != PFX_GRAPH_NONE &&
	    mark_wanted(hists, build))
		visit_member(&visit, 0, keep_chain, false);
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
	build->tallies = pfx_arena_array(&hists->arena, struct pfx_tally *, nr_members);
	for (m = 0; m < nr_members; m++) {
		hist->members[m] = meta->events[idx + m];
		if (idx + m < hists->nr_tallies)
			build->tallies[m] = &hists->tallies[idx + m];
	}
	return build;
}

/* How many events, from @idx on, share a table. */
static uint32_t members_from(const struct pfx_hists *hists, uint32_t idx)
{
	const struct pfx_meta *meta = hists->options.meta;
	const struct pfx_event *event = meta->events[idx];

	if (!hists->options.join_groups || event->leader != idx || event->nr_members < 2 ||
	    event->nr_members > meta->nr_events - idx)
		return 1;
	return event->nr_members;
}

void pfx_hists_finish(struct pfx_hists *hists)
{
	uint32_t nr_events = hists->options.meta->nr_events;
	struct pfx_hist_build *build;
	uint32_t idx, nr;

	hists->builds = pfx_calloc(nr_events + 1, sizeof(struct pfx_hist_build *));
	for (idx = 0; idx < nr_events; idx += nr) {
		nr = members_from(hists, idx);
		build = new_build(hists, idx, nr);
		hists->builds[hists->nr_builds++] = build;
		build_rows(hists, build);
	}
}
