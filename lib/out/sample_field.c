/* SPDX-License-Identifier: MIT */
/*
 * Single tracepoint fields as keys of a report: those that match a word of -s or -F, an id for each
 * distinct value, and its text. Values are distinguished by their bytes; the text is taken from the
 * event's print format if that contains "name=", else made from the field.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/words.h"
#include "out/sample_trace.h"

/* The event and the field of a word. */
struct asked {
	char event[128], field[64];
	bool has_event, raw;
};

/* Splits "event.field/raw"; false if the word is not valid. */
static bool split_word(const char *word, struct asked *ret)
{
	const char *slash = strchr(word, '/'), *dot;
	size_t len = slash ? (size_t)(slash - word) : strlen(word);

	memset(ret, 0, sizeof(*ret));
	if (slash && strcmp(slash, "/raw") != 0)
		return false;
	ret->raw = slash != NULL;
	dot = memchr(word, '.', len);
	if (dot) {
		ret->has_event = true;
		if ((size_t)(dot - word) >= sizeof(ret->event))
			return false;
		memcpy(ret->event, word, (size_t)(dot - word));
		len -= (size_t)(dot + 1 - word);
		word = dot + 1;
	}
	if (!len || len >= sizeof(ret->field))
		return false;
	memcpy(ret->field, word, len);
	return true;
}

/* "%2" is the second event; a name with a colon must match completely; otherwise a substring is
 * enough. */
static bool is_event(const char *pattern, const struct pfx_event *event)
{
	if (*pattern == '%')
		return strtoul(pattern + 1, NULL, 10) == event->idx + 1u;
	if (!strcmp(pattern, "*") || !*pattern)
		return true;
	if (strchr(pattern, ':'))
		return !strcmp(pattern, event->name);
	return strstr(event->name, pattern) != NULL;
}

static unsigned add_one(struct pfx_columns *columns, const struct asked *asked, const char *name)
{
	const struct pfx_key_field field = {asked->has_event ? asked->event : NULL, name,
					    asked->raw};

	return pfx_columns_add_field(columns, &field) != PFX_KEY_NR;
}

/* All fields of an event. */
static unsigned add_all(struct pfx_trace *trace, const struct pfx_event *event,
			const struct asked *asked, struct pfx_columns *columns)
{
	struct pfx_str names = {0};
	char *name, *save = NULL;
	unsigned nr = 0;

	if (pfx_trace_fields(trace, event->attr.config, &names) && names.len)
		for (name = strtok_r(names.at, ",", &save); name; name = strtok_r(NULL, ",", &save))
			nr += add_one(columns, asked, name);
	pfx_str_fini(&names);
	return nr;
}

unsigned pfx_sample_field_find(void *ctx, const char *word, struct pfx_columns *columns)
{
	struct pfx_sample_trace *st = ctx;
	const struct pfx_meta *meta = st->meta;
	struct pfx_trace *trace = pfx_sample_trace_formats(st);
	const struct pfx_event *event;
	struct asked asked;
	unsigned nr = 0;
	uint32_t i;

	if (!trace || !split_word(strcmp(word, "trace_fields") ? word : "*.*", &asked))
		return 0;
	for (i = 0; i < meta->nr_events; i++) {
		event = meta->events[i];
		if (event->attr.type != PFX_TYPE_TRACEPOINT || !is_event(asked.event, event))
			continue;
		if (!strcmp(asked.field, "*"))
			nr += add_all(trace, event, &asked, columns);
		else if (pfx_trace_has(trace,
				       &(struct pfx_trace_ask){event->attr.config, asked.field}))
			nr += add_one(columns, &asked, asked.field);
	}
	return nr;
}

/* Replaces st->near if a nearer name is found. */
static void look_near(struct pfx_sample_trace *st, const char *names, const struct asked *asked)
{
	char *copy = pfx_strdup(names), *save = NULL, *name;
	const char *pair[2];

	for (name = strtok_r(copy, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		pair[0] = pfx_str_get(&st->near);
		pair[1] = name;
		if (pfx_nearest(asked->field, pair, 2) != name)
			continue;
		pfx_str_clear(&st->near);
		pfx_str_add(&st->near, name);
	}
	free(copy);
}

/* The nearest event for a suggestion, by its whole name or without the part before the colon. */
static const char *near_event(const struct pfx_meta *meta, const char *word)
{
	PFX_VEC(const char *) names = {0};
	const char *near, *colon;
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++) {
		if (meta->events[i]->attr.type != PFX_TYPE_TRACEPOINT)
			continue;
		colon = strchr(meta->events[i]->name, ':');
		pfx_vec_push(&names, meta->events[i]->name);
		if (colon)
			pfx_vec_push(&names, colon + 1);
	}
	near = pfx_nearest(word, names.at, names.nr);
	pfx_vec_free(&names);
	return near;
}

/* Finds the nearest field in the selected events; false if no event is selected. */
static bool look_in_events(struct pfx_sample_trace *st, const struct asked *asked)
{
	const struct pfx_meta *meta = st->meta;
	struct pfx_trace *trace = pfx_sample_trace_formats(st);
	struct pfx_str names = {0};
	bool any = false;
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++) {
		const struct pfx_event *event = meta->events[i];

		if (event->attr.type != PFX_TYPE_TRACEPOINT || !is_event(asked->event, event))
			continue;
		any = true;
		pfx_str_clear(&names);
		if (pfx_trace_fields(trace, event->attr.config, &names))
			look_near(st, pfx_str_get(&names), asked);
	}
	pfx_str_fini(&names);
	return any;
}

