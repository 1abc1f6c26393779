/* SPDX-License-Identifier: MIT */
/*
 * Features as lines for `--header`, one "# label : value" or more for each. Scripts parse them, so
 * labels, blanks and order are perf's. All text of the recording is escaped.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/ns.h"
#include "event/names.h"
#include "feature_internal.h"

static void add_text(struct pfx_str *to, const char *s)
{
	if (s)
		pfx_str_add_foreign(to, s);
}

static void add_line(struct pfx_str *to, const char *label, const char *s)
{
	pfx_str_addf(to, "# %s : ", label);
	add_text(to, s);
	pfx_str_addc(to, '\n');
}

static void text_hostname(const struct pfx_meta *meta, struct pfx_str *to)
{
	add_line(to, "hostname", meta->env.hostname);
}

static void text_osrelease(const struct pfx_meta *meta, struct pfx_str *to)
{
	add_line(to, "os release", meta->env.osrelease);
}

static void text_version(const struct pfx_meta *meta, struct pfx_str *to)
{
	add_line(to, "perf version", meta->env.version);
}

static void text_arch(const struct pfx_meta *meta, struct pfx_str *to)
{
	add_line(to, "arch", meta->env.arch);
}

static void text_cpudesc(const struct pfx_meta *meta, struct pfx_str *to)
{
	add_line(to, "cpudesc", meta->env.cpudesc);
}

static void text_cpuid(const struct pfx_meta *meta, struct pfx_str *to)
{
	add_line(to, "cpuid", meta->env.cpuid);
}

static void text_nrcpus(const struct pfx_meta *meta, struct pfx_str *to)
{
	pfx_str_addf(to, "# nrcpus online : %u\n# nrcpus avail : %u\n", meta->env.nr_cpus_online,
		     meta->env.nr_cpus_avail);
}

static void text_total_mem(const struct pfx_meta *meta, struct pfx_str *to)
{
	pfx_str_addf(to, "# total memory : %llu kB\n", (unsigned long long)meta->env.total_mem_kb);
}

/* A quote inside a word is shown with a backslash. */
static void text_cmdline(const struct pfx_meta *meta, struct pfx_str *to)
{
	const struct pfx_env_strings *words = &meta->env.cmdline;
	const char *at, *quote;
	uint32_t i;

	pfx_str_add(to, "# cmdline : ");
	for (i = 0; i < words->nr; i++) {
		for (at = words->at[i]; (quote = strchr(at, '\'')); at = quote + 1) {
			pfx_str_add_escaped(to, at, (size_t)(quote - at));
			pfx_str_add(to, "\\'");
		}
		add_text(to, at);
		pfx_str_addc(to, ' ');
	}
	pfx_str_addc(to, '\n');
}

/* `key: value, key: value` as `, key = value`. */
static void add_attr(struct pfx_str *to, const struct pfx_attr *attr)
{
	struct pfx_str text = {0};
	const char *at, *colon;

	pfx_attr_text(attr, &text);
	if (text.len)
		pfx_str_add(to, ", ");
	for (at = pfx_str_get(&text); (colon = strstr(at, ": ")); at = colon + 2) {
		pfx_str_addn(to, at, (size_t)(colon - at));
		pfx_str_add(to, " = ");
	}
	pfx_str_add(to, at);
	pfx_str_fini(&text);
}

static void add_ids(struct pfx_str *to, const struct pfx_words *ids)
{
	uint64_t i;

	if (!ids->nr)
		return;
	pfx_str_add(to, ", id = {");
	for (i = 0; i < ids->nr; i++)
		pfx_str_addf(to, "%s %llu", i ? "," : "", (unsigned long long)pfx_word(ids, i));
	pfx_str_add(to, " }");
}

