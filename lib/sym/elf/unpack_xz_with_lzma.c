/* SPDX-License-Identifier: MIT */
/* Unpacks xz through liblzma, with limits on the memory, since the input is untrusted. */
#include <lzma.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "sym/elf/unpack_internal.h"

#define MEMORY_MAX (256u << 20) /* limit of the decoder's memory */

uint8_t *pfx_unpack_xz(const uint8_t *packed, size_t size, size_t *ret_size)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret rc = LZMA_OK;
	uint8_t *out = NULL;
	size_t have, room;

	if (lzma_stream_decoder(&stream, MEMORY_MAX, 0) != LZMA_OK)
		return NULL;
	stream.next_in = packed;
	stream.avail_in = size;
	for (have = 0; rc == LZMA_OK && (room = pfx_unpack_grow(have, size)); have = room) {
		out = pfx_realloc(out, room);
		stream.next_out = out + have;
		stream.avail_out = room - have;
		while (rc == LZMA_OK && stream.avail_out)
			rc = lzma_code(&stream, LZMA_FINISH);
	}
	*ret_size = stream.total_out;
	lzma_end(&stream);
	if (rc == LZMA_STREAM_END)
		return out;
	free(out);
	return NULL;
}
