/* SPDX-License-Identifier: MIT */
/*
 * From counters to the table of counts: finds the group of each descriptor and the increase since
 * its last reading.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/names.h"
#include "stat/counting_internal.h"
#include "sys/host/host.h"

static bool is_fact(enum pfx_stat_tool tool)
{
	return tool >= PFX_STAT_NUM_CPUS && tool < PFX_STAT_READING;
}

static bool wants_topology(const struct pfx_stat_runner *run)
{
	size_t i;

	for (i = 0; i < run->stat.events.nr; i++)
		if (run->stat.events.at[i].is_per_package || run->stat.events.at[i].is_per_core ||
		    is_fact(run->stat.events.at[i].tool))
			return true;
	switch (run->by) {
	case PFX_STAT_BY_CPU:
	case PFX_STAT_BY_ALL:
	case PFX_STAT_BY_THREAD:
		return run->stat.metrics.nr != 0;
	default:
		return true;
	}
}

static const struct pfx_env *env_of(const struct pfx_stat_runner *run)
{
	return run->host ? &run->host->env : NULL;
}

static void name_thread(struct pfx_stat_runner *run, size_t group,
			const struct pfx_target_thread *thread)
{
	struct pfx_stat_group *to = &run->stat.groups.at[group];

	memcpy(to->comm, thread->comm, sizeof(thread->comm));
}

/* Adds groups for all of the target, also without counters. */
static void add_groups(struct pfx_stat_runner *run)
{
	const struct pfx_target *target = &run->target;
	size_t i;

	for (i = 0; i < target->cpus.nr && run->by != PFX_STAT_BY_THREAD; i++)
		pfx_stat_group_add(&run->stat, env_of(run), target->cpus.at[i], -1);
	for (i = 0; i < target->threads.nr && run->by == PFX_STAT_BY_THREAD; i++)
		name_thread(
			run,
			pfx_stat_group_add(&run->stat, env_of(run), -1, target->threads.at[i].tid),
			&target->threads.at[i]);
	if (!run->stat.groups.nr)
		pfx_stat_group_add(&run->stat, env_of(run), -1, -1);
}

static size_t group_of(struct pfx_stat_runner *run, const struct pfx_counter_fd *fd)
{
	return pfx_stat_group_add(&run->stat, env_of(run), fd->cpu, fd->tid);
}

/* Without permission for the kernel, the event counts only user space: show it in the name. */
static void name_level(struct pfx_stat_runner *run, size_t i)
{
	const uint64_t levels = PFX_ATTR_EXCLUDE_USER | PFX_ATTR_EXCLUDE_KERNEL;
	const struct pfx_counter *counter = &run->counters.list.at[i];
	struct pfx_stat_event *row = &run->stat.events.at[i];
	struct pfx_attr attr = counter->attr;
	char name[128];

	if (!run->counters.fell_to_user || row->tool != PFX_STAT_COUNTER)
		return;
	if (counter->name && (!counter->is_unsupported || attr.flags & levels))
		return;
	attr.flags |= PFX_ATTR_EXCLUDE_KERNEL | PFX_ATTR_EXCLUDE_HV;
	if (counter->guest_unsaid)
		attr.flags &= ~PFX_ATTR_EXCLUDE_GUEST;
	pfx_attr_name(&attr, name, sizeof(name));
	free(row->name);
	row->name = pfx_strdup(name);
	row->attr = attr;
}

int pfx_stat_counts_prepare(struct pfx_stat_runner *run, struct pfx_error *err)
{
	struct pfx_host_options host = {0};
	size_t i, j;
	int rc;

	run->stat.by = run->by;
	run->stat.cache_level = run->options->cache_level;
	run->stat.no_scale = !run->options->scale;
	run->stat.shows_threads = run->options->percore_threads;
	if (wants_topology(run) && !run->host) {
		run->host = pfx_meta_new();
		rc = pfx_host_describe(run->host, &host, err);
		if (rc < 0)
			return rc;
	}
	add_groups(run);
	for (i = 0; i < run->counters.list.nr; i++) {
		const struct pfx_counter *counter = &run->counters.list.at[i];

		if (counter->is_unsupported)
			run->stat.events.at[i].is_supported = false;
		name_level(run, i);
		if (counter->is_unsupported && run->options->verbose)
			pfx_counting_note(run, "this machine does not count '%s'",
					  run->stat.events.at[i].name);
		for (j = 0; j < counter->fds.nr; j++)
			group_of(run, &counter->fds.at[j]);
	}
	pfx_stat_sort_groups(&run->stat);
	if (run->host)
		pfx_stat_machine(run);
	return pfx_stat_ready(&run->stat, err);
}

