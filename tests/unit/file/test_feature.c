/* SPDX-License-Identifier: MIT */
/* Header features: encoding and decoding in both byte orders; truncated sections; text. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "file/header/feature.h"
#include "file/reader/header_text.h"
#include "unit/base/tree.h"
#include "unit/file/recording.h"

#define NR(a) (sizeof(a) / sizeof((a)[0]))

static const char *words[] = {"/usr/bin/pfx", "record", "it's", "--", "true"};
static const char *sockets[] = {"0-1", "2-3"};
static const char *threads[] = {"0", "1", "2", "3"};
static struct pfx_env_cpu cpus[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 1}, {(uint32_t)-1, 1, 1}};
static struct pfx_env_node nodes[] = {{0, 1000, 500, "0-1"}, {1, 2000, 0, "2-3"}};
static struct pfx_env_pmu pmus[] = {{1, "software"}, {4, "cpu"}};
static struct pfx_env_group groups[] = {{"{anon_group}", 0, 2}};
static struct pfx_env_cache caches[] = {{1, 64, 64, 12, "Data", "48K", "0"},
					{3, 64, 32768, 16, "Unified", "32768K", "0-3"}};
static const uint64_t memory_bits[] = {0xff, 1};
static struct pfx_env_mem_node memory[] = {{0, 70, memory_bits}};
static struct pfx_env_cap caps[] = {{"branches", "32"}, {"max_precise", "3"}};
static struct pfx_env_hybrid hybrid[] = {{"cpu_core", "0-1"}, {"cpu_atom", "2-3"}};
static struct pfx_env_pmu_caps pmu_caps[] = {{"cpu_atom", 2, caps}, {"cpu_core", 0, NULL}};
static struct pfx_env_domain domains[] = {{0, "SMT", "3", "0-1"}, {1, "PKG", "f", "0-3"}};
static struct pfx_env_cpu_domains cpu_domains[] = {{0, 2, domains}, {1, 0, NULL}};
static struct pfx_env_aux_index aux_index[] = {{4096, 48}, {8192, 48}};
static struct pfx_env_btf btfs[] = {{7, 4, (const uint8_t *)"btf!"}};
static uint8_t prog_info[16] = {2, 0, 0, 0, 9};
static struct pfx_env_bpf_prog progs[] = {{16, 4, 0, 2, 9, prog_info, (const uint8_t *)"code"}};
static struct pfx_env_build_id build_ids[] = {
	{-1, PFX_MODE_USER | PFX_MISC_BUILD_ID_SIZE, 20, "0123456789abcdefghi", "/bin/true"},
	{-1, PFX_MODE_KERNEL | PFX_MISC_BUILD_ID_SIZE, 16, "0123456789abcde", "[kernel.kallsyms]"},
	{-1, PFX_MODE_USER | PFX_MISC_BUILD_ID_SIZE, 20, "0123456789abcdefghi", "/lib/libc.so.6"},
};

static void fill_strings(struct pfx_env *env)
{
	env->hostname = "box";
	env->osrelease = "6.1.0";
	env->version = "0.1.0";
	env->arch = "x86_64";
	env->cpudesc = "A processor of a name that is so long that it does not fit into 64 bytes";
	env->cpuid = "GenuineIntel,6,78,3";
	env->cmdline = (struct pfx_env_strings){NR(words), words};
	env->topology.sockets = (struct pfx_env_strings){NR(sockets), sockets};
	env->topology.dies = env->topology.sockets;
	env->topology.threads = (struct pfx_env_strings){NR(threads), threads};
	env->topology.nr_cpus = NR(cpus);
	env->topology.cpus = cpus;
	env->topology.has_dies = true;
}

#define LIST(env, nr_field, field, array)    \
	do {                                 \
		(env)->nr_field = NR(array); \
		(env)->field = array;        \
	} while (0)

static void fill_lists(struct pfx_env *env)
{
	LIST(env, nr_nodes, nodes, nodes);
	LIST(env, nr_pmus, pmus, pmus);
	LIST(env, nr_groups, groups, groups);
	LIST(env, nr_caches, caches, caches);
	LIST(env, nr_mem_nodes, mem_nodes, memory);
	LIST(env, nr_cpu_caps, cpu_caps, caps);
	LIST(env, nr_hybrid, hybrid, hybrid);
	LIST(env, nr_pmu_caps, pmu_caps, pmu_caps);
	LIST(env, nr_cpu_domains, cpu_domains, cpu_domains);
	LIST(env, nr_aux_index, aux_index, aux_index);
	LIST(env, nr_btfs, btfs, btfs);
	LIST(env, nr_bpf_progs, bpf_progs, progs);
	LIST(env, nr_build_ids, build_ids, build_ids);
}

/* A meta with every feature, each with different numbers. */
static struct pfx_meta *full_meta(bool swap)
{
	struct pfx_meta *meta = test_meta(swap);
	struct pfx_env *env = &meta->env;
	unsigned feature;

