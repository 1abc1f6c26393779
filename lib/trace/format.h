/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints: the tracing-data blob of a recording, and the fields of a sample's raw bytes as
 * text. The blob's container is parsed here; the formats of the events go to libtraceevent where it
 * is built in, and without it raw bytes are shown. The blob is borrowed for the life of the trace.
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
/* Whether fields can be printed. */
bool pfx_trace_is_built_in(void);

/* How kernel addresses in the fields get names: the function that contains @addr and its start, or
 * NULL. The name has to live until the next call. Without it addresses are printed. */
typedef const char *(*pfx_trace_symbol_fn)(void *ctx, uint64_t addr, uint64_t *ret_start);
void pfx_trace_set_symbols(struct pfx_trace *trace, pfx_trace_symbol_fn symbol, void *ctx);

/* "sched:sched_switch" of a tracepoint id (attr.config), or NULL. */
const char *pfx_trace_event_name(struct pfx_trace *trace, uint64_t id);
/* Append the names of the event's own fields, separated by commas. False when it is unknown. */
bool pfx_trace_fields(struct pfx_trace *trace, uint64_t id, struct pfx_str *to);
/* The command of a thread when the recording was made, or NULL; not escaped. */
const char *pfx_trace_comm(struct pfx_trace *trace, uint32_t tid);
/* The text of `-F trace`: the event's print format filled with the sample's raw bytes. Foreign
 * text is escaped. False when the event is unknown. */
bool pfx_trace_print(struct pfx_trace *trace, uint64_t id, const void *raw, size_t size,
		     uint32_t cpu, uint64_t time, struct pfx_str *to);
/* A number in the sample's raw bytes: of which event (attr.config), and which field of it. A signed
 * one is widened. False when there is no such field or it is no number. */
struct pfx_trace_ask {
	uint64_t event;
	const char *field;
};
bool pfx_trace_number(struct pfx_trace *trace, const struct pfx_trace_ask *ask, const void *raw,
		      size_t size, uint64_t *ret);
/* Make a blob from the running kernel for the events "sys:name" (tracefs is read), for the
 * recorder. The caller frees *@ret. */
int pfx_trace_collect(const char *tracefs, const char *const *events, size_t nr, uint8_t **ret,
		      size_t *ret_size, struct pfx_error *err);

#endif
