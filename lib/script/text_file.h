/* SPDX-License-Identifier: MIT */
/* Text on its way to a file: gathered, and written in large pieces. */
#ifndef PFX_SCRIPT_TEXT_FILE_H
#define PFX_SCRIPT_TEXT_FILE_H

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct pfx_text_file {
	int fd;              /* -1: not open */
	uint64_t size;       /* written */
	struct pfx_str text; /* not written yet */
};

/* Write what is there when it is longer than @above bytes. @path is for the message. */
int pfx_text_file_flush(struct pfx_text_file *file, size_t above, const char *path,
			struct pfx_error *err);
/* Drop what was not written. The descriptor stays open. */
void pfx_text_file_fini(struct pfx_text_file *file);

#endif
