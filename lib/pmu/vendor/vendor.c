/* SPDX-License-Identifier: MIT */
/*
 * Looks up events in the rows of a CPU: a range of the generated table, or rows in memory. The
 * caller selects the CPU.
 */
#include "pmu/vendor/vendor.h"

#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arch/arch.h"
#include "base/bisect.h"
#include "pmu/vendor/vendor_internal.h"
#include "pmu/vendor/vendor_table.h"

#define PATTERN_MAX 512  /* bytes of a regular expression in a mapfile */
#define REPEAT_MAX  4096 /* product of all its repetitions */

static const char *text_at(uint32_t offset)
{
	return pfx_vendor_strings + offset;
}

bool pfx_vendor_cpuid(const char *arch, const char *cpuid, char *out, size_t size)
{
	char vendor[32];
	unsigned family, model, stepping;
	char *end;
	uint64_t midr;

	if (!strcmp(arch, "x86")) {
		if (sscanf(cpuid, "%31[^,],%u,%u,%u", vendor, &family, &model, &stepping) != 4)
			return false;
		snprintf(out, size, "%s-%u-%X-%X", vendor, family, model, stepping);
		return true;
	}
	if (!strcmp(arch, "arm64")) {
		midr = strtoull(cpuid, &end, 0);
		if (end == cpuid || *end)
			return false;
		/* Bits 20 to 23 are the variant, 0 to 3 the revision. */
		snprintf(out, size, "0x%016" PRIx64, midr & ~(uint64_t)0xf0000f);
		return true;
	}
	snprintf(out, size, "%s", cpuid);
	return *cpuid != '\0';
}

const char *pfx_vendor_arch(const char *machine)
{
	const struct pfx_arch *arch = pfx_arch_find(machine);

	return arch && arch->events ? arch->events : machine;
}

/* Whether an expression is cheap to compile: nested repetitions multiply in the C library. */
static bool is_modest(const char *pattern)
{
	unsigned long all = 1, times;
	const char *at = pattern;
	char *end;

	if (strlen(pattern) > PATTERN_MAX)
		return false;
	while ((at = strpbrk(at, "{+"))) {
		times = *at == '+' ? 2 : strtoul(at + 1, &end, 10);
		if (*at == '{' && *end == ',')
			times = times > strtoul(end + 1, NULL, 10) ? times
								   : strtoul(end + 1, NULL, 10);
		if (times > REPEAT_MAX || (times > 1 && (all *= times) > REPEAT_MAX))
			return false;
		at++;
	}
	return true;
}

bool pfx_vendor_fits(const char *pattern, const char *cpuid)
{
	const char *dash = strrchr(cpuid, '-');
	regmatch_t match;
	regex_t regex;
	bool fit;

	if (!*pattern || !is_modest(pattern) || regcomp(&regex, pattern, REG_EXTENDED))
		return false;
	fit = !regexec(&regex, cpuid, 1, &match, 0) && !match.rm_so &&
	      (!cpuid[match.rm_eo] || (dash && dash == cpuid + match.rm_eo));
	regfree(&regex);
	return fit;
}

const struct pfx_vendor_cpu_row *pfx_vendor_find_cpu(const char *arch, const char *cpuid)
{
	for (uint32_t i = 0; i < pfx_vendor_nr_cpus; i++) {
		const struct pfx_vendor_cpu_row *cpu = &pfx_vendor_cpu_rows[i];

		if (arch && strcmp(arch, text_at(cpu->arch)))
			continue;
		if (pfx_vendor_fits(text_at(cpu->cpuid), cpuid))
			return cpu;
	}
	return NULL;
}

size_t pfx_vendor_nr_events(const struct pfx_vendor_cpu_row *cpu)
{
	return cpu->read ? cpu->read->events.nr : cpu->nr_events;
}

size_t pfx_vendor_nr_metrics(const struct pfx_vendor_cpu_row *cpu)
{
	return cpu->read ? cpu->read->metrics.nr : cpu->nr_metrics;
}

static const struct pfx_vendor_event_row *event_row(const struct pfx_vendor_cpu_row *cpu, size_t i)
{
	return &pfx_vendor_event_rows[pfx_vendor_index[cpu->first_event + i]];
}

static const struct pfx_vendor_metric_row *metric_row(const struct pfx_vendor_cpu_row *cpu,
						      size_t i)
{
	return &pfx_vendor_metric_rows[pfx_vendor_index[cpu->first_metric + i]];
}

void pfx_vendor_event_at(const struct pfx_vendor_cpu_row *cpu, size_t i,
			 struct pfx_vendor_event *ret)
{
	const struct pfx_vendor_rows *read = cpu->read;
	const struct pfx_vendor_event_row *row;

	if (read) {
		*ret = read->events.at[i];
		return;
	}
	row = event_row(cpu, i);
	ret->name = text_at(row->name);
	ret->pmu = text_at(row->pmu);
	ret->terms = text_at(row->terms);
	ret->text = text_at(row->text);
	ret->details = text_at(row->details);
	ret->topic = text_at(row->topic);
	ret->scale_unit = text_at(row->scale_unit);
	ret->compat = text_at(row->compat);
	ret->is_deprecated = row->flags & PFX_VENDOR_DEPRECATED;
	ret->is_per_package = row->flags & PFX_VENDOR_PER_PACKAGE;
}

void pfx_vendor_metric_at(const struct pfx_vendor_cpu_row *cpu, size_t i,
			  struct pfx_vendor_metric *ret)
{
	const struct pfx_vendor_rows *read = cpu->read;
	const struct pfx_vendor_metric_row *row;

	if (read) {
		*ret = read->metrics.at[i];
		return;
	}
	row = metric_row(cpu, i);
	ret->name = text_at(row->name);
	ret->pmu = text_at(row->pmu);
	ret->expr = text_at(row->expr);
	ret->threshold = text_at(row->threshold);
	ret->groups = text_at(row->group);
	ret->constraint = text_at(row->constraint);
	ret->text = text_at(row->text);
	ret->details = text_at(row->details);
	ret->topic = text_at(row->topic);
	ret->scale_unit = text_at(row->scale_unit);
	ret->compat = text_at(row->compat);
}

static const char *name_at(const struct pfx_vendor_cpu_row *cpu, size_t i, bool metrics)
{
	const struct pfx_vendor_rows *read = cpu->read;

	if (read)
		return metrics ? read->metrics.at[i].name : read->events.at[i].name;
	return text_at(metrics ? metric_row(cpu, i)->name : event_row(cpu, i)->name);
}

/* The index of the first of @nr rows named @name, by binary search; -1 if none. */
static long find(const struct pfx_vendor_cpu_row *cpu, const char *name, size_t nr, bool metrics)
{
	size_t at = pfx_bisect(i, nr, strcasecmp(name_at(cpu, i, metrics), name) < 0);

	return at < nr && !strcasecmp(name_at(cpu, at, metrics), name) ? (long)at : -1;
}

long pfx_vendor_find_event(const struct pfx_vendor_cpu_row *cpu, const char *name)
{
	return find(cpu, name, pfx_vendor_nr_events(cpu), false);
}

long pfx_vendor_find_metric(const struct pfx_vendor_cpu_row *cpu, const char *name)
{
	return find(cpu, name, pfx_vendor_nr_metrics(cpu), true);
}
