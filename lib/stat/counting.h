/* SPDX-License-Identifier: MIT */
/*
 * Counting: events of a command, of processes or of the whole system, once or several times, with
 * intervals, metrics, and optionally a perf.data file for the counts. Prints nothing: messages go
 * to the observer.
 */
#ifndef PFX_STAT_COUNTING_H
#define PFX_STAT_COUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "event/meta.h"
#include "file/writer/writer.h"
#include "pmu/parse/parse.h"
#include "stat/latency.h"
#include "stat/stat.h"
#include "sys/counter/counter.h"
#include "sys/counter/watch.h"
#include "sys/target/signals.h"
#include "sys/target/target.h"
#include "sys/target/workload.h"

/* Options. Borrowed until the runner is freed. */
struct pfx_stat_plan {
	const struct pfx_pmu_roots *roots; /* sources for event names */
	struct pfx_event_list events;      /* -e */
	PFX_VEC(char *) filters;           /* --filter, by event; NULL: none */
	const char *metrics;               /* -M, joined by commas */
	PFX_VEC(char *) cgroups;           /* -G, by event; NULL: all tasks */
	const char *each_cgroup;
	bool all_cpus, no_inherit, per_thread;
	const char *cpus, *pids, *tids;
	enum pfx_stat_by by;
	unsigned cache_level; /* --per-cache=; 0: the last */
	bool all_user, all_kernel, one_group, transaction, topdown;
	int detailed, verbose;
	bool smi_cost;
	uint64_t topdown_level; /* 0: not given */
	bool null_run, sync, scale, no_merge, hybrid_merge;
	bool metric_no_group, metric_no_merge, metric_no_threshold;
	bool percore_threads; /* --percore-show-thread */
	bool summary;
	const char *pre, *post;
	int64_t repeat; /* 0: unlimited */
	uint64_t interval_ms, interval_count, timeout_ms;
	int64_t delay_ms; /* -1: until pfx_stat_switch() enables the counters */
	bool is_record;   /* write a perf.data file */
	const char *record_output;
};

/* All are called from pfx_stat_run(), in its thread. */
struct pfx_stat_observer {
	void *context;
	/* The events are known: open the output, and add descriptors to the watch of the
	 * counting. */
	int (*ready)(void *context, struct pfx_error *err);
	/* place_probes() resolves functions of probes to addresses; the next sets up a probe's
	 * counter. Both are provided by the recorder, which reads symbols. */
	int (*place_probes)(void *context, struct pfx_event_list *events, struct pfx_error *err);
	void (*probe_counter)(const struct pfx_event_spec *spec, struct pfx_counter *counter);
	/* The counters are open, for the first run. May be NULL. */
	void (*opened)(void *context);
	/* A descriptor that ready() added is readable. */
	void (*heard)(void *context);
	/* For `stat record`: open the file, after the counters were opened. */
	int (*open_file)(void *context, struct pfx_writer **ret, struct pfx_error *err);
	/* A progress message; and a warning. */
	void (*tell)(void *context, const char *line);
	void (*note)(void *context, const char *text);
	/* Counting begins, and it is endless. */
	void (*waits)(void *context);
	/* The table has the counts of an interval, of one of endless runs, or of all runs. */
	void (*interval)(void *context, uint64_t at_ns);
	void (*counted)(void *context);
};

/* The counting in progress. Zero-initialize; pfx_stat_runner_fini() frees all. The caller sets the
 * first block; the rest is read-only for it. */
struct pfx_stat_runner {
	const struct pfx_stat_plan *options;
	const struct pfx_stat_observer *observer;
	struct pfx_event_list *events; /* those of -e; if empty, those of metrics, or the default */
	enum pfx_stat_by by;           /* from the options; later what the events require */
	char **command;                /* NULL: none */
	int argc;                      /* command line for the header feature CMDLINE */
	char **argv;

	char *path; /* path of the workload's program */
	bool is_system_wide;
	struct pfx_target target;
	struct pfx_counters counters; /* by event */
	struct pfx_workload workload;
	struct pfx_watch watch;
	struct pfx_counts stat;
	struct pfx_meta *host;           /* the topology; NULL if rows do not need it */
	PFX_VEC(struct pfx_count) last;  /* previous counts of all descriptors, event by event */
	struct pfx_latency latency;      /* of events with the modifier R */
	PFX_VEC(struct pfx_count) tools; /* by event: measured values of events without a counter */
	PFX_VEC(double) totals;          /* by event: previous value of its sensor, if it is one */
	struct pfx_signals signals;
	uint64_t start_ns, last_ns;
	double user_s, system_s; /* of the last run */
	double user_before, system_before;
	PFX_VEC(double) run_seconds;
	int stop_signal;
	bool stops, timed_out, is_on;
	bool froze; /* freeze_on_smi was enabled */
	uint64_t nr_intervals;
	int64_t started; /* start of counting, in seconds */
	/* stat record */
	struct pfx_writer *writer;
	struct pfx_meta *meta;
	struct pfx_error write_error; /* the first one; code 0: none */
};

/* All runs. The workload's exit status is in run->workload, a signal that ended the counting in
 * run->stop_signal. */
int pfx_stat_run(struct pfx_stat_runner *run, struct pfx_error *err);
/* Enable or disable all counters; the observer gets a message. */
void pfx_stat_switch(struct pfx_stat_runner *run, bool on);
/* The same for all events of that name, without a message; false if there is none. */
bool pfx_stat_switch_event(struct pfx_stat_runner *run, const char *name, bool on);
/* Append the events, one a line: with names ("") or attrs ("-v", "-F"), or with their groups
 * ("-g"). */
void pfx_stat_events_text(const struct pfx_stat_runner *run, const char *form, struct pfx_str *to);
/* Closes what is open and frees all but the runner itself. */
void pfx_stat_runner_fini(struct pfx_stat_runner *run);

/* Parse events as -e does; names of events without a counter are accepted. */
int pfx_stat_parse_events(struct pfx_event_list *list, const char *words,
			  const struct pfx_pmu_roots *roots, struct pfx_error *err);
/* The kind of an event of this name and attr that is measured without a counter. */
enum pfx_stat_tool pfx_stat_tool_of(const char *name, const struct pfx_attr *attr);

#endif
