/* SPDX-License-Identifier: MIT */
/*
 * Keeps the file complete at all times, so that a killed recorder loses only data that was not
 * written yet. The payloads of the features known at the start are before the records; after the
 * records is the table that points to them, as small as possible. An append first writes records
 * and a new table after the old table, then the records that replace the old table, then data.size
 * in the header: header and table are inconsistent only between the last two writes, for about a
 * microsecond. Sections 13.2 and 15 of Documentation/file-format.md.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "writer_internal.h"

#define DATA_SIZE_AT 48 /* in the header */

void pfx_writer_put_early(struct pfx_writer *writer, struct pfx_buffer *to)
{
	struct pfx_writer_early *early;
	unsigned feature;
	size_t at;

	writer->table.swap = to->swap;
	writer->early_offset = to->len;
	for (feature = 0; feature < PFX_FEAT_BITS; feature++) {
		at = to->len;
		if (!pfx_writer_put_feature(writer, feature, to))
			continue;
		early = &writer->early[feature];
		early->offset = at;
		early->size = to->len - at;
		writer->features[feature / 64] |= 1ull << (feature % 64);
		pfx_buffer_u64(&writer->table, early->offset);
		pfx_buffer_u64(&writer->table, early->size);
	}
	pfx_buffer_bytes(&writer->early_bytes, to->at + writer->early_offset,
			 to->len - writer->early_offset);
}

const struct pfx_writer_early *pfx_writer_find_early(const struct pfx_writer *writer,
						     unsigned feature, const uint8_t *data,
						     size_t size)
{
	const struct pfx_writer_early *early = &writer->early[feature];

	if (!early->offset || early->size != size)
		return NULL;
	if (size &&
	    memcmp(writer->early_bytes.at + (early->offset - writer->early_offset), data, size))
		return NULL;
	return early;
}

int pfx_writer_publish(struct pfx_writer *writer)
{
	static const uint64_t none[PFX_FEAT_BITS / 64];
	off_t end = (off_t)(writer->data_offset + writer->data_size);
	size_t size = writer->table.len;

	if (writer->is_live && pfx_pwrite_full(writer->fd, writer->table.at, size, end) == 0 &&
	    ftruncate(writer->fd, end + (off_t)size) == 0)
		return pfx_writer_put_header(writer, writer->features);
	if (ftruncate(writer->fd, end) < 0)
		return -errno;
	return pfx_writer_put_header(writer, none);
}

static int put_data_size(struct pfx_writer *writer)
{
	uint64_t size = writer->data_size;

	if (writer->meta->swap)
		size = __builtin_bswap64(size);
	return pfx_pwrite_full(writer->fd, &size, sizeof(size), DATA_SIZE_AT);
}

int pfx_writer_catch_up(struct pfx_writer *writer)
{
	uint64_t size;
	ssize_t got = pread(writer->fd, &size, sizeof(size), DATA_SIZE_AT);

	if (got != (ssize_t)sizeof(size))
		return got < 0 ? -errno : -EIO;
	writer->data_size = writer->meta->swap ? __builtin_bswap64(size) : size;
	return 0;
}

/* There was room for @have bytes of the records: keep the whole ones. */
static int keep_whole(struct pfx_writer *writer, const struct pfx_pieces *pieces, size_t have,
		      int code, struct pfx_error *err)
{
	writer->data_size += pfx_pieces_whole_records(pieces, have, writer->meta->swap);
	pfx_writer_publish(writer);
	return pfx_writer_failed(writer, code, err);
}

/* The file size limit is smaller: write the records that fit. */
static int fill_up(struct pfx_writer *writer, const struct pfx_pieces *pieces, size_t size,
		   struct pfx_error *err)
{
	uint64_t offset = writer->data_offset + writer->data_size, used;
	struct iovec some[PFX_PIECES_MAX];
	struct pfx_pieces first;
	size_t done = 0;

	used = offset + writer->table.len;
	if (used < writer->limit) {
		size = writer->limit - used < size ? writer->limit - used : size;
		first = pfx_pieces_first(pieces, size, some);
		pfx_pieces_write(writer->fd, &first, (off_t)offset, &done);
	}
	return keep_whole(writer, pieces, done, EFBIG, err);
}

int pfx_writer_append_live(struct pfx_writer *writer, const struct pfx_pieces *pieces,
			   struct pfx_error *err)
{
	struct iovec all[PFX_PIECES_MAX], some[PFX_PIECES_MAX];
	struct pfx_pieces with_table = {all, pieces->nr + 1}, first;
	off_t offset = (off_t)(writer->data_offset + writer->data_size);
	size_t size = pfx_pieces_size(pieces), hole = writer->table.len, back, front = 0;
	int rc, failed;

	if (with_table.nr > PFX_PIECES_MAX)
		return pfx_error_set(err, EINVAL, "%d pieces at once are too many", pieces->nr);
	if (!size)
		return 0;
	rc = pfx_writer_check(writer, (uint64_t)offset + hole, err);
	if (rc < 0)
		return rc;
	if (writer->limit && (uint64_t)offset + size + hole > writer->limit)
		return fill_up(writer, pieces, size, err);
	memcpy(all, pieces->iov, (size_t)pieces->nr * sizeof(*all));
	all[pieces->nr] = (struct iovec){writer->table.at, writer->table.len};
	hole = hole < size ? hole : 0; /* a small append is one write */
	back = hole;
	failed = pfx_pieces_write(writer->fd, &with_table, offset, &back);
	first = pfx_pieces_first(pieces, hole, some);
	rc = pfx_pieces_write(writer->fd, &first, offset, &front);
	if (failed < 0 || rc < 0) {
		back = back < size ? back : size;
		return keep_whole(writer, pieces, front < hole ? front : back,
				  failed < 0 ? -failed : -rc, err);
	}
	writer->data_size += size;
	rc = put_data_size(writer);
	return rc < 0 ? pfx_writer_failed(writer, -rc, err) : 0;
}
