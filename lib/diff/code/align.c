/* SPDX-License-Identifier: MIT */
/*
 * Equal ends are taken off first. What is left is aligned by its longest common subsequence if both
 * parts are small (and only so many are large), else it is cut at the elements that both have once,
 * in their longest order, and each piece is aligned by itself. A large part without such elements
 * is left as it is.
 */
#include "diff/code/align.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define TABLE_MAX   (1u << 20) /* cells of a table of common subsequences; a byte each */
#define TABLE_SMALL (1u << 12) /* cells of a table that is always made */
#define CELLS_MAX   (1u << 28) /* cells of all larger tables of an alignment */
#define DEPTH_MAX   64         /* cuts of pieces of pieces */

struct range {
	uint32_t old, old_end, new, new_end;
};

struct aligning {
	const struct pfx_align_keys *levels;
	uint32_t nr_levels;
	uint32_t cells; /* that larger tables may still have */
	struct pfx_alignment *ret;
};

static void align_range(struct aligning *aligning, uint32_t level, struct range range,
			unsigned depth);

static void add_pair(struct aligning *aligning, uint32_t level, uint32_t old, uint32_t new)
{
	pfx_vec_push(&aligning->ret->rows, ((struct pfx_aligned){old, new, level}));
}

/* What no key of this level aligns goes to the next one. */
static void add_gap(struct aligning *aligning, uint32_t level, struct range range)
{
	if (range.old < range.old_end &&
	    range.new < range.new_end &&level + 1 < aligning->nr_levels) {
		align_range(aligning, level + 1, range, 0);
		return;
	}
	for (; range.old < range.old_end; range.old++)
		add_pair(aligning, level, range.old, PFX_ALIGN_NONE);
	for (; range.new < range.new_end; range.new ++)
		add_pair(aligning, level, PFX_ALIGN_NONE, range.new);
}

/* --- small parts --- */

enum step { STEP_OLD, STEP_NEW, STEP_BOTH };

/* Which step leads to the longest common subsequence of the rest, for each pair of rests. */
static void fill_table(const struct pfx_align_keys *keys, const struct range *range, uint8_t *steps)
{
	uint32_t nr_old = range->old_end - range->old, nr_new = range->new_end - range->new;
	uint32_t *lengths = pfx_calloc(2 * (nr_new + 1ul), sizeof(*lengths));
	uint32_t *below = lengths, *row = lengths + nr_new + 1, *other, i, k;

	for (i = nr_old; i-- > 0;) {
		for (k = nr_new; k-- > 0;) {
			uint8_t *step = &steps[(size_t)i * nr_new + k];

			if (keys->old[range->old + i] == keys->new[range->new + k]) {
				row[k] = below[k + 1] + 1;
				*step = STEP_BOTH;
			} else {
				row[k] = below[k] >= row[k + 1] ? below[k] : row[k + 1];
				*step = below[k] >= row[k + 1] ? STEP_OLD : STEP_NEW;
			}
		}
		other = below;
		below = row;
		row = other;
	}
	free(lengths);
}

static void align_by_table(struct aligning *aligning, uint32_t level, struct range range)
{
	uint32_t nr_old = range.old_end - range.old, nr_new = range.new_end - range.new;
	uint8_t *steps = pfx_malloc((size_t)nr_old * nr_new + 1);
	struct range gap = {.old = range.old, .new = range.new};
	uint32_t i = 0, k = 0;

	fill_table(&aligning->levels[level], &range, steps);
	while (i < nr_old && k < nr_new) {
		uint8_t step = steps[(size_t)i * nr_new + k];

		if (step == STEP_BOTH) {
			gap.old_end = range.old + i;
			gap.new_end = range.new + k;
			add_gap(aligning, level, gap);
			add_pair(aligning, level, gap.old_end, gap.new_end);
			gap.old = gap.old_end + 1;
			gap.new = gap.new_end + 1;
		}
		i += step != STEP_NEW;
		k += step != STEP_OLD;
	}
	gap.old_end = range.old_end;
	gap.new_end = range.new_end;
	add_gap(aligning, level, gap);
	free(steps);
}

/* --- large parts --- */

struct anchor {
	uint32_t old, new;
	uint32_t before; /* the anchor before it in the longest order; PFX_ALIGN_NONE: none */
};

struct anchors {
	PFX_VEC(struct anchor) at;
};

/* Of a key: where it is in each part, and how often, at most 2. */
struct place {
	uint32_t old, new;
	uint8_t nr_old, nr_new;
};

static void count_key(struct pfx_hash *hash, struct place *places, uint32_t *nr, uint64_t key,
		      uint32_t at, bool is_new)
{
	uint64_t *slot = pfx_hash_get(hash, key);
	struct place *place;

	if (!slot) {
		slot = pfx_hash_add(hash, key, NULL);
		*slot = (*nr)++;
		places[*slot] = (struct place){0};
	}
	place = &places[*slot];
	*(is_new ? &place->new : &place->old) = at;
	if (is_new)
		place->nr_new += place->nr_new < 2;
	else
		place->nr_old += place->nr_old < 2;
}

