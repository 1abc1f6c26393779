/* SPDX-License-Identifier: MIT */
/*
 * Builds perf.data from a text description, in either byte order, as a file or as a pipe's stream.
 * The container (header, ids, attrs, feature table) is laid out here and nowhere else, so that it
 * is a second opinion on what the reader and the writer of the library do. The language is
 * described in Documentation/testing.md.
 */
#ifndef PFX_KIT_H
#define PFX_KIT_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"

struct pfx_kit_options {
	bool big_endian;
	bool pipe;
	bool directory; /* of a directory, one file: */
	size_t part;    /* 0 is `data`, n is `data.n-1`; beyond the last one there is -ENOENT */
};

/* Append the bytes of the recording that @text describes to @ret (its order is set here). Errors
 * name the line. */
int pfx_kit_build(const char *text, const struct pfx_kit_options *options, struct pfx_buffer *ret,
		  struct pfx_error *err);

#endif
