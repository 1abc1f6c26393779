/* SPDX-License-Identifier: MIT */
/* One line per event or group; the requested details follow the name. */
#include "out/evlist_text.h"

#include <string.h>

#include "event/names.h"
#include "trace/format.h"

/* All of it borrowed. */
struct evlist {
	const struct pfx_evlist_style *style;
	const struct pfx_meta *meta;
	struct pfx_trace *trace;
	struct pfx_str *to;
};

static void add_name(struct evlist *list, const char *name)
{
	pfx_str_add_foreign(list->to, name);
}

static void add_freq(struct evlist *list, const struct pfx_attr *attr)
{
	const char *key = attr->flags & PFX_ATTR_FREQ ? "freq" : "period";

	pfx_str_addf(list->to, "sample_%s=%llu", key, (unsigned long long)attr->sample_period);
}

static void add_trace_fields(struct evlist *list, const struct pfx_attr *attr)
{
	if (attr->type != PFX_TYPE_TRACEPOINT) {
		pfx_str_add(list->to, "(not a tracepoint)");
		return;
	}
	pfx_str_add(list->to, "trace_fields: ");
	if (!list->trace || !pfx_trace_fields(list->trace, attr->config, list->to))
		pfx_str_add(list->to, "(not recorded)");
}

static void add_event(struct evlist *list, const struct pfx_event *event)
{
	const struct pfx_evlist_style *o = list->style;
	bool has_first = o->verbose || o->freq;

	add_name(list, event->name);
	if (has_first)
		pfx_str_add(list->to, ": ");
	if (o->verbose)
		pfx_attr_text(&event->attr, list->to);
	else if (o->freq)
		add_freq(list, &event->attr);
	if (o->trace_fields) {
		pfx_str_add(list->to, has_first ? ", " : ": ");
		add_trace_fields(list, &event->attr);
	}
	pfx_str_addc(list->to, '\n');
}

/* The name that the user gave to a group, or NULL. */
static const char *group_name(const struct pfx_env *env, uint32_t leader)
{
	uint32_t i;

	for (i = 0; i < env->nr_groups; i++)
		if (env->groups[i].leader_idx == leader)
			return strcmp(env->groups[i].name, "{anon_group}") ? env->groups[i].name
									   : NULL;
	return NULL;
}

/* "name{leader,member}" instead of the leader; members have no line of their own. */
static void add_group(struct evlist *list, const struct pfx_event *event)
{
	const char *name = group_name(&list->meta->env, event->idx);
	uint32_t i;

	if (event->leader != event->idx)
		return;
	if (name)
		add_name(list, name);
	if (event->nr_members > 1)
		pfx_str_addc(list->to, '{');
	add_name(list, event->name);
	for (i = 1; i < event->nr_members; i++) {
		pfx_str_addc(list->to, ',');
		add_name(list, list->meta->events[event->idx + i]->name);
	}
	pfx_str_add(list->to, event->nr_members > 1 ? "}\n" : "\n");
}

static void add_events(struct evlist *list)
{
	const struct pfx_meta *meta = list->meta;
	bool has_tracepoint = false;
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++) {
		if (list->style->group)
			add_group(list, meta->events[i]);
		else
			add_event(list, meta->events[i]);
		has_tracepoint |= meta->events[i]->attr.type == PFX_TYPE_TRACEPOINT;
	}
	if (has_tracepoint && !list->style->trace_fields)
		pfx_str_add(list->to,
			    "# Tip: 'pfx evlist --trace-fields' names the fields of tracepoints\n");
}

void pfx_evlist_text(const struct pfx_meta *meta, const struct pfx_evlist_style *style,
		     struct pfx_str *to)
{
	const struct pfx_env_blob *blob = &meta->env.tracing_data;
	struct evlist list = {.style = style, .meta = meta, .to = to};

	if (style->trace_fields && blob->size)
		pfx_trace_open(&list.trace, blob->at, blob->size, NULL);
	add_events(&list);
	pfx_trace_free(list.trace);
}
