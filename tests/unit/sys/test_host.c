/* SPDX-License-Identifier: MIT */
/* Description of the machine: this one, and generated ones (hybrid, NUMA, empty). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "arch/cpuid.h"
#include "pfx_version.h"
#include "sys/host/host.h"
#include "unit/base/tree.h"

static struct pfx_meta meta;

static struct pfx_env *describe(const char *root)
{
	static const char *const argv[] = {"pfx", "record", "-a", "a b"};
	struct pfx_host_options options = {.root = root, .argc = 4, .argv = argv};

	meta = (struct pfx_meta){0};
	assert_int_equal(pfx_host_describe(&meta, &options, NULL), 0);
	return &meta.env;
}

static void done(struct tree *t)
{
	pfx_arena_clear(&meta.arena);
	if (t)
		tree_fini(t);
}

static void test_this_machine(void **state)
{
	const struct pfx_env *env = describe(NULL);
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	assert_true(n > 0);
	self[n] = '\0';
	assert_true(pfx_env_has(env, PFX_FEAT_HOSTNAME));
	assert_true(strlen(env->osrelease) > 0);
	/* A version number for other readers, then the program that wrote it. */
	assert_memory_equal(env->version, "6.1.pfx-", 8);
	assert_string_equal(env->version + 8, PFX_VERSION);
	assert_int_equal(env->nr_cpus_online, sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(env->nr_cpus_avail >= env->nr_cpus_online);
	assert_true(env->total_mem_kb > 1024);
	assert_int_equal(env->cmdline.nr, 4);
	assert_string_equal(env->cmdline.at[0], self);
	assert_string_equal(env->cmdline.at[3], "a b");
	done(NULL);
}

static void test_nothing(void **state)
{
	const struct pfx_env *env = describe("/nonexistent");

	assert_true(pfx_env_has(env, PFX_FEAT_HOSTNAME));
	assert_true(pfx_env_has(env, PFX_FEAT_NRCPUS));
	assert_true(pfx_env_has(env, PFX_FEAT_CMDLINE));
	assert_false(pfx_env_has(env, PFX_FEAT_CPUDESC));
	assert_false(pfx_env_has(env, PFX_FEAT_TOTAL_MEM));
	assert_false(pfx_env_has(env, PFX_FEAT_CPU_TOPOLOGY));
	assert_false(pfx_env_has(env, PFX_FEAT_NUMA_TOPOLOGY));
	assert_false(pfx_env_has(env, PFX_FEAT_PMU_MAPPINGS));
	assert_false(pfx_env_has(env, PFX_FEAT_CACHE));
	assert_false(pfx_env_has(env, PFX_FEAT_MEM_TOPOLOGY));
	assert_false(pfx_env_has(env, PFX_FEAT_CLN_SIZE));
	assert_false(pfx_env_has(env, PFX_FEAT_CPU_DOMAIN_INFO));
	assert_false(pfx_env_has(env, PFX_FEAT_HYBRID_TOPOLOGY));
	done(NULL);
}

#define PMU "/sys/bus/event_source/devices/"

