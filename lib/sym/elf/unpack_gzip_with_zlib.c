/* SPDX-License-Identifier: MIT */
/* Unpacks gzip through zlib, with a limit on the output. */
#include <stdlib.h>
#include <zlib.h>

#include "base/alloc.h"
#include "sym/elf/unpack_internal.h"

#define GZIP_WINDOW (15 + 16) /* the largest window, with a gzip header */

uint8_t *pfx_unpack_gzip(const uint8_t *packed, size_t size, size_t *ret_size)
{
	z_stream stream = {.next_in = (Bytef *)packed, .avail_in = (uInt)size};
	uint8_t *out = NULL;
	int rc = Z_OK;
	size_t have, room;

	if (size > UNPACKED_MAX || inflateInit2(&stream, GZIP_WINDOW) != Z_OK)
		return NULL;
	for (have = 0; rc == Z_OK && (room = pfx_unpack_grow(have, size)); have = room) {
		out = pfx_realloc(out, room);
		stream.next_out = out + have;
		stream.avail_out = (uInt)(room - have);
		while (rc == Z_OK && stream.avail_out)
			rc = inflate(&stream, Z_NO_FLUSH);
	}
	*ret_size = stream.total_out;
	inflateEnd(&stream);
	if (rc == Z_STREAM_END)
		return out;
	free(out);
	return NULL;
}
