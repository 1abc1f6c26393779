/* SPDX-License-Identifier: MIT */
/*
 * The roots of the machine that pfx runs on, for pmu/parse/parse.h and pmu/catalog.h: the CPU for
 * vendor events, and the core type on a hybrid machine. Owns the data that its roots refer to; must
 * not be moved while they are in use.
 */
#ifndef PFX_PMU_MACHINE_H
#define PFX_PMU_MACHINE_H

#include "base/error.h"
#include "pmu/sysfs/roots.h"

struct pfx_vendor_dir;

struct pfx_pmu_machine {
	struct pfx_pmu_roots roots;
	char cpuid[128], core_pmu[64];
	struct pfx_vendor_dir *dir; /* NULL: the built-in events */
};

/* Select the vendor events of @cpuid ("GenuineIntel-6-55-4"), or with NULL of this CPU. roots.cpuid
 * stays NULL if this CPU is unknown. */
void pfx_pmu_machine_cpu(struct pfx_pmu_machine *machine, const char *cpuid);
/* Read the vendor events of that CPU from a directory; see pfx_vendor_dir_read(). No effect if the
 * CPU is unknown. */
int pfx_pmu_machine_dir(struct pfx_pmu_machine *machine, const char *dir, struct pfx_error *err);
/* Restrict bare names to this core type of a hybrid machine, "core" or "atom". -EINVAL: the machine
 * has no such cores. */
int pfx_pmu_machine_cores(struct pfx_pmu_machine *machine, const char *type, struct pfx_error *err);
void pfx_pmu_machine_fini(struct pfx_pmu_machine *machine);

#endif
