/* SPDX-License-Identifier: MIT */
/*
 * The generated table of vendor events (scripts/gen_pmu_events), as in the binary. It has no
 * pointers, so that the loader relocates nothing: texts are offsets. Names, terms, formulas and
 * descriptions are packed (pfx_vendor_packed[], pmu/vendor/vendor_text.h), texts of few different
 * values are plain (pfx_vendor_strings[]). A row that is the same for several CPUs is stored once:
 * rows are sorted by name, a CPU is two ranges of the index, each in the order of the rows.
 */
#ifndef PFX_PMU_VENDOR_TABLE_H
#define PFX_PMU_VENDOR_TABLE_H

#include <stdint.h>

#define PFX_VENDOR_DEPRECATED   1u
#define PFX_VENDOR_PER_PACKAGE  2u
#define PFX_VENDOR_EXPERIMENTAL 4u

/* Offsets of packed texts; after @text follows the long description. */
struct pfx_vendor_event_row {
	uint32_t name, terms, text;
};

/* Properties that many events have in common: offsets of plain texts. */
struct pfx_vendor_event_kind {
	uint32_t pmu, topic, scale_unit, compat, counters, latency;
	uint32_t flags;
};

struct pfx_vendor_metric_row {
	uint32_t name, expr, threshold, text;
};

struct pfx_vendor_metric_kind {
	uint32_t pmu, topic, scale_unit, compat, groups, constraint, no_group, default_group;
};

/* A group of metrics and what they are about, by name: plain texts. */
struct pfx_vendor_group {
	uint32_t name, text;
};

struct pfx_vendor_rows;

struct pfx_vendor_cpu_row {
	uint32_t arch, cpuid, dir, counters;
	uint32_t first_event, nr_events;
	uint32_t first_metric, nr_metrics;
	const struct pfx_vendor_rows *read; /* in memory, instead of the ranges; or NULL */
};

extern const char pfx_vendor_strings[];
extern const unsigned char pfx_vendor_packed[];
/* The dictionary of packed texts: an offset of pfx_vendor_word_bytes[] << 8 | length. */
extern const char pfx_vendor_word_bytes[];
extern const uint32_t pfx_vendor_words[];
extern const uint32_t pfx_vendor_nr_words;
extern const struct pfx_vendor_event_row pfx_vendor_event_rows[];
extern const uint16_t pfx_vendor_event_row_kinds[]; /* for each row its kind */
extern const struct pfx_vendor_event_kind pfx_vendor_event_kinds[];
extern const struct pfx_vendor_metric_row pfx_vendor_metric_rows[];
extern const uint16_t pfx_vendor_metric_row_kinds[];
extern const struct pfx_vendor_metric_kind pfx_vendor_metric_kinds[];
extern const struct pfx_vendor_group pfx_vendor_groups[];
extern const uint32_t pfx_vendor_nr_groups;
extern const unsigned char pfx_vendor_index[]; /* 3 bytes each, the lowest first */
extern const struct pfx_vendor_cpu_row pfx_vendor_cpu_rows[];
extern const uint32_t pfx_vendor_nr_cpus;
/* The size of the table in bytes. */
extern const uint32_t pfx_vendor_bytes;

#endif
