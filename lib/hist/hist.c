/* SPDX-License-Identifier: MIT */
/*
 * The hot path: a sample is converted to a place, a chain and a few ids, and counted in the bucket
 * with this key. There are no symbol lookups and no comparisons by name here. The order of the
 * buckets matters: a row made of several buckets shows the values of the first one.
 */
#include "hist/hist.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "hist/hist_internal.h"

/* Whether samples can be counted after the next ones were read. In a live world others look up
 * chains with the same resolver. */
static bool can_queue(const struct pfx_hist_options *options)
{
	return options->chains && !options->carried && !options->nr_kept &&
	       !options->branch_history && options->mode != PFX_REPORT_BRANCH;
}

struct pfx_hists *pfx_hists_new(const struct pfx_hist_options *options)
{
	struct pfx_hists *hists = pfx_calloc(1, sizeof(*hists));
	const struct pfx_columns *columns = options->columns;
	const struct pfx_key_info *info;
	uint32_t words = 0;
	size_t i;

	hists->options = *options;
	hists->first_key = PFX_KEY_NR;
	hists->key_comm = pfx_columns_has(columns, PFX_KEY_COMM);
	hists->key_text = options->texts.id && pfx_columns_has(columns, PFX_KEY_TRACE);
	hists->parallelism = 1;
	for (i = 0; i < columns->order.nr; i++) {
		info = pfx_key_info(columns->order.at[i]);
		hists->key_thread |= info->by_thread;
		hists->key_cpu |= info->by_cpu;
		hists->wants_steps |= info->by_history;
		hists->wants_access |= info->kind == PFX_KEY_ACCESS;
		hists->wants_types |= info->by_type;
		words |= info->words;
	}
	hists->key_comm |= pfx_columns_has(columns, PFX_KEY_COMM_NODIGIT);
	pfx_hist_words_init(hists, words);
	if (can_queue(options))
		hists->queue =
			pfx_chain_queue_new(options->resolver, sizeof(struct pfx_hist_addend),
					    pfx_hist_count_queued, hists);
	if (options->blocks || pfx_columns_has(columns, PFX_KEY_IPC_LBR))
		hists->runs = pfx_hist_runs_new(options->resolver);
	pfx_hist_init_repeats(hists);
	return hists;
}

static void free_build(struct pfx_hist_build *build)
{
	size_t i;

	for (i = 0; i < build->all.nr; i++)
		free(build->all.at[i]->parts);
	pfx_vec_free(&build->all);
	pfx_intern_fini(&build->keys);
	pfx_intern_fini(&build->contexts);
	pfx_vec_free(&build->leaves);
	free(build->leaf_sums);
	free(build->hist.rows);
	free(build);
}

void pfx_hists_free(struct pfx_hists *hists)
{
	uint32_t i;

	if (!hists)
		return;
	pfx_chain_queue_free(hists->queue);
	pfx_place_joiner_free(hists->joined);
	for (i = 0; i < hists->tallies.nr; i++) {
		free(hists->tallies.at[i].buckets);
		pfx_id_table_fini(&hists->tallies.at[i].others);
	}
	for (i = 0; i < hists->nr_builds; i++)
		free_build(hists->builds[i]);
	free(hists->builds);
	pfx_vec_free(&hists->tallies);
	pfx_vec_free(&hists->first_buckets);
	pfx_vec_free(&hists->first_of_places);
	pfx_vec_free(&hists->thread_fails);
	pfx_vec_free(&hists->comm_fails);
	pfx_vec_free(&hists->frames.ids);
	pfx_vec_free(&hists->frames.from);
	pfx_vec_free(&hists->frame_steps);
	pfx_vec_free(&hists->ends);
	pfx_vec_free(&hists->node_of_place);
	pfx_hash_fini(&hists->roots);
	pfx_vec_free(&hists->nodes);
	pfx_vec_free(&hists->steps);
	pfx_vec_free(&hists->kept);
	pfx_hash_fini(&hists->kept_of);
	pfx_tree_free(hists->tree);
	pfx_hist_runs_free(hists->runs);
	pfx_intern_fini(&hists->by_address);
	pfx_intern_fini(&hists->source_texts);
	pfx_id_table_fini(&hists->words);
	pfx_vec_free(&hists->word_values);
	pfx_hash_fini(&hists->parents);
	pfx_hash_fini(&hists->unresolved);
	pfx_vec_free(&hists->place_types);
	pfx_vec_free(&hists->types);
	pfx_intern_fini(&hists->type_keys);
	pfx_vec_free(&hists->sources[0]);
	pfx_vec_free(&hists->sources[1]);
	pfx_arena_clear(&hists->arena);
	free(hists);
}

