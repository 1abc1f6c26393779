/* SPDX-License-Identifier: MIT */
/*
 * Feature sections to struct pfx_env. Layouts, all integers in the recorder's byte order, S is a
 * string {u32 len, bytes}:
 *
 *	NRCPUS		u32 available, online
 *	CMDLINE		u32 n, S[n]
 *	EVENT_DESC	u32 n, attr size; {attr, u32 nr ids, S name, u64 ids[]}[n]
 *	CPU_TOPOLOGY	u32 n, S sockets[n]; u32 n, S threads[n]; {u32 core, socket}[cpus];
 *			u32 n, S dies[n]; u32 die[cpus]	(old files stop early)
 *	NUMA_TOPOLOGY	u32 n; {u32 node, u64 total, free, S cpus}[n]
 *	PMU_MAPPINGS	u32 n; {u32 type, S name}[n]
 *	GROUP_DESC	u32 n; {S name, u32 leader, members}[n]
 *	AUXTRACE	u64 n; {u64 offset, size}[n]
 *	CACHE		u32 version, n; {u32 level, line, sets, ways, S type, size, map}[n]
 *	MEM_TOPOLOGY	u64 version, block size, n; {u64 node, size, bits, words[]}[n]
 *	COMPRESSED	u32 version, type, level, ratio, mmap length
 *	CPU_PMU_CAPS	u32 n; {S name, value}[n]
 *	CLOCK_DATA	u32 version, clockid; u64 wall clock, clock
 *	HYBRID		u32 n; {S pmu, cpus}[n]
 *	PMU_CAPS	u32 n; {u32 m; {S name, value}[m]; S pmu}[n]
 *	CPU_DOMAINS	u32 version, max; {u32 cpu, n; {u32 domain, S name (from version 17),
 *			S mask, list}[n]} to the end
 *	BUILD_ID	{header, s32 pid, id[20], u8 size, pad[3], name[]} to the end
 *
 * A count is valid only if its elements could fit. Numbers of sections are those of
 * Documentation/file-format.md.
 */
#include <errno.h>
#include <string.h>

#include "feature_internal.h"

#define BUILD_ID_ENTRY_MIN 36 /* record header, pid, id and its size */
#define OLD_NAME_AT        24 /* of an entry without pid, after the record header */

/* {u32 len, bytes with NUL}, as all strings of the features. Borrowed if it ends with NUL. */
static const char *take_string(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint32_t len = pfx_cursor_u32(c);
	const char *s = (const char *)pfx_cursor_bytes(c, len);

	if (!s || !len)
		return "";
	if (memchr(s, 0, len))
		return s;
	return pfx_arena_strndup(&meta->arena, s, len);
}

/* A count of elements that have at least @size bytes each. */
static uint32_t read_count(struct pfx_cursor *c, size_t size)
{
	uint32_t nr = pfx_cursor_u32(c);

	return pfx_cursor_fits(c, nr, size) ? nr : 0;
}

static struct pfx_env_strings read_strings(struct pfx_meta *meta, struct pfx_cursor *c)
{
	struct pfx_env_strings ret = {read_count(c, 4), NULL};
	uint32_t i;

	ret.at = pfx_arena_array(&meta->arena, const char *, ret.nr);
	for (i = 0; i < ret.nr; i++)
		ret.at[i] = take_string(meta, c);
	return ret;
}

static bool decode_string(struct pfx_meta *meta, struct pfx_cursor *c, const char **to)
{
	const char *s = take_string(meta, c);

	if (pfx_cursor_ok(c))
		*to = s;
	return pfx_cursor_ok(c);
}

/* 7.3 */
static bool decode_hostname(struct pfx_meta *meta, struct pfx_cursor *c)
{
	return decode_string(meta, c, &meta->env.hostname);
}

/* 7.4 */
static bool decode_osrelease(struct pfx_meta *meta, struct pfx_cursor *c)
{
	return decode_string(meta, c, &meta->env.osrelease);
}

