/* SPDX-License-Identifier: MIT */
/*
 * Parses the argument of `-e` to attrs. A hand-written recursive-descent parser on tokens that keep
 * their column, so that an error can show the text, a caret and near names. The list owns its
 * memory; words and roots are borrowed during the call.
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

/* Sampling terms of one event; zero if not given. */
struct pfx_event_sampling {
	bool has_callgraph; /* call-graph= */
	enum pfx_callgraph_mode callgraph;
	uint32_t stack_bytes; /* stack-size=, a multiple of 8; 0: not given */
	uint16_t max_frames;  /* max-stack=; 0: not given */
	uint64_t branch_type; /* branch_type=; 0: not given */
	/* Positive: on, negative: off. */
	signed char time, inherit, overwrite;
	bool aux_output;
	bool has_aux_sample_size; /* aux-sample-size= */
	uint32_t aux_sample_size;
	uint32_t aux_action; /* aux-action=, bits of the attr; 0: not given */
	bool counting_only;  /* percore, nr: affect counts, not samples */
	bool percore;        /* counts of the threads of a core are shown as one */
};

enum pfx_probe_kind {
	PFX_PROBE_NONE,
	PFX_PROBE_USER,   /* a uprobe, in a program or library */
	PFX_PROBE_KERNEL, /* a kprobe, in the kernel */
};

/* A place in code (uprobe:, kprobe:). The caller resolves the function to an address: the parser
 * does not read symbols. */
struct pfx_probe {
	enum pfx_probe_kind kind;
	bool is_return; /* when the function returns */
	char *path;     /* USER: the file, as given */
	char *function; /* NULL: `offset` is an offset in the file, or a kernel address */
	uint64_t offset;
	char *tracepoint; /* set by the caller: "sys:event" if it was created as a tracepoint */
};

/* One event of the argument. */
struct pfx_event_spec {
	/* type, size, config*, exclude_*, precise, pinned, exclusive, bp_*; for sampling only the
	 * period or frequency. EXCLUDE_GUEST is the default. */
	struct pfx_attr attr;
	uint64_t config_said; /* bits of attr.config that terms have set */
	char *name;           /* as given; for tracepoints "sys:event" */
	char *bare_name;      /* on hybrid machines the name without the core type; else NULL */
	bool precise_max; /* modifier P, precise_ip is 3: lower it until the kernel accepts it */
	bool has_period, has_freq; /* terms have set attr.sample_period */
	bool is_rate_proposed; /* set by the named event, not by the user: options override it */
	bool exclude_guest_default; /* EXCLUDE_GUEST is only a default */
	bool has_guest_modifier;    /* G or H was given */
	uint32_t group; /* 0: none; events of a group have the same number, the first is the leader
			 */
	char *group_name; /* of the leader of a named group, else NULL */
	bool is_leader_sampling, is_weak;
	bool is_as_written; /* modifier X: its group is not split by PMUs */
	bool is_latency;    /* modifier R: show the mean retirement latency instead of the count */
	char *pmu;          /* the PMU's name if it was given, else NULL */
	char *cpus;         /* the CPUs of the PMU, "0-3"; NULL: any */
	bool has_cpu_term;  /* `cpus` was given: count only there */
	/* Of the named event of a PMU, from sysfs or the vendor's table: the count times `scale`
	 * has the unit `unit`, "Joules". 1.0 and NULL: a plain count. */
	double scale;
	char *unit;
	bool is_per_package; /* all CPUs of a package have the same count: one of them is sufficient
			      */
	double latency; /* of a named event: mean cycles until retirement by the vendor's table; 0:
			   unknown */
	/* ratio-to-prev=: ratio of its period to that of the previous event in the group, whose
	 * period is set from it. 0: not given. */
	double ratio_to_prev;
	char *metric_id; /* metric-id=: its name in metric formulas; NULL: not given */
	struct pfx_event_sampling sampling;
	struct pfx_probe probe;     /* then attr.type is the type of the probe PMU */
	struct pfx_reading reading; /* for sensors: the source of the number; nothing is counted */
};

/* Free the members of the spec. */
void pfx_event_spec_fini(struct pfx_event_spec *spec);

struct pfx_event_list {
	PFX_VEC(struct pfx_event_spec) specs;
	uint32_t nr_groups;
};

/* Events that are measured without a counter, "duration_time"; ends with NULL. When counting, they
 * are valid event names, also as "tool/duration_time/". */
extern const char *const pfx_tool_names[];
/* The index in that list for an event of this name and attr, -1: a counter. */
int pfx_tool_find(const char *name, const struct pfx_attr *attr);

/* Parse one `-e` argument and append its events. On an error nothing is appended; the text contains
 * the bad word, the hint the argument, a line with a caret below, and similar names. */
int pfx_events_parse(struct pfx_event_list *list, const char *words,
		     const struct pfx_pmu_roots *roots, struct pfx_error *err);
void pfx_event_list_fini(struct pfx_event_list *list);
/* The period of the previous event for one with this period and ratio_to_prev. */
uint64_t pfx_ratio_period(uint64_t period, double ratio);

#endif
