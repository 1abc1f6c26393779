/* SPDX-License-Identifier: MIT */
/* Reserved disk space for data that are written at the end of a file. */
#ifndef PFX_RECORD_RESERVE_H
#define PFX_RECORD_RESERVE_H

#include <stdint.h>

/* Keep @bytes on the disk of @path, in an unnamed file: closing it frees the space when the disk is
 * full. A descriptor for pfx_reserve_release(); -1 if unnamed files are not supported (NFS). */
int pfx_reserve(const char *path, uint64_t bytes);
/* Free the disk space; *@fd becomes -1. */
void pfx_reserve_release(int *fd);

#endif
