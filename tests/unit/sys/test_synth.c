/* SPDX-License-Identifier: MIT */
/* Synthesized records of running tasks, from a generated /proc and from this process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "event/record.h"
#include "sys/host/bpf_programs.h"
#include "sys/host/proc.h"
#include "sys/synth/synth.h"
#include "unit/base/tree.h"

static const struct pfx_attr attr = {
	.size = PFX_ATTR_SIZE_VER5,
	.sample_type = PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_TIME | PFX_SAMPLE_CPU,
	.flags = PFX_ATTR_SAMPLE_ID_ALL,
};

struct walk {
	struct pfx_buffer buffer;
	size_t at;
	struct pfx_body body;
};

/* Decode the next record; false at the end. */
static bool step(struct walk *w)
{
	struct pfx_record rec;

	if (w->at >= w->buffer.len)
		return false;
	pfx_record_init(&rec, w->buffer.at + w->at, false, w->at);
	assert_true(w->at + rec.size <= w->buffer.len);
	assert_int_equal(rec.size % 8, 0);
	assert_int_equal(pfx_record_decode(&rec, &attr, &w->body, NULL), 0);
	if (rec.type < PFX_RECORD_USER_FIRST) {
		assert_int_equal(w->body.id.has, PFX_SAMPLE_TID | PFX_SAMPLE_TIME | PFX_SAMPLE_CPU);
		assert_int_equal(w->body.id.time, 0);
		assert_int_equal(w->body.id.pid, 0);
	}
	w->at += rec.size;
	return true;
}

static void expect(struct walk *w, uint32_t type)
{
	assert_true(step(w));
	assert_int_equal(w->body.type, type);
}

static void expect_comm(struct walk *w, uint32_t pid, uint32_t tid, const char *comm)
{
	expect(w, PFX_RECORD_COMM);
	assert_int_equal(w->body.comm.pid, pid);
	assert_int_equal(w->body.comm.tid, tid);
	assert_string_equal(w->body.comm.comm, comm);
}

static void expect_fork(struct walk *w, uint32_t pid, uint32_t tid, uint32_t parent)
{
	expect(w, PFX_RECORD_FORK);
	assert_int_equal(w->body.misc, PFX_MISC_FORK_EXEC);
	assert_int_equal(w->body.task.pid, pid);
	assert_int_equal(w->body.task.tid, tid);
	assert_int_equal(w->body.task.ppid, parent);
	assert_int_equal(w->body.task.ptid, parent);
}

static void expect_end(struct walk *w)
{
	assert_false(step(w));
	pfx_buffer_fini(&w->buffer);
}

static void make_processes(struct tree *t)
{
	tree_init(t);
	tree_file(t, "/proc/7/status",
		  "Name:\tm\\\\a\\nin\nUmask:\t0022\nTgid:\t7\nNgid:\t0\nPid:\t7\nPPid:\t3\n"
		  "TracerPid:\t0\nThreads:\t2\n");
	tree_file(t, "/proc/7/maps",
		  "1000-3000 r-xp 00001000 fe:01 99                 /usr/bin/a b\n"
		  "3000-4000 rw-p 00002000 fe:01 99                 /usr/bin/a b\n"
		  "nonsense\n"
		  "4000-5000 ---p 00000000 00:00 0 \n"
		  "5000-6000 rwxs 00000000 00:00 0 \n"
		  "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  "
		  "[vsyscall]\n");
	tree_file(t, "/proc/7/task/7/comm", "m\\a\nin\n");
	tree_file(t, "/proc/7/task/9/comm", "a long\nname that is cut\n");
	tree_file(t, "/proc/9/status", "Name:\tworker\nTgid:\t7\nPid:\t9\nPPid:\t3\nThreads:\t2\n");
	tree_file(t, "/proc/12/status", "Name:\tkthread\nTgid:\t12\nPid:\t12\nPPid:\t2\n");
	tree_file(t, "/proc/13/nothing", "");
	tree_file(t, "/proc/self/status", "Name:\tno\n");
}

