/* SPDX-License-Identifier: MIT */
/*
 * Values of a sample other than place, thread and CPU, for keys: only words that columns use are
 * stored, once for each distinct combination.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "hist/hist_internal.h"

void pfx_hist_words_init(struct pfx_hists *hists, uint32_t wanted)
{
	const struct pfx_columns *columns = hists->options.columns;
	enum pfx_key key;
	unsigned word;
	size_t i;

	memset(hists->slots, -1, sizeof(hists->slots));
	if (hists->options.hide_unresolved && hists->options.mode == PFX_REPORT_BRANCH)
		wanted |= 1u << PFX_WORD_FROM;
	for (i = 0; i < columns->order.nr; i++) {
		key = columns->order.at[i];
		if (key >= PFX_KEY_FIELD)
			hists->slots[PFX_WORD_FIELD + key - PFX_KEY_FIELD] = 0;
	}
	for (word = 0; word < PFX_WORD_NR; word++)
		if ((word < PFX_WORD_FIELD && wanted >> word & 1) || !hists->slots[word]) {
			hists->slots[word] = (int8_t)hists->nr_slots;
			hists->used[hists->nr_slots++] = (uint8_t)word;
		}
}

static uint64_t place_id(const struct pfx_hist_sample *from, enum pfx_cpumode mode, uint64_t ip)
{
	struct pfx_resolver *resolver = from->hists->options.resolver;

	return pfx_resolve(resolver, from->thread, mode, ip)->id;
}

static uint64_t time_word(const struct pfx_hist_sample *from)
{
	uint64_t time = from->sample->time, quantum = from->hists->options.time_quantum;

	return quantum && time != PFX_NO_TIME ? time - time % quantum : time;
}

static uint64_t field_word(const struct pfx_hist_sample *from, unsigned field)
{
	const struct pfx_hist_texts *texts = &from->hists->options.texts;
	const struct pfx_hist_options *options = &from->hists->options;

	if (!texts->field_id)
		return 0;
	return texts->field_id(texts->ctx, &options->columns->fields.at[field], from->event,
			       from->sample);
}

static uint64_t branch_word(const struct pfx_hist_sample *from, enum pfx_hist_word word)
{
	const struct pfx_branch *branch = from->branch;

	if (!branch)
		return 0;
	if (word == PFX_WORD_FLAGS)
		return branch->flags;
	return place_id(from, PFX_MODE_UNKNOWN, word == PFX_WORD_FROM ? branch->from : branch->to);
}

/* Data of the sample about its memory access. */
static uint64_t data_word(const struct pfx_hist_sample *from, enum pfx_hist_word word)
{
	const struct pfx_sample *sample = from->sample;

	switch (word) {
	case PFX_WORD_DATA:
		return place_id(from, sample->cpumode, sample->addr);
	case PFX_WORD_DATA_SRC:
		return sample->data_src;
	case PFX_WORD_PHYS:
		return sample->phys_addr;
	default:
		return sample->data_page_size;
	}
}

static uint64_t word_of(const struct pfx_hist_sample *from, enum pfx_hist_word word)
{
	const struct pfx_sample *sample = from->sample;

	switch (word) {
	case PFX_WORD_WEIGHT:
		/* The weight of a branch is the number of cycles of its block. */
		if (from->branch)
			return pfx_branch_cycles(from->branch) ? pfx_branch_cycles(from->branch)
							       : 1;
		return sample->weight;
	case PFX_WORD_INS_LAT:
		return sample->weight2;
	case PFX_WORD_STAGE:
		return sample->weight3;
	case PFX_WORD_TRANSACTION:
		return sample->transaction;
	case PFX_WORD_CODE_PAGE:
		return sample->code_page_size;
	case PFX_WORD_CGROUP:
		return sample->cgroup;
	case PFX_WORD_TIME:
		return time_word(from);
	case PFX_WORD_PARALLELISM:
		return from->hists->parallelism;
	case PFX_WORD_FROM:
	case PFX_WORD_TO:
	case PFX_WORD_FLAGS:
		return branch_word(from, word);
	case PFX_WORD_DATA:
	case PFX_WORD_DATA_SRC:
	case PFX_WORD_PHYS:
	case PFX_WORD_DATA_PAGE:
		return data_word(from, word);
	default:
		return field_word(from, word - PFX_WORD_FIELD);
	}
}

