/* SPDX-License-Identifier: MIT */
/*
 * The CPUs of this machine: number, model, topology and caches. Input is /proc/cpuinfo and
 * /sys/devices/system/cpu; the identity string comes from arch/. Offline CPUs have no topology.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/cpuid.h"
#include "base/alloc.h"
#include "base/io.h"
#include "sys/host/host.h"
#include "sys/host/host_internal.h"

#define CPU_DIR     "/sys/devices/system/cpu"
#define CPUINFO_MAX (64u << 20) /* thousands of CPUs with some kilobytes each */
#define MAX_CACHES  10          /* cache indices of one CPU */
#define UNKNOWN_ID  ((uint32_t)-1)
#define LIST_LINE   8192

static int read_list(const char *root, const char *name, struct pfx_list *ret)
{
	struct host host = {NULL, NULL, root ? root : ""};
	char path[HOST_PATH_MAX], line[LIST_LINE];
	int rc;

	*ret = (struct pfx_list){0};
	rc = pfx_read_line(pfx_host_path(&host, path, CPU_DIR "/%s", name), line, sizeof(line));
	if (rc)
		return rc;
	return pfx_list_parse(line, ret) ? 0 : -EBADMSG;
}

/* Fallback without sysfs: the number of CPUs from the C library. */
static int count_to_list(long nr, struct pfx_list *ret)
{
	int i;

	if (nr <= 0 || nr > PFX_LIST_MAX)
		return -ENOENT;
	ret->at = pfx_calloc((size_t)nr, sizeof(*ret->at));
	ret->nr = (size_t)nr;
	for (i = 0; i < nr; i++)
		ret->at[i] = i;
	return 0;
}

int pfx_host_online_cpus(const char *root, struct pfx_list *ret)
{
	if (!read_list(root, "online", ret))
		return 0;
	return count_to_list(sysconf(_SC_NPROCESSORS_ONLN), ret);
}

/* The highest CPU that is present, plus one; and the number of CPUs online. */
static void count_cpus(const char *root, uint32_t *ret_avail, uint32_t *ret_online)
{
	struct pfx_list present, online;

	if (read_list(root, "present", &present))
		count_to_list(sysconf(_SC_NPROCESSORS_CONF), &present);
	pfx_host_online_cpus(root, &online);
	*ret_online = (uint32_t)online.nr;
	*ret_avail = present.nr ? (uint32_t)present.at[present.nr - 1] + 1 : *ret_online;
	pfx_list_fini(&present);
	pfx_list_fini(&online);
}

/* Replaces runs of blanks, with which firmware pads names, by one blank. */
static const char *squeezed(const struct host *host, const char *text, size_t len)
{
	char *copy = pfx_arena_strndup(host->arena, text, len), *to = copy;
	const char *from;

	for (from = copy; *from; from++)
		if (*from != ' ' || (to > copy && to[-1] != ' '))
			*to++ = *from;
	*to = '\0';
	return copy;
}

static void describe_model(const struct host *host, const char *cpuinfo)
{
	/* The key differs between architectures; the first that exists is used. */
	static const char *const keys[] = {"model name", "Model Name", "cpu model", "Processor",
					   "cpu type",   "vendor_id",  "cpu",       "uarch"};
	const char *value;
	size_t i, len;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		value = pfx_host_find_key(cpuinfo, keys[i], &len);
		if (!value)
			continue;
		host->env->cpudesc = squeezed(host, value, len);
		pfx_env_set(host->env, PFX_FEAT_CPUDESC);
		return;
	}
}

void pfx_host_cpu(const struct host *host)
{
	struct pfx_env *env = host->env;
	char path[HOST_PATH_MAX], id[128], *cpuinfo = NULL;

	count_cpus(host->root, &env->nr_cpus_avail, &env->nr_cpus_online);
	if (env->nr_cpus_avail)
		pfx_env_set(env, PFX_FEAT_NRCPUS);
	if (!pfx_read_file(pfx_host_path(host, path, "/proc/cpuinfo"), CPUINFO_MAX, &cpuinfo, NULL,
			   NULL)) {
		describe_model(host, cpuinfo);
		free(cpuinfo);
	}
	if (pfx_cpuid_host(host->root, id, sizeof(id))) {
		env->cpuid = pfx_arena_strdup(host->arena, id);
		pfx_env_set(env, PFX_FEAT_CPUID);
	}
}

static void add_unique(struct pfx_env_strings *list, const char *text)
{
	uint32_t i;

	for (i = 0; text && i < list->nr; i++)
		if (!strcmp(list->at[i], text))
			return;
	if (text)
		list->at[list->nr++] = text;
}

/* The kernel renamed these files in 5.x; the old names still exist. */
static const char *siblings(const struct host *host, int cpu, const char *name, const char *old)
{
	const char *line = pfx_host_line(host, CPU_DIR "/cpu%d/topology/%s", cpu, name);

	return line ? line : pfx_host_line(host, CPU_DIR "/cpu%d/topology/%s", cpu, old);
}

static uint32_t topology_id(const struct host *host, uint32_t cpu, const char *name)
{
	return (uint32_t)pfx_host_number(host, UNKNOWN_ID, CPU_DIR "/cpu%u/topology/%s", cpu, name);
}

