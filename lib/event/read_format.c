/* SPDX-License-Identifier: MIT */
/* Values of counters in the layout of attr.read_format, in READ records and in samples. Section 3.5
 * of Documentation/file-format.md. */
#include "event/record.h"

static void decode_read_values(struct pfx_cursor *c, uint64_t read_format, struct pfx_read *ret)
{
	uint64_t i;

	for (i = 0; i < ret->nr; i++) {
		struct pfx_read_value v = {0};

		v.value = pfx_cursor_u64(c);
		if (read_format & PFX_FORMAT_ID)
			v.id = pfx_cursor_u64(c);
		if (read_format & PFX_FORMAT_LOST)
			v.lost = pfx_cursor_u64(c);
		if (i < PFX_READ_MAX)
			ret->values[i] = v;
	}
}

static void decode_times(struct pfx_cursor *c, uint64_t read_format, struct pfx_read *ret)
{
	ret->enabled = read_format & PFX_FORMAT_ENABLED ? pfx_cursor_u64(c) : 0;
	ret->running = read_format & PFX_FORMAT_RUNNING ? pfx_cursor_u64(c) : 0;
}

/*
 * One counter:	value, [enabled], [running], [id], [lost]
 * A group:	nr, [enabled], [running], nr times { value, [id], [lost] }
 */
bool pfx_read_decode(struct pfx_cursor *c, uint64_t read_format, struct pfx_read *ret)
{
	unsigned words = 1 + !!(read_format & PFX_FORMAT_ID) + !!(read_format & PFX_FORMAT_LOST);

	if (read_format & PFX_FORMAT_GROUP) {
		ret->nr = pfx_cursor_u64(c);
		decode_times(c, read_format, ret);
		if (pfx_cursor_fits(c, ret->nr, 8 * words))
			decode_read_values(c, read_format, ret);
		return pfx_cursor_ok(c);
	}
	ret->nr = 1;
	ret->values[0] = (struct pfx_read_value){.value = pfx_cursor_u64(c)};
	decode_times(c, read_format, ret);
	if (read_format & PFX_FORMAT_ID)
		ret->values[0].id = pfx_cursor_u64(c);
	if (read_format & PFX_FORMAT_LOST)
		ret->values[0].lost = pfx_cursor_u64(c);
	return pfx_cursor_ok(c);
}

static void encode_times(const struct pfx_read *read, uint64_t read_format, struct pfx_buffer *to)
{
	if (read_format & PFX_FORMAT_ENABLED)
		pfx_buffer_u64(to, read->enabled);
	if (read_format & PFX_FORMAT_RUNNING)
		pfx_buffer_u64(to, read->running);
}

static void encode_ids(const struct pfx_read_value *v, uint64_t read_format, struct pfx_buffer *to)
{
	if (read_format & PFX_FORMAT_ID)
		pfx_buffer_u64(to, v->id);
	if (read_format & PFX_FORMAT_LOST)
		pfx_buffer_u64(to, v->lost);
}

void pfx_read_encode(const struct pfx_read *read, uint64_t read_format, struct pfx_buffer *to)
{
	uint64_t i, nr = read->nr < PFX_READ_MAX ? read->nr : PFX_READ_MAX;

	if (!(read_format & PFX_FORMAT_GROUP)) {
		pfx_buffer_u64(to, read->values[0].value);
		encode_times(read, read_format, to);
		encode_ids(&read->values[0], read_format, to);
		return;
	}
	pfx_buffer_u64(to, nr);
	encode_times(read, read_format, to);
	for (i = 0; i < nr; i++) {
		pfx_buffer_u64(to, read->values[i].value);
		encode_ids(&read->values[i], read_format, to);
	}
}
