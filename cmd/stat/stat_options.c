/* SPDX-License-Identifier: MIT */
/*
 * Parsers for the options of `pfx stat`, and the check for options that exclude each other. They
 * only check arguments and store values.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "base/words.h"
#include "cmd/app/commands.h"
#include "cmd/stat/stat_internal.h"
#include "pmu/pfm.h"
#include "record/plan/event_filter.h"

#define INTERVAL_MIN 10 /* ms */

int pfx_stat_opt_events(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_stat_options *o = options;

	(void)unset;
	o->last_events = o->what.events.specs.nr;
	return pfx_stat_parse_events(&o->what.events, arg, pfx_cmd_pmu_roots(), err);
}

int pfx_stat_opt_filter(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_stat_options *o = options;
	int rc = pfx_event_filter_check(&o->what.events, o->last_events, "--filter", err);
	size_t i;

	(void)unset;
	while (o->what.filters.nr < o->what.events.specs.nr)
		pfx_vec_push(&o->what.filters, NULL);
	for (i = o->last_events; rc >= 0 && i < o->what.events.specs.nr; i++)
		rc = pfx_event_filter_add(&o->what.filters.at[i], &o->what.events.specs.at[i], arg,
					  err);
	return rc;
}

int pfx_stat_opt_cputype(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_stat_options *o = options;

	(void)unset;
	if (o->what.events.specs.nr)
		return pfx_error_set(err, EINVAL,
				     "--cputype applies to the events after it: write it before "
				     "-e");
	return pfx_cmd_choose_cores(arg, err);
}

int pfx_stat_opt_bpf(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	(void)options, (void)arg, (void)unset;
	pfx_error_set(err, ENOTSUP, "counting by programs of BPF is not supported");
	pfx_error_hint(err, "without it every counter is our own; `bpftool prog profile` counts in "
			    "a BPF program");
	return -ENOTSUP;
}

int pfx_stat_opt_iostat(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	(void)options, (void)arg, (void)unset;
	pfx_error_set(err, ENOTSUP, "tables of the I/O of each root port are not supported");
	pfx_error_hint(err, "-e and the events of the PMUs uncore_iio_* count the same");
	return -ENOTSUP;
}

int pfx_stat_opt_pfm(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_stat_options *o = options;

	(void)unset;
	return pfx_pfm_parse(&o->what.events, arg, err);
}

int pfx_stat_opt_metrics(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_stat_options *o = options;
	char *joined =
		o->joined_metrics ? pfx_strfmt("%s,%s", o->joined_metrics, arg) : pfx_strdup(arg);

	(void)unset;
	(void)err;
	free(o->joined_metrics);
	o->what.metrics = o->joined_metrics = joined;
	return 0;
}

/* One name for each event so far; a single one applies to all events that have none. */
int pfx_stat_opt_cgroup(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_stat_options *o = options;
	const char *single = strchr(arg, ',') ? NULL : arg;
	size_t len;

	(void)unset;
	for (; arg; arg = arg[len] ? arg + len + 1 : NULL) {
		len = strcspn(arg, ",");
		if (o->what.cgroups.nr == o->what.events.specs.nr) {
			pfx_error_set(err, EINVAL,
				      "-G has more cgroups than there are events "
				      "before it");
			pfx_error_hint(err, "like -a -e cpu-clock -G system.slice");
			return -EINVAL;
		}
		pfx_vec_push(&o->what.cgroups, len ? pfx_strndup(arg, len) : NULL);
	}
	while (single && o->what.cgroups.nr < o->what.events.specs.nr)
		pfx_vec_push(&o->what.cgroups, *single ? pfx_strdup(single) : NULL);
	return 0;
}

static int set_by(void *options, enum pfx_stat_by by, bool unset)
{
	struct pfx_stat_options *o = options;

	/* As in perf, the last of these options selects the rows. */
	o->what.per_thread = false;
	o->what.by = unset ? PFX_STAT_BY_ALL : by;
	o->by_said = !unset;
	return 0;
}

int pfx_stat_opt_by_thread(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_stat_options *o = options;

	(void)arg;
	(void)err;
	o->what.per_thread = !unset;
	o->what.by = PFX_STAT_BY_ALL;
	o->by_said = false;
	return 0;
}

