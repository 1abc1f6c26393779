/* SPDX-License-Identifier: MIT */
/*
 * Looks up events in the rows of a CPU: a range of the generated table, or rows in memory. The
 * caller selects the CPU.
 */
#include "pmu/vendor/vendor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arch/arch.h"
#include "base/bisect.h"
#include "base/pattern/pattern.h"
#include "pmu/vendor/vendor_internal.h"
#include "pmu/vendor/vendor_table.h"
#include "pmu/vendor/vendor_text.h"

#define PATTERN_MAX 512 /* bytes of a regular expression in a mapfile */

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

/* Whether the characters before the first special one are those of @cpuid: compiling the
 * expressions of all CPUs would take a millisecond. */
static bool may_fit(const char *pattern, const char *cpuid)
{
	size_t len;

	pattern += *pattern == '^';
	len = strcspn(pattern, "()[]{}*+?.^$|\\");
	if (pattern[len] == '|')
		return true;
	if (len && strchr("{*+?", pattern[len]) && pattern[len])
		len--;
	return !strncmp(pattern, cpuid, len);
}

bool pfx_vendor_fits(const char *pattern, const char *cpuid)
{
	const char *dash = strrchr(cpuid, '-');
	regmatch_t match;
	regex_t regex;
	bool fit;

	if (!*pattern || !may_fit(pattern, cpuid) || strlen(pattern) > PATTERN_MAX ||
	    !pfx_pattern_compile(&regex, pattern, 0, NULL, 0))
		return false;
	fit = !regexec(&regex, cpuid, 1, &match, 0) && !match.rm_so &&
	      (!cpuid[match.rm_eo] || (dash && dash == cpuid + match.rm_eo));
	regfree(&regex);
	return fit;
}

