/* SPDX-License-Identifier: MIT */
/*
 * The fields of an event as members of a JSON object, by name and type: numbers, pointers as text
 * in hex, text, and arrays of numbers. Print formats are not used.
 */
#include <inttypes.h>
#include <string.h>

#include "trace/print_internal.h"

static void add_number(const struct pfx_field *field, uint64_t value, uint64_t size,
		       struct pfx_str *to)
{
	unsigned unused = size && size < 8 ? (unsigned)(64 - size * 8) : 0;

	if (field->is_pointer)
		pfx_str_addf(to, "\"0x%" PRIx64 "\"", value);
	else if (field->is_signed)
		pfx_str_addf(to, "%" PRId64, (int64_t)(value << unused) >> unused);
	else
		pfx_str_u64(to, value, 0);
}

static void add_array(const struct pfx_event_bytes *event, const struct pfx_field *field,
		      struct pfx_str *to)
{
	struct pfx_field_bytes bytes = pfx_event_field(event, field);
	uint64_t size = field->elem == 2 || field->elem == 4 || field->elem == 8 ? field->elem : 1;
	uint64_t i, start;

	if (field->is_text) {
		pfx_str_addc(to, '"');
		if (bytes.size)
			pfx_str_add_json(to, (const char *)bytes.at,
					 strnlen((const char *)bytes.at, bytes.size));
		pfx_str_addc(to, '"');
		return;
	}
	start = bytes.size ? (uint64_t)(bytes.at - event->data) : 0;
	pfx_str_addc(to, '[');
	for (i = 0; i + size <= bytes.size; i += size) {
		if (i)
			pfx_str_addc(to, ',');
		add_number(field, pfx_event_load(event, start + i, size), size, to);
	}
	pfx_str_addc(to, ']');
}

void pfx_event_print_json(const struct pfx_event_bytes *event, struct pfx_str *to)
{
	const struct pfx_layout *layout = event->layout;
	const struct pfx_field *field;
	size_t i;

	for (i = layout->nr_common; i < layout->fields.nr; i++) {
		field = &layout->fields.at[i];
		pfx_str_add(to, i == layout->nr_common ? "\"" : ",\"");
		pfx_str_add_json(to, field->name, field->name_len);
		pfx_str_add(to, "\":");
		if (field->is_array)
			add_array(event, field, to);
		else
			add_number(field, pfx_event_load(event, field->offset, field->size),
				   field->size, to);
	}
}
