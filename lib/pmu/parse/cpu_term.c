/* SPDX-License-Identifier: MIT */
/*
 * The term "cpu=": the CPUs of one event. Its value is a list of CPUs, "3" or "0-3", or the name of
 * a PMU, which means its CPUs; several terms add up. Whether they are online is checked elsewhere.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "pmu/parse/parse_internal.h"

#define CPUS_SIZE 4096 /* text of a CPU list; the kernel's lists fit in a page */

static const struct pfx_pmu *find_pmu(struct pfx_parser *p, const char *name)
{
	struct pfx_pmu_set *set = pfx_pmu_set_get(&p->pmus, p->sysfs);
	size_t i;

	for (i = 0; i < set->pmus.nr; i++)
		if (!strcmp(set->pmus.at[i].name, name))
			return &set->pmus.at[i];
	return NULL;
}

static bool is_list(const char *word)
{
	struct pfx_list list = {0};
	bool good = pfx_list_parse(word, &list);

	pfx_list_fini(&list);
	return good;
}

int pfx_term_cpu(struct pfx_parser *p, const struct pfx_term *term)
{
	char *word, shown[PFX_SHOWN_SIZE];
	const struct pfx_pmu *pmu;
	const char *cpus;
	int err = 0;

	if (term->value.kind == PFX_TOKEN_END)
		return pfx_parse_fail(p, &term->where, "term 'cpu' needs a value");
	word = pfx_strndup(term->value.at, term->value.len);
	pfx_parse_show(shown, &term->value);
	pmu = find_pmu(p, word);
	cpus = pmu ? pmu->cpus : is_list(word) ? word : NULL;
	if (pmu && !cpus)
		err = pfx_parse_fail(p, &term->value, "PMU '%s' does not say which CPUs it has",
				     shown);
	else if (!cpus)
		err = pfx_parse_fail(p, &term->value, "'%s' is neither a list of CPUs nor a PMU",
				     shown);
	else
		pfx_str_addf(&p->cpus, "%s%s", p->cpus.len ? "," : "", cpus);
	free(word);
	return err;
}

/* The CPUs that are in both lists; NULL: none. */
static char *common(const char *a, const char *b)
{
	struct pfx_list x = {0}, y = {0};
	char *text = NULL;
	size_t i, kept = 0;

	if (pfx_list_parse(a, &x) && pfx_list_parse(b, &y)) {
		for (i = 0; i < x.nr; i++)
			if (pfx_list_has(&y, x.at[i]))
				x.at[kept++] = x.at[i];
		x.nr = kept;
		text = kept ? pfx_calloc(1, CPUS_SIZE) : NULL;
		if (text)
			pfx_list_format(&x, text, CPUS_SIZE);
	}
	pfx_list_fini(&x);
	pfx_list_fini(&y);
	return text;
}

/* Core PMUs only count on their own CPUs; for an uncore PMU, which lists one CPU of a package, any
 * CPU is allowed. */
static char *allowed(struct pfx_parser *p, const struct pfx_event_spec *spec)
{
	const struct pfx_pmu *pmu = spec->pmu ? find_pmu(p, spec->pmu) : NULL;

	if (pmu && pmu->is_core && spec->cpus)
		return common(spec->cpus, pfx_str_get(&p->cpus));
	return common(pfx_str_get(&p->cpus), pfx_str_get(&p->cpus));
}

int pfx_term_cpu_finish(struct pfx_parser *p, size_t first)
{
	size_t i, kept = first;
	struct pfx_event_spec *spec;
	char *cpus;

	if (!p->cpus.len)
		return 0;
	for (i = first; i < p->list->specs.nr; i++) {
		spec = &p->list->specs.at[i];
		cpus = allowed(p, spec);
		if (!cpus) {
			pfx_event_spec_fini(spec);
			continue;
		}
		free(spec->cpus);
		spec->cpus = cpus;
		spec->has_cpu_term = true;
		p->list->specs.at[kept++] = *spec;
	}
	p->list->specs.nr = kept;
	return kept > first ? 0
			    : pfx_parse_fail(p, &p->word,
					     "none of the CPUs that 'cpu' names counts this event");
}
