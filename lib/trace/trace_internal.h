/* SPDX-License-Identifier: MIT */
/* Shared by the files of this directory: the parts of a blob, and its events. */
#ifndef PFX_TRACE_TRACE_INTERNAL_H
#define PFX_TRACE_TRACE_INTERNAL_H

#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "trace/format.h"

/* Longer formats are not parsed; those of kernels are much shorter. */
#define PFX_TRACE_FORMAT_MAX (256u << 10)
/* A record has at most 64 KiB. */
#define PFX_TRACE_RAW_MAX (64u << 10)

struct pfx_trace_piece {
	const char *at; /* not NUL-terminated */
	size_t size;
};

struct pfx_trace_event {
	const char *system, *name; /* of the arena */
	const char *full_name;     /* "system:name", made at first use */
	uint64_t id;
	struct pfx_trace_piece format;
	struct pfx_layout *layout; /* of the format, made at first use */
};

/* The blob, split into its parts; all pieces point into it. */
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
	struct pfx_hash by_id;   /* id to index of blob.events */
	struct pfx_hash strings; /* address in the kernel to address of the text, in blob.arena */
	bool has_strings;
	pfx_trace_symbol_fn symbol;
	void *symbol_ctx;
};

/* The parsed format of an event; NULL if it is unknown or its fields are not valid. */
const struct pfx_layout *pfx_trace_layout(struct pfx_trace *trace, uint64_t id);
/* The string at kernel address @addr, to which events refer, or NULL. */
const char *pfx_trace_string(struct pfx_trace *trace, uint64_t addr);

#endif
