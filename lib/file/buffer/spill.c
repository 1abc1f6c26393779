/* SPDX-License-Identifier: MIT */
/*
 * Memory with a backing file, see spill_internal.h. A piece is plain memory at first. To store
 * it, its bytes are written to the file and the file is mapped at the same address, so that
 * pointers stay valid. Pieces belong to extents, which have the same layout in the file and in
 * memory: then the kernel needs only one mapping for many pieces.
 */
#include "spill_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/paged/paged.h"
#include "base/str.h"

#define EXTENT_PIECES 64 /* as many as a word has bits */
#define EXTENT_BYTES  (EXTENT_PIECES * PFX_SPILL_PIECE)
#define ALIGN         ((uint64_t)64 << 10) /* maximum page size */
#define BUFFER_BYTES  ((size_t)256 << 10)

void pfx_spill_init(struct pfx_spill *spill)
{
	*spill = (struct pfx_spill){.fd = -1};
}

void pfx_spill_fini(struct pfx_spill *spill)
{
	size_t i;

	for (i = 0; i < spill->nr; i++)
		munmap(spill->extents[i].at, spill->extents[i].size);
	free(spill->extents);
	free(spill->buffer);
	if (spill->fd >= 0)
		close(spill->fd);
	pfx_spill_init(spill);
}

static bool is_possible(struct pfx_spill *spill)
{
	if (spill->fd >= 0)
		return true;
	if (!spill->impossible)
		spill->fd = pfx_open_unnamed();
	spill->impossible = spill->fd < 0;
	return !spill->impossible;
}

bool pfx_spill_is_due(struct pfx_spill *spill)
{
	return spill->held >= PFX_SPILL_ABOVE && is_possible(spill);
}

static struct pfx_extent *add_extent(struct pfx_spill *spill, void *at, size_t size)
{
	struct pfx_extent *extent;

	if (at == MAP_FAILED)
		return NULL;
	if (spill->nr == spill->cap)
		spill->extents = pfx_vec_grow(spill->extents, &spill->cap, spill->nr + 1,
					      sizeof(*spill->extents));
	extent = &spill->extents[spill->nr++];
	*extent = (struct pfx_extent){.at = at, .size = size, .offset = spill->size};
	spill->size += (size + ALIGN - 1) / ALIGN * ALIGN;
	return extent;
}

static struct pfx_extent *begin_extent(struct pfx_spill *spill)
{
	return add_extent(spill,
			  mmap(NULL, EXTENT_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
			  EXTENT_BYTES);
}

uint8_t *pfx_spill_new_piece(struct pfx_spill *spill)
{
	struct pfx_extent *extent = NULL;
	size_t i;

	for (i = spill->nr; i-- && !extent;)
		if (!spill->extents[i].is_region)
			extent = &spill->extents[i];
	if (!extent || extent->nr == EXTENT_PIECES)
		extent = begin_extent(spill);
	if (!extent)
		return NULL;
	extent->in_core |= 1ull << extent->nr;
	return extent->at + PFX_SPILL_PIECE * extent->nr++;
}

/* The extent that the address is in; mostly the last. */
static struct pfx_extent *find_extent(struct pfx_spill *spill, const uint8_t *at, unsigned *ret_nr)
{
	size_t i;

