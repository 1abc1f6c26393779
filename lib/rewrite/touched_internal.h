/* SPDX-License-Identifier: MIT */
/*
 * The addresses in binaries that a recording's samples, callers and branches use, to pack only the
 * debug information that belongs to them.
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

/* Read the whole recording. NULL: reading failed, or AUX area traces contain more addresses.
 * Binaries are searched in the build-ID cache @buildid_dir, too. */
struct pfx_touched *pfx_touched_read(const char *path, bool force, const char *buildid_dir);
void pfx_touched_free(struct pfx_touched *touched);
/* The file offsets in that build, unsorted; a return address is one byte after the call. The caller
 * frees them. */
void pfx_touched_offsets(const struct pfx_touched *touched, const struct pfx_build_id *id,
			 struct pfx_offsets *ret);

#endif
