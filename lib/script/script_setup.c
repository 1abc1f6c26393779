/* SPDX-License-Identifier: MIT */
/*
 * Prepares an event before its first line: its fields, their requirements, and its title. Adds
 * notes for selected fields that were not recorded.
 */
#include <string.h>

#include "script/script_internal.h"

/* Every branch is a sample: the address is its target. */
static bool is_branch(const struct pfx_attr *attr)
{
	return attr->type == PFX_TYPE_HARDWARE && attr->config == PFX_HW_BRANCH_INSTRUCTIONS &&
	       attr->sample_period == 1;
}

bool pfx_script_addr_has_symbol(const struct pfx_attr *attr)
{
	if (attr->type != PFX_TYPE_SOFTWARE)
		return is_branch(attr);
	return attr->config == PFX_SW_PAGE_FAULTS || attr->config == PFX_SW_MINOR_FAULTS ||
	       attr->config == PFX_SW_MAJOR_FAULTS;
}

static void widen_titles(struct pfx_script *s)
{
	const struct pfx_meta *meta = s->view.meta;
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

/* Tracepoints show a location only with call chains, unless changed by -F. Events of a stream may
 * be added later: each is checked once. */
static bool any_tracepoint_has_chain(struct pfx_script *s)
{
	const struct pfx_meta *meta = s->view.meta;
	const struct pfx_attr *attr;

	while (!s->trace_has_chain && s->nr_looked_at < meta->nr_events) {
		attr = &meta->events[s->nr_looked_at++]->attr;
		s->trace_has_chain = attr->type == PFX_TYPE_TRACEPOINT &&
				     (attr->sample_type & PFX_SAMPLE_CALLCHAIN);
	}
	return s->trace_has_chain;
}

/* Requirements of fields besides the event's recorded fields. */
static int check_event(struct pfx_script *s, const struct pfx_event *event, uint64_t fields,
		       struct pfx_error *err)
{
	const struct pfx_script_field *row;
	size_t i;
	int rc = 0;

	for (i = 0; i < pfx_script_nr_rows && !rc; i++) {
		row = &pfx_script_rows[i];
		if ((fields & row->bit) && row->check)
			rc = row->check(s, event, err);
	}
	return rc;
}

/* --- columns --- */

/* Rows may share a function. */
static void add_column(struct pfx_script_event *entry, pfx_script_column *column)
{
	uint8_t *nr = &entry->parts[PFX_SCRIPT_NR_PARTS], i;

	for (i = 0; i < *nr; i++)
		if (entry->columns[i] == column)
			return;
	entry->columns[(*nr)++] = column;
}

/* Samples of a single branch show its origin, its target, and code. */
static bool is_in_branch(const struct pfx_script_field *row)
{
	return row->part != PFX_SCRIPT_PART_WHAT || (row->bit & (PFX_SCRIPT_IP | PFX_SCRIPT_CODE));
}

static void add_text_part(struct pfx_script_event *entry, enum pfx_script_part part)
{
	const struct pfx_script_field *row;
	size_t i;

	for (i = 0; i < pfx_script_nr_rows; i++) {
		row = &pfx_script_rows[i];
		if (row->part != part || !row->text)
			continue;
		if ((entry->fields & row->bit) && (!entry->is_branch || is_in_branch(row)))
			add_column(entry, row->text);
		if (row->bit == PFX_SCRIPT_IP && entry->is_branch &&
		    ((entry->fields & PFX_SCRIPT_ADDR) || entry->adds_target))
			add_column(entry, pfx_script_text_target);
	}
}

static const struct pfx_script_place *find_place(uint64_t bit)
{
	const struct pfx_script_place *place = pfx_script_json_places;

	while (place->bit && place->bit != bit)
		place++;
	return place;
}

/* Listed members first. */
static void add_json_part(struct pfx_script_event *entry, enum pfx_script_part part)
{
	const struct pfx_script_place *place;
	const struct pfx_script_field *row;
	size_t i;

	for (place = pfx_script_json_places; place->bit; place++)
		for (i = 0; i < pfx_script_nr_rows && place->part == part; i++)
			if (pfx_script_rows[i].bit == place->bit && (entry->fields & place->bit))
				add_column(entry, pfx_script_rows[i].add_json);
	for (i = 0; i < pfx_script_nr_rows && part == PFX_SCRIPT_PART_WHAT; i++) {
		row = &pfx_script_rows[i];
		if (row->add_json && (entry->fields & row->bit) && !find_place(row->bit)->bit)
			add_column(entry, row->add_json);
	}
}

static void make_columns(struct pfx_script_event *entry, bool has_objects)
{
	unsigned part;

	for (part = 0; part < PFX_SCRIPT_NR_PARTS; part++) {
		entry->parts[part] = entry->parts[PFX_SCRIPT_NR_PARTS];
		if (has_objects)
			add_json_part(entry, part);
		else
			add_text_part(entry, part);
	}
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
	fields = s->how.fields;
	if (!fields.is_set[PFX_SCRIPT_TYPE_TRACE] && !s->how.hide_chains &&
	    any_tracepoint_has_chain(s))
		fields.by_type[PFX_SCRIPT_TYPE_TRACE] |=
			PFX_SCRIPT_IP | PFX_SCRIPT_SYM | PFX_SCRIPT_SYMOFF | PFX_SCRIPT_DSO;
	rc = pfx_script_fields_for(&fields, event, &entry->fields, &entry->lacking, err);
	if (rc < 0)
		return rc;
	if (!s->title_width)
		widen_titles(s);
	entry->event = event;
	entry->kind = pfx_script_type_of(&event->attr);
	entry->has_chain = !s->how.hide_chains && (event->attr.sample_type & PFX_SAMPLE_CALLCHAIN);
	entry->is_trace = event->attr.type == PFX_TYPE_TRACEPOINT;
	entry->addr_has_symbol = pfx_script_addr_has_symbol(&event->attr);
	entry->is_branch = is_branch(&event->attr);
	entry->adds_target = (event->attr.sample_type & PFX_SAMPLE_ADDR) &&
			     !fields.is_set[pfx_script_type_of(&event->attr)];
	rc = check_event(s, event, entry->fields, err);
	if (rc < 0)
		return rc;
	make_columns(entry, s->how.form->needs & PFX_FORM_OBJECTS);
	entry->title = make_title(s, event->name);
	entry->is_ready = true;
	return 0;
}

/* Note fields that an event lacks: the chosen ones, and with -v the default ones. */
static void note_lacking(const struct pfx_script *s, const struct pfx_script_event *event)
{
	uint64_t asked = s->how.fields.asked[pfx_script_type_of(&event->event->attr)], bit;
	uint64_t lacking = s->how.verbose ? event->lacking : event->lacking & asked;
	struct pfx_str names = {0};
	char shown[128];

	for (bit = 1; bit; bit <<= 1)
		if (lacking & bit)
			pfx_str_addf(&names, " %s", pfx_script_field_name(bit));
	if (names.len)
		pfx_script_note(s, "event '%s' was recorded without:%s",
				pfx_escape(shown, sizeof(shown), event->event->name), names.at);
	pfx_str_fini(&names);
}

/* Note kinds in -F without any event. */
static void note_missing_kinds(const struct pfx_script *s)
{
	const struct pfx_meta *meta = s->view.meta;
	bool is_there[PFX_SCRIPT_NR_TYPES] = {false};
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++)
		is_there[pfx_script_type_of(&meta->events[i]->attr)] = true;
	for (i = 0; i < PFX_SCRIPT_NR_TYPES; i++)
		if (s->how.fields.is_named[i] && !is_there[i] && meta->nr_events)
			pfx_script_note(s, "-F %s: no event of the recording is of that kind",
					pfx_script_type_name(i));
}

/* Check that every event has the selected fields. Counts have no samples: their table is fixed. */
int pfx_script_check_events(struct pfx_script *s, struct pfx_error *err)
{
	const struct pfx_meta *meta = s->view.meta;
	struct pfx_script_event *event;
	uint32_t i;
	int rc;

	if (pfx_env_has(&meta->env, PFX_FEAT_STAT))
		return 0;
	for (i = 0; i < meta->nr_events; i++) {
		rc = pfx_script_event_of(s, meta->events[i], &event, err);
		if (rc < 0)
			return rc;
		if (!s->how.quiet)
			note_lacking(s, event);
	}
	if (!s->how.quiet)
		note_missing_kinds(s);
	return 0;
}