#define ROWS_BY(function, by)                                                           \
	int function(void *options, const char *arg, bool unset, struct pfx_error *err) \
	{                                                                               \
		(void)arg;                                                              \
		(void)err;                                                              \
		return set_by(options, by, unset);                                      \
	}

ROWS_BY(pfx_stat_opt_by_cpu, PFX_STAT_BY_CPU)
ROWS_BY(pfx_stat_opt_by_core, PFX_STAT_BY_CORE)
ROWS_BY(pfx_stat_opt_by_cluster, PFX_STAT_BY_CLUSTER)
ROWS_BY(pfx_stat_opt_by_die, PFX_STAT_BY_DIE)
ROWS_BY(pfx_stat_opt_by_socket, PFX_STAT_BY_SOCKET)
ROWS_BY(pfx_stat_opt_by_node, PFX_STAT_BY_NODE)

/* "L3", "l3"; "LLC" and no argument mean the last level. */
int pfx_stat_opt_by_cache(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_stat_options *o = options;
	char shown[128];

	o->what.cache_level = 0;
	if (arg && strcasecmp(arg, "LLC") != 0) {
		if (strlen(arg) != 2 || !strchr("lL", arg[0]) || !strchr("1234", arg[1])) {
			pfx_error_set(err, EINVAL, "'%s' is not a cache level",
				      pfx_escape(shown, sizeof(shown), arg));
			pfx_error_hint(err, "levels are L1, L2, L3, L4, and LLC, the last one");
			return -EINVAL;
		}
		o->what.cache_level = (unsigned)(arg[1] - '0');
	}
	return set_by(options, PFX_STAT_BY_CACHE, unset);
}

static bool take_number(const char *arg, int64_t least, int64_t *ret)
{
	bool minus = arg[0] == '-';
	uint64_t number;

	if (!pfx_parse_u64(arg + minus, &number) || number > INT32_MAX)
		return false;
	*ret = minus ? -(int64_t)number : (int64_t)number;
	return *ret >= least;
}

static int wrong(const char *arg, const char *what, const char *hint, struct pfx_error *err)
{
	char shown[128];

	pfx_error_set(err, EINVAL, "'%s' is not a %s", pfx_escape(shown, sizeof(shown), arg), what);
	pfx_error_hint(err, "%s", hint);
	return -EINVAL;
}

int pfx_stat_opt_delay(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_stat_options *o = options;

	o->what.delay_ms = 0;
	if (unset || take_number(arg, -1, &o->what.delay_ms))
		return 0;
	return wrong(arg, "delay", "give milliseconds, or -1 to begin only on command", err);
}

int pfx_stat_opt_repeat(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_stat_options *o = options;

	o->what.repeat = 1;
	if (unset || take_number(arg, 0, &o->what.repeat))
		return 0;
	return wrong(arg, "number of runs", "give a number, or 0 to repeat until a signal", err);
}

int pfx_stat_opt_control(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_stat_options *o = options;

	o->control = unset ? NULL : arg;
	return unset ? 0 : pfx_control_channel_check(arg, err);
}

/* --- what goes together --- */

static int refuse(struct pfx_error *err, const char *text, const char *hint)
{
	pfx_error_set(err, EINVAL, "%s", text);
	if (hint)
		pfx_error_hint(err, "%s", hint);
	return -EINVAL;
}

