/* SPDX-License-Identifier: MIT */
/*
 * The format text of one event: its fields, one a line, and where its print format begins.
 *
 *	field:__data_loc char[] name;	offset:8;	size:4;	signed:0;
 *
 * The text is untrusted: every number is bounded, and an invalid field makes the event unusable.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "trace/layout_internal.h"
#include "trace/print_internal.h"

#define FIELDS_MAX 1024 /* kernels have less than 50 per event */

static bool contains(const char *at, size_t len, const char *word)
{
	return memmem(at, len, word, strlen(word)) != NULL;
}

static bool starts(const char *at, const char *end, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(end - at) >= len && !memcmp(at, word, len);
}

/* A number up to @stop, at most PFX_TRACE_RAW_MAX. */
static bool read_number(const char *at, const char *end, char stop, uint32_t *ret)
{
	const char *start = at;
	uint32_t v = 0;

	for (; at < end && *at >= '0' && *at <= '9'; at++) {
		v = v * 10 + (uint32_t)(*at - '0');
		if (v > PFX_TRACE_RAW_MAX)
			return false;
	}
	*ret = v;
	return at > start && at < end && *at == stop;
}

/* The number after @word ("offset:"). */
static bool read_part(const char *at, const char *end, const char *word, uint32_t *ret)
{
	const char *found = memmem(at, (size_t)(end - at), word, strlen(word));

	return found && read_number(found + strlen(word), end, ';', ret);
}

uint32_t pfx_type_size(const char *type, size_t len, unsigned long_size)
{
	static const struct {
		const char *word;
		uint32_t size;
	} sizes[] = {
		{"u8", 1},       {"s8", 1},     {"char", 1},      {"bool", 1},     {"u16", 2},
		{"s16", 2},      {"short", 2},  {"u32", 4},       {"s32", 4},      {"int", 4},
		{"u64", 8},      {"s64", 8},    {"long long", 8}, {"__u8", 1},     {"__s8", 1},
		{"__u16", 2},    {"__s16", 2},  {"__u32", 4},     {"__s32", 4},    {"__u64", 8},
		{"__s64", 8},    {"__be16", 2}, {"__be32", 4},    {"__be64", 8},   {"__le16", 2},
		{"__le32", 4},   {"__le64", 8}, {"uint8_t", 1},   {"uint16_t", 2}, {"uint32_t", 4},
		{"uint64_t", 8}, {"int8_t", 1}, {"int16_t", 2},   {"int32_t", 4},  {"int64_t", 8}};
	size_t i;

	while (len && strchr(" \t", type[len - 1]))
		len--;
	while (len && strchr(" \t", *type))
		type++, len--;
	if (len && type[len - 1] == '*')
		return long_size;
	if (len == 8 && !memcmp(type, "unsigned", 8))
		return 4;
	if (len > 9 && !memcmp(type, "unsigned ", 9))
		type += 9, len -= 9;
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (strlen(sizes[i].word) == len && !memcmp(type, sizes[i].word, len))
			return sizes[i].size;
	if ((len == 4 && !memcmp(type, "long", 4)) || (len == 6 && !memcmp(type, "size_t", 6)))
		return long_size;
	return 0;
}

/* Parse the type before the name. */
static void read_type(struct pfx_field *field, const char *at, size_t len, unsigned long_size)
{
	const char *bracket;

	field->is_data_loc = len > 10 && !memcmp(at, "__data_loc", 10);
	field->is_rel_loc = len > 9 && !memcmp(at, "__rel_loc", 9);
	if (field->is_data_loc || field->is_rel_loc) {
		field->is_array = true;
		at += field->is_data_loc ? 10 : 9;
		len -= field->is_data_loc ? 10 : 9;
	}
	field->is_pointer = memchr(at, '*', len) != NULL;
	field->is_long = contains(at, len, "long");
	field->is_text = field->is_array && (contains(at, len, "char") || contains(at, len, "u8") ||
					     contains(at, len, "s8"));
	bracket = memchr(at, '[', len);
	if (bracket)
		len = (size_t)(bracket - at);
	field->elem = field->is_array ? pfx_type_size(at, len, long_size) : field->size;
}

/* The size of an element, where brackets after the name contain the number of elements. */
static void read_count(struct pfx_field *field, const char *bracket, const char *stop,
		       unsigned long_size)
{
	uint32_t nr;

	if (bracket && read_number(bracket + 1, stop, ']', &nr) && nr)
		field->elem = field->size / nr;
	else if (!field->elem)
		field->elem = field->is_text ? 1 : field->is_long ? long_size : 4;
}

