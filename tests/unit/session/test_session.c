/* SPDX-License-Identifier: MIT */
/*
 * The session with encoded records, in both byte orders: threads and names, overlapping maps,
 * forks, execs, the kernel and its modules, and records with absurd values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "session/session.h"

#define READ_EXEC 5

struct world {
	struct pfx_meta *meta;
	struct pfx_session *session;
	struct pfx_buffer buffer;
	struct pfx_attr attr;
};

static struct world w;

static void begin(bool swap)
{
	memset(&w, 0, sizeof(w));
	w.meta = pfx_meta_new();
	w.meta->swap = swap;
	w.buffer.swap = swap;
	w.attr.size = PFX_ATTR_SIZE_VER7;
	w.attr.sample_type = PFX_SAMPLE_TID | PFX_SAMPLE_TIME;
	w.attr.flags = PFX_ATTR_SAMPLE_ID_ALL;
	pfx_meta_add_event(w.meta, &w.attr, "cycles");
	pfx_meta_update(w.meta);
	w.session = pfx_session_new(w.meta);
}

static void end(void)
{
	pfx_session_free(w.session);
	pfx_meta_free(w.meta);
	pfx_buffer_fini(&w.buffer);
}

static void apply(const struct pfx_body *body)
{
	struct pfx_record rec;

	pfx_buffer_clear(&w.buffer);
	assert_true(pfx_record_encode(body, &w.attr, &w.buffer));
	pfx_record_init(&rec, w.buffer.at, w.buffer.swap, 0);
	pfx_session_apply(w.session, &rec);
}

static void mmap2(uint32_t pid, uint64_t addr, uint64_t len, uint64_t pgoff, const char *name)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP2, .misc = PFX_MODE_USER};

	body.mmap = (struct pfx_mmap){.pid = pid,
				      .tid = pid,
				      .addr = addr,
				      .len = len,
				      .pgoff = pgoff,
				      .prot = READ_EXEC,
				      .filename = name};
	apply(&body);
}

static void kernel_mmap(uint64_t addr, uint64_t len, uint64_t pgoff, const char *name)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP, .misc = PFX_MODE_KERNEL};

	body.mmap = (struct pfx_mmap){
		.pid = (uint32_t)-1, .addr = addr, .len = len, .pgoff = pgoff, .filename = name};
	apply(&body);
}

/* The newest thread with that number, NULL if there is none. */
static struct pfx_thread *known_thread(uint32_t tid)
{
	uint32_t id = pfx_session_nr_threads(w.session);

	while (id--)
		if (pfx_session_thread_at(w.session, id)->tid == tid)
			return pfx_session_thread_at(w.session, id);
	return NULL;
}

static void comm(uint32_t pid, uint32_t tid, const char *name, bool exec)
{
	struct pfx_body body = {.type = PFX_RECORD_COMM};

	body.misc = exec ? PFX_MISC_COMM_EXEC : 0;
	body.comm = (struct pfx_comm){pid, tid, name};
	apply(&body);
}

static void fork_task(uint32_t pid, uint32_t ppid, uint32_t tid, uint32_t ptid, uint16_t misc)
{
	struct pfx_body body = {.type = PFX_RECORD_FORK, .misc = misc};

	body.task = (struct pfx_task){pid, ppid, tid, ptid, 77};
	apply(&body);
}

static void ksymbol(uint64_t addr, uint32_t len, uint16_t flags, const char *name)
{
	struct pfx_body body = {.type = PFX_RECORD_KSYMBOL};

	body.ksymbol = (struct pfx_ksymbol){addr, len, 1, flags, name};
	apply(&body);
}

/* All maps of a process as "start-end@pgoff name" lines joined by blanks. */
static const char *maps_text(uint32_t pid)
{
	static struct pfx_str text;
	struct pfx_thread *thread = pfx_session_thread(w.session, pid, pid);
	const struct pfx_map *map;
	uint32_t i;

	pfx_str_clear(&text);
	for (i = 0; (map = pfx_session_map_at(w.session, thread, i)) != NULL; i++)
		pfx_str_addf(&text, "%s%lx-%lx@%lx %s", i ? " " : "", (long)map->start,
			     (long)map->end, (long)map->pgoff, map->dso->short_name);
	if (!i)
		pfx_str_add(&text, "none");
	return text.at;
}

static struct pfx_location locate(uint32_t pid, enum pfx_cpumode mode, uint64_t ip)
{
	struct pfx_location at;

	pfx_session_locate(w.session, pfx_session_thread(w.session, pid, pid), mode, ip, &at);
	return at;
}

struct overlap {
	struct {
		uint64_t start, end;
		const char *name;
	} maps[6];
	const char *expected;
};

/* Files start at offset 0 of their first page; remaining parts of a split map keep their own
 * offset. */
