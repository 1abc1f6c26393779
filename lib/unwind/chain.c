/* SPDX-License-Identifier: MIT */
/*
 * Call chains: converts the recorded addresses to places. Context markers give the cpumode of the
 * frames after them. Chains are stored as segments of a few frames that refer to the segment of
 * their callers: chains share their common part at the root, and a sample needs a look-up only for
 * each segment that differs from the previous chain. User frames from a stack dump are appended to
 * the kernel's words first, so that all later code handles one kind of chain.
 */
#include <stdlib.h>
#include <string.h>

#include "unwind/resolve_internal.h"

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

/* The words that are frames or markers: PERF_CONTEXT_USER_DEFERRED is followed by a cookie that
 * ends the chain. */
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

/* Copies the recorded words, limited to max_stack frames, to unwinder.words. */
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

/* Frame pointer chains lack the caller of a leaf function without a frame: if so, makes a copy with
 * it. */
static void add_leaf_caller(struct pfx_resolver *resolver, struct pfx_thread *thread,
			    const struct pfx_sample *sample, struct pfx_words *words)
{
	struct pfx_unwinder *unwinder = &resolver->unwinder;
	uint64_t leaf = 0, caller, i;

	if (!sample->regs_user.values.nr)
		return;
	while (leaf < words->nr && pfx_word(words, leaf) != PFX_CONTEXT_USER)
		leaf++;
	if (++leaf >= words->nr ||
	    !pfx_leaf_caller(resolver, thread, sample, pfx_word(words, leaf), &caller) ||
	    (leaf + 1 < words->nr && pfx_word(words, leaf + 1) == caller))
		return;
	unwinder->words.nr = 0;
	for (i = 0; i < words->nr; i++) {
		pfx_vec_push(&unwinder->words, pfx_word(words, i));
		if (i == leaf)
			pfx_vec_push(&unwinder->words, caller);
	}
	*words = (struct pfx_words){(const uint8_t *)unwinder->words.at, unwinder->words.nr, false};
}

/* The words of the whole chain: the recorded ones, or a copy with the user frames appended. True:
 * it is a copy, which is limited to max_stack already. */
static bool whole_chain(struct pfx_resolver *resolver, struct pfx_thread *thread,
			const struct pfx_sample *sample, struct pfx_words *ret)
{
	struct pfx_unwinder *unwinder = &resolver->unwinder;

	unwinder->steps.nr = 0;
	*ret = sample->chain;
	if (pfx_branch_chain_wanted(resolver, sample)) {
		pfx_branch_chain(resolver, thread, sample);
		*ret = (struct pfx_words){(const uint8_t *)unwinder->whole.at, unwinder->whole.nr,
					  false};
		copy_words(resolver, ret);
		*ret = (struct pfx_words){(const uint8_t *)unwinder->words.at, unwinder->words.nr,
					  false};
		return true;
	}
	if (!pfx_stack_walk_wanted(sample) || has_user_words(&sample->chain)) {
		add_leaf_caller(resolver, thread, sample, ret);
		return false;
	}
	copy_words(resolver, &sample->chain);
	pfx_vec_push(&unwinder->words, PFX_CONTEXT_USER);
	pfx_stack_walk(resolver, thread, sample);
	*ret = (struct pfx_words){(const uint8_t *)unwinder->words.at, unwinder->words.nr, false};
	return true;
}

/* The number of frames to drop at the leaf. */
static uint64_t frames_to_skip(const struct pfx_resolver *resolver, const struct pfx_words *words,
			       uint32_t max)
{
	uint64_t nr_frames;

	if (!resolver->options.keep_root)
		return 0;
	chain_length(words, &nr_frames);
	return nr_frames > max ? nr_frames - max : 0;
}

/* Stores the frames of the words in frame_ids. Addresses of user frames from unwinding or branches
 * already point into the call; others are return addresses. */
