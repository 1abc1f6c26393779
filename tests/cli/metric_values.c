/* SPDX-License-Identifier: MIT */
/*
 * The value of every metric and threshold of every CPU on made-up counts, for a test that compares
 * them with its own evaluation: lines of arch, directory, PMU, name, value, threshold. The count of
 * an event depends on its name alone (FNV-1a).
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/vendor/vendor_formula.h"
#include "pmu/vendor/vendor_table.h"

#define CPUID "GenuineIntel-6-55-7"

static double count_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)tolower((unsigned char)*name)) * 16777619u;
	return 1 + hash % 100000;
}

static bool value_of(void *context, size_t id, double *ret)
{
	*ret = count_of(pfx_metric_id(context, id));
	return true;
}

static const struct pfx_metric_machine machine = {
	.smt_on = true,
	.core_wide = false,
	.num_cpus = 64,
	.num_cpus_online = 48,
	.num_cores = 24,
	.num_dies = 2,
	.num_packages = 2,
	.tsc_hz = 2.5e9,
	.slots = 8,
	.has_pmem = true,
	.of_cpus = true,
	.cpuid = CPUID,
};

static void print_value(const struct pfx_vendor_formula *how, const char *text)
{
	struct pfx_metric *metric;
	struct pfx_error err = {0};
	double value;

	if (!*text) {
		printf("\t-");
		return;
	}
	if (pfx_vendor_formula(how, text, &metric, &err) < 0) {
		printf("\terror: %s", err.text);
		return;
	}
	if (pfx_metric_eval(metric, &machine, value_of, metric, &value))
		printf("\t%.17g", value);
	else
		printf("\tundefined");
	pfx_metric_free(metric);
}

int main(void)
{
	struct pfx_vendor_metric row;
	uint32_t c;
	size_t i;

	for (c = 0; c < pfx_vendor_nr_cpus; c++) {
		const struct pfx_vendor_cpu_row *cpu = &pfx_vendor_cpu_rows[c];
		const char *dir = pfx_vendor_cpu_dir(cpu);
		struct pfx_arena arena = {0};

		if (c && cpu[-1].first_metric == cpu->first_metric)
			continue;
		for (i = 0; i < pfx_vendor_nr_metrics(cpu); i++) {
			pfx_vendor_metric_at(cpu, i, &arena, &row);
			const struct pfx_vendor_formula how = {cpu, row.pmu, 0, &arena};

			printf("%s\t%s\t%s", dir, row.pmu, row.name);
			print_value(&how, row.expr);
			print_value(&how, row.threshold);
			putchar('\n');
		}
		pfx_arena_clear(&arena);
	}
	return 0;
}
