/* SPDX-License-Identifier: MIT */
/*
 * The roots of the machine that pfx runs on, for pmu/parse/parse.h and pmu/catalog.h: whose vendor
 * events count, and which cores of a hybrid machine. Owns all that its roots refer to; may not be
 * moved while they are in use.
 */
#ifndef PFX_PMU_MACHINE_H
#define PFX_PMU_MACHINE_H

#include "base/error.h"
#include "pmu/sysfs/roots.h"

struct pfx_vendor_dir;

struct pfx_pmu_machine {
	struct pfx_pmu_roots roots;
	char cpuid[128], core_pmu[64];
	struct pfx_vendor_dir *dir; /* NULL: the table's events */
};

/* Fill in whose vendor events there are: those of @cpuid ("GenuineIntel-6-55-4"), of this CPU with
 * NULL. roots.cpuid stays NULL where this CPU is not known. */
void pfx_pmu_machine_cpu(struct pfx_pmu_machine *machine, const char *cpuid);
/* Read the vendor events of that CPU from a directory; see pfx_vendor_dir_read(). Nothing is done
 * where the CPU is not known. */
int pfx_pmu_machine_dir(struct pfx_pmu_machine *machine, const char *dir, struct pfx_error *err);
/* From now on bare names mean this kind of core of a hybrid machine only, "core" or "atom".
 * -EINVAL: the machine has no such cores. */
int pfx_pmu_machine_cores(struct pfx_pmu_machine *machine, const char *type, struct pfx_error *err);
void pfx_pmu_machine_fini(struct pfx_pmu_machine *machine);

#endif
