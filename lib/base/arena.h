/* SPDX-License-Identifier: MIT */
/*
 * Memory by lifetime: many allocations, one free. An arena owns everything allocated from it. A
 * zeroed struct is an empty arena. With PFX_ARENA_DEBUG each allocation is a separate malloc, so
 * that AddressSanitizer sees overruns.
 */
#ifndef PFX_BASE_ARENA_H
#define PFX_BASE_ARENA_H

#include <stddef.h>

struct pfx_arena_block;

struct pfx_arena {
	struct pfx_arena_block *blocks; /* newest first */
	char *at, *end;                 /* the free part of the newest block */
	size_t bytes;                   /* allocated so far, for statistics */
};

/* @size zeroed bytes, aligned for any type. */
void *pfx_arena_alloc(struct pfx_arena *arena, size_t size);
/* Copies into the arena; a string copy is NUL-terminated. */
void *pfx_arena_memdup(struct pfx_arena *arena, const void *data, size_t size);
char *pfx_arena_strdup(struct pfx_arena *arena, const char *s);
char *pfx_arena_strndup(struct pfx_arena *arena, const char *s, size_t len);
/* Frees everything; the arena is empty and usable again. */
void pfx_arena_clear(struct pfx_arena *arena);

#define pfx_arena_new(arena, T)      ((T *)pfx_arena_alloc((arena), sizeof(T)))
#define pfx_arena_array(arena, T, n) ((T *)pfx_arena_alloc((arena), sizeof(T) * (n)))

#endif
