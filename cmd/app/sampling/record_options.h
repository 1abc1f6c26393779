/* SPDX-License-Identifier: MIT */
/*
 * Options of commands that take samples, and their parsers: for tables of options whose struct
 * begins with struct pfx_record_options.
 */
#ifndef PFX_CMD_RECORD_OPTIONS_H
#define PFX_CMD_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "record/options/recorder_news.h"
#include "record/options/recorder_options.h"

/* Exit codes, as perf's. */
#define PFX_RECORD_FAILED    255
#define PFX_RECORD_NO_TARGET 244 /* no such process or thread */

struct pfx_record_options {
	struct pfx_recorder_options rec;     /* options of the recorder */
	size_t last_events;                  /* the first event of the last -e */
	bool freq_max;                       /* -F max */
	bool branch_any, branch_filter;      /* -b, -j */
	bool list_user_regs, list_intr_regs; /* --user-regs=?, -I? */
	bool latency;
	bool debuginfod;
	bool quiet;
	int verbose;
	const char *delay_said; /* the argument of -D */
	struct {
		const char *branches, *clock, *user_regs, *intr_regs;
	} said; /* arguments of options that may be given only once; NULL: not given */
};

/* --- record_options.c: one function per option that needs more than a table row --- */
int pfx_record_opt_events(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_pfm(void *options, const char *arg, bool unset, struct pfx_error *err);
/* For options whose second argument would replace the first: -EINVAL if *@said is another argument.
 * @word NULL clears it. */
int pfx_record_once(const char **said, const char *word, const char *option, struct pfx_error *err);
int pfx_record_opt_freq(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_ring(void *options, const char *arg, bool unset, struct pfx_error *err);
/* Defaults and the configuration, before the options. */
int pfx_record_configure(struct pfx_record_options *o, struct pfx_error *err);

/* --- record_sample_options.c: options about the contents of a sample --- */
int pfx_record_opt_callgraph(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_branch_any(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_branch_filter(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_user_regs(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_intr_regs(void *options, const char *arg, bool unset, struct pfx_error *err);
/* The names of clocks, for completion. */
void pfx_record_add_clocks(struct pfx_str *to);
int pfx_record_opt_clockid(void *options, const char *arg, bool unset, struct pfx_error *err);
/* Print the registers for "?" on standard output; false if no option requested them. */
bool pfx_record_list_regs(const struct pfx_record_options *o);

/* --- record_bound.c: options that belong to the events before them --- */
int pfx_record_opt_filter(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_exclude_perf(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_cgroup(void *options, const char *arg, bool unset, struct pfx_error *err);
void pfx_record_bounds_fini(struct pfx_recorder_options *o);

/* --- record_output_options.c: options about the output, and about switching on and off --- */
int pfx_record_opt_level(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_max_size(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_switch(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_switch_event(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_delay(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_control(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_realtime(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_flush(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_synth(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_affinity(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_aio(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_threads(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_on_full(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_debuginfod(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_thresh(void *options, const char *arg, bool unset, struct pfx_error *err);

/* --- record_trace_options.c: -S and --aux-sample --- */
int pfx_record_opt_snapshot(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_aux_sample(void *options, const char *arg, bool unset, struct pfx_error *err);

/* --- record_news.c --- */
/* Print news of the kinds up to PFX_RECORDER_WAITS, in the name of @command. */
void pfx_record_print_before(const char *command, const struct pfx_record_options *o,
			     const struct pfx_recorder_news *news);

#endif
