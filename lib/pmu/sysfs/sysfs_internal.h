/* SPDX-License-Identifier: MIT */
/*
 * The PMUs of the machine as sysfs describes them, with the vendor's events: for the parser of -e
 * and the catalog. A set owns its texts and is read at first use.
 */
#ifndef PFX_PMU_SYSFS_INTERNAL_H
#define PFX_PMU_SYSFS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/dir_names.h"
#include "event/attr.h"

/* The word of the attr that a format fills. */
#define PFX_CONFIG_WORDS 5

struct pfx_pmu_format {
	const char *name;
	unsigned word;
	uint64_t mask; /* the bits of the word; filled from the lowest bit of the value up */
};

struct pfx_pmu {
	const char *name;
	const char *dir;
	const char *cpus; /* NULL: all */
	uint32_t type;
	bool is_core; /* a core PMU: bare names are expanded to it */
	bool formats_read, events_read;
	PFX_VEC(struct pfx_pmu_format) formats;
	PFX_VEC(const char *) events; /* names of the kernel's events */
};

struct pfx_vendor_cpu_row;
struct pfx_vendor_event;

struct pfx_pmu_set {
	struct pfx_arena arena;
	const struct pfx_vendor_cpu_row *vendor; /* NULL: no vendor events */
	PFX_VEC(struct pfx_pmu) pmus;            /* by type */
	bool is_read;
	unsigned nr_core;
};

/* The PMUs of the machine, read at the first call. */
struct pfx_pmu_set *pfx_pmu_set_get(struct pfx_pmu_set *set, const char *sysfs);
void pfx_pmu_set_fini(struct pfx_pmu_set *set);
/* Whether there are several core types, with minimal reading. */
bool pfx_pmu_is_hybrid(struct pfx_pmu_set *set, const char *sysfs);
/* "imc" and "uncore_imc" match "uncore_imc_0", "ddrc" matches "ddrc0", "pmcg" "pmcg_2b442"; globs
 * match. */
bool pfx_pmu_matches(const struct pfx_pmu *pmu, const char *pattern);
/* Whether a vendor event belongs to this PMU. */
bool pfx_pmu_has_vendor_event(const struct pfx_pmu *pmu, const struct pfx_vendor_event *event);
const struct pfx_pmu_format *pfx_pmu_find_format(struct pfx_pmu_set *set, struct pfx_pmu *pmu,
						 const char *name);
/* The terms of a named event, "event=0x3c,umask=1", from sysfs or else the vendor's table; owned by
 * the set, NULL if the PMU has no event of this name. */
const char *pfx_pmu_alias_text(struct pfx_pmu_set *set, struct pfx_pmu *pmu, const char *name);
/* A named event with the properties of its counts; false if the PMU has no event of this name.
 * Texts live as long as the set. */
struct pfx_pmu_alias {
	const char *terms, *unit; /* unit: NULL if none */
	double scale;
	bool is_per_package;
	double latency; /* mean cycles until retirement; 0: unknown */
};
bool pfx_pmu_find_alias(struct pfx_pmu_set *set, struct pfx_pmu *pmu, const char *name,
			struct pfx_pmu_alias *ret);
/* The word of the attr with this number: config, config1, ... */
uint64_t *pfx_config_word(struct pfx_attr *attr, unsigned word);
/* Distribute the bits of @value, lowest first, to the set bits of the mask. */
uint64_t pfx_pmu_scatter(uint64_t value, uint64_t mask);
/* The kernel's event names of the PMU. */
void pfx_pmu_own_event_names(struct pfx_name_list *to, struct pfx_pmu_set *set,
			     struct pfx_pmu *pmu);
/* Scale and unit of a kernel's event, "2.3e-10Joules", owned by the set; NULL: plain counts. */
const char *pfx_pmu_unit(struct pfx_pmu_set *set, const struct pfx_pmu *pmu, const char *name);
/* The same plus the names of vendor events. */
void pfx_pmu_event_names(struct pfx_name_list *to, struct pfx_pmu_set *set, struct pfx_pmu *pmu);

#endif