static const struct overlap overlaps[] = {
	{{{0x1000, 0x2000, "a"}, {0x3000, 0x4000, "b"}}, "1000-2000@0 a 3000-4000@0 b"},
	{{{0x3000, 0x4000, "b"}, {0x1000, 0x2000, "a"}}, "1000-2000@0 a 3000-4000@0 b"},
	{{{0x1000, 0x3000, "a"}, {0x3000, 0x4000, "b"}}, "1000-3000@0 a 3000-4000@0 b"},
	{{{0x1000, 0x4000, "a"}, {0x1000, 0x4000, "b"}}, "1000-4000@0 b"},
	{{{0x1000, 0x4000, "a"}, {0x2000, 0x3000, "b"}},
	 "1000-2000@0 a 2000-3000@0 b 3000-4000@2000 a"},
	{{{0x1000, 0x4000, "a"}, {0x1000, 0x2000, "b"}}, "1000-2000@0 b 2000-4000@1000 a"},
	{{{0x1000, 0x4000, "a"}, {0x3000, 0x4000, "b"}}, "1000-3000@0 a 3000-4000@0 b"},
	{{{0x1000, 0x4000, "a"}, {0x3000, 0x6000, "b"}}, "1000-3000@0 a 3000-6000@0 b"},
	{{{0x3000, 0x6000, "a"}, {0x1000, 0x4000, "b"}}, "1000-4000@0 b 4000-6000@1000 a"},
	{{{0x2000, 0x3000, "a"}, {0x4000, 0x5000, "b"}, {0x1000, 0x6000, "c"}}, "1000-6000@0 c"},
	{{{0x1000, 0x3000, "a"},
	  {0x3000, 0x4000, "b"},
	  {0x4000, 0x6000, "c"},
	  {0x2000, 0x5000, "d"}},
	 "1000-2000@0 a 2000-5000@0 d 5000-6000@1000 c"},
	{{{0x1000, 0x4000, "a"}, {0x2000, 0x3000, "b"}, {0x2800, 0x3800, "c"}},
	 "1000-2000@0 a 2000-2800@0 b 2800-3800@0 c 3800-4000@2800 a"},
	{{{0x1000, 0x4000, "a"}, {0x1000, 0x4000, "a"}}, "1000-4000@0 a"},
};

static void check_overlaps(bool swap)
{
	size_t i, k;

	for (i = 0; i < sizeof(overlaps) / sizeof(*overlaps); i++) {
		begin(swap);
		for (k = 0; k < 6 && overlaps[i].maps[k].name; k++)
			mmap2(5, overlaps[i].maps[k].start,
			      overlaps[i].maps[k].end - overlaps[i].maps[k].start, 0,
			      overlaps[i].maps[k].name);
		assert_string_equal(maps_text(5), overlaps[i].expected);
		end();
	}
}

static void test_overlaps(void **state)
{
	check_overlaps(false);
	check_overlaps(true);
}

/* Many maps in three orders, compared with a plain array of bytes. */
static void check_many(unsigned step)
{
	enum { NR = 3000, SPAN = 4 };
	static const char *names[2] = {"even", "odd"};
	const struct pfx_map *map;
	struct pfx_thread *thread;
	unsigned i, at;

	begin(false);
	for (i = 0, at = 0; i < NR; i++, at = (at + step) % NR)
		mmap2(9, 0x10000 + at * 0x1000ul, SPAN * 0x1000ul, 0, names[at & 1]);
	thread = pfx_session_thread(w.session, 9, 9);
	for (i = 0; (map = pfx_session_map_at(w.session, thread, i + 1)) != NULL; i++)
		assert_true(pfx_session_map_at(w.session, thread, i)->end <= map->start);
	for (i = 0; i < NR + SPAN - 1; i++) {
		struct pfx_location l = locate(9, PFX_MODE_USER, 0x10000 + i * 0x1000ul + 8);

		assert_non_null(l.map);
		assert_true(l.map->start <= 0x10000 + i * 0x1000ul + 8);
		assert_int_equal(l.addr, l.map->pgoff + 0x10000 + i * 0x1000ul + 8 - l.map->start);
	}
	assert_null(locate(9, PFX_MODE_USER, 0x10000 + i * 0x1000ul).map);
	assert_null(locate(9, PFX_MODE_USER, 0xffff).map);
	end();
}

static void test_many_maps(void **state)
{
	check_many(1);
	check_many(2999);
	check_many(1117);
}

static void test_addresses_of_a_file(void **state)
{
	struct pfx_location at;

	begin(true);
	mmap2(7, 0x400000, 0x2000, 0x3000, "/usr/bin/tool");
	at = locate(7, PFX_MODE_USER, 0x400123);
	assert_non_null(at.map);
	assert_int_equal(at.addr, 0x3123);
	assert_string_equal(at.map->dso->name, "/usr/bin/tool");
	assert_string_equal(at.map->dso->short_name, "tool");
	assert_string_equal(at.map->dso->script_name, "/usr/bin/tool");
	assert_int_equal(at.map->dso->kind, PFX_DSO_FILE);
	assert_true(at.map->dso->hit);
	at = locate(7, PFX_MODE_USER, 0x402000);
	assert_null(at.map);
	assert_int_equal(at.addr, 0x402000);
	assert_null(locate(7, PFX_MODE_KERNEL, 0x400123).map);
	at = locate(7, PFX_MODE_UNKNOWN, 0x400123);
	assert_int_equal(at.cpumode, PFX_MODE_USER);
	assert_null(locate(7, PFX_MODE_HYPERVISOR, 0x400123).map);
	assert_null(locate(7, PFX_MODE_GUEST_USER, 0x400123).map);
	end();
}

