/* SPDX-License-Identifier: MIT */
/*
 * The target, events and output of a recording: determined before the first sample from the
 * options, the permissions and the running system. It is constant during the recording, and all
 * threads read it. Counters and mappings are in struct pfx_record_source.
 */
#ifndef PFX_RECORD_PLAN_H
#define PFX_RECORD_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "event/meta.h"
#include "pmu/aux_info.h"
#include "record/options/recorder_news.h"
#include "record/options/recorder_options.h"
#include "record/plan/record_source.h"
#include "sys/host/perm.h"
#include "sys/target/target.h"

/* The output. */
struct pfx_record_place {
	const char *path;   /* "-": a stream on standard output */
	char *followed;     /* the same with links resolved */
	bool is_stdout;     /* the output is a stream on standard output */
	bool shares_stdout; /* the output is the file that is also standard output */
	bool is_pipe;       /* a stream, on standard output or elsewhere */
};

/* The event that writes a trace into AUX areas. */
struct pfx_record_trace {
	enum pfx_aux_kind kind; /* PFX_AUX_NONE: nothing traces */
	const char *pmu;
	bool keeps_newest;
	bool in_samples;   /* the trace is in samples: the areas are not read */
	unsigned switches; /* recording of context switches, see struct pfx_aux_facts */
	uint64_t bytes;    /* of an area */
};

/* Zero-initialize. Options and observer are borrowed, the rest is owned. */
struct pfx_record_plan {
	const struct pfx_recorder_options *options;
	const struct pfx_recorder_observer *observer;
	struct pfx_perm perm;
	bool is_system_wide;
	struct pfx_target target;
	struct pfx_record_place place;
	struct pfx_record_trace trace;
	enum pfx_recorder_blame blame; /* after an error */
};

/* --- plan_output.c --- */
/* Find the output; links of its name are followed. */
int pfx_record_plan_output(struct pfx_record_plan *plan, struct pfx_error *err);

/* --- plan_target.c --- */
/* Select CPUs and threads. Of conflicting options, threads have precedence, then a user, then
 * CPUs. */
int pfx_record_plan_target(struct pfx_record_plan *plan, struct pfx_error *err);

/* --- plan_events.c --- */
/* Make counters from the options; they are not opened yet. */
int pfx_record_plan_events(struct pfx_record_plan *plan, struct pfx_counters *counters,
			   struct pfx_error *err);

/* --- plan_bounds.c: filters and cgroups of single events --- */
/* Hand them over to the counters, which are in the order of the events. */
int pfx_record_plan_bounds(const struct pfx_record_plan *plan, struct pfx_counters *counters,
			   struct pfx_error *err);
/* When all threads of the recorder exist: exclude them from events with --exclude-perf. */
int pfx_record_exclude_self(const struct pfx_recorder_options *options,
			    struct pfx_counters *counters, struct pfx_error *err);

/* --- plan_trace.c: tracing events --- */
/* Move the tracing event to the front, put events that need it into its group, and check for
 * conflicts. Changes the events and bounds of the options. */
int pfx_record_arrange_trace(struct pfx_recorder_options *options, struct pfx_error *err);
/* Set the attrs of the tracing event and its group, and the sampling of all events. */
int pfx_record_plan_trace(struct pfx_record_plan *plan, struct pfx_counters *counters,
			  struct pfx_sampling *sampling, struct pfx_error *err);
/* Size of the ring buffers beside the AUX areas, unless the user chose it: both count against one
 * limit. */
size_t pfx_record_trace_ring_bytes(const struct pfx_record_plan *plan, size_t bytes);
/* Reduce the size of the areas; false if it is minimal, or chosen by the user. */
bool pfx_record_trace_shrink(struct pfx_record_plan *plan, struct pfx_counters *counters);

/* --- plan_trace_info.c --- */
/* AUXTRACE_INFO, for the first records of a file; nothing without a tracing event. */
int pfx_record_trace_describe(const struct pfx_record_plan *plan,
			      const struct pfx_record_source *source, struct pfx_buffer *to,
			      struct pfx_error *err);

/* --- plan_offcpu.c: off-CPU time --- */
/* Add its counter, before the attrs are set up; then correct its attr. */
void pfx_record_plan_offcpu(const struct pfx_recorder_options *options,
			    struct pfx_counters *counters);
void pfx_record_fit_offcpu(const struct pfx_recorder_options *options,
			   struct pfx_counters *counters);
/* Its counter, or NULL. */
struct pfx_counter *pfx_record_offcpu_counter(const struct pfx_counters *counters);
/* Change the attr of the counter to that of the event in the file. */
void pfx_record_describe_offcpu(const struct pfx_recorder_options *options,
				const struct pfx_counter *counter, struct pfx_attr *attr);

/* --- plan_counters.c --- */
/* Open the counters and map the ring buffers, as large as permitted. */
int pfx_record_open(struct pfx_record_plan *plan, struct pfx_record_source *source,
		    struct pfx_error *err);
/* Report the opened counters to the observer. */
void pfx_record_notify_opened(const struct pfx_record_plan *plan,
			      const struct pfx_record_source *source, const struct pfx_meta *meta);

/* --- plan_describe.c --- */
/* Call it after the counters are open: *@ret with events, ids, groups, tracing data and the
 * machine; owned by the caller, also after an error. */
int pfx_record_describe(const struct pfx_record_plan *plan, const struct pfx_counters *counters,
			struct pfx_meta **ret, struct pfx_error *err);
/* Whether any event counts in the kernel. */
bool pfx_record_wants_kernel(const struct pfx_counters *counters);
/* Add BPF programs to the meta, if samples may hit them: at the start, and at the end those loaded
 * since. */
void pfx_record_describe_bpf(const struct pfx_record_plan *plan,
			     const struct pfx_counters *counters, struct pfx_meta *meta);

/* Free everything except borrowed members. */
void pfx_record_plan_fini(struct pfx_record_plan *plan);

#endif
