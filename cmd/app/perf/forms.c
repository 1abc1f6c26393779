/* SPDX-License-Identifier: MIT */
/* The rows of the table of habits that are about default output. */
#include "cmd/app/perf/forms.h"

#include "cli/personality.h"
#include "event/abi.h"
#include "event/meta.h"

static bool has_stack_dumps(const struct pfx_meta *meta)
{
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++)
		if (meta->events[i]->attr.sample_type & PFX_SAMPLE_STACK_USER)
			return true;
	return false;
}

bool pfx_form_inlines(const struct pfx_meta *meta, bool wanted, bool given)
{
	if (given || !pfx_has_habit(PFX_HABIT_PLAIN_FRAMES))
		return wanted;
	return wanted && has_stack_dumps(meta);
}

bool pfx_form_children(const struct pfx_meta *meta, bool wanted, bool given)
{
	if (given || !pfx_has_habit(PFX_HABIT_STREAM_SELF))
		return wanted;
	return wanted && !meta->is_pipe;
}