static void test_hybrid(void **state)
{
	const struct pfx_env *env;
	struct tree t;

	tree_init(&t);
	tree_file(&t, PMU "cpu_core/type", "4\n");
	tree_file(&t, PMU "cpu_core/cpus", "0-7\n");
	tree_file(&t, PMU "cpu_core/caps/branches", "32\n");
	tree_file(&t, PMU "cpu_core/caps/pmu_name", "alderlake_hybrid\n");
	tree_file(&t, PMU "cpu_atom/type", "10\n");
	tree_file(&t, PMU "cpu_atom/cpus", "8-15\n");
	tree_file(&t, PMU "cpu_atom/caps/empty", "\n");
	tree_file(&t, PMU "uncore_imc/type", "20\n");
	tree_file(&t, PMU "uncore_imc/cpumask", "0\n");
	tree_file(&t, PMU "broken/type", "x\n");
	env = describe(t.root);
	assert_int_equal(env->nr_pmus, 3);
	assert_int_equal(env->pmus[0].type, 4);
	assert_string_equal(env->pmus[1].name, "cpu_atom");
	assert_string_equal(env->pmus[2].name, "uncore_imc");
	assert_int_equal(env->nr_hybrid, 2);
	assert_string_equal(env->hybrid[0].pmu, "cpu_atom");
	assert_string_equal(env->hybrid[1].cpus, "0-7");
	assert_true(pfx_env_has(env, PFX_FEAT_HYBRID_TOPOLOGY));
	assert_int_equal(env->nr_pmu_caps, 1);
	assert_string_equal(env->pmu_caps[0].pmu, "cpu_core");
	assert_int_equal(env->pmu_caps[0].nr, 2);
	assert_string_equal(env->pmu_caps[0].caps[0].name, "branches");
	assert_string_equal(env->pmu_caps[0].caps[1].value, "alderlake_hybrid");
	assert_false(pfx_env_has(env, PFX_FEAT_CPU_PMU_CAPS));
	done(&t);
}

static void test_one_kind_of_core(void **state)
{
	const struct pfx_env *env;
	struct tree t;

	tree_init(&t);
	tree_file(&t, PMU "cpu/type", "4\n");
	tree_file(&t, PMU "cpu/cpus", "0-3\n");
	tree_file(&t, PMU "cpu/caps/max_precise", "3\n");
	env = describe(t.root);
	assert_false(pfx_env_has(env, PFX_FEAT_HYBRID_TOPOLOGY));
	assert_false(pfx_env_has(env, PFX_FEAT_PMU_CAPS));
	assert_true(pfx_env_has(env, PFX_FEAT_CPU_PMU_CAPS));
	assert_int_equal(env->nr_cpu_caps, 1);
	assert_string_equal(env->cpu_caps[0].name, "max_precise");
	assert_string_equal(env->cpu_caps[0].value, "3");
	done(&t);
}

static void test_domains(void **state)
{
	const struct pfx_env_cpu_domains *cpu;
	const struct pfx_env *env;
	struct tree t;

	tree_init(&t);
	tree_file(&t, "/proc/schedstat",
		  "version 15\ntimestamp 4295000000\ncpu0 0 0 0 0 0 0 7 8 9\n"
		  "domain0 00000000,00000003 1 2 3\ndomain1 80000001,0000000d 4 5 6\n"
		  "cpu1 0 0\ncpu12 0 0\ndomain0 zz 1\ndomain1 00000003 1\n");
	env = describe(t.root);
	assert_true(pfx_env_has(env, PFX_FEAT_CPU_DOMAIN_INFO));
	assert_int_equal(env->schedstat_version, 15);
	assert_int_equal(env->max_sched_domains, 2);
	assert_int_equal(env->nr_cpu_domains, 3);
	cpu = env->cpu_domains;
	assert_int_equal(cpu[0].nr, 2);
	assert_null(cpu[0].domains[0].name);
	assert_string_equal(cpu[0].domains[0].cpumask, "00000000,00000003");
	assert_string_equal(cpu[0].domains[0].cpulist, "0-1");
	assert_string_equal(cpu[0].domains[1].cpulist, "0,2-3,32,63");
	assert_int_equal(cpu[0].domains[1].domain, 1);
	assert_int_equal(cpu[1].cpu, 1);
	assert_int_equal(cpu[1].nr, 0);
	assert_int_equal(cpu[2].nr, 0); /* the mask is invalid */
	done(&t);
}

