/* SPDX-License-Identifier: MIT */
/* Events that switch other events on and off, by name. Does not process the samples. */
#include "read/event_switch.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/words.h"

static const char *nearest_event(const struct pfx_meta *meta, const char *name)
{
	PFX_VEC(const char *) names = {0};
	const char *near;
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++)
		pfx_vec_push(&names, meta->events[i]->name);
	near = pfx_nearest(name, names.at, names.nr);
	pfx_vec_free(&names);
	return near;
}

static int check_name(const char *name, const char *option, const struct pfx_meta *meta,
		      struct pfx_error *err)
{
	char shown[128];
	const char *near;
	uint32_t i;

	if (!name)
		return 0;
	for (i = 0; i < meta->nr_events; i++)
		if (!strcmp(meta->events[i]->name, name))
			return 0;
	near = nearest_event(meta, name);
	pfx_error_set(err, EINVAL, "the event '%s' of %s is not in the recording",
		      pfx_escape(shown, sizeof(shown), name), option);
	if (near)
		pfx_error_hint(err, "did you mean '%s'?", pfx_escape(shown, sizeof(shown), near));
	else
		pfx_error_hint(err, "'pfx evlist' shows those that are");
	return -EINVAL;
}

int pfx_event_switch_check(const struct pfx_event_switch *sw, const struct pfx_meta *meta,
			   struct pfx_error *err)
{
	int rc = check_name(sw->on, "--switch-on", meta, err);

	return rc ? rc : check_name(sw->off, "--switch-off", meta, err);
}

bool pfx_event_switch_is_off(const struct pfx_event_switch *sw)
{
	return sw->is_ready ? sw->is_off : sw->on != NULL;
}

bool pfx_event_switch_takes(struct pfx_event_switch *sw, const struct pfx_event *event)
{
	const char *next;

	if (!sw->on && !sw->off)
		return true;
	sw->is_off = pfx_event_switch_is_off(sw);
	sw->is_ready = true;
	next = sw->is_off ? sw->on : sw->off;
	if (!next || strcmp(event->name, next) != 0)
		return !sw->is_off;
	sw->is_off = !sw->is_off;
	return sw->shows;
}
