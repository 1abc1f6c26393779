/* SPDX-License-Identifier: MIT */
/*
 * Bytes under construction, in either byte order: the counterpart of the cursor. A zeroed struct is
 * an empty buffer in this machine's byte order. The buffer owns its memory.
 */
#ifndef PFX_BASE_BUFFER_H
#define PFX_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pfx_buffer {
	uint8_t *at;
	size_t len, cap;
	bool swap; /* write the other byte order */
};

/* Append bytes, or numbers in the byte order that `swap` selects. */
void pfx_buffer_bytes(struct pfx_buffer *b, const void *data, size_t size);
void pfx_buffer_zeros(struct pfx_buffer *b, size_t size);
void pfx_buffer_u8(struct pfx_buffer *b, uint8_t v);
void pfx_buffer_u16(struct pfx_buffer *b, uint16_t v);
void pfx_buffer_u32(struct pfx_buffer *b, uint32_t v);
void pfx_buffer_u64(struct pfx_buffer *b, uint64_t v);
/* The string, its NUL, and zeros up to a total length that is a multiple of @align. */
void pfx_buffer_cstr(struct pfx_buffer *b, const char *s, size_t align);
/* Append zeros until the buffer's length is a multiple of @align. */
void pfx_buffer_align(struct pfx_buffer *b, size_t align);
/* Overwrite bytes at an offset below the buffer's length. */
void pfx_buffer_patch16(struct pfx_buffer *b, size_t offset, uint16_t v);
void pfx_buffer_patch32(struct pfx_buffer *b, size_t offset, uint32_t v);
void pfx_buffer_patch64(struct pfx_buffer *b, size_t offset, uint64_t v);
static inline void pfx_buffer_clear(struct pfx_buffer *b)
{
	b->len = 0;
}
void pfx_buffer_fini(struct pfx_buffer *b);

#endif