/* Cache the result, except for threads whose process is not known yet. */
static bool ids_pass(struct pfx_hists *hists, const struct pfx_thread *thread)
{
	const struct pfx_filter *filter = hists->options.filter;
	uint8_t *answer;

	if (!filter->pids.given && !filter->tids.given)
		return true;
	if (thread->pid == (uint32_t)-1)
		return pfx_filter_thread(filter, thread);
	answer = pfx_vec_slot(&hists->thread_fails, thread->id);
	if (!*answer)
		*answer = pfx_filter_thread(filter, thread) ? 1 : 2;
	return *answer == 1;
}

static bool thread_passes(struct pfx_hists *hists, const struct pfx_thread *thread)
{
	const struct pfx_filter *filter = hists->options.filter;
	uint8_t *answer;

	if (!ids_pass(hists, thread))
		return false;
	if (!filter->comms.given)
		return true;
	answer = pfx_vec_slot(&hists->comm_fails, thread->comm->id);
	if (!*answer)
		*answer = pfx_filter_comm(filter, thread->comm->text) ? 1 : 2;
	return *answer == 1;
}

/* As perf, hide guests unless they are requested. */
static bool is_guest(enum pfx_cpumode mode)
{
	return mode == PFX_MODE_GUEST_KERNEL || mode == PFX_MODE_GUEST_USER;
}

static bool socket_passes(const struct pfx_hists *hists, const struct pfx_sample *sample)
{
	const struct pfx_filter *filter = hists->options.filter;

	return !filter->socket_given ||
	       pfx_hist_socket(hists, (int32_t)sample->cpu) == filter->socket;
}

static bool parallelism_passes(const struct pfx_hists *hists)
{
	const struct pfx_filter *filter = hists->options.filter;

	return !filter->parallelism_given ||
	       pfx_list_has(&filter->parallelism, (int)hists->parallelism);
}

/* All filters except those by binary and symbol. */
static bool sample_passes(const struct pfx_hist_sample *from)
{
	struct pfx_hists *hists = from->hists;

	bool counts =
		is_guest(from->sample->cpumode) ? hists->options.guest : !hists->options.no_host;

	return counts && thread_passes(hists, from->thread) && socket_passes(hists, from->sample) &&
	       parallelism_passes(hists);
}

/* The key without the chain. */
static void make_key(const struct pfx_hist_sample *from, struct pfx_bucket_key *key)
{
	struct pfx_hists *hists = from->hists;
	const struct pfx_sample *sample = from->sample;
	struct pfx_resolver *resolver = hists->options.resolver;

	memset(key, 0, sizeof(*key));
	if (from->branch)
		key->place =
			pfx_resolve_id(resolver, from->thread, PFX_MODE_UNKNOWN, from->branch->to);
	else
		key->place = pfx_resolve_id(resolver, from->thread, sample->cpumode, sample->ip);
	if (hists->key_thread)
		key->thread = from->thread->id;
	if (hists->key_comm)
		key->comm = from->thread->comm->id;
	if (hists->key_cpu)
		key->cpu = sample->cpu;
	if (hists->key_text)
		key->text = hists->options.texts.id(hists->options.texts.ctx, from->event, sample);
	if (hists->nr_slots)
		key->words = pfx_hist_words_id(from);
	key->fails = from->known.fails || !sample_passes(from);
}

