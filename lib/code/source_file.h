/* SPDX-License-Identifier: MIT */
/*
 * The text of source files, found as by a debugger: at the path in the debug information, or at the
 * path to which the user maps it. Each file is read once. Only regular files of bounded size are
 * read, and files with NUL bytes are refused.
 */
#ifndef PFX_CODE_SOURCE_FILE_H
#define PFX_CODE_SOURCE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define PFX_SOURCE_SIZE_MAX (64u << 20)

struct pfx_sources;

/* No file read yet, and paths mean what they say. */
struct pfx_sources *pfx_sources_new(void);
void pfx_sources_free(struct pfx_sources *sources);
/* Paths that begin with @from begin with @to instead; the mapping added last that fits is used.
 * The strings are copied. */
void pfx_sources_map(struct pfx_sources *sources, const char *from, const char *to);
/* "FROM=TO" as the user typed it: -EINVAL with a sentence. */
int pfx_sources_map_word(struct pfx_sources *sources, const char *word, struct pfx_error *err);
/* @prefix is put before absolute paths, of which the first @strip directories are removed. */
void pfx_sources_prefix(struct pfx_sources *sources, const char *prefix, unsigned strip);

/* Line @line of the file, without its newline; NULL if there is none. Untrusted text, not
 * NUL-terminated; lives as long as @sources. */
const char *pfx_sources_line(struct pfx_sources *sources, const char *file, uint32_t line,
			     size_t *ret_len);
/* How many lines the file has; 0: it cannot be read. */
uint32_t pfx_sources_nr_lines(struct pfx_sources *sources, const char *file);

#endif
