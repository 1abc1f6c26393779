/* SPDX-License-Identifier: MIT */
/* gzip through zlib, at a level that costs less than making the output. */
#include <stdlib.h>
#include <zlib.h>

#include "base/alloc.h"
#include "export/output/pack_internal.h"

#define GZIP_WINDOW (15 + 16) /* the largest window, and a gzip header */
#define PACK_LEVEL  3
#define MEMORY      8 /* zlib's default */
#define CHUNK       (64u << 10)

struct pfx_export_pack {
	z_stream stream;
};

struct pfx_export_pack *pfx_export_pack_new(void)
{
	struct pfx_export_pack *pack = pfx_calloc(1, sizeof(*pack));

	if (deflateInit2(&pack->stream, PACK_LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY,
			 Z_DEFAULT_STRATEGY) == Z_OK)
		return pack;
	free(pack);
	return NULL;
}

void pfx_export_pack_free(struct pfx_export_pack *pack)
{
	if (pack)
		deflateEnd(&pack->stream);
	free(pack);
}

void pfx_export_pack_add(struct pfx_export_pack *pack, const struct pfx_str *from, bool is_last,
			 struct pfx_str *to)
{
	z_stream *stream = &pack->stream;
	int rc;

	stream->next_in = (Bytef *)from->at;
	stream->avail_in = (uInt)from->len;
	do {
		stream->next_out = (Bytef *)pfx_str_reserve(to, CHUNK);
		stream->avail_out = CHUNK;
		rc = deflate(stream, is_last ? Z_FINISH : Z_NO_FLUSH);
		to->len += CHUNK - stream->avail_out;
	} while (!stream->avail_out || (is_last && rc == Z_OK));
}