/* 7.5 */
static bool decode_version(struct pfx_meta *meta, struct pfx_cursor *c)
{
	return decode_string(meta, c, &meta->env.version);
}

/* 7.6 */
static bool decode_arch(struct pfx_meta *meta, struct pfx_cursor *c)
{
	return decode_string(meta, c, &meta->env.arch);
}

/* 7.8 */
static bool decode_cpudesc(struct pfx_meta *meta, struct pfx_cursor *c)
{
	return decode_string(meta, c, &meta->env.cpudesc);
}

/* 7.9 */
static bool decode_cpuid(struct pfx_meta *meta, struct pfx_cursor *c)
{
	return decode_string(meta, c, &meta->env.cpuid);
}

/* 7.7 */
static bool decode_nrcpus(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint32_t avail = pfx_cursor_u32(c), online = pfx_cursor_u32(c);

	if (!pfx_cursor_ok(c))
		return false;
	meta->env.nr_cpus_avail = avail;
	meta->env.nr_cpus_online = online;
	return true;
}

/* 7.10 */
static bool decode_total_mem(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint64_t kb = pfx_cursor_u64(c);

	if (pfx_cursor_ok(c))
		meta->env.total_mem_kb = kb;
	return pfx_cursor_ok(c);
}

/* 7.11 */
static bool decode_cmdline(struct pfx_meta *meta, struct pfx_cursor *c)
{
	struct pfx_env_strings words = read_strings(meta, c);

	if (pfx_cursor_ok(c))
		meta->env.cmdline = words;
	return pfx_cursor_ok(c);
}

uint32_t pfx_event_desc_begin(struct pfx_cursor *c, uint32_t *ret_attr_size)
{
	uint32_t nr = pfx_cursor_u32(c);

	*ret_attr_size = pfx_cursor_u32(c);
	if (*ret_attr_size < PFX_ATTR_SIZE_VER0) {
		c->failed = true;
		return 0;
	}
	return pfx_cursor_fits(c, nr, (size_t)*ret_attr_size + 8) ? nr : 0;
}

bool pfx_event_desc_next(struct pfx_meta *meta, struct pfx_cursor *c, uint32_t attr_size,
			 struct pfx_event_desc *ret)
{
	const uint8_t *attr = pfx_cursor_bytes(c, attr_size);
	uint32_t nr = pfx_cursor_u32(c);
	struct pfx_error ignored;

	memset(ret, 0, sizeof(*ret));
	ret->name = take_string(meta, c);
	if (!attr || !pfx_cursor_fits(c, nr, 8))
		return false;
	ret->ids.at = pfx_cursor_bytes(c, 8 * (size_t)nr);
	ret->ids.nr = nr;
	ret->ids.swap = c->swap;
	if (pfx_attr_decode(attr, attr_size, c->swap, &ret->attr, &ignored) < 0)
		c->failed = true;
	return pfx_cursor_ok(c);
}

/* 7.12 */
static bool decode_event_desc(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint32_t attr_size, nr = pfx_event_desc_begin(c, &attr_size), i;
	struct pfx_event_desc desc;
	struct pfx_event *event;
	uint64_t id;

	for (i = 0; i < nr; i++) {
		if (!pfx_event_desc_next(meta, c, attr_size, &desc))
			return false;
		event = i < meta->nr_events ? meta->events[i] : NULL;
		if (!event)
			continue;
		if (*desc.name)
			pfx_meta_name_event(meta, event, desc.name);
		for (id = 0; !event->nr_ids && id < desc.ids.nr; id++)
			pfx_meta_add_id(meta, event, pfx_word(&desc.ids, id));
	}
	return pfx_cursor_ok(c);
}

static void read_core_ids(struct pfx_meta *meta, struct pfx_cursor *c,
			  struct pfx_env_topology *topology)
{
	uint32_t nr = meta->env.nr_cpus_avail, i;

