/* SPDX-License-Identifier: MIT */
/* The counterpart of zstd_with_zstd.c for a build without libzstd: all functions fail with a
 * message. */
#include <errno.h>

#include "zstd_internal.h"

int pfx_zstd_new(struct pfx_zstd **ret, struct pfx_error *err)
{
	*ret = NULL;
	pfx_error_set(err, ENOTSUP, "the recording is compressed, and this pfx has no zstd");
	pfx_error_hint(err, "install libzstd-dev and build pfx again");
	return -ENOTSUP;
}

int pfx_zstd_unpack(struct pfx_zstd *zstd, const uint8_t **in, size_t *in_left, uint8_t *to,
		    size_t room, size_t *ret_made)
{
	return -ENOTSUP;
}

void pfx_zstd_free(struct pfx_zstd *zstd)
{
}

int pfx_zstd_pack_new(struct pfx_zstd_pack **ret, int level, struct pfx_error *err)
{
	*ret = NULL;
	pfx_error_set(err, ENOTSUP, "this pfx has no zstd to compress with");
	pfx_error_hint(err, "install libzstd-dev and build pfx again");
	return -ENOTSUP;
}

int pfx_zstd_pack(struct pfx_zstd_pack *pack, const uint8_t **in, size_t *in_left, uint8_t *to,
		  size_t room, size_t *ret_made)
{
	return -ENOTSUP;
}

int pfx_zstd_pack_end(struct pfx_zstd_pack *pack, uint8_t *to, size_t room, size_t *ret_made)
{
	return -ENOTSUP;
}

void pfx_zstd_pack_free(struct pfx_zstd_pack *pack)
{
}
