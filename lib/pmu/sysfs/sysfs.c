/* SPDX-License-Identifier: MIT */
/*
 * The PMUs of the machine from sysfs, below a replaceable root: type, CPUs, the formats of their
 * terms, and their named events.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/io.h"
#include "pmu/sysfs/sysfs_internal.h"
#include "pmu/vendor/vendor.h"

#define DEVICES     "bus/event_source/devices"
#define SMALL_FILE  4096 /* all files here are one line of sysfs */
#define PATH_SIZE   512
#define CONFIG_WORD "config"

static char *read_small(struct pfx_arena *arena, const char *dir, const char *name)
{
	char path[PATH_SIZE], *text, *copy;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (pfx_read_file(path, SMALL_FILE, &text, NULL, NULL))
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	copy = pfx_arena_strdup(arena, text);
	free(text);
	return copy;
}

/* Core PMUs have a file "cpus"; others "cpumask" or neither. */
static void read_cpus(struct pfx_pmu_set *set, struct pfx_pmu *pmu)
{
	const char *cpus = read_small(&set->arena, pmu->dir, "cpus");

	pmu->is_core = cpus || !strcmp(pmu->name, "cpu") || !strcmp(pmu->name, "cpum_cf");
	if (!cpus)
		cpus = read_small(&set->arena, pmu->dir, "cpumask");
	pmu->cpus = cpus && *cpus ? cpus : NULL;
	set->nr_core += pmu->is_core;
}

static void read_pmu(struct pfx_pmu_set *set, const char *devices, const char *name)
{
	char path[PATH_SIZE];
	struct pfx_pmu pmu = {0};
	uint64_t type;

	if (snprintf(path, sizeof(path), "%s/%s/type", devices, name) >= (int)sizeof(path) ||
	    pfx_read_u64(path, &type) || type > UINT32_MAX)
		return;
	*strrchr(path, '/') = '\0';
	pmu.dir = pfx_arena_strdup(&set->arena, path);
	pmu.name = pfx_arena_strdup(&set->arena, name);
	pmu.type = (uint32_t)type;
	read_cpus(set, &pmu);
	pfx_vec_push(&set->pmus, pmu);
}

static int compare_pmus(const void *a, const void *b)
{
	const struct pfx_pmu *x = a, *y = b;

	return x->type < y->type ? -1 : x->type > y->type;
}

struct pfx_pmu_set *pfx_pmu_set_get(struct pfx_pmu_set *set, const char *sysfs)
{
	struct pfx_name_list names = {0};
	char devices[PATH_SIZE];
	size_t i;

	if (set->is_read)
		return set;
	set->is_read = true;
	snprintf(devices, sizeof(devices), "%s/" DEVICES, sysfs);
	pfx_names_of_dir(&names, &set->arena, devices);
	for (i = 0; i < names.names.nr; i++)
		read_pmu(set, devices, names.names.at[i]);
	pfx_vec_free(&names.names);
	if (set->pmus.nr)
		qsort(set->pmus.at, set->pmus.nr, sizeof(*set->pmus.at), compare_pmus);
	return set;
}

void pfx_pmu_set_fini(struct pfx_pmu_set *set)
{
	size_t i;

	for (i = 0; i < set->pmus.nr; i++) {
		pfx_vec_free(&set->pmus.at[i].formats);
		pfx_vec_free(&set->pmus.at[i].events);
	}
	pfx_vec_free(&set->pmus);
	pfx_arena_clear(&set->arena);
}

bool pfx_pmu_is_hybrid(struct pfx_pmu_set *set, const char *sysfs)
{
	char path[PATH_SIZE];

	if (!set->is_read) {
		snprintf(path, sizeof(path), "%s/" DEVICES "/cpu", sysfs);
		if (!access(path, F_OK))
			return false;
	}
	return pfx_pmu_set_get(set, sysfs)->nr_core > 1;
}

