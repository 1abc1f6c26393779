/* SPDX-License-Identifier: MIT */
/*
 * The public interface of this directory: the events of a blob by their ids, their names, fields
 * and texts. Formats are parsed when they are first used, and kept.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/print_internal.h"

int pfx_trace_open(struct pfx_trace **ret, const void *data, size_t size, struct pfx_error *err)
{
	struct pfx_trace *trace = pfx_calloc(1, sizeof(*trace));
	uint64_t *slot;
	bool is_new;
	size_t i;
	int code;

	*ret = NULL;
	code = pfx_trace_blob_parse(&trace->blob, data, size, err);
	if (code) {
		pfx_trace_free(trace);
		return code;
	}
	for (i = 0; i < trace->blob.events.nr; i++) {
		slot = pfx_hash_add(&trace->by_id, trace->blob.events.at[i].id, &is_new);
		if (is_new)
			*slot = i;
	}
	*ret = trace;
	return 0;
}

void pfx_trace_free(struct pfx_trace *trace)
{
	size_t i;

	if (!trace)
		return;
	for (i = 0; i < trace->blob.events.nr; i++)
		pfx_layout_free(trace->blob.events.at[i].layout);
	pfx_hash_fini(&trace->by_id);
	pfx_hash_fini(&trace->strings);
	pfx_trace_blob_fini(&trace->blob);
	free(trace);
}

void pfx_trace_set_symbols(struct pfx_trace *trace, pfx_trace_symbol_fn symbol, void *ctx)
{
	trace->symbol = symbol;
	trace->symbol_ctx = ctx;
}

static struct pfx_trace_event *find_event(struct pfx_trace *trace, uint64_t id)
{
	const uint64_t *index = pfx_hash_get(&trace->by_id, id);

	return index ? &trace->blob.events.at[*index] : NULL;
}

const char *pfx_trace_event_name(struct pfx_trace *trace, uint64_t id)
{
	struct pfx_trace_event *event = find_event(trace, id);
	size_t len;
	char *text;

	if (!event)
		return NULL;
	if (!event->full_name) {
		len = strlen(event->system) + strlen(event->name) + 2;
		text = pfx_arena_alloc(&trace->blob.arena, len);
		stpcpy(stpcpy(stpcpy(text, event->system), ":"), event->name);
		event->full_name = text;
	}
	return event->full_name;
}

/* The event's format, parsed at first use; NULL if its fields are not valid. */
static const struct pfx_layout *find_layout(struct pfx_trace *trace, struct pfx_trace_event *event)
{
	if (!event)
		return NULL;
	if (!event->layout)
		event->layout = pfx_layout_new(&event->format, trace->blob.long_size);
	return event->layout->is_usable ? event->layout : NULL;
}

const struct pfx_layout *pfx_trace_layout(struct pfx_trace *trace, uint64_t id)
{
	return find_layout(trace, find_event(trace, id));
}

bool pfx_trace_fields(struct pfx_trace *trace, uint64_t id, struct pfx_str *to)
{
	const struct pfx_layout *layout = find_layout(trace, find_event(trace, id));
	size_t i;

	for (i = layout ? layout->nr_common : 0; layout && i < layout->fields.nr; i++) {
		if (i > layout->nr_common)
			pfx_str_addc(to, ',');
		pfx_str_add_escaped(to, layout->fields.at[i].name, layout->fields.at[i].name_len);
	}
	return layout != NULL;
}

bool pfx_trace_print(struct pfx_trace *trace, uint64_t id, const void *raw, size_t size,
		     struct pfx_str *to)
{
	struct pfx_event_bytes event = {trace, find_layout(trace, find_event(trace, id)),
					size ? raw : (const void *)"", size};

	if (!event.layout || size > PFX_TRACE_RAW_MAX)
		return false;
	if (event.layout->has_print) {
		pfx_print_event(&event, to);
		return true;
	}
	pfx_str_add(to, "[FAILED TO PARSE]");
	pfx_event_print_fields(&event, to);
	return true;
}

