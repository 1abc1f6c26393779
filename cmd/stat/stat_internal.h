/* SPDX-License-Identifier: MIT */
/* What the files of `pfx stat` share: the options, and the output of a count. */
#ifndef PFX_CMD_STAT_INTERNAL_H
#define PFX_CMD_STAT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "out/stat/stat_table.h"
#include "stat/counting.h"
#include "sys/control/control_channel.h"

struct pfx_stat_options {
	struct pfx_stat_plan what;
	size_t last_events;   /* the first event of the last -e */
	char *joined_metrics; /* of all -M, joined by commas */
	bool by_said, big_num, big_num_said, quiet;
	bool metric_only, metric_only_said;
	bool json, table, no_csv_summary, append, interval_clear;
	const char *separator, *output, *control;
	int log_fd;
};

/* A running count and its output. */
struct pfx_stat_view {
	const struct pfx_stat_options *options;
	struct pfx_stat_runner *run;
	struct pfx_control_channel control;
	FILE *out;
	int write_errno; /* the first error of writing the output; 0: none */
	struct pfx_stat_tables tables;
};

/* --- stat_options.c --- */
int pfx_stat_opt_events(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_filter(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_cputype(void *options, const char *arg, bool unset, struct pfx_error *err);
/* Options of perf that pfx refuses, each with its reason. */
int pfx_stat_opt_bpf(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_iostat(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_pfm(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_metrics(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_cgroup(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_stat_opt_by_thread(void *options, const char *arg, bool unset, struct pfx_error *err);
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
/* -EINVAL if options exclude each other. @has_command: there is a command to start. */
int pfx_stat_check(struct pfx_stat_options *o, bool has_command, struct pfx_error *err);
void pfx_stat_options_fini(struct pfx_stat_options *o);

/* --- stat_control.c: --control --- */
int pfx_stat_control_open(struct pfx_stat_view *view, struct pfx_error *err);
void pfx_stat_control_read(struct pfx_stat_view *view);
void pfx_stat_control_close(struct pfx_stat_view *view);

/* --- stat_show.c --- */
int pfx_stat_open_output(struct pfx_stat_view *view, struct pfx_error *err);
void pfx_stat_show_interval(struct pfx_stat_view *view, uint64_t at_ns);
void pfx_stat_show(struct pfx_stat_view *view);
/* 0, or the first error of writing the output. */
int pfx_stat_check_output(const struct pfx_stat_view *view, struct pfx_error *err);
/* The output style by the options. */
struct pfx_stat_style pfx_stat_style_of(const struct pfx_stat_options *o);

/* --- stat_report.c: the command, with the words after `stat`; returns its exit code --- */
/* @before: the options before the word `report`. */
int pfx_stat_report(int argc, char **argv, const struct pfx_stat_options *before);
extern const struct pfx_command pfx_cmd_stat_report;

#endif
