/* SPDX-License-Identifier: MIT */
/* The source files of an archive. */
#ifndef PFX_REWRITE_PACK_SOURCES_INTERNAL_H
#define PFX_REWRITE_PACK_SOURCES_INTERNAL_H

#include "file/pack/tar.h"
#include "rewrite/archive_pack.h"

/* Add the source files of the lines that the recording's samples and call chains hit, within the
 * limits of read/archive.h; files that cannot be read are left out. */
int pfx_pack_sources(struct pfx_tar_writer *tar, const struct pfx_archive_options *options,
		     struct pfx_archive_contents *contents, struct pfx_error *err);

#endif
