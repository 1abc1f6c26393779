/* SPDX-License-Identifier: MIT */
/*
 * The fields of an event one by one, as " name=value": for events whose print format cannot be
 * parsed.
 */
#include <ctype.h>
#include <string.h>

#include "trace/print_internal.h"

/* Text up to its NUL that only has printable characters. */
static bool is_printable(struct pfx_field_bytes bytes)
{
	size_t i;

	for (i = 0; i < bytes.size && bytes.at[i]; i++)
		if (!isprint(bytes.at[i]) && !isspace(bytes.at[i]))
			return false;
	return true;
}

static void print_array(const struct pfx_field *field, struct pfx_field_bytes bytes,
			struct pfx_str *to)
{
	size_t i;

	if (field->is_text && is_printable(bytes)) {
		pfx_str_add_escaped(to, (const char *)bytes.at,
				    strnlen((const char *)bytes.at, bytes.size));
		return;
	}
	pfx_str_add(to, "ARRAY[");
	for (i = 0; i < bytes.size; i++) {
		if (i)
			pfx_str_addn(to, ", ", 2);
		pfx_str_hex0(to, bytes.at[i], 2);
	}
	pfx_str_addc(to, ']');
}

static void print_value(const struct pfx_field *field, uint64_t value, struct pfx_str *to)
{
	struct pfx_print_piece piece = {.conv = 'd', .size = 2};
	bool is_hex = field->is_pointer || (field->is_long && !field->is_signed);

	if (field->is_signed && field->is_long && field->size == 4)
		is_hex = true;
	if (is_hex) {
		pfx_str_addn(to, "0x", 2);
		pfx_str_hex(to, value, 0);
		return;
	}
	if (!field->is_signed)
		piece.conv = 'u';
	else if (field->size == 1)
		piece.size = -2;
	else if (field->size == 2)
		piece.size = -1, piece.width = 2;
	else if (field->size == 4)
		piece.size = 0;
	pfx_print_number(&piece, value, to);
}

void pfx_event_print_field(const struct pfx_event_bytes *event, const struct pfx_field *field,
			   struct pfx_str *to)
{
	if (field->is_array)
		print_array(field, pfx_event_field(event, field), to);
	else
		print_value(field, pfx_event_load(event, field->offset, field->size), to);
}

void pfx_event_print_fields(const struct pfx_event_bytes *event, struct pfx_str *to)
{
	const struct pfx_layout *layout = event->layout;
	const struct pfx_field *field;
	size_t i;

	for (i = layout->nr_common; i < layout->fields.nr; i++) {
		field = &layout->fields.at[i];
		pfx_str_addc(to, ' ');
		pfx_str_add_escaped(to, field->name, field->name_len);
		pfx_str_addc(to, '=');
		pfx_event_print_field(event, field, to);
	}
}
