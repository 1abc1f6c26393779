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

int pfx_export_pair_make(struct pfx_export_pair *ret, const struct pfx_export_input *in,
			 struct pfx_error *err)
{
	int rc;

	*ret = (struct pfx_export_pair){.joined = {0}};
	pfx_profiles_join(&ret->joined, in->selection->profile, in->old->selection->profile);
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
}