static void test_fork_shares_maps(void **state)
{
	uint64_t stamp;

	begin(false);
	mmap2(1, 0x1000, 0x1000, 0, "a");
	comm(1, 1, "parent", false);
	fork_task(2, 1, 2, 1, 0);
	assert_string_equal(maps_text(2), "1000-2000@0 a");
	assert_string_equal(pfx_session_thread(w.session, 2, 2)->comm->text, "parent");
	assert_int_equal(pfx_session_thread(w.session, 2, 2)->ppid, 1);
	stamp = pfx_session_maps_stamp(w.session, pfx_session_thread(w.session, 1, 1));
	assert_int_equal(stamp,
			 pfx_session_maps_stamp(w.session, pfx_session_thread(w.session, 2, 2)));
	mmap2(2, 0x1800, 0x1000, 0, "b");
	assert_string_equal(maps_text(1), "1000-2000@0 a");
	assert_string_equal(maps_text(2), "1000-1800@0 a 1800-2800@0 b");
	assert_int_equal(stamp,
			 pfx_session_maps_stamp(w.session, pfx_session_thread(w.session, 1, 1)));
	assert_int_not_equal(
		stamp, pfx_session_maps_stamp(w.session, pfx_session_thread(w.session, 2, 2)));
	mmap2(1, 0x5000, 0x1000, 0, "c");
	assert_string_equal(maps_text(2), "1000-1800@0 a 1800-2800@0 b");
	end();
}

/* A synthesized fork is followed by the child's own maps. */
static void test_made_up_fork(void **state)
{
	begin(false);
	mmap2(1, 0x1000, 0x1000, 0, "a");
	fork_task(2, 1, 2, 1, PFX_MISC_FORK_EXEC);
	assert_string_equal(maps_text(2), "none");
	end();
}

static void test_threads_share_maps(void **state)
{
	struct pfx_thread *thread;
	struct pfx_location at;

	begin(false);
	comm(10, 10, "main", true);
	mmap2(10, 0x1000, 0x1000, 0, "a");
	fork_task(10, 10, 11, 10, 0);
	comm(10, 11, "worker", false);
	mmap2(10, 0x3000, 0x1000, 0, "b");
	thread = known_thread(11);
	assert_non_null(thread);
	assert_int_equal(thread->pid, 10);
	assert_string_equal(thread->comm->text, "worker");
	assert_false(thread->comm->exec);
	assert_int_equal(thread->start_time, 77);
	pfx_session_locate(w.session, thread, PFX_MODE_USER, 0x3010, &at);
	assert_non_null(at.map);
	assert_string_equal(pfx_session_thread(w.session, 10, 10)->comm->text, "main");
	assert_true(pfx_session_thread(w.session, 10, 10)->comm->exec);
	end();
}

static void test_exec_drops_maps(void **state)
{
	begin(true);
	comm(1, 1, "shell", false);
	mmap2(1, 0x1000, 0x1000, 0, "a");
	fork_task(2, 1, 2, 1, 0);
	comm(2, 2, "renamed", false);
	assert_string_equal(maps_text(2), "1000-2000@0 a");
	comm(2, 2, "tool", true);
	assert_string_equal(maps_text(2), "none");
	assert_string_equal(maps_text(1), "1000-2000@0 a");
	/* The call of exec is still resolved by the old map. */
	assert_non_null(locate(2, PFX_MODE_USER, 0x1010).map);
	mmap2(2, 0x5000, 0x1000, 0, "b");
	assert_string_equal(maps_text(2), "5000-6000@0 b");
	assert_non_null(locate(2, PFX_MODE_USER, 0x1010).map);
	mmap2(2, 0x1000, 0x1000, 0, "c");
	assert_string_equal(locate(2, PFX_MODE_USER, 0x1010).map->dso->name, "c");
	comm(2, 2, "again", true);
	assert_string_equal(locate(2, PFX_MODE_USER, 0x5010).map->dso->name, "b");
	comm(2, 2, "and again", true);
	assert_null(locate(2, PFX_MODE_USER, 0x5010).map);
	end();
}

static void test_tid_used_again(void **state)
{
	struct pfx_thread *first, *second;
	struct pfx_body gone = {.type = PFX_RECORD_EXIT};

	begin(false);
	comm(3, 3, "first", true);
	mmap2(3, 0x1000, 0x1000, 0, "a");
	first = pfx_session_thread(w.session, 3, 3);
	gone.task = (struct pfx_task){3, 1, 3, 1, 0};
	apply(&gone);
	assert_true(first->exited);
	assert_string_equal(maps_text(3), "1000-2000@0 a");
	fork_task(3, 1, 3, 1, 0);
	second = pfx_session_thread(w.session, 3, 3);
	assert_ptr_not_equal(first, second);
	assert_int_not_equal(first->id, second->id);
	assert_string_equal(first->comm->text, "first");
	assert_string_equal(second->comm->text, ":3");
	assert_string_equal(maps_text(3), "none");
	/* The EXIT record may have another pid; so may the idle thread. */
	assert_ptr_equal(pfx_session_thread(w.session, 9, 3), second);
	assert_ptr_equal(pfx_session_thread(w.session, 9, 0), pfx_session_thread(w.session, 0, 0));
	end();
}