	for (i = spill->nr; i--;) {
		struct pfx_extent *extent = &spill->extents[i];

		if (at >= extent->at && at < extent->at + extent->size) {
			*ret_nr = (unsigned)((size_t)(at - extent->at) / PFX_SPILL_PIECE);
			return extent;
		}
	}
	return NULL;
}

static int fail(struct pfx_spill *spill, int rc)
{
	spill->failed = true;
	return rc;
}

int pfx_spill_store(struct pfx_spill *spill, uint8_t *piece, size_t size)
{
	unsigned nr;
	struct pfx_extent *extent = find_extent(spill, piece, &nr);
	off_t offset;
	void *at;
	int rc;

	if (!extent)
		return fail(spill, -EINVAL);
	offset = (off_t)(extent->offset + PFX_SPILL_PIECE * nr);
	rc = pfx_pwrite_full(spill->fd, piece, size, offset);
	if (rc < 0)
		return fail(spill, rc);
	at = mmap(piece, PFX_SPILL_PIECE, PROT_READ, MAP_SHARED | MAP_FIXED, spill->fd, offset);
	if (at == MAP_FAILED)
		return fail(spill, -errno);
	extent->in_core &= ~(1ull << nr);
	return 0;
}

uint8_t *pfx_spill_renew(struct pfx_spill *spill, uint8_t *piece)
{
	unsigned nr;
	struct pfx_extent *extent = find_extent(spill, piece, &nr);

	if (!extent)
		return NULL;
	if (extent->in_core & 1ull << nr)
		return piece;
	if (mmap(piece, PFX_SPILL_PIECE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		return NULL;
	extent->in_core |= 1ull << nr;
	return piece;
}

int pfx_spill_begin_region(struct pfx_spill *spill)
{
	if (!is_possible(spill))
		return -ENOENT;
	if (!spill->buffer)
		spill->buffer = pfx_malloc(BUFFER_BYTES);
	spill->fill = 0;
	return lseek(spill->fd, (off_t)spill->size, SEEK_SET) < 0 ? fail(spill, -errno) : 0;
}

static int flush(struct pfx_spill *spill)
{
	int rc = pfx_write_full(spill->fd, spill->buffer, spill->fill);

	spill->fill = 0;
	return rc < 0 ? fail(spill, rc) : 0;
}

int pfx_spill_write(struct pfx_spill *spill, const void *data, size_t size)
{
	if (spill->fill + size > BUFFER_BYTES && flush(spill) < 0)
		return -EIO;
	if (size > BUFFER_BYTES)
		return fail(spill, -EINVAL);
	memcpy(spill->buffer + spill->fill, data, size);
	spill->fill += size;
	return 0;
}

int pfx_spill_end_region(struct pfx_spill *spill, const uint8_t **ret)
{
	struct pfx_extent *extent;
	off_t end;
	size_t size;
	int rc = flush(spill);

	if (rc < 0)
		return rc;
	end = lseek(spill->fd, 0, SEEK_CUR);
	if (end < 0 || (uint64_t)end <= spill->size)
		return fail(spill, -EIO);
	size = (size_t)((uint64_t)end - spill->size);
	extent = add_extent(spill,
			    mmap(NULL, size, PROT_READ, MAP_SHARED, spill->fd, (off_t)spill->size),
			    size);
	if (!extent)
		return fail(spill, -errno);
	extent->is_region = true;
	*ret = extent->at;
	return 0;
}

void pfx_spill_drop_region(struct pfx_spill *spill, const uint8_t *at)
{
	unsigned nr;
	struct pfx_extent *extent = find_extent(spill, at, &nr);

	if (!extent || !extent->is_region)
		return;
	munmap(extent->at, extent->size);
	/* best effort: the disk space is freed when the descriptor is closed */
	(void)fallocate(spill->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			(off_t)extent->offset, (off_t)extent->size);
	memmove(extent, extent + 1,
		(size_t)(spill->extents + --spill->nr - extent) * sizeof(*extent));
}

void pfx_spill_drop_pages(struct pfx_spill *spill)
{
	const struct pfx_extent *extent;
	unsigned piece;
	size_t i;

	for (i = 0; i < spill->nr; i++) {
		extent = &spill->extents[i];
		if (!extent->in_core && (extent->is_region || extent->nr == EXTENT_PIECES)) {
			madvise(extent->at, extent->size, MADV_DONTNEED);
			continue;
		}
		for (piece = 0; piece < extent->nr; piece++)
			if (!(extent->in_core & 1ull << piece))
				madvise(extent->at + PFX_SPILL_PIECE * piece, PFX_SPILL_PIECE,
					MADV_DONTNEED);
	}
}
