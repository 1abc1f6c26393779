/* SPDX-License-Identifier: MIT */
/* Fills the meta of a file from the options and the opened counters. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/ns.h"
#include "pmu/sysfs/tracefs.h"
#include "record/plan/plan.h"
#include "sys/host/bpf_programs.h"
#include "sys/host/host.h"
#include "trace/format.h"

/* The clock of the samples, and a simultaneous reading of it and of the wall clock, for times of
 * day. */
static void describe_clock(const struct pfx_recorder_options *o, struct pfx_env *env)
{
	struct timespec wall, clock;

	if (!o->use_clockid)
		return;
	env->clockid_res_ns = o->clock_res_ns;
	pfx_env_set(env, PFX_FEAT_CLOCKID);
	if (clock_gettime(CLOCK_REALTIME, &wall) < 0 || clock_gettime(o->clockid, &clock) < 0)
		return;
	env->clock_version = 1;
	env->clockid = (uint32_t)o->clockid;
	env->wall_clock_ns = pfx_ns_of(&wall);
	env->clockid_ns = pfx_ns_of(&clock);
	pfx_env_set(env, PFX_FEAT_CLOCK_DATA);
}

static void describe_event(const struct pfx_record_plan *plan, const struct pfx_counter *counter,
			   struct pfx_meta *meta)
{
	struct pfx_attr attr = counter->attr;
	struct pfx_event *event;
	size_t i;

	pfx_record_describe_offcpu(plan->options, counter, &attr);
	event = pfx_meta_add_event(meta, &attr, counter->name);
	event->leader = counter->leader;
	for (i = 0; i < counter->fds.nr; i++)
		pfx_meta_add_id(meta, event, counter->fds.at[i].id);
}

static void describe_groups(const struct pfx_event_list *list, struct pfx_meta *meta)
{
	struct pfx_env *env = &meta->env;
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++)
		meta->events[meta->events[i]->leader]->nr_members++;
	env->groups = pfx_arena_array(&meta->arena, struct pfx_env_group, meta->nr_events);
	for (i = 0; i < meta->nr_events; i++) {
		const struct pfx_event *event = meta->events[i];
		const char *name = i < list->specs.nr ? list->specs.at[i].group_name : NULL;

		if (event->nr_members < 2)
			continue;
		env->groups[env->nr_groups++] = (struct pfx_env_group){
			.name = name ? name : "{anon_group}",
			.leader_idx = i,
			.nr_members = event->nr_members,
		};
		pfx_env_set(env, PFX_FEAT_GROUP_DESC);
	}
}

static int describe_tracepoints(const struct pfx_event_list *list, struct pfx_meta *meta,
				struct pfx_error *err)
{
	size_t nr = 0, size = 0, i;
	const char **names = pfx_calloc(list->specs.nr + 1, sizeof(*names));
	const char *tracefs;
	uint8_t *blob = NULL;
	int rc = 0;

	for (i = 0; i < list->specs.nr; i++)
		if (list->specs.at[i].attr.type == PFX_TYPE_TRACEPOINT)
			names[nr++] = list->specs.at[i].probe.tracepoint
					      ? list->specs.at[i].probe.tracepoint
					      : list->specs.at[i].name;
	if (nr) {
		tracefs = pfx_tracefs(NULL, err);
		rc = tracefs ? pfx_trace_collect(tracefs, names, nr, &blob, &size, err)
			     : -err->code;
	}
	if (rc >= 0 && blob) {
		meta->env.tracing_data.at = pfx_arena_memdup(&meta->arena, blob, size);
		meta->env.tracing_data.size = size;
		pfx_env_set(&meta->env, PFX_FEAT_TRACING_DATA);
	}
	free(blob);
	free(names);
	return rc;
}

bool pfx_record_wants_kernel(const struct pfx_counters *counters)
{
	size_t i;

	for (i = 0; i < counters->list.nr; i++)
		if (!(counters->list.at[i].attr.flags & PFX_ATTR_EXCLUDE_KERNEL))
			return true;
	return false;
}

void pfx_record_describe_bpf(const struct pfx_record_plan *plan,
			     const struct pfx_counters *counters, struct pfx_meta *meta)
{
	if (!plan->options->no_bpf_event && pfx_record_wants_kernel(counters))
		pfx_bpf_programs_read(meta);
}

int pfx_record_describe(const struct pfx_record_plan *plan, const struct pfx_counters *counters,
			struct pfx_meta **ret, struct pfx_error *err)
{
	const struct pfx_recorder_options *o = plan->options;
	/* The command line as typed: the program's name, then the command's arguments. */
	const char **words = pfx_calloc((size_t)o->argc + 2, sizeof(*words));
	struct pfx_host_options host = {.argc = o->argc + 1, .argv = words};
	struct pfx_meta *meta = pfx_meta_new();
	size_t i;
	int rc;

	*ret = meta;
	words[0] = "pfx";
	if (o->argc)
		memcpy(words + 1, o->argv, (size_t)o->argc * sizeof(*words));
	meta->is_pipe = plan->place.is_pipe;
	for (i = 0; i < counters->list.nr; i++)
		describe_event(plan, &counters->list.at[i], meta);
	pfx_meta_update(meta);
	describe_groups(&o->events, meta);
	rc = pfx_host_describe(meta, &host, err);
	free(words);
	if (rc < 0)
		return rc;
	pfx_env_set(&meta->env, PFX_FEAT_EVENT_DESC);
	describe_clock(o, &meta->env);
	pfx_record_describe_bpf(plan, counters, meta);
	return describe_tracepoints(&o->events, meta, err);
}
