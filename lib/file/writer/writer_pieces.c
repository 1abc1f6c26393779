/* SPDX-License-Identifier: MIT */
/* A few pieces of memory, written as one: from any offset, and limited to whole records. */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "writer_internal.h"

static bool copy_out(const struct pfx_pieces *pieces, size_t at, void *to, size_t size)
{
	uint8_t *out = to;
	size_t n;
	int i;

	for (i = 0; i < pieces->nr && size; i++) {
		if (at >= pieces->iov[i].iov_len) {
			at -= pieces->iov[i].iov_len;
			continue;
		}
		n = pieces->iov[i].iov_len - at;
		n = n < size ? n : size;
		memcpy(out, (const uint8_t *)pieces->iov[i].iov_base + at, n);
		out += n;
		size -= n;
		at = 0;
	}
	return !size;
}

size_t pfx_pieces_whole_records(const struct pfx_pieces *pieces, size_t size, bool swap)
{
	uint8_t head[16] = {0};
	uint64_t next, extra;
	size_t at = 0;

	while (copy_out(pieces, at, head, PFX_RECORD_HEADER_SIZE)) {
		next = pfx_load16(head + 6, swap);
		if (next < PFX_RECORD_HEADER_SIZE)
			break;
		if (pfx_load32(head, swap) == PFX_RECORD_AUXTRACE &&
		    copy_out(pieces, at, head, sizeof(head))) {
			extra = pfx_load64(head + 8, swap);
			next = extra > size ? size + 1 : next + extra;
		}
		if (next > size - at)
			break;
		at += next;
	}
	return at;
}

/* The rest of the pieces after the first @done bytes. */
static int rest_of(const struct pfx_pieces *pieces, size_t done, struct iovec *ret)
{
	int i, nr = 0;

	for (i = 0; i < pieces->nr && nr < PFX_PIECES_MAX; i++) {
		if (done >= pieces->iov[i].iov_len) {
			done -= pieces->iov[i].iov_len;
			continue;
		}
		ret[nr].iov_base = (char *)pieces->iov[i].iov_base + done;
		ret[nr++].iov_len = pieces->iov[i].iov_len - done;
		done = 0;
	}
	return nr;
}

int pfx_pieces_write(int fd, const struct pfx_pieces *pieces, off_t offset, size_t *done)
{
	struct iovec rest[PFX_PIECES_MAX];
	ssize_t rc;
	int nr;

	for (;;) {
		nr = rest_of(pieces, *done, rest);
		if (!nr)
			return 0;
		if (offset < 0)
			rc = writev(fd, rest, nr);
		else
			rc = pwritev(fd, rest, nr, offset + (off_t)*done);
		if (rc < 0 && errno == EINTR)
			continue;
		if (rc < 0)
			return -errno;
		*done += (size_t)rc;
	}
}

size_t pfx_pieces_size(const struct pfx_pieces *pieces)
{
	size_t size = 0;
	int i;

	for (i = 0; i < pieces->nr; i++)
		size += pieces->iov[i].iov_len;
	return size;
}

struct pfx_pieces pfx_pieces_first(const struct pfx_pieces *pieces, size_t size, struct iovec *iov)
{
	struct pfx_pieces ret = {iov, 0};

	for (; ret.nr < pieces->nr && size; ret.nr++) {
		iov[ret.nr] = pieces->iov[ret.nr];
		if (iov[ret.nr].iov_len > size)
			iov[ret.nr].iov_len = size;
		size -= iov[ret.nr].iov_len;
	}
	return ret;
}