	if (!nr || nr > pfx_cursor_left(c) / 8)
		return;
	topology->nr_cpus = nr;
	topology->cpus = pfx_arena_array(&meta->arena, struct pfx_env_cpu, nr);
	for (i = 0; i < nr; i++) {
		topology->cpus[i].core_id = pfx_cursor_u32(c);
		topology->cpus[i].socket_id = pfx_cursor_u32(c);
	}
}

static void read_die_ids(struct pfx_meta *meta, struct pfx_cursor *c,
			 struct pfx_env_topology *topology)
{
	uint32_t i;

	if (!topology->nr_cpus || pfx_cursor_left(c) < 4)
		return;
	topology->dies = read_strings(meta, c);
	if (!pfx_cursor_fits(c, topology->nr_cpus, 4))
		return;
	topology->has_dies = true;
	for (i = 0; i < topology->nr_cpus; i++)
		topology->cpus[i].die_id = pfx_cursor_u32(c);
}

/* 7.13 */
static bool decode_cpu_topology(struct pfx_meta *meta, struct pfx_cursor *c)
{
	struct pfx_env_topology topology = {.sockets = read_strings(meta, c)};

	topology.threads = read_strings(meta, c);
	read_core_ids(meta, c, &topology);
	read_die_ids(meta, c, &topology);
	if (pfx_cursor_ok(c))
		meta->env.topology = topology;
	return pfx_cursor_ok(c);
}

/* 7.14 */
static bool decode_numa(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint32_t nr = read_count(c, 24), i;
	struct pfx_env_node *nodes = pfx_arena_array(&meta->arena, struct pfx_env_node, nr);

	for (i = 0; i < nr; i++) {
		nodes[i].node = pfx_cursor_u32(c);
		nodes[i].total_kb = pfx_cursor_u64(c);
		nodes[i].free_kb = pfx_cursor_u64(c);
		nodes[i].cpus = take_string(meta, c);
	}
	if (!pfx_cursor_ok(c))
		return false;
	meta->env.nodes = nodes;
	meta->env.nr_nodes = nr;
	return true;
}

/* 7.16 */
static bool decode_pmus(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint32_t nr = read_count(c, 8), i;
	struct pfx_env_pmu *pmus = pfx_arena_array(&meta->arena, struct pfx_env_pmu, nr);

	for (i = 0; i < nr; i++) {
		pmus[i].type = pfx_cursor_u32(c);
		pmus[i].name = take_string(meta, c);
	}
	if (!pfx_cursor_ok(c))
		return false;
	meta->env.pmus = pmus;
	meta->env.nr_pmus = nr;
	return true;
}

/* Set the leader of the events of a group. Groups are in the order of events, from event @from on;
 * returns the first possible event of the next group. */
static uint64_t apply_group(struct pfx_meta *meta, const struct pfx_env_group *group, uint64_t from)
{
	uint64_t i, end = (uint64_t)group->leader_idx + group->nr_members;

	if (group->leader_idx < from || end > meta->nr_events || !group->nr_members)
		return from;
	meta->events[group->leader_idx]->nr_members = group->nr_members;
	for (i = group->leader_idx; i < end; i++)
		meta->events[i]->leader = group->leader_idx;
	return end;
}

/* 7.17 */
static bool decode_groups(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint32_t nr = read_count(c, 12), i;
	struct pfx_env_group *groups = pfx_arena_array(&meta->arena, struct pfx_env_group, nr);
	uint64_t from = 0;

	if (pfx_env_has(&meta->env, PFX_FEAT_GROUP_DESC))
		return true; /* only once: a stream may repeat it, and each pass takes time in
				proportion to the events */
	for (i = 0; i < nr; i++) {
		groups[i].name = take_string(meta, c);
		groups[i].leader_idx = pfx_cursor_u32(c);
		groups[i].nr_members = pfx_cursor_u32(c);
	}
	if (!pfx_cursor_ok(c))
		return false;
	for (i = 0; i < nr; i++)
		from = apply_group(meta, &groups[i], from);
	meta->env.groups = groups;
	meta->env.nr_groups = nr;
	return true;
}

