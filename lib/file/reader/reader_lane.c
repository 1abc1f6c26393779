/* SPDX-License-Identifier: MIT */
/*
 * Splits a stream of bytes into records: plain records, records in COMPRESSED records, and the
 * payload after records of a few types, which their size does not include. After damage, the lane
 * continues at the next valid record (a compressed stream ends); skipped bytes are counted. Damage
 * is an error only for strict readers. Sections 4.1, 10 and 13.3 to 13.6 of
 * Documentation/file-format.md.
 */
#include <errno.h>
#include <string.h>

#include "reader_state_internal.h"

/* Minimum room for a call of the decompressor. */
#define UNPACK_ROOM 65536
/* Compressed recordings are a tenth to a hundredth of their size. Greater ratios are attempts to
 * waste time. */
#define UNPACK_RATIO_MAX 2000
#define UNPACK_FREE      (64u << 20) /* bytes allowed regardless of the ratio */
/* Longer payload of a stream is not kept in memory. */
#define PAYLOAD_IN_MEMORY (PFX_SPILL_PIECE - 65536)
/* AUX areas are smaller. */
#define PAYLOAD_MAX ((uint64_t)4 << 30)
/* COMPRESSED records are longer: if no more than this was skipped, none is missing. */
#define NOT_PACKED 16

void pfx_lane_init_memory(struct pfx_lane *lane, const void *data, size_t size, uint64_t offset)
{
	memset(lane, 0, sizeof(*lane));
	pfx_feed_init_memory(&lane->raw, data, size, offset);
	pfx_feed_init_fd(&lane->unpacked, -1);
}

void pfx_lane_fini(struct pfx_lane *lane)
{
	pfx_feed_fini(&lane->raw);
	pfx_feed_fini(&lane->unpacked);
	pfx_zstd_free(lane->zstd);
	pfx_unmap(&lane->map);
}

static int refuse_place(struct pfx_reader *reader, uint64_t offset, struct pfx_error *err)
{
	char name[256];

	return pfx_error_set(
		err, EBADMSG, "'%s' is damaged at offset %#llx: no record starts there",
		pfx_reader_name(reader, name, sizeof(name)), (unsigned long long)offset);
}

/* @skipped bytes were not valid: 0, or an error for a strict reader. */
static int count_damage(struct pfx_reader *reader, struct pfx_lane *lane, uint64_t skipped,
			struct pfx_error *err)
{
	uint64_t offset = pfx_feed_offset(&lane->raw) - skipped;

	reader->damage.nr_places++;
	reader->damage.bytes_skipped += skipped;
	/* after a gap, the compressed stream cannot continue */
	if (lane->zstd && skipped > NOT_PACKED)
		lane->packed_broken = true;
	return reader->options.strict ? refuse_place(reader, offset, err) : 0;
}

static int end_inside(struct pfx_reader *reader, struct pfx_lane *lane, size_t left,
		      struct pfx_error *err)
{
	char name[256];

	lane->broken = true;
	if (!left || __atomic_load_n(&reader->is_ended, __ATOMIC_RELAXED))
		return 0;
	reader->damage.cut_short = true;
	reader->damage.bytes_skipped += left;
	if (!reader->options.strict)
		return 0;
	return pfx_error_set(err, ENODATA, "'%s' is cut short: it ends inside a record",
			     pfx_reader_name(reader, name, sizeof(name)));
}

/*
 * Payload of a stream that is too long for memory goes to a file if the caller wants it, otherwise
 * it is skipped. A size beyond the maximum of AUX areas is damage: then there is no payload.
 */
static int add_long_extra(struct pfx_reader *reader, struct pfx_feed *feed, struct pfx_record *rec,
			  uint64_t size)
{
	struct pfx_spill *to = reader->options.keep_payload ? &reader->spill : NULL;
	uint64_t offset = rec->offset;
	int rc;

	if (size > PAYLOAD_MAX) {
		reader->damage.nr_bad++;
		return 1;
	}
	if (reader->payload)
		pfx_spill_drop_region(&reader->spill, reader->payload);
	reader->payload = NULL;
	rc = pfx_feed_drain(feed, rec->size, size, to, &size);
	if (rc < 0)
		return rc;
	reader->damage.cut_short |= feed->fd < 0;
	pfx_record_init(rec, feed->at, reader->swap, offset);
	rec->extra_size = size;
	if (!to || !size)
		return 1;
	rc = pfx_spill_end_region(to, &reader->payload);
	rec->extra = reader->payload;
	return rc < 0 ? rc : 1;
}

