/* SPDX-License-Identifier: MIT */
/*
 * COMPRESSED records: a header and a piece of the zstd stream up to the header's 16-bit size.
 * Readers unpack each into a buffer of the size in the header feature, so a flush comes at the
 * latest after that many bytes. zstd itself is in zstd_with_zstd.c. Sections 6.81 and 10 of
 * Documentation/file-format.md.
 */
#include "file/pack/pack.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "event/record.h"
#include "zstd_internal.h"

#define TYPE_ZSTD 1
#define PIECE     (512u << 10)   /* compressed before a flush */
#define UNPACKED  (PIECE + 4096) /* buffer size of readers, in the header feature */
#define RECORD    65527          /* bytes of a COMPRESSED record, as in perf */
#define BODY      (RECORD - PFX_RECORD_HEADER_SIZE)

struct pfx_pack {
	struct pfx_zstd_pack *zstd;
	int level;
	uint64_t original, packed;
	uint8_t body[BODY];
};

int pfx_pack_new(struct pfx_pack **ret, int level, struct pfx_error *err)
{
	struct pfx_pack *pack = pfx_calloc(1, sizeof(*pack));
	int rc = pfx_zstd_pack_new(&pack->zstd, level, err);

	*ret = pack;
	pack->level = level;
	if (rc < 0) {
		free(pack);
		*ret = NULL;
	}
	return rc;
}

int pfx_pack_restart(struct pfx_pack *pack, struct pfx_error *err)
{
	pfx_zstd_pack_free(pack->zstd);
	pack->original = pack->packed = 0;
	return pfx_zstd_pack_new(&pack->zstd, pack->level, err);
}

static void put_record(struct pfx_pack *pack, size_t size, struct pfx_buffer *to)
{
	pfx_buffer_u32(to, PFX_RECORD_COMPRESSED);
	pfx_buffer_u16(to, 0);
	pfx_buffer_u16(to, (uint16_t)(PFX_RECORD_HEADER_SIZE + size));
	pfx_buffer_bytes(to, pack->body, size);
	pack->packed += PFX_RECORD_HEADER_SIZE + size;
}

static int pack_piece(struct pfx_pack *pack, const uint8_t *data, size_t size,
		      struct pfx_buffer *to)
{
	size_t made;
	int rc;

	do {
		rc = pfx_zstd_pack(pack->zstd, &data, &size, pack->body, BODY, &made);
		if (rc >= 0 && made)
			put_record(pack, made, to);
	} while (rc > 0);
	return rc;
}

int pfx_pack_bytes(struct pfx_pack *pack, const uint8_t *data, size_t size, struct pfx_buffer *to,
		   struct pfx_error *err)
{
	size_t at, n;
	int rc = 0;

	for (at = 0; at < size && rc >= 0; at += n) {
		n = size - at < PIECE ? size - at : PIECE;
		rc = pack_piece(pack, data + at, n, to);
	}
	if (rc < 0)
		return pfx_error_set(err, -rc, "the records could not be compressed");
	pack->original += size;
	return 0;
}

void pfx_pack_describe(const struct pfx_pack *pack, struct pfx_env *env)
{
	env->comp_version = 0;
	env->comp_type = TYPE_ZSTD;
	env->comp_level = (uint32_t)pack->level;
	env->comp_ratio =
		pack->packed ? (uint32_t)((pack->original + pack->packed / 2) / pack->packed) : 0;
	env->comp_mmap_len = UNPACKED;
	pfx_env_set(env, PFX_FEAT_COMPRESSED);
}

uint64_t pfx_pack_original(const struct pfx_pack *pack)
{
	return pack->original;
}

uint64_t pfx_pack_packed(const struct pfx_pack *pack)
{
	return pack->packed;
}

void pfx_pack_free(struct pfx_pack *pack)
{
	if (!pack)
		return;
	pfx_zstd_pack_free(pack->zstd);
	free(pack);
}