static void text_event_desc(const struct pfx_meta *meta, struct pfx_str *to)
{
	const struct pfx_env_blob *raw = &meta->env.raw[PFX_FEAT_EVENT_DESC];
	struct pfx_cursor c =
		pfx_cursor_make(raw->size ? (const void *)raw->at : "", raw->size, meta->swap);
	struct pfx_meta scratch = {.swap = meta->swap};
	uint32_t attr_size, nr = pfx_event_desc_begin(&c, &attr_size);
	struct pfx_event_desc desc;

	if (!nr)
		pfx_str_add(to, "# event desc: not available or unable to read\n");
	for (; nr && pfx_event_desc_next(&scratch, &c, attr_size, &desc); nr--) {
		pfx_str_add(to, "# event : name = ");
		add_text(to, desc.name);
		pfx_str_add(to, ", ");
		add_ids(to, &desc.ids);
		add_attr(to, &desc.attr);
		pfx_str_addc(to, '\n');
	}
	pfx_arena_clear(&scratch.arena);
}

static void add_list(struct pfx_str *to, const char *label, const struct pfx_env_strings *list)
{
	uint32_t i;

	for (i = 0; i < list->nr; i++) {
		pfx_str_addf(to, "# sibling %s : ", label);
		add_text(to, list->at[i]);
		pfx_str_addc(to, '\n');
	}
}

static void text_cpu_topology(const struct pfx_meta *meta, struct pfx_str *to)
{
	const struct pfx_env_topology *topology = &meta->env.topology;
	const struct pfx_env_cpu *cpu = topology->cpus;
	uint32_t i;

	add_list(to, "sockets", &topology->sockets);
	add_list(to, "dies   ", &topology->dies);
	add_list(to, "threads", &topology->threads);
	if (!topology->nr_cpus)
		pfx_str_add(to, "# Core ID and Socket ID information is not available\n");
	for (i = 0; i < topology->nr_cpus; i++, cpu++) {
		pfx_str_addf(to, "# CPU %u: Core ID %d, ", i, (int)cpu->core_id);
		if (topology->dies.nr)
			pfx_str_addf(to, "Die ID %d, ", (int)cpu->die_id);
		pfx_str_addf(to, "Socket ID %d\n", (int)cpu->socket_id);
	}
}

static void text_numa(const struct pfx_meta *meta, struct pfx_str *to)
{
	const struct pfx_env_node *node = meta->env.nodes;
	uint32_t i;

	for (i = 0; i < meta->env.nr_nodes; i++, node++) {
		pfx_str_addf(to, "# node%u meminfo  : total = %llu kB, free = %llu kB\n",
			     node->node, (unsigned long long)node->total_kb,
			     (unsigned long long)node->free_kb);
		pfx_str_addf(to, "# node%u cpu list : ", node->node);
		add_text(to, node->cpus);
		pfx_str_addc(to, '\n');
	}
}

static void text_branch_stack(const struct pfx_meta *meta, struct pfx_str *to)
{
	pfx_str_add(to, "# contains samples with branch stack\n");
}

static void text_auxtrace(const struct pfx_meta *meta, struct pfx_str *to)
{
	pfx_str_add(to, "# contains AUX area data (e.g. instruction trace)\n");
}

static void text_stat(const struct pfx_meta *meta, struct pfx_str *to)
{
	pfx_str_add(to, "# contains stat data\n");
}

static void text_pmus(const struct pfx_meta *meta, struct pfx_str *to)
{
	uint32_t i;

	pfx_str_add(to, "# pmu mappings: ");
	for (i = 0; i < meta->env.nr_pmus; i++) {
		pfx_str_add(to, i ? ", " : "");
		add_text(to, meta->env.pmus[i].name);
		pfx_str_addf(to, " = %u", meta->env.pmus[i].type);
	}
	pfx_str_add(to, meta->env.nr_pmus ? "\n" : "not available\n");
}

static void text_group(const struct pfx_meta *meta, const struct pfx_env_group *group,
		       struct pfx_str *to)
{
	uint32_t i;

	pfx_str_add(to, "# group: ");
	if (strcmp(group->name, "{anon_group}"))
		add_text(to, group->name);
	for (i = 0; i < group->nr_members; i++) {
		pfx_str_addc(to, i ? ',' : '{');
		add_text(to, meta->events[group->leader_idx + i]->name);
	}
	pfx_str_add(to, "}\n");
}

