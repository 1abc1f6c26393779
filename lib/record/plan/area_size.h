/* SPDX-License-Identifier: MIT */
/* Sizes of the areas that the kernel writes to: ring buffers, and traces of programs. */
#ifndef PFX_RECORD_AREA_SIZE_H
#define PFX_RECORD_AREA_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#define PFX_AREA_BYTES_MAX (1ull << 31)

/* @bytes rounded up to what the kernel takes, a power of two of at least one page; false: it is 0
 * or above the maximum. */
bool pfx_area_size(uint64_t bytes, uint64_t *ret);

#endif
