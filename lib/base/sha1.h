/* SPDX-License-Identifier: MIT */
/* SHA-1, for build ids: to tell contents apart, not to keep secrets. */
#ifndef PFX_BASE_SHA1_H
#define PFX_BASE_SHA1_H

#include <stddef.h>
#include <stdint.h>

#define PFX_SHA1_SIZE 20

struct pfx_sha1 {
	uint32_t state[5];
	uint64_t size; /* bytes taken */
	uint8_t block[64];
};

/* Begin a digest, and add to it; the pieces may be cut anywhere. */
void pfx_sha1_init(struct pfx_sha1 *sha);
void pfx_sha1_add(struct pfx_sha1 *sha, const void *data, size_t size);
/* The digest of all that was added; the state is used up. */
void pfx_sha1_end(struct pfx_sha1 *sha, uint8_t digest[PFX_SHA1_SIZE]);

#endif