static void test_names(void **state)
{
	struct pfx_thread *thread;
	uint32_t id, unnamed, i;

	begin(false);
	assert_string_equal(pfx_session_thread(w.session, 0, 0)->comm->text, "swapper");
	thread = pfx_session_thread(w.session, (uint32_t)-1, (uint32_t)-1);
	assert_string_equal(thread->comm->text, ":-1");
	thread = pfx_session_thread(w.session, 4, 5);
	assert_string_equal(thread->comm->text, ":5");
	unnamed = thread->comm->id;
	assert_string_equal(pfx_session_comm_at(w.session, unnamed)->text, ":5");
	comm(4, 5, "x", false);
	id = thread->comm->id;
	assert_int_equal(pfx_session_comm_at(w.session, unnamed)->id, id);
	comm(4, 6, "x", true);
	assert_int_equal(pfx_session_thread(w.session, 4, 6)->comm->id, id);
	assert_string_equal(pfx_session_comm_at(w.session, id)->text, "x");
	comm(4, 5, "", false);
	assert_string_equal(thread->comm->text, "");
	assert_int_equal(pfx_session_comm_at(w.session, unnamed)->id, id);
	for (i = 0; i < pfx_session_nr_threads(w.session); i++)
		assert_int_equal(pfx_session_thread_at(w.session, i)->id, i);
	assert_null(known_thread(12345));
	end();
}

/* A group of two counters whose values are in the leader's samples. */
static void check_group(bool swap)
{
	struct pfx_attr attr = {.size = PFX_ATTR_SIZE_VER7,
				.sample_type = PFX_SAMPLE_READ | PFX_SAMPLE_PERIOD,
				.read_format = PFX_FORMAT_GROUP | PFX_FORMAT_ID};
	struct pfx_read read = {.nr = 3, .values = {{1000, 71, 0}, {50, 72, 0}, {9, 73, 0}}};
	struct pfx_event *leader, *member;
	struct pfx_sample sample = {.type = attr.sample_type, .period = 1000, .swap = swap};
	struct pfx_buffer bytes = {.swap = swap};
	struct pfx_sample_part *parts;

	begin(swap);
	leader = pfx_meta_add_event(w.meta, &attr, "leader");
	member = pfx_meta_add_event(w.meta, &attr, "member");
	pfx_meta_add_id(w.meta, leader, 71);
	pfx_meta_add_id(w.meta, member, 72);
	pfx_read_encode(&read, attr.read_format, &bytes);
	sample.read_bytes = (struct pfx_bytes){bytes.at, bytes.len};
	assert_int_equal(pfx_session_split_sample(w.session, leader, &sample, &parts), 2);
	assert_ptr_equal(parts[0].event, leader);
	assert_int_equal(parts[0].period, 1000);
	assert_ptr_equal(parts[1].event, member);
	assert_int_equal(parts[1].period, 50);
	assert_int_equal(parts[1].id, 72);
	assert_int_equal(pfx_session_stats(w.session)->nr_unknown_ids, 1);
	read.values[0].value = 2500;
	pfx_buffer_clear(&bytes);
	pfx_read_encode(&read, attr.read_format, &bytes);
	sample.read_bytes = (struct pfx_bytes){bytes.at, bytes.len};
	assert_int_equal(pfx_session_split_sample(w.session, leader, &sample, &parts), 1);
	assert_int_equal(parts[0].period, 1500);
	assert_int_equal(pfx_session_split_sample(w.session, leader, &sample, &parts), 0);
	sample.type = PFX_SAMPLE_PERIOD;
	assert_int_equal(pfx_session_split_sample(w.session, member, &sample, &parts), 1);
	assert_ptr_equal(parts[0].event, member);
	assert_int_equal(parts[0].period, 1000);
	pfx_buffer_fini(&bytes);
	end();
}

static void test_groups_are_split(void **state)
{
	check_group(false);
	check_group(true);
}

static void put_map_entry(struct pfx_buffer *to, uint64_t pid, const char *name)
{
	char field[16] = "";

	snprintf(field, sizeof(field), "%s", name);
	pfx_buffer_u64(to, pid);
	pfx_buffer_bytes(to, field, sizeof(field));
}

static void check_thread_map(bool swap)
{
	struct pfx_body body = {.type = PFX_RECORD_THREAD_MAP};
	struct pfx_buffer entries = {.swap = swap};
	struct pfx_thread *thread;

	begin(swap);
	comm(21, 21, "known", false);
	put_map_entry(&entries, 21, "stale");
	put_map_entry(&entries, 22, "old");
	put_map_entry(&entries, 23, "");
	put_map_entry(&entries, (uint64_t)-1, "none");
	body.swap = swap; /* byte order of the entries */
	body.thread_map.nr = 4;
	body.thread_map.entries = (struct pfx_bytes){entries.at, entries.len};
	apply(&body);
	assert_string_equal(known_thread(21)->comm->text, "known");
	thread = known_thread(22);
	assert_string_equal(thread->comm->text, "old");
	assert_null(known_thread(23));
	assert_ptr_equal(pfx_session_thread(w.session, 20, 22), thread);
	assert_int_equal(thread->pid, 20);
	mmap2(20, 0x1000, 0x1000, 0, "a");
	pfx_session_apply(w.session, &(struct pfx_record){.type = PFX_RECORD_SAMPLE});
	assert_int_equal(pfx_session_stats(w.session)->nr_by_type[PFX_RECORD_SAMPLE], 1);
	pfx_buffer_fini(&entries);
	end();
}

