/* SPDX-License-Identifier: MIT */
/*
 * All events of a machine, for listing and searching: symbolic events, the events of the PMUs in
 * sysfs, the vendor's table, tracepoints. Events are in the order of their kinds, and by name
 * within a kind, those of the cores first. The catalog owns all text.
 */
#ifndef PFX_PMU_CATALOG_H
#define PFX_PMU_CATALOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "pmu/sysfs/roots.h"

/* Bits, so that a set of kinds is one number. */
enum pfx_catalog_kind {
	PFX_CATALOG_HARDWARE = 1 << 0,
	PFX_CATALOG_SOFTWARE = 1 << 1,
	PFX_CATALOG_CACHE = 1 << 2,
	PFX_CATALOG_TOOL = 1 << 3,
	PFX_CATALOG_PMU = 1 << 4,    /* named by the kernel in sysfs */
	PFX_CATALOG_VENDOR = 1 << 5, /* from the vendor's table */
	PFX_CATALOG_FORM = 1 << 6,   /* a syntax instead of a name, "rNNN" */
	PFX_CATALOG_TRACEPOINT = 1 << 7,
	PFX_CATALOG_PROBE = 1 << 8, /* in programs (SDT); added by other code */
	PFX_CATALOG_METRIC = 1 << 9,
	PFX_CATALOG_SENSOR = 1 << 10, /* temperatures, voltages, graphics */
};
#define PFX_CATALOG_ALL 0x7ffu

/* NULL where not available. */
struct pfx_catalog_event {
	enum pfx_catalog_kind kind;
	const char *name;  /* as written after -e */
	const char *alias; /* another name of the event */
	const char *pmu;
	const char *terms;          /* the terms of the name, "event=0x3c" */
	const char *text, *details; /* one-line and long description */
	const char *topic;
	const char *scale_unit;                /* "64Bytes" */
	const char *groups, *expr, *threshold; /* of a metric; groups separated by ';' */
	const char *encoding;                  /* of a probe: its form for -e */
	const char *arguments;                 /* and its arguments, as written by the compiler */
	uint32_t type; /* of the attr: hardware, software and cache events */
	uint64_t config;
	unsigned place;       /* position in its source, for the order of tools and forms */
	const char *counters; /* "0,1": the only ones that can count it */
	const char *latency;  /* mean cycles from its begin to retirement */
	bool is_deprecated, is_per_package, is_experimental;
};

struct pfx_catalog {
	PFX_VEC(struct pfx_catalog_event) events;
	struct pfx_arena arena;
};

/* Read the events of @kinds. @any_cpu: the table of another CPU: also vendor events of PMUs that
 * this machine does not have, and not those of the machine's own PMUs, unless the roots have
 * another sysfs. Unreadable sources are skipped. */
void pfx_catalog_read(struct pfx_catalog *catalog, const struct pfx_pmu_roots *roots,
		      unsigned kinds, bool any_cpu);
void pfx_catalog_fini(struct pfx_catalog *catalog);

/* The longer of two names of a symbolic event, by which it is sorted. */
const char *pfx_catalog_first_name(const struct pfx_catalog_event *event);

/* How well @name matches the incomplete @word: 0 no match; higher is better. All letters must occur
 * in order, two in a row on average; consecutive letters and starts of words score higher. */
unsigned pfx_catalog_likeness(const char *name, const char *word);

#endif