static void walk_chain(struct pfx_resolver *resolver, struct pfx_thread *thread,
		       enum pfx_cpumode mode, const struct pfx_words *words, bool is_walked)
{
	uint32_t max = is_walked ? UINT32_MAX : resolver->options.max_stack, nr = 0, *frames;
	uint64_t stamp = pfx_session_maps_stamp(resolver->session, thread);
	uint64_t skip = frames_to_skip(resolver, words, max), i, word;
	uint8_t level = UINT8_MAX;
	const struct pfx_ip_memo *at;
	bool is_return;

	pfx_vec_reserve(&resolver->frame_ids, words->nr);
	frames = resolver->frame_ids.at;
	for (i = 0; i < words->nr && nr < max; i++) {
		word = pfx_word(words, i);
		if (word == PFX_CONTEXT_USER_DEFERRED)
			break;
		if (is_marker(word)) {
			mode = marker_mode(word);
			continue;
		}
		if (skip) {
			skip--;
			continue;
		}
		at = pfx_resolver_memo(resolver, thread, stamp, mode, word);
		is_return = at->level == level && !(is_walked && level == PFX_MODE_USER);
		frames[nr++] = pfx_frame_make(at->id, is_return);
		level = at->level;
	}
	resolver->frame_ids.nr = nr;
}

/* Whether only the recorded words decide about the frames. */
static bool is_recorded(const struct pfx_resolver *resolver, const struct pfx_sample *sample)
{
	return sample->chain.nr && !sample->stack.size && !sample->regs_user.values.nr &&
	       !pfx_branch_chain_wanted(resolver, sample);
}

void pfx_resolve_frames(struct pfx_resolver *resolver, struct pfx_thread *thread,
			const struct pfx_sample *sample, struct pfx_chain_found *ret)
{
	bool may_keep = is_recorded(resolver, sample), is_walked;
	struct pfx_chain_key key;
	struct pfx_words words;

	if (may_keep) {
		key.stamp = pfx_session_maps_stamp(resolver->session, thread);
		key.mode = sample->cpumode;
		key.words = sample->chain;
		resolver->unwinder.steps.nr = 0;
		if (pfx_chain_memo_find(resolver, &key, ret))
			return;
	}
	is_walked = whole_chain(resolver, thread, sample, &words);
	walk_chain(resolver, thread, sample->cpumode, &words, is_walked);
	*ret = (struct pfx_chain_found){resolver->frame_ids.at, (uint32_t)resolver->frame_ids.nr};
	if (may_keep)
		pfx_chain_memo_keep(resolver, &key, ret);
}

uint32_t pfx_resolve_chain(struct pfx_resolver *resolver, struct pfx_thread *thread,
			   const struct pfx_sample *sample, struct pfx_place ***ret)
{
	struct pfx_chain_found found;
	uint32_t i;

	pfx_resolve_frames(resolver, thread, sample, &found);
	resolver->frames.nr = 0;
	for (i = 0; i < found.nr; i++)
		pfx_vec_push(&resolver->frames,
			     resolver->places.at[pfx_frame_place_id(found.frames[i])]);
	*ret = resolver->frames.at;
	return (uint32_t)resolver->frames.nr;
}

/* --- chains by frames --- */

/* Continues the hash of the outer frames. */
static uint64_t hash_segment(const struct pfx_segment *segment, uint64_t outer)
{
	const uint64_t *secret = pfx_hash_secret;
	uint64_t words[PFX_SEGMENT_FRAMES / 2];

	_Static_assert(sizeof(words) == sizeof(segment->frames), "four words of two frames");
	memcpy(words, segment->frames, sizeof(words));
	return pfx_hash_u64(pfx_hash_fold(words[0] ^ secret[0], words[1] ^ secret[1]) ^
			    pfx_hash_fold(words[2] ^ secret[1], words[3] ^ secret[0] ^ outer));
}

static bool is_segment(const struct pfx_segment *a, const struct pfx_segment *b)
{
	return a->outer == b->outer && !memcmp(a->frames, b->frames, sizeof(a->frames));
}

static uint32_t intern_segment(struct pfx_resolver *resolver, const struct pfx_segment *segment,
			       uint64_t hash)
{
	uint64_t probe = hash;
	uint32_t id;

	while (pfx_id_table_next(&resolver->chains_by_hash, hash, &probe, &id))
		if (is_segment(&resolver->chains.at[id], segment))
			return id;
	id = (uint32_t)resolver->chains.nr;
	pfx_vec_push(&resolver->chains, *segment);
	pfx_id_table_add(&resolver->chains_by_hash, hash, id);
	return id;
}

