/* SPDX-License-Identifier: MIT */
/*
 * The weight of samples over time: cells of equal length, with a lane for each thread, CPU and so
 * on, or one for all. Needs a profile with times. Owns its cells.
 */
#ifndef PFX_VIEW_TIMELINE_H
#define PFX_VIEW_TIMELINE_H

#include "view/select/selection.h"

struct pfx_timeline_options {
	uint32_t column; /* of the selection */
	enum pfx_measure measure;
	bool one_lane;          /* all samples in one; else: */
	enum pfx_view_by lanes; /* PFX_VIEW_PROCESS, _THREAD, _COMM, _CPU */
	uint64_t start, end;    /* ns, inclusive; both 0: from the first to the last sample */
	uint32_t nr_cells;      /* of a lane, at most PFX_TIMELINE_CELLS_MAX */
	uint32_t max_lanes;     /* only the first; 0: all */
	bool by_weight;         /* heaviest lanes first; else by name and number */
};

/* More than there are pixels on any screen. */
#define PFX_TIMELINE_CELLS_MAX 65536

struct pfx_timeline_lane {
	uint32_t id;     /* index in the profile; PFX_NO_ID: the one for all */
	uint64_t total;  /* weight in the time shown */
	uint64_t *cells; /* weights, nr_cells of the timeline */
};

struct pfx_timeline {
	uint64_t start, cell; /* ns: of the first cell, length of each */
	uint32_t nr_cells;    /* as asked for, or fewer if cells would be shorter than 1 ns */
	uint64_t max;         /* of all cells */
	struct pfx_timeline_lane *lanes; /* those with samples */
	uint32_t nr_lanes;
	uint64_t *cells; /* private: of all lanes */
};

/* -EINVAL with a message if the profile was read without times. Without samples there are no lanes
 * and no cells. */
int pfx_timeline_make(struct pfx_timeline *ret, const struct pfx_selection *selection,
		      const struct pfx_timeline_options *options, struct pfx_error *err);
void pfx_timeline_fini(struct pfx_timeline *timeline);

#endif
