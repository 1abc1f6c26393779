/* SPDX-License-Identifier: MIT */
/*
 * The values of expressions. All values are unsigned 64-bit numbers, as in the kernel's tools: a
 * negative field of four bytes is a large number in a comparison. The height of the trees is
 * bounded by the parser.
 */
#include <stdlib.h>

#include "trace/print_internal.h"

static uint64_t binary(int op, uint64_t a, uint64_t b)
{
	switch (op) {
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	case '/':
		return b ? a / b : 0;
	case '%':
		return b ? a % b : 0;
	case '&':
		return a & b;
	case '|':
		return a | b;
	case '^':
		return a ^ b;
	case '<':
		return a < b;
	case '>':
		return a > b;
	case PFX_OP('<', '<'):
		return a << (b & 63);
	case PFX_OP('>', '>'):
		return a >> (b & 63);
	case PFX_OP('<', '='):
		return a <= b;
	case PFX_OP('>', '='):
		return a >= b;
	case PFX_OP('=', '='):
		return a == b;
	case PFX_OP('!', '='):
		return a != b;
	default:
		return 0;
	}
}

/* Includes the operators that do not always evaluate their right side. */
static uint64_t eval_binary(const struct pfx_event_bytes *event, const struct pfx_node *node)
{
	uint64_t a = pfx_node_value(event, node->a);

	if (node->op == PFX_OP('&', '&'))
		return a && pfx_node_value(event, node->b);
	if (node->op == PFX_OP('|', '|'))
		return a || pfx_node_value(event, node->b);
	return binary(node->op, a, pfx_node_value(event, node->b));
}

const struct pfx_node *pfx_node_place(const struct pfx_node *node)
{
	while (node &&
	       (node->kind == PFX_NODE_CAST || (node->kind == PFX_NODE_UNARY && node->op == '&')))
		node = node->a;
	if (node && (node->kind == PFX_NODE_FIELD || node->kind == PFX_NODE_DYNAMIC))
		return node;
	return NULL;
}

/* The offset of a field or array in the record. */
static uint64_t place_offset(const struct pfx_event_bytes *event, const struct pfx_node *place)
{
	if (place->kind == PFX_NODE_FIELD && !place->field->is_data_loc &&
	    !place->field->is_rel_loc)
		return place->field->offset;
	return (uint64_t)(pfx_event_field(event, place->field).at - event->data);
}

/* An element of an array; a cast of the array determines the size of elements. */
static uint64_t eval_element(const struct pfx_event_bytes *event, const struct pfx_node *array,
			     uint64_t index)
{
	const struct pfx_node *place = pfx_node_place(array);
	uint64_t size = place->field->elem;

	if (array->kind == PFX_NODE_CAST && array->is_pointer && array->number)
		size = array->number;
	if (index > PFX_TRACE_RAW_MAX)
		return 0;
	return pfx_event_load(event, place_offset(event, place) + index * size, size);
}

static uint64_t eval_unary(const struct pfx_event_bytes *event, const struct pfx_node *node)
{
	if (node->op == '*')
		return eval_element(event, node->a, 0);
	if (node->op == '&')
		return 0;
	switch (node->op) {
	case '-':
		return -pfx_node_value(event, node->a);
	case '!':
		return !pfx_node_value(event, node->a);
	case '~':
		return ~pfx_node_value(event, node->a);
	default:
		return pfx_node_value(event, node->a);
	}
}

static uint64_t eval_cast(const struct pfx_event_bytes *event, const struct pfx_node *node)
{
	uint64_t value = pfx_node_value(event, node->a);

	if (node->is_pointer || !node->number || node->number >= 8)
		return value;
	return value & ((1ull << node->number * 8) - 1);
}

uint64_t pfx_node_value(const struct pfx_event_bytes *event, const struct pfx_node *node)
{
	switch (node->kind) {
	case PFX_NODE_NUMBER:
		return node->number;
	case PFX_NODE_FIELD:
		return pfx_event_load(event, node->field->offset, node->field->size);
	case PFX_NODE_LENGTH:
		return pfx_event_load(event, node->field->offset, 4) >> 16;
	case PFX_NODE_INDEX:
		return eval_element(event, node->a, pfx_node_value(event, node->b));
	case PFX_NODE_CAST:
		return eval_cast(event, node);
	case PFX_NODE_UNARY:
		return eval_unary(event, node);
	case PFX_NODE_BINARY:
		return eval_binary(event, node);
	case PFX_NODE_CHOICE:
		return pfx_node_value(event, pfx_node_value(event, node->a) ? node->b : node->c);
	default:
		return 0;
	}
}

int64_t pfx_node_constant(const struct pfx_node *node)
{
	static struct pfx_trace no_trace;
	static const struct pfx_event_bytes none = {.trace = &no_trace,
						    .data = (const uint8_t *)""};

	return (int64_t)pfx_node_value(&none, node);
}