static void test_thread_map(void **state)
{
	check_thread_map(false);
	check_thread_map(true);
}

static void test_kernel_and_modules(void **state)
{
	struct pfx_location at;

	begin(true);
	kernel_mmap(0xffffffff81000000, 0x1000000, 0xffffffff81000040, "[kernel.kallsyms]_text");
	kernel_mmap(0xffffffffc0000000, 0x5000, 0, "/lib/modules/6.1/kernel/net/nf-tables.ko.xz");
	kernel_mmap(0xffffffffc0005000, 0x5000, 0, "[ext4]");
	at = locate(0, PFX_MODE_KERNEL, 0xffffffff81000123);
	assert_non_null(at.map);
	assert_true(at.map->is_kernel);
	assert_int_equal(at.addr, 0xffffffff81000123);
	assert_int_equal(at.map->dso->kind, PFX_DSO_KERNEL);
	assert_string_equal(at.map->dso->short_name, "[kernel.kallsyms]");
	assert_string_equal(at.map->dso->script_name, "[kernel.kallsyms]");
	assert_string_equal(at.map->dso->kernel_ref_name, "_text");
	assert_int_equal(at.map->dso->kernel_ref_addr, 0xffffffff81000040);
	at = locate(99, PFX_MODE_KERNEL, 0xffffffffc0000010);
	assert_int_equal(at.map->dso->kind, PFX_DSO_MODULE);
	assert_string_equal(at.map->dso->short_name, "[nf_tables]");
	assert_string_equal(at.map->dso->script_name, "[nf_tables]");
	assert_string_equal(at.map->dso->name, "/lib/modules/6.1/kernel/net/nf-tables.ko.xz");
	at = locate(99, PFX_MODE_KERNEL, 0xffffffffc0005010);
	assert_string_equal(at.map->dso->short_name, "[ext4]");
	assert_int_equal(locate(99, PFX_MODE_UNKNOWN, 0xffffffffc0005010).cpumode, PFX_MODE_KERNEL);
	end();
}

/* Old recordings have a kernel map that covers its modules, or one of size 0. */
static void test_kernel_around_modules(void **state)
{
	begin(false);
	kernel_mmap(0xc0100000, 0x100000, 0, "[a]");
	kernel_mmap(0xc0000000, 0x1000000, 0xc0000000, "[kernel.kallsyms]_stext");
	kernel_mmap(0xc0300000, 0x100000, 0, "[b]");
	assert_string_equal(locate(0, PFX_MODE_KERNEL, 0xc0000001).map->dso->short_name,
			    "[kernel.kallsyms]");
	assert_string_equal(locate(0, PFX_MODE_KERNEL, 0xc0100001).map->dso->short_name, "[a]");
	assert_string_equal(locate(0, PFX_MODE_KERNEL, 0xc0200001).map->dso->short_name,
			    "[kernel.kallsyms]");
	assert_string_equal(locate(0, PFX_MODE_KERNEL, 0xc0300001).map->dso->short_name, "[b]");
	assert_string_equal(locate(0, PFX_MODE_KERNEL, 0xc0ffffff).map->dso->short_name,
			    "[kernel.kallsyms]");
	assert_null(locate(0, PFX_MODE_KERNEL, 0xc1000000).map);
	end();
	begin(false);
	kernel_mmap(0, 0, 0, "[kernel.kallsyms]_text");
	assert_non_null(locate(0, PFX_MODE_KERNEL, 0xffffffff81000000).map);
	end();
}

static void test_guest_kernels(void **state)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP, .misc = PFX_MODE_GUEST_KERNEL};
	struct pfx_location at;

	begin(false);
	body.mmap = (struct pfx_mmap){.pid = (uint32_t)-1,
				      .addr = 0x8000,
				      .len = 0x1000,
				      .filename = "[guest.kernel.kallsyms]_text"};
	apply(&body);
	body.mmap.pid = 50;
	body.mmap.filename = "[guest.kernel.kallsyms.50]_text";
	apply(&body);
	at = locate(40, PFX_MODE_GUEST_KERNEL, 0x8010);
	assert_string_equal(at.map->dso->short_name, "[guest.kernel.kallsyms]");
	at = locate(50, PFX_MODE_GUEST_KERNEL, 0x8010);
	assert_string_equal(at.map->dso->short_name, "[guest.kernel.kallsyms.50]");
	assert_null(locate(50, PFX_MODE_KERNEL, 0x8010).map);
	assert_int_not_equal(
		pfx_session_maps_stamp(w.session, pfx_session_thread(w.session, 40, 40)),
		pfx_session_maps_stamp(w.session, pfx_session_thread(w.session, 50, 50)));
	end();
}

