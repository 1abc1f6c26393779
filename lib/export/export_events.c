/* SPDX-License-Identifier: MIT */
/* Which events have samples, their units, intervals and times. */
#include <string.h>

#include "base/alloc.h"
#include "base/ns.h"
#include "export/export.h"
#include "export/samples/export_frames.h"

bool pfx_export_has_several(const struct pfx_selection *selection)
{
	uint32_t i, nr = 0;

	for (i = 0; i < selection->nr_events; i++)
		nr += selection->total_samples[i] != 0;
	return nr > 1;
}

uint32_t pfx_export_columns(const struct pfx_selection *selection, uint32_t **ret)
{
	uint32_t i, nr = 0, *columns = pfx_malloc((selection->nr_events + 1ul) * sizeof(*columns));

	for (i = 0; i < selection->nr_events; i++)
		if (selection->total_samples[i])
			columns[nr++] = i;
	for (i = 0; !nr && i < selection->nr_events; i++)
		columns[i] = i;
	*ret = columns;
	return nr ? nr : selection->nr_events;
}

bool pfx_export_is_offcpu(const struct pfx_event *event)
{
	return !strcmp(event->name, PFX_OFFCPU_NAME);
}

bool pfx_export_event_counts_ns(const struct pfx_event *event)
{
	return pfx_export_is_offcpu(event) || pfx_attr_is_clock(&event->attr);
}

bool pfx_export_counts_ns(const struct pfx_export_input *in, uint32_t column)
{
	return pfx_export_event_counts_ns(in->meta->events[in->selection->events[column]]);
}

uint64_t pfx_export_interval(const struct pfx_export_input *in, uint32_t column)
{
	const struct pfx_attr *attr = &in->meta->events[in->selection->events[column]]->attr;

	if (attr->flags & PFX_ATTR_FREQ)
		return attr->sample_period ? PFX_NS_PER_SECOND / attr->sample_period : 0;
	return pfx_export_counts_ns(in, column) ? attr->sample_period : 0;
}

bool pfx_export_wall_time(const struct pfx_meta *meta, uint64_t time, uint64_t *ret)
{
	const struct pfx_env *env = &meta->env;

	if (!pfx_env_has(env, PFX_FEAT_CLOCK_DATA) || !time)
		return false;
	*ret = time - env->clockid_ns + env->wall_clock_ns;
	return true;
}

void pfx_export_title(const struct pfx_export_input *in, struct pfx_str *to)
{
	if (in->title)
		pfx_str_add(to, in->title);
	else
		pfx_export_add_title(in->meta, to);
}