/* 7.18; simpleperf omits the count (14); then it follows from the section's size. */
static bool decode_auxtrace(struct pfx_meta *meta, struct pfx_cursor *c)
{
	bool has_nr = pfx_cursor_left(c) % 16;
	uint64_t nr = has_nr ? pfx_cursor_u64(c) : pfx_cursor_left(c) / 16, i;
	struct pfx_env_aux_index *index;

	if (!pfx_cursor_fits(c, nr, 16))
		return false;
	index = pfx_arena_array(&meta->arena, struct pfx_env_aux_index, nr);
	for (i = 0; i < nr; i++) {
		index[i].offset = pfx_cursor_u64(c);
		index[i].size = pfx_cursor_u64(c);
	}
	meta->env.aux_index = index;
	meta->env.nr_aux_index = nr;
	return true;
}

/* 7.20 */
static bool decode_cache(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint32_t version = pfx_cursor_u32(c), nr = read_count(c, 28), i;
	struct pfx_env_cache *caches = pfx_arena_array(&meta->arena, struct pfx_env_cache, nr);

	for (i = 0; i < nr; i++) {
		caches[i].level = pfx_cursor_u32(c);
		caches[i].line_size = pfx_cursor_u32(c);
		caches[i].sets = pfx_cursor_u32(c);
		caches[i].ways = pfx_cursor_u32(c);
		caches[i].type = take_string(meta, c);
		caches[i].size = take_string(meta, c);
		caches[i].map = take_string(meta, c);
	}
	if (!pfx_cursor_ok(c) || version != 1)
		return false;
	meta->env.caches = caches;
	meta->env.nr_caches = nr;
	return true;
}

/* 7.21 */
static bool decode_sample_time(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint64_t first = pfx_cursor_u64(c), last = pfx_cursor_u64(c);

	if (!pfx_cursor_ok(c))
		return false;
	meta->env.first_sample_ns = first;
	meta->env.last_sample_ns = last;
	return true;
}

static bool read_mem_node(struct pfx_meta *meta, struct pfx_cursor *c,
			  struct pfx_env_mem_node *node)
{
	uint64_t i, nr, *words;

	node->node = pfx_cursor_u64(c);
	pfx_cursor_skip(c, 8);
	node->nr_bits = pfx_cursor_u64(c);
	nr = node->nr_bits / 64 + (node->nr_bits % 64 != 0);
	if (!pfx_cursor_fits(c, nr, 8))
		return false;
	words = pfx_arena_array(&meta->arena, uint64_t, nr);
	for (i = 0; i < nr; i++)
		words[i] = pfx_cursor_u64(c);
	node->bitmap = words;
	return true;
}

/* 7.22 */
static bool decode_mem_topology(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint64_t version = pfx_cursor_u64(c), block = pfx_cursor_u64(c), nr = pfx_cursor_u64(c);
	struct pfx_env_mem_node *nodes;
	uint64_t i;

	if (version != 1 || !pfx_cursor_fits(c, nr, 24))
		return false;
	nodes = pfx_arena_array(&meta->arena, struct pfx_env_mem_node, nr);
	for (i = 0; i < nr; i++)
		if (!read_mem_node(meta, c, &nodes[i]))
			return false;
	meta->env.mem_block_size = block;
	meta->env.mem_nodes = nodes;
	meta->env.nr_mem_nodes = nr;
	return true;
}

/* 7.23 */
static bool decode_clockid(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint64_t res = pfx_cursor_u64(c);

	if (pfx_cursor_ok(c))
		meta->env.clockid_res_ns = res;
	return pfx_cursor_ok(c);
}

