/* SPDX-License-Identifier: MIT */
/* The mount point of tracefs. */
#ifndef PFX_PMU_TRACEFS_H
#define PFX_PMU_TRACEFS_H

#include "base/error.h"
#include "pmu/sysfs/roots.h"

/* The directory of tracefs; mounts it if necessary and permitted; otherwise NULL and an error.
 * Static memory. */
const char *pfx_tracefs(const struct pfx_pmu_roots *roots, struct pfx_error *err);
/* The current directory of tracefs, or NULL: does not mount, sets no error. */
const char *pfx_tracefs_now(const struct pfx_pmu_roots *roots);
/* The error message for an unreadable file of tracefs. */
int pfx_tracefs_fail(struct pfx_error *err, int code, const char *path);

#endif
