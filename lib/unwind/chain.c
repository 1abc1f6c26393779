/* SPDX-License-Identifier: MIT */
/*
 * Call chains: from the words that the kernel recorded to places. Context markers say at which
 * level the frames behind them ran. Raw chains that were seen before with the same maps are found
 * by one hash, and equal chains of different processes become one. User frames made from registers
 * and a copy of the stack are put behind the kernel's words first, so that all the rest sees one
 * kind of chain.
 */
#include <stdlib.h>
#include <string.h>

#include "unwind/resolve_internal.h"

/* Raw chains are only kept to save work: when their copies take more than this, all are forgotten.
 */
#define RAW_CHAINS_MAX (64u << 20)

static bool is_marker(uint64_t word)
{
	return word >= PFX_CONTEXT_MAX;
}

static enum pfx_cpumode marker_mode(uint64_t word)
{
	switch (word) {
	case PFX_CONTEXT_HV:
		return PFX_MODE_HYPERVISOR;
	case PFX_CONTEXT_KERNEL:
		return PFX_MODE_KERNEL;
	case PFX_CONTEXT_USER:
	case PFX_CONTEXT_USER_DEFERRED:
		return PFX_MODE_USER;
	case PFX_CONTEXT_GUEST:
	case PFX_CONTEXT_GUEST_USER:
		return PFX_MODE_GUEST_USER;
	case PFX_CONTEXT_GUEST_KERNEL:
		return PFX_MODE_GUEST_KERNEL;
	default:
		return PFX_MODE_UNKNOWN;
	}
}

/* The words that are frames or markers: behind USER_DEFERRED stands a cookie that ends the chain.
 */
static uint64_t chain_length(const struct pfx_words *words, uint64_t *ret_frames)
{
	uint64_t i, word;

	*ret_frames = 0;
	for (i = 0; i < words->nr; i++) {
		word = pfx_word(words, i);
		if (word == PFX_CONTEXT_USER_DEFERRED)
			break;
		*ret_frames += !is_marker(word);
	}
	return i;
}

/* The recorded words, cut to max_stack frames, into unwinder.words. */
static void copy_words(struct pfx_resolver *resolver, const struct pfx_words *words)
{
	struct pfx_unwinder *unwinder = &resolver->unwinder;
	uint64_t nr_frames, nr = chain_length(words, &nr_frames), skip = 0, i, word;
	uint32_t left = resolver->options.max_stack;

	if (resolver->options.keep_root && nr_frames > left)
		skip = nr_frames - left;
	unwinder->words.nr = 0;
	for (i = 0; i < nr; i++) {
		word = pfx_word(words, i);
		if (is_marker(word)) {
			pfx_vec_push(&unwinder->words, word);
		} else if (skip) {
			skip--;
		} else if (left) {
			left--;
			pfx_vec_push(&unwinder->words, word);
		}
	}
}

static bool has_user_words(const struct pfx_words *words)
{
	uint64_t i;

	for (i = 0; i < words->nr; i++)
		if (pfx_word(words, i) == PFX_CONTEXT_USER)
			return true;
	return false;
}

/* The words of the whole chain: those that were recorded, or a copy with the frames from the stack
 * behind. True: it is a copy, which is cut already. */
static bool whole_chain(struct pfx_resolver *resolver, struct pfx_thread *thread,
			const struct pfx_sample *sample, struct pfx_words *ret)
{
	struct pfx_unwinder *unwinder = &resolver->unwinder;

	*ret = sample->chain;
	if (!pfx_stack_walk_wanted(sample) || has_user_words(&sample->chain))
		return false;
	copy_words(resolver, &sample->chain);
	pfx_vec_push(&unwinder->words, PFX_CONTEXT_USER);
	pfx_stack_walk(resolver, thread, sample);
	*ret = (struct pfx_words){(const uint8_t *)unwinder->words.at, unwinder->words.nr, false};
	return true;
}

static void walk_chain(struct pfx_resolver *resolver, struct pfx_thread *thread,
		       enum pfx_cpumode mode, const struct pfx_words *words, uint32_t max)
{
	uint64_t nr_frames, nr = chain_length(words, &nr_frames), skip = 0, i, word;

	resolver->frames.nr = 0;
	if (resolver->options.keep_root && nr_frames > max)
		skip = nr_frames - max;
	for (i = 0; i < nr && resolver->frames.nr < max; i++) {
		word = pfx_word(words, i);
		if (is_marker(word))
			mode = marker_mode(word);
		else if (skip)
			skip--;
		else
			pfx_vec_push(&resolver->frames, pfx_resolve(resolver, thread, mode, word));
	}
}

uint32_t pfx_resolve_chain(struct pfx_resolver *resolver, struct pfx_thread *thread,
			   const struct pfx_sample *sample, struct pfx_place ***ret)
{
	struct pfx_words words;
	bool is_cut = whole_chain(resolver, thread, sample, &words);

	walk_chain(resolver, thread, sample->cpumode, &words,
		   is_cut ? UINT32_MAX : resolver->options.max_stack);
	*ret = resolver->frames.at;
	return (uint32_t)resolver->frames.nr;
}

