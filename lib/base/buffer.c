/* SPDX-License-Identifier: MIT */
/* Builds byte sequences for the perf.data writer, the test kit and network requests. */
#include "base/buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static uint8_t *add(struct pfx_buffer *b, size_t size)
{
	uint8_t *p;

	if (b->len + size > b->cap)
		b->at = pfx_vec_grow(b->at, &b->cap, b->len + size, 1);
	p = b->at + b->len;
	b->len += size;
	return p;
}

void pfx_buffer_bytes(struct pfx_buffer *b, const void *data, size_t size)
{
	if (size)
		memcpy(add(b, size), data, size);
}

void pfx_buffer_zeros(struct pfx_buffer *b, size_t size)
{
	if (size)
		memset(add(b, size), 0, size);
}

void pfx_buffer_u8(struct pfx_buffer *b, uint8_t v)
{
	*add(b, 1) = v;
}

void pfx_buffer_u16(struct pfx_buffer *b, uint16_t v)
{
	v = b->swap ? __builtin_bswap16(v) : v;
	pfx_buffer_bytes(b, &v, sizeof(v));
}

void pfx_buffer_u32(struct pfx_buffer *b, uint32_t v)
{
	v = b->swap ? __builtin_bswap32(v) : v;
	pfx_buffer_bytes(b, &v, sizeof(v));
}

void pfx_buffer_u64(struct pfx_buffer *b, uint64_t v)
{
	v = b->swap ? __builtin_bswap64(v) : v;
	pfx_buffer_bytes(b, &v, sizeof(v));
}

void pfx_buffer_cstr(struct pfx_buffer *b, const char *s, size_t align)
{
	size_t len = strlen(s) + 1;

	pfx_buffer_bytes(b, s, len);
	pfx_buffer_zeros(b, (align - len % align) % align);
}

void pfx_buffer_align(struct pfx_buffer *b, size_t align)
{
	pfx_buffer_zeros(b, (align - b->len % align) % align);
}

void pfx_buffer_patch16(struct pfx_buffer *b, size_t offset, uint16_t v)
{
	v = b->swap ? __builtin_bswap16(v) : v;
	memcpy(b->at + offset, &v, sizeof(v));
}

void pfx_buffer_patch32(struct pfx_buffer *b, size_t offset, uint32_t v)
{
	v = b->swap ? __builtin_bswap32(v) : v;
	memcpy(b->at + offset, &v, sizeof(v));
}

void pfx_buffer_patch64(struct pfx_buffer *b, size_t offset, uint64_t v)
{
	v = b->swap ? __builtin_bswap64(v) : v;
	memcpy(b->at + offset, &v, sizeof(v));
}

void pfx_buffer_fini(struct pfx_buffer *b)
{
	if (!b)
		return;
	free(b->at);
	memset(b, 0, sizeof(*b));
}