static void test_ksymbols(void **state)
{
	struct pfx_location at;

	begin(true);
	kernel_mmap(0xffffffff81000000, 0x1000000, 0xffffffff81000000, "[kernel.kallsyms]_text");
	ksymbol(0xffffffffc0100000, 0x80, 0, "bpf_prog_1234_main");
	at = locate(0, PFX_MODE_KERNEL, 0xffffffffc010007f);
	assert_int_equal(at.map->dso->kind, PFX_DSO_BPF);
	assert_string_equal(at.map->dso->short_name, "bpf_prog_1234_main");
	assert_int_equal(at.addr, 0xffffffffc010007f);
	assert_null(locate(0, PFX_MODE_KERNEL, 0xffffffffc0100080).map);
	ksymbol(0xffffffffc0100000, 0x80, 1, "bpf_prog_1234_main");
	assert_null(locate(0, PFX_MODE_KERNEL, 0xffffffffc0100010).map);
	ksymbol(0xffffffff81000000, 0x80, 1, "bpf_prog_1234_main");
	assert_non_null(locate(0, PFX_MODE_KERNEL, 0xffffffff81000000).map);
	ksymbol(0xffffffffc0100000, 0x40, 0, "bpf_prog_1234_main");
	assert_ptr_equal(locate(0, PFX_MODE_KERNEL, 0xffffffffc0100000).map->dso, at.map->dso);
	end();
}

static void test_memory_without_file(void **state)
{
	struct pfx_location a, b;

	begin(false);
	mmap2(60, 0x1000, 0x1000, 0x1000, "//anon");
	mmap2(61, 0x1000, 0x1000, 0x1000, "//anon");
	mmap2(60, 0x3000, 0x1000, 0, "[heap]");
	mmap2(60, 0x5000, 0x1000, 0x7000, "[vdso]");
	mmap2(60, 0x7000, 0x1000, 0, "/memfd:jit (deleted)");
	mmap2(60, 0x9000, 0x1000, 0x3000, "/memfd:doublemapper (deleted)");
	a = locate(60, PFX_MODE_USER, 0x1234);
	b = locate(61, PFX_MODE_USER, 0x1234);
	assert_ptr_not_equal(a.map->dso, b.map->dso);
	assert_int_equal(a.addr, 0x1234);
	assert_int_equal(a.map->dso->anon_pid, 60);
	assert_int_equal(b.map->dso->anon_pid, 61);
	assert_int_equal(a.map->dso->kind, PFX_DSO_ANON);
	assert_string_equal(a.map->dso->short_name, "[JIT] tid 60");
	assert_string_equal(a.map->dso->script_name, "/tmp/perf-60.map");
	a = locate(60, PFX_MODE_USER, 0x3010);
	assert_string_equal(a.map->dso->short_name, "[heap]");
	assert_int_equal(a.addr, 0x3010);
	a = locate(60, PFX_MODE_USER, 0x5010);
	assert_int_equal(a.map->dso->kind, PFX_DSO_VDSO);
	assert_int_equal(a.addr, 0x10);
	a = locate(60, PFX_MODE_USER, 0x7010);
	assert_int_equal(a.map->dso->kind, PFX_DSO_OTHER);
	assert_string_equal(a.map->dso->short_name, "memfd:jit (deleted)");
	a = locate(60, PFX_MODE_USER, 0x9010); /* code of .NET */
	assert_int_equal(a.map->dso->kind, PFX_DSO_ANON);
	assert_int_equal(a.addr, 0x9010);
	assert_int_equal(a.map->dso->anon_pid, 60);
	end();
}

static void file_map(uint32_t pid, uint64_t ino, const char *name)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP2, .misc = PFX_MODE_USER};

	body.mmap = (struct pfx_mmap){.pid = pid,
				      .tid = pid,
				      .addr = 0x1000,
				      .len = 0x1000,
				      .maj = 8,
				      .min = 1,
				      .ino = ino,
				      .prot = READ_EXEC,
				      .filename = name};
	apply(&body);
}

static void built_map(uint32_t pid, uint8_t id, const char *name)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP2,
				.misc = PFX_MODE_USER | PFX_MISC_MMAP_BUILD_ID};

	body.mmap = (struct pfx_mmap){.pid = pid,
				      .tid = pid,
				      .addr = 0x1000,
				      .len = 0x1000,
				      .build_id_size = 20,
				      .prot = READ_EXEC,
				      .filename = name};
	memset(body.mmap.build_id, id, 20);
	apply(&body);
}

static struct pfx_dso *dso_of(uint32_t pid)
{
	return locate(pid, PFX_MODE_USER, 0x1000).map->dso;
}

