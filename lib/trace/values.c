/* SPDX-License-Identifier: MIT */
/*
 * The fields of an event as values, and the names that its print format has for them: for programs
 * that process samples, not only print them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "trace/print_internal.h"

size_t pfx_trace_nr_fields(struct pfx_trace *trace, uint64_t id)
{
	const struct pfx_layout *layout = pfx_trace_layout(trace, id);

	return layout ? layout->fields.nr - layout->nr_common : 0;
}

void pfx_trace_field_at(struct pfx_trace *trace, uint64_t id, size_t i, struct pfx_trace_field *ret)
{
	const struct pfx_layout *layout = pfx_trace_layout(trace, id);
	const struct pfx_field *field = &layout->fields.at[layout->nr_common + i];

	*ret = (struct pfx_trace_field){
		.name = field->name,
		.is_array = field->is_array,
		.is_text = field->is_text,
		.is_signed = field->is_signed,
		.size = field->size,
	};
}

void pfx_trace_values(struct pfx_trace *trace, uint64_t id, const struct pfx_trace_value *raw,
		      struct pfx_trace_value *ret)
{
	const struct pfx_layout *layout = pfx_trace_layout(trace, id);
	const struct pfx_event_bytes event = {trace, layout, raw->bytes, raw->size};
	const struct pfx_field *field;
	struct pfx_field_bytes bytes;
	size_t i;

	for (i = layout ? layout->nr_common : 0; layout && i < layout->fields.nr; i++, ret++) {
		field = &layout->fields.at[i];
		*ret = (struct pfx_trace_value){0};
		if (!field->is_array) {
			ret->number = pfx_event_load(&event, field->offset, field->size);
			continue;
		}
		bytes = pfx_event_field(&event, field);
		ret->bytes = bytes.at;
		ret->size = bytes.size;
	}
}

struct name_walk {
	pfx_trace_name_fn fn;
	void *ctx;
};

/* The first field in an expression: the field that its names belong to. */
static const struct pfx_field *field_of(const struct pfx_node *node)
{
	const struct pfx_field *field = NULL;

	if (!node)
		return NULL;
	if (node->kind == PFX_NODE_FIELD)
		return node->field;
	field = field_of(node->a);
	if (!field)
		field = field_of(node->b);
	return field ? field : field_of(node->c);
}

static void tell_names(const struct name_walk *walk, const struct pfx_node *node)
{
	const struct pfx_field *field = field_of(node->a);
	struct pfx_trace_name name = {.is_flag = node->kind == PFX_NODE_FLAGS};
	char *separator, *text;
	size_t i;

	if (!field)
		return;
	name.field = field->name;
	name.separator = separator =
		pfx_strndup(name.is_flag ? node->text : "", name.is_flag ? node->len : 0);
	for (i = 0; i < node->nr_names; i++) {
		name.value = node->names[i].value;
		name.text = text = pfx_strndup(node->names[i].text, node->names[i].len);
		walk->fn(walk->ctx, &name);
		free(text);
	}
	free(separator);
}

static void walk_node(const struct name_walk *walk, const struct pfx_node *node)
{
	if (!node)
		return;
	if (node->kind == PFX_NODE_FLAGS || node->kind == PFX_NODE_SYMBOL) {
		tell_names(walk, node);
		return;
	}
	walk_node(walk, node->a);
	walk_node(walk, node->b);
	walk_node(walk, node->c);
}

void pfx_trace_each_name(struct pfx_trace *trace, uint64_t id, pfx_trace_name_fn fn, void *ctx)
{
	const struct pfx_layout *layout = pfx_trace_layout(trace, id);
	const struct name_walk walk = {fn, ctx};
	size_t i;

	for (i = 0; layout && layout->has_print && i < layout->nr_pieces; i++)
		walk_node(&walk, layout->pieces[i].arg);
}
