/* SPDX-License-Identifier: MIT */
/*
 * Bytes packed by xz, gzip or zstd, as kernel modules and .gnu_debugdata are. Each gives memory
 * that the caller frees, or NULL: damaged, larger than any real one, or the library is not built
 * in.
 */
#ifndef PFX_SYM_UNPACK_INTERNAL_H
#define PFX_SYM_UNPACK_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#define UNPACKED_MAX (256u << 20) /* of one file; real ones have some megabytes */
#define UNPACK_CHUNK (1u << 20)

uint8_t *pfx_unpack_xz(const uint8_t *packed, size_t size, size_t *ret_size);
uint8_t *pfx_unpack_gzip(const uint8_t *packed, size_t size, size_t *ret_size);
uint8_t *pfx_unpack_zstd(const uint8_t *packed, size_t size, size_t *ret_size);

#endif
