/* SPDX-License-Identifier: MIT */
/* Chooses events of a catalog by the words of a user. */
#include "pmu/catalog_choice.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/sysfs/tracefs.h"

#define NEAR_MAX 20 /* names that a search shows at most */

static const struct pfx_catalog_kind_word kind_words[] = {
	{"hw", PFX_CATALOG_HARDWARE, false},
	{"hardware", PFX_CATALOG_HARDWARE, false},
	{"sw", PFX_CATALOG_SOFTWARE | PFX_CATALOG_TOOL, false},
	{"software", PFX_CATALOG_SOFTWARE | PFX_CATALOG_TOOL, false},
	{"cache", PFX_CATALOG_CACHE, false},
	{"hwcache", PFX_CATALOG_CACHE, false},
	{"tracepoint", PFX_CATALOG_TRACEPOINT, false},
	{"pmu", PFX_CATALOG_PMU | PFX_CATALOG_VENDOR, false},
	{"metric", PFX_CATALOG_METRIC, false},
	{"metrics", PFX_CATALOG_METRIC, false},
	{"metricgroup", PFX_CATALOG_METRIC, true},
	{"metricgroups", PFX_CATALOG_METRIC, true},
	{"sdt", PFX_CATALOG_PROBE, false},
	{"sensor", PFX_CATALOG_SENSOR, false},
	{"hwmon", PFX_CATALOG_SENSOR, false},
	{"drm", PFX_CATALOG_SENSOR, false},
};

const struct pfx_catalog_kind_word *pfx_catalog_kind_word(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(kind_words) / sizeof(kind_words[0]); i++)
		if (!strcmp(word, kind_words[i].word))
			return &kind_words[i];
	return NULL;
}

unsigned pfx_catalog_kinds_of(char *const *words)
{
	unsigned kinds = 0;

	for (; *words; words++) {
		const struct pfx_catalog_kind_word *kind = pfx_catalog_kind_word(*words);

		kinds |= kind ? kind->kinds : PFX_CATALOG_ALL;
	}
	return kinds ? kinds : PFX_CATALOG_ALL;
}

static bool is_unit(const struct pfx_catalog_choice *choice, const struct pfx_catalog_event *event)
{
	const char *pmu = event->pmu ? event->pmu : "", *unit = choice->unit;

	if (unit && strcmp(pmu, unit) != 0 &&
	    (strncmp(pmu, "uncore_", 7) != 0 || strcmp(pmu + 7, unit) != 0))
		return false;
	return !choice->cputype || (!strncmp(pmu, "cpu_", 4) && !strcmp(pmu + 4, choice->cputype));
}

static bool is_available(const struct pfx_catalog_choice *choice,
			 const struct pfx_catalog_event *event)
{
	const unsigned asked = PFX_CATALOG_HARDWARE | PFX_CATALOG_CACHE;

	return !(event->kind & asked) || !choice->is_available ||
	       choice->is_available(event->type, event->config);
}

/* Availability last: it may ask the kernel. */
static bool can_choose(const struct pfx_catalog_choice *choice,
		       const struct pfx_catalog_event *event)
{
	return (choice->deprecated || !event->is_deprecated) && is_unit(choice, event) &&
	       is_available(choice, event);
}

void pfx_catalog_choose_kinds(struct pfx_catalog_choice *choice, unsigned kinds)
{
	size_t i;

	for (i = 0; i < choice->catalog->events.nr; i++) {
		const struct pfx_catalog_event *event = &choice->catalog->events.at[i];

		if (event->kind & kinds && can_choose(choice, event))
			pfx_vec_push(&choice->events, event);
	}
}

static bool matches(const struct pfx_catalog_event *event, const char *word)
{
	bool is_glob = strpbrk(word, "*?[") != NULL;
	bool is_whole = is_glob && strchr(word, ':');
	char *pattern = is_whole ? pfx_strdup(word) : pfx_strfmt("*%s*", word);
	bool match = !fnmatch(pattern, event->name, FNM_CASEFOLD) ||
		     (event->alias && !fnmatch(pattern, event->alias, FNM_CASEFOLD)) ||
		     (event->groups && !fnmatch(pattern, event->groups, FNM_CASEFOLD));

	free(pattern);
	/* "rNNN" is not an event that a glob could mean. */
	return match && !(is_glob && event->kind == PFX_CATALOG_FORM);
}