/* Whether the payload is too long for memory. If no file is possible, it must be in memory. */
static bool is_long(struct pfx_reader *reader, const struct pfx_feed *feed,
		    const struct pfx_record *rec, uint64_t size)
{
	if (feed->fd < 0 || size <= pfx_feed_left(feed) - rec->size)
		return false;
	if (rec->type == PFX_RECORD_HEADER_TRACING_DATA)
		return size > PFX_TRACING_DATA_MAX;
	if (size <= PAYLOAD_IN_MEMORY)
		return false;
	return size > PAYLOAD_MAX || !reader->options.keep_payload ||
	       !pfx_spill_begin_region(&reader->spill);
}

/* Make the payload after the record available, too. The input may end before: then the payload is
 * shorter; or the payload's size is damaged, and valid records follow within it. */
static int add_extra(struct pfx_reader *reader, struct pfx_feed *feed, struct pfx_record *rec)
{
	uint64_t offset = rec->offset, size;
	size_t all, next;
	int rc;

	size = pfx_recover_extra(rec->bytes, rec->size, rec->swap);
	if (!size)
		return 1;
	if (is_long(reader, feed, rec, size))
		return add_long_extra(reader, feed, rec, size);
	if (__builtin_add_overflow(size, rec->size, &all))
		all = SIZE_MAX;
	rc = pfx_feed_need(feed, all);
	if (rc < 0)
		return rc;
	pfx_record_init(rec, feed->at, reader->swap, offset);
	rec->extra = feed->at + rec->size;
	rec->extra_size = size;
	if (rc)
		return 1;
	next = pfx_recover_find(feed, reader->swap, rec->size, SIZE_MAX);
	reader->damage.cut_short |= next == PFX_NOWHERE;
	reader->damage.nr_places += next != PFX_NOWHERE;
	rec->extra_size = (next == PFX_NOWHERE ? pfx_feed_left(feed) : next) - rec->size;
	return 1;
}

static int read_failed(struct pfx_reader *reader, struct pfx_lane *lane, int rc,
		       struct pfx_error *err)
{
	char name[256];

	lane->broken = true;
	pfx_reader_name(reader, name, sizeof(name));
	if (!reader->spill.failed)
		return pfx_error_sys(err, -rc, "cannot read '%s'", name);
	pfx_error_sys(err, -rc, "cannot store what has to wait of '%s' to be put in order", name);
	pfx_error_hint(err, "TMPDIR names a folder with more room");
	return rc;
}

/*
 * Whether the record at the window's start ends where another can begin, as far as bytes are
 * available (no more are read from a stream). The payload is checked later.
 */
static bool ends_well(const struct pfx_feed *feed, uint16_t size, bool swap)
{
	size_t left = pfx_feed_left(feed);

	if (left < size + (size_t)PFX_RECORD_HEADER_SIZE || pfx_recover_extra(feed->at, left, swap))
		return left >= size;
	return pfx_recover_is_sane(feed->at + size, swap);
}

/*
 * The header at the window's start is valid. Its size is accepted unless no record follows and
 * other records begin inside. 1 the record is complete, 0 it is not (damage was skipped, or the
 * input ends inside), or an error.
 */
static int check_size(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_error *err)
{
	struct pfx_feed *feed = &lane->raw;
	uint16_t size = pfx_load16(feed->at + 6, reader->swap);
	size_t inside;
	int rc = pfx_feed_need(feed, size);

	if (rc < 0)
		return read_failed(reader, lane, rc, err);
	if (rc && ends_well(feed, size, reader->swap))
		return 1;
	inside = pfx_recover_inside(feed, reader->swap);
	if (inside == PFX_NOWHERE)
		return rc ? 1 : end_inside(reader, lane, pfx_feed_left(feed), err);
	feed->at += inside;
	return count_damage(reader, lane, inside, err);
}

