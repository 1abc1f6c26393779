/* SPDX-License-Identifier: MIT */
/* gzip through zlib: a file may consist of several members, one after another. */
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/alloc.h"
#include "spool_internal.h"

#define GZIP_WINDOW (15 + 16) /* the largest window, and a gzip header */

struct pfx_gzip {
	z_stream stream;
	bool is_over; /* a member has ended, another may follow */
};

int pfx_gzip_new(struct pfx_gzip **ret, struct pfx_error *err)
{
	struct pfx_gzip *gzip = pfx_calloc(1, sizeof(*gzip));

	if (inflateInit2(&gzip->stream, GZIP_WINDOW) != Z_OK) {
		free(gzip);
		return pfx_error_set(err, ENOMEM, "no memory for decompression");
	}
	*ret = gzip;
	return 0;
}

int pfx_gzip_unpack(struct pfx_gzip *gzip, const uint8_t **in, size_t *in_left, uint8_t *to,
		    size_t room, size_t *ret_made)
{
	z_stream *stream = &gzip->stream;
	int rc;

	*ret_made = 0;
	if (gzip->is_over && *in_left)
		inflateReset(stream);
	gzip->is_over = false;
	stream->next_in = (Bytef *)*in;
	stream->avail_in = (uInt)*in_left;
	stream->next_out = to;
	stream->avail_out = (uInt)room;
	rc = inflate(stream, Z_NO_FLUSH);
	*in = stream->next_in;
	*in_left = stream->avail_in;
	*ret_made = room - stream->avail_out;
	gzip->is_over = rc == Z_STREAM_END;
	return rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR ? 0 : -EBADMSG;
}

void pfx_gzip_free(struct pfx_gzip *gzip)
{
	if (gzip)
		inflateEnd(&gzip->stream);
	free(gzip);
}
