/* SPDX-License-Identifier: MIT */
/* A zstd stream in pieces: one stream per perf.data file, flushed but never ended. */
#ifndef PFX_FILE_ZSTD_INTERNAL_H
#define PFX_FILE_ZSTD_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pfx_zstd;

int pfx_zstd_new(struct pfx_zstd **ret, struct pfx_error *err);
/* Take bytes from *@in (which is advanced) and write at most @room bytes; *@ret_made is their
 * number. No output and no input left: the next piece is needed. Accepts any sequence of frames,
 * including skippable frames. -EBADMSG: damaged; -ENOTSUP: it needs a dictionary. */
int pfx_zstd_unpack(struct pfx_zstd *zstd, const uint8_t **in, size_t *in_left, uint8_t *to,
		    size_t room, size_t *ret_made);
void pfx_zstd_free(struct pfx_zstd *zstd);

/* Compression. */
struct pfx_zstd_pack;

int pfx_zstd_pack_new(struct pfx_zstd_pack **ret, int level, struct pfx_error *err);
/* Take bytes from *@in (which is advanced) and write at most @room bytes; *@ret_made is their
 * number. Returns 1 while more output is pending, 0 if all input so far can be unpacked from the
 * output so far, -EIO. */
int pfx_zstd_pack(struct pfx_zstd_pack *pack, const uint8_t **in, size_t *in_left, uint8_t *to,
		  size_t room, size_t *ret_made);
/* End the stream, so that it is a complete zstd file. Returns 1 while more output is pending. */
int pfx_zstd_pack_end(struct pfx_zstd_pack *pack, uint8_t *to, size_t room, size_t *ret_made);
void pfx_zstd_pack_free(struct pfx_zstd_pack *pack);

#endif
