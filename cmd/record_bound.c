/* SPDX-License-Identifier: MIT */
/*
 * Options of `pfx record` that belong to the events before them on the command line: filters and
 * cgroups. What a filter means is known to the kernel only.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
#include "base/words.h"
#include "cmd/address_filter.h"
#include "cmd/commands.h"
#include "cmd/record_internal.h"
#include "sys/cgroup.h"

#define FORMAT_MAX (1u << 20)

static struct pfx_record_bound *bound_of(struct pfx_record_options *o, size_t event)
{
	while (o->bounds.nr <= event)
		*pfx_vec_add(&o->bounds) = (struct pfx_record_bound){0};
	return &o->bounds.at[event];
}

/* --- filters --- */

static void add_filter(char **filter, const char *text)
{
	char *old = *filter;

	*filter = old ? pfx_strfmt("(%s) && (%s)", old, text) : pfx_strdup(text);
	free(old);
}

/* Whether the event's PMU traces programs and can be told which addresses. */
static bool takes_addresses(const struct pfx_event_spec *spec)
{
	char path[512], line[32];
	uint64_t nr;

	if (!spec->pmu)
		return false;
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/nr_addr_filters", spec->pmu);
	return pfx_read_line(path, line, sizeof(line)) >= 0 && pfx_parse_u64(line, &nr) && nr > 0;
}

/* "a" and "b" for one event: all address filters apply, each to its own region. */
static int add_addresses(char **filter, const char *words, struct pfx_error *err)
{
	char *text, *old = *filter;
	int rc = pfx_address_filter(words, &text, err);

	if (rc < 0)
		return rc;
	*filter = old ? pfx_strfmt("%s,%s", old, text) : pfx_strdup(text);
	free(old);
	free(text);
	return 0;
}

/* All events of the last -e must be tracepoints: nothing else has fields to filter by. Of PMUs that
 * trace, addresses can be chosen, with --filter only. */
static int check_tracepoints(const struct pfx_record_options *o, const char *option,
			     struct pfx_error *err)
{
	char shown[128];
	size_t i;

	if (o->events.specs.nr == o->last_events) {
		pfx_error_set(err, EINVAL,
			      "%s belongs to the event in front of it, and there is "
			      "none",
			      option);
		pfx_error_hint(err, "like -e sched:sched_switch %s", option);
		return -EINVAL;
	}
	for (i = o->last_events; i < o->events.specs.nr; i++) {
		const struct pfx_event_spec *spec = &o->events.specs.at[i];

		if (spec->attr.type == PFX_TYPE_TRACEPOINT ||
		    (!strcmp(option, "--filter") && takes_addresses(spec)))
			continue;
		pfx_error_set(err, EINVAL, "event '%s' takes no %s",
			      pfx_escape(shown, sizeof(shown), spec->name), option);
		pfx_error_hint(err, "only tracepoints have fields that can be compared, and only "
				    "PMUs that trace programs take addresses");
		return -EINVAL;
	}
	return 0;
}

int pfx_record_opt_filter(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;
	int rc = check_tracepoints(o, "--filter", err);
	size_t i;

	(void)unset;
	for (i = o->last_events; rc >= 0 && i < o->events.specs.nr; i++) {
		if (o->events.specs.at[i].attr.type == PFX_TYPE_TRACEPOINT)
			add_filter(&bound_of(o, i)->filter, arg);
		else
			rc = add_addresses(&bound_of(o, i)->filter, arg, err);
	}
	return rc;
}

int pfx_record_opt_exclude_perf(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;
	int rc = check_tracepoints(o, "--exclude-perf", err);
	char text[64];
	size_t i;

	(void)arg, (void)unset;
	snprintf(text, sizeof(text), "common_pid != %d", getpid());
	for (i = o->last_events; rc >= 0 && i < o->events.specs.nr; i++) {
		add_filter(&bound_of(o, i)->filter, text);
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
		add_filter(&counter->filter, text);
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

/* "common_type, common_flags, ..." from the description of a tracepoint. */
static void add_fields(const char *text, struct pfx_str *to)
{
	const char *at, *end;

	while ((text = strstr(text, "\tfield:"))) {
		end = text + strcspn(text, ";[");
		for (at = end; at > text && at[-1] != ' ' && at[-1] != '*';)
			at--;
		pfx_str_add(to, to->len ? ", " : "");
		pfx_str_add_escaped(to, at, (size_t)(end - at));
		text = end;
	}
}

void pfx_record_explain_filter(const struct pfx_recorder *rec, struct pfx_error *err)
{
	const struct pfx_counter *counter = rec->counters.bad_filter;
	const char *tracefs = counter && counter->name ? pfx_tracefs(NULL, NULL) : NULL;
	char *path, *colon, *text = NULL;
	struct pfx_str fields = {0};

	if (!tracefs)
		return;
	path = pfx_strfmt("%s/events/%s/format", tracefs, counter->name);
	colon = strrchr(path, ':');
	if (colon)
		*colon = '/';
	if (pfx_read_file(path, FORMAT_MAX, &text, NULL, NULL) >= 0)
		add_fields(text, &fields);
	if (fields.len)
		pfx_error_hint(err, "its fields are %s", fields.at);
	pfx_str_fini(&fields);
	free(text);
	free(path);
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
