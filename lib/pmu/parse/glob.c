/* SPDX-License-Identifier: MIT */
/*
 * Names of events with '*', '?' and '[]': one event for each name that matches, of the kernel's own
 * names and of those that PMUs define. Events that require a value from the user are omitted.
 * Tracepoints are handled elsewhere.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/parse/parse_internal.h"

bool pfx_glob_is(const char *word)
{
	return strpbrk(word, "*?[") != NULL;
}

static bool matches(const char *pattern, const char *name)
{
	return !fnmatch(pattern, name, FNM_CASEFOLD);
}

static struct pfx_token token_of(const char *name, const struct pfx_token *where)
{
	return (struct pfx_token){PFX_TOKEN_WORD, name, strlen(name), where->col, where->end};
}

/* Set the names of the events from @first on that have no term for it; each core type has its own
 * name. Modifiers are added later. */
static void set_names(struct pfx_parser *p, size_t first, const char *name, bool with_pmu)
{
	struct pfx_event_spec *spec;
	size_t i;

	for (i = first; i < p->list->specs.nr; i++) {
		spec = &p->list->specs.at[i];
		if (spec->name)
			continue;
		p->is_glob = true;
		if (spec->pmu && (with_pmu || p->pmus.nr_core > 1))
			spec->name = pfx_strfmt("%s/%s/", spec->pmu, name);
		else
			spec->name = pfx_strdup(name);
	}
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of the PMU's events that match, each once. */
static void matching_names(struct pfx_parser *p, struct pfx_pmu *pmu, const char *pattern,
			   struct pfx_name_list *ret)
{
	size_t i, kept = 0;

	pfx_pmu_event_names(ret, &p->pmus, pmu);
	if (ret->names.nr)
		qsort(ret->names.at, ret->names.nr, sizeof(*ret->names.at), compare);
	for (i = 0; i < ret->names.nr; i++)
		if (matches(pattern, ret->names.at[i]) &&
		    (!kept || strcmp(ret->names.at[kept - 1], ret->names.at[i])))
			ret->names.at[kept++] = ret->names.at[i];
	ret->names.nr = kept;
}

/* Add one event of the PMU if possible. */
static void try_event(struct pfx_parser *p, struct pfx_pmu *pmu, const char *name,
		      const struct pfx_glob *glob)
{
	struct pfx_token alias = token_of(name, &glob->where);
	size_t first = p->list->specs.nr;

	if (pfx_terms_apply_pmu(p, glob->terms, &alias, pmu, pfx_event_add_for_pmu(p, pmu)))
		pfx_event_drop_last(p);
	else
		set_names(p, first, name, glob->with_pmu);
}

void pfx_glob_add_pmu(struct pfx_parser *p, struct pfx_pmu *pmu, const struct pfx_glob *glob)
{
	struct pfx_name_list names = {0};
	struct pfx_event_symbol symbol;
	size_t i;

	matching_names(p, pmu, glob->pattern, &names);
	for (i = 0; i < names.names.nr; i++) {
		/* already added as a generic event */
		if (!glob->with_pmu && pmu->is_core &&
		    pfx_symbol_find(names.names.at[i], &symbol) == PFX_SYMBOL_FOUND)
			continue;
		try_event(p, pmu, names.names.at[i], glob);
	}
	pfx_vec_free(&names.names);
}

static void add_symbols(struct pfx_parser *p, const char *pattern)
{
	struct pfx_name_list names = {0};
	struct pfx_event_symbol symbol, last = {0};
	size_t i, first;

	pfx_symbol_names(&names, &p->pmus.arena);
	for (i = 0; i < names.names.nr; i++) {
		if (!matches(pattern, names.names.at[i]) ||
		    pfx_symbol_find(names.names.at[i], &symbol) != PFX_SYMBOL_FOUND)
			continue;
		/* The second name of the same event follows the first. */
		if (p->is_glob && symbol.type == last.type && symbol.config == last.config)
			continue;
		last = symbol;
		first = p->list->specs.nr;
		pfx_event_add_symbol(p, &symbol);
		set_names(p, first, names.names.at[i], true);
	}
	pfx_vec_free(&names.names);
}

int pfx_glob_add(struct pfx_parser *p, const char *pattern)
{
	struct pfx_pmu_set *set = pfx_pmu_set_get(&p->pmus, p->sysfs);
	struct pfx_terms none = {0};
	struct pfx_glob glob = {pattern, p->word, &none, false};
	char shown[PFX_SHOWN_SIZE];
	size_t first = p->list->specs.nr, i;

	add_symbols(p, pattern);
	for (i = 0; i < set->pmus.nr; i++)
		pfx_glob_add_pmu(p, &set->pmus.at[i], &glob);
	if (p->list->specs.nr > first)
		return 0;
	return pfx_parse_fail(p, &p->word, "no event matches '%s'",
			      pfx_parse_show(shown, &p->word));
}
