/* SPDX-License-Identifier: MIT */
/* Shared by codecs of several record types: arrays of words, bytes, fields of fixed size. */
#include <string.h>

#include "event/codec_internal.h"

struct pfx_words pfx_record_words(struct pfx_cursor *c, uint64_t nr)
{
	struct pfx_words words = {c->at, 0, c->swap};

	if (!pfx_cursor_fits(c, nr, 8))
		return words;
	words.nr = nr;
	pfx_cursor_skip(c, nr * 8);
	return words;
}

struct pfx_words pfx_record_rest_words(struct pfx_cursor *c)
{
	return pfx_record_words(c, pfx_cursor_left(c) / 8);
}

struct pfx_bytes pfx_record_bytes(struct pfx_cursor *c, uint64_t nr, size_t size)
{
	struct pfx_bytes bytes = {c->at, 0};

	if (!pfx_cursor_fits(c, nr, size))
		return bytes;
	bytes.size = nr * size;
	pfx_cursor_skip(c, bytes.size);
	return bytes;
}

void pfx_record_put_words(struct pfx_buffer *to, const struct pfx_words *words)
{
	uint64_t i;

	for (i = 0; i < words->nr; i++)
		pfx_buffer_u64(to, pfx_word(words, i));
}

void pfx_record_put_field(struct pfx_buffer *to, const char *s, size_t size)
{
	size_t len = s ? strnlen(s, size - 1) : 0;

	pfx_buffer_bytes(to, s, len);
	pfx_buffer_zeros(to, size - len);
}
