/* SPDX-License-Identifier: MIT */
/*
 * Memory from the heap. Small allocations whose size the program chooses never return NULL: out of
 * memory ends the program, see pfx_set_out_of_memory(). Sizes that come from a file, the kernel or
 * the user go through pfx_alloc_checked(), which returns NULL instead.
 */
#ifndef PFX_BASE_ALLOC_H
#define PFX_BASE_ALLOC_H

#include <stddef.h>
#include <stdint.h>

/* Like malloc(), calloc() and so on. The strings are copied up to their NUL and are
 * NUL-terminated. */
void *pfx_malloc(size_t size) __attribute__((malloc, returns_nonnull));
void *pfx_calloc(size_t nr, size_t size) __attribute__((malloc, returns_nonnull));
void *pfx_realloc(void *old, size_t size) __attribute__((returns_nonnull));
char *pfx_strdup(const char *s) __attribute__((malloc, returns_nonnull));
char *pfx_strndup(const char *s, size_t len) __attribute__((malloc, returns_nonnull));

/* printf into a new string that the caller frees. */
char *pfx_strfmt(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull));

/* @nr zeroed elements of @size bytes, or NULL when the product overflows, exceeds @limit bytes, or
 * memory is short. For sizes from untrusted input. */
void *pfx_alloc_checked(uint64_t nr, size_t size, size_t limit);
/* The same for @size bytes that will all be written: they are not zeroed. */
void *pfx_malloc_checked(uint64_t size, size_t limit);

/*
 * From now on the heap grows in large steps, of huge pages if the kernel gives some: the first use
 * of memory then takes far fewer page faults, which take microseconds in a virtual machine, and up
 * to 2 MB more memory. For programs whose heap is theirs, never for a library; call it first. Does
 * nothing with another C library than glibc.
 */
void pfx_alloc_huge_pages(void);

/* After much was freed between what lives on: give its pages back to the system. Takes some
 * milliseconds; does nothing with another C library than glibc. */
void pfx_alloc_trim(void);

/*
 * A growing array: struct { T *at; size_t nr, cap; }, zero is empty.
 *	PFX_VEC(int) v = {0}; pfx_vec_push(&v, 5); pfx_vec_free(&v);
 */
#define PFX_VEC(T)              \
	struct {                \
		T *at;          \
		size_t nr, cap; \
	}

/* For the macros below: reallocates the array so that it has room for at least @need elements. */
void *pfx_vec_grow(void *at, size_t *cap, size_t need, size_t size)
	__attribute__((returns_nonnull));
/* The same, and zeroes the elements from @nr to @need. */
void *pfx_vec_extend(void *at, size_t nr, size_t *cap, size_t need, size_t size)
	__attribute__((returns_nonnull));

#define pfx_vec_reserve(v, n)                                                        \
	((v)->at = (size_t)(n) > (v)->cap                                            \
			   ? pfx_vec_grow((v)->at, &(v)->cap, (n), sizeof(*(v)->at)) \
			   : (v)->at)
#define pfx_vec_push(v, x) (pfx_vec_reserve(v, (v)->nr + 1), (v)->at[(v)->nr++] = (x))
/* Append one element and return its address; the caller fills it in. */
#define pfx_vec_add(v) (pfx_vec_reserve(v, (v)->nr + 1), &(v)->at[(v)->nr++])
/* The address of element @i; a shorter array is extended with zeroed elements. */
#define pfx_vec_slot(v, i)                                                            \
	({                                                                            \
		size_t i_ = (i);                                                      \
		if (i_ >= (v)->nr) {                                                  \
			(v)->at = pfx_vec_extend((v)->at, (v)->nr, &(v)->cap, i_ + 1, \
						 sizeof(*(v)->at));                   \
			(v)->nr = i_ + 1;                                             \
		}                                                                     \
		&(v)->at[i_];                                                         \
	})
#define pfx_vec_free(v) (pfx_free_and_null((void **)&(v)->at), (v)->nr = (v)->cap = 0)

/* Free what @p points to, and set it to NULL. */
void pfx_free_and_null(void **p);

#endif
