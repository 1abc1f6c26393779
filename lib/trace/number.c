/* SPDX-License-Identifier: MIT */
/*
 * A number out of a tracepoint's raw bytes, by the name of its field. The format's text says where
 * it stands, one line a field:
 *
 *	field:pid_t pid;	offset:24;	size:4;	signed:1;
 */
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "trace_internal.h"

struct field {
	uint64_t offset, size;
	bool is_signed;
};

/* The number behind @word ("offset:") in the line. */
static bool read_part(const char *line, size_t len, const char *word, uint64_t *ret)
{
	const char *at = memmem(line, len, word, strlen(word)), *end = line + len;

	if (!at)
		return false;
	*ret = 0;
	for (at += strlen(word); at < end && *at >= '0' && *at <= '9' && *ret < UINT32_MAX; at++)
		*ret = *ret * 10 + (uint64_t)(*at - '0');
	return at < end && *at == ';';
}

/* Whether the declaration in front of the first ';' ends with @name. */
static bool declares(const char *line, size_t len, const char *name)
{
	const char *stop = memchr(line, ';', len);
	size_t n = strlen(name);

	return stop && (size_t)(stop - line) > n && !memcmp(stop - n, name, n) &&
	       (stop[-(ptrdiff_t)n - 1] == ' ' || stop[-(ptrdiff_t)n - 1] == '\t');
}

static bool find_field(const struct pfx_trace_piece *format, const char *name, struct field *ret)
{
	const char *at = format->at, *end = format->at + format->size, *stop;
	uint64_t is_signed = 0;
	size_t len;

	for (; at < end; at = stop + 1) {
		stop = memchr(at, '\n', (size_t)(end - at));
		if (!stop)
			stop = end;
		len = (size_t)(stop - at);
		if (!declares(at, len, name))
			continue;
		if (!read_part(at, len, "offset:", &ret->offset) ||
		    !read_part(at, len, "size:", &ret->size))
			return false;
		read_part(at, len, "signed:", &is_signed);
		ret->is_signed = is_signed;
		return true;
	}
	return false;
}

static bool load(const uint8_t *at, const struct field *field, bool swap, uint64_t *ret)
{
	switch (field->size) {
	case 1:
		*ret = field->is_signed ? (uint64_t)(int8_t)*at : *at;
		return true;
	case 2:
		*ret = pfx_load16(at, swap);
		if (field->is_signed)
			*ret = (uint64_t)(int16_t)*ret;
		return true;
	case 4:
		*ret = pfx_load32(at, swap);
		if (field->is_signed)
			*ret = (uint64_t)(int32_t)*ret;
		return true;
	case 8:
		*ret = pfx_load64(at, swap);
		return true;
	default:
		return false;
	}
}

bool pfx_trace_number(struct pfx_trace *trace, const struct pfx_trace_ask *ask, const void *raw,
		      size_t size, uint64_t *ret)
{
	const uint64_t *index = pfx_hash_get(&trace->by_id, ask->event);
	struct field field;

	if (!index || !find_field(&trace->blob.events.at[*index].format, ask->field, &field))
		return false;
	if (field.size > size || field.offset > size - field.size)
		return false;
	return load((const uint8_t *)raw + field.offset, &field, trace->blob.swap, ret);
}
