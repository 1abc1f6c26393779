/* SPDX-License-Identifier: MIT */
/* Unpacks zlib data of known size, several times as fast as libelf does. */
#ifndef PFX_SYM_INFLATE_INTERNAL_H
#define PFX_SYM_INFLATE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a library for it is built in. */
bool pfx_inflate_is_built_in(void);
/* Fills exactly @to_size bytes of @to; false: damaged, or of another size. */
bool pfx_inflate(const uint8_t *packed, size_t size, uint8_t *to, size_t to_size);

#endif
