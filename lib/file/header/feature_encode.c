/* SPDX-License-Identifier: MIT */
/*
 * The counterpart of feature_decode.c: struct pfx_env to the bytes of a section, in the layouts
 * shown there, as perf 6.1 writes them: strings are padded to 64 bytes, because old readers require
 * space after the NUL. Section 7 of Documentation/file-format.md.
 */
#include <string.h>

#include "feature_internal.h"

#define STRING_ALIGN 64

static void put_string(struct pfx_buffer *to, const char *s)
{
	size_t at = to->len;

	pfx_buffer_u32(to, 0);
	pfx_buffer_cstr(to, s ? s : "", STRING_ALIGN);
	pfx_buffer_patch32(to, at, (uint32_t)(to->len - at - 4));
}

static void put_strings(struct pfx_buffer *to, const struct pfx_env_strings *strings)
{
	uint32_t i;

	pfx_buffer_u32(to, strings->nr);
	for (i = 0; i < strings->nr; i++)
		put_string(to, strings->at[i]);
}

static bool put_one(struct pfx_buffer *to, const char *s)
{
	if (s)
		put_string(to, s);
	return s != NULL;
}

static bool encode_hostname(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	return put_one(to, meta->env.hostname);
}

static bool encode_osrelease(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	return put_one(to, meta->env.osrelease);
}

static bool encode_version(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	return put_one(to, meta->env.version);
}

static bool encode_arch(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	return put_one(to, meta->env.arch);
}

static bool encode_cpudesc(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	return put_one(to, meta->env.cpudesc);
}

static bool encode_cpuid(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	return put_one(to, meta->env.cpuid);
}

static bool encode_nrcpus(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	pfx_buffer_u32(to, meta->env.nr_cpus_avail);
	pfx_buffer_u32(to, meta->env.nr_cpus_online);
	return true;
}

static bool encode_total_mem(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	pfx_buffer_u64(to, meta->env.total_mem_kb);
	return true;
}

static bool encode_cmdline(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	put_strings(to, &meta->env.cmdline);
	return true;
}

/* The common size of all attrs of the section: that of the largest. */
static uint32_t common_attr_size(const struct pfx_meta *meta)
{
	uint32_t size = PFX_ATTR_SIZE_VER0, i;

	for (i = 0; i < meta->nr_events; i++)
		if (meta->events[i]->attr.size > size)
			size = meta->events[i]->attr.size;
	return size;
}

static bool encode_event_desc(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	uint32_t size = common_attr_size(meta), i, k;
	const struct pfx_event *event;
	struct pfx_attr attr;

	pfx_buffer_u32(to, meta->nr_events);
	pfx_buffer_u32(to, size);
	for (i = 0; i < meta->nr_events; i++) {
		event = meta->events[i];
		attr = event->attr;
		attr.size = size;
		pfx_attr_encode(&attr, to);
		pfx_buffer_u32(to, event->nr_ids);
		put_string(to, event->name);
		for (k = 0; k < event->nr_ids; k++)
			pfx_buffer_u64(to, event->ids[k]);
	}
	return meta->nr_events > 0;
}

static bool encode_cpu_topology(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	const struct pfx_env_topology *topology = &meta->env.topology;
	uint32_t i;

	put_strings(to, &topology->sockets);
	put_strings(to, &topology->threads);
	for (i = 0; i < topology->nr_cpus; i++) {
		pfx_buffer_u32(to, topology->cpus[i].core_id);
		pfx_buffer_u32(to, topology->cpus[i].socket_id);
	}
	if (!topology->has_dies)
		return true;
	put_strings(to, &topology->dies);
	for (i = 0; i < topology->nr_cpus; i++)
		pfx_buffer_u32(to, topology->cpus[i].die_id);
	return true;
}

