/* SPDX-License-Identifier: MIT */
/* Two passes over the chosen samples: which lanes there are, then their cells. */
#include "view/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "view/view_by_internal.h"

struct making {
	const struct pfx_selection *selection;
	const struct pfx_profile *profile;
	const struct pfx_timeline_options *options;
	struct pfx_timeline *timeline;
	uint32_t nr_ids, event;
	uint64_t last;    /* time of the last sample that is shown */
	uint64_t *totals; /* by id */
	uint32_t *lanes;  /* by id, plus 1; 0: not shown */
};

static uint32_t id_of(const struct making *making, uint32_t row)
{
	if (making->options->one_lane)
		return 0;
	return pfx_row_key(making->profile, making->options->lanes, row);
}

static bool is_shown(const struct making *making, uint32_t row)
{
	uint64_t time = making->profile->row_time[row];

	return making->profile->row_event[row] == making->event &&
	       time >= making->timeline->start && time <= making->last;
}

static void set_range(struct making *making)
{
	const struct pfx_timeline_options *options = making->options;
	struct pfx_timeline *timeline = making->timeline;
	bool all = !options->start && !options->end;
	uint32_t nr = options->nr_cells;
	uint64_t length;

	timeline->start = all ? making->profile->first_time : options->start;
	making->last = all ? making->profile->last_time : options->end;
	if (making->last < timeline->start || !nr)
		return;
	if (nr > PFX_TIMELINE_CELLS_MAX)
		nr = PFX_TIMELINE_CELLS_MAX;
	length = making->last - timeline->start;
	timeline->cell = length / nr + 1;
	timeline->nr_cells = (uint32_t)(length / timeline->cell) + 1;
}

static void sum_lanes(struct making *making)
{
	const struct pfx_selection *selection = making->selection;
	uint32_t i, row;

	for (i = 0; i < selection->nr_rows; i++) {
		row = selection->rows[i];
		if (is_shown(making, row))
			making->totals[id_of(making, row)] +=
				pfx_row_weight(making->profile, making->options->measure, row);
	}
}

static void add_lanes(struct making *making)
{
	struct pfx_timeline *timeline = making->timeline;
	uint32_t *ids = pfx_malloc((making->nr_ids + 1ul) * sizeof(*ids)), i;
	struct pfx_timeline_lane *lane;

	if (making->options->one_lane)
		ids[timeline->nr_lanes++] = 0;
	else
		timeline->nr_lanes =
			pfx_view_order_ids(making->profile, making->options->lanes, making->totals,
					   making->nr_ids, 0, !making->options->by_weight, ids);
	if (making->options->max_lanes && timeline->nr_lanes > making->options->max_lanes)
		timeline->nr_lanes = making->options->max_lanes;
	timeline->lanes = pfx_calloc(timeline->nr_lanes + 1ul, sizeof(*timeline->lanes));
	timeline->cells = pfx_calloc((uint64_t)timeline->nr_lanes * timeline->nr_cells + 1,
				     sizeof(*timeline->cells));
	for (i = 0; i < timeline->nr_lanes; i++) {
		lane = &timeline->lanes[i];
		lane->id = making->options->one_lane ? PFX_NO_ID : ids[i];
		lane->total = making->totals[ids[i]];
		lane->cells = timeline->cells + (uint64_t)i * timeline->nr_cells;
		making->lanes[ids[i]] = i + 1;
	}
	free(ids);
}

static void fill_cells(struct making *making)
{
	const struct pfx_selection *selection = making->selection;
	struct pfx_timeline *timeline = making->timeline;
	uint64_t weight, max = 0, time, at = 0, begin = timeline->start, *cell;
	uint32_t i, row, lane;

	for (i = 0; i < selection->nr_rows; i++) {
		row = selection->rows[i];
		weight = pfx_row_weight(making->profile, making->options->measure, row);
		if (!weight || !is_shown(making, row))
			continue;
		lane = making->lanes[id_of(making, row)];
		if (!lane)
			continue;
		time = making->profile->row_time[row];
		if (time - begin >= timeline->cell) { /* in another cell than the row before */
			at = (time - timeline->start) / timeline->cell;
			begin = timeline->start + at * timeline->cell;
		}
		cell = &timeline->lanes[lane - 1].cells[at];
		*cell += weight;
		max = *cell > max ? *cell : max;
	}
	timeline->max = max;
}

int pfx_timeline_make(struct pfx_timeline *ret, const struct pfx_selection *selection,
		      const struct pfx_timeline_options *options, struct pfx_error *err)
{
	struct making making = {
		.selection = selection,
		.profile = selection->profile,
		.options = options,
		.timeline = ret,
	};

	*ret = (struct pfx_timeline){0};
	if (!selection->profile->row_time)
		return pfx_error_set(err, EINVAL,
				     "there is no timeline: the profile was read without times");
	set_range(&making);
	if (!ret->nr_cells || !selection->nr_rows)
		return 0;
	making.event = selection->events[options->column];
	making.nr_ids = options->one_lane ? 1 : pfx_view_nr_ids(selection->profile, options->lanes);
	making.totals = pfx_calloc(making.nr_ids + 1ul, sizeof(*making.totals));
	making.lanes = pfx_calloc(making.nr_ids + 1ul, sizeof(*making.lanes));
	sum_lanes(&making);
	add_lanes(&making);
	fill_cells(&making);
	free(making.totals);
	free(making.lanes);
	return 0;
}

void pfx_timeline_fini(struct pfx_timeline *timeline)
{
	free(timeline->lanes);
	free(timeline->cells);
	*timeline = (struct pfx_timeline){0};
}
