/* SPDX-License-Identifier: MIT */
/* .gnu_debugdata: an ELF file packed by xz, in the programs of some distributions. */
#include <lzma.h>
#include <stdlib.h>

#include "sym/elf_internal.h"

#define UNPACKED_MAX (256u << 20) /* of one program; real ones have some megabytes */
#define MEMORY_MAX   (256u << 20) /* that the decoder may take */
#define CHUNK        (1u << 20)

uint8_t *pfx_minidebug_unpack(const struct pfx_elf *elf, size_t *ret_size)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret rc = LZMA_OK;
	uint8_t *out = NULL;
	size_t size, packed;

	stream.next_in = pfx_elf_bytes(elf, pfx_elf_section(elf, ".gnu_debugdata"), &packed);
	if (!stream.next_in || lzma_stream_decoder(&stream, MEMORY_MAX, 0) != LZMA_OK)
		return NULL;
	stream.avail_in = packed;
	for (size = 0; rc == LZMA_OK && size < UNPACKED_MAX; size += CHUNK) {
		out = pfx_realloc(out, size + CHUNK);
		stream.next_out = out + size;
		stream.avail_out = CHUNK;
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