/* There is no valid record at the window's start. */
static int skip_damage(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_error *err)
{
	uint64_t skipped;
	int rc;

	rc = pfx_reader_check_cut(reader, err);
	if (rc)
		return rc;
	if (reader->options.strict)
		return refuse_place(reader, pfx_feed_offset(&lane->raw), err);
	rc = pfx_recover_search(reader, &lane->raw, &skipped);
	if (rc < 0)
		return read_failed(reader, lane, rc, err);
	lane->broken = !rc;
	return count_damage(reader, lane, skipped, err);
}

/* Make the bytes of the next record available at the window's start: 1, 0 the end, or an error. */
static int fetch_bytes(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_error *err)
{
	struct pfx_feed *feed = &lane->raw;
	int rc = 0;

	while (!rc && !lane->broken) {
		rc = pfx_feed_need(feed, PFX_RECORD_HEADER_SIZE);
		if (rc < 0)
			return read_failed(reader, lane, rc, err);
		if (!rc)
			return end_inside(reader, lane, pfx_feed_left(feed), err);
		if (pfx_recover_is_sane(feed->at, reader->swap))
			rc = check_size(reader, lane, err);
		else
			rc = skip_damage(reader, lane, err);
	}
	return rc;
}

static int next_raw(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_record *ret,
		    struct pfx_error *err)
{
	struct pfx_feed *feed = &lane->raw;
	int rc = fetch_bytes(reader, lane, err);

	if (rc <= 0)
		return rc;
	pfx_record_init(ret, feed->at, reader->swap, pfx_feed_offset(feed));
	pfx_reader_fetch_ahead(ret->bytes, ret->size);
	if (ret->type == PFX_RECORD_AUXTRACE || ret->type == PFX_RECORD_HEADER_TRACING_DATA) {
		rc = add_extra(reader, feed, ret);
		if (rc < 0)
			return read_failed(reader, lane, rc, err);
	}
	feed->at = ret->bytes + ret->size;
	if (ret->extra == feed->at)
		feed->at += ret->extra_size;
	lane->from = feed;
	return 1;
}

/* A damaged compressed stream cannot continue, but another may begin. */
static bool begins_stream(const uint8_t *at, size_t size)
{
	static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};

	return size >= sizeof(magic) && !memcmp(at, magic, sizeof(magic));
}

/* A COMPRESSED record was read: its bytes are to be unpacked next. */
static int begin_packed(struct pfx_reader *reader, struct pfx_lane *lane,
			const struct pfx_record *rec, struct pfx_error *err)
{
	struct pfx_cursor c = pfx_record_cursor(rec);
	uint64_t size = pfx_cursor_left(&c);

	if (rec->type == PFX_RECORD_COMPRESSED2) {
		size = pfx_cursor_u64(&c);
		if (!pfx_cursor_fits(&c, size, 1)) {
			reader->damage.nr_bad++;
			size = pfx_cursor_left(&c);
		}
	}
	if (lane->packed_broken) {
		if (!begins_stream(c.at, size)) {
			reader->damage.bytes_skipped += rec->size;
			return 0;
		}
		pfx_zstd_free(lane->zstd);
		lane->zstd = NULL;
		lane->packed_broken = false;
	}
	lane->packed = c.at;
	lane->packed_left = size;
	lane->packed_in += size;
	lane->packed_offset = rec->offset;
	return lane->zstd ? 0 : pfx_zstd_new(&lane->zstd, err);
}

/* The compressed stream is not valid: the rest of it cannot be unpacked either. */
static int give_up_packed(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_error *err)
{
	char name[256];

	reader->damage.nr_places++;
	reader->damage.bytes_skipped += lane->packed_left;
	lane->packed_broken = true;
	lane->packed_more = false;
	lane->packed_left = 0;
	if (!reader->options.strict)
		return 0;
	return pfx_error_set(err, EBADMSG, "'%s': the compressed data at offset %#llx is damaged",
			     pfx_reader_name(reader, name, sizeof(name)),
			     (unsigned long long)lane->packed_offset);
}