	fill_strings(env);
	fill_lists(env);
	env->nr_cpus_avail = 4;
	env->nr_cpus_online = 3;
	env->total_mem_kb = 123456789012;
	env->first_sample_ns = 1609700091000;
	env->last_sample_ns = 1609801847999;
	env->mem_block_size = 0x8000000;
	env->clockid_res_ns = 1;
	env->dir_version = 1;
	env->comp_type = 1;
	env->comp_level = 3;
	env->comp_ratio = 5;
	env->comp_mmap_len = 528384;
	env->clock_version = 1;
	env->clockid = 1;
	env->wall_clock_ns = 1795273842728714000;
	env->clockid_ns = 2377037583744;
	env->schedstat_version = 17;
	env->max_sched_domains = 2;
	env->e_machine = 62;
	env->e_flags = 1;
	env->cln_size = 64;
	env->tracing_data = (struct pfx_env_blob){(const uint8_t *)"\x17\x08\x44tracing", 10};
	for (feature = 1; feature < PFX_FEAT_MAX; feature++)
		pfx_env_set(env, feature);
	return meta;
}

static struct pfx_meta *bare_meta(bool swap)
{
	struct pfx_meta *meta = test_meta(swap);

	memset(meta->env.has, 0, sizeof(meta->env.has));
	meta->env.nr_cpus_avail = 4; /* CPU_TOPOLOGY depends on it */
	return meta;
}

/* The text shows every field: compare the text of the decoded meta with that of the original. */
static void assert_same_text(const struct pfx_meta *a, const struct pfx_meta *b, unsigned feature)
{
	struct pfx_str of_a = {0}, of_b = {0};

	pfx_feature_text(a, feature, true, &of_a);
	pfx_feature_text(b, feature, true, &of_b);
	assert_string_equal(pfx_str_get(&of_a), pfx_str_get(&of_b));
	pfx_str_fini(&of_a);
	pfx_str_fini(&of_b);
}

static void every_feature_round_trips(void **state)
{
	bool swap = *state != NULL;
	struct pfx_meta *meta = full_meta(swap), *other;
	struct pfx_buffer first = {.swap = swap}, second = {.swap = swap};
	struct pfx_error err;
	unsigned feature;

	for (feature = 1; feature < PFX_FEAT_MAX; feature++) {
		other = bare_meta(swap);
		pfx_buffer_clear(&first);
		pfx_buffer_clear(&second);
		assert_true(pfx_feature_encode(meta, feature, &first));
		assert_int_equal(pfx_feature_decode(other, feature, first.at, first.len, &err), 0);
		assert_true(pfx_env_has(&other->env, feature));
		assert_true(pfx_feature_encode(other, feature, &second));
		assert_int_equal(first.len, second.len);
		if (first.len)
			assert_memory_equal(first.at, second.at, first.len);
		/* events are shown by name, or from the original bytes */
		if (feature != PFX_FEAT_GROUP_DESC && feature != PFX_FEAT_EVENT_DESC)
			assert_same_text(meta, other, feature);
		pfx_meta_free(other);
	}
	pfx_meta_free(meta);
	pfx_buffer_fini(&first);
	pfx_buffer_fini(&second);
}

