/* SPDX-License-Identifier: MIT */
/* xz through liblzma, with a limit for the memory that an untrusted file may require. */
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "spool_internal.h"

#define MEMORY_MAX (256u << 20) /* limit of the decoder */

struct pfx_xz {
	lzma_stream stream;
};

int pfx_xz_new(struct pfx_xz **ret, struct pfx_error *err)
{
	struct pfx_xz *xz = pfx_calloc(1, sizeof(*xz));

	if (lzma_stream_decoder(&xz->stream, MEMORY_MAX, LZMA_CONCATENATED) != LZMA_OK) {
		free(xz);
		return pfx_error_set(err, ENOMEM, "no memory for decompression");
	}
	*ret = xz;
	return 0;
}

int pfx_xz_unpack(struct pfx_xz *xz, const uint8_t **in, size_t *in_left, uint8_t *to, size_t room,
		  size_t *ret_made)
{
	lzma_stream *stream = &xz->stream;
	lzma_ret rc;

	stream->next_in = *in;
	stream->avail_in = *in_left;
	stream->next_out = to;
	stream->avail_out = room;
	rc = lzma_code(stream, LZMA_RUN);
	*in = stream->next_in;
	*in_left = stream->avail_in;
	*ret_made = room - stream->avail_out;
	return rc == LZMA_OK || rc == LZMA_STREAM_END || rc == LZMA_BUF_ERROR ? 0 : -EBADMSG;
}

void pfx_xz_free(struct pfx_xz *xz)
{
	if (xz)
		lzma_end(&xz->stream);
	free(xz);
}