#define HEX_SUFFIX_MIN 3 /* shorter ones may be words, "_df" */

/* Suffixes of PMUs with several instances: "_12", "7", "_2b442". */
static bool is_suffix(const char *at)
{
	size_t len;

	if (!*at)
		return true;
	if (*at != '_')
		return !at[strspn(at, "0123456789")];
	at++;
	len = strspn(at, "0123456789");
	if (len && !at[len])
		return true;
	len = strspn(at, "0123456789abcdef");
	return len >= HEX_SUFFIX_MIN && !at[len];
}

/* Whether @len is within a suffix. */
static bool is_suffix_cut(const char *name, size_t len)
{
	const char *last = strrchr(name, '_');

	return isdigit((unsigned char)name[len - 1]) ||
	       (last && name + len > last && is_suffix(last));
}

static bool name_matches(const char *name, const char *pattern)
{
	size_t len = strlen(pattern);

	if (!len)
		return false;
	if (strpbrk(pattern, "*?[") && !fnmatch(pattern, name, 0))
		return true;
	if (strncmp(name, pattern, len) || !is_suffix(name + len))
		return false;
	/* "x_1" is not "x_12", "x_2b" is not "x_2b442". */
	return !isdigit((unsigned char)name[len]) || !is_suffix_cut(name, len);
}

bool pfx_pmu_matches(const struct pfx_pmu *pmu, const char *pattern)
{
	static const char prefix[] = "uncore_";

	if (name_matches(pmu->name, pattern))
		return true;
	return !strncmp(pmu->name, prefix, sizeof(prefix) - 1) &&
	       name_matches(pmu->name + sizeof(prefix) - 1, pattern);
}

/* "0-7,32": the bits as a mask. False on anything else. */
static bool parse_bits(const char *at, uint64_t *ret)
{
	unsigned long first, last;
	char *end;

	*ret = 0;
	for (;; at = end + 1) {
		if (!isdigit((unsigned char)*at))
			return false;
		first = last = strtoul(at, &end, 10);
		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtoul(end + 1, &end, 10);
		if (first > last || last > 63)
			return false;
		*ret |= (~0ull >> (63 - (last - first))) << first;
		if (*end != ',')
			return !*end;
	}
}

/* "config:0-7" or "config1:0,4-5". */
static bool parse_format(const char *text, struct pfx_pmu_format *ret)
{
	size_t len = strlen(CONFIG_WORD);

	if (strncmp(text, CONFIG_WORD, len))
		return false;
	text += len;
	ret->word = 0;
	if (isdigit((unsigned char)*text))
		ret->word = (unsigned)(*text++ - '0');
	return ret->word < PFX_CONFIG_WORDS && *text == ':' && parse_bits(text + 1, &ret->mask);
}

static void read_formats(struct pfx_pmu_set *set, struct pfx_pmu *pmu)
{
	struct pfx_name_list names = {0};
	struct pfx_pmu_format format;
	char dir[PATH_SIZE];
	const char *text;
	size_t i;

	pmu->formats_read = true;
	snprintf(dir, sizeof(dir), "%s/format", pmu->dir);
	pfx_names_of_dir(&names, &set->arena, dir);
	for (i = 0; i < names.names.nr; i++) {
		format.name = names.names.at[i];
		text = read_small(&set->arena, dir, format.name);
		if (text && parse_format(text, &format))
			pfx_vec_push(&pmu->formats, format);
	}
	pfx_vec_free(&names.names);
}

const struct pfx_pmu_format *pfx_pmu_find_format(struct pfx_pmu_set *set, struct pfx_pmu *pmu,
						 const char *name)
{
	size_t i;

	if (!pmu->formats_read)
		read_formats(set, pmu);
	for (i = 0; i < pmu->formats.nr; i++)
		if (!strcmp(pmu->formats.at[i].name, name))
			return &pmu->formats.at[i];
	return NULL;
}

