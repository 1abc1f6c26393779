/* SPDX-License-Identifier: MIT */
/*
 * Unpacks xz, gzip and zstd (kernel modules, .gnu_debugdata). Each function returns memory that the
 * caller frees, or NULL: damaged, larger than the limit, or the library is not built in.
 */
#ifndef PFX_SYM_UNPACK_INTERNAL_H
#define PFX_SYM_UNPACK_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#define UNPACKED_MAX (256ull << 20) /* limit for one file; real ones have some megabytes */
#define UNPACK_FREE  (32ull << 20)  /* what any file may unpack to */
#define UNPACK_RATIO 64             /* and for each of its bytes; real files reach 10 */
#define UNPACK_FIRST (1ull << 20)

/* How large the memory for the unpacked bytes becomes, which is full with @have bytes; 0: the limit
 * for a file of @packed bytes is reached. */
static inline size_t pfx_unpack_grow(size_t have, size_t packed)
{
	uint64_t limit = packed < UNPACKED_MAX / UNPACK_RATIO
				 ? UNPACK_FREE + (uint64_t)packed * UNPACK_RATIO
				 : UNPACKED_MAX;
	uint64_t next = have ? 2 * (uint64_t)have : UNPACK_FIRST;

	limit = limit < UNPACKED_MAX ? limit : UNPACKED_MAX;
	next = next < limit ? next : limit;
	return next > have ? (size_t)next : 0;
}

uint8_t *pfx_unpack_xz(const uint8_t *packed, size_t size, size_t *ret_size);
uint8_t *pfx_unpack_gzip(const uint8_t *packed, size_t size, size_t *ret_size);
uint8_t *pfx_unpack_zstd(const uint8_t *packed, size_t size, size_t *ret_size);

#endif
