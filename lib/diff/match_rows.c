/* SPDX-License-Identifier: MIT */
/*
 * Matches rows of different builds. Rows with equal texts are one already. Of the rest, those of
 * which one is only in side 0 and the other is not in side 0 become one row if their texts are
 * equal without what differs from build to build: suffixes of clones (.isra.0, .cold) in names of
 * functions, versions in names of libraries. The last are functions that were renamed:
 * renames.c.
 */
#include <stdlib.h>
#include <string.h>

#include "diff/diff_internal.h"
#include "diff/names/build_names.h"
#include "diff/names/match_programs.h"

/* As in match_programs.h. */
enum where { NOWHERE, OLD = PFX_DIFF_IN_OLD, OTHERS = PFX_DIFF_IN_OTHERS, BOTH = 3 };

struct matching {
	struct pfx_diff *diff;
	uint8_t *where;    /* by identity: enum where, in any event */
	uint64_t *weights; /* by identity: samples */
};

static void look_where(struct matching *matching)
{
	struct pfx_diff *diff = matching->diff;
	uint32_t nr_sides = diff->options.nr_sides;
	const struct pfx_diff_sums *sums;
	size_t i, id;

	for (i = 0; i < diff->sums.nr; i++) {
		sums = &diff->sums.at[i];
		for (id = 0; id < sums->by_row.nr; id++) {
			if (!sums->by_row.at[id].samples)
				continue;
			matching->where[id] |= i % nr_sides ? OTHERS : OLD;
			matching->weights[id] += sums->by_row.at[id].samples;
		}
	}
}

/* --- libraries --- */

static void match_libraries(struct matching *matching)
{
	const struct pfx_diff_identity *identity;
	struct pfx_programs programs = {.functions = {0}};
	uint32_t id;

	for (id = 0; id < matching->diff->identities.nr; id++) {
		identity = pfx_diff_identity_at(matching->diff, id);
		pfx_programs_add(&programs, identity->texts[PFX_DIFF_DSO],
				 identity->texts[PFX_DIFF_SYM], matching->where[id]);
	}
	pfx_programs_match(&programs, &matching->diff->libraries);
	pfx_programs_fini(&programs);
}

/* --- rows --- */

/* The identity with the texts that all builds share. */
static void shared_identity(struct matching *matching, uint32_t id, struct pfx_diff_identity *ret,
			    struct pfx_str *text)
{
	struct pfx_intern *texts = &matching->diff->texts;
	const uint64_t *library;

	*ret = *pfx_diff_identity_at(matching->diff, id);
	if (ret->texts[PFX_DIFF_SYM]) {
		pfx_str_clear(text);
		pfx_build_function_name(pfx_intern_get(texts, ret->texts[PFX_DIFF_SYM]), text);
		ret->texts[PFX_DIFF_SYM] = pfx_intern_str(texts, pfx_str_get(text));
	}
	library = pfx_hash_get(&matching->diff->libraries, ret->texts[PFX_DIFF_DSO]);
	if (library)
		ret->texts[PFX_DIFF_DSO] = (uint32_t)*library;
	if (ret->texts[PFX_DIFF_DSO]) {
		pfx_str_clear(text);
		pfx_build_library_name(pfx_intern_get(texts, ret->texts[PFX_DIFF_DSO]), text);
		ret->texts[PFX_DIFF_DSO] = pfx_intern_str(texts, pfx_str_get(text));
	}
}

/* The largest row by where it is, of rows with one shared identity. */
struct group {
	uint32_t best[BOTH + 1]; /* identity plus 1; 0: none */
};

/* A one-sided row joins the other side's, else the one that both have. */
static void join_group(struct matching *matching, const struct group *group, uint32_t id)
{
	struct pfx_diff *diff = matching->diff;
	uint32_t to = 0;

	if (matching->where[id] == OLD)
		to = group->best[OTHERS] ? group->best[OTHERS] : group->best[BOTH];
	else if (matching->where[id] == OTHERS)
		to = group->best[OLD] ? group->best[OTHERS] : group->best[BOTH];
	if (!to || to - 1 == id)
		return;
	diff->merged[id] = to - 1;
	if (matching->where[id] == OLD && matching->where[to - 1] == OTHERS)
		diff->old_of[to - 1] = group->best[OLD] - 1;
}

static void match_builds(struct matching *matching)
{
	struct pfx_diff *diff = matching->diff;
	uint32_t nr = diff->identities.nr, id, *groups = pfx_malloc((nr + 1ul) * sizeof(*groups));
	PFX_VEC(struct group) by_name = {0};
	struct pfx_diff_identity shared;
	struct pfx_intern names = {0};
	struct pfx_str text = {0};
	uint32_t *best;

	for (id = 0; id < nr; id++) {
		shared_identity(matching, id, &shared, &text);
		groups[id] = pfx_intern_add(&names, &shared, sizeof(shared));
		best = &pfx_vec_slot(&by_name, groups[id])->best[matching->where[id]];
		if (!*best || matching->weights[*best - 1] < matching->weights[id])
			*best = id + 1;
	}
	for (id = 0; id < nr; id++)
		join_group(matching, &by_name.at[groups[id]], id);
	pfx_vec_free(&by_name);
	pfx_intern_fini(&names);
	pfx_str_fini(&text);
	free(groups);
}

static bool has_both_keys(const struct pfx_diff *diff)
{
	bool has[PFX_DIFF_NR_KEYS] = {false};
	uint32_t i;

	for (i = 0; i < diff->options.nr_keys; i++)
		has[diff->options.keys[i]] = true;
	return has[PFX_DIFF_DSO] && has[PFX_DIFF_SYM];
}

void pfx_diff_match_rows(struct pfx_diff *diff)
{
	uint32_t nr = diff->identities.nr, id;
	struct matching matching = {
		.diff = diff,
		.where = pfx_calloc(nr + 1ul, 1),
		.weights = pfx_calloc(nr + 1ul, sizeof(uint64_t)),
	};

	diff->merged = pfx_malloc((nr + 1ul) * sizeof(*diff->merged));
	diff->old_of = pfx_malloc((nr + 1ul) * sizeof(*diff->old_of));
	diff->is_renamed = pfx_calloc(nr + 1ul, 1);
	for (id = 0; id < nr; id++) {
		diff->merged[id] = id;
		diff->old_of[id] = PFX_NO_ID;
	}
	look_where(&matching);
	if (!diff->options.exact && has_both_keys(diff))
		match_libraries(&matching);
	if (!diff->options.exact)
		match_builds(&matching);
	if (!diff->options.exact && diff->options.binaries)
		pfx_diff_match_renames(diff, matching.where, matching.weights);
	free(matching.where);
	free(matching.weights);
}
