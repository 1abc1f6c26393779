/* SPDX-License-Identifier: MIT */
/*
 * Counting: events of a command, of processes or of the whole system, once or several times, with
 * intervals, metrics, and a file to keep the counts in. Nothing is printed here: the observer gets
 * what is worth telling.
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

/* What is counted, where and when. Borrowed until the counting is freed. */
struct pfx_stat_plan {
	const struct pfx_pmu_roots *roots; /* where words of events are looked up */
	struct pfx_event_list events;      /* -e */
	PFX_VEC(char *) filters;           /* --filter, by event; NULL: none */
	const char *metrics;               /* -M, joined by commas */
	PFX_VEC(char *) cgroups;           /* -G, by event; NULL: everywhere */
	const char *each_cgroup;
	bool all_cpus, no_inherit, per_thread;
	const char *cpus, *pids, *tids;
	enum pfx_stat_by by;
	unsigned cache_level; /* --per-cache=; 0: the last */
	bool all_user, all_kernel, one_group, transaction, topdown;
	int detailed, verbose;
	bool smi_cost;
	uint64_t topdown_level; /* 0: not said */
	bool null_run, sync, scale, no_merge, hybrid_merge;
	bool metric_no_group, metric_no_merge, metric_no_threshold;
	bool percore_threads; /* --percore-show-thread */
	bool summary;
	const char *pre, *post;
	int64_t repeat; /* 0: for ever */
	uint64_t interval_ms, interval_count, timeout_ms;
	int64_t delay_ms; /* -1: until pfx_stat_switch() says so */
	bool is_record;   /* into a file */
	const char *record_output;
};

/* All are called from pfx_stat_run(), in its thread. */
struct pfx_stat_observer {
	void *context;
	/* The events are known: open what the counts go to, and add to the watch of the counting
	 * what it is to look at. */
	int (*ready)(void *context, struct pfx_error *err);
	/* Turn names of functions into places; what the counter of a probe has to know. Both are
	 * the recorder's, who knows symbols. */
	int (*place_probes)(void *context, struct pfx_event_list *events, struct pfx_error *err);
	void (*probe_counter)(const struct pfx_event_spec *spec, struct pfx_counter *counter);
	/* A descriptor that ready() added has something. */
	void (*heard)(void *context);
	/* Of `stat record`: the file, after the counters were opened. */
	int (*open_file)(void *context, struct pfx_writer **ret, struct pfx_error *err);
	/* A line about the course of things; and a note about what is odd. */
	void (*tell)(void *context, const char *line);
	void (*note)(void *context, const char *text);
	/* Counting begins, and nothing ends it by itself. */
	void (*waits)(void *context);
	/* The table has the counts of an interval; of a run of endless ones, or of all. */
	void (*interval)(void *context, uint64_t at_ns);
	void (*counted)(void *context);
};

/* The counting in progress. Zero is none; pfx_stat_runner_fini() frees all. The first block is set
 * by the caller, the rest to be read. */
struct pfx_stat_runner {
	const struct pfx_stat_plan *options;
	const struct pfx_stat_observer *observer;
	struct pfx_event_list
		*events;     /* those of -e; of metrics, or the usual, where it is empty */
	enum pfx_stat_by by; /* that of the options; what the events need, afterwards */
	char **command;      /* NULL: none */
	int argc;            /* the words that a file is told to be made by */
	char **argv;

	char *path; /* where the command was found */
	bool is_system_wide;
	struct pfx_target target;
	struct pfx_counters counters; /* by event */
	struct pfx_workload workload;
	struct pfx_watch watch;
	struct pfx_counts stat;
	struct pfx_meta *host; /* the topology; NULL where no row is about it */
	PFX_VEC(struct pfx_count)
	last;                       /* what each descriptor had said, one event after the other */
	struct pfx_latency latency; /* of events with the modifier R */
	PFX_VEC(struct pfx_count) tools; /* by event: what was told of those without a counter */
	PFX_VEC(double) totals;          /* what the sensor of each event had said, if it is one */
	struct pfx_signals signals;
	uint64_t start_ns, last_ns;
	double user_s, system_s; /* of the last run */
	double user_before, system_before;
	PFX_VEC(double) run_seconds;
	int stop_signal;
	bool stops, timed_out, is_on;
	bool froze; /* freeze_on_smi was switched on */
	uint64_t nr_intervals;
	int64_t started; /* s, when counting began */
	/* stat record */
	struct pfx_writer *writer;
	struct pfx_meta *meta;
	struct pfx_error write_error; /* the first one; code 0: none */
};

/* All runs. The exit of the command is in run->workload, a signal that ended us in
 * run->stop_signal. */
int pfx_stat_run(struct pfx_stat_runner *run, struct pfx_error *err);
/* Switch all counters; the change is told. */
void pfx_stat_switch(struct pfx_stat_runner *run, bool on);
/* All events of that name; false when there is none. Not told. */
bool pfx_stat_switch_event(struct pfx_stat_runner *run, const char *name, bool on);
/* Append the events, one a line: names ("") or more ("-v", "-F"), or with their groups ("-g"). */
void pfx_stat_events_text(const struct pfx_stat_runner *run, const char *form, struct pfx_str *to);
/* Closes what is open and frees all but the runner itself. */
void pfx_stat_runner_fini(struct pfx_stat_runner *run);

/* Parse words of events as -e does; names of what needs no counter are understood. */
int pfx_stat_parse_events(struct pfx_event_list *list, const char *words,
			  const struct pfx_pmu_roots *roots, struct pfx_error *err);
/* What an event of this name and attr measures without a counter. */
enum pfx_stat_tool pfx_stat_tool_of(const char *name, const struct pfx_attr *attr);

#endif
