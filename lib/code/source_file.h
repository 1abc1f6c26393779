/* SPDX-License-Identifier: MIT */
/*
 * The text of source files, found as by a debugger: at the path in the debug information, or at the
 * path to which the user maps it, or on a debuginfod server. Each file is read once. Only regular
 * files of bounded size are read, and files with NUL bytes are refused.
 */
#ifndef PFX_CODE_SOURCE_FILE_H
#define PFX_CODE_SOURCE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define PFX_SOURCE_SIZE_MAX  (64u << 20)
#define PFX_SOURCES_SIZE_MAX (256u << 20) /* of all files together */

struct pfx_sources;
struct pfx_dso;         /* session/session.h */
struct pfx_fetch_watch; /* sym/cache/debuginfod.h */

/* Create it; no file is read yet, and paths are not mapped. */
struct pfx_sources *pfx_sources_new(void);
void pfx_sources_free(struct pfx_sources *sources);
/* Replace @from at the start of paths by @to; the last matching mapping is used. The strings are
 * copied. */
void pfx_sources_map(struct pfx_sources *sources, const char *from, const char *to);
/* The last mapping is expected to fit some path. */
void pfx_sources_expect_mapped(struct pfx_sources *sources);
/* The first @from of these that fits no file that was asked for; NULL: there is none. */
const char *pfx_sources_not_mapped(const struct pfx_sources *sources);
/* Parse "FROM=TO": -EINVAL with a message. */
int pfx_sources_map_word(struct pfx_sources *sources, const char *word, struct pfx_error *err);
/* Prepend @prefix to absolute paths, after removing their first @strip directories. */
void pfx_sources_prefix(struct pfx_sources *sources, const char *prefix, unsigned strip);
/* Look in @folder first, the directory of pfx_recording_sources(); NULL: none. */
void pfx_sources_archived(struct pfx_sources *sources, const char *folder);
/* Ask debuginfod servers for files that do not exist here; NULL: do not ask. */
void pfx_sources_fetch(struct pfx_sources *sources, const struct pfx_fetch_watch *watch);
/* Files that were changed after this time (seconds since the epoch) are doubtful; 0: none is. */
void pfx_sources_recorded(struct pfx_sources *sources, int64_t until);
/* The debug information of @dso names the file: servers are asked by its build ID. The first binary
 * of a file is kept. Before the file is read. */
void pfx_sources_named_by(struct pfx_sources *sources, const char *file, const struct pfx_dso *dso);

/* The whole file; NULL if it is unreadable. Untrusted text, not NUL-terminated; lives as long as
 * @sources. */
const char *pfx_sources_text(struct pfx_sources *sources, const char *file, size_t *ret_size);
/* Line @line of the file, without its newline; NULL if there is none. Untrusted text, not
 * NUL-terminated; lives as long as @sources. */
const char *pfx_sources_line(struct pfx_sources *sources, const char *file, uint32_t line,
			     size_t *ret_len);
/* Number of lines of the file; 0: empty or unreadable. */
uint32_t pfx_sources_nr_lines(struct pfx_sources *sources, const char *file);

/* The files that were asked for and could not be read. */
struct pfx_sources_gaps {
	uint32_t nr;
	const char *first; /* name of the first one; untrusted text */
	const char *why;   /* it is not read, as the end of a sentence */
	bool is_absent;    /* it does not exist */
};
struct pfx_sources_gaps pfx_sources_gaps(const struct pfx_sources *sources);

/* The files that were read, but are not what was compiled. */
struct pfx_sources_doubts {
	uint32_t nr;
	const char *first; /* name of the first one; untrusted text */
	const char *why;   /* as the end of a sentence */
};
struct pfx_sources_doubts pfx_sources_doubts(const struct pfx_sources *sources);

#endif