/* A truncated section is refused (or accepted, if old writers wrote less) and does not change
 * earlier data; absurd numbers are harmless. */
static void cut_sections(void **state)
{
	struct pfx_meta *meta = full_meta(false), *other;
	struct pfx_buffer b = {0};
	struct pfx_error err;
	unsigned feature;
	size_t len;

	for (feature = 1; feature < PFX_FEAT_MAX; feature++) {
		pfx_buffer_clear(&b);
		pfx_feature_encode(meta, feature, &b);
		for (len = 0; len < b.len; len++) {
			uint8_t *copy = malloc(len + 1);

			memcpy(copy, b.at, len);
			other = bare_meta(false);
			pfx_feature_decode(other, feature, copy, len, &err);
			assert_int_equal(other->nr_events, 2);
			if (len >= 4) {
				memset(copy + len / 4 * 4 - 4, 0xff, 4);
				pfx_feature_decode(other, feature, copy, len, &err);
			}
			pfx_meta_free(other);
			free(copy);
		}
	}
	pfx_meta_free(meta);
	pfx_buffer_fini(&b);
}

static void malformed_is_told(void **state)
{
	struct pfx_meta *meta = bare_meta(false);
	struct pfx_error err;

	assert_int_equal(pfx_feature_decode(meta, PFX_FEAT_NRCPUS, "1234", 4, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "NRCPUS"));
	assert_false(pfx_env_has(&meta->env, PFX_FEAT_NRCPUS));
	assert_int_equal(meta->env.nr_cpus_avail, 4);
	assert_int_equal(pfx_feature_decode(meta, 256, "1234", 4, &err), -EBADMSG);
	pfx_meta_free(meta);
}

static void groups_have_leaders(void **state)
{
	struct pfx_meta *meta = full_meta(false), *other = bare_meta(false);
	struct pfx_buffer b = {0};
	struct pfx_error err;

	pfx_feature_encode(meta, PFX_FEAT_GROUP_DESC, &b);
	assert_int_equal(pfx_feature_decode(other, PFX_FEAT_GROUP_DESC, b.at, b.len, &err), 0);
	assert_int_equal(other->events[0]->nr_members, 2);
	assert_int_equal(other->events[1]->leader, 0);
	pfx_meta_free(meta);
	pfx_meta_free(other);
	pfx_buffer_fini(&b);
}

static void put_old_build_id(struct pfx_buffer *b, const char *name)
{
	size_t start = b->len;

	put_head(b, 0, 0);
	pfx_buffer_bytes(b, "abcdefghijklmnopqrst", 20);
	pfx_buffer_zeros(b, 4);
	pfx_buffer_cstr(b, name, 8);
	pfx_buffer_patch16(b, start + 6, (uint16_t)(b->len - start));
}

/* Old build-id entries without a pid: detected by the kernel's entry, for all of them. */
static void build_ids_without_pid(void **state)
{
	static const char *const names[] = {"/bin/prog", "[kernel.kallsyms]", "/lib/libc.so.6"};
	struct pfx_meta *meta = bare_meta(false);
	struct pfx_buffer b = {0};
	struct pfx_error err;
	size_t i;

	for (i = 0; i < NR(names); i++)
		put_old_build_id(&b, names[i]);
	assert_int_equal(pfx_feature_decode(meta, PFX_FEAT_BUILD_ID, b.at, b.len, &err), 0);
	assert_int_equal(meta->env.nr_build_ids, NR(names));
	for (i = 0; i < NR(names); i++) {
		assert_string_equal(meta->env.build_ids[i].filename, names[i]);
		assert_memory_equal(meta->env.build_ids[i].id, "abcdefghijklmnopqrst", 20);
		assert_int_equal(meta->env.build_ids[i].size, 20);
		assert_int_equal(meta->env.build_ids[i].pid, -1);
	}
	pfx_meta_free(meta);
	pfx_buffer_fini(&b);
}

