/* SPDX-License-Identifier: MIT */
/*
 * The file that a process has mapped. Its path may name another file here, and another one after
 * it was replaced: the inode of the mapping decides.
 */
#ifndef PFX_RECORD_MAPPED_FILE_H
#define PFX_RECORD_MAPPED_FILE_H

#include <stdint.h>

/* Both return a descriptor for reading, which the caller owns, or a negative errno: the process is
 * gone, permission is missing, or it is another file (ESTALE). @ino: of the mapped file, 0 unknown.
 */

/* Through the mapping at [@start, @end) of a running process, also if the file was renamed or
 * deleted. */
int pfx_mapped_file_open(uint32_t pid, uint64_t start, uint64_t end, uint64_t ino);
/* By name in the root directory of the process, which no link leads out of. */
int pfx_mapped_file_open_inside(uint32_t pid, const char *name, uint64_t ino);

#endif
