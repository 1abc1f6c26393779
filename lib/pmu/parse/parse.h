/* SPDX-License-Identifier: MIT */
/*
 * The words of `-e` to attrs. A hand-written recursive-descent parser on tokens that keep their
 * column, so that an error can show the text, a caret and near names. The list owns all it holds;
 * words and roots are borrowed during the call.
 */
#ifndef PFX_PMU_PARSE_H
#define PFX_PMU_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "event/attr.h"
#include "event/sampling.h"
#include "pmu/sensor/sensor.h"
#include "pmu/sysfs/roots.h"

/* What terms say about sampling one event; zero where they say nothing. */
struct pfx_event_sampling {
	bool has_callgraph; /* call-graph= */
	enum pfx_callgraph_mode callgraph;
	uint32_t stack_bytes; /* stack-size=, a multiple of 8; 0: not said */
	uint16_t max_frames;  /* max-stack=; 0: not said */
	uint64_t branch_type; /* branch_type=; 0: not said */
	/* Above 0: yes, below: no. */
	signed char time, inherit, overwrite;
	bool aux_output;
	bool has_aux_sample_size; /* aux-sample-size= */
	uint32_t aux_sample_size;
	uint32_t aux_action; /* aux-action=, bits of the attr; 0: not said */
	bool counting_only;  /* percore, nr: they are about counts, samples are the same */
	bool percore;        /* counts of the threads of a core are shown as one */
};

enum pfx_probe_kind {
	PFX_PROBE_NONE,
	PFX_PROBE_USER,   /* a place in a program or library */
	PFX_PROBE_KERNEL, /* a place in the kernel */
};

/* A place in code, as uprobe: and kprobe: name it. Who opens the event turns the function into an
 * address: the parser does not read symbols. */
struct pfx_probe {
	enum pfx_probe_kind kind;
	bool is_return; /* when the function returns */
	char *path;     /* USER: of the file, as typed */
	char *function; /* NULL: `offset` is one in the file, or an address in the kernel */
	uint64_t offset;
	char *tracepoint; /* of who opens it: "sys:event" when it was made one */
};

/* One event as the user named it. */
struct pfx_event_spec {
	/* type, size, config*, exclude_*, precise, pinned, exclusive, bp_*; of sampling only the
	 * period or frequency. EXCLUDE_GUEST is set while nothing was said. */
	struct pfx_attr attr;
	uint64_t config_said; /* bits of attr.config that terms were about */
	char *name;           /* as typed; "sys:event" of a tracepoint */
	char *bare_name;      /* of one of several kinds of cores: without the kind; else NULL */
	bool precise_max;     /* modifier P, precise_ip is 3: lower it until the kernel takes it */
	bool has_period, has_freq;  /* a term set them in attr.sample_period */
	bool is_rate_proposed;      /* by the named event, not by the user: options win */
	bool exclude_guest_default; /* EXCLUDE_GUEST is set only because nothing was said */
	bool has_guest_modifier;    /* G or H was given */
	uint32_t group;   /* 0: none; events of a group have the same number, the first leads */
	char *group_name; /* of the leader of a named group, else NULL */
	bool is_leader_sampling, is_weak;
	bool is_as_written; /* modifier X: its group is not cut by PMUs */
	bool is_latency;    /* modifier R: the mean latency of retirement in place of the count */
	char *pmu;          /* the PMU's name where one was named, else NULL */
	char *cpus;         /* the CPUs that the PMU counts on, "0-3"; NULL: any */
	bool has_cpu_term;  /* `cpus` was asked for: the event counts nowhere else */
	/* Of the named event of a PMU, from sysfs or the vendor's table: a count times `scale` is
	 * in `unit`, "Joules". 1.0 and NULL where nothing is said: a plain count. */
	double scale;
	char *unit;
	bool is_per_package; /* every CPU of a package counts the same: one of them is enough */
	/* ratio-to-prev=: its period to that of the event before it in the group, which has its
	 * period set where this one has one. 0: not said. */
	double ratio_to_prev;
	char *metric_id; /* metric-id=: what formulas of metrics call it; NULL: not said */
	struct pfx_event_sampling sampling;
	struct pfx_probe probe;     /* the attr's type is then that of the PMU for probes */
	struct pfx_reading reading; /* of a sensor: the number is read there, nothing counts */
};

/* Free what the spec owns, not the spec. */
void pfx_event_spec_fini(struct pfx_event_spec *spec);

struct pfx_event_list {
	PFX_VEC(struct pfx_event_spec) specs;
	uint32_t nr_groups;
};

/* What is measured without a counter, "duration_time"; NULL at the end. Where nothing is sampled
 * they are names of events, also as "tool/duration_time/". */
extern const char *const pfx_tool_names[];
/* The place in that list of what an event of this name and attr measures, -1: it counts. */
int pfx_tool_find(const char *name, const struct pfx_attr *attr);

/* Parse one `-e` argument and append its events. On an error nothing is appended; the text names
 * the word, the hint has the words, a line with a caret below them, and near names. */
int pfx_events_parse(struct pfx_event_list *list, const char *words,
		     const struct pfx_pmu_roots *roots, struct pfx_error *err);
void pfx_event_list_fini(struct pfx_event_list *list);
/* The period of the event before one that has this period and ratio_to_prev. */
uint64_t pfx_ratio_period(uint64_t period, double ratio);

#endif
