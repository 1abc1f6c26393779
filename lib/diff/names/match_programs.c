/* SPDX-License-Identifier: MIT */
/* Libraries vote for each other with the functions that both have. */
#include "diff/names/match_programs.h"

#define BOTH_HALVES 2 /* the smaller one has half of its functions in the other */
#define LEAST_VOTES 2 /* 1 if each side has only one library that the other has not */

void pfx_programs_add(struct pfx_programs *programs, uint32_t library, uint32_t function,
		      unsigned where)
{
	bool is_new;

	*pfx_hash_add(&programs->where, library, NULL) |= where;
	pfx_hash_add(&programs->known, (uint64_t)library << 32 | function, &is_new);
	if (!is_new)
		return;
	++*pfx_hash_add(&programs->sizes, library, NULL);
	pfx_vec_push(&programs->functions, ((struct pfx_program_function){library, function}));
}

/* By an old library and a new one: the functions that both have. */
static void count_common(const struct pfx_programs *programs, struct pfx_hash *votes)
{
	const struct pfx_program_function *of;
	struct pfx_hash by_function = {0};
	const uint64_t *found;
	size_t i;

	for (i = 0; i < programs->functions.nr; i++) {
		of = &programs->functions.at[i];
		if (*pfx_hash_get(&programs->where, of->library) == PFX_PROGRAM_NEW)
			*pfx_hash_add(&by_function, of->function, NULL) = of->library;
	}
	for (i = 0; i < programs->functions.nr; i++) {
		of = &programs->functions.at[i];
		if (*pfx_hash_get(&programs->where, of->library) != PFX_PROGRAM_OLD)
			continue;
		found = pfx_hash_get(&by_function, of->function);
		if (found)
			++*pfx_hash_add(votes, (uint64_t)of->library << 32 | *found, NULL);
	}
	pfx_hash_fini(&by_function);
}

static uint32_t least_votes(const struct pfx_programs *programs)
{
	uint32_t nr_old = 0, nr_new = 0;
	size_t i;

	for (i = 0; i < programs->where.cap; i++) {
		if (!programs->where.used[i])
			continue;
		nr_old += programs->where.slots[i].value == PFX_PROGRAM_OLD;
		nr_new += programs->where.slots[i].value == PFX_PROGRAM_NEW;
	}
	return nr_old == 1 && nr_new == 1 ? 1 : LEAST_VOTES;
}

void pfx_programs_match(const struct pfx_programs *programs, struct pfx_hash *ret)
{
	const uint32_t least = least_votes(programs);
	struct pfx_hash votes = {0};
	uint64_t size, other;
	uint32_t old, new;
	size_t i;

	count_common(programs, &votes);
	for (i = 0; i < votes.cap; i++) {
		if (!votes.used[i])
			continue;
		old = (uint32_t)(votes.slots[i].key >> 32);
		new = (uint32_t)votes.slots[i].key;
		size = *pfx_hash_get(&programs->sizes, old);
		other = *pfx_hash_get(&programs->sizes, new);
		size = size < other ? size : other;
		if (votes.slots[i].value >= least && votes.slots[i].value * BOTH_HALVES >= size)
			*pfx_hash_add(ret, old, NULL) = new;
	}
	pfx_hash_fini(&votes);
}

void pfx_programs_fini(struct pfx_programs *programs)
{
	pfx_vec_free(&programs->functions);
	pfx_hash_fini(&programs->known);
	pfx_hash_fini(&programs->where);
	pfx_hash_fini(&programs->sizes);
}
