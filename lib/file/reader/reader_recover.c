/* SPDX-License-Identifier: MIT */
/*
 * Finds the next valid record after damage. A position counts as the start of a record only if a
 * chain of records begins there: each of a known type with a valid size for the type, each ending
 * where the next begins. Every byte is read a bounded number of times, so the time is in proportion
 * to the damage. Sections 13.4 and 13.5 of Documentation/file-format.md.
 */
#include <errno.h>
#include <unistd.h>

#include "reader_state_internal.h"

/* Aligned records stay aligned, unless bytes were lost or added. So aligned positions are tried
 * first, in a range longer than most records, and two consecutive records are sufficient there:
 * more would lose records between two damaged places. At other positions, regular data may look
 * like a few records. */
#define CHAIN_ALIGNED   2
#define CHAIN_UNALIGNED 4
#define PIECE           4096
/* Bytes that are searched at once; afterwards their pages are dropped. */
#define SEARCH_BYTES ((size_t)8 << 20)
/* Maximum length of a chain in bytes, without payload. */
#define CHAIN_BYTES ((size_t)CHAIN_UNALIGNED * 65536)

static bool is_user_start(uint32_t type, uint16_t size)
{
	switch (type) {
	case PFX_RECORD_FINISHED_ROUND:
	case PFX_RECORD_FINISHED_INIT:
		return size == PFX_RECORD_HEADER_SIZE;
	case PFX_RECORD_HEADER_TRACING_DATA:
	case PFX_RECORD_HEADER_BUILD_ID:
	case PFX_RECORD_HEADER_FEATURE:
	case PFX_RECORD_COMPRESSED:
		return size > PFX_RECORD_HEADER_SIZE;
	default:
		return type >= PFX_RECORD_USER_FIRST && type < PFX_RECORD_USER_MAX &&
		       size > PFX_RECORD_HEADER_SIZE && size % 8 == 0;
	}
}

/* Whether a record of a known type with a valid size begins here. */
static bool is_start(const uint8_t *at, bool swap)
{
	uint32_t type = pfx_load32(at, swap);
	uint16_t size = pfx_load16(at + 6, swap);

	if (type >= PFX_RECORD_USER_MAX)
		return false;
	if (type >= PFX_RECORD_KERNEL_MAX)
		return is_user_start(type, size);
	return type && size % 8 == 0 &&
	       size >= (type == PFX_RECORD_SWITCH ? PFX_RECORD_HEADER_SIZE : 16);
}

uint64_t pfx_recover_extra(const uint8_t *at, size_t left, bool swap)
{
	uint32_t type = pfx_load32(at, swap);
	uint64_t size = pfx_load16(at + 6, swap), extra;

	if (type == PFX_RECORD_AUXTRACE && size >= 16 && left >= 16)
		return pfx_load64(at + 8, swap);
	if (type != PFX_RECORD_HEADER_TRACING_DATA || size < 12 || left < 12)
		return 0;
	extra = pfx_load32(at + 8, swap);
	return extra <= size - 12 ? 0 : extra; /* simpleperf includes the payload in the size */
}

/* A chain may also end at the end of the bytes, but not inside its first record. */
static bool is_chain(const uint8_t *at, size_t left, bool swap, int length)
{
	uint64_t size;
	int i;

	for (i = 0; i < length; i++) {
		if (!left)
			return true;
		if (left < PFX_RECORD_HEADER_SIZE)
			return i > 0;
		if (!is_start(at, swap))
			return false;
		size = pfx_load16(at + 6, swap);
		if (__builtin_add_overflow(size, pfx_recover_extra(at, left, swap), &size) ||
		    size > left)
			return i > 0;
		at += size;
		left -= size;
	}
	return true;
}

