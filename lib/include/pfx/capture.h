/* SPDX-License-Identifier: MIT */
/*
 * Recording: a command, processes, CPUs or the whole system, into a perf.data file or into the
 * program itself. The recorder runs in a child process, so that the caller's signals, threads and
 * children are left alone: fork() must be allowed.
 *
 *	struct pfx_capture_options options = PFX_INIT(struct pfx_capture_options);
 *	struct pfx_capture_result result = PFX_INIT(struct pfx_capture_result);
 *	char *const command[] = {"/bin/sleep", "1", NULL};
 *	struct pfx_capture *capture;
 *
 *	options.command = command;
 *	options.output = "perf.data";
 *	rc = pfx_capture_start(&capture, &options, &err);
 *	if (!rc)
 *		rc = pfx_capture_wait(capture, &result, &err);
 *	pfx_capture_free(capture);
 */
#ifndef PFX_CAPTURE_H
#define PFX_CAPTURE_H

#include <pfx/common.h>
#include <pfx/input.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pfx_capture;

/* Needed only during pfx_capture_start(). Without a target the whole system is recorded. */
struct pfx_capture_options {
	size_t size;
	char *const *command;    /* workload and its arguments, NULL-terminated; NULL: none */
	const char *pids, *tids; /* that run already, separated by commas */
	const char *user;        /* processes that this user runs now */
	const char *cpus;        /* only these, like 0,4-7 */
	bool all_cpus;
	const char *events; /* as after -e of `pfx record`; NULL: CPU time */
	uint64_t freq,
		period; /* samples per second, or a sample every n events; 0: 4000 a second */
	const char *call_graph; /* fp, fp,32, dwarf, dwarf,16384, lbr; NULL: no call chains */
	bool branches;          /* the last branches before each sample */
	bool data_addresses;    /* addresses and sources of data accesses */
	bool is_disabled;       /* until pfx_capture_control(capture, "enable") */
	bool no_inherit;        /* do not follow new threads and processes */
	/* A path; an existing file becomes PATH.old. NULL: the samples go to pfx_capture_input().
	 */
	const char *output;
	int compression;   /* of the file with zstd, 1 to 22; 0: none */
	uint64_t max_size; /* of the file, in bytes; 0: no limit */
	/* What else `pfx record` can do; zero and NULL: not. */
	const char *filter;        /* on fields of the tracepoints, which `events` has only then */
	const char *branch_filter; /* kinds of branches, like any_call,u: implies `branches` */
	const char *cgroup;        /* only tasks of this cgroup, below its mount point */
	bool has_clock;            /* times are of this clock: */
	int32_t clock;             /* as for clock_gettime() */
	uint64_t buffer_bytes;     /* bytes of each ring buffer; 0: as much as is allowed */
	bool one_group;            /* the events count together, or not at all */
	bool all_user, all_kernel; /* all events in user space only, in the kernel only */
	bool physical_addresses, weights, transactions; /* in samples, where the CPU has them */
	bool switches, namespaces, cgroups;             /* records of these */
	bool overwrite;       /* ring buffers keep the newest records until the end */
	bool trace_snapshots; /* of traces of programs (intel_pt//), keep the newest bytes until
				 "snapshot" */
	uint64_t trace_bytes; /* bytes of each area for traces; 0: as much as is allowed */
	/* Registers in samples, like ip,sp; "" all that there are: of user space, and at the
	 * interrupt of the event. */
	const char *user_regs, *intr_regs;
	bool user_callers, kernel_callers; /* only this part of call chains */
	bool data_mappings;                /* also mappings that are not executable */
	bool page_sizes;                   /* in samples, of the pages of code and of data */
	bool thread_counts;                /* counts of each thread when it exits */
	bool off_cpu;        /* also time off CPUs, as samples of the event offcpu-time */
	uint64_t off_cpu_ms; /* sleeps of at least this many ms have samples of their own; 0: 500 */
	bool per_thread;     /* ring buffers for threads, not for CPUs */
	bool strict_freq;    /* fail if the kernel does not allow `freq` */
	bool all_build_ids;  /* not only of binaries with samples */
	bool keep_binaries;  /* copies of them in ~/.debug, see pfx_use_environment() */
	bool kcore;          /* `output` is a directory, with a copy of the kernel's code */
	/* Several files: `output` with the time appended. The next one begins after this many
	 * bytes, after this many ms, when one of these events occurs, at the command "snapshot". */
	uint64_t switch_bytes, switch_ms;
	const char *switch_events;
	bool switch_on_snapshot;
	uint64_t switch_max_files; /* only the last ones are kept; 0: all */
	bool no_samples;           /* counts only */
	bool raw;           /* raw bytes in samples of every event, not only of tracepoints */
	bool data_sources;  /* where data came from, without its address */
	bool running_times; /* how long a group was counted, for groups that read (:S) */
	bool no_bpf;        /* no records of BPF programs */
	bool no_running_tasks, no_running_maps;   /* nothing, no mappings of running processes */
	bool no_build_ids, build_ids_in_mappings; /* in records of the kernel, not in a table */
	bool stop_when_full;  /* if nothing can be written any more, end the workload, too */
	uint64_t flush_bytes; /* bytes in a ring buffer that wake the recorder; 0: a quarter */
	uint64_t priority;    /* real-time, of the thread that reads ring buffers; 0: the lowest */
	uint64_t trace_snapshot;  /* bytes of a trace that "snapshot" keeps; 0: the whole area */
	uint64_t trace_in_sample; /* bytes of the trace in samples of its group; 0: none */
	/* When events are enabled: after so many ms, like 500, or in these ranges of ms, like
	 * 100-200,500-600. */
	const char *delay;
	bool trace_at_end;      /* `trace_snapshots` also at the end of the recording */
	const char *pfm_events; /* also these, by the names of libpfm4 */
	bool exclude_recorder;  /* no records of the recorder itself; for tracepoints */
	bool sample_identifiers, sample_cpus;      /* in samples of every event */
	bool sample_periods, no_periods, no_times; /* in samples: always, never */
	bool max_freq; /* as many samples per second as the kernel allows */
	bool latency;  /* context switches, for reports by latency; not with a whole system */
	/* `output` is a directory, with a file of each of the threads that read ring buffers. They
	 * run near their CPU: cpu, core, package, numa, or CPUs like 0-1/0:2-3/2. */
	const char *threads;
	const char *affinity;  /* cpu, node: ring buffers are read there, by one thread each */
	uint64_t write_shares; /* of memory for what waits to be written, 1 to 4, each 64 MiB; 0: as
				  much as is needed */
	bool no_buffering;     /* each record wakes the recorder */
	bool running_tasks_last;  /* at the end of the output, as with `overwrite` */
	uint64_t running_threads; /* that read running processes; 0: by CPUs */
	uint64_t running_map_ms;  /* time for the mappings of a process; 0: the default */
	bool no_running_cgroups;
	/* URLs of debuginfod servers: also fetch debug files of binaries, for `keep_binaries`.
	 * NULL: ask no server. */
	const char *debuginfod;
};

