/* SPDX-License-Identifier: MIT */
/*
 * The text of an event: the pieces of its print format, filled with the bytes of a record. The
 * length of the output is bounded, however often the format refers to the same bytes.
 */
#include <string.h>

#include "trace/print_internal.h"

#define WIDTH_MAX 1024

/* Maximum length of the text of an event: "00, " for each of its bytes, plus this. */
#define TEXT_MAX (64u << 10)
#define PER_BYTE 4

static void print_text(const struct pfx_event_bytes *event, const struct pfx_print_piece *piece,
		       const struct pfx_node *node, struct pfx_str *to);

static void print_hex(struct pfx_str *to, uint64_t value)
{
	pfx_str_addn(to, "0x", 2);
	pfx_str_hex(to, value, 0);
}

static void print_flags(const struct pfx_event_bytes *event, const struct pfx_print_piece *piece,
			const struct pfx_node *node, struct pfx_str *to)
{
	uint64_t left = pfx_node_value(event, node->a);
	size_t limit = to->len + TEXT_MAX, i;
	const struct pfx_print_name *name;
	bool any = false;

	for (i = 0; i < node->nr_names && to->len < limit; i++) {
		name = &node->names[i];
		/* a name for "no flags" has the value -1 */
		if (!left && (int64_t)name->value < 0) {
			pfx_print_padded(piece, name->text, name->len, to);
			break;
		}
		if ((int64_t)name->value <= 0 || (left & name->value) != name->value)
			continue;
		if (any)
			pfx_print_padded(piece, node->text, node->len, to);
		pfx_print_padded(piece, name->text, name->len, to);
		any = true;
		left &= ~name->value;
	}
	if (!left)
		return;
	if (any)
		pfx_print_padded(piece, node->text, node->len, to);
	print_hex(to, left);
}

static void print_symbol(const struct pfx_event_bytes *event, const struct pfx_print_piece *piece,
			 const struct pfx_node *node, struct pfx_str *to)
{
	uint64_t value = pfx_node_value(event, node->a);
	size_t i;

	for (i = 0; i < node->nr_names; i++)
		if (node->names[i].value == value) {
			pfx_print_padded(piece, node->names[i].text, node->names[i].len, to);
			return;
		}
	print_hex(to, value);
}

/* The bytes of the field or array in @node, at most @want. */
static struct pfx_field_bytes bytes_of(const struct pfx_event_bytes *event,
				       const struct pfx_node *node, uint64_t want)
{
	const struct pfx_field *field = pfx_node_place(node)->field;
	struct pfx_field_bytes bytes = pfx_event_field(event, field);

	/* the end of an array depends on the arguments, not on its field */
	bytes.size = event->size - (size_t)(bytes.at - event->data);
	if (want < bytes.size)
		bytes.size = want;
	return bytes;
}

static void print_bytes(const struct pfx_event_bytes *event, const struct pfx_node *node,
			struct pfx_str *to)
{
	int32_t want = (int32_t)pfx_node_value(event, node->b);
	struct pfx_field_bytes bytes = bytes_of(event, node->a, want < 0 ? 0 : (uint64_t)want);
	size_t i;

	for (i = 0; i < bytes.size; i++) {
		if (i && node->op)
			pfx_str_addc(to, (char)node->op);
		pfx_str_hex0(to, bytes.at[i], 2);
	}
}

static void print_array(const struct pfx_event_bytes *event, const struct pfx_node *node,
			struct pfx_str *to)
{
	uint64_t nr = pfx_node_value(event, node->b), size = pfx_node_value(event, node->c), i;
	struct pfx_field_bytes bytes;

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return;
	bytes = bytes_of(event, node->a, nr > PFX_TRACE_RAW_MAX ? 0 : nr * size);
	for (i = 0; i < bytes.size / size; i++) {
		if (i)
			pfx_str_addc(to, ' ');
		pfx_str_u64(
			to,
			pfx_event_load(event, (uint64_t)(bytes.at - event->data) + i * size, size),
			0);
	}
}

