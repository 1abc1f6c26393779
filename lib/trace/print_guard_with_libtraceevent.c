/* SPDX-License-Identifier: MIT */
/*
 * What libtraceevent does not check: how many bytes a print format wants to show of an array. The
 * number comes from the format and from the event's bytes, so it is computed here first.
 */
#include <event-parse.h>
#include <stdlib.h>
#include <string.h>

#include "trace/print_guard_internal.h"

#define DEPTH_MAX 64

/* A number that is not known is one that is too big. */
#define UNKNOWN UINT64_MAX

static uint64_t eval(const struct pfx_print_guard *guard, const struct tep_print_arg *arg,
		     unsigned depth);

static uint64_t eval_field(const struct pfx_print_guard *guard, const char *name)
{
	struct tep_format_field *field = tep_find_any_field(guard->event, name);
	unsigned long long value;

	if (!field || tep_read_number_field(field, guard->data, &value))
		return UNKNOWN;
	return value;
}

/* The length is in the upper half of the field that tells where a dynamic array is. */
static uint64_t eval_length(const struct pfx_print_guard *guard, struct tep_format_field *field)
{
	if (!field || field->size != 4)
		return UNKNOWN;
	return tep_read_number(guard->event->tep, guard->data + field->offset, 4) >> 16;
}

static uint64_t eval_op(const struct pfx_print_guard *guard, const struct tep_print_arg_op *op,
			unsigned depth)
{
	uint64_t left, right;

	if (!op->op || !op->left || !op->right || strlen(op->op) != 1)
		return UNKNOWN;
	left = eval(guard, op->left, depth);
	right = eval(guard, op->right, depth);
	if (left > guard->limit || right > guard->limit)
		return UNKNOWN;
	switch (op->op[0]) {
	case '+':
		return left + right;
	case '-':
		return left - right; /* wraps to a number that is too big */
	case '*':
		return left * right;
	case '/':
		return right ? left / right : UNKNOWN;
	}
	return UNKNOWN;
}

static uint64_t eval(const struct pfx_print_guard *guard, const struct tep_print_arg *arg,
		     unsigned depth)
{
	if (!arg || depth > DEPTH_MAX)
		return UNKNOWN;
	switch (arg->type) {
	case TEP_PRINT_ATOM:
		return arg->atom.atom ? strtoull(arg->atom.atom, NULL, 0) : UNKNOWN;
	case TEP_PRINT_FIELD:
		return arg->field.name ? eval_field(guard, arg->field.name) : UNKNOWN;
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		return eval_length(guard, arg->dynarray.field);
	case TEP_PRINT_TYPE:
		return eval(guard, arg->typecast.item, depth + 1);
	case TEP_PRINT_OP:
		return eval_op(guard, &arg->op, depth + 1);
	default:
		return UNKNOWN;
	}
}

static bool fits(const struct pfx_print_guard *guard, const struct tep_print_arg *count,
		 const struct tep_print_arg *size)
{
	uint64_t nr = eval(guard, count, 0);
	uint64_t bytes = size ? eval(guard, size, 0) : 1;

	return nr <= guard->limit && bytes <= sizeof(uint64_t) && nr * bytes <= guard->limit;
}

static bool arg_is_safe(const struct pfx_print_guard *guard, const struct tep_print_arg *arg,
			unsigned depth);

static bool list_is_safe(const struct pfx_print_guard *guard, const struct tep_print_arg *arg,
			 unsigned depth)
{
	for (; arg; arg = arg->next)
		if (!arg_is_safe(guard, arg, depth))
			return false;
	return true;
}

static bool arg_is_safe(const struct pfx_print_guard *guard, const struct tep_print_arg *arg,
			unsigned depth)
{
	if (!arg)
		return true;
	if (depth > DEPTH_MAX)
		return false;
	switch (arg->type) {
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		return fits(guard, arg->hex.size, NULL);
	case TEP_PRINT_INT_ARRAY:
		return fits(guard, arg->int_array.count, arg->int_array.el_size);
	case TEP_PRINT_FLAGS:
		return arg_is_safe(guard, arg->flags.field, depth + 1);
	case TEP_PRINT_SYMBOL:
		return arg_is_safe(guard, arg->symbol.field, depth + 1);
	case TEP_PRINT_TYPE:
		return arg_is_safe(guard, arg->typecast.item, depth + 1);
	case TEP_PRINT_OP:
		return arg_is_safe(guard, arg->op.left, depth + 1) &&
		       arg_is_safe(guard, arg->op.right, depth + 1);
	case TEP_PRINT_FUNC:
		return list_is_safe(guard, arg->func.args, depth + 1);
	case TEP_PRINT_DYNAMIC_ARRAY:
		return !arg->dynarray.index || eval(guard, arg->dynarray.index, 0) <= guard->limit;
	default:
		return true;
	}
}

bool pfx_print_guard_ok(const struct pfx_print_guard *guard)
{
	return list_is_safe(guard, guard->event->print_fmt.args, 0);
}
