/* SPDX-License-Identifier: MIT */
/* Any bytes as a file, all the way to the views of a profile. */
#include <stdlib.h>

#include "fuzz/reading.h"
#include "view/narrow_profile.h"
#include "view/read_profile.h"
#include "view/table.h"
#include "view/timeline.h"
#include "view/view_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show(const struct pfx_selection *selection)
{
	struct pfx_view_tree_options options = {.function = PFX_NO_ID};
	struct pfx_timeline_options lanes = {.lanes = PFX_VIEW_THREAD, .nr_cells = 100};
	struct pfx_timeline timeline;
	struct pfx_view_tree tree;
	struct pfx_table table;

	pfx_table_make(&table, selection, PFX_VIEW_FUNCTION);
	pfx_table_sort(&table, selection->profile, PFX_TABLE_TOTAL, 0);
	pfx_table_fini(&table);
	if (!selection->nr_events)
		return;
	pfx_view_tree_make(&tree, selection, &options);
	pfx_view_tree_fini(&tree);
	options.inverted = options.grouped = true;
	options.groups = PFX_VIEW_PROCESS;
	pfx_view_tree_make(&tree, selection, &options);
	pfx_view_tree_fini(&tree);
	if (!pfx_timeline_make(&timeline, selection, &lanes, NULL))
		pfx_timeline_fini(&timeline);
}

/* A profile of what is left has the same samples. */
static void narrow(const struct pfx_selection *selection)
{
	struct pfx_profile *profile = pfx_profile_narrow(selection);
	struct pfx_selection again;
	struct pfx_view_filter all;
	uint32_t i;

	if (!profile)
		return;
	pfx_view_filter_init(&all, profile);
	if (pfx_selection_make(&again, &all, NULL))
		abort();
	for (i = 0; i < again.nr_events; i++)
		if (again.total_samples[i] != selection->total_samples[i] ||
		    again.total_period[i] != selection->total_period[i])
			abort();
	show(&again);
	pfx_selection_fini(&again);
	pfx_profile_free(profile);
}

static void view(const struct pfx_profile *profile)
{
	static const char *const hidden[] = {NULL, "[0-9]a"};
	struct pfx_view_filter filter;
	struct pfx_selection selection;
	unsigned i;

	pfx_view_filter_init(&filter, profile);
	for (i = 0; i < 2; i++) {
		pfx_view_filter_pattern(&filter, PFX_VIEW_HIDE, hidden[i], NULL);
		if (pfx_selection_make(&selection, &filter, NULL))
			continue;
		show(&selection);
		narrow(&selection);
		pfx_selection_fini(&selection);
	}
	pfx_view_filter_fini(&filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pfx_resolve_options resolving = {.sym = {.symfs = "/nonexistent"}};
	struct pfx_profile_reading reading = {.recording = open_recording(data, size),
					      .keep_times = size % 2};
	struct pfx_profile *profile;
	struct pfx_error err;

	if (!reading.recording)
		return 0;
	pfx_recording_resolve(reading.recording, &resolving);
	if (pfx_profile_read(&reading, &profile, &err) >= 0) {
		view(profile);
		pfx_profile_free(profile);
	}
	pfx_recording_free(reading.recording);
	return 0;
}