size_t pfx_catalog_choose_word(struct pfx_catalog_choice *choice, const char *word)
{
	size_t before = choice->events.nr, i;

	for (i = 0; i < choice->catalog->events.nr; i++) {
		const struct pfx_catalog_event *event = &choice->catalog->events.at[i];

		if (matches(event, word) && can_choose(choice, event))
			pfx_vec_push(&choice->events, event);
	}
	return choice->events.nr - before;
}

/* Whether a word of the name or of the description begins with @word. */
static bool tells(const struct pfx_catalog_event *event, const char *word)
{
	const char *const texts[] = {event->name, event->alias, event->text, event->details};
	const char *at;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (at = texts[i]; at && (at = strcasestr(at, word)); at++)
			if (at == texts[i] || !isalnum((unsigned char)at[-1]))
				return true;
	return false;
}

static bool tells_all(const struct pfx_catalog_event *event, const char *words)
{
	char *copy = pfx_strdup(words), *word, *rest;
	bool all = true;

	for (word = strtok_r(copy, " ", &rest); word && all; word = strtok_r(NULL, " ", &rest))
		all = tells(event, word);
	free(copy);
	return all;
}

size_t pfx_catalog_choose_text(struct pfx_catalog_choice *choice, const char *words)
{
	size_t before = choice->events.nr, i;

	for (i = 0; words[strspn(words, " ")] && i < choice->catalog->events.nr; i++) {
		const struct pfx_catalog_event *event = &choice->catalog->events.at[i];

		if (event->kind != PFX_CATALOG_FORM && tells_all(event, words) &&
		    can_choose(choice, event))
			pfx_vec_push(&choice->events, event);
	}
	return choice->events.nr - before;
}

struct near {
	const struct pfx_catalog_event *event;
	unsigned likeness;
};

static int compare_near(const void *a, const void *b)
{
	const struct near *x = a, *y = b;

	if (x->likeness != y->likeness)
		return x->likeness > y->likeness ? -1 : 1;
	return strcmp(x->event->name, y->event->name);
}

/* The catalog's order. */
static int compare_places(const void *a, const void *b)
{
	const struct pfx_catalog_event *const *x = a, *const *y = b;

	return (*x > *y) - (*x < *y);
}

size_t pfx_catalog_choose_near(struct pfx_catalog_choice *choice, const char *word)
{
	PFX_VEC(struct near) found = {0};
	size_t i, nr;

	for (i = 0; i < choice->catalog->events.nr; i++) {
		const struct pfx_catalog_event *event = &choice->catalog->events.at[i];
		struct near near = {event, pfx_catalog_likeness(event->name, word)};

		if (near.likeness && can_choose(choice, event))
			pfx_vec_push(&found, near);
	}
	if (found.nr)
		qsort(found.at, found.nr, sizeof(*found.at), compare_near);
	nr = found.nr < NEAR_MAX ? found.nr : NEAR_MAX;
	for (i = 0; i < nr; i++)
		pfx_vec_push(&choice->events, found.at[i].event);
	pfx_vec_free(&found);
	if (choice->events.nr)
		qsort(choice->events.at, choice->events.nr, sizeof(*choice->events.at),
		      compare_places);
	return nr;
}

void pfx_catalog_choice_fini(struct pfx_catalog_choice *choice)
{
	pfx_vec_free(&choice->events);
}

bool pfx_catalog_lacks_tracepoints(const struct pfx_catalog *catalog,
				   const struct pfx_pmu_roots *roots, struct pfx_error *err)
{
	size_t i;

	for (i = 0; i < catalog->events.nr; i++)
		if (catalog->events.at[i].kind == PFX_CATALOG_TRACEPOINT)
			return false;
	return !pfx_tracefs(roots, err) && (err->code == EACCES || err->code == EPERM);
}
