/* SPDX-License-Identifier: MIT */
/* Adds the events of a generic name: one, or one for each core type. */
#include <string.h>

#include "pmu/parse/parse_internal.h"

static bool is_of_core(uint32_t type)
{
	return type == PFX_TYPE_HARDWARE || type == PFX_TYPE_HW_CACHE || type == PFX_TYPE_RAW;
}

bool pfx_event_is_on_core(const struct pfx_parser *p, const struct pfx_pmu *pmu)
{
	const char *only = p->roots ? p->roots->core_pmu : NULL;

	return pmu->is_core && (!only || !strcmp(only, pmu->name));
}

void pfx_event_add_symbol(struct pfx_parser *p, const struct pfx_event_symbol *symbol)
{
	struct pfx_pmu_set *set = &p->pmus;
	size_t i;

	if (!is_of_core(symbol->type) || !pfx_pmu_is_hybrid(set, p->sysfs)) {
		pfx_event_add(p, symbol->type, symbol->config);
		return;
	}
	p->is_expanded = true;
	for (i = 0; i < set->pmus.nr; i++)
		if (pfx_event_is_on_core(p, &set->pmus.at[i]))
			pfx_config_symbol(p, symbol, &set->pmus.at[i],
					  pfx_event_add_for_pmu(p, &set->pmus.at[i]));
}
