/* SPDX-License-Identifier: MIT */
/* Unpacks zlib data through libdeflate, which has the whole input and output at once. */
#include <libdeflate.h>

#include "sym/elf/inflate_internal.h"

bool pfx_inflate_is_built_in(void)
{
	return true;
}

bool pfx_inflate(const uint8_t *packed, size_t size, uint8_t *to, size_t to_size)
{
	struct libdeflate_decompressor *state = libdeflate_alloc_decompressor();
	enum libdeflate_result rc = LIBDEFLATE_BAD_DATA;

	if (state) /* without a place for the size, another size is an error */
		rc = libdeflate_zlib_decompress(state, packed, size, to, to_size, NULL);
	libdeflate_free_decompressor(state);
	return rc == LIBDEFLATE_SUCCESS;
}