struct pfx_capture_result {
	size_t size;
	uint64_t nr_samples;
	uint64_t nr_lost; /* records and samples that the kernel could not deliver */
	uint64_t bytes;   /* written */
	bool has_status;  /* there was a workload, and it has ended */
	int status;       /* of the workload, as waitpid() gives it */
};

/* Start recording: 0 when samples can come, or a negative errno and @err, as `pfx record` says it:
 * an unknown event, no permission, a command that cannot be executed. The workload has the caller's
 * standard streams. The caller frees *@ret with pfx_capture_free(). */
PFX_API int pfx_capture_start(struct pfx_capture **ret, const struct pfx_capture_options *options,
			      struct pfx_error *err);
/* The records as they come, without `output`: read them with pfx_input_next() until it returns 0,
 * else the recording waits for the reader. Opened at the first call, which may wait for the first
 * records; @options may be NULL. 0, or a negative errno and @err: EINVAL with `output`, else those
 * of pfx_input_open(). Owned by the capture. */
PFX_API int pfx_capture_input(struct pfx_capture *capture, const struct pfx_input_options *options,
			      struct pfx_input **ret, struct pfx_error *err);
/* A command to the recorder, answered when it is done: "enable", "disable", "enable EVENT",
 * "disable EVENT", "snapshot", "ping". Records that wait for their reader are kept in memory until
 * the recorder has read the command. -EINVAL: unknown; -ENOENT: no event of that name is recorded;
 * -EPIPE: the recording has ended. */
PFX_API int pfx_capture_control(struct pfx_capture *capture, const char *command,
				struct pfx_error *err);
/* End the recording, and the workload with it. Returns at once. */
PFX_API void pfx_capture_stop(struct pfx_capture *capture);
/* Wait until the workload or the targets have ended, or the recording was stopped, and the output
 * is complete: 0, or a negative errno and @err if a part of it could not be written. The records of
 * pfx_capture_input() have to be read before. */
PFX_API int pfx_capture_wait(struct pfx_capture *capture, struct pfx_capture_result *ret,
			     struct pfx_error *err);
/* Stops and waits, if that was not done. Also frees the input. */
PFX_API void pfx_capture_free(struct pfx_capture *capture);

#ifdef __cplusplus
}
#endif

#endif
