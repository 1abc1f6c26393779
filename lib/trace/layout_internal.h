/* SPDX-License-Identifier: MIT */
/* The parsed format of an event: its fields and its print format. */
#ifndef PFX_TRACE_LAYOUT_INTERNAL_H
#define PFX_TRACE_LAYOUT_INTERNAL_H

#include "trace/trace_internal.h"

struct pfx_field {
	const char *name; /* NUL-terminated */
	size_t name_len;
	uint32_t offset, size;
	uint32_t elem; /* bytes of one element; without an array, of the value */
	bool is_signed, is_array, is_text, is_long, is_pointer;
	bool is_data_loc, is_rel_loc; /* the four bytes are offset and size of an array */
};

struct pfx_print_piece;

struct pfx_layout {
	struct pfx_arena arena;
	unsigned long_size;
	bool is_usable; /* the fields are valid */
	bool has_print; /* the print format could be parsed, too */
	PFX_VEC(struct pfx_field) fields;
	size_t nr_common;               /* number of common fields, which are first */
	struct pfx_print_piece *pieces; /* in the arena */
	size_t nr_pieces;
};

/* Never NULL; is_usable is false for invalid text. The text is copied. */
struct pfx_layout *pfx_layout_new(const struct pfx_trace_piece *text, unsigned long_size);
void pfx_layout_free(struct pfx_layout *layout);
const struct pfx_field *pfx_layout_field(const struct pfx_layout *layout, const char *name,
					 size_t len);
/* Bytes of a C type of the recording machine; 0 for an unknown type. */
uint32_t pfx_type_size(const char *type, size_t len, unsigned long_size);

/* The bytes of one event, and how to read them. Reads beyond the end return zeros. */
struct pfx_event_bytes {
	struct pfx_trace *trace;
	const struct pfx_layout *layout;
	const uint8_t *data;
	size_t size;
};

struct pfx_field_bytes {
	const uint8_t *at;
	size_t size;
};

/* A number of 1, 2, 4 or 8 bytes; 0 for other sizes and if the bytes are missing. */
uint64_t pfx_event_load(const struct pfx_event_bytes *event, uint64_t offset, uint64_t size);
/* The bytes of a field, or of the array that it refers to, as far as the record has them. */
struct pfx_field_bytes pfx_event_field(const struct pfx_event_bytes *event,
				       const struct pfx_field *field);
/* Append the value of a field. */
void pfx_event_print_field(const struct pfx_event_bytes *event, const struct pfx_field *field,
			   struct pfx_str *to);
/* Append all fields as members of a JSON object. */
void pfx_event_print_json(const struct pfx_event_bytes *event, struct pfx_str *to);
/* Append all fields as " name=value". */
void pfx_event_print_fields(const struct pfx_event_bytes *event, struct pfx_str *to);

#endif
