/* SPDX-License-Identifier: MIT */
/* Answers that are timelines: a row for each lane, with its weight over time in cells. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/samples_internal.h"
#include "base/error.h"
#include "view/timeline.h"

/* By PFX_BY_FUNCTION, which is the default of a query, there is one lane. */
static int take_lanes(const struct pfx_query *query, struct pfx_timeline_options *options,
		      struct pfx_error *err)
{
	switch (query->by) {
	case PFX_BY_FUNCTION:
		options->one_lane = true;
		return 0;
	case PFX_BY_PROCESS:
		options->lanes = PFX_VIEW_PROCESS;
		return 0;
	case PFX_BY_THREAD:
		options->lanes = PFX_VIEW_THREAD;
		return 0;
	case PFX_BY_COMM:
		options->lanes = PFX_VIEW_COMM;
		return 0;
	case PFX_BY_CPU:
		options->lanes = PFX_VIEW_CPU;
		return 0;
	default:
		pfx_error_set(err, EINVAL,
			      "a timeline has lanes for processes, threads, their "
			      "names or CPUs only");
		pfx_error_hint(err, "filter by binaries and functions instead");
		return -EINVAL;
	}
}

static void take_cells(struct pfx_answer *answer, const struct pfx_timeline *timeline)
{
	size_t nr = (size_t)timeline->nr_lanes * timeline->nr_cells;
	uint32_t i;

	answer->nr_cells = timeline->nr_cells;
	answer->start = timeline->start;
	answer->cell = timeline->cell;
	answer->cells = pfx_malloc(nr * sizeof(*answer->cells));
	for (i = 0; i < timeline->nr_lanes; i++)
		memcpy(answer->cells + (size_t)i * timeline->nr_cells, timeline->lanes[i].cells,
		       timeline->nr_cells * sizeof(*answer->cells));
}

static struct pfx_answer *make_answer(const struct pfx_asked *asked,
				      const struct pfx_timeline *timeline)
{
	struct pfx_answer *answer = pfx_answer_new(asked);
	uint32_t i;

	answer->nr_rows = timeline->nr_lanes;
	answer->rows = pfx_calloc(timeline->nr_lanes, sizeof(*answer->rows));
	for (i = 0; i < timeline->nr_lanes; i++) {
		const struct pfx_timeline_lane *lane = &timeline->lanes[i];
		struct pfx_answer_row *row = &answer->rows[i];

		if (asked->query.by == PFX_BY_FUNCTION)
			row->name = "all";
		else
			pfx_answer_name_row(answer, asked->selection.profile, asked->query.by,
					    lane->id, row);
		row->self = row->total = lane->total;
		row->self_share = row->total_share = pfx_share(lane->total, answer->total);
	}
	take_cells(answer, timeline);
	return answer;
}

int pfx_samples_timeline(const struct pfx_samples *samples, const struct pfx_query *query,
			 uint32_t nr_cells, struct pfx_answer **ret, struct pfx_error *err)
{
	struct pfx_timeline_options options = {.nr_cells = nr_cells};
	struct pfx_timeline timeline;
	struct pfx_asked asked;
	int rc = pfx_asked_init(&asked, samples, query, ret, err);

	if (!rc)
		rc = take_lanes(&asked.query, &options, err);
	if (!rc && (!nr_cells || nr_cells > PFX_TIMELINE_CELLS_MAX))
		rc = pfx_error_set(err, EINVAL, "a timeline has 1 to %d cells",
				   PFX_TIMELINE_CELLS_MAX);
	if (!rc) {
		options.start = asked.query.from;
		options.end = asked.query.to ? asked.query.to
					     : (asked.query.from ? samples->profile->last_time : 0);
		options.by_weight = asked.query.order != PFX_ORDER_NAME;
		rc = pfx_timeline_make(&timeline, &asked.selection, &options, err);
	}
	if (!rc) {
		*ret = make_answer(&asked, &timeline);
		pfx_timeline_fini(&timeline);
	}
	pfx_asked_fini(&asked);
	return pfx_api_rc(rc, err);
}

uint32_t pfx_answer_nr_cells(const struct pfx_answer *answer, uint64_t *ret_start,
			     uint64_t *ret_length)
{
	if (ret_start)
		*ret_start = answer ? answer->start : 0;
	if (ret_length)
		*ret_length = answer ? answer->cell : 0;
	return answer ? answer->nr_cells : 0;
}

const uint64_t *pfx_answer_cells(const struct pfx_answer *answer, uint32_t i)
{
	return answer ? answer->cells + (size_t)i * answer->nr_cells : NULL;
}