static bool encode_numa(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	const struct pfx_env_node *node = meta->env.nodes;
	uint32_t i;

	pfx_buffer_u32(to, meta->env.nr_nodes);
	for (i = 0; i < meta->env.nr_nodes; i++, node++) {
		pfx_buffer_u32(to, node->node);
		pfx_buffer_u64(to, node->total_kb);
		pfx_buffer_u64(to, node->free_kb);
		put_string(to, node->cpus);
	}
	return true;
}

static bool encode_pmus(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	uint32_t i;

	pfx_buffer_u32(to, meta->env.nr_pmus);
	for (i = 0; i < meta->env.nr_pmus; i++) {
		pfx_buffer_u32(to, meta->env.pmus[i].type);
		put_string(to, meta->env.pmus[i].name);
	}
	return true;
}

static bool encode_groups(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	uint32_t i;

	pfx_buffer_u32(to, meta->env.nr_groups);
	for (i = 0; i < meta->env.nr_groups; i++) {
		put_string(to, meta->env.groups[i].name);
		pfx_buffer_u32(to, meta->env.groups[i].leader_idx);
		pfx_buffer_u32(to, meta->env.groups[i].nr_members);
	}
	return true;
}

static bool encode_auxtrace(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	uint64_t i;

	pfx_buffer_u64(to, meta->env.nr_aux_index);
	for (i = 0; i < meta->env.nr_aux_index; i++) {
		pfx_buffer_u64(to, meta->env.aux_index[i].offset);
		pfx_buffer_u64(to, meta->env.aux_index[i].size);
	}
	return true;
}

static bool encode_cache(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	const struct pfx_env_cache *cache = meta->env.caches;
	uint32_t i;

	pfx_buffer_u32(to, 1);
	pfx_buffer_u32(to, meta->env.nr_caches);
	for (i = 0; i < meta->env.nr_caches; i++, cache++) {
		pfx_buffer_u32(to, cache->level);
		pfx_buffer_u32(to, cache->line_size);
		pfx_buffer_u32(to, cache->sets);
		pfx_buffer_u32(to, cache->ways);
		put_string(to, cache->type);
		put_string(to, cache->size);
		put_string(to, cache->map);
	}
	return true;
}

static bool encode_sample_time(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	pfx_buffer_u64(to, meta->env.first_sample_ns);
	pfx_buffer_u64(to, meta->env.last_sample_ns);
	return true;
}

static bool encode_mem_topology(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	const struct pfx_env_mem_node *node = meta->env.mem_nodes;
	uint64_t i, word;

	pfx_buffer_u64(to, 1);
	pfx_buffer_u64(to, meta->env.mem_block_size);
	pfx_buffer_u64(to, meta->env.nr_mem_nodes);
	for (i = 0; i < meta->env.nr_mem_nodes; i++, node++) {
		pfx_buffer_u64(to, node->node);
		pfx_buffer_u64(to, node->nr_bits);
		pfx_buffer_u64(to, node->nr_bits);
		for (word = 0; word < (node->nr_bits + 63) / 64; word++)
			pfx_buffer_u64(to, node->bitmap[word]);
	}
	return true;
}

static bool encode_clockid(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	pfx_buffer_u64(to, meta->env.clockid_res_ns);
	return true;
}

static bool encode_dir_format(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	pfx_buffer_u64(to, meta->env.dir_version);
	return true;
}

static bool encode_bpf(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	const struct pfx_env_bpf_prog *prog = meta->env.bpf_progs;
	uint32_t i;

	pfx_buffer_u32(to, meta->env.nr_bpf_progs);
	for (i = 0; i < meta->env.nr_bpf_progs; i++, prog++) {
		pfx_buffer_u32(to, prog->info_len);
		pfx_buffer_u32(to, prog->data_len);
		pfx_buffer_u64(to, prog->arrays);
		pfx_buffer_bytes(to, prog->info, prog->info_len);
		pfx_buffer_bytes(to, prog->data, prog->data_len);
	}
	return true;
}

