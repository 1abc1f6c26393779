/* SPDX-License-Identifier: MIT */
/*
 * Names that exist on every machine: hardware, software and cache events, and raw codes. The tables
 * are in event/names.h.
 */
#include <string.h>
#include <strings.h>

#include "event/names.h"
#include "pmu/parse/parse_internal.h"

#define CACHE_WORDS_MAX 2 /* an operation and a result, in either order */

static bool find_plain(const char *word, struct pfx_event_symbol *ret)
{
	const struct pfx_event_name *names;
	size_t nr, i;

	names = pfx_event_names(&nr);
	for (i = 0; i < nr; i++) {
		if (strcasecmp(word, names[i].name) &&
		    (!names[i].alias || strcasecmp(word, names[i].alias)))
			continue;
		*ret = (struct pfx_event_symbol){names[i].type, names[i].config};
		return true;
	}
	return false;
}

static bool find_raw(const char *word, struct pfx_event_symbol *ret)
{
	*ret = (struct pfx_event_symbol){.type = PFX_TYPE_RAW};
	return word[0] == 'r' && pfx_token_hex(word + 1, strlen(word + 1), &ret->config);
}

/* The length of the longest of @names that starts @text and ends at a hyphen or the end; 0 none. */
static size_t longest(const char *text, const char *const *names)
{
	size_t best = 0, len;

	for (; *names; names++) {
		len = strlen(*names);
		if (len > best && !strncasecmp(text, *names, len) &&
		    (!text[len] || text[len] == '-'))
			best = len;
	}
	return best;
}

typedef const char *const *(*names_fn)(unsigned);

/* The table with the longest name at the start of @text; returns its length or 0. */
static size_t match_table(const char *text, names_fn names, unsigned nr, unsigned *ret)
{
	size_t best = 0, len;
	unsigned i;

	for (i = 0; i < nr; i++) {
		len = longest(text, names(i));
		if (len > best) {
			best = len;
			*ret = i;
		}
	}
	return best;
}

/* The words after the cache: an operation and a result, each at most once. */
static bool match_cache_words(const char *at, unsigned *op, unsigned *result)
{
	bool has_op = false, has_result = false;
	unsigned i, kind = 0;
	size_t len;

	for (i = 0; *at && i < CACHE_WORDS_MAX; i++, at += len) {
		at++;
		len = match_table(at, pfx_cache_op_names, PFX_CACHE_OPS, &kind);
		if (len && !has_op) {
			has_op = true;
			*op = kind;
			continue;
		}
		len = match_table(at, pfx_cache_result_names, PFX_CACHE_RESULTS, &kind);
		if (!len || has_result)
			return false;
		has_result = true;
		*result = kind;
	}
	return !*at;
}

static enum pfx_symbol_result find_cache(const char *word, struct pfx_event_symbol *ret)
{
	unsigned type = 0, op = 0, result = 0;
	size_t len = match_table(word, pfx_cache_type_names, PFX_CACHE_TYPES, &type);

	if (!len || !match_cache_words(word + len, &op, &result))
		return PFX_SYMBOL_NONE;
	*ret = (struct pfx_event_symbol){PFX_TYPE_HW_CACHE, type | op << 8 | result << 16};
	return pfx_cache_op_is_valid(type, op) ? PFX_SYMBOL_FOUND : PFX_SYMBOL_BAD_OP;
}

enum pfx_symbol_result pfx_symbol_find(const char *word, struct pfx_event_symbol *ret)
{
	if (find_plain(word, ret) || find_raw(word, ret))
		return PFX_SYMBOL_FOUND;
	return find_cache(word, ret);
}

static void add_cache_names(struct pfx_name_list *to, struct pfx_arena *arena)
{
	unsigned type, op, result;
	char name[64];

	for (type = 0; type < PFX_CACHE_TYPES; type++)
		for (op = 0; op < PFX_CACHE_OPS; op++)
			for (result = 0; result < PFX_CACHE_RESULTS; result++)
				if (pfx_cache_op_is_valid(type, op) &&
				    pfx_cache_name(type | op << 8 | result << 16, name,
						   sizeof(name)))
					pfx_vec_push(&to->names, pfx_arena_strdup(arena, name));
}

void pfx_symbol_names(struct pfx_name_list *to, struct pfx_arena *arena)
{
	const struct pfx_event_name *names;
	size_t nr, i;

	names = pfx_event_names(&nr);
	for (i = 0; i < nr; i++) {
		pfx_vec_push(&to->names, names[i].name);
		if (names[i].alias)
			pfx_vec_push(&to->names, names[i].alias);
	}
	add_cache_names(to, arena);
}
