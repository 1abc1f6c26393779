/* SPDX-License-Identifier: MIT */
/* Buffered text output to a file, written in large pieces. */
#ifndef PFX_SCRIPT_TEXT_FILE_H
#define PFX_SCRIPT_TEXT_FILE_H

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct pfx_text_file {
	int fd;              /* -1: not open */
	uint64_t size;       /* bytes written */
	struct pfx_str text; /* not written yet */
};

/* Write the text if it is longer than @above bytes. @path is for messages. */
int pfx_text_file_flush(struct pfx_text_file *file, size_t above, const char *path,
			struct pfx_error *err);
/* Drop text that was not written. The descriptor stays open. */
void pfx_text_file_fini(struct pfx_text_file *file);

#endif
