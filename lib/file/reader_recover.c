/* SPDX-License-Identifier: MIT */
/*
 * Where records go on behind damage. A place counts as the start of a record only if a chain of
 * records begins there: each of a known type and of a size that its type may have, and each ending
 * where the next begins. Every byte is looked at a bounded number of times, so the time is
 * in proportion to the damage. Knows nothing of what records mean. Sections 13.4 and
 * 13.5 of Documentation/file-format.md.
 */
#include "reader_internal.h"

/* Where records were aligned they stay so, unless bytes were lost or added. So aligned places are
 * looked at first, in a piece that is longer than most records, and two records in a row are enough
 * there: more would lose those between two places of damage. Elsewhere the bytes of regular data
 * may look like a few records. */
#define CHAIN_ALIGNED   2
#define CHAIN_UNALIGNED 4
#define PIECE           4096
/* Bytes that a chain can be long, without payload outside of records. */
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

/* Whether a record of a known type has a size that fits it. */
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

bool pfx_recover_is_sane(const uint8_t *at, bool swap)
{
	uint32_t type = pfx_load32(at, swap);

	return type && type <= PFX_BODY_TYPES_MAX &&
	       pfx_load16(at + 6, swap) >= PFX_RECORD_HEADER_SIZE;
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
	return extra <= size - 12 ? 0 : extra; /* simpleperf has it inside */
}

/* A chain may also end with the bytes, but not inside its first record. */
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

size_t pfx_recover_inside(struct pfx_feed *feed, bool swap)
{
	size_t size = pfx_load16(feed->at + 6, swap);

	/* a failure of the input is told when its bytes are asked for the next time */
	(void)pfx_feed_need(feed, size + CHAIN_BYTES);
	return pfx_recover_find(feed, swap, 1, size);
}

int pfx_recover_search(struct pfx_feed *feed, bool swap, uint64_t *ret_skipped)
{
	size_t found, until;
	int rc;

	*ret_skipped = 0;
	do {
		rc = pfx_feed_need(feed, 2 * CHAIN_BYTES);
		if (rc < 0)
			return rc;
		until = pfx_feed_left(feed);
		if (rc)
			until = (until - CHAIN_BYTES) & ~(size_t)7;
		found = pfx_recover_find(feed, swap, *ret_skipped == 0, until);
		if (found != PFX_NOWHERE)
			until = found;
		feed->at += until;
		*ret_skipped += until;
	} while (rc && found == PFX_NOWHERE);
	return found != PFX_NOWHERE;
}
