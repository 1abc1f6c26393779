/* SPDX-License-Identifier: MIT */
/* Heap allocation that ends the program when memory is short, in the way that it has chosen with
 * pfx_set_out_of_memory(). The only place in lib/ that may do so. */
#include "base/alloc.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pfx/common.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#define HUGE_PAGE    ((uintptr_t)2 << 20) /* of x86 and arm64; elsewhere an alignment */
#define HEAP_STEP    (16 << 20)           /* by which the heap grows */
#define OWN_MAPPING  (HEAP_STEP / 2)      /* larger blocks are not in the heap */
#define HEAP_WATCHED 4096                 /* smaller allocations hardly make it grow */

static _Atomic(pfx_out_of_memory_fn) handler;
static _Atomic(void *) handler_context;
static _Atomic(uintptr_t) heap_end; /* as last seen; 0: huge pages were not asked for */

void pfx_set_out_of_memory(pfx_out_of_memory_fn fn, void *context)
{
	atomic_store(&handler_context, context);
	atomic_store(&handler, fn);
}

void pfx_alloc_trim(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

void pfx_alloc_huge_pages(void)
{
#ifdef __GLIBC__
	mallopt(M_TOP_PAD, HEAP_STEP);
	mallopt(M_TRIM_THRESHOLD, 4 * HEAP_STEP);
	mallopt(M_MMAP_THRESHOLD, OWN_MAPPING);
	mallopt(M_ARENA_MAX, 1); /* those of other threads grow by small pages */
	atomic_store(&heap_end, (uintptr_t)sbrk(0));
#endif
}

/* The kernel may refuse. */
static void ask_for_huge_pages(uintptr_t from, uintptr_t to)
{
	from = (from + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	to &= ~(HUGE_PAGE - 1);
	if (to > from)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
}

/* For what was added to the heap since the last call. */
static void watch_heap(size_t size)
{
	uintptr_t known = atomic_load_explicit(&heap_end, memory_order_relaxed), end;

	if (!known || size < HEAP_WATCHED)
		return;
	end = (uintptr_t)sbrk(0); /* no system call */
	if (end != known && atomic_compare_exchange_strong(&heap_end, &known, end))
		ask_for_huge_pages(known, end);
}

static _Noreturn void out_of_memory(void)
{
	pfx_out_of_memory_fn fn = atomic_load(&handler);

	if (fn)
		fn(atomic_load(&handler_context));
	abort();
}

static void *checked(void *p, size_t size)
{
	if (!p)
		out_of_memory();
	watch_heap(size);
	return p;
}

/* A block that will be filled: of a zeroed one large parts may never be used. */
static void *full(void *p, size_t size)
{
	uintptr_t at = (uintptr_t)p;

	if (size >= OWN_MAPPING && atomic_load_explicit(&heap_end, memory_order_relaxed))
		ask_for_huge_pages(at, at + size);
	return p;
}

static void *checked_full(void *p, size_t size)
{
	return full(checked(p, size), size);
}

void *pfx_malloc(size_t size)
{
	return checked_full(malloc(size ? size : 1), size);
}

void *pfx_calloc(size_t nr, size_t size)
{
	return checked(calloc(nr ? nr : 1, size ? size : 1), nr * size);
}

void *pfx_realloc(void *old, size_t size)
{
	return checked_full(realloc(old, size ? size : 1), size);
}

char *pfx_strdup(const char *s)
{
	return pfx_strndup(s, strlen(s));
}

char *pfx_strndup(const char *s, size_t len)
{
	char *p;

	len = strnlen(s, len);
	p = pfx_malloc(len + 1);
	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

char *pfx_strfmt(const char *fmt, ...)
{
	va_list ap;
	char *p = NULL;

	va_start(ap, fmt);
	if (vasprintf(&p, fmt, ap) < 0)
		out_of_memory();
	va_end(ap);
	return p;
}

void *pfx_alloc_checked(uint64_t nr, size_t size, size_t limit)
{
	size_t total;

	if (__builtin_mul_overflow(nr, size, &total) || total > limit)
		return NULL;
	return calloc(1, total ? total : 1);
}

void *pfx_malloc_checked(uint64_t size, size_t limit)
{
	void *p = size > limit ? NULL : malloc(size ? size : 1);

	return p ? full(p, size) : NULL;
}

void *pfx_vec_grow(void *at, size_t *cap, size_t need, size_t size)
{
	size_t want = *cap ? *cap * 2 : 8;
	size_t bytes;

	if (want < need)
		want = need;
	if (__builtin_mul_overflow(want, size, &bytes))
		out_of_memory();
	at = pfx_realloc(at, bytes);
	*cap = want;
	return at;
}

void *pfx_vec_extend(void *at, size_t nr, size_t *cap, size_t need, size_t size)
{
	if (need > *cap)
		at = pfx_vec_grow(at, cap, need, size);
	memset((char *)at + nr * size, 0, (need - nr) * size);
	return at;
}

void pfx_free_and_null(void **p)
{
	free(*p);
	*p = NULL;
}
