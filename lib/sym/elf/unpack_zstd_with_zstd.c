/* SPDX-License-Identifier: MIT */
/* Unpacks zstd through libzstd, with limits on the output and on the window size. */
#include <stdlib.h>
#include <zstd.h>

#include "base/alloc.h"
#include "sym/elf/unpack_internal.h"

#define WINDOW_LOG_MAX 27 /* 128 MiB, the default limit of zstd */

uint8_t *pfx_unpack_zstd(const uint8_t *packed, size_t size, size_t *ret_size)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = {packed, size, 0};
	ZSTD_outBuffer out = {0};
	uint8_t *to = NULL;
	size_t left = 1, room;

	if (!stream)
		return NULL;
	ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	while (left && !ZSTD_isError(left) && (room = pfx_unpack_grow(out.size, size))) {
		to = pfx_realloc(to, room);
		out.dst = to;
		out.size = room;
		do {
			left = ZSTD_decompressStream(stream, &out, &in);
		} while (left && !ZSTD_isError(left) && out.pos < out.size && in.pos < in.size);
		if (left && in.pos == in.size && out.pos < out.size)
			break;
	}
	ZSTD_freeDStream(stream);
	*ret_size = out.pos;
	if (!left)
		return to;
	free(to);
	return NULL;
}