/* --- chains by their places --- */

static struct pfx_chain *add_chain(struct pfx_resolver *resolver, struct pfx_place *const *places,
				   uint32_t nr)
{
	struct pfx_chain *chain = pfx_arena_new(&resolver->arena, struct pfx_chain);

	chain->id = (uint32_t)resolver->chains.nr;
	chain->nr = nr;
	chain->places = pfx_arena_array(&resolver->arena, struct pfx_place *, nr + 1);
	if (nr)
		memcpy(chain->places, places, nr * sizeof(*places));
	pfx_vec_push(&resolver->chains, chain);
	return chain;
}

static const struct pfx_chain *intern_chain(struct pfx_resolver *resolver,
					    struct pfx_place *const *places, uint32_t nr)
{
	uint64_t hash = pfx_hash_bytes(places, nr * sizeof(*places)), probe = hash;
	struct pfx_chain *chain;
	uint32_t id;

	while (pfx_id_table_next(&resolver->chains_by_places, hash, &probe, &id)) {
		chain = resolver->chains.at[id];
		if (chain->nr == nr && !memcmp(chain->places, places, nr * sizeof(*places)))
			return chain;
	}
	chain = add_chain(resolver, places, nr);
	pfx_id_table_add(&resolver->chains_by_places, hash, chain->id);
	return chain;
}

void pfx_chains_init(struct pfx_resolver *resolver)
{
	add_chain(resolver, NULL, 0);
}

static void forget_raw_chains(struct pfx_resolver *resolver)
{
	resolver->raw_chains.nr = 0;
	pfx_id_table_fini(&resolver->raw_by_hash);
	pfx_arena_clear(&resolver->raw_arena);
	resolver->raw_arena.bytes = 0;
}

void pfx_chains_fini(struct pfx_resolver *resolver)
{
	forget_raw_chains(resolver);
	pfx_vec_free(&resolver->raw_chains);
	pfx_vec_free(&resolver->frames);
	pfx_vec_free(&resolver->chains);
	pfx_id_table_fini(&resolver->chains_by_places);
}

/* --- chains by their words --- */

static const struct pfx_chain *find_raw(const struct pfx_resolver *resolver,
					const struct pfx_raw_chain *key)
{
	const struct pfx_raw_chain *raw;
	uint64_t probe = key->hash;
	uint32_t id;

	while (pfx_id_table_next(&resolver->raw_by_hash, key->hash, &probe, &id)) {
		raw = &resolver->raw_chains.at[id];
		if (raw->hash == key->hash && raw->stamp == key->stamp && raw->nr == key->nr &&
		    raw->cpumode == key->cpumode && !memcmp(raw->words, key->words, key->nr * 8))
			return raw->chain;
	}
	return NULL;
}

static void keep_raw(struct pfx_resolver *resolver, struct pfx_raw_chain key)
{
	if (resolver->raw_arena.bytes > RAW_CHAINS_MAX)
		forget_raw_chains(resolver);
	key.words = pfx_arena_memdup(&resolver->raw_arena, key.words, key.nr * 8);
	pfx_id_table_add(&resolver->raw_by_hash, key.hash, (uint32_t)resolver->raw_chains.nr);
	pfx_vec_push(&resolver->raw_chains, key);
}

const struct pfx_chain *pfx_resolve_chain_id(struct pfx_resolver *resolver,
					     struct pfx_thread *thread,
					     const struct pfx_sample *sample)
{
	struct pfx_words words;
	bool is_cut = whole_chain(resolver, thread, sample, &words);
	struct pfx_raw_chain key = {
		.stamp = pfx_session_maps_stamp(resolver->session, thread),
		.words = words.at,
		.nr = (uint32_t)words.nr,
		.cpumode = sample->cpumode,
	};
	const struct pfx_chain *chain;

	if (!key.nr)
		return resolver->chains.at[0];
	key.hash = pfx_hash_u64(pfx_hash_bytes(key.words, (size_t)key.nr * 8) ^ key.stamp);
	chain = find_raw(resolver, &key);
	if (chain)
		return chain;
	walk_chain(resolver, thread, sample->cpumode, &words,
		   is_cut ? UINT32_MAX : resolver->options.max_stack);
	if (!resolver->frames.nr)
		return resolver->chains.at[0];
	key.chain = intern_chain(resolver, resolver->frames.at, (uint32_t)resolver->frames.nr);
	keep_raw(resolver, key);
	return key.chain;
}

uint32_t pfx_resolver_nr_chains(const struct pfx_resolver *resolver)
{
	return (uint32_t)resolver->chains.nr;
}

const struct pfx_chain *pfx_resolver_chain_at(const struct pfx_resolver *resolver, uint32_t id)
{
	return resolver->chains.at[id];
}