static void text_groups(const struct pfx_meta *meta, struct pfx_str *to)
{
	const struct pfx_env_group *group = meta->env.groups;
	uint64_t from = 0, end;
	uint32_t i;

	for (i = 0; i < meta->env.nr_groups; i++, group++) {
		end = (uint64_t)group->leader_idx + group->nr_members;
		if (group->nr_members < 2 || group->leader_idx < from || end > meta->nr_events)
			continue;
		text_group(meta, group, to);
		from = end;
	}
}

static void text_cache(const struct pfx_meta *meta, struct pfx_str *to)
{
	const struct pfx_env_cache *cache = meta->env.caches;
	char type[64], size[64];
	uint32_t i;

	pfx_str_add(to, "# CPU cache info:\n");
	for (i = 0; i < meta->env.nr_caches; i++, cache++) {
		pfx_str_addf(to, "#  L%u %-15s %8s [", cache->level,
			     pfx_escape(type, sizeof(type), cache->type),
			     pfx_escape(size, sizeof(size), cache->size));
		add_text(to, cache->map);
		pfx_str_add(to, "]\n");
	}
}

static void add_time(struct pfx_str *to, const char *label, uint64_t ns)
{
	pfx_str_addf(to, "# %s : %llu.%06llu\n", label,
		     (unsigned long long)(ns / PFX_NS_PER_SECOND),
		     (unsigned long long)(ns % PFX_NS_PER_SECOND / 1000));
}

static void text_sample_time(const struct pfx_meta *meta, struct pfx_str *to)
{
	const struct pfx_env *env = &meta->env;

	add_time(to, "time of first sample", env->first_sample_ns);
	add_time(to, "time of last sample", env->last_sample_ns);
	pfx_str_addf(to, "# sample duration : %10.3f ms\n",
		     (double)(env->last_sample_ns - env->first_sample_ns) / 1e6);
}

static bool bit(const struct pfx_env_mem_node *node, uint64_t i)
{
	return node->bitmap[i / 64] >> (i % 64) & 1;
}

/* The set bits as "0-23,32-199"; returns how many there are. */
static uint64_t add_bits(struct pfx_str *to, const struct pfx_env_mem_node *node)
{
	uint64_t i, first, set = 0;

	for (i = 0; i < node->nr_bits; i++) {
		if (!bit(node, i))
			continue;
		for (first = i; i + 1 < node->nr_bits && bit(node, i + 1); i++)
			;
		pfx_str_addf(to, "%s%llu", set ? "," : "", (unsigned long long)first);
		if (i > first)
			pfx_str_addf(to, "-%llu", (unsigned long long)i);
		set += i - first + 1;
	}
	return set;
}

static void text_mem_node(struct pfx_str *to, const struct pfx_env_mem_node *node, uint64_t block)
{
	struct pfx_str bits = {0};
	uint64_t size = block * add_bits(&bits, node);
	const char *unit = "BKMG";

	for (; size / 1024 > 1 && unit[1]; unit++)
		size /= 1024;
	pfx_str_addf(to, "# %4llu [%llu%c]: %s\n", (unsigned long long)node->node,
		     (unsigned long long)size, *unit, pfx_str_get(&bits));
	pfx_str_fini(&bits);
}

static void text_mem_topology(const struct pfx_meta *meta, struct pfx_str *to)
{
	uint64_t i;

	pfx_str_addf(to, "# memory nodes (nr %llu, block size 0x%llx):\n",
		     (unsigned long long)meta->env.nr_mem_nodes,
		     (unsigned long long)meta->env.mem_block_size);
	for (i = 0; i < meta->env.nr_mem_nodes; i++)
		text_mem_node(to, &meta->env.mem_nodes[i], meta->env.mem_block_size);
}

