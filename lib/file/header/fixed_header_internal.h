/* SPDX-License-Identifier: MIT */
/* How a recording begins: the magic word and the sizes of the fixed header, of a file and of a
 * stream. Sections 2.1 to 2.4 of Documentation/file-format.md. */
#ifndef PFX_FILE_FIXED_HEADER_INTERNAL_H
#define PFX_FILE_FIXED_HEADER_INTERNAL_H

#define PFX_MAGIC_V2    0x32454c4946524550ull /* "PERFILE2" where it is little-endian */
#define PFX_MAGIC_V1    "PERFFILE"
#define PFX_PIPE_SIZE   16
#define PFX_HEADER_SIZE 104
#define PFX_HEADER_OLD  72 /* without the bitmap of features */

#endif
