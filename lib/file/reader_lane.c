/* SPDX-License-Identifier: MIT */
/*
 * Cutting one stream of bytes into records: plain ones, those packed into COMPRESSED records, and
 * the payload that follows a few types outside their size. Damage ends the lane (or the compressed
 * stream within it) and is counted; it is an error only for strict readers. What the records mean
 * is decided elsewhere.
 */
#include <errno.h>
#include <string.h>

#include "reader_internal.h"

/* Smallest room that is worth a call of the decompressor. */
#define UNPACK_ROOM 65536

void pfx_lane_init_memory(struct pfx_lane *lane, const void *data, size_t size, uint64_t offset)
{
	memset(lane, 0, sizeof(*lane));
	pfx_feed_init_memory(&lane->raw, data, size, offset);
	pfx_feed_init_fd(&lane->unpacked, -1);
}

void pfx_lane_init_fd(struct pfx_lane *lane, int fd)
{
	memset(lane, 0, sizeof(*lane));
	pfx_feed_init_fd(&lane->raw, fd);
	pfx_feed_init_fd(&lane->unpacked, -1);
}

void pfx_lane_fini(struct pfx_lane *lane)
{
	pfx_feed_fini(&lane->raw);
	pfx_feed_fini(&lane->unpacked);
	pfx_zstd_free(lane->zstd);
	pfx_unmap(&lane->map);
}

/* The lane ends here although bytes are left: 0, or an error for a strict reader. */
static int give_up(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_error *err)
{
	uint64_t offset = pfx_feed_offset(&lane->raw);
	char name[256];

	lane->broken = true;
	reader->damage.nr_bad++;
	reader->damage.bytes_skipped += pfx_feed_left(&lane->raw);
	if (!reader->options.strict)
		return 0;
	return pfx_error_set(
		err, EBADMSG, "'%s' is damaged at offset %#llx: no record starts there",
		pfx_reader_name(reader, name, sizeof(name)), (unsigned long long)offset);
}

static int end_inside(struct pfx_reader *reader, struct pfx_lane *lane, size_t left,
		      struct pfx_error *err)
{
	char name[256];

	lane->broken = true;
	if (!left)
		return 0;
	reader->damage.cut_short = true;
	reader->damage.bytes_skipped += left;
	if (!reader->options.strict)
		return 0;
	return pfx_error_set(err, ENODATA, "'%s' is cut short: it ends inside a record",
			     pfx_reader_name(reader, name, sizeof(name)));
}

/*
 * Payload outside the record's size: AUXTRACE {header, u64 size, ...}, HEADER_TRACING_DATA {header,
 * u32 size}. simpleperf puts the latter inside the record.
 */
static uint64_t extra_size(const struct pfx_record *rec)
{
	uint32_t inside;
	uint64_t size;

	if (rec->type == PFX_RECORD_AUXTRACE)
		return rec->size < 16 ? 0 : pfx_load64(rec->bytes + 8, rec->swap);
	if (rec->type != PFX_RECORD_HEADER_TRACING_DATA || rec->size < 12)
		return 0;
	size = pfx_load32(rec->bytes + 8, rec->swap);
	inside = rec->size - 12u;
	return size <= inside ? 0 : size;
}

/* See that the payload is there too. The input may end before: then there is less of it. */
static int add_extra(struct pfx_reader *reader, struct pfx_feed *feed, struct pfx_record *rec)
{
	uint64_t offset = rec->offset, size = extra_size(rec);
	size_t all;
	int rc;

	if (!size)
		return 1;
	if (__builtin_add_overflow(size, rec->size, &all))
		all = SIZE_MAX;
	rc = pfx_feed_need(feed, all);
	if (rc < 0)
		return rc;
	pfx_record_init(rec, feed->at, reader->swap, offset);
	rec->extra = feed->at + rec->size;
	rec->extra_size = size;
	if (!rc) {
		rec->extra_size = pfx_feed_left(feed) - rec->size;
		reader->damage.cut_short = true;
	}
	return 1;
}

static int read_failed(struct pfx_reader *reader, struct pfx_lane *lane, int rc,
		       struct pfx_error *err)
{
	char name[256];

	lane->broken = true;
	return pfx_error_sys(err, -rc, "cannot read '%s'",
			     pfx_reader_name(reader, name, sizeof(name)));
}

/* Get the bytes of the record at the window's start: 1, 0 the end, or an error. */
static int fetch_bytes(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_error *err)
{
	struct pfx_feed *feed = &lane->raw;
	uint16_t size = PFX_RECORD_HEADER_SIZE;
	int rc;

	if (lane->broken)
		return 0;
	rc = pfx_feed_need(feed, PFX_RECORD_HEADER_SIZE);
	if (rc > 0) {
		size = pfx_load16(feed->at + 6, reader->swap);
		if (size < PFX_RECORD_HEADER_SIZE ||
		    pfx_load32(feed->at, reader->swap) > PFX_BODY_TYPES_MAX)
			return give_up(reader, lane, err);
		rc = pfx_feed_need(feed, size);
	}
	if (rc < 0)
		return read_failed(reader, lane, rc, err);
	return rc ? 1 : end_inside(reader, lane, pfx_feed_left(feed), err);
}

