/* SPDX-License-Identifier: MIT */
/*
 * Which addresses of which binaries a recording's samples, their callers and their branches are at,
 * for who takes along only what belongs to those.
 */
#ifndef PFX_REWRITE_TOUCHED_INTERNAL_H
#define PFX_REWRITE_TOUCHED_INTERNAL_H

#include "base/alloc.h"
#include "file/reader/reader.h"
#include "sym/elf/buildid.h"

struct pfx_touched;

struct pfx_offsets {
	PFX_VEC(uint64_t) at;
};

/* Read the whole recording. NULL: it could not be read to its end, or it has traces that others
 * find more addresses in. Binaries are looked for in the build-id cache @buildid_dir, too. */
struct pfx_touched *pfx_touched_read(const char *path, bool force, const char *buildid_dir);
void pfx_touched_free(struct pfx_touched *touched);
/* The offsets in the files of that build, in no order; a call goes back to the byte behind one of
 * them. The caller frees them. */
void pfx_touched_offsets(const struct pfx_touched *touched, const struct pfx_build_id *id,
			 struct pfx_offsets *ret);

#endif