/* The elements that both parts have once, in the order of the old part. */
static void find_unique(const struct pfx_align_keys *keys, const struct range *range,
			struct anchors *ret)
{
	size_t most = (size_t)(range->old_end - range->old) + (range->new_end - range->new);
	struct place *places = pfx_malloc((most + 1) * sizeof(*places)), *place;
	struct pfx_hash hash = {0};
	uint32_t i, nr = 0;

	for (i = range->old; i < range->old_end; i++)
		count_key(&hash, places, &nr, keys->old[i], i, false);
	for (i = range->new; i < range->new_end; i++)
		count_key(&hash, places, &nr, keys->new[i], i, true);
	for (i = range->old; i < range->old_end; i++) {
		place = &places[*pfx_hash_get(&hash, keys->old[i])];
		if (place->nr_old == 1 && place->nr_new == 1)
			pfx_vec_push(&ret->at, ((struct anchor){i, place->new, PFX_ALIGN_NONE}));
	}
	pfx_hash_fini(&hash);
	free(places);
}

/* Keep the longest sequence of anchors that is in the order of both parts. */
static void keep_longest(struct anchors *anchors)
{
	uint32_t nr = (uint32_t)anchors->at.nr, nr_ends = 0, i, low, high, middle, at;
	uint32_t *ends = pfx_malloc((nr + 1ul) * sizeof(*ends)); /* of each length the least end */
	struct anchor *all = anchors->at.at, *kept;

	for (i = 0; i < nr; i++) {
		for (low = 0, high = nr_ends; low < high;) {
			middle = low + (high - low) / 2;
			if (all[ends[middle]].new < all[i].new)
				low = middle + 1;
			else
				high = middle;
		}
		all[i].before = low ? ends[low - 1] : PFX_ALIGN_NONE;
		ends[low] = i;
		nr_ends += low == nr_ends;
	}
	kept = pfx_malloc((nr_ends + 1ul) * sizeof(*kept));
	at = nr_ends ? ends[nr_ends - 1] : PFX_ALIGN_NONE;
	for (i = nr_ends; i-- > 0; at = all[at].before)
		kept[i] = all[at];
	if (nr_ends)
		memcpy(all, kept, nr_ends * sizeof(*kept));
	anchors->at.nr = nr_ends;
	free(kept);
	free(ends);
}

static void align_by_anchors(struct aligning *aligning, uint32_t level, struct range range,
			     unsigned depth)
{
	struct anchors anchors = {0};
	struct range piece = range;
	size_t i;

	if (depth < DEPTH_MAX)
		find_unique(&aligning->levels[level], &range, &anchors);
	keep_longest(&anchors);
	if (!anchors.at.nr) {
		add_gap(aligning, level, range);
		pfx_vec_free(&anchors.at);
		return;
	}
	for (i = 0; i < anchors.at.nr; i++) {
		piece.old_end = anchors.at.at[i].old;
		piece.new_end = anchors.at.at[i].new;
		align_range(aligning, level, piece, depth + 1);
		add_pair(aligning, level, piece.old_end, piece.new_end);
		piece.old = piece.old_end + 1;
		piece.new = piece.new_end + 1;
	}
	piece.old_end = range.old_end;
	piece.new_end = range.new_end;
	align_range(aligning, level, piece, depth + 1);
	pfx_vec_free(&anchors.at);
}

/* --- a part --- */

/* Small tables take time in proportion to their elements; the others share what there is. */
static bool may_have_table(struct aligning *aligning, const struct range *range)
{
	uint64_t cells = (uint64_t)(range->old_end - range->old) * (range->new_end - range->new);

	if (cells <= TABLE_SMALL)
		return true;
	if (cells > TABLE_MAX || cells > aligning->cells)
		return false;
	aligning->cells -= (uint32_t)cells;
	return true;
}

static void align_range(struct aligning *aligning, uint32_t level, struct range range,
			unsigned depth)
{
	const struct pfx_align_keys *keys = &aligning->levels[level];
	struct range rest;

	for (; range.old < range.old_end && range.new < range.new_end &&
	       keys->old[range.old] == keys->new[range.new];
	     range.old++, range.new ++)
		add_pair(aligning, level, range.old, range.new);
	for (rest = range; rest.old < rest.old_end && rest.new < rest.new_end &&
			   keys->old[rest.old_end - 1] == keys->new[rest.new_end - 1];
	     rest.old_end--, rest.new_end--)
		;
	if (rest.old == rest.old_end || rest.new == rest.new_end)
		add_gap(aligning, level, rest);
	else if (may_have_table(aligning, &rest))
		align_by_table(aligning, level, rest);
	else
		align_by_anchors(aligning, level, rest, depth);
	for (; rest.old_end < range.old_end; rest.old_end++, rest.new_end++)
		add_pair(aligning, level, rest.old_end, rest.new_end);
}

void pfx_align(struct pfx_alignment *ret, const struct pfx_align_keys *levels, uint32_t nr_levels,
	       uint32_t nr_old, uint32_t nr_new)
{
	struct aligning aligning = {levels, nr_levels, CELLS_MAX, ret};

	*ret = (struct pfx_alignment){0};
	align_range(&aligning, 0, (struct range){0, nr_old, 0, nr_new}, 0);
}

void pfx_alignment_fini(struct pfx_alignment *alignment)
{
	pfx_vec_free(&alignment->rows);
}
