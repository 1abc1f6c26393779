/* SPDX-License-Identifier: MIT */
/*
 * Recordings in a compressed file: unpacked into an unnamed file, so that memory is bounded and the
 * input is seekable.
 */
#ifndef PFX_FILE_SPOOL_INTERNAL_H
#define PFX_FILE_SPOOL_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pfx_spool {
	const uint8_t *first; /* bytes that were already read from `fd`, borrowed */
	size_t nr_first;
	int fd;           /* source of the remaining bytes, borrowed */
	const char *name; /* of the input, for errors: escaped */
	uint64_t in, out; /* bytes so far */
	bool is_plain;    /* copied, not unpacked */
	bool is_damaged;  /* the input ended early or is not valid: only its start is available */
};

/* Whether the bytes are the start of a supported compressed format. */
bool pfx_spool_knows(const uint8_t *data, size_t size);
/* Unpack all into a new file, which the caller closes. -ENOTSUP: built without the library. */
int pfx_spool_unpack(struct pfx_spool *spool, int *ret_fd, struct pfx_error *err);
/* Copy all into a new file, which the caller closes. */
int pfx_spool_copy(struct pfx_spool *spool, int *ret_fd, struct pfx_error *err);

/* Decompressors with the same interface; see zstd_internal.h. */
struct pfx_gzip;
int pfx_gzip_new(struct pfx_gzip **ret, struct pfx_error *err);
int pfx_gzip_unpack(struct pfx_gzip *gzip, const uint8_t **in, size_t *in_left, uint8_t *to,
		    size_t room, size_t *ret_made);
void pfx_gzip_free(struct pfx_gzip *gzip);

struct pfx_xz;
int pfx_xz_new(struct pfx_xz **ret, struct pfx_error *err);
int pfx_xz_unpack(struct pfx_xz *xz, const uint8_t **in, size_t *in_left, uint8_t *to, size_t room,
		  size_t *ret_made);
void pfx_xz_free(struct pfx_xz *xz);

#endif
