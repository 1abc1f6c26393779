/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints: the tracing data (blob) of a recording, and the fields in a sample's raw data as
 * text. Blobs and raw data are untrusted: reading takes time and memory in proportion to their
 * size, whatever they contain. The blob is borrowed for the life of the trace.
 */
#ifndef PFX_TRACE_FORMAT_H
#define PFX_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct pfx_trace;

/* Parse a tracing-data blob (feature TRACING_DATA, or the payload of HEADER_TRACING_DATA). The
 * bytes are borrowed. Formats of events are parsed when they are first used. */
int pfx_trace_open(struct pfx_trace **ret, const void *data, size_t size, struct pfx_error *err);
void pfx_trace_free(struct pfx_trace *trace);

/* Resolves kernel addresses in fields: returns the name of the function that contains @addr and its
 * start, or NULL. The name must be valid until the next call. Without this function, addresses are
 * printed. */
typedef const char *(*pfx_trace_symbol_fn)(void *ctx, uint64_t addr, uint64_t *ret_start);
void pfx_trace_set_symbols(struct pfx_trace *trace, pfx_trace_symbol_fn symbol, void *ctx);

/* "sched:sched_switch" of a tracepoint id (attr.config), or NULL. */
const char *pfx_trace_event_name(struct pfx_trace *trace, uint64_t id);
/* Append the names of the event's own fields, separated by commas. False if the event is
 * unknown. */
bool pfx_trace_fields(struct pfx_trace *trace, uint64_t id, struct pfx_str *to);
/* The text of `-F trace`: the event's print format filled with the sample's raw bytes; its fields
 * one by one if the format cannot be parsed. Untrusted text is escaped; missing bytes are zeros.
 * False if the event is unknown or its fields are not valid. */
bool pfx_trace_print(struct pfx_trace *trace, uint64_t id, const void *raw, size_t size,
		     struct pfx_str *to);
/* The event's own fields as members of a JSON object, without its braces: numbers, text, arrays,
 * pointers in hex as text. Returns false and appends nothing if the event is unknown. */
bool pfx_trace_json(struct pfx_trace *trace, uint64_t id, const void *raw, size_t size,
		    struct pfx_str *to);
/* The same, but always the fields one by one. */
bool pfx_trace_print_raw(struct pfx_trace *trace, uint64_t id, const void *raw, size_t size,
			 struct pfx_str *to);
/* A number in the sample's raw bytes: of the event (attr.config), and the field's name. Signed
 * numbers are sign-extended. False if the field does not exist or is not a number. */
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
/* The bytes of a field, as far as the sample has them; of a dynamic array, the array. False if the
 * field does not exist. */
bool pfx_trace_bytes(struct pfx_trace *trace, const struct pfx_trace_ask *ask, const void *raw,
		     size_t size, struct pfx_trace_bytes *ret);
/* Append one field as text, escaped; numbers plain or as addresses, arrays byte by byte unless they
 * are text. False if the field does not exist. */
bool pfx_trace_text(struct pfx_trace *trace, const struct pfx_trace_ask *ask, const void *raw,
		    size_t size, struct pfx_str *to);
/* Columns for the field's values: the size of a text, the hexadecimal digits of a number. */
unsigned pfx_trace_width(struct pfx_trace *trace, const struct pfx_trace_ask *ask);
/* Whether the event has the field. */
bool pfx_trace_has(struct pfx_trace *trace, const struct pfx_trace_ask *ask);
/* For the recorder: make a blob from the running kernel's tracefs, for the events "sys:name". The
 * caller frees *@ret. */
int pfx_trace_collect(const char *tracefs, const char *const *events, size_t nr, uint8_t **ret,
		      size_t *ret_size, struct pfx_error *err);

/* A field of an event, for programs that process values. */
struct pfx_trace_field {
	const char *name; /* lives as long as the trace; untrusted text */
	bool is_array;    /* the value is bytes; false: a number */
	bool is_text;     /* an array of characters */
	bool is_signed;
	uint32_t size; /* of a number, in bytes */
};

/* The value of a field: bytes, borrowed from the sample, or a number, not sign-extended. */
struct pfx_trace_value {
	const uint8_t *bytes;
	size_t size;
	uint64_t number;
};

/* The number of the event's own fields, in the order of its format; 0 if it is unknown. */
size_t pfx_trace_nr_fields(struct pfx_trace *trace, uint64_t id);
/* The event's own field number @i. */
void pfx_trace_field_at(struct pfx_trace *trace, uint64_t id, size_t i,
			struct pfx_trace_field *ret);
/* A sample's values, one for each of the event's own fields; missing bytes are zeros. */
void pfx_trace_values(struct pfx_trace *trace, uint64_t id, const struct pfx_trace_value *raw,
		      struct pfx_trace_value *ret);

/* A name that the print format of an event gives to a value of a field. */
struct pfx_trace_name {
	const char *field;
	bool is_flag;          /* names one bit; false: names a whole value */
	const char *separator; /* flags: the separator between names */
	const char *text;      /* not NULL; untrusted text */
	uint64_t value;
};
typedef void (*pfx_trace_name_fn)(void *ctx, const struct pfx_trace_name *name);
/* Calls @fn for each of these names. The strings are valid until @fn returns. */
void pfx_trace_each_name(struct pfx_trace *trace, uint64_t id, pfx_trace_name_fn fn, void *ctx);

#endif
