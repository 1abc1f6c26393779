/* SPDX-License-Identifier: MIT */
/* Vendor events and metrics of one CPU from a directory. */
#ifndef PFX_PMU_VENDOR_DIR_H
#define PFX_PMU_VENDOR_DIR_H

#include "base/error.h"
#include "pmu/vendor/vendor.h"

/* Owns the rows. */
struct pfx_vendor_dir;

/* Read the events of the CPU @cpuid from a directory in the kernel's layout of pmu-events or in
 * that of the perfmon files of Intel, and add rows that only the built-in table has. Returns how
 * many objects and lines with mistakes were left out; then @err names the first with its file and
 * line. ENODATA: the directory does not have the CPU; ENOTSUP: built without json-c. */
int pfx_vendor_dir_read(struct pfx_vendor_dir **ret, const char *dir, const char *arch,
			const char *cpuid, struct pfx_error *err);
/* The rows, for look-ups; valid until the directory is freed. */
const struct pfx_vendor_cpu_row *pfx_vendor_dir_cpu(const struct pfx_vendor_dir *dir);
void pfx_vendor_dir_free(struct pfx_vendor_dir *dir);

#endif
