/* SPDX-License-Identifier: MIT */
/*
 * The events of a blob by their ids. Knows no library: the text of an event is made by the
 * printer, which exists in two variants.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/trace_internal.h"

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
	if (!trace)
		return;
	pfx_trace_printer_free(trace->printer);
	pfx_hash_fini(&trace->by_id);
	pfx_hash_fini(&trace->comms);
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

/* "char prev_comm[16];" has the name "prev_comm": the last word in front of '[' or ';'. */
static void add_field_name(const char *at, const char *end, struct pfx_str *to)
{
	const char *stop = memchr(at, ';', (size_t)(end - at)), *start;

	if (!stop)
		return;
	if (stop[-1] == ']' && memrchr(at, '[', (size_t)(stop - at)))
		stop = memrchr(at, '[', (size_t)(stop - at));
	for (start = stop; start > at && !strchr(" \t*)", start[-1]); start--)
		;
	if (to->len)
		pfx_str_addc(to, ',');
	pfx_str_add_escaped(to, start, (size_t)(stop - start));
}

/* The fields that all events share come first; an empty line ends them. */
bool pfx_trace_fields(struct pfx_trace *trace, uint64_t id, struct pfx_str *to)
{
	static const char head[] = "\tfield:";
	const struct pfx_trace_event *event = find_event(trace, id);
	struct pfx_str names = {0};
	const char *at, *end, *line_end;
	bool is_own = false;

	if (!event)
		return false;
	end = event->format.at + event->format.size;
	for (at = event->format.at; at < end; at = line_end + 1) {
		line_end = memchr(at, '\n', (size_t)(end - at));
		if (!line_end)
			break;
		is_own = is_own || line_end == at;
		if (is_own && line_end - at > (ptrdiff_t)sizeof(head) &&
		    !memcmp(at, head, sizeof(head) - 1))
			add_field_name(at + sizeof(head) - 1, line_end, &names);
	}
	pfx_str_add(to, pfx_str_get(&names));
	pfx_str_fini(&names);
	return true;
}

/* Lines of "tid comm". */
static void read_comms(struct pfx_trace *trace)
{
	struct pfx_arena *arena = &trace->blob.arena;
	char *text, *line, *comm, *save = NULL;
	uint32_t tid;

	trace->has_comms = true;
	text = pfx_arena_strndup(arena, trace->blob.cmdlines.at, trace->blob.cmdlines.size);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		tid = (uint32_t)strtoul(line, &comm, 10);
		if (comm != line && *comm == ' ')
			*pfx_hash_add(&trace->comms, tid, NULL) = (uintptr_t)(comm + 1);
	}
}

const char *pfx_trace_comm(struct pfx_trace *trace, uint32_t tid)
{
	const uint64_t *at;

	if (!trace->has_comms && trace->blob.cmdlines.size)
		read_comms(trace);
	at = pfx_hash_get(&trace->comms, tid);
	return at ? (const char *)(uintptr_t)*at : NULL;
}

bool pfx_trace_print(struct pfx_trace *trace, uint64_t id, const void *raw, size_t size,
		     uint32_t cpu, uint64_t time, struct pfx_str *to)
{
	const struct pfx_trace_event *event = find_event(trace, id);
	struct pfx_trace_raw r = {raw, size, cpu, time};

	if (!event)
		return false;
	if (!trace->printer)
		trace->printer = pfx_trace_printer_new(trace);
	return pfx_trace_printer_print(trace->printer, event, &r, to);
}
