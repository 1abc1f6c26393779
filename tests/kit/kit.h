/* SPDX-License-Identifier: MIT */
/*
 * Builds perf.data from a text description, in either byte order, as a file or as a stream. The
 * container (header, ids, attrs, feature table) is encoded independently of the library, to verify
 * its reader and writer. Documentation/testing.md describes the language.
 */
#ifndef PFX_KIT_H
#define PFX_KIT_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"

struct pfx_kit_options {
	bool big_endian;
	bool pipe;
	bool directory; /* build one file of a directory: */
	size_t part;    /* 0 is `data`, n is `data.n-1`; -ENOENT after the last one */
};

/* Append the bytes of the recording described by @text to @ret (its byte order is set here). Errors
 * contain the line number. */
int pfx_kit_build(const char *text, const struct pfx_kit_options *options, struct pfx_buffer *ret,
		  struct pfx_error *err);

#endif
