/* SPDX-License-Identifier: MIT */
/* Looks up the metrics in a formula, and replaces the '?' of powerpc's counters of each chip. */
#include "pmu/vendor/vendor_formula.h"

#include <string.h>

#include "base/str.h"

/* The metric of this name for the same cores, else any of the name; -1: none. */
static long find_metric(const struct pfx_vendor_formula *how, const char *name)
{
	long first = pfx_vendor_find_metric(how->cpu, name), at;

	for (at = first; at >= 0; at = pfx_vendor_next_metric(how->cpu, at))
		if (!strcmp(pfx_vendor_metric_pmu(how->cpu, (size_t)at), how->pmu))
			return at;
	return first;
}

static int parse_formula(const struct pfx_vendor_formula *how, const char *text,
			 struct pfx_metric **ret, struct pfx_error *err)
{
	struct pfx_str numbered = {0};
	int rc;

	for (; *text; text++) {
		if (*text == '?')
			pfx_str_addf(&numbered, "%u", how->part);
		else
			pfx_str_addc(&numbered, *text);
	}
	rc = pfx_metric_parse(ret, pfx_str_get(&numbered), err);
	pfx_str_fini(&numbered);
	return rc;
}

static int formula_of(void *context, const char *id, struct pfx_metric **ret, struct pfx_error *err)
{
	const struct pfx_vendor_formula *how = context;
	struct pfx_vendor_metric row;
	long at = find_metric(how, id);
	int rc;

	if (at < 0)
		return 0;
	pfx_vendor_metric_at(how->cpu, (size_t)at, how->arena, &row);
	rc = parse_formula(how, row.expr, ret, err);
	return rc < 0 ? rc : 1;
}

int pfx_vendor_formula(const struct pfx_vendor_formula *how, const char *text,
		       struct pfx_metric **ret, struct pfx_error *err)
{
	struct pfx_vendor_formula context = *how;
	int rc = parse_formula(how, text, ret, err);

	if (rc < 0)
		return rc;
	rc = pfx_metric_expand(*ret, formula_of, &context, err);
	if (rc < 0) {
		pfx_metric_free(*ret);
		*ret = NULL;
	}
	return rc;
}
