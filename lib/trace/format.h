/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints: the tracing-data blob of a recording, and the fields of a sample's raw bytes as
 * text. Blobs are text of strangers: whatever is in them, and in the bytes of events, reading takes
 * time and memory in proportion to its size. The blob is borrowed for the life of the trace.
 */
#ifndef PFX_TRACE_FORMAT_H
#define PFX_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct pfx_trace;

/* Parse a tracing-data blob (feature TRACING_DATA, or what follows HEADER_TRACING_DATA). The bytes
 * are borrowed. Formats of events are parsed when they are first used. */
int pfx_trace_open(struct pfx_trace **ret, const void *data, size_t size, struct pfx_error *err);
void pfx_trace_free(struct pfx_trace *trace);

/* How kernel addresses in the fields get names: the function that contains @addr and its start, or
 * NULL. The name has to live until the next call. Without it addresses are printed. */
typedef const char *(*pfx_trace_symbol_fn)(void *ctx, uint64_t addr, uint64_t *ret_start);
void pfx_trace_set_symbols(struct pfx_trace *trace, pfx_trace_symbol_fn symbol, void *ctx);

/* "sched:sched_switch" of a tracepoint id (attr.config), or NULL. */
const char *pfx_trace_event_name(struct pfx_trace *trace, uint64_t id);
/* Append the names of the event's own fields, separated by commas. False when it is unknown. */
bool pfx_trace_fields(struct pfx_trace *trace, uint64_t id, struct pfx_str *to);
/* The text of `-F trace`: the event's print format filled with the sample's raw bytes; its fields
 * one by one where the format cannot be understood. Foreign text is escaped; bytes that are missing
 * count as zeros. False when the event is unknown or its fields make no sense. */
bool pfx_trace_print(struct pfx_trace *trace, uint64_t id, const void *raw, size_t size,
		     struct pfx_str *to);
/* The event's own fields as members of a JSON object, without its braces: numbers, text, arrays,
 * pointers in hex as text. False, and nothing is appended, when the event is unknown. */
bool pfx_trace_json(struct pfx_trace *trace, uint64_t id, const void *raw, size_t size,
		    struct pfx_str *to);
/* The same, always the fields one by one. */
bool pfx_trace_print_raw(struct pfx_trace *trace, uint64_t id, const void *raw, size_t size,
			 struct pfx_str *to);
/* A number in the sample's raw bytes: of which event (attr.config), and which field of it. A signed
 * one is widened. False when there is no such field or it is no number. */
struct pfx_trace_ask {
	uint64_t event;
	const char *field;
};
struct pfx_trace_bytes {
	const void *at;
	size_t size;
};
bool pfx_trace_number(struct pfx_trace *trace, const struct pfx_trace_ask *ask, const void *raw,
		      size_t size, uint64_t *ret);
/* The bytes of a field, as far as they are there: where an array lies elsewhere, the array. False
 * when there is no such field. */
bool pfx_trace_bytes(struct pfx_trace *trace, const struct pfx_trace_ask *ask, const void *raw,
		     size_t size, struct pfx_trace_bytes *ret);
/* Append the field alone as text, escaped; numbers plain or as addresses, arrays byte by byte
 * unless they are text. False when there is no such field. */
bool pfx_trace_text(struct pfx_trace *trace, const struct pfx_trace_ask *ask, const void *raw,
		    size_t size, struct pfx_str *to);
/* Columns that the field's values need: of a text its bytes, of a number its hexadecimal form. */
unsigned pfx_trace_width(struct pfx_trace *trace, const struct pfx_trace_ask *ask);
/* Whether the event has the field. */
bool pfx_trace_has(struct pfx_trace *trace, const struct pfx_trace_ask *ask);
/* Make a blob from the running kernel for the events "sys:name" (tracefs is read), for the
 * recorder. The caller frees *@ret. */
int pfx_trace_collect(const char *tracefs, const char *const *events, size_t nr, uint8_t **ret,
		      size_t *ret_size, struct pfx_error *err);

/* A field of an event, in a form that programs can take apart. */
struct pfx_trace_field {
	const char *name; /* lives as long as the trace; foreign text */
	bool is_array;    /* its value is bytes, otherwise a number */
	bool is_text;     /* an array of characters */
	bool is_signed;
};

/* What a field holds: bytes, borrowed from the sample, or a number as it stands there, not widened.
 */
struct pfx_trace_value {
	const uint8_t *bytes;
	size_t size;
	uint64_t number;
};

/* The number of the event's own fields, in the order of its format; 0 when it is unknown. */
size_t pfx_trace_nr_fields(struct pfx_trace *trace, uint64_t id);
/* Field @i of them. */
void pfx_trace_field_at(struct pfx_trace *trace, uint64_t id, size_t i,
			struct pfx_trace_field *ret);
/* A sample's values, one for each of the event's own fields; bytes that are missing are zeros. */
void pfx_trace_values(struct pfx_trace *trace, uint64_t id, const struct pfx_trace_value *raw,
		      struct pfx_trace_value *ret);

/* A name that the print format of an event gives to a value of a field. */
struct pfx_trace_name {
	const char *field;
	bool is_flag;          /* a bit of it, otherwise the whole value */
	const char *separator; /* flags: what stands between names */
	const char *text;      /* not NULL; foreign text */
	uint64_t value;
};
typedef void (*pfx_trace_name_fn)(void *ctx, const struct pfx_trace_name *name);
/* Tell all of them. The strings live until @fn returns. */
void pfx_trace_each_name(struct pfx_trace *trace, uint64_t id, pfx_trace_name_fn fn, void *ctx);

#endif
