/* SPDX-License-Identifier: MIT */
/*
 * The list of events that the parser makes: append a new event, and free events.
 */
#include <stdlib.h>

#include "pmu/parse/parse_internal.h"

void pfx_probe_fini(struct pfx_probe *probe)
{
	free(probe->path);
	free(probe->function);
	free(probe->tracepoint);
	*probe = (struct pfx_probe){0};
}

void pfx_event_spec_fini(struct pfx_event_spec *spec)
{
	free(spec->name);
	free(spec->bare_name);
	free(spec->metric_id);
	free(spec->group_name);
	free(spec->pmu);
	free(spec->cpus);
	free(spec->unit);
	pfx_probe_fini(&spec->probe);
	pfx_reading_fini(&spec->reading);
}

void pfx_event_list_fini(struct pfx_event_list *list)
{
	size_t i;

	for (i = 0; i < list->specs.nr; i++)
		pfx_event_spec_fini(&list->specs.at[i]);
	pfx_vec_free(&list->specs);
	list->nr_groups = 0;
}

struct pfx_event_spec *pfx_event_add(struct pfx_parser *p, uint32_t type, uint64_t config)
{
	struct pfx_event_spec *spec = pfx_vec_add(&p->list->specs);

	*spec = (struct pfx_event_spec){.exclude_guest_default = true, .scale = 1};
	spec->attr.type = type;
	spec->attr.config = config;
	spec->attr.flags = PFX_ATTR_EXCLUDE_GUEST;
	return spec;
}

struct pfx_event_spec *pfx_event_add_for_pmu(struct pfx_parser *p, const struct pfx_pmu *pmu)
{
	struct pfx_event_spec *spec = pfx_event_add(p, pmu->type, 0);

	spec->pmu = pfx_strdup(pmu->name);
	spec->cpus = pmu->cpus ? pfx_strdup(pmu->cpus) : NULL;
	return spec;
}

void pfx_event_drop_last(struct pfx_parser *p)
{
	pfx_event_spec_fini(&p->list->specs.at[--p->list->specs.nr]);
}
