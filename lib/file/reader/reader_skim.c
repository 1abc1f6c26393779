/* SPDX-License-Identifier: MIT */
/*
 * A fast loop for the usual case: contiguous samples whose times do not decrease. The checks are
 * the same as for single records (reader_lane.c), which handles the first record of any other kind.
 */
#include "reader_state_internal.h"

/* Maximum per call, so that mapped pages are dropped in time. */
#define SKIM_BYTES ((size_t)1 << 20)

struct skim {
	const uint8_t *at, *end;
	size_t time_at;    /* offset of the time in a sample */
	uint64_t nr, time; /* samples taken, and the time of the last one */
};

static inline void skim(struct skim *skim, bool swap)
{
	const uint8_t *at = skim->at;
	uint64_t time;
	size_t size;

	for (; (size_t)(skim->end - at) >= skim->time_at + 8; at += size) {
		size = pfx_load16(at + 6, swap);
		if (pfx_load32(at, swap) != PFX_RECORD_SAMPLE || size < skim->time_at + 8 ||
		    size + PFX_RECORD_HEADER_SIZE > (size_t)(skim->end - at) ||
		    !pfx_recover_is_sane(at + size, swap))
			break;
		time = pfx_load64(at + skim->time_at, swap);
		if (time < skim->time || time == PFX_NO_TIME)
			break;
		pfx_reader_fetch_ahead(at, size);
		skim->time = time;
		skim->nr++;
	}
	skim->at = at;
}

static bool can_skim(const struct pfx_reader *reader)
{
	const struct pfx_lane *lane = &reader->lanes[0];

	return !reader->heap && reader->next_waiting == reader->nr_waiting && !lane->zstd &&
	       !reader->events_changed && reader->meta->time_pos >= 0;
}

const uint8_t *pfx_reader_position(const struct pfx_reader *reader)
{
	return can_skim(reader) ? reader->lanes[0].raw.at : NULL;
}

uint64_t pfx_reader_skim(struct pfx_reader *reader, uint64_t *time)
{
	struct pfx_lane *lane = &reader->lanes[0];
	struct pfx_feed *feed = &lane->raw;
	struct skim s = {
		.at = feed->at,
		.end = pfx_feed_left(feed) > SKIM_BYTES ? feed->at + SKIM_BYTES : feed->end,
		.time_at = PFX_RECORD_HEADER_SIZE + 8 * (size_t)reader->meta->time_pos,
		.time = *time,
	};

	if (reader->swap)
		skim(&s, true);
	else
		skim(&s, false);
	if (!s.nr)
		return 0;
	pfx_reader_walked(reader, (size_t)(s.at - feed->at));
	feed->at = s.at;
	lane->from = feed;
	reader->seq += s.nr;
	feed->seq = reader->seq;
	reader->damage.nr_records += s.nr;
	*time = s.time;
	return s.nr;
}
