/* SPDX-License-Identifier: MIT */
/*
 * The PMUs of the machine as sysfs describes them, below a root that can be replaced: type, CPUs,
 * the formats of their terms, and the events that they name. Knows no grammar of events.
 */
#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "pmu/pmu_internal.h"

#define DEVICES     "bus/event_source/devices"
#define SMALL_FILE  4096 /* all files here are one line of sysfs */
#define PATH_SIZE   512
#define CONFIG_WORD "config"

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

void pfx_names_of_dir(struct pfx_names *to, struct pfx_arena *arena, const char *dir)
{
	size_t first = to->names.nr;
	struct dirent *entry;
	DIR *d = opendir(dir);

	if (!d)
		return;
	while ((entry = readdir(d)))
		if (entry->d_name[0] != '.')
			pfx_vec_push(&to->names, pfx_arena_strdup(arena, entry->d_name));
	closedir(d);
	if (to->names.nr > first)
		qsort(to->names.at + first, to->names.nr - first, sizeof(*to->names.at),
		      compare_names);
}

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

/* A PMU of cores has a file "cpus"; others say "cpumask" or nothing. */
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
	struct pfx_names names = {0};
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

	for (i = 0; i < set->pmus.nr; i++)
		pfx_vec_free(&set->pmus.at[i].formats);
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

/* The length of a name without a suffix like "_12". */
static size_t stem_length(const char *name)
{
	size_t len = strlen(name);

	while (len && isdigit((unsigned char)name[len - 1]))
		len--;
	return len && name[len] && name[len - 1] == '_' ? len - 1 : strlen(name);
}

static bool name_matches(const char *name, const char *pattern)
{
	size_t len;

	if (!strcmp(name, pattern) || (strpbrk(pattern, "*?[") && !fnmatch(pattern, name, 0)))
		return true;
	len = stem_length(name);
	return strlen(pattern) == len && !memcmp(name, pattern, len);
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
	struct pfx_names names = {0};
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

const char *pfx_pmu_alias(struct pfx_pmu_set *set, const struct pfx_pmu *pmu, const char *name)
{
	char dir[PATH_SIZE];

	if (!*name || strpbrk(name, "./*?["))
		return NULL;
	snprintf(dir, sizeof(dir), "%s/events", pmu->dir);
	return read_small(&set->arena, dir, name);
}

void pfx_pmu_event_names(struct pfx_names *to, struct pfx_pmu_set *set, const struct pfx_pmu *pmu)
{
	size_t i, kept = to->names.nr, first = kept;
	char dir[PATH_SIZE];

	snprintf(dir, sizeof(dir), "%s/events", pmu->dir);
	pfx_names_of_dir(to, &set->arena, dir);
	/* "x.unit" and "x.scale" belong to the event x */
	for (i = first; i < to->names.nr; i++)
		if (!strchr(to->names.at[i], '.'))
			to->names.at[kept++] = to->names.at[i];
	to->names.nr = kept;
}