/* After a pid, a name that looks like the end of the kernel's name. */
static void build_id_of_odd_name(void **state)
{
	static struct pfx_env_build_id odd[] = {{7, PFX_MODE_USER | PFX_MISC_BUILD_ID_SIZE, 20,
						 "0123456789abcdefghi", "nel.kallsyms]"}};
	struct pfx_meta *meta = bare_meta(false);
	struct pfx_buffer b = {0};
	struct pfx_error err;

	LIST(&meta->env, nr_build_ids, build_ids, odd);
	assert_true(pfx_feature_encode(meta, PFX_FEAT_BUILD_ID, &b));
	meta->env.nr_build_ids = 0;
	assert_int_equal(pfx_feature_decode(meta, PFX_FEAT_BUILD_ID, b.at, b.len, &err), 0);
	assert_int_equal(meta->env.build_ids[0].pid, 7);
	assert_string_equal(meta->env.build_ids[0].filename, "nel.kallsyms]");
	pfx_meta_free(meta);
	pfx_buffer_fini(&b);
}

static const char long_text[] =
	"# hostname : box\n"
	"# os release : 6.1.0\n"
	"# perf version : 0.1.0\n"
	"# arch : x86_64\n"
	"# nrcpus online : 3\n"
	"# nrcpus avail : 4\n"
	"# cpudesc : A processor of a name that is so long that it does not fit into 64 bytes\n"
	"# cpuid : GenuineIntel,6,78,3\n"
	"# total memory : 123456789012 kB\n"
	"# cmdline : /usr/bin/pfx record it\\'s -- true \n"
	"# event : name = cpu-clock, , id = { 11, 12 }, type = 1, size = 128, { sample_period, "
	"sample_freq } = 4000, sample_type = IP|TID|TIME|PERIOD, read_format = ID, mmap = 1, "
	"comm = 1, freq = 1, sample_id_all = 1, exclude_guest = 1\n"
	"# event : name = faults, , id = { 13 }, type = 1, size = 128, config = 0x2, { "
	"sample_period, sample_freq } = 4000, sample_type = IP|TID|TIME|PERIOD, read_format = ID, "
	"mmap = 1, comm = 1, freq = 1, sample_id_all = 1, exclude_guest = 1\n"
	"# sibling sockets : 0-1\n"
	"# sibling sockets : 2-3\n"
	"# sibling dies    : 0-1\n"
	"# sibling dies    : 2-3\n"
	"# sibling threads : 0\n"
	"# sibling threads : 1\n"
	"# sibling threads : 2\n"
	"# sibling threads : 3\n"
	"# CPU 0: Core ID 0, Die ID 0, Socket ID 0\n"
	"# CPU 1: Core ID 1, Die ID 0, Socket ID 0\n"
	"# CPU 2: Core ID 0, Die ID 1, Socket ID 1\n"
	"# CPU 3: Core ID -1, Die ID 1, Socket ID 1\n"
	"# node0 meminfo  : total = 1000 kB, free = 500 kB\n"
	"# node0 cpu list : 0-1\n"
	"# node1 meminfo  : total = 2000 kB, free = 0 kB\n"
	"# node1 cpu list : 2-3\n"
	"# contains samples with branch stack\n"
	"# pmu mappings: software = 1, cpu = 4\n"
	"# group: {cpu-clock,faults}\n"
	"# contains AUX area data (e.g. instruction trace)\n"
	"# contains stat data\n"
	"# CPU cache info:\n"
	"#  L1 Data                 48K [0]\n"
	"#  L3 Unified           32768K [0-3]\n"
	"# time of first sample : 1609.700091\n"
	"# time of last sample : 1609.801847\n"
	"# sample duration :    101.757 ms\n"
	"# memory nodes (nr 1, block size 0x8000000):\n"
	"#    0 [1152M]: 0-7,64\n"
	"# clockid frequency: 1000 MHz\n"
	"# directory data version : 1\n"
	"# btf info of id 7\n"
	"# compressed : Zstd, level = 3, ratio = 5\n"
	"# cpu pmu capabilities: branches=32, max_precise=3\n";