static void text_clockid(const struct pfx_meta *meta, struct pfx_str *to)
{
	pfx_str_addf(to, "# clockid frequency: %llu MHz\n",
		     (unsigned long long)meta->env.clockid_res_ns * 1000);
}

static void text_dir_format(const struct pfx_meta *meta, struct pfx_str *to)
{
	pfx_str_addf(to, "# directory data version : %llu\n",
		     (unsigned long long)meta->env.dir_version);
}

static void text_compressed(const struct pfx_meta *meta, struct pfx_str *to)
{
	pfx_str_addf(to, "# compressed : %s, level = %u, ratio = %u\n",
		     meta->env.comp_type == 1 ? "Zstd" : "Unknown", meta->env.comp_level,
		     meta->env.comp_ratio);
}

static void add_caps(struct pfx_str *to, const char *pmu, const struct pfx_env_cap *caps,
		     uint32_t nr)
{
	uint32_t i;

	pfx_str_add(to, "# ");
	add_text(to, pmu);
	pfx_str_add(to, " pmu capabilities: ");
	for (i = 0; i < nr; i++) {
		pfx_str_add(to, i ? ", " : "");
		add_text(to, caps[i].name);
		pfx_str_addc(to, '=');
		add_text(to, caps[i].value);
	}
	pfx_str_add(to, nr ? "\n" : "not available\n");
}

static void text_cpu_caps(const struct pfx_meta *meta, struct pfx_str *to)
{
	add_caps(to, "cpu", meta->env.cpu_caps, meta->env.nr_cpu_caps);
}

static void text_pmu_caps(const struct pfx_meta *meta, struct pfx_str *to)
{
	const struct pfx_env_pmu_caps *pmu = meta->env.pmu_caps;
	uint32_t i;

	for (i = 0; i < meta->env.nr_pmu_caps; i++, pmu++)
		add_caps(to, pmu->pmu, pmu->caps, pmu->nr);
}

static const char *clock_name(uint32_t clockid)
{
	switch (clockid) {
	case 0:
		return "realtime";
	case 1:
		return "monotonic";
	case 4:
		return "monotonic_raw";
	case 7:
		return "boottime";
	case 11:
		return "tai";
	default:
		return "unknown";
	}
}

static void text_clock_data(const struct pfx_meta *meta, struct pfx_str *to)
{
	const struct pfx_env *env = &meta->env;
	time_t seconds = (time_t)(env->wall_clock_ns / PFX_NS_PER_SECOND);
	unsigned long us = env->wall_clock_ns % PFX_NS_PER_SECOND / 1000;
	const char *name = clock_name(env->clockid);
	char day[64] = "?";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(day, sizeof(day), "%F %T", &tm);
	pfx_str_addf(to, "# clockid: %s (%u)\n", name, env->clockid);
	pfx_str_addf(to, "# reference time: %s.%06lu = %lld.%06lu (TOD) = %llu.%09llu (%s)\n", day,
		     us, (long long)seconds, us,
		     (unsigned long long)(env->clockid_ns / PFX_NS_PER_SECOND),
		     (unsigned long long)(env->clockid_ns % PFX_NS_PER_SECOND), name);
}

static void text_hybrid(const struct pfx_meta *meta, struct pfx_str *to)
{
	uint32_t i;

	pfx_str_add(to, "# hybrid cpu system:\n");
	for (i = 0; i < meta->env.nr_hybrid; i++) {
		pfx_str_add(to, "# ");
		add_text(to, meta->env.hybrid[i].pmu);
		pfx_str_add(to, " cpu list : ");
		add_text(to, meta->env.hybrid[i].cpus);
		pfx_str_addc(to, '\n');
	}
}

static void text_domain(struct pfx_str *to, const struct pfx_env_domain *domain)
{
	pfx_str_addf(to, "# Domain           : %u\n", domain->domain);
	if (domain->name) {
		pfx_str_add(to, "# Domain name      : ");
		add_text(to, domain->name);
		pfx_str_addc(to, '\n');
	}
	pfx_str_add(to, "# Domain cpu map   : ");
	add_text(to, domain->cpumask);
	pfx_str_add(to, "\n# Domain cpu list  : ");
	add_text(to, domain->cpulist);
	pfx_str_addc(to, '\n');
}

