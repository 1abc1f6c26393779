/* SPDX-License-Identifier: MIT */
/* Shared by the synth_*.c files: where records go, and reading below the root. */
#ifndef PFX_SYS_SYNTH_INTERNAL_H
#define PFX_SYS_SYNTH_INTERNAL_H

#include "event/record.h"
#include "sys/synth.h"

#define SYNTH_PATH_MAX 512

/* Append @body with a zeroed trailer. What is too long for a record is left out. */
void pfx_synth_put(const struct pfx_synth_options *options, struct pfx_body *body,
		   struct pfx_buffer *to);

/* A file that is read line by line through one buffer; a last line without newline counts. */
struct synth_lines {
	int fd;
	char *buffer;
	size_t at, len, cap;
	bool ended;
	uint64_t deadline_ns; /* monotonic; 0 none. Once it has passed, the file ends. */
	bool late;            /* it ended by the deadline */
};

/* Open @path below the root: 0 or a negative errno. Close it whatever was returned. */
int pfx_synth_lines_open(struct synth_lines *lines, const char *root, const char *path);
/* The next line, NUL-terminated without its newline and valid until the next call; NULL at the
 * end. A line beyond 64 KiB ends the file. */
char *pfx_synth_lines_next(struct synth_lines *lines);
void pfx_synth_lines_close(struct synth_lines *lines);

#endif
