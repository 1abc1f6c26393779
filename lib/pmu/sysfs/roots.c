/* SPDX-License-Identifier: MIT */
/* Selects the vendor events of the roots. */
#include "pmu/sysfs/roots.h"

#include "pmu/vendor/vendor.h"

const struct pfx_vendor_cpu_row *pfx_pmu_vendor(const struct pfx_pmu_roots *roots)
{
	if (!roots || roots->vendor || !roots->cpuid)
		return roots ? roots->vendor : NULL;
	return pfx_vendor_find_cpu(NULL, roots->cpuid);
}