static void expect_maps(struct walk *w)
{
	const struct pfx_mmap *map = &w->body.mmap;

	expect(w, PFX_RECORD_MMAP2);
	assert_int_equal(w->body.misc, PFX_MODE_USER);
	assert_int_equal(map->addr, 0x1000);
	assert_int_equal(map->len, 0x2000);
	assert_int_equal(map->pgoff, 0x1000);
	assert_int_equal(map->maj, 0xfe);
	assert_int_equal(map->min, 1);
	assert_int_equal(map->ino, 99);
	assert_int_equal(map->prot, PROT_READ | PROT_EXEC);
	assert_int_equal(map->flags, MAP_PRIVATE);
	assert_string_equal(map->filename, "/usr/bin/a b");
	expect(w, PFX_RECORD_MMAP2);
	assert_string_equal(map->filename, "//anon");
	assert_int_equal(map->flags, MAP_SHARED);
	assert_int_equal(map->prot, PROT_READ | PROT_WRITE | PROT_EXEC);
	expect(w, PFX_RECORD_MMAP2);
	assert_string_equal(map->filename, "[vsyscall]");
	assert_int_equal(map->addr, 0xffffffffff600000);
}

static void test_all(void **state)
{
	struct pfx_synth_options options = {.attr = &attr, .forks = true};
	struct pfx_list pids = {0};
	struct walk w = {0};
	struct tree t;
	size_t i;

	make_processes(&t);
	options.root = t.root;
	assert_int_equal(pfx_proc_pids(t.root, &pids, NULL), 0);
	for (i = 0; i < pids.nr; i++)
		pfx_synth_process(&options, (uint32_t)pids.at[i], &w.buffer, NULL);
	pfx_list_fini(&pids);
	expect_fork(&w, 7, 7, 3);
	expect_comm(&w, 7, 7, "m\\a\nin");
	expect_maps(&w);
	expect_fork(&w, 7, 9, 7);
	expect_comm(&w, 7, 9, "a long\nname tha");
	expect_fork(&w, 12, 12, 2);
	expect_comm(&w, 12, 12, "kthread");
	expect_end(&w);
	tree_fini(&t);
}

static void test_process(void **state)
{
	struct pfx_synth_options options = {.attr = &attr, .mmap_data = true};
	struct pfx_error err = {0};
	struct walk w = {0};
	struct tree t;

	make_processes(&t);
	options.root = t.root;
	assert_int_equal(pfx_synth_process(&options, 7, &w.buffer, &err), 0);
	assert_int_equal(pfx_synth_process(&options, 13, &w.buffer, &err), -ESRCH);
	assert_string_equal(err.text, "there is no process 13");
	assert_int_equal(pfx_synth_process(&options, 9, &w.buffer, &err), -ESRCH);
	expect_comm(&w, 7, 7, "m\\a\nin");
	expect(&w, PFX_RECORD_MMAP2);
	expect(&w, PFX_RECORD_MMAP2);
	assert_int_equal(w.body.misc, PFX_MODE_USER | PFX_MISC_MMAP_DATA);
	assert_int_equal(w.body.mmap.addr, 0x3000);
	expect(&w, PFX_RECORD_MMAP2);
	expect(&w, PFX_RECORD_MMAP2);
	expect_comm(&w, 7, 9, "a long\nname tha");
	expect_end(&w);
	tree_fini(&t);
}

