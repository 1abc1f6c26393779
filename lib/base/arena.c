/* SPDX-License-Identifier: MIT */
/* Bump allocation from blocks whose size grows. Nothing is freed before the whole arena. */
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define ARENA_ALIGN      16
#define ARENA_FIRST_SIZE 4096
#define ARENA_MAX_SIZE   (1u << 20)

struct pfx_arena_block {
	struct pfx_arena_block *next;
	size_t size;
	_Alignas(ARENA_ALIGN) char data[];
};

static struct pfx_arena_block *add_block(struct pfx_arena *arena, size_t size)
{
	struct pfx_arena_block *block = pfx_malloc(sizeof(*block) + size);

	block->next = arena->blocks;
	block->size = size;
	arena->blocks = block;
	return block;
}

#ifdef PFX_ARENA_DEBUG
void *pfx_arena_alloc(struct pfx_arena *arena, size_t size)
{
	struct pfx_arena_block *block = add_block(arena, size);

	arena->bytes += size;
	return memset(block->data, 0, size);
}
#else
static void refill(struct pfx_arena *arena, size_t size)
{
	size_t want = arena->blocks ? arena->blocks->size * 2 : ARENA_FIRST_SIZE;
	struct pfx_arena_block *block;

	if (want > ARENA_MAX_SIZE)
		want = ARENA_MAX_SIZE;
	if (want < size)
		want = size;
	block = add_block(arena, want);
	arena->at = block->data;
	arena->end = block->data + want;
}

void *pfx_arena_alloc(struct pfx_arena *arena, size_t size)
{
	char *p;

	size = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	if (!arena->at || size > (size_t)(arena->end - arena->at))
		refill(arena, size);
	p = arena->at;
	arena->at += size;
	arena->bytes += size;
	return memset(p, 0, size);
}
#endif

void *pfx_arena_memdup(struct pfx_arena *arena, const void *data, size_t size)
{
	void *p = pfx_arena_alloc(arena, size);

	if (size)
		memcpy(p, data, size);
	return p;
}

char *pfx_arena_strdup(struct pfx_arena *arena, const char *s)
{
	return pfx_arena_memdup(arena, s, strlen(s) + 1);
}

char *pfx_arena_strndup(struct pfx_arena *arena, const char *s, size_t len)
{
	char *p;

	len = strnlen(s, len);
	p = pfx_arena_alloc(arena, len + 1);
	memcpy(p, s, len);
	return p;
}

void pfx_arena_clear(struct pfx_arena *arena)
{
	struct pfx_arena_block *block, *next;

	for (block = arena->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	memset(arena, 0, sizeof(*arena));
}
