/* SPDX-License-Identifier: MIT */
/*
 * The header features of a recording: the machine and the command that made it. sys/ fills it from
 * this machine, file/ decodes and encodes it, cmd/ prints it. All memory belongs to the arena of
 * the struct pfx_meta that holds it. NULL and 0 mean "not recorded"; `has` has the features that
 * are present.
 */
#ifndef PFX_EVENT_ENV_H
#define PFX_EVENT_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/abi.h"

struct pfx_env_strings {
	uint32_t nr;
	const char **at;
};

struct pfx_env_cpu {
	uint32_t core_id, socket_id, die_id;
	uint32_t cluster_id; /* of this machine only; not in perf.data files */
};

struct pfx_env_topology {
	struct pfx_env_strings sockets; /* CPU lists of the sockets, "0-3" */
	struct pfx_env_strings threads; /* CPU lists of the cores' threads */
	struct pfx_env_strings dies;
	uint32_t nr_cpus; /* entries of cpus; 0 if the file's feature ends before them */
	struct pfx_env_cpu *cpus;
	bool has_dies;
};

struct pfx_env_node {
	uint32_t node;
	uint64_t total_kb, free_kb;
	const char *cpus;
};

struct pfx_env_pmu {
	uint32_t type;
	const char *name;
};

struct pfx_env_group {
	const char *name; /* "{anon_group}" for a group without a name */
	uint32_t leader_idx, nr_members;
};

struct pfx_env_cache {
	uint32_t level, line_size, sets, ways;
	const char *type, *size, *map;
};

struct pfx_env_mem_node {
	uint64_t node, nr_bits;
	const uint64_t *bitmap; /* (nr_bits + 63) / 64 words */
};

struct pfx_env_cap {
	const char *name, *value;
};

struct pfx_env_pmu_caps {
	const char *pmu;
	uint32_t nr;
	struct pfx_env_cap *caps;
};

struct pfx_env_hybrid {
	const char *pmu, *cpus;
};

struct pfx_env_build_id {
	int32_t pid;   /* -1 host */
	uint16_t misc; /* cpumode of the dso */
	uint8_t size;
	uint8_t id[PFX_BUILD_ID_MAX];
	const char *filename;
};

/* A feature that is kept as bytes: only its size is shown, or it is decoded elsewhere
 * (TRACING_DATA). */
struct pfx_env_blob {
	const uint8_t *at;
	uint64_t size;
};

struct pfx_env_bpf_prog {
	uint32_t info_len, data_len;
	uint64_t arrays;
	uint32_t type, id; /* first words of bpf_prog_info */
	const uint8_t *info, *data;
};

struct pfx_env_btf {
	uint32_t id, size;
	const uint8_t *data;
};

struct pfx_env_domain {
	uint32_t domain;
	const char *name; /* NULL before schedstat version 17 */
	const char *cpumask, *cpulist;
};

struct pfx_env_cpu_domains {
	uint32_t cpu, nr;
	struct pfx_env_domain *domains;
};

struct pfx_env_aux_index {
	uint64_t offset, size; /* file offset and size of an AUXTRACE record */
};

struct pfx_env {
	uint64_t has[PFX_FEAT_BITS / 64]; /* features present; pfx_env_has() */
	const char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t nr_cpus_avail, nr_cpus_online;
	uint64_t total_mem_kb;
	struct pfx_env_strings cmdline;
	struct pfx_env_topology topology;
	uint32_t nr_nodes;
	struct pfx_env_node *nodes;
	uint32_t nr_pmus;
	struct pfx_env_pmu *pmus;
	uint32_t nr_groups;
	struct pfx_env_group *groups;
	uint32_t nr_caches;
	struct pfx_env_cache *caches;
	uint64_t first_sample_ns, last_sample_ns;
	uint64_t mem_block_size;
	uint64_t nr_mem_nodes;
	struct pfx_env_mem_node *mem_nodes;
	uint64_t clockid_res_ns;
	uint64_t dir_version;
	uint32_t comp_version, comp_type, comp_level, comp_ratio, comp_mmap_len;
	uint32_t nr_cpu_caps;
	struct pfx_env_cap *cpu_caps;
	uint32_t clock_version, clockid;
	uint64_t wall_clock_ns, clockid_ns;
	uint32_t nr_hybrid;
	struct pfx_env_hybrid *hybrid;
	uint32_t nr_pmu_caps;
	struct pfx_env_pmu_caps *pmu_caps;
	uint32_t nr_build_ids;
	struct pfx_env_build_id *build_ids;
	uint32_t nr_bpf_progs;
	struct pfx_env_bpf_prog *bpf_progs;
	uint32_t nr_btfs;
	struct pfx_env_btf *btfs;
	uint32_t schedstat_version, max_sched_domains;
	uint32_t nr_cpu_domains;
	struct pfx_env_cpu_domains *cpu_domains;
	uint32_t e_machine, e_flags;
	uint32_t cln_size; /* bytes */
	uint64_t nr_aux_index;
	struct pfx_env_aux_index *aux_index;
	struct pfx_env_blob tracing_data;       /* TRACING_DATA, undecoded */
	struct pfx_env_blob raw[PFX_FEAT_BITS]; /* the bytes of every feature that was read */
};

static inline bool pfx_env_has(const struct pfx_env *env, unsigned feature)
{
	return env->has[feature / 64] >> (feature % 64) & 1;
}

static inline void pfx_env_set(struct pfx_env *env, unsigned feature)
{
	env->has[feature / 64] |= 1ull << (feature % 64);
}

static inline void pfx_env_unset(struct pfx_env *env, unsigned feature)
{
	env->has[feature / 64] &= ~(1ull << (feature % 64));
}

/* Capability @name of the CPU, else of the first PMU that has it; NULL: none. */
const char *pfx_env_find_cap(const struct pfx_env *env, const char *name);

/* "HOSTNAME" for PFX_FEAT_HOSTNAME; NULL for an unknown bit. */
const char *pfx_feature_name(unsigned feature);

#endif
