/* SPDX-License-Identifier: MIT */
/*
 * The default config of tracing PMUs: Intel PT is useless with a config of 0. The hardware's
 * options are in its caps.
 */
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "pmu/parse/parse_internal.h"

#define PREFERRED 3 /* preferred periods of PSB (2^14 bytes) and MTC packets */

static uint64_t capability(const struct pfx_pmu *pmu, const char *name)
{
	char path[512], line[64];
	uint64_t value = 0;

	snprintf(path, sizeof(path), "%s/caps/%s", pmu->dir, name);
	if (pfx_read_line(path, line, sizeof(line)) < 0)
		return 0;
	pfx_token_hex(line, strspn(line, "0123456789abcdefABCDEF"), &value);
	return value;
}

/* The preferred value if @choices has its bit, else the highest below, else the lowest above. */
static unsigned choose(uint64_t choices)
{
	uint64_t below = choices & ((2ull << PREFERRED) - 1);

	if (below)
		return 63 - (unsigned)__builtin_clzll(below);
	return choices ? (unsigned)__builtin_ctzll(choices) : 0;
}

static void set(struct pfx_pmu_set *pmus, struct pfx_pmu *pmu, const char *term, uint64_t value,
		struct pfx_attr *attr)
{
	const struct pfx_pmu_format *format = pfx_pmu_find_format(pmus, pmu, term);

	if (format && format->word == 0)
		attr->config |= pfx_pmu_scatter(value, format->mask);
}

static void set_intel_pt(struct pfx_pmu_set *pmus, struct pfx_pmu *pmu, struct pfx_attr *attr)
{
	set(pmus, pmu, "tsc", 1, attr);
	if (capability(pmu, "mtc")) {
		set(pmus, pmu, "mtc", 1, attr);
		set(pmus, pmu, "mtc_period", choose(capability(pmu, "mtc_periods")), attr);
	}
	if (capability(pmu, "psb_cyc"))
		set(pmus, pmu, "psb_period", choose(capability(pmu, "psb_periods")), attr);
	if (!pfx_pmu_find_format(pmus, pmu, "pt") || !pfx_pmu_find_format(pmus, pmu, "branch"))
		return;
	set(pmus, pmu, "pt", 1, attr);
	set(pmus, pmu, "branch", 1, attr);
}

void pfx_pmu_default_config(struct pfx_pmu_set *pmus, struct pfx_pmu *pmu, struct pfx_attr *attr)
{
	if (strcmp(pmu->name, "intel_pt") == 0)
		set_intel_pt(pmus, pmu, attr);
}
