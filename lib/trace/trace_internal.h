/* SPDX-License-Identifier: MIT */
/* What the files of this folder share: the parts of a blob, and the printer of one event. */
#ifndef PFX_TRACE_TRACE_INTERNAL_H
#define PFX_TRACE_TRACE_INTERNAL_H

#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "trace/format.h"

/* No format of a kernel comes near; a bigger one is not parsed. */
#define PFX_TRACE_FORMAT_MAX (256u << 10)

struct pfx_trace_piece {
	const char *at; /* no NUL behind it */
	size_t size;
};

struct pfx_trace_event {
	const char *system, *name; /* of the arena */
	const char *full_name;     /* "system:name", made when it is asked for */
	uint64_t id;
	struct pfx_trace_piece format;
};

/* The blob, cut into its parts; all pieces point into it. */
struct pfx_trace_blob {
	bool big_endian, swap;
	unsigned long_size;
	uint32_t page_size;
	struct pfx_trace_piece header_page, header_event, kallsyms, printk, cmdlines;
	PFX_VEC(struct pfx_trace_event) events;
	struct pfx_arena arena;
};

int pfx_trace_blob_parse(struct pfx_trace_blob *blob, const void *data, size_t size,
			 struct pfx_error *err);
void pfx_trace_blob_fini(struct pfx_trace_blob *blob);

struct pfx_trace {
	struct pfx_trace_blob blob;
	struct pfx_hash by_id; /* id -> index of blob.events */
	struct pfx_hash comms; /* tid -> address of the name, in blob.arena */
	bool has_comms;
	pfx_trace_symbol_fn symbol;
	void *symbol_ctx;
	struct pfx_trace_printer *printer; /* made at the first print */
};

/* format_with_libtraceevent.c or its counterpart */

struct pfx_trace_printer;

struct pfx_trace_printer *pfx_trace_printer_new(struct pfx_trace *trace);
void pfx_trace_printer_free(struct pfx_trace_printer *printer);

struct pfx_trace_raw {
	const void *data;
	size_t size;
	uint32_t cpu;
	uint64_t time;
};
/* Append the event's text. False when its format cannot be used. */
bool pfx_trace_printer_print(struct pfx_trace_printer *printer, const struct pfx_trace_event *event,
			     const struct pfx_trace_raw *raw, struct pfx_str *to);

#endif
