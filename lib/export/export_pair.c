/* SPDX-License-Identifier: MIT */
#include "export/export_pair.h"

#include <errno.h>

/* The events that either selection has. */
static void choose_events(struct pfx_export_pair *pair, const struct pfx_export_input *in)
{
	const struct pfx_selection *old = in->old->selection;
	uint32_t i;

	for (i = 0; i < in->selection->nr_events; i++)
		pfx_view_filter_add(&pair->filter, PFX_VIEW_EVENT, in->selection->events[i]);
	for (i = 0; i < old->nr_events; i++)
		pfx_view_filter_add(&pair->filter, PFX_VIEW_EVENT,
				    pair->joined.nr_new_events + old->events[i]);
}

static int check_events(const struct pfx_joined *joined, struct pfx_error *err)
{
	uint32_t i;

	for (i = 0; i < joined->nr_new_events; i++)
		if (joined->old_of[i] != PFX_NO_ID)
			return 0;
	pfx_error_set(err, EINVAL, "the recordings have no event in common");
	pfx_error_hint(err, "events are matched by name; record both with the same -e");
	return -EINVAL;
}

/* As `pfx diff` does without options. */
static struct pfx_diff *compare(const struct pfx_export_input *in)
{
	const struct pfx_diff_options options = {.keys = {PFX_DIFF_DSO, PFX_DIFF_SYM},
						 .nr_keys = 2,
						 .nr_sides = 2,
						 .noise = true,
						 .binaries = in->old->binaries};
	struct pfx_diff *diff = pfx_diff_new(&options);

	pfx_diff_add_run(diff, 0, in->old->selection->profile);
	pfx_diff_add_run(diff, 1, in->selection->profile);
	pfx_diff_finish(diff);
	return diff;
}

int pfx_export_pair_make(struct pfx_export_pair *ret, const struct pfx_export_input *in,
			 struct pfx_error *err)
{
	int rc;

	*ret = (struct pfx_export_pair){.diff = compare(in)};
	pfx_profiles_join(&ret->joined, in->selection->profile, in->old->selection->profile,
			  pfx_diff_found_renames(ret->diff));
	pfx_view_filter_init(&ret->filter, ret->joined.profile);
	choose_events(ret, in);
	rc = check_events(&ret->joined, err);
	return rc ? rc : pfx_selection_make(&ret->selection, &ret->filter, err);
}

void pfx_export_pair_fini(struct pfx_export_pair *pair)
{
	pfx_selection_fini(&pair->selection);
	pfx_view_filter_fini(&pair->filter);
	pfx_joined_fini(&pair->joined);
	pfx_diff_free(pair->diff);
}

struct pfx_pair_noise *pfx_export_pair_noise(const struct pfx_export_pair *pair,
					     const struct pfx_export_input *in, bool by_comm)
{
	return pfx_pair_noise_new(&(struct pfx_pair){
		.old = in->old->selection->profile,
		.new = in->selection->profile,
		.joined = &pair->joined,
		.selection = &pair->selection,
		.functions = pair->diff,
		.by_comm = by_comm,
	});
}
