/* SPDX-License-Identifier: MIT */
/*
 * Arrays that may become larger than the memory that a program should use. A small one is in plain
 * memory; a large one is in an unnamed file in $TMPDIR or /tmp, which is mapped, so that its pages
 * can be dropped whenever they are not used, and are read again when they are. If there is no room
 * for the file, it stays in memory.
 *
 *	numbers = pfx_paged_grow(&array, nr * sizeof(*numbers));
 *	pfx_paged_drop(&array); // from time to time, in a pass over it
 *	pfx_paged_free(&array);
 */
#ifndef PFX_BASE_PAGED_PAGED_H
#define PFX_BASE_PAGED_PAGED_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes up to which an array stays in plain memory. */
#define PFX_PAGED_ABOVE ((size_t)4 << 20)

/* Zero-initialize. */
struct pfx_paged {
	void *at;    /* the array; it moves when it grows */
	size_t size; /* in bytes */
	/* private */
	int file;        /* the descriptor, plus 1; 0: plain memory */
	bool has_failed; /* there is no file for it */
};

/* At least @size bytes, with the earlier content: returns array->at, never NULL. */
void *pfx_paged_grow(struct pfx_paged *array, size_t size);
/* Its pages take no memory until they are used again. */
void pfx_paged_drop(const struct pfx_paged *array);
void pfx_paged_free(struct pfx_paged *array);

/* Open an unnamed file in $TMPDIR or /tmp: a descriptor, or a negative errno if that directory is
 * not writable. */
int pfx_open_unnamed(void);

#endif
