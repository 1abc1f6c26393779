/* SPDX-License-Identifier: MIT */
/*
 * What is found out about an event before its first line: which fields it shows, whether it has
 * what they need, and its title. Prints nothing.
 */
#include <string.h>

#include "cmd/script/script_internal.h"

bool pfx_script_addr_is_data(const struct pfx_attr *attr)
{
	return attr->type == PFX_TYPE_SOFTWARE &&
	       (attr->config == PFX_SW_PAGE_FAULTS || attr->config == PFX_SW_MINOR_FAULTS ||
		attr->config == PFX_SW_MAJOR_FAULTS);
}

static void widen_titles(struct pfx_script *s)
{
	const struct pfx_meta *meta = pfx_reader_meta(s->reader);
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++)
		if (strlen(meta->events[i]->name) > s->title_width)
			s->title_width = (unsigned)strlen(meta->events[i]->name);
}

static char *make_title(const struct pfx_script *s, const char *name)
{
	struct pfx_str text = {0};
	size_t len = strlen(name);

	pfx_str_pad(&text, ' ', s->title_width > len ? s->title_width - len : 0);
	pfx_str_add_escaped(&text, name, len);
	pfx_str_add(&text, ": ");
	return text.at;
}

/* Tracepoints show a place only together with call chains, unless -F said something else. Events of
 * a stream may come later: each is looked at once. */
static bool any_tracepoint_has_chain(struct pfx_script *s)
{
	const struct pfx_meta *meta = pfx_reader_meta(s->reader);
	const struct pfx_attr *attr;

	while (!s->trace_has_chain && s->nr_looked_at < meta->nr_events) {
		attr = &meta->events[s->nr_looked_at++]->attr;
		s->trace_has_chain = attr->type == PFX_TYPE_TRACEPOINT &&
				     (attr->sample_type & PFX_SAMPLE_CALLCHAIN);
	}
	return s->trace_has_chain;
}

/* What the fields need beside what the event recorded. */
static int check_event(struct pfx_script *s, const struct pfx_event *event, uint64_t fields,
		       struct pfx_error *err)
{
	int rc = 0;

	if (fields & PFX_SCRIPT_TOD)
		rc = pfx_script_check_tod(s, event, err);
	if (!rc && (fields & PFX_SCRIPT_CODE))
		rc = pfx_script_check_disasm(s, err);
	return rc;
}

int pfx_script_event_of(struct pfx_script *s, const struct pfx_event *event,
			struct pfx_script_event **ret, struct pfx_error *err)
{
	struct pfx_script_event *entry;
	struct pfx_script_fields fields;
	int rc;

	while (s->events.nr <= event->idx)
		pfx_vec_push(&s->events, ((struct pfx_script_event){0}));
	entry = *ret = &s->events.at[event->idx];
	if (entry->is_ready)
		return 0;
	fields = s->fields;
	if (!fields.is_set[PFX_SCRIPT_TYPE_TRACE] && !s->hide_chains && any_tracepoint_has_chain(s))
		fields.by_type[PFX_SCRIPT_TYPE_TRACE] |=
			PFX_SCRIPT_IP | PFX_SCRIPT_SYM | PFX_SCRIPT_SYMOFF | PFX_SCRIPT_DSO;
	rc = pfx_script_fields_for(&fields, event, &entry->fields, &entry->lacking, err);
	if (rc < 0)
		return rc;
	if (!s->title_width)
		widen_titles(s);
	entry->event = event;
	entry->has_chain = !s->hide_chains && (event->attr.sample_type & PFX_SAMPLE_CALLCHAIN);
	entry->is_trace = event->attr.type == PFX_TYPE_TRACEPOINT;
	entry->addr_is_data = pfx_script_addr_is_data(&event->attr);
	entry->is_branch = event->attr.type == PFX_TYPE_HARDWARE &&
			   event->attr.config == PFX_HW_BRANCH_INSTRUCTIONS &&
			   event->attr.sample_period == 1;
	entry->adds_target = (event->attr.sample_type & PFX_SAMPLE_ADDR) &&
			     !fields.is_set[pfx_script_type_of(&event->attr)];
	rc = check_event(s, event, entry->fields, err);
	if (rc < 0)
		return rc;
	entry->title = make_title(s, event->name);
	entry->is_ready = true;
	return 0;
}