static void test_pids(void **state)
{
	struct pfx_error err = {0};
	struct pfx_list pids;
	struct tree t;

	make_processes(&t);
	assert_int_equal(pfx_proc_pids(t.root, &pids, &err), 0);
	assert_int_equal(pids.nr, 4);
	assert_int_equal(pids.at[0], 7);
	assert_int_equal(pids.at[3], 13);
	pfx_list_fini(&pids);
	assert_int_equal(pfx_proc_pids("/nonexistent", &pids, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/proc"));
	tree_fini(&t);
}

static void test_this_process(void **state)
{
	struct pfx_synth_options options = {.attr = &attr, .namespaces = true};
	struct walk w = {0};
	uint64_t code = (uintptr_t)test_this_process;
	bool found = false;

	prctl(PR_SET_NAME, "synth test");
	assert_int_equal(pfx_synth_process(&options, (uint32_t)getpid(), &w.buffer, NULL), 0);
	expect_comm(&w, (uint32_t)getpid(), (uint32_t)getpid(), "synth test");
	expect(&w, PFX_RECORD_NAMESPACES);
	assert_int_equal(w.body.namespaces.links.nr, 14);
	assert_true(pfx_word(&w.body.namespaces.links, 1) != 0);
	while (step(&w))
		found |= w.body.type == PFX_RECORD_MMAP2 &&
			 code - w.body.mmap.addr < w.body.mmap.len &&
			 strstr(w.body.mmap.filename, "test_synth");
	assert_true(found);
	expect_end(&w);
}

static int kernel(const char *kallsyms, const char *iomem, bool data, struct walk *w,
		  struct pfx_error *err)
{
	struct pfx_synth_options options = {.attr = &attr, .mmap_data = data};
	struct tree t;
	int rc;

	tree_init(&t);
	if (kallsyms)
		tree_file(&t, "/proc/kallsyms", kallsyms);
	if (iomem)
		tree_file(&t, "/proc/iomem", iomem);
	options.root = t.root;
	*w = (struct walk){0};
	rc = pfx_synth_kernel(&options, &w->buffer, err);
	tree_fini(&t);
	return rc;
}

static const char symbols[] = "ffffffff81000000 T startup\nffffffff81000000 T _stext\n"
			      "ffffffff81000000 T _text\nffffffff81000010 t x\n"
			      "ffffffff82000000 T _etext\nffffffff83000000 D _edata\n"
			      "ffffffffc0000000 t _etext\t[mod]\n";

static void test_kernel(void **state)
{
	struct pfx_error err = {0};
	struct walk w;

	assert_int_equal(kernel(symbols, NULL, false, &w, &err), 0);
	expect(&w, PFX_RECORD_MMAP);
	assert_int_equal(w.body.misc, PFX_MODE_KERNEL);
	assert_int_equal(w.body.mmap.pid, (uint32_t)-1);
	assert_int_equal(w.body.mmap.tid, 0);
	assert_int_equal(w.body.mmap.addr, 0xffffffff81000000);
	assert_int_equal(w.body.mmap.pgoff, 0xffffffff81000000);
	assert_int_equal(w.body.mmap.len, 0x1000000);
	assert_string_equal(w.body.mmap.filename, "[kernel.kallsyms]_text");
	expect_end(&w);

	assert_int_equal(kernel(symbols, NULL, true, &w, &err), 0);
	expect(&w, PFX_RECORD_MMAP);
	assert_int_equal(w.body.mmap.len, 0x2000000);
	expect_end(&w);

	assert_int_equal(kernel(symbols, "01000000-01ffefff : Kernel code\n", false, &w, &err), 0);
	expect(&w, PFX_RECORD_MMAP);
	assert_int_equal(w.body.mmap.len, 0xfff000);
	expect_end(&w);
}

static void test_kernel_odd(void **state)
{
	struct pfx_error err = {0};
	struct walk w;

	assert_int_equal(
		kernel("ffff800000000000 T _stext\nffff800000100000 t tail", NULL, false, &w, &err),
		0);
	expect(&w, PFX_RECORD_MMAP);
	assert_string_equal(w.body.mmap.filename, "[kernel.kallsyms]_stext");
	assert_int_equal(w.body.mmap.len, UINT64_MAX - 0xffff800000000000);
	expect_end(&w);
	assert_int_equal(kernel("0000000000000000 T _text\n0000000000000000 T _etext\n", NULL,
				false, &w, &err),
			 -EACCES);
	assert_true(strlen(err.hint) > 0);
	assert_int_equal(w.buffer.len, 0);
	assert_int_equal(kernel(NULL, NULL, false, &w, &err), -ENOENT);
}

static void test_modules(void **state)
{
	struct pfx_synth_options options = {.attr = &attr};
	struct walk w = {0};
	struct utsname uts;
	struct tree t;
	char path[256];

	uname(&uts);
	tree_init(&t);
	options.root = t.root;
	assert_int_equal(pfx_synth_modules(&options, &w.buffer, NULL), 0);
	assert_int_equal(w.buffer.len, 0);
	tree_file(&t, "/proc/modules",
		  "snd_hda 16384 1 - Live 0xffffffffc0000000\n"
		  "own 4096 0 - Live 0xffffffffc0010000 (OE)\n"
		  "hidden 4096 0 - Live 0x0000000000000000\nbroken\n");
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", uts.release);
	tree_file(&t, path, "kernel/sound/snd-hda.ko.xz: kernel/a.ko\nkernel/a.ko:\n");
	assert_int_equal(pfx_synth_modules(&options, &w.buffer, NULL), 0);
	expect(&w, PFX_RECORD_MMAP);
	assert_int_equal(w.body.mmap.addr, 0xffffffffc0000000);
	assert_int_equal(w.body.mmap.len, 16384);
	snprintf(path, sizeof(path), "/lib/modules/%s/kernel/sound/snd-hda.ko.xz", uts.release);
	assert_string_equal(w.body.mmap.filename, path);
	expect(&w, PFX_RECORD_MMAP);
	assert_string_equal(w.body.mmap.filename, "[own]");
	expect_end(&w);
	tree_fini(&t);
}

static void test_thread_map(void **state)
{
	static int32_t many[6000];
	const int32_t tids[] = {getpid(), -1};
	struct walk w = {0};
	uint64_t total = 0;

	prctl(PR_SET_NAME, "mapped");
	pfx_synth_thread_map(NULL, tids, 2, &w.buffer);
	expect(&w, PFX_RECORD_THREAD_MAP);
	assert_int_equal(w.body.thread_map.nr, 2);
	assert_int_equal(pfx_load64(w.body.thread_map.entries.at, false), getpid());
	assert_string_equal((const char *)w.body.thread_map.entries.at + 8, "mapped");
	assert_true(pfx_load64(w.body.thread_map.entries.at + 24, false) == UINT64_MAX);
	expect_end(&w);

	w = (struct walk){0};
	memset(many, 0xff, sizeof(many));
	pfx_synth_thread_map(NULL, many, 6000, &w.buffer);
	while (step(&w))
		total += w.body.thread_map.nr;
	assert_int_equal(total, 6000);
	expect_end(&w);
}

static void check_cpus(const int *ids, size_t nr, int type)
{
	struct pfx_list list = {(int *)ids, nr};
	struct walk w = {0};
	uint32_t pos = 0;
	size_t i;

	pfx_synth_cpu_map(&list, &w.buffer);
	expect(&w, PFX_RECORD_CPU_MAP);
	assert_int_equal(w.body.cpu_map.type, type);
	for (i = 0; i < nr; i++)
		assert_int_equal(pfx_cpu_map_next(&w.body.cpu_map, false, &pos), ids[i]);
	assert_int_equal(pfx_cpu_map_next(&w.body.cpu_map, false, &pos), -1);
	expect_end(&w);
}

static void test_cpu_map(void **state)
{
	static const int range[] = {2, 3, 4, 5}, sparse[] = {1, 500};
	static const int dense[] = {0, 2, 3, 5, 6, 7, 8, 63};
	struct walk w = {0};
	uint32_t pos = 0;

	check_cpus(range, 4, PFX_CPU_MAP_RANGE);
	check_cpus(sparse, 2, PFX_CPU_MAP_CPUS);
	check_cpus(dense, 8, PFX_CPU_MAP_MASK);
	pfx_synth_cpu_map(NULL, &w.buffer);
	expect(&w, PFX_RECORD_CPU_MAP);
	assert_int_equal(pfx_cpu_map_next(&w.body.cpu_map, false, &pos), 65535);
	expect_end(&w);
}

static void test_id_index(void **state)
{
	enum { NR = 5000 };
	struct pfx_synth_id *ids = calloc(NR, sizeof(*ids));
	struct walk w = {0};
	size_t i, seen = 0;

	for (i = 0; i < NR; i++)
		ids[i] = (struct pfx_synth_id){1000 + i, i % 4, (int64_t)(i % 4), -1};
	pfx_synth_id_index(ids, NR, &w.buffer);
	while (step(&w)) {
		assert_int_equal(w.body.type, PFX_RECORD_ID_INDEX);
		for (i = 0; i < w.body.id_index.nr; i++, seen++) {
			assert_int_equal(pfx_word(&w.body.id_index.entries, 4 * i), 1000 + seen);
			assert_int_equal(pfx_word(&w.body.id_index.entries, 4 * i + 2), seen % 4);
			assert_true(pfx_word(&w.body.id_index.entries, 4 * i + 3) == UINT64_MAX);
		}
	}
	assert_int_equal(seen, NR);
	expect_end(&w);
	free(ids);
}

static void test_event_update(void **state)
{
	uint64_t ids[] = {77};
	int cpus[] = {0, 8};
	struct pfx_list own = {cpus, 2};
	struct pfx_event event = {
		.ids = ids, .nr_ids = 1, .unit = "MiB", .scale = 0.5, .name = "uncore/x/"};
	struct walk w = {0};

	pfx_synth_event_update(&event, &own, true, &w.buffer);
	expect(&w, PFX_RECORD_EVENT_UPDATE);
	assert_int_equal(w.body.event_update.type, PFX_UPDATE_UNIT);
	assert_int_equal(w.body.event_update.id, 77);
	assert_string_equal(w.body.event_update.text, "MiB");
	expect(&w, PFX_RECORD_EVENT_UPDATE);
	assert_true(w.body.event_update.scale == 0.5);
	expect(&w, PFX_RECORD_EVENT_UPDATE);
	assert_int_equal(w.body.event_update.cpus.nr, 2);
	expect(&w, PFX_RECORD_EVENT_UPDATE);
	assert_string_equal(w.body.event_update.text, "uncore/x/");
	expect_end(&w);

	w = (struct walk){0};
	event = (struct pfx_event){.scale = 1};
	pfx_synth_event_update(&event, NULL, true, &w.buffer);
	assert_int_equal(w.buffer.len, 0);
}

static void test_time_conv(void **state)
{
	static struct perf_event_mmap_page page;
	struct walk w = {0};

	pfx_synth_time_conv(&page, &w.buffer);
	pfx_synth_time_conv(NULL, &w.buffer);
	assert_int_equal(w.buffer.len, 0);
	page.cap_user_time_zero = 1;
	page.time_shift = 31;
	page.time_mult = 12345;
	page.time_zero = UINT64_MAX - 5;
	page.time_mask = 0xff;
	pfx_synth_time_conv(&page, &w.buffer);
	expect(&w, PFX_RECORD_TIME_CONV);
	assert_int_equal(w.body.time_conv.time_shift, 31);
	assert_int_equal(w.body.time_conv.time_mult, 12345);
	assert_true(w.body.time_conv.time_zero == UINT64_MAX - 5);
	assert_true(w.body.time_conv.is_long);
	assert_int_equal(w.body.time_conv.time_mask, 0xff);
	expect_end(&w);
}

static void test_bpf(void **state)
{
	struct pfx_synth_options options = {.attr = &attr};
	struct pfx_meta *meta = pfx_meta_new();
	struct walk w = {0};

	/* The loaded programs are unknown; the records must be well-formed. */
	pfx_bpf_programs_read(meta);
	pfx_synth_bpf(&options, meta, &w.buffer);
	pfx_meta_free(meta);
	while (step(&w)) {
		assert_true(w.body.type == PFX_RECORD_KSYMBOL ||
			    w.body.type == PFX_RECORD_BPF_EVENT);
		if (w.body.type == PFX_RECORD_KSYMBOL)
			assert_true(!strncmp(w.body.ksymbol.name, "bpf_", 4));
	}
	expect_end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),          cmocka_unit_test(test_process),
		cmocka_unit_test(test_pids),         cmocka_unit_test(test_this_process),
		cmocka_unit_test(test_kernel),       cmocka_unit_test(test_kernel_odd),
		cmocka_unit_test(test_modules),      cmocka_unit_test(test_thread_map),
		cmocka_unit_test(test_cpu_map),      cmocka_unit_test(test_id_index),
		cmocka_unit_test(test_event_update), cmocka_unit_test(test_time_conv),
		cmocka_unit_test(test_bpf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
