/* SPDX-License-Identifier: MIT */
/* The start of a perf.data file or stream: the magic word and the sizes of the fixed header.
 * Sections 2.1 to 2.4 of Documentation/file-format.md. */
#ifndef PFX_FILE_FIXED_HEADER_INTERNAL_H
#define PFX_FILE_FIXED_HEADER_INTERNAL_H

#define PFX_MAGIC_V2    0x32454c4946524550ull /* "PERFILE2" in little-endian order */
#define PFX_MAGIC_V1    "PERFFILE"
#define PFX_PIPE_SIZE   16
#define PFX_HEADER_SIZE 104
#define PFX_HEADER_OLD  72 /* old header without the bitmap of features */

#endif