/* A string in kernel memory, to which a field points. */
static void print_address(const struct pfx_event_bytes *event, const struct pfx_print_piece *piece,
			  uint64_t addr, struct pfx_str *to)
{
	const char *text = pfx_trace_string(event->trace, addr);

	if (text)
		pfx_print_padded(piece, text, strlen(text), to);
	else
		pfx_str_hex(to, addr, 0);
}

static void print_field(const struct pfx_event_bytes *event, const struct pfx_print_piece *piece,
			const struct pfx_node *node, struct pfx_str *to)
{
	const struct pfx_field *field = node->field;
	struct pfx_field_bytes bytes;

	if (!field->is_array && field->size == event->layout->long_size) {
		print_address(event, piece, pfx_event_load(event, field->offset, field->size), to);
		return;
	}
	bytes = pfx_event_field(event, field);
	pfx_print_padded(piece, (const char *)bytes.at, strnlen((const char *)bytes.at, bytes.size),
			 to);
}

static void print_text(const struct pfx_event_bytes *event, const struct pfx_print_piece *piece,
		       const struct pfx_node *node, struct pfx_str *to)
{
	while (node->kind == PFX_NODE_CHOICE)
		node = pfx_node_value(event, node->a) ? node->b : node->c;
	switch (node->kind) {
	case PFX_NODE_STRING:
	case PFX_NODE_NAME:
	case PFX_NODE_NUMBER:
		pfx_print_padded(piece, node->text, node->len, to);
		break;
	case PFX_NODE_FIELD:
	case PFX_NODE_DYNAMIC:
		print_field(event, piece, node, to);
		break;
	case PFX_NODE_FLAGS:
		print_flags(event, piece, node, to);
		break;
	case PFX_NODE_SYMBOL:
		print_symbol(event, piece, node, to);
		break;
	case PFX_NODE_HEX:
		print_bytes(event, node, to);
		break;
	case PFX_NODE_ARRAY:
		print_array(event, node, to);
		break;
	case PFX_NODE_BITMASK:
		pfx_print_mask(event, pfx_event_field(event, node->field), to);
		break;
	case PFX_NODE_CPUMASK:
		pfx_print_mask_list(event, pfx_event_field(event, node->field), to);
		break;
	default:
		break;
	}
}

static int bounded(uint64_t value, int max)
{
	int v = (int)value;

	return v > max ? max : v < -max ? -max : v;
}

static void print_conversion(const struct pfx_event_bytes *event,
			     const struct pfx_print_piece *piece, struct pfx_str *to)
{
	char c;

	if (piece->conv == 's') {
		print_text(event, piece, piece->arg, to);
	} else if (piece->conv == 'p') {
		pfx_print_pointer(event, piece, to);
	} else if (piece->conv == 'c') {
		c = (char)pfx_node_value(event, piece->arg);
		pfx_print_padded(piece, &c, 1, to);
	} else {
		pfx_print_number(piece, pfx_node_value(event, piece->arg), to);
	}
}

/* Width and precision are arguments (%*d). */
static void print_sized(const struct pfx_event_bytes *event, const struct pfx_print_piece *piece,
			struct pfx_str *to)
{
	struct pfx_print_piece own = *piece;

	if (own.width_arg)
		own.width = bounded(pfx_node_value(event, own.width_arg), WIDTH_MAX);
	if (own.precision_arg)
		own.precision =
			bounded(pfx_node_value(event, own.precision_arg), PFX_TRACE_RAW_MAX);
	if (own.precision < 0)
		own.has_precision = false;
	print_conversion(event, &own, to);
}

void pfx_print_event(const struct pfx_event_bytes *event, struct pfx_str *to)
{
	size_t limit = to->len + TEXT_MAX + PER_BYTE * event->size, i;
	const struct pfx_print_piece *piece;

	for (i = 0; i < event->layout->nr_pieces && to->len < limit; i++) {
		piece = &event->layout->pieces[i];
		if (!piece->conv)
			pfx_str_addn(to, piece->text, piece->len);
		else if (piece->width_arg || piece->precision_arg)
			print_sized(event, piece, to);
		else
			print_conversion(event, piece, to);
	}
}