static bool take_reading(struct pfx_stat_runner *run, size_t event, double *ret)
{
	const struct pfx_reading *reading = &run->events->specs.at[event].reading;
	PFX_VEC(int) tids = {0};
	size_t i;
	bool has;

	for (i = 0; i < run->target.threads.nr && !run->is_system_wide; i++)
		pfx_vec_push(&tids, run->target.threads.at[i].tid);
	has = pfx_reading_take(reading, NULL, tids.at, tids.nr, ret);
	pfx_vec_free(&tids);
	return has;
}

void pfx_stat_counts_restart(struct pfx_stat_runner *run)
{
	double total;
	size_t i;

	run->last.nr = run->totals.nr = run->tools.nr = 0;
	for (i = 0; i < run->counters.list.nr; i++) {
		total = 0;
		if (run->stat.events.at[i].tool == PFX_STAT_READING)
			take_reading(run, i % run->events->specs.nr, &total);
		pfx_vec_push(&run->totals, total);
		pfx_vec_push(&run->tools, ((struct pfx_count){0}));
	}
}

static double fact(const struct pfx_metric_machine *m, enum pfx_stat_tool tool)
{
	switch (tool) {
	case PFX_STAT_NUM_CPUS:
		return m->num_cpus;
	case PFX_STAT_NUM_CPUS_ONLINE:
		return m->num_cpus_online;
	case PFX_STAT_NUM_CORES:
		return m->num_cores;
	case PFX_STAT_NUM_DIES:
		return m->num_dies;
	case PFX_STAT_NUM_PACKAGES:
		return m->num_packages;
	case PFX_STAT_SMT_ON:
		return m->smt_on;
	case PFX_STAT_HAS_PMEM:
		return m->has_pmem;
	case PFX_STAT_SLOTS:
		return m->slots;
	case PFX_STAT_CORE_WIDE:
		return m->core_wide;
	default:
		return m->tsc_hz;
	}
}

/* The value of a sensor, or the increase of its total since the last reading. */
static void read_sensor(struct pfx_stat_runner *run, size_t event, struct pfx_count *count)
{
	size_t spec = event % run->events->specs.nr;
	double *last = &run->totals.at[event], now;

	if (!take_reading(run, spec, &now)) {
		count->running = 0;
		return;
	}
	if (run->events->specs.at[spec].reading.grows)
		count->value = now > *last ? (uint64_t)(now - *last) : 0;
	else
		count->value = (uint64_t)(int64_t)now;
	count->may_fall = true;
	*last = now;
}

/* In a file, all counts are totals since the start: the reader computes differences. */
static void record_tool(struct pfx_stat_runner *run, size_t event, const struct pfx_count *count)
{
	struct pfx_count *sum = &run->tools.at[event];

	sum->value += count->value;
	sum->enabled += count->enabled;
	sum->running += count->running;
	if (run->counters.list.at[event].fds.nr)
		pfx_stat_record_count(run, event, 0,
				      (uint64_t[3]){sum->value, sum->enabled, sum->running});
}

