/* SPDX-License-Identifier: MIT */
/*
 * Unpacks xz, gzip and zstd (kernel modules, .gnu_debugdata). Each function returns memory that the
 * caller frees, or NULL: damaged, larger than the limit, or the library is not built in.
 */
#ifndef PFX_SYM_UNPACK_INTERNAL_H
#define PFX_SYM_UNPACK_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#define UNPACKED_MAX (256u << 20) /* limit for one file; real ones have some megabytes */
#define UNPACK_CHUNK (1u << 20)

uint8_t *pfx_unpack_xz(const uint8_t *packed, size_t size, size_t *ret_size);
uint8_t *pfx_unpack_gzip(const uint8_t *packed, size_t size, size_t *ret_size);
uint8_t *pfx_unpack_zstd(const uint8_t *packed, size_t size, size_t *ret_size);

#endif