static void text_cpu_domains(const struct pfx_meta *meta, struct pfx_str *to)
{
	const struct pfx_env_cpu_domains *cpu = meta->env.cpu_domains;
	uint32_t i, k;

	pfx_str_addf(to, "# schedstat version : %u\n# Maximum sched domains : %u\n",
		     meta->env.schedstat_version, meta->env.max_sched_domains);
	for (i = 0; i < meta->env.nr_cpu_domains; i++, cpu++) {
		pfx_str_addf(to, "# cpu : %u\n# nr_domains : %u\n", cpu->cpu, cpu->nr);
		for (k = 0; k < cpu->nr; k++)
			text_domain(to, &cpu->domains[k]);
	}
}

static void text_e_machine(const struct pfx_meta *meta, struct pfx_str *to)
{
	pfx_str_addf(to, "# e_machine : %u\n#   e_flags : %u\n", meta->env.e_machine,
		     meta->env.e_flags);
}

static void text_cln_size(const struct pfx_meta *meta, struct pfx_str *to)
{
	pfx_str_addf(to, "# cacheline size: %u\n", meta->env.cln_size);
}

pfx_feature_text_fn pfx_feature_printer(unsigned feature)
{
	static const pfx_feature_text_fn printers[PFX_FEAT_MAX] = {
		[PFX_FEAT_HOSTNAME] = text_hostname,
		[PFX_FEAT_OSRELEASE] = text_osrelease,
		[PFX_FEAT_VERSION] = text_version,
		[PFX_FEAT_ARCH] = text_arch,
		[PFX_FEAT_NRCPUS] = text_nrcpus,
		[PFX_FEAT_CPUDESC] = text_cpudesc,
		[PFX_FEAT_CPUID] = text_cpuid,
		[PFX_FEAT_TOTAL_MEM] = text_total_mem,
		[PFX_FEAT_CMDLINE] = text_cmdline,
		[PFX_FEAT_EVENT_DESC] = text_event_desc,
		[PFX_FEAT_CPU_TOPOLOGY] = text_cpu_topology,
		[PFX_FEAT_NUMA_TOPOLOGY] = text_numa,
		[PFX_FEAT_BRANCH_STACK] = text_branch_stack,
		[PFX_FEAT_PMU_MAPPINGS] = text_pmus,
		[PFX_FEAT_GROUP_DESC] = text_groups,
		[PFX_FEAT_AUXTRACE] = text_auxtrace,
		[PFX_FEAT_STAT] = text_stat,
		[PFX_FEAT_CACHE] = text_cache,
		[PFX_FEAT_SAMPLE_TIME] = text_sample_time,
		[PFX_FEAT_MEM_TOPOLOGY] = text_mem_topology,
		[PFX_FEAT_CLOCKID] = text_clockid,
		[PFX_FEAT_DIR_FORMAT] = text_dir_format,
		[PFX_FEAT_BPF_PROG_INFO] = pfx_feature_text_bpf,
		[PFX_FEAT_BPF_BTF] = pfx_feature_text_btf,
		[PFX_FEAT_COMPRESSED] = text_compressed,
		[PFX_FEAT_CPU_PMU_CAPS] = text_cpu_caps,
		[PFX_FEAT_CLOCK_DATA] = text_clock_data,
		[PFX_FEAT_HYBRID_TOPOLOGY] = text_hybrid,
		[PFX_FEAT_PMU_CAPS] = text_pmu_caps,
		[PFX_FEAT_CPU_DOMAIN_INFO] = text_cpu_domains,
		[PFX_FEAT_E_MACHINE] = text_e_machine,
		[PFX_FEAT_CLN_SIZE] = text_cln_size,
	};

	return feature < PFX_FEAT_MAX ? printers[feature] : NULL;
}