/* Whether @name ends with "_PART" and a suffix. */
static bool has_last_part(const char *name, const char *part)
{
	size_t len = strlen(part);
	const char *at;

	for (at = strchr(name, '_'); at; at = strchr(at + 1, '_'))
		if (!strncmp(at + 1, part, len) && is_suffix(at + 1 + len))
			return true;
	return false;
}

/* Whether the device's identifier matches the one that the events require. */
static bool fits_device(const struct pfx_pmu *pmu, const char *compat)
{
	struct pfx_arena arena = {0};
	char *identifier = read_small(&arena, pmu->dir, "identifier");
	bool fits = identifier && pfx_vendor_fits(compat, identifier);

	pfx_arena_clear(&arena);
	return fits;
}

bool pfx_pmu_has_vendor_event(const struct pfx_pmu *pmu, const struct pfx_vendor_event *event)
{
	const char *comma = strchr(event->pmu, ',');

	if (*event->compat && !fits_device(pmu, event->compat))
		return false;
	/* "hisi_sccl,ddrc" matches "hisi_sccl1_ddrc0", with a number between */
	if (comma)
		return !strncmp(pmu->name, event->pmu, (size_t)(comma - event->pmu)) &&
		       has_last_part(pmu->name, comma + 1);
	return *event->pmu ? pfx_pmu_matches(pmu, event->pmu) : pmu->is_core;
}

static bool find_vendor(struct pfx_pmu_set *set, const struct pfx_pmu *pmu, const char *name,
			struct pfx_vendor_event *ret)
{
	long at = set->vendor ? pfx_vendor_find_event(set->vendor, name) : -1;

	for (; at >= 0; at = pfx_vendor_next_event(set->vendor, at)) {
		pfx_vendor_event_at(set->vendor, (size_t)at, &set->arena, ret);
		if (pfx_pmu_has_vendor_event(pmu, ret))
			return true;
	}
	return false;
}

uint64_t *pfx_config_word(struct pfx_attr *attr, unsigned word)
{
	switch (word) {
	case 0:
		return &attr->config;
	case 1:
		return &attr->config1;
	case 2:
		return &attr->config2;
	case 3:
		return &attr->config3;
	}
	return &attr->config4;
}

uint64_t pfx_pmu_scatter(uint64_t value, uint64_t mask)
{
	uint64_t ret = 0, bit;

	for (; mask; mask &= mask - 1, value >>= 1) {
		bit = mask & -mask;
		if (value & 1)
			ret |= bit;
	}
	return ret;
}

static void read_events(struct pfx_pmu_set *set, struct pfx_pmu *pmu)
{
	struct pfx_name_list names = {0};
	char dir[PATH_SIZE];
	size_t i;

	pmu->events_read = true;
	snprintf(dir, sizeof(dir), "%s/events", pmu->dir);
	pfx_names_of_dir(&names, &set->arena, dir);
	/* "x.unit" and "x.scale" belong to the event x */
	for (i = 0; i < names.names.nr; i++)
		if (!strchr(names.names.at[i], '.'))
			pfx_vec_push(&pmu->events, names.names.at[i]);
	pfx_vec_free(&names.names);
}

/* The kernel's spelling: s390 has capital letters, which users do not type. */
static const char *own_name(struct pfx_pmu_set *set, struct pfx_pmu *pmu, const char *name)
{
	const char *found = NULL;
	size_t i;

	if (!pmu->events_read)
		read_events(set, pmu);
	for (i = 0; i < pmu->events.nr; i++) {
		if (!strcmp(pmu->events.at[i], name))
			return pmu->events.at[i];
		if (!found && !strcasecmp(pmu->events.at[i], name))
			found = pmu->events.at[i];
	}
	return found;
}

