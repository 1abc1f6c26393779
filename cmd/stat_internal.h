/* SPDX-License-Identifier: MIT */
/* What the files of `pfx stat` share: the options, and the counting in progress. */
#ifndef PFX_CMD_STAT_INTERNAL_H
#define PFX_CMD_STAT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "cmd/control_channel.h"
#include "cmd/record_aux.h"
#include "cmd/record_internal.h"
#include "cmd/stat_latency.h"
#include "event/meta.h"
#include "file/writer.h"
#include "out/stat_text.h"
#include "pmu/parse.h"
#include "stat/stat.h"
#include "sys/counter.h"
#include "sys/signals.h"
#include "sys/target.h"
#include "sys/watch.h"
#include "sys/workload.h"

#define PFX_STAT_HEADING_EVERY 25 /* intervals on a screen, as perf */

struct pfx_stat_options {
	struct pfx_event_list events; /* -e */
	size_t last_events;           /* the first one of the last -e */
	PFX_VEC(char *) filters;      /* --filter, by event; NULL: none */
	const char *metrics;          /* -M, as typed; joined by commas */
	char *joined_metrics;         /* of several -M */
	PFX_VEC(char *) cgroups;      /* -G, by event; NULL: everywhere */
	const char *each_cgroup;
	bool all_cpus, no_inherit, per_thread;
	const char *cpus, *pids, *tids;
	enum pfx_stat_by by;
	bool by_said;
	unsigned cache_level; /* --per-cache=; 0: the last */
	bool all_user, all_kernel, one_group, transaction, topdown;
	int detailed, verbose;
	bool smi_cost;
	uint64_t topdown_level; /* 0: not said */
	bool null_run, sync, scale, big_num, big_num_said, quiet, no_merge, hybrid_merge;
	bool metric_only, metric_only_said, metric_no_group, metric_no_merge, metric_no_threshold;
	bool percore_threads; /* --percore-show-thread */
	bool json, table, summary, no_csv_summary, append, interval_clear;
	const char *separator, *output, *pre, *post, *control;
	int log_fd;
	int64_t repeat; /* 0: for ever */
	uint64_t interval_ms, interval_count, timeout_ms;
	int64_t delay_ms; /* -1: until --control says so */
	bool is_record;   /* `stat record` */
	const char *record_output;
};

/* The counting in progress. Zero is none; pfx_stat_runner_fini() frees all. */
struct pfx_stat_runner {
	const struct pfx_stat_options *options;
	struct pfx_event_list
		*events;     /* what is counted: those of -e, of metrics, or the default */
	enum pfx_stat_by by; /* that of the options, or what the events need */
	char **command;
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
	struct pfx_control_channel control;
	struct pfx_signals signals;
	uint64_t start_ns, last_ns;
	double user_s, system_s; /* of the last run */
	double user_before, system_before;
	PFX_VEC(double) run_seconds;
	int stop_signal;
	bool stops, timed_out, is_on;
	bool froze; /* freeze_on_smi was switched on */
	uint64_t nr_intervals;
	FILE *out;
	int write_errno; /* why some of what was shown could not be written; 0: all was */
	bool heading_done;
	int64_t started; /* s, when counting began */
	/* stat record */
	struct pfx_writer *writer;
	struct pfx_meta *meta;
	struct pfx_error write_error; /* the first one; code 0: none */
	int argc;
	char **argv;
};

