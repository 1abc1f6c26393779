/* SPDX-License-Identifier: MIT */
/*
 * Whole call chains that were seen before: most samples repeat one of a few thousand chains word by
 * word, and then need no look-up per frame. Only for chains whose frames follow from their words
 * and from the maps of the thread alone.
 */
#include <stdlib.h>
#include <string.h>

#include "unwind/resolve_internal.h"

#define WAYS      4
#define SETS      (PFX_CHAIN_MEMOS / WAYS)
#define WORDS_MAX 512  /* longer chains are not kept */
#define ROUND     4096 /* look-ups after which to check whether they are worth it */
#define WORTH     (ROUND / 8)
#define PAUSE     (15 * ROUND) /* chains without a look-up if they are not */

struct memo {
	uint64_t stamp;
	uint64_t *words; /* as recorded; the frames follow them */
	uint32_t nr_words, nr_frames, room, serial;
	enum pfx_cpumode mode;
	bool is_swapped;
};

struct pfx_chain_memos {
	uint64_t hashes[SETS][WAYS]; /* 0: empty */
	struct memo memos[SETS][WAYS];
	uint8_t next[SETS]; /* the way to replace */
	uint32_t serial;
	uint32_t nr_asked, nr_found; /* in this round */
	uint32_t pause;              /* chains to pass over */
	uint64_t hash;               /* of the chain that was not found */
	/* Of pfx_chain_of(), which may run in another thread. */
	uint32_t chains[PFX_CHAIN_MEMOS], chain_serials[PFX_CHAIN_MEMOS];
};

static uint32_t *frames_of(const struct memo *memo)
{
	return (uint32_t *)(memo->words + memo->room);
}

static uint64_t hash_of(const struct pfx_chain_key *key)
{
	uint64_t about = key->stamp ^ (uint64_t)key->mode << 56 ^ (uint64_t)key->words.swap << 55;
	uint64_t hash = pfx_hash_bytes(key->words.at, key->words.nr * sizeof(uint64_t));

	hash = pfx_hash_fold(hash ^ pfx_hash_secret[0], about ^ pfx_hash_secret[1]);
	return hash ? hash : 1;
}

static bool is_same(const struct memo *memo, const struct pfx_chain_key *key)
{
	return memo->stamp == key->stamp && memo->nr_words == key->words.nr &&
	       memo->mode == key->mode && memo->is_swapped == key->words.swap &&
	       !memcmp(memo->words, key->words.at, key->words.nr * sizeof(uint64_t));
}

static void end_round(struct pfx_chain_memos *memos)
{
	if (memos->nr_found < WORTH)
		memos->pause = PAUSE;
	memos->nr_asked = memos->nr_found = 0;
}

bool pfx_chain_memo_find(struct pfx_resolver *resolver, const struct pfx_chain_key *key,
			 struct pfx_chain_found *ret)
{
	struct pfx_chain_memos *memos = resolver->chain_memos;
	const struct memo *memo;
	uint32_t set, way;

	if (!memos)
		memos = resolver->chain_memos = pfx_calloc(1, sizeof(*memos));
	memos->hash = 0;
	if (memos->pause) {
		memos->pause--;
		return false;
	}
	if (key->words.nr > WORDS_MAX)
		return false;
	if (++memos->nr_asked == ROUND)
		end_round(memos);
	memos->hash = hash_of(key);
	set = (uint32_t)memos->hash % SETS;
	for (way = 0; way < WAYS; way++) {
		memo = &memos->memos[set][way];
		if (memos->hashes[set][way] != memos->hash || !is_same(memo, key))
			continue;
		memos->nr_found++;
		*ret = (struct pfx_chain_found){frames_of(memo), memo->nr_frames, set * WAYS + way,
						memo->serial};
		return true;
	}
	return false;
}

void pfx_chain_memo_keep(struct pfx_resolver *resolver, const struct pfx_chain_key *key,
			 struct pfx_chain_found *found)
{
	struct pfx_chain_memos *memos = resolver->chain_memos;
	uint32_t set = (uint32_t)memos->hash % SETS, way = memos->next[set];
	struct memo *memo = &memos->memos[set][way];
	size_t nr = key->words.nr;

	if (!memos->hash || !found->nr)
		return;
	memos->next[set] = (uint8_t)((way + 1) % WAYS);
	memos->hashes[set][way] = memos->hash;
	if (memo->room < nr) {
		memo->words = pfx_realloc(memo->words, nr * (sizeof(uint64_t) + sizeof(uint32_t)));
		memo->room = (uint32_t)nr;
	}
	memcpy(memo->words, key->words.at, nr * sizeof(uint64_t));
	memcpy(frames_of(memo), found->frames, found->nr * sizeof(*found->frames));
	memo->stamp = key->stamp;
	memo->nr_words = (uint32_t)nr;
	memo->nr_frames = found->nr;
	memo->mode = key->mode;
	memo->is_swapped = key->words.swap;
	memo->serial = ++memos->serial ? memos->serial : ++memos->serial;
	found->slot = set * WAYS + way;
	found->serial = memo->serial;
}

bool pfx_chain_memo_id(const struct pfx_resolver *resolver, const struct pfx_chain_found *found,
		       uint32_t *ret)
{
	const struct pfx_chain_memos *memos = resolver->chain_memos;

	if (!found->serial || memos->chain_serials[found->slot] != found->serial)
		return false;
	*ret = memos->chains[found->slot];
	return true;
}

void pfx_chain_memo_set_id(struct pfx_resolver *resolver, const struct pfx_chain_found *found,
			   uint32_t id)
{
	if (!found->serial)
		return;
	resolver->chain_memos->chains[found->slot] = id;
	resolver->chain_memos->chain_serials[found->slot] = found->serial;
}

void pfx_chain_memos_free(struct pfx_chain_memos *memos)
{
	uint32_t set, way;

	for (set = 0; memos && set < SETS; set++)
		for (way = 0; way < WAYS; way++)
			free(memos->memos[set][way].words);
	free(memos);
}
