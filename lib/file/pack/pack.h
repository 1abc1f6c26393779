/* SPDX-License-Identifier: MIT */
/*
 * Records into COMPRESSED records: one stream for a whole file, so what comes later is packed by
 * what came before. The packer owns its state; without libzstd it cannot be made.
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

/* @level as zstd counts, 1 to PFX_PACK_LEVEL_MAX. -ENOTSUP: built without libzstd. */
int pfx_pack_new(struct pfx_pack **ret, int level, struct pfx_error *err);
/* Append to @to the COMPRESSED records that hold @data; they end where @data ends. */
int pfx_pack_bytes(struct pfx_pack *pack, const uint8_t *data, size_t size, struct pfx_buffer *to,
		   struct pfx_error *err);
/* Begin a new stream, for another file. */
int pfx_pack_restart(struct pfx_pack *pack, struct pfx_error *err);
/* What the header says about it: type, level, ratio so far, and how much a record unpacks to. */
void pfx_pack_describe(const struct pfx_pack *pack, struct pfx_env *env);
/* Bytes before and after, in this stream. */
uint64_t pfx_pack_original(const struct pfx_pack *pack);
uint64_t pfx_pack_packed(const struct pfx_pack *pack);
void pfx_pack_free(struct pfx_pack *pack);

#endif