static size_t find_in_piece(const struct pfx_feed *feed, bool swap, size_t from, size_t until)
{
	size_t left = pfx_feed_left(feed), i;

	for (i = (from + 7) & ~(size_t)7; i < until; i += 8)
		if (is_start(feed->at + i, swap) &&
		    is_chain(feed->at + i, left - i, swap, CHAIN_ALIGNED))
			return i;
	for (i = from; i < until; i++)
		if (is_start(feed->at + i, swap) &&
		    is_chain(feed->at + i, left - i, swap, CHAIN_UNALIGNED))
			return i;
	return PFX_NOWHERE;
}

size_t pfx_recover_find(const struct pfx_feed *feed, bool swap, size_t from, size_t until)
{
	size_t left = pfx_feed_left(feed), end, found = PFX_NOWHERE;

	if (left < PFX_RECORD_HEADER_SIZE)
		return PFX_NOWHERE;
	if (until > left - PFX_RECORD_HEADER_SIZE + 1)
		until = left - PFX_RECORD_HEADER_SIZE + 1;
	for (; from < until && found == PFX_NOWHERE; from = end) {
		end = until - from < PIECE ? until : from + PIECE;
		found = find_in_piece(feed, swap, from, end);
	}
	return found;
}

/*
 * Bytes inside of a good record may look like the header of a longer one that ends, by chance,
 * where another begins. But then valid records also begin between the end of the good record and
 * that position.
 */
static bool is_contradicted(const struct pfx_feed *feed, bool swap, size_t inside, size_t size)
{
	size_t end = inside + pfx_load16(feed->at + inside + 6, swap);

	return end > size && pfx_recover_find(feed, swap, size, end) != PFX_NOWHERE;
}

size_t pfx_recover_inside(struct pfx_feed *feed, bool swap)
{
	size_t size = pfx_load16(feed->at + 6, swap), inside;

	/* a read error is reported when these bytes are read the next time */
	(void)pfx_feed_need(feed, size + CHAIN_BYTES);
	inside = pfx_recover_find(feed, swap, 1, size);
	if (inside != PFX_NOWHERE && is_contradicted(feed, swap, inside, size))
		return PFX_NOWHERE;
	return inside;
}

/* Bytes of a hole in the file at the window's start: no record begins in a hole, but one may begin
 * with its last zeros. */
static size_t hole_size(const struct pfx_reader *reader, const struct pfx_feed *feed)
{
	uint64_t at = pfx_feed_offset(feed), size;
	off_t data;

	if (reader->sparse_fd < 0 || feed != &reader->lanes[0].raw)
		return 0;
	data = lseek(reader->sparse_fd, (off_t)at, SEEK_DATA);
	if (data < 0)
		return errno == ENXIO ? pfx_feed_left(feed) : 0;
	size = (uint64_t)data - at;
	if (size <= PFX_RECORD_HEADER_SIZE)
		return 0;
	size = (size - PFX_RECORD_HEADER_SIZE) & ~(uint64_t)7;
	return size < pfx_feed_left(feed) ? (size_t)size : pfx_feed_left(feed);
}

static void move_on(struct pfx_reader *reader, struct pfx_feed *feed, size_t size)
{
	feed->at += size;
	pfx_reader_walked(reader, size);
}

int pfx_recover_search(struct pfx_reader *reader, struct pfx_feed *feed, uint64_t *ret_skipped)
{
	size_t found, until;
	int rc;

	*ret_skipped = 0;
	do {
		until = hole_size(reader, feed);
		feed->at += until;
		*ret_skipped += until;
		rc = pfx_feed_need(feed, 2 * CHAIN_BYTES);
		if (rc < 0)
			return rc;
		until = pfx_feed_left(feed);
		if (rc)
			until = (until - CHAIN_BYTES) & ~(size_t)7;
		if (until > SEARCH_BYTES)
			until = SEARCH_BYTES;
		found = pfx_recover_find(feed, reader->swap, *ret_skipped == 0, until);
		if (found != PFX_NOWHERE)
			until = found;
		move_on(reader, feed, until);
		*ret_skipped += until;
	} while (rc && found == PFX_NOWHERE);
	return found != PFX_NOWHERE;
}
