/* SPDX-License-Identifier: MIT */
/*
 * Whole call chains that were seen before: most samples repeat one of a few thousand chains word by
 * word, and then need no look-up per frame. Only for chains whose frames follow from their words
 * and from the maps of the thread alone. The words are not kept, only 128 bits of their hash:
 * comparing words would read twice as much memory.
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
	uint64_t stamp, hash; /* hash: the high half */
	uint32_t *frames;
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
	struct pfx_hash_wide hash;   /* of the chain that was not found */
	/* Of pfx_chain_of(), which may run in another thread. */
	uint32_t chains[PFX_CHAIN_MEMOS], chain_serials[PFX_CHAIN_MEMOS];
};

static struct pfx_hash_wide hash_of(const struct pfx_chain_key *key)
{
	uint64_t about = key->stamp ^ (uint64_t)key->mode << 56 ^ (uint64_t)key->words.swap << 55;
	struct pfx_hash_wide hash =
		pfx_hash_bytes_wide(key->words.at, key->words.nr * sizeof(uint64_t));

	hash.low = pfx_hash_fold(hash.low ^ pfx_hash_secret[0], about ^ pfx_hash_secret[1]);
	hash.low += !hash.low;
	return hash;
}

static bool is_same(const struct memo *memo, const struct pfx_chain_key *key, uint64_t hash)
{
	return memo->hash == hash && memo->stamp == key->stamp && memo->nr_words == key->words.nr &&
	       memo->mode == key->mode && memo->is_swapped == key->words.swap;
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
	memos->hash.low = 0;
	if (memos->pause) {
		memos->pause--;
		return false;
	}
	if (key->words.nr > WORDS_MAX)
		return false;
	if (++memos->nr_asked == ROUND)
		end_round(memos);
	memos->hash = hash_of(key);
	set = (uint32_t)memos->hash.low % SETS;
	for (way = 0; way < WAYS; way++) {
		memo = &memos->memos[set][way];
		if (memos->hashes[set][way] != memos->hash.low ||
		    !is_same(memo, key, memos->hash.high))
			continue;
		memos->nr_found++;
		*ret = (struct pfx_chain_found){memo->frames, memo->nr_frames, set * WAYS + way,
						memo->serial};
		return true;
	}
	return false;
}

void pfx_chain_memo_keep(struct pfx_resolver *resolver, const struct pfx_chain_key *key,
			 struct pfx_chain_found *found)
{
	struct pfx_chain_memos *memos = resolver->chain_memos;
	uint32_t set = (uint32_t)memos->hash.low % SETS, way = memos->next[set];
	struct memo *memo = &memos->memos[set][way];

	if (!memos->hash.low || !found->nr)
		return;
	memos->next[set] = (uint8_t)((way + 1) % WAYS);
	memos->hashes[set][way] = memos->hash.low;
	if (memo->room < found->nr) {
		memo->frames = pfx_realloc(memo->frames, found->nr * sizeof(*memo->frames));
		memo->room = found->nr;
	}
	memcpy(memo->frames, found->frames, found->nr * sizeof(*found->frames));
	memo->stamp = key->stamp;
	memo->hash = memos->hash.high;
	memo->nr_words = (uint32_t)key->words.nr;
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
			free(memos->memos[set][way].frames);
	free(memos);
}
