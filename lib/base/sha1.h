/* SPDX-License-Identifier: MIT */
/* SHA-1 for build IDs: identifies contents, is not used for security. */
#ifndef PFX_BASE_SHA1_H
#define PFX_BASE_SHA1_H

#include <stddef.h>
#include <stdint.h>

#define PFX_SHA1_SIZE 20

struct pfx_sha1 {
	uint32_t state[5];
	uint64_t size; /* bytes hashed so far */
	uint8_t block[64];
};

/* Begin a digest, and add data to it in pieces of any size. */
void pfx_sha1_init(struct pfx_sha1 *sha);
void pfx_sha1_add(struct pfx_sha1 *sha, const void *data, size_t size);
/* The digest of all added data; call pfx_sha1_init() before reuse. */
void pfx_sha1_end(struct pfx_sha1 *sha, uint8_t digest[PFX_SHA1_SIZE]);

#endif