bool pfx_trace_print_raw(struct pfx_trace *trace, uint64_t id, const void *raw, size_t size,
			 struct pfx_str *to)
{
	struct pfx_event_bytes event = {trace, find_layout(trace, find_event(trace, id)),
					size ? raw : (const void *)"", size};

	if (!event.layout || size > PFX_TRACE_RAW_MAX)
		return false;
	pfx_event_print_fields(&event, to);
	return true;
}

static bool is_number(const struct pfx_field *field)
{
	return !field->is_array &&
	       (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8);
}

bool pfx_trace_json(struct pfx_trace *trace, uint64_t id, const void *raw, size_t size,
		    struct pfx_str *to)
{
	const struct pfx_layout *layout = find_layout(trace, find_event(trace, id));
	const struct pfx_event_bytes event = {trace, layout, raw, size};

	if (!layout || !layout->is_usable)
		return false;
	pfx_event_print_json(&event, to);
	return true;
}

bool pfx_trace_number(struct pfx_trace *trace, const struct pfx_trace_ask *ask, const void *raw,
		      size_t size, uint64_t *ret)
{
	const struct pfx_layout *layout = find_layout(trace, find_event(trace, ask->event));
	const struct pfx_event_bytes event = {trace, layout, raw, size};
	const struct pfx_field *field;
	unsigned unused;

	field = layout ? pfx_layout_field(layout, ask->field, strlen(ask->field)) : NULL;
	if (!field || !is_number(field) || field->offset + field->size > size)
		return false;
	*ret = pfx_event_load(&event, field->offset, field->size);
	unused = 64 - field->size * 8;
	if (field->is_signed)
		*ret = (uint64_t)((int64_t)(*ret << unused) >> unused);
	return true;
}

/* The requested field and the event's bytes; NULL if there is none. */
static const struct pfx_field *find_field(struct pfx_trace *trace, const struct pfx_trace_ask *ask,
					  struct pfx_event_bytes *event)
{
	event->trace = trace;
	event->layout = find_layout(trace, find_event(trace, ask->event));
	if (!event->layout)
		return NULL;
	return pfx_layout_field(event->layout, ask->field, strlen(ask->field));
}

bool pfx_trace_has(struct pfx_trace *trace, const struct pfx_trace_ask *ask)
{
	struct pfx_event_bytes event = {0};

	return find_field(trace, ask, &event) != NULL;
}

unsigned pfx_trace_width(struct pfx_trace *trace, const struct pfx_trace_ask *ask)
{
	struct pfx_event_bytes event = {0};
	const struct pfx_field *field = find_field(trace, ask, &event);

	if (!field)
		return 0;
	return field->is_text ? field->size : field->size * 2 + 2;
}

bool pfx_trace_bytes(struct pfx_trace *trace, const struct pfx_trace_ask *ask, const void *raw,
		     size_t size, struct pfx_trace_bytes *ret)
{
	struct pfx_event_bytes event = {.data = size ? raw : (const void *)"", .size = size};
	const struct pfx_field *field = find_field(trace, ask, &event);
	struct pfx_field_bytes bytes;

	if (!field || size > PFX_TRACE_RAW_MAX)
		return false;
	bytes = pfx_event_field(&event, field);
	*ret = (struct pfx_trace_bytes){bytes.at, bytes.size};
	return true;
}

bool pfx_trace_text(struct pfx_trace *trace, const struct pfx_trace_ask *ask, const void *raw,
		    size_t size, struct pfx_str *to)
{
	struct pfx_event_bytes event = {.data = size ? raw : (const void *)"", .size = size};
	const struct pfx_field *field = find_field(trace, ask, &event);

	if (!field || size > PFX_TRACE_RAW_MAX)
		return false;
	pfx_event_print_field(&event, field, to);
	return true;
}
