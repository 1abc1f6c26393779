/* SPDX-License-Identifier: MIT */
/*
 * Finds functions that were renamed: of those that only side 0 has and those that it does not have,
 * pairs whose code is alike, or that are called by the same functions and have the same size. The
 * best pair first; each function is in one pair. Only the largest are looked at, because each pair
 * is compared.
 */
#include "diff/renames.h"

#include <stdlib.h>
#include <string.h>

#include "diff/body.h"
#include "diff/diff_internal.h"
#include "diff/names/build_names.h"

#define FUNCTIONS_MAX 100 /* that are looked at, of each side */
#define SAMPLES_MIN   10
#define SAME_CODE     0.75 /* similarity that is enough alone */
#define ALIKE         0.4  /* that is enough with the same callers */
#define SAME_CALLERS  0.75
#define SAME_SIZE     0.8

struct function {
	uint32_t id; /* the identity */
	uint64_t weight, size;
	bool is_named;
	struct pfx_code_body body;
	PFX_VEC(uint32_t) callers; /* texts, sorted, each once */
};

struct pair {
	uint32_t old, new;
	double score;
};

struct searching {
	struct pfx_diff *diff;
	PFX_VEC(struct function) sides[2];
	PFX_VEC(struct pair) pairs;
};

/* --- features --- */

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The functions that call it, in one run. */
static void find_callers(struct searching *searching, const struct pfx_profile *profile,
			 uint32_t id, struct function *function)
{
	const struct pfx_nodes *nodes = &profile->nodes;
	struct pfx_str text = {0};
	uint32_t i, caller;
	size_t nr = 0;

	for (i = 1; i < nodes->nr; i++) {
		if (pfx_profile_node_function(profile, i) != id || !nodes->parent[i])
			continue;
		caller = pfx_profile_node_function(profile, nodes->parent[i]);
		pfx_str_clear(&text);
		pfx_build_function_name(profile->functions[caller].name, &text);
		pfx_vec_push(&function->callers,
			     pfx_intern_str(&searching->diff->texts, pfx_str_get(&text)));
	}
	pfx_str_fini(&text);
	if (!function->callers.nr)
		return;
	qsort(function->callers.at, function->callers.nr, sizeof(uint32_t), compare_ids);
	for (i = 0; i < function->callers.nr; i++)
		if (!nr || function->callers.at[nr - 1] != function->callers.at[i])
			function->callers.at[nr++] = function->callers.at[i];
	function->callers.nr = nr;
}

static void describe(struct searching *searching, uint32_t side, struct function *function)
{
	const struct pfx_diff_example *example = &searching->diff->examples[side].at[function->id];
	const struct pfx_profile *profile = searching->diff->runs.at[example->run - 1].profile;
	const struct pfx_profile_function *of = &profile->functions[example->function];

	function->size = of->end - of->start;
	function->is_named = of->is_named;
	pfx_code_body_read(&function->body, profile, example->function,
			   searching->diff->options.binaries);
	find_callers(searching, profile, example->function, function);
}

/* The part of all callers that both have. */
static double common_callers(const struct function *a, const struct function *b)
{
	size_t i = 0, k = 0, common = 0;

	while (i < a->callers.nr && k < b->callers.nr) {
		if (a->callers.at[i] == b->callers.at[k]) {
			common++;
			i++;
			k++;
		} else if (a->callers.at[i] < b->callers.at[k]) {
			i++;
		} else {
			k++;
		}
	}
	i = a->callers.nr + b->callers.nr - common;
	return i ? (double)common / (double)i : 0;
}

static double score_of(const struct function *old, const struct function *new)
{
	double body = pfx_code_body_similarity(&old->body, &new->body);
	double callers = common_callers(old, new);
	double size = old->size && new->size ? old->size < new->size
						       ? (double)old->size / (double)new->size
						       : (double)new->size / (double)old->size
					     : 0;

	if (old->body.nr && new->body.nr)
		return body >= SAME_CODE || (body >= ALIKE && callers >= SAME_CALLERS)
			       ? 1 + body + callers
			       : 0;
	return callers >= SAME_CALLERS && size >= SAME_SIZE ? callers * size : 0;
}

/* --- pairs --- */

static int by_weight(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static int by_score(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->score > y->score || x->score < y->score)
		return x->score > y->score ? -1 : 1;
	if (x->old != y->old)
		return x->old < y->old ? -1 : 1;
	return (x->new > y->new) - (x->new < y->new);
}

/* Whether all keys but the function are equal. */
static bool may_pair(const struct pfx_diff *diff, uint32_t old, uint32_t new, struct pfx_str *a,
		     struct pfx_str *b)
{
	const struct pfx_diff_identity *x = pfx_diff_identity_at(diff, old);
	const struct pfx_diff_identity *y = pfx_diff_identity_at(diff, new);
	const uint64_t *library = pfx_hash_get(&diff->libraries, x->texts[PFX_DIFF_DSO]);
	uint32_t key;