/* 7.24 */
static bool decode_dir_format(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint64_t version = pfx_cursor_u64(c);

	if (pfx_cursor_ok(c))
		meta->env.dir_version = version;
	return pfx_cursor_ok(c);
}

/* 7.27 */
static bool decode_compressed(struct pfx_meta *meta, struct pfx_cursor *c)
{
	struct pfx_env *env = &meta->env;
	uint32_t v[5];
	unsigned i;

	for (i = 0; i < 5; i++)
		v[i] = pfx_cursor_u32(c);
	if (!pfx_cursor_ok(c))
		return false;
	env->comp_version = v[0];
	env->comp_type = v[1];
	env->comp_level = v[2];
	env->comp_ratio = v[3];
	env->comp_mmap_len = v[4];
	return true;
}

static struct pfx_env_cap *read_caps(struct pfx_meta *meta, struct pfx_cursor *c, uint32_t *ret_nr)
{
	uint32_t nr = read_count(c, 8), i;
	struct pfx_env_cap *caps = pfx_arena_array(&meta->arena, struct pfx_env_cap, nr);

	for (i = 0; i < nr; i++) {
		caps[i].name = take_string(meta, c);
		caps[i].value = take_string(meta, c);
	}
	*ret_nr = nr;
	return caps;
}

/* 7.28 */
static bool decode_cpu_caps(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint32_t nr;
	struct pfx_env_cap *caps = read_caps(meta, c, &nr);

	if (!pfx_cursor_ok(c))
		return false;
	meta->env.cpu_caps = caps;
	meta->env.nr_cpu_caps = nr;
	return true;
}

/* 7.29 */
static bool decode_clock_data(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint32_t version = pfx_cursor_u32(c), clockid = pfx_cursor_u32(c);
	uint64_t wall = pfx_cursor_u64(c), clock = pfx_cursor_u64(c);

	if (!pfx_cursor_ok(c))
		return false;
	meta->env.clock_version = version;
	meta->env.clockid = clockid;
	meta->env.wall_clock_ns = wall;
	meta->env.clockid_ns = clock;
	return true;
}

/* 7.30 */
static bool decode_hybrid(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint32_t nr = read_count(c, 8), i;
	struct pfx_env_hybrid *hybrid = pfx_arena_array(&meta->arena, struct pfx_env_hybrid, nr);

	for (i = 0; i < nr; i++) {
		hybrid[i].pmu = take_string(meta, c);
		hybrid[i].cpus = take_string(meta, c);
	}
	if (!pfx_cursor_ok(c))
		return false;
	meta->env.hybrid = hybrid;
	meta->env.nr_hybrid = nr;
	return true;
}

/* 7.31 */
static bool decode_pmu_caps(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint32_t nr = read_count(c, 8), i;
	struct pfx_env_pmu_caps *caps = pfx_arena_array(&meta->arena, struct pfx_env_pmu_caps, nr);

	for (i = 0; i < nr; i++) {
		caps[i].caps = read_caps(meta, c, &caps[i].nr);
		caps[i].pmu = take_string(meta, c);
	}
	if (!pfx_cursor_ok(c))
		return false;
	meta->env.pmu_caps = caps;
	meta->env.nr_pmu_caps = nr;
	return true;
}

static void read_domains(struct pfx_meta *meta, struct pfx_cursor *c, uint32_t version,
			 struct pfx_env_cpu_domains *ret)
{
	uint32_t i;

	ret->cpu = pfx_cursor_u32(c);
	ret->nr = read_count(c, 12);
	ret->domains = pfx_arena_array(&meta->arena, struct pfx_env_domain, ret->nr);
	for (i = 0; i < ret->nr; i++) {
		ret->domains[i].domain = pfx_cursor_u32(c);
		if (version >= 17)
			ret->domains[i].name = take_string(meta, c);
		ret->domains[i].cpumask = take_string(meta, c);
		ret->domains[i].cpulist = take_string(meta, c);
	}
}

