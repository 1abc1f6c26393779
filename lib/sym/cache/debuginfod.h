/* SPDX-License-Identifier: MIT */
/*
 * Files of a build from debuginfod servers. Nothing is asked of them unless the options of a
 * look-up have a watch, which is told what is fetched and may break it off.
 */
#ifndef PFX_SYM_DEBUGINFOD_H
#define PFX_SYM_DEBUGINFOD_H

#include <stdbool.h>
#include <stdint.h>

/* All three are called from the thread that looks symbols up. */
struct pfx_fetch_watch {
	/* Of one file, as it is written here: more is broken off and removed. 0: no limit. */
	uint64_t max_size;    /* bytes */
	uint64_t max_seconds; /* from the question to the last byte */
	/* @what: the path as recorded, foreign text. */
	void (*begin)(const char *what);
	/* Several times a second; bytes, @total is 0 while it is unknown. False breaks it off. */
	bool (*go_on)(uint64_t done, uint64_t total);
	/* @error is NULL when the file is there, else why it is not; @is_odd: worth a line even
	 * where nobody asked for more words. */
	void (*end)(const char *error, bool is_odd);
};

/* Whether a library for it is built in, and is here. */
bool pfx_debuginfod_is_built_in(void);

#endif