static void test_named_domains(void **state)
{
	const struct pfx_env *env;
	struct tree t;

	tree_init(&t);
	tree_file(&t, "/proc/schedstat",
		  "version 17\ntimestamp 1\ncpu0 0 0\ndomain0 SMT 03 1 2\ndomain1 MC ff 1 2\n");
	env = describe(t.root);
	assert_int_equal(env->schedstat_version, 17);
	assert_int_equal(env->cpu_domains[0].nr, 2);
	assert_string_equal(env->cpu_domains[0].domains[0].name, "SMT");
	assert_string_equal(env->cpu_domains[0].domains[1].cpulist, "0-7");
	done(&t);
	tree_init(&t);
	tree_file(&t, "/proc/schedstat", "version none\ncpu0 0\n");
	assert_false(pfx_env_has(describe(t.root), PFX_FEAT_CPU_DOMAIN_INFO));
	done(&t);
}

/* The part of an ELF header that is checked. */
static void put_program(struct tree *t, uint8_t class, uint8_t data, const uint8_t *machine,
			size_t flags_at, const uint8_t *flags)
{
	uint8_t head[64] = {0x7f, 'E', 'L', 'F', class, data};
	char path[256];
	FILE *f;

	memcpy(head + 18, machine, 2);
	memcpy(head + flags_at, flags, 4);
	f = fopen(tree_path(t, path, sizeof(path), "/proc/self/exe"), "w");
	assert_non_null(f);
	assert_int_equal(fwrite(head, sizeof(head), 1, f), 1);
	fclose(f);
}

static void test_machine(void **state)
{
	const struct pfx_env *env;
	struct tree t;

	tree_init(&t);
	put_program(&t, 2, 1, (const uint8_t *)"\xf3\0", 48, (const uint8_t *)"\x05\0\0\0");
	env = describe(t.root);
	assert_true(pfx_env_has(env, PFX_FEAT_E_MACHINE));
	assert_int_equal(env->e_machine, 243);
	assert_int_equal(env->e_flags, 5);
	done(&t);
	tree_init(&t);
	put_program(&t, 1, 2, (const uint8_t *)"\0\x08", 36, (const uint8_t *)"\x70\0\x10\x07");
	env = describe(t.root);
	assert_int_equal(env->e_machine, 8);
	assert_int_equal(env->e_flags, 0x70001007);
	done(&t);
	assert_false(pfx_env_has(describe("/nonexistent"), PFX_FEAT_E_MACHINE));
	done(NULL);
}

#define NODE "/sys/devices/system/node/"

static void test_numa(void **state)
{
	const struct pfx_env *env;
	struct tree t;

	tree_init(&t);
	tree_file(&t, "/proc/meminfo", "MemFree: 5 kB\nMemTotal:       1234567 kB\n");
	tree_file(&t, NODE "online", "0,2\n");
	tree_file(&t, NODE "node0/meminfo", "Node 0 MemTotal:  1000 kB\nNode 0 MemFree:  10 kB\n");
	tree_file(&t, NODE "node0/cpulist", "0-3\n");
	tree_file(&t, NODE "node0/memory0/state", "online\n");
	tree_file(&t, NODE "node0/memory65/state", "online\n");
	tree_file(&t, NODE "node0/memoryx/state", "online\n");
	tree_file(&t, NODE "node2/meminfo", "Node 2 MemTotal:  2000 kB\nNode 2 MemFree:  20 kB\n");
	tree_file(&t, NODE "node2/cpulist", "\n");
	tree_file(&t, "/sys/devices/system/memory/block_size_bytes", "8000000\n");
	env = describe(t.root);
	assert_int_equal(env->total_mem_kb, 1234567);
	assert_int_equal(env->nr_nodes, 2);
	assert_int_equal(env->nodes[0].total_kb, 1000);
	assert_string_equal(env->nodes[0].cpus, "0-3");
	assert_int_equal(env->nodes[1].node, 2);
	assert_int_equal(env->nodes[1].free_kb, 20);
	assert_string_equal(env->nodes[1].cpus, "");
	assert_int_equal(env->mem_block_size, 0x8000000);
	assert_int_equal(env->nr_mem_nodes, 1);
	assert_int_equal(env->mem_nodes[0].nr_bits, 66);
	assert_int_equal(env->mem_nodes[0].bitmap[0], 1);
	assert_int_equal(env->mem_nodes[0].bitmap[1], 2);
	done(&t);
}

