/* SPDX-License-Identifier: MIT */
/*
 * Bytes being built, in either byte order: the counterpart of the cursor. Zero is empty and in this
 * machine's order; the buffer owns its memory.
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

/* Append; numbers in the order that `swap` says. */
void pfx_buffer_bytes(struct pfx_buffer *b, const void *data, size_t size);
void pfx_buffer_zeros(struct pfx_buffer *b, size_t size);
void pfx_buffer_u8(struct pfx_buffer *b, uint8_t v);
void pfx_buffer_u16(struct pfx_buffer *b, uint16_t v);
void pfx_buffer_u32(struct pfx_buffer *b, uint32_t v);
void pfx_buffer_u64(struct pfx_buffer *b, uint64_t v);
/* The string, its NUL, and zeros until the length of both is a multiple of @align. */
void pfx_buffer_cstr(struct pfx_buffer *b, const char *s, size_t align);
/* Zeros until the buffer's length is a multiple of @align. */
void pfx_buffer_align(struct pfx_buffer *b, size_t align);
/* Overwrite at an offset that was written before. */
void pfx_buffer_patch16(struct pfx_buffer *b, size_t offset, uint16_t v);
void pfx_buffer_patch32(struct pfx_buffer *b, size_t offset, uint32_t v);
void pfx_buffer_patch64(struct pfx_buffer *b, size_t offset, uint64_t v);
static inline void pfx_buffer_clear(struct pfx_buffer *b)
{
	b->len = 0;
}
void pfx_buffer_fini(struct pfx_buffer *b);

#endif
