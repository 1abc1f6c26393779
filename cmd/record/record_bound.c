/* SPDX-License-Identifier: MIT */
/*
 * Options of `pfx record` that belong to the events before them on the command line: filters and
 * cgroups.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/words.h"
#include "cmd/record/record_internal.h"
#include "record/plan/event_filter.h"
#include "sys/host/cgroup.h"

static struct pfx_record_bound *bound_of(struct pfx_record_options *o, size_t event)
{
	while (o->bounds.nr <= event)
		*pfx_vec_add(&o->bounds) = (struct pfx_record_bound){0};
	return &o->bounds.at[event];
}

/* --- filters --- */

int pfx_record_opt_filter(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;
	int rc = pfx_event_filter_check(&o->events, o->last_events, "--filter", err);
	size_t i;

	(void)unset;
	for (i = o->last_events; rc >= 0 && i < o->events.specs.nr; i++)
		rc = pfx_event_filter_add(&bound_of(o, i)->filter, &o->events.specs.at[i], arg,
					  err);
	return rc;
}

int pfx_record_opt_exclude_perf(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;
	int rc = pfx_event_filter_check(&o->events, o->last_events, "--exclude-perf", err);
	char text[64];
	size_t i;

	(void)arg, (void)unset;
	snprintf(text, sizeof(text), "common_pid != %d", getpid());
	for (i = o->last_events; rc >= 0 && i < o->events.specs.nr; i++) {
		pfx_event_filter_and(&bound_of(o, i)->filter, text);
		bound_of(o, i)->excludes_self = true;
	}
	return rc;
}

/* The other threads exist only now, and a counter takes only one filter. */
static int exclude_threads(struct pfx_counter *counter, struct pfx_error *err)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	uint64_t tid;
	char text[64];

	while (dir && (entry = readdir(dir))) {
		if (!pfx_parse_u64(entry->d_name, &tid) || tid == (uint64_t)getpid())
			continue;
		snprintf(text, sizeof(text), "common_pid != %llu", (unsigned long long)tid);
		pfx_event_filter_and(&counter->filter, text);
	}
	if (dir)
		closedir(dir);
	return pfx_counter_filter(counter, err);
}

int pfx_record_exclude_self(struct pfx_recorder *rec, struct pfx_error *err)
{
	const struct pfx_record_options *o = rec->options;
	int rc = 0;
	size_t i;

	for (i = 0; i < o->bounds.nr && rc >= 0; i++)
		if (o->bounds.at[i].excludes_self)
			rc = exclude_threads(&rec->counters.list.at[i], err);
	if (rc < 0)
		rec->counters.bad_filter = &rec->counters.list.at[i - 1];
	if (rc < 0)
		pfx_record_explain_filter(rec, err);
	return rc;
}

/* --- cgroups --- */

/* The first event that no cgroup was said for. */
static size_t next_unsaid(struct pfx_record_options *o)
{
	size_t i;

	for (i = 0; i < o->events.specs.nr; i++)
		if (!bound_of(o, i)->has_cgroup)
			break;
	return i;
}

static void set_cgroup(struct pfx_record_bound *bound, const char *at, size_t len)
{
	bound->has_cgroup = true;
	bound->cgroup = len ? pfx_strndup(at, len) : NULL;
}

/* "a,,b": one name for each event that has none yet; a single name is for all of them. */
int pfx_record_opt_cgroup(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;
	const char *single = strchr(arg, ',') ? NULL : arg;
	size_t event, len;

	(void)unset;
	for (; arg; arg = arg[len] ? arg + len + 1 : NULL) {
		len = strcspn(arg, ",");
		event = next_unsaid(o);
		if (event == o->events.specs.nr) {
			pfx_error_set(err, EINVAL,
				      "-G names more cgroups than there are events "
				      "in front of it");
			pfx_error_hint(err, "like -a -e cpu-clock -G system.slice");
			return -EINVAL;
		}
		set_cgroup(bound_of(o, event), arg, len);
	}
	for (event = next_unsaid(o); single && event < o->events.specs.nr; event = next_unsaid(o))
		set_cgroup(bound_of(o, event), single, strlen(single));
	return 0;
}

/* --- into the counters --- */

int pfx_record_bind(struct pfx_recorder *rec, struct pfx_error *err)
{
	const struct pfx_record_options *o = rec->options;
	int rc = 0, fd;
	size_t i;

	for (i = 0; i < o->bounds.nr && rc >= 0; i++) {
		const struct pfx_record_bound *bound = &o->bounds.at[i];
		struct pfx_counter *counter = &rec->counters.list.at[i];

		if (bound->filter)
			counter->filter = pfx_strdup(bound->filter);
		counter->filter_later = bound->excludes_self;
		if (!bound->cgroup)
			continue;
		if (!rec->is_system_wide) {
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

void pfx_record_explain_filter(const struct pfx_recorder *rec, struct pfx_error *err)
{
	pfx_event_filter_explain(&rec->counters, err);
}

void pfx_record_bounds_fini(struct pfx_record_options *o)
{
	size_t i;

	for (i = 0; i < o->bounds.nr; i++) {
		free(o->bounds.at[i].filter);
		free(o->bounds.at[i].cgroup);
	}
	pfx_vec_free(&o->bounds);
}