static int next_raw(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_record *ret,
		    struct pfx_error *err)
{
	struct pfx_feed *feed = &lane->raw;
	int rc = fetch_bytes(reader, lane, err);

	if (rc <= 0)
		return rc;
	pfx_record_init(ret, feed->at, reader->swap, pfx_feed_offset(feed));
	if (ret->type == PFX_RECORD_AUXTRACE || ret->type == PFX_RECORD_HEADER_TRACING_DATA) {
		rc = add_extra(reader, feed, ret);
		if (rc < 0)
			return read_failed(reader, lane, rc, err);
	}
	feed->at = ret->bytes + ret->size + ret->extra_size;
	lane->from = feed;
	return 1;
}

/* A COMPRESSED record was read: its bytes are to be unpacked next. */
static int begin_packed(struct pfx_reader *reader, struct pfx_lane *lane,
			const struct pfx_record *rec, struct pfx_error *err)
{
	struct pfx_cursor c = pfx_record_cursor(rec);
	uint64_t size = pfx_cursor_left(&c);

	if (lane->packed_broken) {
		reader->damage.bytes_skipped += rec->size;
		return 0;
	}
	if (rec->type == PFX_RECORD_COMPRESSED2) {
		size = pfx_cursor_u64(&c);
		if (!pfx_cursor_fits(&c, size, 1)) {
			reader->damage.nr_bad++;
			size = pfx_cursor_left(&c);
		}
	}
	lane->packed = c.at;
	lane->packed_left = size;
	lane->packed_offset = rec->offset;
	return lane->zstd ? 0 : pfx_zstd_new(&lane->zstd, err);
}

/* The compressed stream makes no sense: what follows of it cannot be unpacked either. */
static int give_up_packed(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_error *err)
{
	struct pfx_feed *feed = &lane->unpacked;
	char name[256];

	reader->damage.nr_bad++;
	reader->damage.bytes_skipped += lane->packed_left;
	lane->packed_broken = true;
	lane->packed_more = false;
	lane->packed_left = 0;
	feed->at = feed->end;
	if (!reader->options.strict)
		return 0;
	return pfx_error_set(err, EBADMSG, "'%s': the compressed data at offset %#llx is damaged",
			     pfx_reader_name(reader, name, sizeof(name)),
			     (unsigned long long)lane->packed_offset);
}

static int unpack_more(struct pfx_lane *lane)
{
	size_t before = lane->packed_left, room, made = 0;
	uint8_t *to = pfx_feed_room(&lane->unpacked, UNPACK_ROOM, &room);
	int rc = pfx_zstd_unpack(lane->zstd, &lane->packed, &lane->packed_left, to, room, &made);

	if (rc < 0 || (!made && before && before == lane->packed_left))
		return -EBADMSG;
	pfx_feed_added(&lane->unpacked, made);
	lane->packed_more = made == room;
	return 0;
}

/* The next record of what was unpacked: 1, or 0 when another COMPRESSED record is needed. */
static int next_unpacked(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_record *ret,
			 struct pfx_error *err)
{
	struct pfx_feed *feed = &lane->unpacked;
	uint16_t size = 0;

	for (;;) {
		if (pfx_feed_left(feed) >= PFX_RECORD_HEADER_SIZE) {
			size = pfx_load16(feed->at + 6, reader->swap);
			if (size < PFX_RECORD_HEADER_SIZE)
				return give_up_packed(reader, lane, err);
			if (size <= pfx_feed_left(feed))
				break;
		}
		if (!lane->packed_left && !lane->packed_more)
			return 0;
		if (unpack_more(lane) < 0)
			return give_up_packed(reader, lane, err);
	}
	pfx_record_init(ret, feed->at, reader->swap, lane->packed_offset);
	feed->at += size;
	lane->from = feed;
	return 1;
}

static bool has_packed(const struct pfx_lane *lane)
{
	return lane->unpacked.at != lane->unpacked.end || lane->packed_left || lane->packed_more;
}

int pfx_lane_next(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_record *ret,
		  struct pfx_error *err)
{
	int rc;

	for (;;) {
		if (has_packed(lane)) {
			rc = next_unpacked(reader, lane, ret, err);
			if (rc)
				return rc;
		}
		rc = next_raw(reader, lane, ret, err);
		if (rc < 0)
			return rc;
		if (!rc)
			return end_inside(reader, lane, pfx_feed_left(&lane->unpacked), err);
		if (ret->type != PFX_RECORD_COMPRESSED && ret->type != PFX_RECORD_COMPRESSED2)
			return 1;
		rc = begin_packed(reader, lane, ret, err);
		if (rc || reader->options.keep_meta_records)
			return rc ? rc : 1;
	}
}