static void text_of_features(void **state)
{
	struct pfx_meta *meta = full_meta(false), *other = bare_meta(false);
	struct pfx_buffer b = {0};
	struct pfx_str text = {0};
	struct pfx_error err;
	unsigned feature;

	for (feature = 1; feature <= PFX_FEAT_CPU_PMU_CAPS; feature++) {
		pfx_buffer_clear(&b);
		pfx_feature_encode(meta, feature, &b);
		pfx_feature_decode(other, feature, b.at, b.len, &err);
		pfx_feature_text(other, feature, true, &text);
	}
	assert_string_equal(pfx_str_get(&text), long_text);
	pfx_str_clear(&text);
	pfx_feature_text(other, PFX_FEAT_CPU_TOPOLOGY, false, &text);
	assert_string_equal(pfx_str_get(&text),
			    "# CPU_TOPOLOGY info available, use -I to display\n");
	pfx_meta_free(meta);
	pfx_meta_free(other);
	pfx_buffer_fini(&b);
	pfx_str_fini(&text);
}

/* Names from a file cannot control a terminal. */
static void foreign_text_is_escaped(void **state)
{
	struct pfx_meta *meta = bare_meta(false);
	struct pfx_str text = {0};

	meta->env.hostname = "a\x1b[31mb";
	pfx_env_set(&meta->env, PFX_FEAT_HOSTNAME);
	pfx_feature_text(meta, PFX_FEAT_HOSTNAME, false, &text);
	assert_null(strchr(pfx_str_get(&text), 0x1b));
	pfx_str_fini(&text);
	pfx_meta_free(meta);
}

static void block_of_a_file(void **state)
{
	struct pfx_meta *meta = full_meta(false);
	struct pfx_buffer records = {0};
	struct pfx_reader *reader;
	struct pfx_str text = {0};
	struct pfx_error err;
	const struct pfx_file_info *info;
	struct tree t;
	char path[128], want[256];

	pfx_env_unset(&meta->env, PFX_FEAT_STAT);
	put_sample(&records, 1, 100);
	tree_init(&t);
	tree_path(&t, path, sizeof(path), "/x.data");
	assert_int_equal(write_recording(path, meta, &records), 0);
	assert_int_equal(pfx_reader_open(&reader, path, NULL, &err), 0);
	pfx_header_text(reader, false, &text);
	assert_ptr_equal(strstr(pfx_str_get(&text), "# ========\n# captured on    : "),
			 pfx_str_get(&text));
	/* Features that are known at the start are before the records. */
	info = pfx_reader_info(reader);
	assert_true(info->data_offset > 416);
	snprintf(want, sizeof(want),
		 "\n# header version : 1\n# data offset    : %llu\n# data size      : 40\n"
		 "# feat offset    : %llu\n# hostname : box\n",
		 (unsigned long long)info->data_offset, (unsigned long long)info->data_offset + 40);
	assert_non_null(strstr(pfx_str_get(&text), want));
	assert_non_null(strstr(pfx_str_get(&text), "# missing features: STAT \n# ========\n#\n"));
	assert_int_equal(pfx_reader_damage(reader)->nr_bad, 0);
	pfx_reader_free(reader);
	pfx_meta_free(meta);
	pfx_buffer_fini(&records);
	pfx_str_fini(&text);
	tree_fini(&t);
}

static bool other_byte_order; /* only its address is used */

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_feature_round_trips),
		cmocka_unit_test_prestate(every_feature_round_trips, &other_byte_order),
		cmocka_unit_test(cut_sections),
		cmocka_unit_test(malformed_is_told),
		cmocka_unit_test(groups_have_leaders),
		cmocka_unit_test(build_ids_without_pid),
		cmocka_unit_test(build_id_of_odd_name),
		cmocka_unit_test(text_of_features),
		cmocka_unit_test(foreign_text_is_escaped),
		cmocka_unit_test(block_of_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
