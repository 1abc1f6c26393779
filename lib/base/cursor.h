/* SPDX-License-Identifier: MIT */
/*
 * Reads untrusted bytes with bounds checks and byte swapping. A read past the end returns 0 and
 * makes the cursor fail permanently, so that a decoder reads all its fields and checks
 * pfx_cursor_ok() once. Reads need no alignment. The cursor borrows the bytes. A count from the
 * bytes must pass pfx_cursor_fits() before it bounds a loop or an allocation.
 */
#ifndef PFX_BASE_CURSOR_H
#define PFX_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pfx_cursor {
	const uint8_t *at, *end;
	bool swap;   /* the bytes are in the other byte order */
	bool failed; /* a read went past the end */
};

static inline struct pfx_cursor pfx_cursor_make(const void *data, size_t size, bool swap)
{
	const uint8_t *p = data; /* NULL without bytes; NULL + 0 would be undefined */

	return (struct pfx_cursor){p, (const uint8_t *)((uintptr_t)p + size), swap, false};
}

static inline bool pfx_cursor_ok(const struct pfx_cursor *c)
{
	return !c->failed;
}

static inline size_t pfx_cursor_left(const struct pfx_cursor *c)
{
	return (size_t)(c->end - c->at);
}

/* True if @nr elements of @size bytes are left; else the cursor fails. */
static inline bool pfx_cursor_fits(struct pfx_cursor *c, uint64_t nr, size_t size)
{
	if (!c->failed && nr <= pfx_cursor_left(c) / size)
		return true;
	c->failed = true;
	return false;
}

/* The next @size bytes, or NULL. */
static inline const uint8_t *pfx_cursor_bytes(struct pfx_cursor *c, size_t size)
{
	const uint8_t *p = c->at;

	if (c->failed || size > pfx_cursor_left(c)) {
		c->failed = true;
		return NULL;
	}
	c->at += size;
	return p;
}

static inline uint16_t pfx_load16(const void *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t pfx_load32(const void *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t pfx_load64(const void *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

static inline uint8_t pfx_cursor_u8(struct pfx_cursor *c)
{
	const uint8_t *p = pfx_cursor_bytes(c, 1);

	return p ? *p : 0;
}

static inline uint16_t pfx_cursor_u16(struct pfx_cursor *c)
{
	const uint8_t *p = pfx_cursor_bytes(c, 2);

	return p ? pfx_load16(p, c->swap) : 0;
}

static inline uint32_t pfx_cursor_u32(struct pfx_cursor *c)
{
	const uint8_t *p = pfx_cursor_bytes(c, 4);

	return p ? pfx_load32(p, c->swap) : 0;
}

static inline uint64_t pfx_cursor_u64(struct pfx_cursor *c)
{
	const uint8_t *p = pfx_cursor_bytes(c, 8);

	return p ? pfx_load64(p, c->swap) : 0;
}

static inline void pfx_cursor_skip(struct pfx_cursor *c, size_t size)
{
	(void)pfx_cursor_bytes(c, size);
}

/* An unsigned LEB128 number (DWARF). */
static inline uint64_t pfx_cursor_uleb(struct pfx_cursor *c)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = pfx_cursor_u8(c);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

/* The next @size bytes as a separate cursor; empty and failed when fewer are left. */
static inline struct pfx_cursor pfx_cursor_sub(struct pfx_cursor *c, size_t size)
{
	const uint8_t *p = pfx_cursor_bytes(c, size);
	struct pfx_cursor sub = {c->at, c->at, c->swap, true};

	if (p) {
		sub.at = p;
		sub.end = p + size;
		sub.failed = false;
	}
	return sub;
}

/* A NUL-terminated string; "" and failure when the bytes contain no NUL. */
static inline const char *pfx_cursor_cstr(struct pfx_cursor *c)
{
	const uint8_t *nul = c->failed ? NULL : memchr(c->at, 0, pfx_cursor_left(c));
	const uint8_t *p = c->at;

	if (!nul) {
		c->failed = true;
		return "";
	}
	c->at = nul + 1;
	return (const char *)p;
}

/* A NUL-terminated string in a field of @size bytes. */
static inline const char *pfx_cursor_field(struct pfx_cursor *c, size_t size)
{
	struct pfx_cursor sub = pfx_cursor_sub(c, size);
	const char *s = pfx_cursor_cstr(&sub);

	if (sub.failed)
		c->failed = true;
	return s;
}

#endif