uint32_t pfx_hist_words_intern(struct pfx_hists *hists, const uint64_t *words)
{
	size_t size = hists->nr_slots * sizeof(*words);
	uint64_t hash = pfx_hash_bytes(words, size), probe = hash;
	uint32_t id, i;

	while (pfx_id_table_next(&hists->words, hash, &probe, &id))
		if (!memcmp(&hists->word_values.at[(size_t)id * hists->nr_slots], words, size))
			return id;
	id = hists->words.nr;
	for (i = 0; i < hists->nr_slots; i++)
		pfx_vec_push(&hists->word_values, words[i]);
	pfx_id_table_add(&hists->words, hash, id);
	return id;
}

uint32_t pfx_hist_words_id(const struct pfx_hist_sample *from)
{
	struct pfx_hists *hists = from->hists;
	uint64_t words[PFX_WORD_NR];
	unsigned i;

	for (i = 0; i < hists->nr_slots; i++)
		words[i] = word_of(from, hists->used[i]);
	/* Consecutive samples are often equal. */
	if (hists->words.nr && !memcmp(words, hists->last_words, hists->nr_slots * sizeof(*words)))
		return hists->last_words_id;
	memcpy(hists->last_words, words, hists->nr_slots * sizeof(*words));
	return hists->last_words_id = pfx_hist_words_intern(hists, words);
}

uint64_t pfx_hist_word(const struct pfx_hists *hists, uint32_t id, enum pfx_hist_word word)
{
	if (hists->slots[word] < 0 || id >= hists->words.nr)
		return 0;
	return hists->word_values.at[(size_t)id * hists->nr_slots + (size_t)hists->slots[word]];
}

uint64_t pfx_hist_latency(const struct pfx_hists *hists, const struct pfx_bucket *bucket)
{
	uint64_t nr =
		hists->nr_slots ? pfx_hist_word(hists, bucket->key.words, PFX_WORD_PARALLELISM) : 0;

	return nr ? bucket->period / nr : 0;
}

uint64_t pfx_row_word(const struct pfx_hists *hists, const struct pfx_row *row,
		      enum pfx_hist_word word)
{
	return pfx_hist_word(hists, row->words, word);
}

struct pfx_place *pfx_row_place(const struct pfx_hists *hists, const struct pfx_row *row,
				enum pfx_hist_word word)
{
	struct pfx_resolver *resolver = hists->options.resolver;
	struct pfx_place *place;

	if (hists->slots[word] < 0)
		return row->place;
	place = pfx_resolver_place_at(resolver, (uint32_t)pfx_row_word(hists, row, word));
	pfx_place_symbol(resolver, place);
	return place;
}

uint32_t pfx_hist_socket(const struct pfx_hists *hists, int32_t cpu)
{
	const struct pfx_env_topology *topology = &hists->options.meta->env.topology;

	if (cpu < 0 || (uint32_t)cpu >= topology->nr_cpus)
		return UINT32_MAX;
	return topology->cpus[cpu].socket_id;
}

uint64_t pfx_hist_line_size(const struct pfx_hists *hists)
{
	uint32_t size = hists->options.meta->env.cln_size;

	return size ? size : 64;
}

uint64_t pfx_hist_line_of(const struct pfx_hists *hists, const struct pfx_row *row)
{
	return pfx_row_place(hists, row, PFX_WORD_DATA)->shown & ~(pfx_hist_line_size(hists) - 1);
}