static bool encode_btf(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	uint32_t i;

	pfx_buffer_u32(to, meta->env.nr_btfs);
	for (i = 0; i < meta->env.nr_btfs; i++) {
		pfx_buffer_u32(to, meta->env.btfs[i].id);
		pfx_buffer_u32(to, meta->env.btfs[i].size);
		pfx_buffer_bytes(to, meta->env.btfs[i].data, meta->env.btfs[i].size);
	}
	return true;
}

static bool encode_compressed(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	const struct pfx_env *env = &meta->env;

	pfx_buffer_u32(to, env->comp_version);
	pfx_buffer_u32(to, env->comp_type);
	pfx_buffer_u32(to, env->comp_level);
	pfx_buffer_u32(to, env->comp_ratio);
	pfx_buffer_u32(to, env->comp_mmap_len);
	return true;
}

static void put_caps(struct pfx_buffer *to, const struct pfx_env_cap *caps, uint32_t nr)
{
	uint32_t i;

	pfx_buffer_u32(to, nr);
	for (i = 0; i < nr; i++) {
		put_string(to, caps[i].name);
		put_string(to, caps[i].value);
	}
}

static bool encode_cpu_caps(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	put_caps(to, meta->env.cpu_caps, meta->env.nr_cpu_caps);
	return true;
}

static bool encode_clock_data(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	pfx_buffer_u32(to, meta->env.clock_version);
	pfx_buffer_u32(to, meta->env.clockid);
	pfx_buffer_u64(to, meta->env.wall_clock_ns);
	pfx_buffer_u64(to, meta->env.clockid_ns);
	return true;
}

static bool encode_hybrid(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	uint32_t i;

	pfx_buffer_u32(to, meta->env.nr_hybrid);
	for (i = 0; i < meta->env.nr_hybrid; i++) {
		put_string(to, meta->env.hybrid[i].pmu);
		put_string(to, meta->env.hybrid[i].cpus);
	}
	return true;
}

static bool encode_pmu_caps(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	const struct pfx_env_pmu_caps *pmu = meta->env.pmu_caps;
	uint32_t i;

	pfx_buffer_u32(to, meta->env.nr_pmu_caps);
	for (i = 0; i < meta->env.nr_pmu_caps; i++, pmu++) {
		put_caps(to, pmu->caps, pmu->nr);
		put_string(to, pmu->pmu);
	}
	return true;
}

static void put_domains(struct pfx_buffer *to, const struct pfx_env_cpu_domains *cpu,
			uint32_t version)
{
	const struct pfx_env_domain *domain = cpu->domains;
	uint32_t i;

	pfx_buffer_u32(to, cpu->cpu);
	pfx_buffer_u32(to, cpu->nr);
	for (i = 0; i < cpu->nr; i++, domain++) {
		pfx_buffer_u32(to, domain->domain);
		if (version >= 17)
			put_string(to, domain->name);
		put_string(to, domain->cpumask);
		put_string(to, domain->cpulist);
	}
}

static bool encode_cpu_domains(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	const struct pfx_env *env = &meta->env;
	uint32_t i;

	pfx_buffer_u32(to, env->schedstat_version);
	pfx_buffer_u32(to, env->max_sched_domains);
	for (i = 0; i < env->nr_cpu_domains; i++)
		put_domains(to, &env->cpu_domains[i], env->schedstat_version);
	return true;
}

static bool encode_e_machine(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	pfx_buffer_u32(to, meta->env.e_machine);
	pfx_buffer_u32(to, meta->env.e_flags);
	return true;
}

static bool encode_cln_size(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	pfx_buffer_u32(to, meta->env.cln_size);
	return true;
}