/* 7.32 */
static bool decode_cpu_domains(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint32_t version = pfx_cursor_u32(c), max = pfx_cursor_u32(c), nr = 0;
	size_t most = pfx_cursor_left(c) / 8;
	struct pfx_env_cpu_domains *cpus =
		pfx_arena_array(&meta->arena, struct pfx_env_cpu_domains, most);

	while (pfx_cursor_ok(c) && pfx_cursor_left(c) && nr < most)
		read_domains(meta, c, version, &cpus[nr++]);
	if (!pfx_cursor_ok(c))
		return false;
	meta->env.schedstat_version = version;
	meta->env.max_sched_domains = max;
	meta->env.cpu_domains = cpus;
	meta->env.nr_cpu_domains = nr;
	return true;
}

/* 7.33 */
static bool decode_e_machine(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint32_t machine = pfx_cursor_u32(c), flags = pfx_cursor_u32(c);

	if (!pfx_cursor_ok(c))
		return false;
	meta->env.e_machine = machine;
	meta->env.e_flags = flags;
	return true;
}

/* 7.34 */
static bool decode_cln_size(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint32_t size = pfx_cursor_u32(c);

	if (pfx_cursor_ok(c))
		meta->env.cln_size = size;
	return pfx_cursor_ok(c);
}

/* The array is in the arena; its size doubles when it is full. */
struct pfx_env_build_id *pfx_feature_add_build_id(struct pfx_meta *meta)
{
	struct pfx_env *env = &meta->env;
	uint32_t nr = env->nr_build_ids;
	struct pfx_env_build_id *at;

	if (!(nr & (nr - 1))) {
		at = pfx_arena_array(&meta->arena, struct pfx_env_build_id,
				     nr ? 2 * (size_t)nr : 1);
		if (nr)
			memcpy(at, env->build_ids, nr * sizeof(*at));
		env->build_ids = at;
	}
	env->nr_build_ids = nr + 1;
	return &env->build_ids[nr];
}

/* The part of the next entry after the record header. */
static struct pfx_cursor build_id_body(struct pfx_cursor *c, uint16_t *ret_misc)
{
	uint16_t size;

	pfx_cursor_skip(c, 4);
	*ret_misc = pfx_cursor_u16(c);
	size = pfx_cursor_u16(c);
	if (size < BUILD_ID_ENTRY_MIN)
		c->failed = true;
	return pfx_cursor_sub(c, size - 8u);
}

/* Before the pid was added (2.6.34), the id was first. The kernel's entry shows which: its name is
 * known, so the offset of the name is, too. */
static bool build_ids_have_pids(struct pfx_cursor c)
{
	static const char kernel[] = "[kernel.kallsyms]";
	uint16_t misc;

	while (pfx_cursor_left(&c) >= 8) {
		struct pfx_cursor body = build_id_body(&c, &misc);

		if (!pfx_cursor_ok(&body))
			break;
		if (pfx_cursor_left(&body) >= OLD_NAME_AT + sizeof(kernel) &&
		    !memcmp(body.at + OLD_NAME_AT, kernel, sizeof(kernel)))
			return false;
	}
	return true;
}

/* One entry (7.2). */
static bool read_build_id(struct pfx_meta *meta, struct pfx_cursor *c, bool has_pid)
{
	struct pfx_env_build_id *entry, said = {.pid = -1};
	uint16_t misc;
	struct pfx_cursor body = build_id_body(c, &misc);

	if (!pfx_cursor_ok(&body))
		return false;
	if (has_pid)
		said.pid = (int32_t)pfx_cursor_u32(&body);
	memcpy(said.id, pfx_cursor_bytes(&body, PFX_BUILD_ID_MAX), PFX_BUILD_ID_MAX);
	said.size = pfx_cursor_u8(&body);
	if (!(misc & PFX_MISC_BUILD_ID_SIZE) || said.size > PFX_BUILD_ID_MAX)
		said.size = PFX_BUILD_ID_MAX;
	pfx_cursor_skip(&body, 3);
	said.misc = misc;
	said.filename =
		pfx_arena_strndup(&meta->arena, (const char *)body.at, pfx_cursor_left(&body));
	entry = pfx_feature_add_build_id(meta);
	*entry = said;
	return true;
}

