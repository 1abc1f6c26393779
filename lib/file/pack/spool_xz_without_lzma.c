/* SPDX-License-Identifier: MIT */
/* Files compressed with xz cannot be unpacked without liblzma. */
#include <errno.h>

#include "spool_internal.h"

int pfx_xz_new(struct pfx_xz **ret, struct pfx_error *err)
{
	pfx_error_set(err, ENOTSUP, "the file is compressed with xz");
	pfx_error_hint(err, "this pfx is built without liblzma: unpack the file first");
	return -ENOTSUP;
}

int pfx_xz_unpack(struct pfx_xz *xz, const uint8_t **in, size_t *in_left, uint8_t *to, size_t room,
		  size_t *ret_made)
{
	*ret_made = 0;
	return -ENOTSUP;
}

void pfx_xz_free(struct pfx_xz *xz)
{
}
