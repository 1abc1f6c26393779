/* SPDX-License-Identifier: MIT */
/* Fields of tracepoints: the recorded format is parsed once, a sample's values when the first of
 * them is asked for. */
#include <string.h>

#include "api/input_internal.h"

static struct pfx_trace *trace_of(struct pfx_input *input)
{
	const struct pfx_env_blob *blob = &pfx_recording_meta(input->recording)->env.tracing_data;

	if (!input->tried_trace && blob->size) {
		input->tried_trace = true;
		pfx_trace_open(&input->trace, blob->at, blob->size, NULL);
	}
	return input->trace;
}

/* The id of the sample's tracepoint in the trace. */
static bool is_tracepoint(const struct pfx_input *input, uint64_t *ret_id)
{
	const struct pfx_sample *sample = pfx_input_last(input);

	if (!sample || !sample->raw.size || input->event->attr.type != PFX_TYPE_TRACEPOINT)
		return false;
	*ret_id = input->event->attr.config;
	return true;
}

uint32_t pfx_input_nr_fields(struct pfx_input *input)
{
	uint64_t id;

	if (!is_tracepoint(input, &id) || !trace_of(input))
		return 0;
	return (uint32_t)pfx_trace_nr_fields(input->trace, id);
}

static void decode(struct pfx_input *input, uint64_t id)
{
	const struct pfx_bytes *raw = &pfx_input_last(input)->raw;
	const struct pfx_trace_value all = {.bytes = raw->at, .size = raw->size};
	size_t nr = pfx_trace_nr_fields(input->trace, id);

	if (input->has_values)
		return;
	pfx_vec_reserve(&input->values, nr);
	input->values.nr = nr;
	pfx_trace_values(input->trace, id, &all, input->values.at);
	input->has_values = true;
}

static uint64_t extend(const struct pfx_trace_field *field, const struct pfx_trace_value *value)
{
	unsigned bits = field->size * 8;

	if (!field->is_signed || !bits || bits >= 64)
		return value->number;
	return (uint64_t)((int64_t)(value->number << (64 - bits)) >> (64 - bits));
}

void pfx_input_field(struct pfx_input *input, uint32_t i, struct pfx_raw_field *ret)
{
	struct pfx_raw_field field = {0};
	const struct pfx_trace_value *value;
	struct pfx_trace_field format;
	uint64_t id = 0;

	if (!is_tracepoint(input, &id) || !trace_of(input))
		return;
	decode(input, id);
	pfx_trace_field_at(input->trace, id, i, &format);
	value = &input->values.at[i];
	field.name = format.name;
	field.is_signed = format.is_signed;
	if (format.is_array) {
		field.kind = format.is_text ? PFX_RAW_TEXT : PFX_RAW_BYTES;
		field.bytes = value->bytes;
		field.nr_bytes = value->size;
		if (format.is_text && value->size)
			field.nr_bytes = strnlen((const char *)value->bytes, value->size);
	} else {
		field.number = extend(&format, value);
	}
	pfx_api_give(ret, &field, sizeof(field));
}

int pfx_input_find_field(struct pfx_input *input, const char *name, struct pfx_raw_field *ret)
{
	uint32_t nr = pfx_input_nr_fields(input), i;
	struct pfx_trace_field format;

	for (i = 0; name && i < nr; i++) {
		pfx_trace_field_at(input->trace, input->event->attr.config, i, &format);
		if (strcmp(format.name, name))
			continue;
		pfx_input_field(input, i, ret);
		return 1;
	}
	return 0;
}