/* The size of an entry is a multiple of 64 and 36; the type in its header is 0, as in perf. */
static void put_build_id(struct pfx_buffer *to, const struct pfx_env_build_id *entry)
{
	size_t start = to->len;

	pfx_buffer_u32(to, 0);
	pfx_buffer_u16(to, entry->misc | PFX_MISC_BUILD_ID_SIZE);
	pfx_buffer_u16(to, 0);
	pfx_buffer_u32(to, (uint32_t)entry->pid);
	pfx_buffer_bytes(to, entry->id, PFX_BUILD_ID_MAX);
	pfx_buffer_u8(to, entry->size);
	pfx_buffer_zeros(to, 3);
	pfx_buffer_cstr(to, entry->filename, STRING_ALIGN);
	pfx_buffer_patch16(to, start + 6, (uint16_t)(to->len - start));
}

static bool encode_build_ids(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	const struct pfx_env_build_id *entry = meta->env.build_ids;
	uint32_t i;

	for (i = 0; i < meta->env.nr_build_ids; i++, entry++)
		if (strlen(entry->filename) < 32768)
			put_build_id(to, entry);
	return meta->env.nr_build_ids > 0;
}

static bool encode_tracing_data(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	pfx_buffer_bytes(to, meta->env.tracing_data.at, meta->env.tracing_data.size);
	return meta->env.tracing_data.size > 0;
}

static bool encode_flag(const struct pfx_meta *meta, struct pfx_buffer *to)
{
	return true;
}

pfx_feature_encode_fn pfx_feature_encoder(unsigned feature)
{
	static const pfx_feature_encode_fn encoders[PFX_FEAT_MAX] = {
		[PFX_FEAT_TRACING_DATA] = encode_tracing_data,
		[PFX_FEAT_BUILD_ID] = encode_build_ids,
		[PFX_FEAT_HOSTNAME] = encode_hostname,
		[PFX_FEAT_OSRELEASE] = encode_osrelease,
		[PFX_FEAT_VERSION] = encode_version,
		[PFX_FEAT_ARCH] = encode_arch,
		[PFX_FEAT_NRCPUS] = encode_nrcpus,
		[PFX_FEAT_CPUDESC] = encode_cpudesc,
		[PFX_FEAT_CPUID] = encode_cpuid,
		[PFX_FEAT_TOTAL_MEM] = encode_total_mem,
		[PFX_FEAT_CMDLINE] = encode_cmdline,
		[PFX_FEAT_EVENT_DESC] = encode_event_desc,
		[PFX_FEAT_CPU_TOPOLOGY] = encode_cpu_topology,
		[PFX_FEAT_NUMA_TOPOLOGY] = encode_numa,
		[PFX_FEAT_BRANCH_STACK] = encode_flag,
		[PFX_FEAT_PMU_MAPPINGS] = encode_pmus,
		[PFX_FEAT_GROUP_DESC] = encode_groups,
		[PFX_FEAT_AUXTRACE] = encode_auxtrace,
		[PFX_FEAT_STAT] = encode_flag,
		[PFX_FEAT_CACHE] = encode_cache,
		[PFX_FEAT_SAMPLE_TIME] = encode_sample_time,
		[PFX_FEAT_MEM_TOPOLOGY] = encode_mem_topology,
		[PFX_FEAT_CLOCKID] = encode_clockid,
		[PFX_FEAT_DIR_FORMAT] = encode_dir_format,
		[PFX_FEAT_BPF_PROG_INFO] = encode_bpf,
		[PFX_FEAT_BPF_BTF] = encode_btf,
		[PFX_FEAT_COMPRESSED] = encode_compressed,
		[PFX_FEAT_CPU_PMU_CAPS] = encode_cpu_caps,
		[PFX_FEAT_CLOCK_DATA] = encode_clock_data,
		[PFX_FEAT_HYBRID_TOPOLOGY] = encode_hybrid,
		[PFX_FEAT_PMU_CAPS] = encode_pmu_caps,
		[PFX_FEAT_CPU_DOMAIN_INFO] = encode_cpu_domains,
		[PFX_FEAT_E_MACHINE] = encode_e_machine,
		[PFX_FEAT_CLN_SIZE] = encode_cln_size,
	};

	return feature < PFX_FEAT_MAX ? encoders[feature] : NULL;
}
