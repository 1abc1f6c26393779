/* SPDX-License-Identifier: MIT */
/* Files compressed with gzip cannot be unpacked without zlib. */
#include <errno.h>

#include "spool_internal.h"

int pfx_gzip_new(struct pfx_gzip **ret, struct pfx_error *err)
{
	pfx_error_set(err, ENOTSUP, "the file is compressed with gzip");
	pfx_error_hint(err, "this pfx is built without zlib: unpack the file first");
	return -ENOTSUP;
}

int pfx_gzip_unpack(struct pfx_gzip *gzip, const uint8_t **in, size_t *in_left, uint8_t *to,
		    size_t room, size_t *ret_made)
{
	*ret_made = 0;
	return -ENOTSUP;
}

void pfx_gzip_free(struct pfx_gzip *gzip)
{
}
