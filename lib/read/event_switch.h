/* SPDX-License-Identifier: MIT */
/* --switch-on and --switch-off: samples count only between the samples of two events. */
#ifndef PFX_READ_EVENT_SWITCH_H
#define PFX_READ_EVENT_SWITCH_H

#include <stdbool.h>

#include "base/error.h"
#include "event/meta.h"

struct pfx_event_switch {
	const char *on, *off; /* names of events; NULL: from the start, to the end */
	bool shows;           /* the samples of these events too */
	/* state */
	bool is_ready, is_off;
};

/* The names are those of events of the recording. */
int pfx_event_switch_check(const struct pfx_event_switch *sw, const struct pfx_meta *meta,
			   struct pfx_error *err);
/* To be asked once for each sample, in order: whether it counts. */
bool pfx_event_switch_takes(struct pfx_event_switch *sw, const struct pfx_event *event);
/* Whether the next sample does not count, unless it switches. */
bool pfx_event_switch_is_off(const struct pfx_event_switch *sw);

#endif
