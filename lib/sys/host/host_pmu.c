/* SPDX-License-Identifier: MIT */
/*
 * The kernel's performance monitoring units: types, capabilities, and the CPUs of each core type of
 * a hybrid machine. Input is /sys/bus/event_source/devices; all lists are sorted, as directories
 * are unordered.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sys/host/host_internal.h"

#define PMU_DIR     "/sys/bus/event_source/devices"
#define MAX_ENTRIES 4096 /* of one directory */
#define CORE_PMU    "cpu"

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The visible entries of a directory in alphabetical order; empty if it does not exist. */
static struct pfx_env_strings list_dir(const struct host *host, const char *path)
{
	PFX_VEC(const char *) names = {0};
	struct pfx_env_strings ret = {0};
	struct dirent *entry;
	DIR *dir = opendir(path);

	while (dir && names.nr < MAX_ENTRIES && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			pfx_vec_push(&names, pfx_arena_strdup(host->arena, entry->d_name));
	if (dir)
		closedir(dir);
	if (names.nr) {
		qsort(names.at, names.nr, sizeof(*names.at), compare_names);
		ret.at = pfx_arena_memdup(host->arena, names.at, names.nr * sizeof(*names.at));
		ret.nr = (uint32_t)names.nr;
	}
	pfx_vec_free(&names);
	return ret;
}

static int compare_types(const void *a, const void *b)
{
	const struct pfx_env_pmu *x = a, *y = b;

	return x->type < y->type ? -1 : x->type > y->type;
}

static void describe_mappings(const struct host *host, const struct pfx_env_strings *pmus)
{
	struct pfx_env *env = host->env;
	uint64_t type;
	uint32_t i;

	env->pmus = pfx_arena_array(host->arena, struct pfx_env_pmu, pmus->nr);
	for (i = 0; i < pmus->nr; i++) {
		type = pfx_host_number(host, UINT64_MAX, PMU_DIR "/%s/type", pmus->at[i]);
		if (type <= UINT32_MAX)
			env->pmus[env->nr_pmus++] =
				(struct pfx_env_pmu){(uint32_t)type, pmus->at[i]};
	}
	if (!env->nr_pmus)
		return;
	qsort(env->pmus, env->nr_pmus, sizeof(*env->pmus), compare_types);
	pfx_env_set(env, PFX_FEAT_PMU_MAPPINGS);
}

static void read_caps(const struct host *host, const char *pmu, struct pfx_env_pmu_caps *ret)
{
	char path[HOST_PATH_MAX];
	struct pfx_env_strings names =
		list_dir(host, pfx_host_path(host, path, PMU_DIR "/%s/caps", pmu));
	const char *value;
	uint32_t i;

	*ret = (struct pfx_env_pmu_caps){.pmu = pmu};
	ret->caps = pfx_arena_array(host->arena, struct pfx_env_cap, names.nr);
	for (i = 0; i < names.nr; i++) {
		value = pfx_host_line(host, PMU_DIR "/%s/caps/%s", pmu, names.at[i]);
		if (value)
			ret->caps[ret->nr++] = (struct pfx_env_cap){names.at[i], value};
	}
}

/* The PMU "cpu" has its own feature; all others share one. */
static void describe_caps(const struct host *host, const struct pfx_env_strings *pmus)
{
	struct pfx_env *env = host->env;
	struct pfx_env_pmu_caps caps;
	uint32_t i;

	env->pmu_caps = pfx_arena_array(host->arena, struct pfx_env_pmu_caps, pmus->nr);
	for (i = 0; i < pmus->nr; i++) {
		read_caps(host, pmus->at[i], &caps);
		if (!caps.nr)
			continue;
		if (strcmp(pmus->at[i], CORE_PMU)) {
			env->pmu_caps[env->nr_pmu_caps++] = caps;
			continue;
		}
		env->nr_cpu_caps = caps.nr;
		env->cpu_caps = caps.caps;
		pfx_env_set(env, PFX_FEAT_CPU_PMU_CAPS);
	}
	if (env->nr_pmu_caps)
		pfx_env_set(env, PFX_FEAT_PMU_CAPS);
}

/* Only core PMUs have a file `cpus` (others have `cpumask`); a single core type is not hybrid. */
static void describe_hybrid(const struct host *host, const struct pfx_env_strings *pmus)
{
	struct pfx_env *env = host->env;
	const char *cpus;
	uint32_t i;

	env->hybrid = pfx_arena_array(host->arena, struct pfx_env_hybrid, pmus->nr);
	for (i = 0; i < pmus->nr; i++) {
		cpus = pfx_host_line(host, PMU_DIR "/%s/cpus", pmus->at[i]);
		if (cpus)
			env->hybrid[env->nr_hybrid++] = (struct pfx_env_hybrid){pmus->at[i], cpus};
	}
	if (env->nr_hybrid > 1)
		pfx_env_set(env, PFX_FEAT_HYBRID_TOPOLOGY);
	else
		env->nr_hybrid = 0;
}

void pfx_host_pmus(const struct host *host)
{
	char path[HOST_PATH_MAX];
	struct pfx_env_strings pmus = list_dir(host, pfx_host_path(host, path, PMU_DIR));

	if (!pmus.nr)
		return;
	describe_mappings(host, &pmus);
	describe_caps(host, &pmus);
	describe_hybrid(host, &pmus);
}
