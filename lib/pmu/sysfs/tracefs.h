/* SPDX-License-Identifier: MIT */
/* Where tracefs is mounted. */
#ifndef PFX_PMU_TRACEFS_H
#define PFX_PMU_TRACEFS_H

#include "base/error.h"
#include "pmu/sysfs/roots.h"

/* The directory of tracefs, mounting it when it is not and we may; NULL and a sentence otherwise.
 * Static memory. */
const char *pfx_tracefs(const struct pfx_pmu_roots *roots, struct pfx_error *err);
/* Where tracefs is now, or NULL: nothing is mounted and no error told. */
const char *pfx_tracefs_now(const struct pfx_pmu_roots *roots);
/* The sentence for a file of tracefs that cannot be read. */
int pfx_tracefs_fail(struct pfx_error *err, int code, const char *path);

#endif
