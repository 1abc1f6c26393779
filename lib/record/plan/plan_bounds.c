/* SPDX-License-Identifier: MIT */
/* Passes filters and cgroups of single events to their counters. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"
#include "base/words.h"
#include "record/plan/event_filter.h"
#include "record/plan/plan.h"
#include "sys/host/cgroup.h"

int pfx_record_plan_bounds(const struct pfx_record_plan *plan, struct pfx_counters *counters,
			   struct pfx_error *err)
{
	const struct pfx_recorder_options *o = plan->options;
	int rc = 0, fd;
	size_t i;

	for (i = 0; i < o->bounds.nr && rc >= 0; i++) {
		const struct pfx_recorder_bound *bound = &o->bounds.at[i];
		struct pfx_counter *counter = &counters->list.at[i];

		if (bound->filter)
			counter->filter = pfx_strdup(bound->filter);
		counter->filter_later = bound->excludes_self;
		if (!bound->cgroup)
			continue;
		if (!plan->is_system_wide) {
			pfx_error_set(err, EINVAL,
				      "-G needs -a or -C: the tasks of a cgroup come "
				      "and go");
			return -EINVAL;
		}
		rc = pfx_cgroup_open(bound->cgroup, NULL, &fd, err);
		if (rc >= 0)
			counter->cgroup_fd = fd;
	}
	return rc;
}

/* The recorder's other threads only exist now, and a counter has only one filter: set it again. */
static int exclude_threads(struct pfx_counter *counter, struct pfx_error *err)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	uint64_t tid;

	while (dir && (entry = readdir(dir))) {
		if (!pfx_parse_u64(entry->d_name, &tid) || tid == (uint64_t)getpid())
			continue;
		pfx_event_filter_exclude(&counter->filter, tid);
	}
	if (dir)
		closedir(dir);
	return pfx_counter_filter(counter, err);
}

int pfx_record_exclude_self(const struct pfx_recorder_options *o, struct pfx_counters *counters,
			    struct pfx_error *err)
{
	int rc = 0;
	size_t i;

	for (i = 0; i < o->bounds.nr && rc >= 0; i++)
		if (o->bounds.at[i].excludes_self)
			rc = exclude_threads(&counters->list.at[i], err);
	if (rc < 0)
		counters->bad_filter = &counters->list.at[i - 1];
	if (rc < 0)
		pfx_event_filter_explain(counters, err);
	return rc;
}
