/* SPDX-License-Identifier: MIT */
/*
 * The memory of this machine: size, nodes and present memory blocks. Input is /proc/meminfo and
 * /sys/devices/system/{node,memory}.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/words.h"
#include "sys/host/host_internal.h"

#define NODE_DIR    "/sys/devices/system/node"
#define MEMINFO_MAX (1u << 20)
#define MAX_BLOCK   (1ull << 24) /* blocks of 128 MiB: 2 EiB */

static uint64_t meminfo_kb(const char *text, const char *key)
{
	size_t len;
	const char *value = pfx_host_find_key(text, key, &len);

	return value ? strtoull(value, NULL, 10) : 0;
}

static void describe_total(const struct host *host)
{
	char path[HOST_PATH_MAX], *text;

	if (pfx_read_file(pfx_host_path(host, path, "/proc/meminfo"), MEMINFO_MAX, &text, NULL,
			  NULL))
		return;
	host->env->total_mem_kb = meminfo_kb(text, "MemTotal");
	if (host->env->total_mem_kb)
		pfx_env_set(host->env, PFX_FEAT_TOTAL_MEM);
	free(text);
}

/* Lines here are "Node 0 MemTotal:  4417748 kB": a key that begins with the node. */
static uint64_t node_kb(const char *text, int node, const char *what)
{
	char *key = pfx_strfmt("Node %d %s", node, what);
	uint64_t kb = meminfo_kb(text, key);

	free(key);
	return kb;
}

static bool read_node(const struct host *host, int node, struct pfx_env_node *ret)
{
	char path[HOST_PATH_MAX], *text;

	pfx_host_path(host, path, NODE_DIR "/node%d/meminfo", node);
	if (pfx_read_file(path, MEMINFO_MAX, &text, NULL, NULL))
		return false;
	ret->node = (uint32_t)node;
	ret->total_kb = node_kb(text, node, "MemTotal");
	ret->free_kb = node_kb(text, node, "MemFree");
	ret->cpus = pfx_host_line(host, NODE_DIR "/node%d/cpulist", node);
	if (!ret->cpus)
		ret->cpus = ""; /* memory without CPUs */
	free(text);
	return true;
}

static void describe_nodes(const struct host *host, const struct pfx_list *nodes)
{
	struct pfx_env *env = host->env;
	size_t i;

	env->nodes = pfx_arena_array(host->arena, struct pfx_env_node, nodes->nr);
	for (i = 0; i < nodes->nr; i++)
		if (read_node(host, nodes->at[i], &env->nodes[env->nr_nodes]))
			env->nr_nodes++;
	if (env->nr_nodes)
		pfx_env_set(env, PFX_FEAT_NUMA_TOPOLOGY);
}

/* The numbers of the "memoryN" entries in a node's directory. */
static void read_blocks(const struct host *host, int node, struct pfx_list *ret)
{
	char path[HOST_PATH_MAX], *end;
	PFX_VEC(int) blocks = {0};
	struct dirent *entry;
	unsigned long block;
	DIR *dir = opendir(pfx_host_path(host, path, NODE_DIR "/node%d", node));

	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "memory", 6))
			continue;
		block = strtoul(entry->d_name + 6, &end, 10);
		if (end != entry->d_name + 6 && !*end && block < MAX_BLOCK)
			pfx_vec_push(&blocks, (int)block);
	}
	if (dir)
		closedir(dir);
	*ret = (struct pfx_list){blocks.at, blocks.nr};
}

static void make_bitmap(const struct host *host, const struct pfx_list *blocks,
			struct pfx_env_mem_node *ret)
{
	uint64_t *words;
	size_t i;
	int max = 0;

	for (i = 0; i < blocks->nr; i++)
		max = blocks->at[i] > max ? blocks->at[i] : max;
	ret->nr_bits = (uint64_t)max + 1;
	words = pfx_arena_array(host->arena, uint64_t, (ret->nr_bits + 63) / 64);
	for (i = 0; i < blocks->nr; i++)
		words[blocks->at[i] / 64] |= 1ull << (blocks->at[i] % 64);
	ret->bitmap = words;
}

static void describe_blocks(const struct host *host, const struct pfx_list *nodes)
{
	struct pfx_env *env = host->env;
	struct pfx_env_mem_node *to;
	struct pfx_list blocks;
	const char *size;
	size_t i;

	size = pfx_host_line(host, "/sys/devices/system/memory/block_size_bytes");
	env->mem_block_size = size ? strtoull(size, NULL, 16) : 0;
	if (!env->mem_block_size)
		return;
	env->mem_nodes = pfx_arena_array(host->arena, struct pfx_env_mem_node, nodes->nr);
	for (i = 0; i < nodes->nr; i++) {
		read_blocks(host, nodes->at[i], &blocks);
		if (blocks.nr) {
			to = &env->mem_nodes[env->nr_mem_nodes++];
			to->node = (uint64_t)nodes->at[i];
			make_bitmap(host, &blocks, to);
		}
		pfx_list_fini(&blocks);
	}
	if (env->nr_mem_nodes)
		pfx_env_set(env, PFX_FEAT_MEM_TOPOLOGY);
}

void pfx_host_memory(const struct host *host)
{
	const char *line = pfx_host_line(host, NODE_DIR "/online");
	struct pfx_list nodes;

	describe_total(host);
	if (!line || !pfx_list_parse(line, &nodes))
		return;
	describe_nodes(host, &nodes);
	describe_blocks(host, &nodes);
	pfx_list_fini(&nodes);
}
