/* SPDX-License-Identifier: MIT */
/* Sets and patterns. A pattern is matched once with each function, when it is set. */
#include "view/select/view_filter.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pattern/pattern.h"
#include "base/str.h"
#include "base/words.h"

void pfx_view_filter_init(struct pfx_view_filter *filter, const struct pfx_profile *profile)
{
	*filter = (struct pfx_view_filter){.profile = profile};
}

void pfx_view_filter_fini(struct pfx_view_filter *filter)
{
	unsigned i;

	for (i = 0; i < PFX_VIEW_NR_BYS; i++)
		free(filter->sets[i].has);
	for (i = 0; i < PFX_VIEW_NR_PATTERNS; i++) {
		free(filter->patterns[i]);
		free(filter->matches[i]);
	}
	pfx_time_ranges_fini(&filter->times);
	pfx_view_filter_init(filter, filter->profile);
}

/* --- sets --- */

uint32_t pfx_view_nr_ids(const struct pfx_profile *profile, enum pfx_view_by by)
{
	switch (by) {
	case PFX_VIEW_FUNCTION:
		return profile->nr_functions;
	case PFX_VIEW_DSO:
		return profile->nr_dsos;
	case PFX_VIEW_LINE:
		return profile->nr_frames;
	case PFX_VIEW_PROCESS:
		return profile->nr_processes;
	case PFX_VIEW_THREAD:
		return profile->nr_threads;
	case PFX_VIEW_COMM:
		return profile->nr_comms;
	case PFX_VIEW_CPU:
		return profile->nr_cpus;
	case PFX_VIEW_EVENT:
		return profile->nr_events;
	default:
		return 0;
	}
}

/* The set, with room for all ids. */
static struct pfx_view_set *given_set(struct pfx_view_filter *filter, enum pfx_view_by by,
				      uint8_t begin)
{
	struct pfx_view_set *set = &filter->sets[by];

	if (set->given)
		return set;
	set->given = true;
	set->nr = pfx_view_nr_ids(filter->profile, by);
	set->has = pfx_realloc(set->has, set->nr + 1ul);
	memset(set->has, begin, set->nr + 1ul);
	return set;
}

void pfx_view_filter_add(struct pfx_view_filter *filter, enum pfx_view_by by, uint32_t id)
{
	struct pfx_view_set *set = given_set(filter, by, 0);

	if (id < set->nr)
		set->has[id] = 1;
}

void pfx_view_filter_remove(struct pfx_view_filter *filter, enum pfx_view_by by, uint32_t id)
{
	struct pfx_view_set *set = given_set(filter, by, 1);

	if (id < set->nr)
		set->has[id] = 0;
}

void pfx_view_filter_all(struct pfx_view_filter *filter, enum pfx_view_by by)
{
	filter->sets[by].given = false;
}

static bool is_number(const char *name, uint64_t number)
{
	uint64_t given;

	return pfx_parse_u64(name, &given) && given == number;
}

static bool has_name(const struct pfx_profile *profile, enum pfx_view_by by, uint32_t id,
		     const char *name)
{
	switch (by) {
	case PFX_VIEW_FUNCTION:
		return !strcmp(profile->functions[id].name, name);
	case PFX_VIEW_DSO:
		return !strcmp(profile->dsos[id].short_name, name) ||
		       !strcmp(profile->dsos[id].name, name);
	case PFX_VIEW_PROCESS:
		return is_number(name, profile->processes[id].pid) ||
		       !strcmp(profile->processes[id].comm, name);
	case PFX_VIEW_THREAD:
		return is_number(name, profile->threads[id].tid) ||
		       !strcmp(profile->threads[id].comm, name);
	case PFX_VIEW_COMM:
		return !strcmp(profile->comms[id], name);
	case PFX_VIEW_CPU:
		return is_number(name, profile->cpus[id]);
	case PFX_VIEW_EVENT:
		return !strcmp(profile->events[id].name, name);
	default:
		return false;
	}
}

uint32_t pfx_view_filter_add_name(struct pfx_view_filter *filter, enum pfx_view_by by,
				  const char *name)
{
	struct pfx_view_set *set = given_set(filter, by, 0);
	uint32_t id, nr = 0;

	for (id = 0; id < set->nr; id++)
		if (has_name(filter->profile, by, id, name)) {
			set->has[id] = 1;
			nr++;
		}
	return nr;
}

/* --- patterns --- */

/* Whether it has no character with a meaning, so that a plain search finds the same. */
static bool is_plain(const char *pattern)
{
	return !pattern[strcspn(pattern, "^$.[]()*+?{}|\\")];
}

static void match_all(const struct pfx_profile *profile, const char *pattern, const regex_t *regex,
		      uint8_t *matches)
{
	bool plain = is_plain(pattern);
	const char *name;
	uint32_t i;

	for (i = 0; i < profile->nr_functions; i++) {
		name = profile->functions[i].name;
		matches[i] =
			plain ? strstr(name, pattern) != NULL : !regexec(regex, name, 0, NULL, 0);
	}
}

static void drop_pattern(struct pfx_view_filter *filter, enum pfx_view_pattern which)
{
	pfx_free_and_null((void **)&filter->patterns[which]);
	pfx_free_and_null((void **)&filter->matches[which]);
}

int pfx_view_filter_pattern(struct pfx_view_filter *filter, enum pfx_view_pattern which,
			    const char *pattern, struct pfx_error *err)
{
	char shown[128], reason[128];
	regex_t regex;

	if (!pattern || !*pattern) {
		drop_pattern(filter, which);
		return 0;
	}
	if (!pfx_pattern_compile(&regex, pattern, REG_NOSUB, reason, sizeof(reason)))
		return pfx_error_set(err, EINVAL, "'%s' is not a valid regular expression: %s",
				     pfx_escape(shown, sizeof(shown), pattern), reason);
	drop_pattern(filter, which);
	filter->patterns[which] = pfx_strdup(pattern);
	filter->matches[which] = pfx_malloc(filter->profile->nr_functions + 1ul);
	match_all(filter->profile, pattern, &regex, filter->matches[which]);
	regfree(&regex);
	return 0;
}

const char *pfx_view_filter_pattern_text(const struct pfx_view_filter *filter,
					 enum pfx_view_pattern which)
{
	return filter->patterns[which];
}
