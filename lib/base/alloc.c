/* SPDX-License-Identifier: MIT */
/* Heap allocation that ends the program when memory is short, in the way that it has chosen with
 * pfx_set_out_of_memory(). The only place in lib/ that may do so. */
#include "base/alloc.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pfx/common.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

static _Atomic(pfx_out_of_memory_fn) handler;
static _Atomic(void *) handler_context;

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

static _Noreturn void out_of_memory(void)
{
	pfx_out_of_memory_fn fn = atomic_load(&handler);

	if (fn)
		fn(atomic_load(&handler_context));
	abort();
}

void *pfx_malloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *pfx_calloc(size_t nr, size_t size)
{
	void *p = calloc(nr ? nr : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *pfx_realloc(void *old, size_t size)
{
	void *p = realloc(old, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
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
