/* SPDX-License-Identifier: MIT */
/*
 * Packs records into COMPRESSED records: one zstd stream per file, in which later data refer to
 * earlier data. The packer owns its state; it requires libzstd.
 */
#ifndef PFX_FILE_PACK_H
#define PFX_FILE_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "event/env.h"

#define PFX_PACK_LEVEL_MAX 22

struct pfx_pack;

/* @level: of zstd, 1 to PFX_PACK_LEVEL_MAX. -ENOTSUP: built without libzstd. */
int pfx_pack_new(struct pfx_pack **ret, int level, struct pfx_error *err);
/* Append to @to the COMPRESSED records that hold @data; they end where @data ends. */
int pfx_pack_bytes(struct pfx_pack *pack, const uint8_t *data, size_t size, struct pfx_buffer *to,
		   struct pfx_error *err);
/* Begin a new stream, for another file. */
int pfx_pack_restart(struct pfx_pack *pack, struct pfx_error *err);
/* Fill the COMPRESSED header feature: type, level, ratio so far, and the maximum unpacked size of a
 * record. */
void pfx_pack_describe(const struct pfx_pack *pack, struct pfx_env *env);
/* Bytes before and after compression, in this stream. */
uint64_t pfx_pack_original(const struct pfx_pack *pack);
uint64_t pfx_pack_packed(const struct pfx_pack *pack);
void pfx_pack_free(struct pfx_pack *pack);

#endif
