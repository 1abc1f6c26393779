/* SPDX-License-Identifier: MIT */
/* Where event words are looked up, and for which cores. All texts are borrowed. */
#ifndef PFX_PMU_ROOTS_H
#define PFX_PMU_ROOTS_H

#include <stdbool.h>

struct pfx_vendor_cpu_row;

/* Where to look things up; NULL members mean the machine's own places. Tests replace them. */
struct pfx_pmu_roots {
	const char *sysfs;   /* "/sys" */
	const char *tracefs; /* "/sys/kernel/tracing", found by itself when NULL */
	/* Whose vendor events there are, see pfx_vendor_cpuid(); NULL: none. */
	const char *cpuid;
	/* "cpu_core": bare names mean this kind of core only; NULL: every kind. */
	const char *core_pmu;
	bool counts_only; /* nothing is sampled: terms about samples are refused */
	const char *proc; /* "/proc" */
	/* The vendor events of `cpuid` that were read from a directory; NULL: the table's. */
	const struct pfx_vendor_cpu_row *vendor;
};

/* Whose vendor events there are; NULL: none. @roots may be NULL. */
const struct pfx_vendor_cpu_row *pfx_pmu_vendor(const struct pfx_pmu_roots *roots);

#endif