uint32_t pfx_chain_intern(struct pfx_resolver *resolver, const struct pfx_segment *segment,
			  uint64_t *hash)
{
	*hash = hash_segment(segment, *hash);
	return intern_segment(resolver, segment, *hash);
}

/* Number of common frames of two chains, from the root. */
static uint32_t common_frames(const struct pfx_walked_chain *a, const struct pfx_walked_chain *b)
{
	uint32_t i, nr = a->nr_frames < b->nr_frames ? a->nr_frames : b->nr_frames;

	for (i = 0; i < nr; i++)
		if (a->frames[a->nr_frames - 1 - i] != b->frames[b->nr_frames - 1 - i])
			break;
	return i;
}

/* The frames of segment @nr, counted from the root. */
static void cut_segment(const struct pfx_walked_chain *chain, uint32_t nr,
			struct pfx_segment *segment)
{
	uint32_t end = chain->nr_frames - nr * PFX_SEGMENT_FRAMES;

	if (end >= PFX_SEGMENT_FRAMES) {
		memcpy(segment->frames, chain->frames + end - PFX_SEGMENT_FRAMES,
		       sizeof(segment->frames));
		return;
	}
	memset(segment->frames, 0, sizeof(segment->frames));
	memcpy(segment->frames, chain->frames, end * sizeof(*segment->frames));
}

/*
 * A chain is looked up in three steps, interleaved with those of other chains, so that their cache
 * misses overlap. The hash of a segment does not depend on ids of other segments. Segments that the
 * previous chain has, too, are taken from it.
 */
static struct pfx_walked_chain *walked_chain(struct pfx_resolver *resolver, uint32_t nr)
{
	return &resolver->walked[nr & (PFX_WALKED_CHAINS - 1)];
}

static void begin_chain(struct pfx_resolver *resolver, const uint32_t *frames, uint32_t nr)
{
	struct pfx_walked_chain *now = walked_chain(resolver, resolver->nr_walked);
	struct pfx_walked_chain *last = walked_chain(resolver, resolver->nr_walked - 1);
	struct pfx_segment segment;
	uint32_t common, i;
	uint64_t hash = 0;

	resolver->nr_walked++;
	now->frames = frames;
	now->nr_frames = nr;
	now->nr_segments = (nr + PFX_SEGMENT_FRAMES - 1) / PFX_SEGMENT_FRAMES;
	common = common_frames(now, last);
	now->nr_known = common == nr && common == last->nr_frames ? now->nr_segments
								  : common / PFX_SEGMENT_FRAMES;
	pfx_vec_reserve(&now->segments, now->nr_segments);
	for (i = 0; i < now->nr_known; i++)
		now->segments.at[i].hash = hash = last->segments.at[i].hash;
	for (; i < now->nr_segments; i++) {
		cut_segment(now, i, &segment);
		now->segments.at[i].hash = hash = hash_segment(&segment, hash);
		pfx_id_table_fetch(&resolver->chains_by_hash, hash);
	}
}

static void fetch_segments(struct pfx_resolver *resolver, uint32_t chain)
{
	const struct pfx_walked_chain *now = walked_chain(resolver, chain);
	const struct pfx_segment *segment;
	uint32_t i, first;

	for (i = now->nr_known; i < now->nr_segments; i++) {
		first = pfx_id_table_first(&resolver->chains_by_hash, now->segments.at[i].hash);
		segment = &resolver->chains.at[first];
		__builtin_prefetch(segment);
		__builtin_prefetch(&segment->frames[PFX_SEGMENT_FRAMES - 1]);
	}
}