/* A stream with a dictionary cannot be unpacked; that is not damage. */
static int refuse_dictionary(const struct pfx_reader *reader, const struct pfx_lane *lane,
			     struct pfx_error *err)
{
	char name[256];

	pfx_error_set(err, ENOTSUP, "'%s': the compressed data at offset %#llx needs a dictionary",
		      pfx_reader_name(reader, name, sizeof(name)),
		      (unsigned long long)lane->packed_offset);
	pfx_error_hint(err, "recordings have none: whoever packed it must pack it without");
	return -ENOTSUP;
}

/* Output before an error is kept. -EBADMSG and -EFBIG are damage. */
static int unpack_more(struct pfx_lane *lane)
{
	size_t before = lane->packed_left, room, made = 0;
	uint8_t *to = pfx_feed_room(&lane->unpacked, UNPACK_ROOM, &room);
	int rc;

	if (!to)
		return lane->unpacked.failed;
	rc = pfx_zstd_unpack(lane->zstd, &lane->packed, &lane->packed_left, to, room, &made);
	pfx_feed_added(&lane->unpacked, made);
	lane->packed_out += made;
	lane->packed_more = made == room;
	if (rc < 0)
		return rc;
	if (!made && before && before == lane->packed_left)
		return -EBADMSG;
	return lane->packed_out / UNPACK_RATIO_MAX >
			       lane->packed_in + UNPACK_FREE / UNPACK_RATIO_MAX
		       ? -EFBIG
		       : 0;
}

static int unpack_step(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_error *err)
{
	int rc = unpack_more(lane);

	if (rc >= 0)
		return 0;
	if (reader->spill.failed)
		return read_failed(reader, lane, rc, err);
	if (rc == -ENOTSUP)
		return refuse_dictionary(reader, lane, err);
	return give_up_packed(reader, lane, err);
}

/* The unpacked bytes at the window's start are not a valid record: skip to the next one. */
static int skip_unpacked(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_error *err)
{
	struct pfx_feed *feed = &lane->unpacked;
	size_t next = pfx_recover_find(feed, reader->swap, 1, SIZE_MAX);

	if (next == PFX_NOWHERE)
		next = pfx_feed_left(feed);
	feed->at += next;
	reader->damage.nr_places++;
	reader->damage.bytes_skipped += next;
	return reader->options.strict ? refuse_place(reader, lane->packed_offset, err) : 0;
}

static bool is_packed(const struct pfx_record *rec)
{
	return rec->type == PFX_RECORD_COMPRESSED || rec->type == PFX_RECORD_COMPRESSED2;
}

/* Whether the unpacked bytes begin with a record. */
static bool has_record(const struct pfx_feed *feed, bool swap)
{
	size_t left = pfx_feed_left(feed);

	return left >= PFX_RECORD_HEADER_SIZE && left >= pfx_load16(feed->at + 6, swap);
}

/* The next unpacked record: 1, or 0 when another COMPRESSED record is needed. */
static int next_unpacked(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_record *ret,
			 struct pfx_error *err)
{
	struct pfx_feed *feed = &lane->unpacked;
	int rc = 0;

	while (!rc) {
		if (pfx_feed_left(feed) >= PFX_RECORD_HEADER_SIZE &&
		    !pfx_recover_is_sane(feed->at, reader->swap))
			rc = skip_unpacked(reader, lane, err);
		else if (has_record(feed, reader->swap))
			rc = 1;
		else if (!lane->packed_left && !lane->packed_more)
			break;
		else
			rc = unpack_step(reader, lane, err);
	}
	if (rc <= 0) {
		if (lane->packed_broken)
			feed->at = feed->end;
		return rc;
	}
	pfx_record_init(ret, feed->at, reader->swap, lane->packed_offset);
	reader->damage.nr_bad +=
		is_packed(ret); /* nested compression does not occur: it is not unpacked */
	feed->at += ret->size;
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
		if (!is_packed(ret))
			return 1;
		rc = begin_packed(reader, lane, ret, err);
		if (rc || reader->options.keep_meta_records)
			return rc ? rc : 1;
	}
}
