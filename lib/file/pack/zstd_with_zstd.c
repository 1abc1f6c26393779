/* SPDX-License-Identifier: MIT */
/*
 * Packing and unpacking with libzstd. The state lives as long as the stream, because every piece
 * refers to earlier pieces. The output is bounded by the caller's room, never by what the input
 * claims. Section 10 of Documentation/file-format.md.
 */
#include <errno.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/alloc.h"
#include "zstd_internal.h"

struct pfx_zstd {
	ZSTD_DStream *stream;
};

int pfx_zstd_new(struct pfx_zstd **ret, struct pfx_error *err)
{
	struct pfx_zstd *zstd = pfx_calloc(1, sizeof(*zstd));

	zstd->stream = ZSTD_createDStream();
	if (!zstd->stream) {
		free(zstd);
		return pfx_error_set(err, ENOMEM, "no memory for decompression");
	}
	*ret = zstd;
	return 0;
}

int pfx_zstd_unpack(struct pfx_zstd *zstd, const uint8_t **in, size_t *in_left, uint8_t *to,
		    size_t room, size_t *ret_made)
{
	ZSTD_inBuffer from = {*in, *in_left, 0};
	ZSTD_outBuffer out = {to, room, 0};
	size_t rc = ZSTD_decompressStream(zstd->stream, &out, &from);

	*in += from.pos;
	*in_left -= from.pos;
	*ret_made = out.pos;
	if (ZSTD_isError(rc))
		return ZSTD_getErrorCode(rc) == ZSTD_error_dictionary_wrong ? -ENOTSUP : -EBADMSG;
	return 0;
}

void pfx_zstd_free(struct pfx_zstd *zstd)
{
	if (!zstd)
		return;
	ZSTD_freeDStream(zstd->stream);
	free(zstd);
}

struct pfx_zstd_pack {
	ZSTD_CStream *stream;
};

int pfx_zstd_pack_new(struct pfx_zstd_pack **ret, int level, struct pfx_error *err)
{
	struct pfx_zstd_pack *pack = pfx_calloc(1, sizeof(*pack));

	*ret = NULL;
	pack->stream = ZSTD_createCStream();
	if (!pack->stream || ZSTD_isError(ZSTD_initCStream(pack->stream, level))) {
		pfx_zstd_pack_free(pack);
		return pfx_error_set(err, ENOMEM, "no memory for compression");
	}
	*ret = pack;
	return 0;
}

int pfx_zstd_pack(struct pfx_zstd_pack *pack, const uint8_t **in, size_t *in_left, uint8_t *to,
		  size_t room, size_t *ret_made)
{
	ZSTD_inBuffer from = {*in, *in_left, 0};
	ZSTD_outBuffer out = {to, room, 0};
	size_t left = ZSTD_compressStream2(pack->stream, &out, &from, ZSTD_e_flush);

	*in += from.pos;
	*in_left -= from.pos;
	*ret_made = out.pos;
	if (ZSTD_isError(left))
		return -EIO;
	return left || *in_left;
}

int pfx_zstd_pack_end(struct pfx_zstd_pack *pack, uint8_t *to, size_t room, size_t *ret_made)
{
	ZSTD_inBuffer from = {NULL, 0, 0};
	ZSTD_outBuffer out = {to, room, 0};
	size_t left = ZSTD_compressStream2(pack->stream, &out, &from, ZSTD_e_end);

	*ret_made = out.pos;
	return ZSTD_isError(left) ? -EIO : left != 0;
}

void pfx_zstd_pack_free(struct pfx_zstd_pack *pack)
{
	if (!pack)
		return;
	ZSTD_freeCStream(pack->stream);
	free(pack);
}