	for (key = 0; key < PFX_DIFF_NR_KEYS; key++)
		if (key != PFX_DIFF_SYM && key != PFX_DIFF_DSO && x->texts[key] != y->texts[key])
			return false;
	if (library && *library == y->texts[PFX_DIFF_DSO])
		return true;
	pfx_str_clear(a);
	pfx_str_clear(b);
	pfx_build_library_name(pfx_intern_get(&diff->texts, x->texts[PFX_DIFF_DSO]), a);
	pfx_build_library_name(pfx_intern_get(&diff->texts, y->texts[PFX_DIFF_DSO]), b);
	return !strcmp(pfx_str_get(a), pfx_str_get(b));
}

static void choose(struct searching *searching, const uint8_t *where, const uint64_t *weights)
{
	struct pfx_diff *diff = searching->diff;
	uint32_t id, side, nr = diff->identities.nr;
	size_t i;

	for (id = 0; id < nr; id++) {
		side = where[id] == PFX_DIFF_IN_OTHERS;
		if ((where[id] != PFX_DIFF_IN_OLD && !side) || weights[id] < SAMPLES_MIN ||
		    diff->merged[id] != id || diff->old_of[id] != PFX_NO_ID ||
		    id >= diff->examples[side].nr || !diff->examples[side].at[id].run)
			continue;
		pfx_vec_push(&searching->sides[side],
			     ((struct function){.id = id, .weight = weights[id]}));
	}
	for (side = 0; side < 2; side++) {
		if (!searching->sides[side].nr)
			continue;
		qsort(searching->sides[side].at, searching->sides[side].nr, sizeof(struct function),
		      by_weight);
		if (searching->sides[side].nr > FUNCTIONS_MAX)
			searching->sides[side].nr = FUNCTIONS_MAX;
	}
	for (side = 0; side < 2 && searching->sides[!side].nr; side++)
		for (i = 0; i < searching->sides[side].nr; i++)
			describe(searching, side, &searching->sides[side].at[i]);
}

static void find_pairs(struct searching *searching)
{
	struct pfx_str a = {0}, b = {0};
	const struct function *old, *new;
	double score;
	size_t i, k;

	for (i = 0; i < searching->sides[0].nr; i++)
		for (k = 0; k < searching->sides[1].nr; k++) {
			old = &searching->sides[0].at[i];
			new = &searching->sides[1].at[k];
			score = old->is_named && new->is_named &&may_pair(searching->diff, old->id,
									  new->id, &a, &b)
					? score_of(old, new)
					: 0;
			if (score > 0)
				pfx_vec_push(&searching->pairs,
					     ((struct pair){old->id, new->id, score}));
		}
	if (searching->pairs.nr)
		qsort(searching->pairs.at, searching->pairs.nr, sizeof(struct pair), by_score);
	pfx_str_fini(&a);
	pfx_str_fini(&b);
}

static void take_pair(struct pfx_diff *diff, const struct pair *pair)
{
	struct pfx_diff_renames *renames = &diff->renames;
	const char *old = pfx_intern_get(
		&diff->texts, pfx_diff_identity_at(diff, pair->old)->texts[PFX_DIFF_SYM]);
	const char *new = pfx_intern_get(
		&diff->texts, pfx_diff_identity_at(diff, pair->new)->texts[PFX_DIFF_SYM]);
	char **name;
	uint32_t id;

	if (diff->merged[pair->old] != pair->old || diff->old_of[pair->new] != PFX_NO_ID)
		return;
	for (id = 0; id < diff->identities.nr; id++)
		if (diff->merged[id] == pair->old)
			diff->merged[id] = pair->new;
	diff->old_of[pair->new] = pair->old;
	diff->is_renamed[pair->new] = true;
	name = pfx_vec_slot(&renames->new_names, pfx_intern_str(&renames->old, old));
	if (!*name)
		*name = pfx_strdup(new);
}

void pfx_diff_match_renames(struct pfx_diff *diff, const uint8_t *where, const uint64_t *weights)
{
	struct searching searching = {.diff = diff};
	uint32_t side;
	size_t i;

	choose(&searching, where, weights);
	find_pairs(&searching);
	for (i = 0; i < searching.pairs.nr; i++)
		take_pair(diff, &searching.pairs.at[i]);
	for (side = 0; side < 2; side++) {
		for (i = 0; i < searching.sides[side].nr; i++) {
			pfx_code_body_fini(&searching.sides[side].at[i].body);
			pfx_vec_free(&searching.sides[side].at[i].callers);
		}
		pfx_vec_free(&searching.sides[side]);
	}
	pfx_vec_free(&searching.pairs);
}

/* --- names --- */

const char *pfx_diff_renamed(const struct pfx_diff_renames *renames, const char *name)
{
	uint32_t id;

	return pfx_intern_find(&renames->old, name, strlen(name), &id) ? renames->new_names.at[id]
								       : name;
}

void pfx_diff_renames_fini(struct pfx_diff_renames *renames)
{
	size_t i;

	for (i = 0; i < renames->new_names.nr; i++)
		free(renames->new_names.at[i]);
	pfx_vec_free(&renames->new_names);
	pfx_intern_fini(&renames->old);
}
