/* SPDX-License-Identifier: MIT */
/* Room on the output's disk for what is written at the end of a file. */
#ifndef PFX_RECORD_RESERVE_H
#define PFX_RECORD_RESERVE_H

#include <stdint.h>

/* Keep @bytes on the disk of @path, in a file without a name: when the disk is full, closing it
 * makes room. A descriptor for pfx_reserve_release(); 0 where there are no such files (NFS). */
int pfx_reserve(const char *path, uint64_t bytes);
/* Give the room back to the disk; *@fd becomes 0. */
void pfx_reserve_release(int *fd);

#endif