static void read_siblings(const struct host *host, const struct pfx_list *online)
{
	struct pfx_env_topology *topo = &host->env->topology;
	size_t i;

	topo->sockets.at = pfx_arena_array(host->arena, const char *, online->nr);
	topo->threads.at = pfx_arena_array(host->arena, const char *, online->nr);
	topo->dies.at = pfx_arena_array(host->arena, const char *, online->nr);
	for (i = 0; i < online->nr; i++) {
		int cpu = online->at[i];

		add_unique(&topo->sockets,
			   siblings(host, cpu, "package_cpus_list", "core_siblings_list"));
		add_unique(&topo->threads,
			   siblings(host, cpu, "core_cpus_list", "thread_siblings_list"));
		if (pfx_cpuid_has_dies(host->env->arch))
			add_unique(
				&topo->dies,
				pfx_host_line(host, CPU_DIR "/cpu%d/topology/die_cpus_list", cpu));
	}
}

static void describe_topology(const struct host *host, const struct pfx_list *online)
{
	struct pfx_env_topology *topo = &host->env->topology;
	uint32_t cpu, nr = host->env->nr_cpus_avail;

	read_siblings(host, online);
	if (!topo->sockets.nr && !topo->threads.nr)
		return;
	topo->has_dies = topo->dies.nr > 0;
	topo->nr_cpus = nr;
	topo->cpus = pfx_arena_array(host->arena, struct pfx_env_cpu, nr);
	for (cpu = 0; cpu < nr; cpu++) {
		topo->cpus[cpu].core_id = topology_id(host, cpu, "core_id");
		topo->cpus[cpu].socket_id = topology_id(host, cpu, "physical_package_id");
		topo->cpus[cpu].die_id = topology_id(host, cpu, "die_id");
		topo->cpus[cpu].cluster_id = topology_id(host, cpu, "cluster_id");
	}
	pfx_env_set(host->env, PFX_FEAT_CPU_TOPOLOGY);
}

/* One cache of one CPU; false if the index does not exist. */
static bool read_cache(const struct host *host, int cpu, int index, struct pfx_env_cache *ret)
{
	char dir[64];
	uint64_t level;

	snprintf(dir, sizeof(dir), CPU_DIR "/cpu%d/cache/index%d", cpu, index);
	level = pfx_host_number(host, 0, "%s/level", dir);
	if (!level)
		return false;
	ret->level = (uint32_t)level;
	ret->line_size = (uint32_t)pfx_host_number(host, 0, "%s/coherency_line_size", dir);
	ret->sets = (uint32_t)pfx_host_number(host, 0, "%s/number_of_sets", dir);
	ret->ways = (uint32_t)pfx_host_number(host, 0, "%s/ways_of_associativity", dir);
	ret->type = pfx_host_line(host, "%s/type", dir);
	ret->size = pfx_host_line(host, "%s/size", dir);
	ret->map = pfx_host_line(host, "%s/shared_cpu_list", dir);
	ret->type = ret->type ? ret->type : "";
	ret->size = ret->size ? ret->size : "";
	ret->map = ret->map ? ret->map : "";
	return true;
}

static bool same_cache(const struct pfx_env_cache *a, const struct pfx_env_cache *b)
{
	return a->level == b->level && a->line_size == b->line_size && a->sets == b->sets &&
	       a->ways == b->ways && !strcmp(a->type, b->type) && !strcmp(a->size, b->size) &&
	       !strcmp(a->map, b->map);
}

/* Insert sorted by level, then in the order of CPUs. */
static void insert_cache(struct pfx_env_cache *caches, uint32_t *nr,
			 const struct pfx_env_cache *cache)
{
	uint32_t i, at = *nr;

	for (i = *nr; i > 0 && caches[i - 1].level >= cache->level; i--) {
		if (same_cache(&caches[i - 1], cache))
			return;
		if (caches[i - 1].level > cache->level)
			at = i - 1;
	}
	memmove(&caches[at + 1], &caches[at], (*nr - at) * sizeof(*caches));
	caches[at] = *cache;
	(*nr)++;
}

static void describe_caches(const struct host *host, const struct pfx_list *online)
{
	struct pfx_env *env = host->env;
	struct pfx_env_cache cache;
	size_t i;
	int index;

	env->caches =
		pfx_arena_array(host->arena, struct pfx_env_cache, online->nr * MAX_CACHES + 1);
	for (i = 0; i < online->nr; i++)
		for (index = 0; index < MAX_CACHES; index++)
			if (read_cache(host, online->at[i], index, &cache))
				insert_cache(env->caches, &env->nr_caches, &cache);
	if (env->nr_caches)
		pfx_env_set(env, PFX_FEAT_CACHE);
}

/* Of the first data cache of the lowest level; from the C library if sysfs has none. */
static void describe_line(const struct host *host)
{
	struct pfx_env *env = host->env;
	long size = host->root[0] ? 0 : sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
	uint32_t i;

	for (i = 0; i < env->nr_caches; i++) {
		if (!strcmp(env->caches[i].type, "Instruction") || !env->caches[i].line_size)
			continue;
		size = env->caches[i].line_size;
		break;
	}
	if (size <= 0)
		return;
	env->cln_size = (uint32_t)size;
	pfx_env_set(env, PFX_FEAT_CLN_SIZE);
}

void pfx_host_topology(const struct host *host)
{
	struct pfx_list online;

	if (pfx_host_online_cpus(host->root, &online))
		return;
	describe_topology(host, &online);
	describe_caches(host, &online);
	describe_line(host);
	pfx_list_fini(&online);
}