/* The terms, and the name itself in @name. */
static const char *own_terms(struct pfx_pmu_set *set, struct pfx_pmu *pmu, const char **name)
{
	char dir[PATH_SIZE];
	const char *found = own_name(set, pmu, *name);

	if (!found)
		return NULL;
	*name = found;
	snprintf(dir, sizeof(dir), "%s/events", pmu->dir);
	return read_small(&set->arena, dir, found);
}

const char *pfx_pmu_alias_text(struct pfx_pmu_set *set, struct pfx_pmu *pmu, const char *name)
{
	struct pfx_vendor_event event;
	const char *terms = own_terms(set, pmu, &name);

	if (!terms && find_vendor(set, pmu, name, &event))
		terms = event.terms;
	return terms;
}

/* The text of "events/NAME.SUFFIX", or NULL. */
static char *read_beside(struct pfx_pmu_set *set, const struct pfx_pmu *pmu, const char *name,
			 const char *suffix)
{
	char dir[PATH_SIZE], file[PATH_SIZE];

	snprintf(dir, sizeof(dir), "%s/events", pmu->dir);
	snprintf(file, sizeof(file), "%s.%s", name, suffix);
	return read_small(&set->arena, dir, file);
}

const char *pfx_pmu_unit(struct pfx_pmu_set *set, const struct pfx_pmu *pmu, const char *name)
{
	const char *scale = read_beside(set, pmu, name, "scale");
	const char *unit = read_beside(set, pmu, name, "unit");
	char *text;

	if (!scale && !unit)
		return NULL;
	text = pfx_strfmt("%s%s", scale ? scale : "1", unit ? unit : "");
	unit = pfx_arena_strdup(&set->arena, text);
	free(text);
	return unit;
}

/* A numeric factor, else 1; *@ret_rest is the text after it. */
static double parse_scale(const char *text, const char **ret_rest)
{
	char *end;
	double scale = strtod(text, &end);

	*ret_rest = end;
	return end != text && isfinite(scale) ? scale : 1;
}

bool pfx_pmu_find_alias(struct pfx_pmu_set *set, struct pfx_pmu *pmu, const char *name,
			struct pfx_pmu_alias *ret)
{
	struct pfx_vendor_event event;
	const char *scale, *rest;

	*ret = (struct pfx_pmu_alias){.scale = 1};
	ret->terms = own_terms(set, pmu, &name);
	if (ret->terms) {
		scale = read_beside(set, pmu, name, "scale");
		ret->scale = scale ? parse_scale(scale, &rest) : 1;
		ret->unit = read_beside(set, pmu, name, "unit");
		ret->is_per_package = read_beside(set, pmu, name, "per-pkg") != NULL;
	} else if (find_vendor(set, pmu, name, &event)) {
		ret->terms = event.terms;
		ret->scale = parse_scale(event.scale_unit, &ret->unit);
		ret->is_per_package = event.is_per_package;
		ret->latency = strtod(event.latency, NULL);
	}
	if (ret->unit && !*ret->unit)
		ret->unit = NULL;
	return ret->terms != NULL;
}

void pfx_pmu_own_event_names(struct pfx_name_list *to, struct pfx_pmu_set *set, struct pfx_pmu *pmu)
{
	size_t i;

	if (!pmu->events_read)
		read_events(set, pmu);
	for (i = 0; i < pmu->events.nr; i++)
		pfx_vec_push(&to->names, pmu->events.at[i]);
}

void pfx_pmu_event_names(struct pfx_name_list *to, struct pfx_pmu_set *set, struct pfx_pmu *pmu)
{
	size_t i;

	pfx_pmu_own_event_names(to, set, pmu);
	for (i = 0; set->vendor && i < pfx_vendor_nr_events(set->vendor); i++) {
		struct pfx_vendor_event event;

		pfx_vendor_event_at(set->vendor, i, &set->arena, &event);
		if (pfx_pmu_has_vendor_event(pmu, &event))
			pfx_vec_push(&to->names, event.name);
	}
}