static void test_same_name_other_file(void **state)
{
	begin(true);
	file_map(1, 100, "/lib/libc.so.6");
	file_map(2, 100, "/lib/libc.so.6");
	file_map(3, 200, "/lib/libc.so.6");
	mmap2(4, 0x1000, 0x1000, 0, "/other/libc.so.6");
	assert_ptr_equal(dso_of(1), dso_of(2));
	assert_ptr_not_equal(dso_of(1), dso_of(3));
	assert_ptr_not_equal(dso_of(1), dso_of(4));
	assert_int_equal(dso_of(1)->name_id, dso_of(4)->name_id);
	built_map(5, 0xaa, "/bin/a");
	file_map(6, 300, "/bin/a");
	built_map(7, 0xbb, "/bin/a");
	assert_ptr_equal(dso_of(5), dso_of(6));
	assert_ptr_not_equal(dso_of(5), dso_of(7));
	assert_int_equal(dso_of(6)->build_id_size, 20);
	assert_int_equal(dso_of(6)->build_id[19], 0xaa);
	end();
}

static void add_env_id(const char *name, uint8_t fill, uint16_t misc)
{
	struct pfx_env *env = &w.meta->env;
	struct pfx_env_build_id *ids =
		pfx_arena_array(&w.meta->arena, struct pfx_env_build_id, env->nr_build_ids + 1);

	if (env->nr_build_ids)
		memcpy(ids, env->build_ids, env->nr_build_ids * sizeof(*ids));
	ids[env->nr_build_ids] =
		(struct pfx_env_build_id){.pid = -1, .misc = misc, .size = 20, .filename = name};
	memset(ids[env->nr_build_ids].id, fill, 20);
	env->build_ids = ids;
	env->nr_build_ids++;
}

static void test_build_ids(void **state)
{
	struct pfx_body body = {.type = PFX_RECORD_HEADER_BUILD_ID};

	begin(false);
	add_env_id("/bin/a", 0x11, PFX_MODE_USER);
	add_env_id("/boot/vmlinux-6.1", 0x33, PFX_MODE_KERNEL);
	mmap2(1, 0x1000, 0x1000, 0, "/bin/a");
	assert_int_equal(dso_of(1)->build_id[0], 0x11);
	mmap2(2, 0x1000, 0x1000, 0, "/bin/b");
	assert_int_equal(dso_of(2)->build_id_size, 0);
	add_env_id("/bin/b", 0x22, PFX_MODE_USER);
	comm(1, 1, "x", false);
	assert_int_equal(dso_of(2)->build_id[0], 0x22);
	kernel_mmap(0xffffffff81000000, 0x1000, 0xffffffff81000000, "[kernel.kallsyms]_text");
	assert_string_equal(locate(0, PFX_MODE_KERNEL, 0xffffffff81000000).map->dso->short_name,
			    "[kernel.vmlinux]");
	assert_int_equal(locate(0, PFX_MODE_KERNEL, 0xffffffff81000000).map->dso->build_id[0],
			 0x33);
	mmap2(3, 0x1000, 0x1000, 0, "/bin/c");
	body.header_build_id.filename = "/bin/c";
	body.header_build_id.build_id_size = 20;
	memset(body.header_build_id.build_id, 0x44, 20);
	apply(&body);
	assert_int_equal(dso_of(3)->build_id[0], 0x44);
	end();
}

static void test_counts(void **state)
{
	struct pfx_body body = {.type = PFX_RECORD_LOST};
	const struct pfx_session_stats *stats;
	static const uint8_t unknown[8] = {99, 0, 0, 0, 0, 0, 8, 0};
	static const uint8_t cut[8] = {PFX_RECORD_COMM, 0, 0, 0, 0, 0, 8, 0};
	const bool swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	struct pfx_record rec;

	begin(false);
	body.lost.lost = 5;
	apply(&body);
	apply(&body);
	body.type = PFX_RECORD_LOST_SAMPLES;
	body.lost_samples = 3;
	apply(&body);
	pfx_record_init(&rec, unknown, swap, 0);
	pfx_session_apply(w.session, &rec);
	pfx_record_init(&rec, cut, swap, 0);
	pfx_session_apply(w.session, &rec);
	stats = pfx_session_stats(w.session);
	assert_int_equal(stats->nr_by_type[PFX_RECORD_LOST], 2);
	assert_int_equal(stats->nr_lost, 10);
	assert_int_equal(stats->nr_lost_chunks, 2);
	assert_int_equal(stats->nr_lost_samples, 3);
	assert_int_equal(stats->nr_by_type[PFX_RECORD_USER_MAX], 1);
	assert_int_equal(stats->nr_bad, 1);
	end();
}

/* What may be printed for each sample is no longer than what a kernel writes, and whole characters.
 */
static void test_long_names(void **state)
{
	static char name[60001];
	struct pfx_body body = {.type = PFX_RECORD_CGROUP};
	uint32_t i;

	for (i = 0; i < 20000; i++)
		memcpy(name + i * 3, "\xe6\xbc\xa2", 3);
	begin(false);
	comm(1, 1, name, true);
	assert_int_equal(strlen(pfx_session_thread(w.session, 1, 1)->comm->text), 255);
	mmap2(1, 0x1000, 0x1000, 0, name);
	assert_int_equal(strlen(locate(1, PFX_MODE_USER, 0x1000).map->dso->name), 4095);
	ksymbol(0xffffffffc0100000, 0x80, 0, name);
	assert_int_equal(strlen(locate(1, PFX_MODE_KERNEL, 0xffffffffc0100000).map->dso->name),
			 1023);
	body.cgroup = (struct pfx_cgroup){7, name};
	apply(&body);
	assert_int_equal(strlen(pfx_session_cgroup(w.session, 7)), 4095);
	pfx_meta_name_event(w.meta, w.meta->events[0], name);
	assert_int_equal(strlen(w.meta->events[0]->name), 1023);
	end();
}