/* A line after "field:". */
static bool add_field(struct pfx_layout *layout, const char *at, const char *end)
{
	const char *stop = memchr(at, ';', (size_t)(end - at)), *start, *name_end, *bracket = NULL;
	struct pfx_field field = {0};
	uint32_t is_signed = 0;

	if (!stop || stop == at || layout->fields.nr >= FIELDS_MAX)
		return false;
	if (!read_part(stop, end, "offset:", &field.offset) ||
	    !read_part(stop, end, "size:", &field.size) ||
	    field.offset + field.size > PFX_TRACE_RAW_MAX)
		return false;
	field.is_signed = read_part(stop, end, "signed:", &is_signed) && is_signed;
	if (stop[-1] == ']')
		bracket = memchr(at, '[', (size_t)(stop - at));
	name_end = bracket ? bracket : stop;
	/* "char[] name": the brackets belong to the type */
	for (start = name_end; start > at && !strchr(" \t*)]", start[-1]); start--)
		;
	field.name_len = (size_t)(name_end - start);
	field.name = pfx_arena_strndup(&layout->arena, start, field.name_len);
	field.is_array = bracket != NULL;
	read_type(&field, at, (size_t)(start - at), layout->long_size);
	if (field.is_array)
		read_count(&field, bracket, stop, layout->long_size);
	pfx_vec_push(&layout->fields, field);
	return true;
}

const struct pfx_field *pfx_layout_field(const struct pfx_layout *layout, const char *name,
					 size_t len)
{
	size_t i;

	for (i = 0; i < layout->fields.nr; i++)
		if (layout->fields.at[i].name_len == len &&
		    !memcmp(layout->fields.at[i].name, name, len))
			return &layout->fields.at[i];
	return NULL;
}

/* An empty line ends the common fields of all events. */
static bool read_lines(struct pfx_layout *layout, const char *at, const char *end)
{
	static const char *const heads[] = {"\tfield:", "\tfield special:"};
	static const char print[] = "print fmt:";
	const char *stop;
	size_t i;

	for (; at < end; at = stop + 1) {
		if (starts(at, end, print)) {
			layout->has_print = pfx_print_parse(layout, at + sizeof(print) - 1, end);
			return true;
		}
		stop = memchr(at, '\n', (size_t)(end - at));
		if (!stop)
			stop = end;
		if (stop == at && !layout->nr_common)
			layout->nr_common = layout->fields.nr;
		for (i = 0; i < sizeof(heads) / sizeof(*heads); i++)
			if (starts(at, stop, heads[i]) &&
			    !add_field(layout, at + strlen(heads[i]), stop))
				return false;
	}
	return true;
}

struct pfx_layout *pfx_layout_new(const struct pfx_trace_piece *text, unsigned long_size)
{
	struct pfx_layout *layout = pfx_calloc(1, sizeof(*layout));
	const char *copy;

	layout->long_size = long_size;
	if (text->size > PFX_TRACE_FORMAT_MAX || !text->size)
		return layout;
	copy = pfx_arena_strndup(&layout->arena, text->at, text->size);
	layout->is_usable = read_lines(layout, copy, copy + strlen(copy));
	return layout;
}

void pfx_layout_free(struct pfx_layout *layout)
{
	if (!layout)
		return;
	pfx_vec_free(&layout->fields);
	pfx_arena_clear(&layout->arena);
	free(layout);
}

uint64_t pfx_event_load(const struct pfx_event_bytes *event, uint64_t offset, uint64_t size)
{
	bool swap = event->trace->blob.swap;
	uint8_t bytes[8] = {0};
	const uint8_t *at;

	if (offset >= event->size || size > sizeof(bytes))
		return 0;
	at = event->data + offset;
	if (size > event->size - offset) {
		memcpy(bytes, at, event->size - offset);
		at = bytes;
	}
	switch (size) {
	case 1:
		return *at;
	case 2:
		return pfx_load16(at, swap);
	case 4:
		return pfx_load32(at, swap);
	case 8:
		return pfx_load64(at, swap);
	default:
		return 0;
	}
}

struct pfx_field_bytes pfx_event_field(const struct pfx_event_bytes *event,
				       const struct pfx_field *field)
{
	uint64_t offset = field->offset, size = field->size, loc;

	if (field->is_data_loc || field->is_rel_loc) {
		loc = pfx_event_load(event, field->offset, 4);
		offset = (loc & 0xffff) + (field->is_rel_loc ? field->offset + field->size : 0);
		size = loc >> 16;
	} else if (!size) {
		size = event->size; /* the rest of the event */
	}
	if (offset > event->size)
		offset = event->size;
	if (size > event->size - offset)
		size = event->size - offset;
	return (struct pfx_field_bytes){event->data + offset, size};
}
