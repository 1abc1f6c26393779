/* SPDX-License-Identifier: MIT */
/*
 * Vendor events and metrics by name: those of the table that is made from pmu-events when pfx is
 * built, or read from a directory (pmu/vendor/vendor_dir.h). A name is found by binary search,
 * which allocates nothing. Texts of an event live as long as the arena of the call that returned
 * it, or as the directory that was read.
 */
#ifndef PFX_PMU_VENDOR_H
#define PFX_PMU_VENDOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* One event. Texts are never NULL; missing ones are "". */
struct pfx_vendor_event {
	const char *name;           /* in small letters */
	const char *pmu;            /* "" for the PMU of the core */
	const char *terms;          /* the terms, "event=0x3c,umask=0x1" */
	const char *text, *details; /* one-line and long description */
	const char *topic;          /* the name of its source file, "virtual memory" */
	const char *scale_unit;     /* "64Bytes": a factor and the unit of the product */
	const char *compat;         /* for devices outside of the CPU: regular expression for their
				       identifiers */
	const char *counters;       /* "0,1": the only counters that can count it; "": any */
	const char *latency;        /* mean cycles until retirement, "19.0"; "": unknown */
	bool is_deprecated, is_per_package, is_experimental;
};

/* One metric: a formula over events. */
struct pfx_vendor_metric {
	const char *name, *pmu, *expr, *threshold;
	const char *groups;     /* separated by ';' */
	const char *constraint; /* if its events cannot be counted as a group: "NO_GROUP_EVENTS" */
	const char *no_group;   /* groups of metrics that count its events apart, "TopdownL2" */
	const char *default_group; /* the heading in the output without -M, "TopdownL1" */
	const char *text, *details, *topic, *scale_unit, *compat;
};

/* The events of one CPU; opaque; static, or read from a directory. */
struct pfx_vendor_cpu_row;

/* The CPU's identifier in the table: "GenuineIntel-6-55-7" for the header's "GenuineIntel,6,85,7",
 * the MIDR of arm64 without variant and revision, others unchanged. False if @cpuid is not valid.
 */
bool pfx_vendor_cpuid(const char *arch, const char *cpuid, char *out, size_t size);

/* The CPU whose expression matches all of @cpuid, or all except the stepping after its last dash;
 * the first in the order of the mapfile. @arch is a directory of pmu-events ("x86", "arm64"), NULL
 * for any. NULL if none matches. */
const struct pfx_vendor_cpu_row *pfx_vendor_find_cpu(const char *arch, const char *cpuid);
/* The directory of pmu-events for machines of this name (as in uname). */
const char *pfx_vendor_arch(const char *machine);

/* Whether an expression of a mapfile matches a CPU. */
bool pfx_vendor_fits(const char *pattern, const char *cpuid);
/* Whether the text is such an expression, and cheap to compile. */
bool pfx_vendor_is_pattern(const char *pattern);

/* The directory of the CPU in pmu-events, "intel/skylake"; "" for events that were read. */
const char *pfx_vendor_cpu_dir(const struct pfx_vendor_cpu_row *cpu);
/* Whether it has only the events of an architecture: nobody added this CPU. */
bool pfx_vendor_is_general(const struct pfx_vendor_cpu_row *cpu);
/* The counters of a PMU by the vendor's table, "" for the core: false if it says nothing. */
bool pfx_vendor_counters(const struct pfx_vendor_cpu_row *cpu, const char *pmu,
			 unsigned *ret_generic, unsigned *ret_fixed);

/* The number of events of the CPU, including its uncore PMUs. */
size_t pfx_vendor_nr_events(const struct pfx_vendor_cpu_row *cpu);
/* The event with index @i, in the order of names. */
void pfx_vendor_event_at(const struct pfx_vendor_cpu_row *cpu, size_t i, struct pfx_arena *arena,
			 struct pfx_vendor_event *ret);
/* The PMU of the event with index @i, without an arena. */
const char *pfx_vendor_event_pmu(const struct pfx_vendor_cpu_row *cpu, size_t i);
/* The index of the first event of this name, ignoring case, or -1. Events of the same name for
 * other PMUs follow it. */
long pfx_vendor_find_event(const struct pfx_vendor_cpu_row *cpu, const char *name);
/* The index after @i if that event has the same name, else -1. */
long pfx_vendor_next_event(const struct pfx_vendor_cpu_row *cpu, long i);

/* The same for metrics. */
size_t pfx_vendor_nr_metrics(const struct pfx_vendor_cpu_row *cpu);
void pfx_vendor_metric_at(const struct pfx_vendor_cpu_row *cpu, size_t i, struct pfx_arena *arena,
			  struct pfx_vendor_metric *ret);
const char *pfx_vendor_metric_pmu(const struct pfx_vendor_cpu_row *cpu, size_t i);
long pfx_vendor_find_metric(const struct pfx_vendor_cpu_row *cpu, const char *name);
/* What the metrics of a group are about, "" if that is not known; @len: of the name. */
const char *pfx_vendor_group_text(const char *name, size_t len);
long pfx_vendor_next_metric(const struct pfx_vendor_cpu_row *cpu, long i);

#endif
