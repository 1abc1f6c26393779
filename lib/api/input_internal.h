/* SPDX-License-Identifier: MIT */
/* What the files of the door `pfx/input.h` share: the state of an open recording. */
#ifndef PFX_API_INPUT_INTERNAL_H
#define PFX_API_INPUT_INTERNAL_H

#include "api/api_internal.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "pfx/input.h"
#include "read/build_ids.h"
#include "read/filter.h"
#include "read/recording.h"
#include "read/time_ranges.h"
#include "trace/format.h"

/* The frames of a chain: ids, consecutive in frame_ids. */
struct pfx_input_frames {
	uint32_t first, nr;
	bool is_known;
};

struct pfx_input_header_line {
	const char *name, *value;
};

struct pfx_input {
	struct pfx_recording *recording;
	struct pfx_resolver *resolver;
	struct pfx_filter filter;
	struct pfx_time_range times; /* both ends inclusive */
	uint32_t flags;
	struct pfx_item item; /* the last record; bytes NULL: none yet */
	/* The part of a sample of a group that is shown, and those that are left. */
	struct pfx_sample_part *parts;
	uint32_t nr_parts, next_part;
	const struct pfx_event *event;
	uint64_t period;
	uint64_t nr_records;

	/* Distinct chains, by id, and their distinct frames. */
	PFX_VEC(struct pfx_input_frames) stacks;
	PFX_VEC(uint32_t) frame_ids;
	PFX_VEC(struct pfx_frame) frames;
	PFX_VEC(uint32_t) by_place; /* by id of the place: its frame, plus 1 */

	/* Fields of the sample's tracepoint, decoded on request. */
	struct pfx_trace *trace;
	bool tried_trace, has_values;
	PFX_VEC(struct pfx_trace_value) values;

	PFX_VEC(struct pfx_input_header_line) header;
	struct pfx_arena texts; /* of the header */
	struct pfx_id_listing binaries;
};

/* The sample that was read last; NULL: the last record is none, or @input is NULL. */
static inline const struct pfx_sample *pfx_input_last(const struct pfx_input *input)
{
	return input ? input->item.sample : NULL;
}
/* The thread of that sample. */
struct pfx_thread *pfx_input_thread_of(const struct pfx_input *input);

#endif
