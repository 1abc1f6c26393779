/* SPDX-License-Identifier: MIT */
/*
 * The generated table of vendor events (scripts/gen_pmu_events), as in the binary: texts are
 * offsets into one block of strings, rows that are the same for several CPUs are stored once, a CPU
 * is two ranges of the index. Rows are sorted by name, and so is each range of the index.
 */
#ifndef PFX_PMU_VENDOR_TABLE_H
#define PFX_PMU_VENDOR_TABLE_H

#include <stdint.h>

#define PFX_VENDOR_DEPRECATED  1u
#define PFX_VENDOR_PER_PACKAGE 2u

struct pfx_vendor_event_row {
	uint32_t name, pmu, terms, text, details, topic, scale_unit, compat;
	uint32_t flags;
};

struct pfx_vendor_metric_row {
	uint32_t name, pmu, expr, threshold, group, constraint, text, details, topic, scale_unit,
		compat;
};

struct pfx_vendor_rows;

struct pfx_vendor_cpu_row {
	uint32_t arch, cpuid, dir;
	uint32_t first_event, nr_events;
	uint32_t first_metric, nr_metrics;
	const struct pfx_vendor_rows *read; /* in memory, instead of the ranges; or NULL */
};

extern const char pfx_vendor_strings[];
extern const struct pfx_vendor_event_row pfx_vendor_event_rows[];
extern const struct pfx_vendor_metric_row pfx_vendor_metric_rows[];
extern const uint32_t pfx_vendor_index[];
extern const struct pfx_vendor_cpu_row pfx_vendor_cpu_rows[];
extern const uint32_t pfx_vendor_nr_cpus;
/* The size of the table in bytes. */
extern const uint32_t pfx_vendor_bytes;

#endif
