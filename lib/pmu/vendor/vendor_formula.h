/* SPDX-License-Identifier: MIT */
/* Formulas of a CPU's metrics, with the formulas of the metrics that they use. */
#ifndef PFX_PMU_VENDOR_FORMULA_H
#define PFX_PMU_VENDOR_FORMULA_H

#include "base/arena.h"
#include "base/error.h"
#include "pmu/metric/metric.h"
#include "pmu/vendor/vendor.h"

struct pfx_vendor_formula {
	const struct pfx_vendor_cpu_row *cpu;
	const char *pmu;         /* metrics of these cores come first; "" for any */
	unsigned part;           /* the chip or core for each '?' */
	struct pfx_arena *arena; /* texts of the table; grows with each metric that is used */
};

/* Parse the formula of a metric or its threshold, and expand the names of other metrics. The caller
 * frees *@ret. Errors as of pfx_metric_parse() and pfx_metric_expand(). */
int pfx_vendor_formula(const struct pfx_vendor_formula *how, const char *text,
		       struct pfx_metric **ret, struct pfx_error *err);

#endif