static int check_target(struct pfx_stat_options *o, bool has_command, struct pfx_error *err)
{
	bool wide, tasks = o->what.pids || o->what.tids;

	/* Without a target: the whole system. */
	if (!has_command && !o->what.cpus && !tasks && !o->what.per_thread)
		o->what.all_cpus = true;
	wide = o->what.all_cpus || o->what.cpus;
	if (tasks && wide && !o->quiet)
		pfx_print_note("stat", "-p and -t choose threads%s: %s has no effect with them",
			       o->what.cpus ? " on all CPUs" : "", o->what.cpus ? "-C" : "-a");
	if (o->what.all_user && o->what.all_kernel)
		return refuse(err, "--all-user and --all-kernel exclude each other", NULL);
	if (o->what.per_thread && !tasks && !o->what.all_cpus && has_command)
		return refuse(err, "--per-thread is for threads that run already",
			      "name them with -p or -t, or take all of them with -a");
	if (o->by_said && o->what.by != PFX_STAT_BY_ALL && !wide)
		return refuse(err, "rows by CPU need counts of CPUs: of the whole system",
			      "add -a, or -C with the CPUs that matter");
	if ((o->what.cgroups.nr || o->what.each_cgroup) && !wide)
		return refuse(err, "cgroups are counted on CPUs: of the whole system",
			      "add -a, or -C with the CPUs that matter");
	if (o->what.cgroups.nr && o->what.each_cgroup)
		return refuse(err, "-G and --for-each-cgroup exclude each other", NULL);
	return 0;
}

static int check_time(struct pfx_stat_options *o, bool has_command, struct pfx_error *err)
{
	if (o->what.interval_ms && o->what.interval_ms < INTERVAL_MIN)
		o->what.interval_ms = INTERVAL_MIN;
	if (o->what.timeout_ms && o->what.timeout_ms < INTERVAL_MIN)
		return refuse(err, "--timeout must be 10 ms at least", NULL);
	if (o->what.interval_count && !o->what.interval_ms)
		return refuse(err, "--interval-count is for -I, which is missing", NULL);
	if (o->interval_clear && (!o->what.interval_ms || o->output || o->log_fd >= 0))
		return refuse(err, "--interval-clear is for -I on a screen", NULL);
	if (o->what.repeat != 1 && !has_command)
		return refuse(err, "only a command can be repeated (-r)", NULL);
	if (o->what.repeat != 1 && o->what.interval_ms && o->what.summary)
		return refuse(err, "the sum of intervals (--summary) is of one run: without -r",
			      NULL);
	if (o->what.repeat != 1 && o->what.is_record)
		return refuse(err, "a file holds one run: -r does not go with stat record", NULL);
	return 0;
}

static int check_output(struct pfx_stat_options *o, struct pfx_error *err)
{
	if (o->output && o->log_fd >= 0)
		return refuse(err, "-o and --log-fd exclude each other", NULL);
	if (o->what.percore_threads && o->what.by != PFX_STAT_BY_CPU)
		return refuse(err, "--percore-show-thread is for rows by CPU", "add -A and -a");
	if (o->what.topdown_level && !o->what.topdown)
		return refuse(err, "--td-level is for --topdown, which is missing", NULL);
	if (o->big_num && o->big_num_said && (o->separator || o->json))
		return refuse(err, "-B is for numbers that people read: not with -x and -j", NULL);
	if (o->metric_only && o->what.per_thread)
		return refuse(err, "--metric-only and --per-thread exclude each other", NULL);
	if (o->json && o->separator)
		return refuse(err, "-j and -x exclude each other", NULL);
	if (o->table && o->what.repeat == 1)
		return refuse(err, "--table is for runs that are repeated (-r)", NULL);
	return 0;
}

int pfx_stat_check(struct pfx_stat_options *o, bool has_command, struct pfx_error *err)
{
	int rc = check_target(o, has_command, err);

	if (rc >= 0)
		rc = check_time(o, has_command, err);
	if (rc >= 0)
		rc = check_output(o, err);
	if (rc >= 0)
		rc = pfx_parse_separator(&o->separator, err);
	if (o->what.per_thread)
		o->what.by = PFX_STAT_BY_THREAD;
	if ((o->what.topdown || o->what.smi_cost) && !o->metric_only_said)
		o->metric_only = true;
	return rc;
}

void pfx_stat_options_fini(struct pfx_stat_options *o)
{
	size_t i;

	for (i = 0; i < o->what.cgroups.nr; i++)
		free(o->what.cgroups.at[i]);
	pfx_vec_free(&o->what.cgroups);
	for (i = 0; i < o->what.filters.nr; i++)
		free(o->what.filters.at[i]);
	pfx_vec_free(&o->what.filters);
	free(o->joined_metrics);
	pfx_event_list_fini(&o->what.events);
}