#define CPU "/sys/devices/system/cpu/"

static void add_cpu(struct tree *t, int cpu, const char *core)
{
	char path[256];

	snprintf(path, sizeof(path), CPU "cpu%d/topology/core_siblings_list", cpu);
	tree_file(t, path, "0,2\n");
	snprintf(path, sizeof(path), CPU "cpu%d/topology/thread_siblings_list", cpu);
	tree_file(t, path, core);
	snprintf(path, sizeof(path), CPU "cpu%d/topology/core_id", cpu);
	tree_file(t, path, core);
	snprintf(path, sizeof(path), CPU "cpu%d/topology/physical_package_id", cpu);
	tree_file(t, path, "5\n");
	snprintf(path, sizeof(path), CPU "cpu%d/cache/index0/level", cpu);
	tree_file(t, path, "2\n");
	snprintf(path, sizeof(path), CPU "cpu%d/cache/index0/type", cpu);
	tree_file(t, path, "Unified\n");
	snprintf(path, sizeof(path), CPU "cpu%d/cache/index0/coherency_line_size", cpu);
	tree_file(t, path, "128\n");
	snprintf(path, sizeof(path), CPU "cpu%d/cache/index1/level", cpu);
	tree_file(t, path, "1\n");
	snprintf(path, sizeof(path), CPU "cpu%d/cache/index1/shared_cpu_list", cpu);
	tree_file(t, path, core);
}

static void test_cpus(void **state)
{
	const struct pfx_env *env;
	struct pfx_list online;
	struct tree t;

	tree_init(&t);
	tree_file(&t, CPU "present", "0-3\n");
	tree_file(&t, CPU "online", "0,2\n");
	tree_file(&t, "/proc/cpuinfo", "processor : 0\nmodel name\t:  Some   CPU  @ 2GHz \n");
	add_cpu(&t, 0, "0\n");
	add_cpu(&t, 2, "2\n");
	env = describe(t.root);
	assert_int_equal(env->nr_cpus_avail, 4);
	assert_int_equal(env->nr_cpus_online, 2);
	assert_string_equal(env->cpudesc, "Some CPU @ 2GHz");
	assert_int_equal(env->topology.sockets.nr, 1);
	assert_int_equal(env->topology.threads.nr, 2);
	assert_string_equal(env->topology.threads.at[1], "2");
	assert_false(env->topology.has_dies);
	assert_int_equal(env->topology.nr_cpus, 4);
	assert_int_equal(env->topology.cpus[2].core_id, 2);
	assert_int_equal(env->topology.cpus[2].socket_id, 5);
	assert_int_equal(env->topology.cpus[1].core_id, (uint32_t)-1);
	assert_int_equal(env->nr_caches, 3);
	assert_int_equal(env->caches[0].level, 1);
	assert_string_equal(env->caches[1].map, "2");
	assert_int_equal(env->caches[2].level, 2);
	assert_string_equal(env->caches[2].type, "Unified");
	assert_true(pfx_env_has(env, PFX_FEAT_CLN_SIZE));
	assert_int_equal(env->cln_size, 128);
	assert_int_equal(pfx_host_online_cpus(t.root, &online), 0);
	assert_int_equal(online.nr, 2);
	assert_int_equal(online.at[1], 2);
	pfx_list_fini(&online);
	done(&t);
}

static void test_dies(void **state)
{
	assert_true(pfx_cpuid_has_dies("x86_64"));
	assert_false(pfx_cpuid_has_dies("aarch64"));
	assert_false(pfx_cpuid_has_dies(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_this_machine), cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_hybrid),       cmocka_unit_test(test_one_kind_of_core),
		cmocka_unit_test(test_domains),      cmocka_unit_test(test_named_domains),
		cmocka_unit_test(test_machine),      cmocka_unit_test(test_numa),
		cmocka_unit_test(test_cpus),         cmocka_unit_test(test_dies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