static void count_now(const struct pfx_hist_sample *from, const struct pfx_hist_addend *entry)
{
	struct pfx_hists *hists = from->hists;
	struct pfx_bucket *bucket = pfx_hist_count(hists, entry);

	if (bucket->count <= hists->options.nr_kept)
		pfx_hist_keep(from, (uint32_t)(bucket - hists->tallies.at[entry->event].buckets));
	if (hists->options.branch_history && entry->key.chain)
		pfx_hist_steps_add(hists, bucket);
}

static void count_sample(const struct pfx_hist_sample *from, uint64_t period)
{
	struct pfx_hists *hists = from->hists;
	const struct pfx_sample *sample = from->sample;
	struct pfx_hist_addend entry = {
		.event = from->event->idx,
		.thread = from->thread->id,
		.comm = from->thread->comm->id,
		.cpu = sample->cpu,
		.period = period,
	};
	struct pfx_chain_found chain = {0};

	make_key(from, &entry.key);
	if (from->known.chain) {
		entry.key.chain = hists->options.chains ? *from->known.chain : 0;
		count_now(from, &entry);
		return;
	}
	if (hists->options.chains && (sample->chain.nr || sample->stack.size ||
				      (hists->options.branch_history && sample->branch.nr)))
		pfx_resolve_frames(hists->options.resolver, from->thread, sample, &chain);
	if (hists->queue) {
		pfx_chain_queue_put(hists->queue, &entry, &chain);
		return;
	}
	entry.key.chain = pfx_chain_of(hists->options.resolver, &chain);
	count_now(from, &entry);
}

static void count_kind(struct pfx_branch_counts *counts, const struct pfx_branch *branch)
{
	unsigned type = pfx_branch_type(branch);
	bool is_forward = branch->to > branch->from;
	uint64_t apart = branch->from ^ branch->to;

	if (!type || !branch->from)
		return;
	counts->total++;
	if (type == PFX_BRANCH_MORE_TYPES)
		counts->more[pfx_branch_new_type(branch)]++;
	else
		counts->types[type]++;
	if (type == PFX_BRANCH_COND_TYPE)
		*(is_forward ? &counts->forward : &counts->backward) += 1;
	if (apart >> 21)
		counts->cross_2m++;
	else if (apart >> 12)
		counts->cross_4k++;
}

const struct pfx_branch_counts *pfx_hists_branches(const struct pfx_hists *hists)
{
	return &hists->branches;
}

/* Count each branch of the stack. */
static void count_branches(const struct pfx_hist_sample *of)
{
	const struct pfx_branch_stack *stack = &of->sample->branch;
	struct pfx_hist_sample from = *of;
	struct pfx_branch branch;
	uint64_t i;

	if (of->hists->runs && !of->known.fails && sample_passes(of))
		pfx_hist_runs_add(of);
	from.branch = &branch;
	for (i = 0; i < stack->nr; i++) {
		branch = pfx_branch_at(stack, i);
		count_kind(&from.hists->branches, &branch);
		count_sample(&from, 1);
	}
}

bool pfx_hists_add(struct pfx_hists *hists, const struct pfx_event *event,
		   const struct pfx_sample *sample, struct pfx_thread *thread)
{
	return pfx_hists_add_known(hists, event, sample, thread, &(struct pfx_hist_known){0});
}

bool pfx_hists_add_known(struct pfx_hists *hists, const struct pfx_event *event,
			 const struct pfx_sample *sample, struct pfx_thread *thread,
			 const struct pfx_hist_known *known)
{
	struct pfx_hist_sample from = {hists, event, sample, thread, NULL, *known};

	if (!pfx_filter_cpu(hists->options.filter, sample->cpu))
		return false;
	if (hists->options.mode == PFX_REPORT_BRANCH)
		count_branches(&from);
	else if (hists->options.mode == PFX_REPORT_MEM)
		count_sample(&from, sample->weight ? sample->weight : 1);
	else
		count_sample(&from, sample->period);
	return true;
}

void pfx_hists_set_parallelism(struct pfx_hists *hists, uint32_t nr)
{
	hists->parallelism = nr ? nr : 1;
}
