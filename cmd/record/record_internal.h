/* SPDX-License-Identifier: MIT */
/* What the files of `pfx record` share: the options, and the recording in progress. */
#ifndef PFX_CMD_RECORD_INTERNAL_H
#define PFX_CMD_RECORD_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/str.h"
#include "cmd/record/record_aux.h"
#include "cmd/record/record_output.h"
#include "event/meta.h"
#include "pmu/parse/parse.h"
#include "record/file/map_ids.h"
#include "record/file/rescue.h"
#include "record/output/drain.h"
#include "record/sink/sink.h"
#include "sys/counter/counter.h"
#include "sys/counter/probe_guard.h"
#include "sys/counter/ring.h"
#include "sys/counter/watch.h"
#include "sys/host/perm.h"
#include "sys/target/signals.h"
#include "sys/target/target.h"
#include "sys/target/workload.h"

#define PFX_RECORD_DEFAULT_FREQ   4000
#define PFX_RECORD_DEFAULT_OUTPUT "perf.data"

/* Exit codes, as perf's. */
#define PFX_RECORD_FAILED    255
#define PFX_RECORD_NO_TARGET 244 /* a process or thread that is not there */

/* What --filter, --exclude-perf and -G attach to an event that -e named. */
struct pfx_record_bound {
	char *filter;       /* expressions, joined by AND; NULL: none */
	bool excludes_self; /* --exclude-perf */
	bool has_cgroup;    /* a name was given, if only an empty one */
	char *cgroup;       /* NULL: everywhere */
};

struct pfx_record_options {
	struct pfx_event_list events;            /* -e; empty: the default event */
	PFX_VEC(struct pfx_record_bound) bounds; /* by event; events behind the end have none */
	size_t last_events;                      /* the first one of the last -e */
	bool one_group;                          /* --group */
	bool all_cpus, per_thread;
	const char *cpus, *pids, *tids, *user; /* lists as typed */
	uint64_t freq, period;                 /* 0: not given */
	bool freq_max;                         /* -F max */
	bool strict_freq, no_samples;
	struct pfx_stack_options callgraph;
	bool kernel_callchains, user_callchains;
	uint64_t branch_type;
	bool branch_any, branch_filter; /* -b, -j */
	uint64_t user_regs, intr_regs;
	bool list_user_regs, list_intr_regs; /* "?" */
	bool use_clockid;
	int32_t clockid;
	uint64_t clock_res_ns;
	const char *output;
	uint64_t ring_bytes; /* 0: by permission */
	bool quiet;
	int verbose;
	bool no_buildid, no_buildid_cache, buildid_all, buildid_mmap, debuginfod;
	bool no_inherit, inherit_said;
	bool timestamp, timestamp_said;
	bool period_field, period_said; /* -P, --no-period */
	bool data, stat, raw;
	bool data_mmap, mem_info, phys_data, data_page_size, code_page_size;
	bool weight, transaction, sample_cpu, identifier, running_time;
	bool switch_events, namespaces, all_cgroups, no_bpf_event;
	bool all_user, all_kernel;
	bool dry_run;
	struct {
		const char *branches, *clock, *user_regs, *intr_regs;
	} said; /* words of options that may not be given twice; NULL: not given */
	struct pfx_record_aux_options aux;
	struct pfx_record_output_options output_side;
};

/* A recording. Zero is none; pfx_recorder_fini() frees all. */
struct pfx_recorder {
	const struct pfx_record_options *options;
	char **command; /* the workload's words, NULL: none */
	char *path;     /* where it was found */
	const char *output;
	char *followed;     /* the same, when its links were followed */
	bool is_stdout;     /* the output is a stream on our standard output */
	bool shares_stdout; /* it is the file that our standard output is */
	bool is_pipe;       /* a stream, there or elsewhere */
	bool is_system_wide;
	struct pfx_perm perm;
	struct pfx_target target;
	struct pfx_counters counters;
	struct pfx_workload workload;
	struct pfx_rings rings;
	struct pfx_record_aux aux;
	struct pfx_watch watch;
	struct pfx_meta *meta;
	struct pfx_sink sink; /* the output's threads' while it records */
	struct pfx_buffer scratch;
	int reserve_fd;             /* a nameless file that keeps room for the features; 0: none */
	struct pfx_map_ids map_ids; /* of files that are mapped, for --buildid-mmap */
	char *keep_dir;             /* where copies of binaries are kept; NULL: nowhere */
	bool said_no_copies;        /* that they cannot be kept */
	size_t ring_bytes;
	struct pfx_signals signals;
	struct pfx_drain drain;
	struct pfx_record_output out;
	struct pfx_record_control control;
	struct pfx_record_trigger trigger;
	struct pfx_rescue rescue;
	int stop_signal;    /* SIGINT, SIGTERM, SIGHUP that ended it; 0: none */
	bool from_terminal; /* the signal came from a key: the workload has it too */
	bool is_ending;     /* nothing more is recorded, what was is written */
	bool is_gone;       /* others took the output away */
	bool reader_gone;   /* the pipe was closed: the exit code is not 0 */
	int start_code;     /* exit code when it could not start; 0: PFX_RECORD_FAILED */
	bool failed;        /* an error was printed: the exit code says so */
};

