/* SPDX-License-Identifier: MIT */
/*
 * Options of `pfx record` that apply to the events before them on the command line: filters and
 * cgroups.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cmd/app/sampling/record_options.h"
#include "record/plan/event_filter.h"

static struct pfx_recorder_bound *bound_of(struct pfx_record_options *o, size_t event)
{
	while (o->rec.bounds.nr <= event)
		*pfx_vec_add(&o->rec.bounds) = (struct pfx_recorder_bound){0};
	return &o->rec.bounds.at[event];
}

/* --- filters --- */

int pfx_record_opt_filter(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;
	int rc = pfx_event_filter_check(&o->rec.events, o->last_events, "--filter", err);
	size_t i;

	(void)unset;
	for (i = o->last_events; rc >= 0 && i < o->rec.events.specs.nr; i++)
		rc = pfx_event_filter_add(&bound_of(o, i)->filter, &o->rec.events.specs.at[i], arg,
					  err);
	return rc;
}

int pfx_record_opt_exclude_perf(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;
	int rc = pfx_event_filter_check(&o->rec.events, o->last_events, "--exclude-perf", err);
	size_t i;

	(void)arg, (void)unset;
	for (i = o->last_events; rc >= 0 && i < o->rec.events.specs.nr; i++) {
		pfx_event_filter_exclude(&bound_of(o, i)->filter, (uint64_t)getpid());
		bound_of(o, i)->excludes_self = true;
	}
	return rc;
}

/* --- cgroups --- */

/* The first event without a cgroup. */
static size_t next_unsaid(struct pfx_record_options *o)
{
	size_t i;

	for (i = 0; i < o->rec.events.specs.nr; i++)
		if (!bound_of(o, i)->has_cgroup)
			break;
	return i;
}

static void set_cgroup(struct pfx_recorder_bound *bound, const char *at, size_t len)
{
	bound->has_cgroup = true;
	bound->cgroup = len ? pfx_strndup(at, len) : NULL;
}

/* "a,,b": one name for each event without a cgroup; a single name applies to all of them. */
int pfx_record_opt_cgroup(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;
	const char *single = strchr(arg, ',') ? NULL : arg;
	size_t event, len;

	(void)unset;
	for (; arg; arg = arg[len] ? arg + len + 1 : NULL) {
		len = strcspn(arg, ",");
		event = next_unsaid(o);
		if (event == o->rec.events.specs.nr) {
			pfx_error_set(err, EINVAL,
				      "-G has more cgroups than there are events "
				      "before it");
			pfx_error_hint(err, "like -a -e cpu-clock -G system.slice");
			return -EINVAL;
		}
		set_cgroup(bound_of(o, event), arg, len);
	}
	for (event = next_unsaid(o); single && event < o->rec.events.specs.nr;
	     event = next_unsaid(o))
		set_cgroup(bound_of(o, event), single, strlen(single));
	return 0;
}

void pfx_record_bounds_fini(struct pfx_recorder_options *o)
{
	size_t i;

	for (i = 0; i < o->bounds.nr; i++) {
		free(o->bounds.at[i].filter);
		free(o->bounds.at[i].cgroup);
	}
	pfx_vec_free(&o->bounds);
}
