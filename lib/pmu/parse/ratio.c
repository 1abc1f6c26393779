/* SPDX-License-Identifier: MIT */
/*
 * The term "ratio-to-prev=": the ratio of the periods of two consecutive events in a group. If the
 * PMU supports auto counter reload (its format has acr_mask), the first event is sampled only when
 * it occurs more often than the ratio: an overflow of the second event reloads both counters, an
 * overflow of the first reloads the second.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/parse/parse_internal.h"

int pfx_term_ratio(struct pfx_parser *p, const struct pfx_term *term, struct pfx_event_spec *spec)
{
	char shown[PFX_SHOWN_SIZE], text[64] = "", *end;

	if (term->value.kind == PFX_TOKEN_END)
		return pfx_parse_fail(p, &term->where, "term 'ratio-to-prev' needs a value");
	if (term->value.len < sizeof(text))
		memcpy(text, term->value.at, term->value.len);
	spec->ratio_to_prev = strtod(text, &end);
	p->ratio = term->where;
	if (*text && !*end && isfinite(spec->ratio_to_prev) && spec->ratio_to_prev > 0)
		return 0;
	pfx_parse_fail(p, &term->value, "'%s' is not a ratio", pfx_parse_show(shown, &term->value));
	pfx_parse_advise(p, "a number above zero, like 0.5");
	return -EINVAL;
}

/* The PMU of the event; NULL: not a hardware event. */
static struct pfx_pmu *pmu_of(struct pfx_parser *p, const struct pfx_event_spec *spec)
{
	struct pfx_pmu_set *set = pfx_pmu_set_get(&p->pmus, p->sysfs);
	bool of_core = spec->attr.type == PFX_TYPE_HARDWARE ||
		       spec->attr.type == PFX_TYPE_HW_CACHE || spec->attr.type == PFX_TYPE_RAW;
	size_t i;

	for (i = 0; i < set->pmus.nr; i++)
		if (spec->pmu ? !strcmp(set->pmus.at[i].name, spec->pmu)
			      : of_core && set->pmus.at[i].is_core)
			return &set->pmus.at[i];
	return NULL;
}

static int set_masks(struct pfx_parser *p, struct pfx_pmu *pmu, size_t at, unsigned place)
{
	struct pfx_event_spec *spec = &p->list->specs.at[at], *prev = spec - 1;
	const struct pfx_pmu_format *format =
		pmu ? pfx_pmu_find_format(&p->pmus, pmu, "acr_mask") : NULL;
	uint64_t *own, *before;

	if (!format || place > 63)
		return 0;
	own = pfx_config_word(&spec->attr, format->word);
	before = pfx_config_word(&prev->attr, format->word);
	if ((*own | *before) & format->mask)
		return pfx_parse_fail(p, &p->ratio,
				      "'ratio-to-prev' and 'acr_mask' exclude each other");
	*own |= pfx_pmu_scatter(3ull << (place - 1), format->mask);
	*before |= pfx_pmu_scatter(1ull << place, format->mask);
	return 0;
}

static int set_period(struct pfx_parser *p, struct pfx_event_spec *spec)
{
	struct pfx_event_spec *prev = spec - 1;

	if ((prev->has_period || prev->has_freq) && !prev->is_rate_proposed)
		return pfx_parse_fail(p, &p->ratio,
				      "the event before has a period of its own already");
	if (spec->has_freq)
		return pfx_parse_fail(p, &p->ratio, "'ratio-to-prev' needs a period, not 'freq'");
	if (!spec->has_period)
		return 0;
	prev->attr.sample_period = pfx_ratio_period(spec->attr.sample_period, spec->ratio_to_prev);
	prev->has_period = true;
	prev->is_rate_proposed = false;
	return 0;
}

uint64_t pfx_ratio_period(uint64_t period, double ratio)
{
	double prev = (double)period / ratio;

	return prev < 1 ? 1 : prev > (double)INT64_MAX ? INT64_MAX : (uint64_t)(prev + 0.5);
}

int pfx_ratio_finish(struct pfx_parser *p, size_t first)
{
	struct pfx_event_spec *specs = p->list->specs.at;
	unsigned place = 0;
	struct pfx_pmu *pmu;
	size_t i;
	int ret = 0;

	for (i = first; i < p->list->specs.nr && !ret; i++) {
		bool follows = i > first && specs[i].group && specs[i].group == specs[i - 1].group;

		place = follows ? place + 1 : 0;
		if (specs[i].ratio_to_prev <= 0)
			continue;
		if (!follows)
			return pfx_parse_fail(p, &p->ratio,
					      "'ratio-to-prev' needs an event before it in the "
					      "same group");
		pmu = pmu_of(p, &specs[i]);
		if (pmu != pmu_of(p, &specs[i - 1]) ||
		    (!pmu && specs[i].attr.type != specs[i - 1].attr.type))
			return pfx_parse_fail(p, &p->ratio,
					      "'ratio-to-prev' is about two events of one PMU");
		ret = set_masks(p, pmu, i, place);
		if (!ret)
			ret = set_period(p, &specs[i]);
	}
	return ret;
}
