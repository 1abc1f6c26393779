/* SPDX-License-Identifier: MIT */
/* The sources for looking up event names, and the selected cores. All texts are borrowed. */
#ifndef PFX_PMU_ROOTS_H
#define PFX_PMU_ROOTS_H

#include <stdbool.h>

struct pfx_vendor_cpu_row;

/* NULL members mean the machine's own paths. Tests replace them. */
struct pfx_pmu_roots {
	const char *sysfs;   /* "/sys" */
	const char *tracefs; /* "/sys/kernel/tracing", searched for if NULL */
	/* The CPU for vendor events, see pfx_vendor_cpuid(); NULL: none. */
	const char *cpuid;
	/* "cpu_core": bare names mean this core type only; NULL: all types. */
	const char *core_pmu;
	bool counts_only; /* counting, not sampling: sampling terms are refused */
	const char *proc; /* "/proc" */
	/* The vendor events of `cpuid` from a directory; NULL: the built-in ones. */
	const struct pfx_vendor_cpu_row *vendor;
};

/* The selected vendor events; NULL: none. @roots may be NULL. */
const struct pfx_vendor_cpu_row *pfx_pmu_vendor(const struct pfx_pmu_roots *roots);

#endif
