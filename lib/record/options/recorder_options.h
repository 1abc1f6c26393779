/* SPDX-License-Identifier: MIT */
/*
 * The options of a recorder, parsed and checked elsewhere. Zero records the whole system with the
 * default event. The recorder borrows everything until it is freed.
 */
#ifndef PFX_RECORD_RECORDER_OPTIONS_H
#define PFX_RECORD_RECORDER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "event/sampling.h"
#include "pmu/parse/parse.h"

#define PFX_RECORDER_DEFAULT_FREQ 4000
/* The queues' memory can be limited to some of this many shares. */
#define PFX_RECORDER_SHARES_MAX 4

struct pfx_fetch_watch;

/* Options of one event. The strings belong to the caller, made with malloc(). */
struct pfx_recorder_bound {
	char *filter;       /* expressions, joined by AND; NULL: none */
	bool excludes_self; /* exclude records of the recorder itself; part of `filter` */
	bool has_cgroup;    /* a name was given, possibly empty */
	char *cgroup;       /* NULL: all tasks */
};

/* A time range with enabled events, in ms from the start. */
struct pfx_recorder_range {
	uint64_t from, to; /* UINT64_MAX: to the end */
};

/* Traces that a PMU writes into AUX areas. */
struct pfx_recorder_trace_options {
	uint64_t bytes;          /* of an area; 0: by permission */
	bool snapshot;           /* only the newest bytes, on demand */
	bool snapshot_at_end;    /* and at the end */
	uint64_t snapshot_bytes; /* 0: the whole area */
	uint64_t sample_bytes;   /* bytes of the trace in each sample; 0: none */
};

/* Where the records go, and when. */
struct pfx_recorder_output_options {
	const char *path;  /* "-": standard output; NULL: that if it is a pipe, else perf.data */
	int level;         /* of compression, 0: none */
	uint64_t max_size; /* bytes, 0: unlimited */
	bool timestamp_filename, timestamp_boundary;
	bool switches;                             /* several files */
	bool switch_on_signal;                     /* SIGUSR2 */
	uint64_t switch_bytes, switch_ms;          /* 0: not by size, not by time */
	uint64_t switch_max_files;                 /* 0: keep all */
	struct pfx_event_list switch_events;       /* at each occurrence of one of them */
	bool delayed;                              /* events are disabled at the start */
	PFX_VEC(struct pfx_recorder_range) ranges; /* ascending; none: only by commands */
	const char *control;                       /* value of --control, checked; NULL: none */
	uint64_t priority; /* real-time, of the thread that reads the ring buffers; 0: none */
	bool no_buffering;
	uint64_t flush_bytes;   /* bytes that wake it; 0: a quarter of the ring buffer */
	bool overwrite;         /* ring buffers keep the newest records until they are dumped */
	bool tail_synthesize;   /* write running tasks at the end of a file, not at its start */
	uint64_t synth_threads; /* number of threads that read /proc; 0: by CPUs */
	bool no_synth_tasks, no_synth_maps, no_synth_cgroups; /* data not to read there */
	uint64_t map_timeout_ms;                              /* 0: the default */
	bool kcore;           /* a directory, with a copy of the kernel's code */
	const char *threads;  /* a directory, with a thread for each of these CPU sets; NULL: no */
	const char *affinity; /* CPUs of the threads that read ring buffers; NULL: any */
	uint64_t shares;      /* of the queues' memory, up to PFX_RECORDER_SHARES_MAX; 0: all */
	bool off_cpu;         /* record off-CPU time as events */
	uint64_t thresh_ms;   /* longer sleeps are separate samples */
	bool on_full_stop;    /* if the output cannot be written any more, end the workload, too */
};

struct pfx_recorder_options {
	/* Target and events. */
	char **command;                            /* command line of the workload, NULL: none */
	int argc;                                  /* the whole command line, for the header */
	char **argv;                               /* without the name of the program */
	struct pfx_event_list events;              /* empty: the default event */
	PFX_VEC(struct pfx_recorder_bound) bounds; /* by event; events past the end have none */
	bool one_group;
	bool all_cpus, per_thread;
	const char *cpus, *pids, *tids, *user; /* lists as given */
	bool all_user, all_kernel;
	bool no_inherit, inherit_said;
	/* Rate. */
	uint64_t freq, period; /* 0: not given */
	bool strict_freq, no_samples;
	/* Content of samples. */
	struct pfx_stack_options callgraph;
	bool kernel_callchains, user_callchains;
	uint64_t branch_type;
	uint64_t user_regs, intr_regs;
	bool use_clockid;
	int32_t clockid;
	uint64_t clock_res_ns;
	bool timestamp, timestamp_said;
	bool period_field, period_said;
	bool data, stat, raw;
	bool data_mmap, mem_info, phys_data, data_page_size, code_page_size;
	bool weight, transaction, sample_cpu, identifier, running_time;
	/* Other records. */
	bool switch_events, namespaces, all_cgroups, no_bpf_event;
	/* Build IDs, and copies of the binaries. */
	bool no_buildid, buildid_all, buildid_mmap;
	bool no_copies;
	const char *copies_dir;              /* NULL: the default */
	const struct pfx_fetch_watch *fetch; /* also fetch debug files; NULL: no */

	uint64_t ring_bytes; /* 0: by permission */
	bool dry_run;        /* only check whether recording is possible, and write nothing */
	struct pfx_recorder_trace_options trace;
	struct pfx_recorder_output_options out;
};

#endif