static void test_namespaces_and_cgroups(void **state)
{
	struct pfx_body body = {.type = PFX_RECORD_NAMESPACES};
	struct pfx_buffer words = {.swap = true};
	struct pfx_thread *thread;
	unsigned i;

	begin(true);
	for (i = 0; i < 20; i++)
		pfx_buffer_u64(&words, 1000 + i);
	body.namespaces.pid = body.namespaces.tid = 30;
	body.namespaces.links = (struct pfx_words){words.at, 20, true};
	apply(&body);
	thread = pfx_session_thread(w.session, 30, 30);
	assert_int_equal(thread->nr_ns, 7);
	assert_int_equal(thread->ns[3].dev, 1006);
	assert_int_equal(thread->ns[3].ino, 1007);
	body.type = PFX_RECORD_CGROUP;
	body.cgroup = (struct pfx_cgroup){123456789012345, "/system.slice"};
	apply(&body);
	assert_string_equal(pfx_session_cgroup(w.session, 123456789012345), "/system.slice");
	assert_null(pfx_session_cgroup(w.session, 1));
	pfx_buffer_fini(&words);
	end();
}

static void test_absurd_maps(void **state)
{
	struct pfx_location at;

	begin(false);
	mmap2(1, 0xfffffffffffff000, 0x5000, 0, "wraps");
	assert_non_null(locate(1, PFX_MODE_USER, 0xfffffffffffffff0).map);
	mmap2(1, 0, UINT64_MAX, UINT64_MAX, "all");
	at = locate(1, PFX_MODE_USER, 0);
	assert_string_equal(at.map->dso->name, "all");
	mmap2(1, 0x1000, 0, 0, "empty");
	assert_string_equal(locate(1, PFX_MODE_USER, 0x1000).map->dso->name, "all");
	mmap2(1, 0, 1, 0, "");
	assert_int_equal(locate(1, PFX_MODE_USER, 0).map->dso->kind, PFX_DSO_ANON);
	kernel_mmap(0, UINT64_MAX, 0, "[kernel.kallsyms]");
	kernel_mmap(0xfffffffffffff000, UINT64_MAX, 0, "[m]");
	kernel_mmap(5, 6, 0, "no bracket]");
	kernel_mmap(5, 6, 0, "[kernel.kallsyms");
	ksymbol(UINT64_MAX, UINT32_MAX, 0, "");
	ksymbol(UINT64_MAX - 1, UINT32_MAX, 0, "edge");
	assert_non_null(locate(1, PFX_MODE_KERNEL, 100).map);
	end();
}

/* 20,000 processes with 300 maps each, most of them shared: must be fast and use little memory. */
static void test_fork_storm(void **state)
{
	char name[32];
	uint32_t i;

	begin(false);
	comm(1, 1, "shell", true);
	for (i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "/lib/lib%u.so", i);
		mmap2(1, 0x100000 + i * 0x2000ul, 0x1000, 0, name);
	}
	for (i = 2; i < 20002; i++) {
		fork_task(i, i & 1 ? i - 1 : 1, i, i & 1 ? i - 1 : 1, 0);
		if (i % 4 == 0)
			comm(i, i, "tool", true);
		mmap2(i, 0x7f0000000000, 0x1000, 0, "/bin/tool");
	}
	assert_int_equal(pfx_session_nr_dsos(w.session), 301);
	assert_non_null(locate(20001, PFX_MODE_USER, 0x7f0000000000).map);
	assert_non_null(locate(19999, PFX_MODE_USER, 0x100000).map);
	assert_string_not_equal(maps_text(19999), "7f0000000000-7f0000001000@0 tool");
	assert_string_equal(maps_text(20000), "7f0000000000-7f0000001000@0 tool");
	assert_non_null(locate(1, PFX_MODE_USER, 0x100000).map);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_many_maps),
		cmocka_unit_test(test_addresses_of_a_file),
		cmocka_unit_test(test_fork_shares_maps),
		cmocka_unit_test(test_made_up_fork),
		cmocka_unit_test(test_threads_share_maps),
		cmocka_unit_test(test_exec_drops_maps),
		cmocka_unit_test(test_tid_used_again),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_groups_are_split),
		cmocka_unit_test(test_thread_map),
		cmocka_unit_test(test_kernel_and_modules),
		cmocka_unit_test(test_kernel_around_modules),
		cmocka_unit_test(test_guest_kernels),
		cmocka_unit_test(test_ksymbols),
		cmocka_unit_test(test_memory_without_file),
		cmocka_unit_test(test_same_name_other_file),
		cmocka_unit_test(test_build_ids),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_namespaces_and_cgroups),
		cmocka_unit_test(test_absurd_maps),
		cmocka_unit_test(test_fork_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