/* --- record_options.c: one function per option that needs more than a table row --- */
int pfx_record_opt_events(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_pfm(void *options, const char *arg, bool unset, struct pfx_error *err);
/* For options whose second word would undo the first: -EINVAL when *@said is another one. @word
 * NULL takes it back. */
int pfx_record_once(const char **said, const char *word, const char *option, struct pfx_error *err);
int pfx_record_opt_freq(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_ring(void *options, const char *arg, bool unset, struct pfx_error *err);
/* Defaults and the configuration, before the options. */
int pfx_record_configure(struct pfx_record_options *o, struct pfx_error *err);

/* --- record_sample_options.c: options about what is in a sample --- */
int pfx_record_opt_callgraph(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_branch_any(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_branch_filter(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_user_regs(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_intr_regs(void *options, const char *arg, bool unset, struct pfx_error *err);
/* The names of clocks, for completion. */
void pfx_record_add_clocks(struct pfx_str *to);
int pfx_record_opt_clockid(void *options, const char *arg, bool unset, struct pfx_error *err);
/* What "?" asked for, on standard output; false when nothing did. */
bool pfx_record_list_regs(const struct pfx_record_options *o);

/* --- record_bound.c: options that belong to the events before them --- */
int pfx_record_opt_filter(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_exclude_perf(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_cgroup(void *options, const char *arg, bool unset, struct pfx_error *err);
/* Hand filters and cgroups over to the counters, which are in the order of the events. */
int pfx_record_bind(struct pfx_recorder *rec, struct pfx_error *err);
/* Once all our threads run: complete what --exclude-perf began. */
int pfx_record_exclude_self(struct pfx_recorder *rec, struct pfx_error *err);
/* Add the fields of the tracepoint to the hint when its filter was refused. */
void pfx_record_explain_filter(const struct pfx_recorder *rec, struct pfx_error *err);
void pfx_record_bounds_fini(struct pfx_record_options *o);

/* --- record_probe.c: uprobe: and kprobe: --- */
/* Turn names of functions into places, and those that must be tracepoints into such. */
int pfx_record_probes(struct pfx_record_options *o, struct pfx_probes *placed,
		      struct pfx_error *err);
/* What the counter of a probe needs to know. */
void pfx_record_probe_counter(const struct pfx_event_spec *spec, struct pfx_counter *counter);

/* --- record_target.c: what is recorded --- */
int pfx_record_target(struct pfx_recorder *rec, struct pfx_error *err);

/* --- record_events.c: from options to counters and meta --- */
int pfx_record_events(struct pfx_recorder *rec, struct pfx_error *err);
/* Once the counters are open: events, ids, groups, tracing data and the machine into the meta. */
int pfx_record_describe(struct pfx_recorder *rec, int argc, char **argv, struct pfx_error *err);

/* Whether any event counts in the kernel. */
bool pfx_record_wants_kernel(const struct pfx_recorder *rec);
/* BPF programs into the meta, if they may be hit: at the start, and at the end those that came. */
void pfx_record_describe_bpf(struct pfx_recorder *rec);

/* --- record_counters.c: counters and their rings --- */
int pfx_record_open_counters(struct pfx_recorder *rec, struct pfx_error *err);
/* On standard error: what is other than was asked for; with -v all of it. */
void pfx_record_say_opened(const struct pfx_recorder *rec);

/* --- record_head.c: the beginning of a file --- */
/* Open an output and write what runs already; @again: another file of the same recording. */
int pfx_record_begin_file(struct pfx_recorder *rec, bool again, struct pfx_error *err);
/* With --tail-synthesize, at the end of a file: what runs by then. */
int pfx_record_put_tail(struct pfx_recorder *rec, struct pfx_error *err);

/* --- record_start.c: everything before the first sample, in its order --- */
int pfx_record_start(struct pfx_recorder *rec, int argc, char **argv, struct pfx_error *err);
void pfx_recorder_fini(struct pfx_recorder *rec);

/* --- record_loop.c: from the first sample to the end --- */
int pfx_record_loop(struct pfx_recorder *rec, struct pfx_error *err);

/* --- record_finish.c: features, summary, exit code --- */
int pfx_record_finish(struct pfx_recorder *rec, struct pfx_error *err);
/* Into the writer what only the end of a file knows, and end it. */
int pfx_record_end_file(struct pfx_recorder *rec, struct pfx_error *err);
void pfx_record_summary(struct pfx_recorder *rec);
/* Wait for the workload, and be its exit code or its signal. */
int pfx_record_exit(struct pfx_recorder *rec);

/* --- record_buildid.c: build ids of the binaries that samples hit --- */
void pfx_record_build_ids(struct pfx_recorder *rec);

/* --- record_jit.c: what JIT compilers wrote about their code --- */
/* Keep the perf maps and jitdumps of processes whose own memory samples hit in the build-id cache,
 * and name them in the table of build ids, which has room for pfx_record_jit_max() of them. */
void pfx_record_jit(struct pfx_recorder *rec);
size_t pfx_record_jit_max(const struct pfx_recorder *rec);

#endif
