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
};

/* One event as the user named it. */
struct pfx_event_spec {
	/* type, size, config*, exclude_*, precise, pinned, exclusive, bp_*; of sampling only the
	 * period or frequency. EXCLUDE_GUEST is set while nothing was said. */
	struct pfx_attr attr;
	char *name;       /* as typed; "sys:event" of a tracepoint */
	bool precise_max; /* modifier P, precise_ip is 3: lower it until the kernel takes it */
	bool has_period, has_freq;  /* a term set them in attr.sample_period */
	bool exclude_guest_default; /* EXCLUDE_GUEST is set only because nothing was said */
	bool has_guest_modifier;    /* G or H was given */
	uint32_t group;   /* 0: none; events of a group have the same number, the first leads */
	char *group_name; /* of the leader of a named group, else NULL */
	bool is_leader_sampling, is_weak;
	char *pmu;  /* the PMU's name where one was named, else NULL */
	char *cpus; /* the CPUs that the PMU counts on, "0-3"; NULL: any */
	struct pfx_event_sampling sampling;
};

struct pfx_event_list {
	PFX_VEC(struct pfx_event_spec) specs;
	uint32_t nr_groups;
};

/* Where to look things up; NULL members mean the machine's own places. Tests replace them. */
struct pfx_pmu_roots {
	const char *sysfs;   /* "/sys" */
	const char *tracefs; /* "/sys/kernel/tracing", found by itself when NULL */
};

/* Parse one `-e` argument and append its events. On an error nothing is appended; the text names
 * the word, the hint has the words, a line with a caret below them, and near names. */
int pfx_events_parse(struct pfx_event_list *list, const char *words,
		     const struct pfx_pmu_roots *roots, struct pfx_error *err);
void pfx_event_list_fini(struct pfx_event_list *list);

/* The directory of tracefs, mounting it when it is not and we may; NULL and a sentence otherwise.
 * Static memory. */
const char *pfx_tracefs(const struct pfx_pmu_roots *roots, struct pfx_error *err);

#endif