bool pfx_vendor_is_pattern(const char *pattern)
{
	regex_t regex;

	if (!*pattern || strlen(pattern) > PATTERN_MAX ||
	    !pfx_pattern_compile(&regex, pattern, REG_NOSUB, NULL, 0))
		return false;
	regfree(&regex);
	return true;
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

const char *pfx_vendor_cpu_dir(const struct pfx_vendor_cpu_row *cpu)
{
	return cpu->read ? "" : text_at(cpu->dir);
}

bool pfx_vendor_counters(const struct pfx_vendor_cpu_row *cpu, const char *pmu,
			 unsigned *ret_generic, unsigned *ret_fixed)
{
	const char *at = cpu->read ? cpu->read->counters : text_at(cpu->counters);
	size_t len = strlen(pmu);

	/* "=4,3;cpu_atom=8,3" */
	for (; at; at = strchr(at, ';'), at += at != NULL) {
		if (!strncmp(at, pmu, len) && at[len] == '=' &&
		    sscanf(at + len, "=%u,%u", ret_generic, ret_fixed) == 2)
			return true;
	}
	return false;
}

size_t pfx_vendor_nr_events(const struct pfx_vendor_cpu_row *cpu)
{
	return cpu->read ? cpu->read->events.nr : cpu->nr_events;
}

size_t pfx_vendor_nr_metrics(const struct pfx_vendor_cpu_row *cpu)
{
	return cpu->read ? cpu->read->metrics.nr : cpu->nr_metrics;
}

static uint32_t row_at(size_t i)
{
	const unsigned char *at = pfx_vendor_index + 3 * i;

	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
}

static const struct pfx_vendor_event_kind *event_kind(uint32_t row)
{
	return &pfx_vendor_event_kinds[pfx_vendor_event_row_kinds[row]];
}

void pfx_vendor_event_at(const struct pfx_vendor_cpu_row *cpu, size_t i, struct pfx_arena *arena,
			 struct pfx_vendor_event *ret)
{
	const struct pfx_vendor_event_row *row;
	const struct pfx_vendor_event_kind *kind;
	uint32_t at;

	if (cpu->read) {
		*ret = cpu->read->events.at[i];
		return;
	}
	at = row_at(cpu->first_event + i);
	row = &pfx_vendor_event_rows[at];
	kind = event_kind(at);
	*ret = (struct pfx_vendor_event){
		.name = pfx_vendor_text(row->name, arena),
		.pmu = text_at(kind->pmu),
		.terms = pfx_vendor_text(row->terms, arena),
		.text = pfx_vendor_text(row->text, arena),
		.details = pfx_vendor_text_after(row->text, arena),
		.topic = text_at(kind->topic),
		.scale_unit = text_at(kind->scale_unit),
		.compat = text_at(kind->compat),
		.counters = text_at(kind->counters),
		.latency = text_at(kind->latency),
		.is_deprecated = kind->flags & PFX_VENDOR_DEPRECATED,
		.is_per_package = kind->flags & PFX_VENDOR_PER_PACKAGE,
		.is_experimental = kind->flags & PFX_VENDOR_EXPERIMENTAL,
	};
}

const char *pfx_vendor_event_pmu(const struct pfx_vendor_cpu_row *cpu, size_t i)
{
	return cpu->read ? cpu->read->events.at[i].pmu
			 : text_at(event_kind(row_at(cpu->first_event + i))->pmu);
}

void pfx_vendor_metric_at(const struct pfx_vendor_cpu_row *cpu, size_t i, struct pfx_arena *arena,
			  struct pfx_vendor_metric *ret)
{
	const struct pfx_vendor_metric_row *row;
	const struct pfx_vendor_metric_kind *kind;
	uint32_t at;

	if (cpu->read) {
		*ret = cpu->read->metrics.at[i];
		return;
	}
	at = row_at(cpu->first_metric + i);
	row = &pfx_vendor_metric_rows[at];
	kind = &pfx_vendor_metric_kinds[pfx_vendor_metric_row_kinds[at]];
	*ret = (struct pfx_vendor_metric){
		.name = pfx_vendor_text(row->name, arena),
		.pmu = text_at(kind->pmu),
		.expr = pfx_vendor_text(row->expr, arena),
		.threshold = pfx_vendor_text(row->threshold, arena),
		.groups = text_at(kind->groups),
		.constraint = text_at(kind->constraint),
		.no_group = text_at(kind->no_group),
		.default_group = text_at(kind->default_group),
		.text = pfx_vendor_text(row->text, arena),
		.details = pfx_vendor_text_after(row->text, arena),
		.topic = text_at(kind->topic),
		.scale_unit = text_at(kind->scale_unit),
		.compat = text_at(kind->compat),
	};
}

const char *pfx_vendor_metric_pmu(const struct pfx_vendor_cpu_row *cpu, size_t i)
{
	if (cpu->read)
		return cpu->read->metrics.at[i].pmu;
	return text_at(
		pfx_vendor_metric_kinds[pfx_vendor_metric_row_kinds[row_at(cpu->first_metric + i)]]
			.pmu);
}

/* The order of the name of row @i and @name. */
static int compare_at(const struct pfx_vendor_cpu_row *cpu, size_t i, const char *name,
		      bool metrics)
{
	const struct pfx_vendor_rows *read = cpu->read;
	uint32_t at;

	if (read)
		return strcasecmp(metrics ? read->metrics.at[i].name : read->events.at[i].name,
				  name);
	at = row_at(i + (metrics ? cpu->first_metric : cpu->first_event));
	return pfx_vendor_text_compare(
		metrics ? pfx_vendor_metric_rows[at].name : pfx_vendor_event_rows[at].name, name);
}

/* The index of the first of @nr rows named @name, by binary search; -1 if none. */
static long find(const struct pfx_vendor_cpu_row *cpu, const char *name, size_t nr, bool metrics)
{
	size_t at = pfx_bisect(i, nr, compare_at(cpu, i, name, metrics) < 0);

	return at < nr && !compare_at(cpu, at, name, metrics) ? (long)at : -1;
}

long pfx_vendor_find_event(const struct pfx_vendor_cpu_row *cpu, const char *name)
{
	return find(cpu, name, pfx_vendor_nr_events(cpu), false);
}

long pfx_vendor_find_metric(const struct pfx_vendor_cpu_row *cpu, const char *name)
{
	return find(cpu, name, pfx_vendor_nr_metrics(cpu), true);
}

/* Equal names are stored once, but metrics may differ in case. */
static bool is_same(uint32_t a, uint32_t b)
{
	struct pfx_arena arena = {0};
	bool same = a == b || !pfx_vendor_text_compare(a, pfx_vendor_text(b, &arena));

	pfx_arena_clear(&arena);
	return same;
}

long pfx_vendor_next_event(const struct pfx_vendor_cpu_row *cpu, long i)
{
	size_t at = (size_t)i, nr = pfx_vendor_nr_events(cpu);

	if (at + 1 >= nr)
		return -1;
	if (cpu->read)
		return strcasecmp(cpu->read->events.at[at].name, cpu->read->events.at[at + 1].name)
			       ? -1
			       : i + 1;
	at += cpu->first_event;
	return is_same(pfx_vendor_event_rows[row_at(at)].name,
		       pfx_vendor_event_rows[row_at(at + 1)].name)
		       ? i + 1
		       : -1;
}

long pfx_vendor_next_metric(const struct pfx_vendor_cpu_row *cpu, long i)
{
	size_t at = (size_t)i, nr = pfx_vendor_nr_metrics(cpu);

	if (at + 1 >= nr)
		return -1;
	if (cpu->read)
		return strcasecmp(cpu->read->metrics.at[at].name,
				  cpu->read->metrics.at[at + 1].name)
			       ? -1
			       : i + 1;
	at += cpu->first_metric;
	return is_same(pfx_vendor_metric_rows[row_at(at)].name,
		       pfx_vendor_metric_rows[row_at(at + 1)].name)
		       ? i + 1
		       : -1;
}

const char *pfx_vendor_group_text(const char *name, size_t len)
{
	const struct pfx_vendor_group *groups = pfx_vendor_groups;
	size_t at = pfx_bisect(i, pfx_vendor_nr_groups,
			       strncmp(text_at(groups[i].name), name, len) < 0);

	if (at >= pfx_vendor_nr_groups || strncmp(text_at(groups[at].name), name, len) != 0 ||
	    text_at(groups[at].name)[len])
		return "";
	return text_at(groups[at].text);
}

bool pfx_vendor_is_general(const struct pfx_vendor_cpu_row *cpu)
{
	static const char *const general[] = {"intel-arch", "amd-arch", "zhaoxin-arch",
					      "armv8-arch", "sbi"};
	size_t i;

	for (i = 0; i < sizeof(general) / sizeof(general[0]); i++)
		if (!strcmp(pfx_vendor_cpu_dir(cpu), general[i]))
			return true;
	return false;
}