/* A value without a counter, in ns or a fact, as if running all the time. */
static void read_tool(struct pfx_stat_runner *run, size_t event, uint64_t wall_ns, bool since_start)
{
	enum pfx_stat_tool tool = run->stat.events.at[event].tool;
	struct pfx_count count = {wall_ns, wall_ns, wall_ns, false};
	size_t group;

	if (is_fact(tool))
		count.value = (uint64_t)fact(&run->stat.machine, tool);
	if ((tool == PFX_STAT_TSC_HZ || tool == PFX_STAT_SLOTS) && !count.value)
		count.running = 0; /* unknown */
	if (tool == PFX_STAT_READING)
		read_sensor(run, event, &count);
	if (tool == PFX_STAT_LATENCY && !pfx_latency_mean(&run->latency, event, &count.value))
		count.running = 0;
	if (tool == PFX_STAT_USER_TIME)
		count.value = (uint64_t)(run->user_s * 1e9 + 0.5);
	else if (tool == PFX_STAT_SYSTEM_TIME)
		count.value = (uint64_t)(run->system_s * 1e9 + 0.5);
	if (!since_start && count.running)
		record_tool(run, event, &count);
	for (group = 0; group < run->stat.groups.nr; group++)
		pfx_stat_count(&run->stat, event, group, count);
}

static uint32_t package_of(const struct pfx_env *env, int cpu)
{
	if (!env || cpu < 0 || (uint32_t)cpu >= env->topology.nr_cpus)
		return 0;
	return env->topology.cpus[cpu].socket_id;
}

/* Whether an earlier counter of the event has already counted this counter's package. */
static bool is_repeated(const struct pfx_stat_runner *run, size_t event, size_t fd)
{
	const struct pfx_counter *counter = &run->counters.list.at[event];
	const struct pfx_env *env = env_of(run);
	uint32_t package = package_of(env, counter->fds.at[fd].cpu);
	size_t i;

	for (i = 0; i < fd && run->stat.events.at[event].is_per_package; i++)
		if (package_of(env, counter->fds.at[i].cpu) == package)
			return true;
	return false;
}

/* @sum: the count, the time enabled and the time running are added here. */
static void read_one(struct pfx_stat_runner *run, size_t event, size_t fd, size_t place,
		     bool since_start, uint64_t sum[3])
{
	const struct pfx_counter *counter = &run->counters.list.at[event];
	struct pfx_count count, *last;
	uint64_t now[3];
	size_t i;

	while (run->last.nr <= place)
		pfx_vec_push(&run->last, ((struct pfx_count){0}));
	last = &run->last.at[place];
	if (is_repeated(run, event, fd) || pfx_counter_read(counter, fd, now) < 0)
		return;
	for (i = 0; i < 3; i++)
		sum[i] += now[i];
	count = (struct pfx_count){now[0], now[1], now[2], false};
	if (!since_start) {
		count.value -= last->value;
		count.enabled -= last->enabled;
		count.running -= last->running;
		*last = (struct pfx_count){now[0], now[1], now[2], false};
		pfx_stat_record_count(run, event, fd, now);
	}
	pfx_stat_count(&run->stat, event, group_of(run, &counter->fds.at[fd]), count);
}

/* In the form that programs know: "NAME: COUNT ENABLED RUNNING". */
static void say_detail(const struct pfx_stat_runner *run, size_t event, const uint64_t sum[3])
{
	pfx_stat_tell(run, "%s: %llu %llu %llu", run->stat.events.at[event].name,
		      (unsigned long long)sum[0], (unsigned long long)sum[1],
		      (unsigned long long)sum[2]);
}

static void read_all(struct pfx_stat_runner *run, size_t event, size_t place, bool since_start)
{
	uint64_t sum[3] = {0};
	size_t fd;

	for (fd = 0; fd < run->counters.list.at[event].fds.nr; fd++)
		read_one(run, event, fd, place + fd, since_start, sum);
	if (run->options->verbose && !since_start)
		say_detail(run, event, sum);
}

void pfx_stat_counts_read(struct pfx_stat_runner *run, uint64_t wall_ns, bool since_start)
{
	size_t event, place = 0;

	pfx_latency_drain(&run->latency);
	for (event = 0; event < run->counters.list.nr; event++) {
		const struct pfx_counter *counter = &run->counters.list.at[event];

		if (run->stat.events.at[event].tool != PFX_STAT_COUNTER) {
			read_tool(run, event, wall_ns, since_start);
			place += counter->fds.nr;
			continue;
		}
		read_all(run, event, place, since_start);
		place += counter->fds.nr;
	}
	pfx_stat_end_run(&run->stat, wall_ns);
}
