/* SPDX-License-Identifier: MIT */
/* --switch-on and --switch-off: only samples between the samples of two events are used. */
#ifndef PFX_READ_EVENT_SWITCH_H
#define PFX_READ_EVENT_SWITCH_H

#include <stdbool.h>

#include "base/error.h"
#include "event/meta.h"

struct pfx_event_switch {
	const char *on, *off; /* names of events; NULL: from the start, to the end */
	bool shows;           /* also show the samples of these events */
	/* state */
	bool is_ready, is_off;
};

/* Check that the names are events of the recording. */
int pfx_event_switch_check(const struct pfx_event_switch *sw, const struct pfx_meta *meta,
			   struct pfx_error *err);
/* Whether the sample is used. Call it once per sample, in order. */
bool pfx_event_switch_takes(struct pfx_event_switch *sw, const struct pfx_event *event);
/* Whether the next sample is dropped, unless it is of a switching event. */
bool pfx_event_switch_is_off(const struct pfx_event_switch *sw);

#endif