const char *pfx_sample_field_near(void *ctx, const char *word)
{
	struct pfx_sample_trace *st = ctx;
	struct pfx_str *near = &st->near;
	const char *event;
	struct asked asked;

	pfx_str_clear(near);
	if (!pfx_sample_trace_formats(st) || !split_word(word, &asked))
		return NULL;
	if (!look_in_events(st, &asked)) {
		event = near_event(st->meta, asked.event);
		if (event)
			pfx_str_addf(near, "%s.%s", event, asked.field);
	} else if (near->len && asked.has_event) {
		char *field = pfx_strdup(near->at);

		pfx_str_clear(near);
		pfx_str_addf(near, "%s.%s", asked.event, field);
		free(field);
	}
	return near->len ? pfx_str_get(near) : NULL;
}

static bool ask_for(struct pfx_sample_trace *st, const struct pfx_key_field *field,
		    const struct pfx_event *event, struct pfx_trace_ask *ret)
{
	struct pfx_trace *trace = pfx_sample_trace_formats(st);

	*ret = (struct pfx_trace_ask){event->attr.config, field->name};
	return trace && event->attr.type == PFX_TYPE_TRACEPOINT &&
	       (!field->event || is_event(field->event, event)) && pfx_trace_has(trace, ret);
}

unsigned pfx_sample_field_width(void *ctx, const struct pfx_key_field *field,
				const struct pfx_event *event)
{
	struct pfx_sample_trace *st = ctx;
	struct pfx_trace_ask ask;

	if (!ask_for(st, field, event, &ask))
		return 0;
	return pfx_trace_width(pfx_sample_trace_formats(st), &ask);
}

/* The text after "name=" in the event's text; false if it does not contain the name. */
static bool find_in_text(const struct pfx_str *text, const char *name, struct pfx_str *to)
{
	size_t len = strlen(name);
	const char *at = pfx_str_get(text), *end;

	while ((at = strstr(at, name)) != NULL) {
		if ((at == text->at || isspace((unsigned char)at[-1])) && at[len] == '=')
			break;
		at += len;
	}
	if (!at)
		return false;
	at += len + 1;
	end = strchrnul(at, ' ');
	pfx_str_addn(to, at, (size_t)(end - at));
	return true;
}

static uint32_t text_of(struct pfx_sample_trace *st, const struct pfx_key_field *field,
			const struct pfx_event *event, const struct pfx_sample *sample)
{
	const struct pfx_trace_ask ask = {event->attr.config, field->name};
	struct pfx_trace *trace = pfx_sample_trace_formats(st);
	struct pfx_str value = {0};
	bool raw = field->raw || st->raw;
	uint32_t id;

	pfx_str_clear(&st->scratch);
	if (!raw)
		pfx_trace_print(trace, event->attr.config, sample->raw.at, sample->raw.size,
				&st->scratch);
	if (raw || !find_in_text(&st->scratch, field->name, &value))
		pfx_trace_text(trace, &ask, sample->raw.at, sample->raw.size, &value);
	id = pfx_intern_add(&st->texts, pfx_str_get(&value), value.len);
	pfx_str_fini(&value);
	return id;
}

/* The value's bytes after the name and format of its field, so that ids are unique per field. */
static uint32_t bytes_id(struct pfx_sample_trace *st, const struct pfx_key_field *field,
			 const struct pfx_trace_bytes *bytes)
{
	struct pfx_str key = {0};
	uint32_t id;

	pfx_str_addn(&key, (const char *)&field, sizeof(field));
	if (bytes)
		pfx_str_addn(&key, bytes->at, bytes->size);
	id = pfx_intern_add(&st->fields, key.at, key.len);
	pfx_str_fini(&key);
	return id;
}

uint32_t pfx_sample_field_id(void *ctx, const struct pfx_key_field *field,
			     const struct pfx_event *event, const struct pfx_sample *sample)
{
	struct pfx_sample_trace *st = ctx;
	struct pfx_trace_bytes bytes = {0};
	struct pfx_trace_ask ask;
	bool known = ask_for(st, field, event, &ask) &&
		     pfx_trace_bytes(pfx_sample_trace_formats(st), &ask, sample->raw.at,
				     sample->raw.size, &bytes);
	uint32_t id = bytes_id(st, field, known ? &bytes : NULL);

	if (id == st->field_texts.nr)
		pfx_vec_push(&st->field_texts, known ? text_of(st, field, event, sample)
						     : pfx_intern_str(&st->texts, "N/A"));
	return id;
}

const char *pfx_sample_field_text(const void *ctx, uint32_t id)
{
	const struct pfx_sample_trace *st = ctx;

	return id < st->field_texts.nr ? pfx_intern_get(&st->texts, st->field_texts.at[id]) : "";
}

/* As perf: by the bytes, larger ones first. */
int pfx_sample_field_order(const void *ctx, uint32_t a, uint32_t b)
{
	const struct pfx_sample_trace *st = ctx;
	const struct pfx_intern_entry *x = &st->fields.entries[a], *y = &st->fields.entries[b];
	size_t len = x->len < y->len ? x->len : y->len;
	int rc = memcmp(x->data, y->data, len);

	return rc ? -rc : (x->len < y->len) - (x->len > y->len);
}