/* 7.2 */
static bool decode_build_ids(struct pfx_meta *meta, struct pfx_cursor *c)
{
	bool have_pids = build_ids_have_pids(*c);

	while (pfx_cursor_left(c) >= 8)
		if (!read_build_id(meta, c, have_pids))
			return false;
	return true;
}

/* 7.1 and 8 */
static bool decode_tracing_data(struct pfx_meta *meta, struct pfx_cursor *c)
{
	meta->env.tracing_data.at = c->at;
	meta->env.tracing_data.size = pfx_cursor_left(c);
	return true;
}

/* 7.15, 7.19 */
static bool decode_flag(struct pfx_meta *meta, struct pfx_cursor *c)
{
	return true;
}

pfx_feature_decode_fn pfx_feature_decoder(unsigned feature)
{
	static const pfx_feature_decode_fn decoders[PFX_FEAT_MAX] = {
		[PFX_FEAT_TRACING_DATA] = decode_tracing_data,
		[PFX_FEAT_BUILD_ID] = decode_build_ids,
		[PFX_FEAT_HOSTNAME] = decode_hostname,
		[PFX_FEAT_OSRELEASE] = decode_osrelease,
		[PFX_FEAT_VERSION] = decode_version,
		[PFX_FEAT_ARCH] = decode_arch,
		[PFX_FEAT_NRCPUS] = decode_nrcpus,
		[PFX_FEAT_CPUDESC] = decode_cpudesc,
		[PFX_FEAT_CPUID] = decode_cpuid,
		[PFX_FEAT_TOTAL_MEM] = decode_total_mem,
		[PFX_FEAT_CMDLINE] = decode_cmdline,
		[PFX_FEAT_EVENT_DESC] = decode_event_desc,
		[PFX_FEAT_CPU_TOPOLOGY] = decode_cpu_topology,
		[PFX_FEAT_NUMA_TOPOLOGY] = decode_numa,
		[PFX_FEAT_BRANCH_STACK] = decode_flag,
		[PFX_FEAT_PMU_MAPPINGS] = decode_pmus,
		[PFX_FEAT_GROUP_DESC] = decode_groups,
		[PFX_FEAT_AUXTRACE] = decode_auxtrace,
		[PFX_FEAT_STAT] = decode_flag,
		[PFX_FEAT_CACHE] = decode_cache,
		[PFX_FEAT_SAMPLE_TIME] = decode_sample_time,
		[PFX_FEAT_MEM_TOPOLOGY] = decode_mem_topology,
		[PFX_FEAT_CLOCKID] = decode_clockid,
		[PFX_FEAT_DIR_FORMAT] = decode_dir_format,
		[PFX_FEAT_BPF_PROG_INFO] = pfx_feature_decode_bpf,
		[PFX_FEAT_BPF_BTF] = pfx_feature_decode_btf,
		[PFX_FEAT_COMPRESSED] = decode_compressed,
		[PFX_FEAT_CPU_PMU_CAPS] = decode_cpu_caps,
		[PFX_FEAT_CLOCK_DATA] = decode_clock_data,
		[PFX_FEAT_HYBRID_TOPOLOGY] = decode_hybrid,
		[PFX_FEAT_PMU_CAPS] = decode_pmu_caps,
		[PFX_FEAT_CPU_DOMAIN_INFO] = decode_cpu_domains,
		[PFX_FEAT_E_MACHINE] = decode_e_machine,
		[PFX_FEAT_CLN_SIZE] = decode_cln_size,
	};

	return feature < PFX_FEAT_MAX ? decoders[feature] : NULL;
}
