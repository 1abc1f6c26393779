/* SPDX-License-Identifier: MIT */
/* A zstd stream that is cut into pieces: one for each file of records, flushed but never ended. */
#ifndef PFX_FILE_ZSTD_INTERNAL_H
#define PFX_FILE_ZSTD_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pfx_zstd;

int pfx_zstd_new(struct pfx_zstd **ret, struct pfx_error *err);
/* Take bytes from *@in (which moves on) and write at most @room bytes: *@ret_made of them. Nothing
 * made and nothing left means that the next piece is needed. Any sequence of frames will do,
 * whatever their headers have, and frames to be skipped. -EBADMSG: damaged; -ENOTSUP: it needs a
 * dictionary. */
int pfx_zstd_unpack(struct pfx_zstd *zstd, const uint8_t **in, size_t *in_left, uint8_t *to,
		    size_t room, size_t *ret_made);
void pfx_zstd_free(struct pfx_zstd *zstd);

/* The other direction. */
struct pfx_zstd_pack;

int pfx_zstd_pack_new(struct pfx_zstd_pack **ret, int level, struct pfx_error *err);
/* Take bytes from *@in (which moves on) and write at most @room bytes: *@ret_made of them. Returns
 * 1 while there is more to come of what was taken, 0 when all of it can be unpacked from what was
 * made so far, -EIO. */
int pfx_zstd_pack(struct pfx_zstd_pack *pack, const uint8_t **in, size_t *in_left, uint8_t *to,
		  size_t room, size_t *ret_made);
/* The end of the stream, so that it is a whole file. Returns 1 while there is more to come. */
int pfx_zstd_pack_end(struct pfx_zstd_pack *pack, uint8_t *to, size_t room, size_t *ret_made);
void pfx_zstd_pack_free(struct pfx_zstd_pack *pack);

#endif