static uint32_t end_chain(struct pfx_resolver *resolver, uint32_t chain)
{
	const struct pfx_walked_chain *last = walked_chain(resolver, chain - 1);
	struct pfx_walked_chain *now = walked_chain(resolver, chain);
	struct pfx_segment segment;
	uint32_t i, id = 0;

	for (i = 0; i < now->nr_known; i++)
		now->segments.at[i].id = id = last->segments.at[i].id;
	for (; i < now->nr_segments; i++) {
		cut_segment(now, i, &segment);
		segment.outer = id;
		id = intern_segment(resolver, &segment, now->segments.at[i].hash);
		now->segments.at[i].id = id;
	}
	return id;
}

/* The resolver does not own the frames: keeps those of the last chain for the comparison with the
 * next. */
static void keep_last(struct pfx_resolver *resolver)
{
	struct pfx_walked_chain *last = walked_chain(resolver, resolver->nr_walked - 1);

	pfx_vec_reserve(&resolver->last_frames, last->nr_frames);
	if (last->nr_frames)
		memmove(resolver->last_frames.at, last->frames,
			last->nr_frames * sizeof(*last->frames));
	last->frames = resolver->last_frames.at;
}

static uint32_t chain_of_frames(struct pfx_resolver *resolver, const uint32_t *frames, uint32_t nr)
{
	uint32_t id;

	if (!nr)
		return 0;
	begin_chain(resolver, frames, nr);
	fetch_segments(resolver, resolver->nr_walked - 1);
	id = end_chain(resolver, resolver->nr_walked - 1);
	keep_last(resolver);
	return id;
}

uint32_t pfx_chain_of(struct pfx_resolver *resolver, const struct pfx_chain_found *found)
{
	uint32_t id;

	if (pfx_chain_memo_id(resolver, found, &id))
		return id;
	id = chain_of_frames(resolver, found->frames, found->nr);
	pfx_chain_memo_set_id(resolver, found, id);
	return id;
}

#define STEP 7 /* number of chains between two steps of one chain */

void pfx_chains_of_frames(struct pfx_resolver *resolver, const uint32_t *frames,
			  const uint32_t *nr_frames, uint32_t nr, uint32_t *ids)
{
	uint32_t first = resolver->nr_walked, i;

	_Static_assert(2 * STEP + 1 < PFX_WALKED_CHAINS, "and the one before");
	for (i = 0; i < nr + 2 * STEP; i++) {
		if (i < nr) {
			begin_chain(resolver, frames, nr_frames[i]);
			if (nr_frames[i]) /* frames may be NULL if no chain has any */
				frames += nr_frames[i];
		}
		if (i >= STEP && i - STEP < nr)
			fetch_segments(resolver, first + i - STEP);
		if (i >= 2 * STEP)
			ids[i - 2 * STEP] = end_chain(resolver, first + i - 2 * STEP);
	}
	keep_last(resolver);
}

void pfx_chains_init(struct pfx_resolver *resolver)
{
	*pfx_vec_add(&resolver->chains) = (struct pfx_segment){0};
}

void pfx_chains_fini(struct pfx_resolver *resolver)
{
	unsigned i;

	for (i = 0; i < PFX_WALKED_CHAINS; i++)
		pfx_vec_free(&resolver->walked[i].segments);
	pfx_chain_memos_free(resolver->chain_memos);
	pfx_vec_free(&resolver->last_frames);
	pfx_vec_free(&resolver->frame_ids);
	pfx_vec_free(&resolver->frames);
	pfx_vec_free(&resolver->chains);
	pfx_id_table_fini(&resolver->chains_by_hash);
}

uint32_t pfx_resolve_chain_id(struct pfx_resolver *resolver, struct pfx_thread *thread,
			      const struct pfx_sample *sample)
{
	struct pfx_chain_found found;

	pfx_resolve_frames(resolver, thread, sample, &found);
	return pfx_chain_of(resolver, &found);
}

uint32_t pfx_resolve_lone_chain(struct pfx_resolver *resolver, struct pfx_thread *thread,
				const struct pfx_sample *sample)
{
	uint32_t place = pfx_resolve_id(resolver, thread, sample->cpumode, sample->ip);
	uint32_t frame = pfx_frame_make(place, false);

	return chain_of_frames(resolver, &frame, 1);
}

uint32_t pfx_resolver_nr_chains(const struct pfx_resolver *resolver)
{
	return (uint32_t)resolver->chains.nr;
}