/* --- stat_options.c --- */
int pfx_stat_opt_events(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_filter(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_cputype(void *options, const char *arg, bool unset, struct pfx_error *err);
/* What perf has and we refuse, each with its reason. */
int pfx_stat_opt_bpf(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_iostat(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_pfm(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_metrics(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_cgroup(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_by_cpu(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_by_core(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_by_socket(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_by_die(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_by_cluster(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_by_cache(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_by_node(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_delay(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_repeat(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_control(void *options, const char *arg, bool unset, struct pfx_error *err);
/* Words that do not go together: -EINVAL. @has_command: there is something to start. */
int pfx_stat_check(struct pfx_stat_options *o, bool has_command, struct pfx_error *err);
/* "\\t" is a tabulator. */
void pfx_stat_check_separator(struct pfx_stat_options *o);
void pfx_stat_options_fini(struct pfx_stat_options *o);

/* --- stat_events.c: from options to events, counters and rows --- */
int pfx_stat_events(struct pfx_stat_runner *run, struct pfx_error *err);
/* Parse words of events as -e does; names of what needs no counter are understood. */
int pfx_stat_parse_events(struct pfx_event_list *list, const char *words, struct pfx_error *err);
/* What an event of this name and attr measures without a counter. */
enum pfx_stat_tool pfx_stat_tool_of(const char *name, const struct pfx_attr *attr);

/* --- stat_metric.c --- */
/* Append the events of the metrics in @words to @events; the metrics refer to them. */
int pfx_stat_metrics(struct pfx_stat_runner *run, const char *words, struct pfx_event_list *events,
		     struct pfx_error *err);
/* What expressions may ask about the machine. */
void pfx_stat_machine(struct pfx_stat_runner *run);

/* --- stat_smi.c: --smi-cost --- */
/* Append its events, and let the counters of the cores stand still while the firmware works. */
int pfx_stat_smi_begin(struct pfx_stat_runner *run, struct pfx_error *err);
void pfx_stat_smi_end(struct pfx_stat_runner *run);

/* --- stat_run.c --- */
int pfx_stat_run(struct pfx_stat_runner *run, struct pfx_error *err);
/* Exit code after the runs; may not return, where a signal ended them. */
int pfx_stat_exit(struct pfx_stat_runner *run);

/* --- stat_latency.c: modifier R --- */
/* The counters of a run, which are not on yet. */
int pfx_stat_latency_open(struct pfx_stat_runner *run, struct pfx_error *err);

/* --- stat_control.c: --control, -D --- */
int pfx_stat_control_open(struct pfx_stat_runner *run, struct pfx_error *err);
void pfx_stat_control_read(struct pfx_stat_runner *run);
void pfx_stat_control_close(struct pfx_stat_runner *run);
void pfx_stat_switch(struct pfx_stat_runner *run, bool on);

/* --- stat_counts.c: from counters to the table --- */
/* Groups and room for all counts; the counters are open. */
int pfx_stat_counts_prepare(struct pfx_stat_runner *run, struct pfx_error *err);
/* Read all counters; what they say since the last time goes into the table, or since the start.
 * @wall_ns: how long that took. */
void pfx_stat_counts_read(struct pfx_stat_runner *run, uint64_t wall_ns, bool since_start);
/* Counters are opened afresh: they start from zero. */
void pfx_stat_counts_restart(struct pfx_stat_runner *run);

/* --- stat_show.c --- */
int pfx_stat_open_output(struct pfx_stat_runner *run, struct pfx_error *err);
void pfx_stat_show_interval(struct pfx_stat_runner *run, uint64_t at_ns);
void pfx_stat_show(struct pfx_stat_runner *run);
/* Whether all that was shown could be written. */
int pfx_stat_check_output(const struct pfx_stat_runner *run, struct pfx_error *err);
/* The way the options want counts to be shown. */
struct pfx_stat_style pfx_stat_style_of(const struct pfx_stat_options *o);

/* --- stat_record.c: counts into a file --- */
/* Parse the options behind the word `record` at @at; as pfx_options_or_exit(). */
int pfx_stat_record_options(struct pfx_stat_options *o, int argc, char **argv, int at,
			    int *ret_code);
int pfx_stat_record_begin(struct pfx_stat_runner *run, struct pfx_error *err);
/* One counter's count; @event and @fd are indices. An error is kept until the end. */
void pfx_stat_record_count(struct pfx_stat_runner *run, size_t event, size_t fd,
			   const uint64_t count[3]);
void pfx_stat_record_round(struct pfx_stat_runner *run, bool is_final, uint64_t at_ns);
int pfx_stat_record_end(struct pfx_stat_runner *run, struct pfx_error *err);

/* --- stat_report.c: the command with the words behind `stat`; its exit code --- */
/* @before: the options in front of the word `report`. */
int pfx_stat_report(int argc, char **argv, const struct pfx_stat_options *before);
extern const struct pfx_command pfx_cmd_stat_report;

/* stat_run.c: closes what is open and frees all but the runner itself. */
void pfx_stat_runner_fini(struct pfx_stat_runner *run);

#endif
