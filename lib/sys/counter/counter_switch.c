/* SPDX-License-Identifier: MIT */
/*
 * Counters while they count: enabling and disabling an event, and wakeups of the reader. Members of
 * a group follow their leader, so only leaders are switched.
 */
#include <sys/ioctl.h>

#include "sys/counter/counter.h"

/* ioctl numbers of perf events; ABI. */
#define IOC_ENABLE  _IO('$', 0)
#define IOC_DISABLE _IO('$', 1)

static bool only_tracks(const struct pfx_counter *counter)
{
	return counter->is_tracking && counter->attr.type == PFX_TYPE_SOFTWARE &&
	       counter->attr.config == PFX_SW_DUMMY;
}

void pfx_counter_switch(const struct pfx_counter *counter, bool on)
{
	size_t i;

	if (only_tracks(counter) || counter->is_everywhere)
		return;
	for (i = 0; i < counter->fds.nr; i++)
		ioctl(counter->fds.at[i].fd, on ? IOC_ENABLE : IOC_DISABLE, 0);
}

void pfx_counters_wake_always(struct pfx_counters *set)
{
	size_t i;

	for (i = 0; i < set->list.nr; i++) {
		set->list.at[i].attr.flags &= ~PFX_ATTR_WATERMARK;
		set->list.at[i].attr.wakeup = 1;
	}
}
