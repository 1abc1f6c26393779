/* SPDX-License-Identifier: MIT */
/* Parses words of the command line: numbers, lists of CPUs, sizes; and finds the most similar name
 * for a misspelled word. */
#ifndef PFX_BASE_WORDS_H
#define PFX_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The whole word as a number: decimal, 0x hex or 0 octal. False on anything else or overflow. */
bool pfx_parse_u64(const char *word, uint64_t *ret);
/* A percentage with an optional % after it; false on anything else and below 0. */
bool pfx_parse_percent(const char *word, double *ret);
/* A size with an optional suffix B, K, M or G (powers of 1024), in bytes. */
bool pfx_parse_size(const char *word, uint64_t *ret);

/* Only ids below this limit: the kernel supports at most 8192 CPUs. */
#define PFX_LIST_MAX 65536

struct pfx_list {
	int *at; /* ascending, each once */
	size_t nr;
};
/* "0-3,8" to ids; false on a malformed list. The caller frees with pfx_list_fini(). */
bool pfx_list_parse(const char *word, struct pfx_list *ret);
/* The offset in bytes of the error in a malformed list. */
size_t pfx_list_fault(const char *word);
/* The same with an error message; without a @word (NULL) it succeeds and leaves *@ret unchanged.
 * -EINVAL: the message contains @what (such as "a list of CPUs"), the position of the error, and
 * the @example. */
int pfx_list_read(const char *word, struct pfx_list *ret, const char *what, const char *example,
		  struct pfx_error *err);
bool pfx_list_has(const struct pfx_list *list, int id);
/* Ids to "0-3,8" into @out. */
void pfx_list_format(const struct pfx_list *list, char *out, size_t size);
void pfx_list_fini(struct pfx_list *list);

/* Edit distance of two words (with transposition), for "did you mean". */
unsigned pfx_edit_distance(const char *a, const char *b);
/* The candidate most similar to @word, or NULL when none is similar enough. */
const char *pfx_nearest(const char *word, const char *const *candidates, size_t nr);

#endif
