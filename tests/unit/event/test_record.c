/* SPDX-License-Identifier: MIT */
/* Records of every type but SAMPLE in both byte orders, truncated anywhere, and their dump. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "event/attr.h"
#include "event/dump.h"
#include "event/meta.h"
#include "event/record.h"
#include "unit/event/attr_fixture.h"

#define NR(a) (sizeof(a) / sizeof((a)[0]))

/* What a reader must swap in bytes that are spelled out little-endian. */
#define SWAP_LITTLE (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static const struct pfx_attr trailer_attr = {
	.size = 128,
	.sample_type = PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_TIME | PFX_SAMPLE_ID |
		       PFX_SAMPLE_STREAM_ID | PFX_SAMPLE_CPU | PFX_SAMPLE_IDENTIFIER,
	.read_format = PFX_FORMAT_ENABLED | PFX_FORMAT_RUNNING | PFX_FORMAT_ID | PFX_FORMAT_LOST,
	.flags = PFX_ATTR_SAMPLE_ID_ALL,
};

static const struct pfx_sample_id trailer_id = {
	.has = PFX_SAMPLE_TID | PFX_SAMPLE_TIME | PFX_SAMPLE_ID | PFX_SAMPLE_STREAM_ID |
	       PFX_SAMPLE_CPU | PFX_SAMPLE_IDENTIFIER,
	.pid = 11,
	.tid = 12,
	.time = 1234567890123,
	.id = 5,
	.stream_id = 6,
	.cpu = 3,
	.identifier = 5,
};

/* Encode, decode, encode in the other byte order, decode and encode again: must give the first
 * bytes. *@got borrows from @first. */
static void cross_over(const struct pfx_body *body, bool swap, struct pfx_buffer *first,
		       struct pfx_body *got)
{
	struct pfx_buffer other = {.swap = !swap}, again = {.swap = swap};
	struct pfx_body mid;
	struct pfx_record rec;

	first->swap = swap;
	assert_true(pfx_record_encode(body, &trailer_attr, first));
	pfx_record_init(&rec, first->at, swap, 0);
	assert_int_equal(rec.size, first->len);
	assert_int_equal(rec.type, body->type);
	assert_int_equal(pfx_record_decode(&rec, &trailer_attr, got, NULL), 0);
	assert_true(pfx_record_encode(got, &trailer_attr, &other));
	assert_int_equal(other.len, first->len);
	pfx_record_init(&rec, other.at, !swap, 0);
	assert_int_equal(pfx_record_decode(&rec, &trailer_attr, &mid, NULL), 0);
	assert_true(pfx_record_encode(&mid, &trailer_attr, &again));
	assert_int_equal(again.len, first->len);
	assert_memory_equal(again.at, first->at, first->len);
	pfx_buffer_fini(&other);
	pfx_buffer_fini(&again);
}

/* Truncate the record at every length: a result or an error, and never a read after its end. */
static void cut_everywhere(const struct pfx_buffer *buf)
{
	struct pfx_str text = {0};
	size_t size;

	for (size = PFX_RECORD_HEADER_SIZE; size < buf->len; size++) {
		uint8_t *copy = malloc(size);
		struct pfx_record rec;
		struct pfx_body got;

		memcpy(copy, buf->at, size);
		pfx_record_init(&rec, copy, buf->swap, 0);
		rec.size = (uint16_t)size;
		pfx_record_decode(&rec, &trailer_attr, &got, NULL);
		pfx_dump_fields(&rec, &text);
		free(copy);
	}
	pfx_str_fini(&text);
}

static bool checked[PFX_RECORD_USER_MAX]; /* types that check_body() has checked */

typedef void (*check_fn)(const struct pfx_body *got);

static void check_body(struct pfx_body *body, check_fn check)
{
	int swap;

	checked[body->type] = true;
	for (swap = 0; swap < 2; swap++) {
		struct pfx_buffer buf = {0};
		struct pfx_body got;

		body->id = trailer_id;
		cross_over(body, swap, &buf, &got);
		assert_int_equal(got.misc, body->misc);
		if (body->type < PFX_RECORD_USER_FIRST)
			assert_memory_equal(&got.id, &trailer_id, sizeof(trailer_id));
		else
			assert_int_equal(got.id.has, 0);
		check(&got);
		cut_everywhere(&buf);
		pfx_buffer_fini(&buf);
	}
}

static void is_mmap(const struct pfx_body *got)
{
	assert_int_equal(got->mmap.pid, 1);
	assert_int_equal(got->mmap.tid, 2);
	assert_int_equal(got->mmap.addr, 0x400000);
	assert_int_equal(got->mmap.len, 0x1000);
	assert_int_equal(got->mmap.pgoff, 0x2000);
	assert_string_equal(got->mmap.filename, "/bin/x");
}

static void is_mmap2(const struct pfx_body *got)
{
	is_mmap(got);
	assert_int_equal(got->mmap.maj, 8);
	assert_int_equal(got->mmap.min, 1);
	assert_int_equal(got->mmap.ino, 99);
	assert_int_equal(got->mmap.ino_generation, 7);
	assert_int_equal(got->mmap.prot, 5);
	assert_int_equal(got->mmap.flags, 2);
	assert_int_equal(got->mmap.build_id_size, 0);
}

static void is_mmap2_build_id(const struct pfx_body *got)
{
	is_mmap(got);
	assert_int_equal(got->mmap.build_id_size, 16);
	assert_int_equal(got->mmap.build_id[0], 0xab);
	assert_int_equal(got->mmap.build_id[15], 0xcd);
	assert_int_equal(got->mmap.ino, 0);
	assert_int_equal(got->mmap.prot, 5);
}

static void test_mmap(void **state)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP, .misc = PFX_MODE_USER};

	(void)state;
	body.mmap = (struct pfx_mmap){.pid = 1,
				      .tid = 2,
				      .addr = 0x400000,
				      .len = 0x1000,
				      .pgoff = 0x2000,
				      .maj = 8,
				      .min = 1,
				      .ino = 99,
				      .ino_generation = 7,
				      .prot = 5,
				      .flags = 2,
				      .filename = "/bin/x"};
	check_body(&body, is_mmap);
	body.type = PFX_RECORD_MMAP2;
	check_body(&body, is_mmap2);
	body.misc |= PFX_MISC_MMAP_BUILD_ID;
	body.mmap.build_id_size = 16;
	body.mmap.build_id[0] = 0xab;
	body.mmap.build_id[15] = 0xcd;
	check_body(&body, is_mmap2_build_id);
}

static void is_lost(const struct pfx_body *got)
{
	assert_int_equal(got->lost.id, 4);
	assert_int_equal(got->lost.lost, 1000);
}

static void is_comm(const struct pfx_body *got)
{
	assert_int_equal(got->comm.pid, 3);
	assert_int_equal(got->comm.tid, 4);
	assert_string_equal(got->comm.comm, "a comm of 15 ch");
}

static void is_task(const struct pfx_body *got)
{
	assert_int_equal(got->task.pid, 1);
	assert_int_equal(got->task.ppid, 2);
	assert_int_equal(got->task.tid, 3);
	assert_int_equal(got->task.ptid, 4);
	assert_int_equal(got->task.time, 99);
}

static void is_throttle(const struct pfx_body *got)
{
	assert_int_equal(got->throttle.time, 10);
	assert_int_equal(got->throttle.id, 20);
	assert_int_equal(got->throttle.stream_id, 30);
}

static void test_small_kernel_records(void **state)
{
	struct pfx_body body = {.type = PFX_RECORD_LOST};

	(void)state;
	body.lost = (struct pfx_lost){4, 1000};
	check_body(&body, is_lost);
	body.type = PFX_RECORD_COMM;
	body.misc = PFX_MISC_COMM_EXEC;
	body.comm = (struct pfx_comm){3, 4, "a comm of 15 ch"};
	check_body(&body, is_comm);
	body.task = (struct pfx_task){1, 2, 3, 4, 99};
	body.type = PFX_RECORD_FORK;
	check_body(&body, is_task);
	body.type = PFX_RECORD_EXIT;
	check_body(&body, is_task);
	body.throttle = (struct pfx_throttle){10, 20, 30};
	body.type = PFX_RECORD_THROTTLE;
	check_body(&body, is_throttle);
	body.type = PFX_RECORD_UNTHROTTLE;
	check_body(&body, is_throttle);
}

static void is_read(const struct pfx_body *got)
{
	assert_int_equal(got->read.pid, 1);
	assert_int_equal(got->read.tid, 2);
	assert_int_equal(got->read.read.nr, 1);
	assert_int_equal(got->read.read.enabled, 500);
	assert_int_equal(got->read.read.running, 400);
	assert_int_equal(got->read.read.values[0].value, 12345);
	assert_int_equal(got->read.read.values[0].id, 7);
	assert_int_equal(got->read.read.values[0].lost, 8);
}

static void is_aux(const struct pfx_body *got)
{
	assert_int_equal(got->aux.offset, 1);
	assert_int_equal(got->aux.size, 2);
	assert_int_equal(got->aux.flags, 0x101);
}

static void is_pid_tid(const struct pfx_body *got)
{
	assert_int_equal(got->next_prev.pid, 8);
	assert_int_equal(got->next_prev.tid, 9);
	assert_int_equal(got->itrace_start.pid, 8);
}

static void is_number(const struct pfx_body *got)
{
	assert_int_equal(got->lost_samples, 0x123456789);
	assert_int_equal(got->aux_output_hw_id, 0x123456789);
}

static void is_nothing(const struct pfx_body *got)
{
	assert_non_null(got);
}

static void test_more_kernel_records(void **state)
{
	struct pfx_body body = {.type = PFX_RECORD_READ};

	(void)state;
	body.read = (struct pfx_read_record){
		.pid = 1, .tid = 2, .read = {.enabled = 500, .running = 400, .nr = 1}};
	body.read.read.values[0] = (struct pfx_read_value){12345, 7, 8};
	check_body(&body, is_read);
	body.type = PFX_RECORD_AUX;
	body.aux = (struct pfx_aux){1, 2, 0x101};
	check_body(&body, is_aux);
	body.itrace_start = (struct pfx_pid_tid){8, 9};
	body.type = PFX_RECORD_ITRACE_START;
	check_body(&body, is_pid_tid);
	body.type = PFX_RECORD_SWITCH_CPU_WIDE;
	body.misc = PFX_MISC_SWITCH_OUT;
	check_body(&body, is_pid_tid);
	body.type = PFX_RECORD_SWITCH;
	check_body(&body, is_nothing);
	body.lost_samples = 0x123456789;
	body.type = PFX_RECORD_LOST_SAMPLES;
	check_body(&body, is_number);
	body.type = PFX_RECORD_AUX_OUTPUT_HW_ID;
	check_body(&body, is_number);
}

static void is_namespaces(const struct pfx_body *got)
{
	assert_int_equal(got->namespaces.pid, 1);
	assert_int_equal(got->namespaces.links.nr, 4);
	assert_int_equal(pfx_word(&got->namespaces.links, 0), 3);
	assert_int_equal(pfx_word(&got->namespaces.links, 3), 0xf0000001);
}

static void is_ksymbol(const struct pfx_body *got)
{
	assert_int_equal(got->ksymbol.addr, 0xffffffffc0000000);
	assert_int_equal(got->ksymbol.len, 64);
	assert_int_equal(got->ksymbol.ksym_type, 1);
	assert_int_equal(got->ksymbol.flags, 1);
	assert_string_equal(got->ksymbol.name, "bpf_prog_1");
}

static void is_bpf(const struct pfx_body *got)
{
	assert_int_equal(got->bpf_event.type, 1);
	assert_int_equal(got->bpf_event.flags, 2);
	assert_int_equal(got->bpf_event.id, 77);
	assert_memory_equal(got->bpf_event.tag, "\1\2\3\4\5\6\7\10", 8);
}

static void is_cgroup(const struct pfx_body *got)
{
	assert_int_equal(got->cgroup.id, 42);
	assert_string_equal(got->cgroup.path, "/a/b");
}

static void is_text_poke(const struct pfx_body *got)
{
	assert_int_equal(got->text_poke.addr, 0x1000);
	assert_int_equal(got->text_poke.old_len, 5);
	assert_int_equal(got->text_poke.new_len, 2);
	assert_memory_equal(got->text_poke.bytes, "abcdeXY", 7);
}

static void is_deferred(const struct pfx_body *got)
{
	assert_int_equal(got->callchain_deferred.cookie, 0xc00c1e);
	assert_int_equal(got->callchain_deferred.ips.nr, 4);
	assert_int_equal(pfx_word(&got->callchain_deferred.ips, 1), 4);
}

static void test_variable_kernel_records(void **state)
{
	uint64_t numbers[] = {3, 4, 5, 0xf0000001};
	struct pfx_body body = {.type = PFX_RECORD_NAMESPACES};

	(void)state;
	body.namespaces = (struct pfx_namespaces){1, 2, words_of(numbers, 4)};
	check_body(&body, is_namespaces);
	body.type = PFX_RECORD_KSYMBOL;
	body.ksymbol = (struct pfx_ksymbol){0xffffffffc0000000, 64, 1, 1, "bpf_prog_1"};
	check_body(&body, is_ksymbol);
	body.type = PFX_RECORD_BPF_EVENT;
	body.bpf_event = (struct pfx_bpf_event){1, 2, 77, {1, 2, 3, 4, 5, 6, 7, 8}};
	check_body(&body, is_bpf);
	body.type = PFX_RECORD_CGROUP;
	body.cgroup = (struct pfx_cgroup){42, "/a/b"};
	check_body(&body, is_cgroup);
	body.type = PFX_RECORD_TEXT_POKE;
	body.text_poke = (struct pfx_text_poke){0x1000, 5, 2, (const uint8_t *)"abcdeXY"};
	check_body(&body, is_text_poke);
	body.type = PFX_RECORD_CALLCHAIN_DEFERRED;
	body.callchain_deferred = (struct pfx_callchain_deferred){0xc00c1e, words_of(numbers, 4)};
	check_body(&body, is_deferred);
}

static void is_header_attr(const struct pfx_body *got)
{
	assert_same_attr(got->header_attr.attr, full_attr());
	assert_int_equal(got->header_attr.ids.nr, 2);
	assert_int_equal(pfx_word(&got->header_attr.ids, 1), 22);
}

static void is_event_type(const struct pfx_body *got)
{
	assert_int_equal(got->header_event_type.event_id, 9);
	assert_string_equal(got->header_event_type.name, "cycles");
}

static void is_tracing_data(const struct pfx_body *got)
{
	assert_int_equal(got->tracing_data_size, 6320);
}

static void is_build_id(const struct pfx_body *got)
{
	assert_int_equal(got->header_build_id.pid, -1);
	assert_int_equal(got->header_build_id.build_id_size,
			 got->misc & PFX_MISC_BUILD_ID_SIZE ? 16 : 20);
	assert_int_equal(got->header_build_id.build_id[15], 0x15);
	assert_string_equal(got->header_build_id.filename, "/lib/libc.so.6");
}

static void is_id_index(const struct pfx_body *got)
{
	assert_int_equal(got->id_index.nr, 1);
	assert_int_equal(got->id_index.entries.nr, 4);
	assert_int_equal(pfx_word(&got->id_index.entries, 3), -1);
}

static void is_id_index_guest(const struct pfx_body *got)
{
	is_id_index(got);
	assert_int_equal(got->id_index.machines.nr, 2);
	assert_int_equal(pfx_word(&got->id_index.machines, 0), 500);
}

static void test_describing_records(void **state)
{
	uint64_t ids[] = {21, 22}, index[] = {21, 0, 1, (uint64_t)-1}, machines[] = {500, 1};
	struct pfx_body body = {.type = PFX_RECORD_HEADER_ATTR};

	(void)state;
	body.header_attr = (struct pfx_header_attr){full_attr(), words_of(ids, 2)};
	check_body(&body, is_header_attr);
	body.type = PFX_RECORD_HEADER_EVENT_TYPE;
	body.header_event_type = (struct pfx_header_event_type){9, "cycles"};
	check_body(&body, is_event_type);
	body.type = PFX_RECORD_HEADER_TRACING_DATA;
	body.tracing_data_size = 6320;
	check_body(&body, is_tracing_data);
	body.type = PFX_RECORD_HEADER_BUILD_ID;
	body.header_build_id =
		(struct pfx_header_build_id){.pid = -1, .filename = "/lib/libc.so.6"};
	body.header_build_id.build_id[15] = 0x15;
	body.header_build_id.build_id_size = 20;
	check_body(&body, is_build_id);
	body.misc = PFX_MISC_BUILD_ID_SIZE;
	body.header_build_id.build_id_size = 16;
	check_body(&body, is_build_id);
	body = (struct pfx_body){.type = PFX_RECORD_ID_INDEX};
	body.id_index = (struct pfx_id_index){.nr = 1, .entries = words_of(index, 4)};
	check_body(&body, is_id_index);
	body.id_index.machines = words_of(machines, 2);
	check_body(&body, is_id_index_guest);
}

static void is_auxtrace_info(const struct pfx_body *got)
{
	assert_int_equal(got->auxtrace_info.type, 1);
	assert_int_equal(got->auxtrace_info.priv.nr, 2);
	assert_int_equal(pfx_word(&got->auxtrace_info.priv, 0), 21);
}

static void is_auxtrace(const struct pfx_body *got)
{
	assert_int_equal(got->auxtrace.size, 4096);
	assert_int_equal(got->auxtrace.offset, 1);
	assert_int_equal(got->auxtrace.reference, 2);
	assert_int_equal(got->auxtrace.idx, 3);
	assert_int_equal(got->auxtrace.tid, 4);
	assert_int_equal(got->auxtrace.cpu, 5);
}

static void is_auxtrace_error(const struct pfx_body *got)
{
	const struct pfx_auxtrace_error *e = &got->auxtrace_error;

	assert_int_equal(e->type, 1);
	assert_int_equal(e->code, 2);
	assert_int_equal(e->cpu, 3);
	assert_int_equal(e->pid, 4);
	assert_int_equal(e->tid, 5);
	assert_int_equal(e->ip, 6);
	assert_int_equal(e->time, e->fmt ? 7 : PFX_NO_TIME);
	assert_string_equal(e->msg, "Lost it");
	assert_int_equal(e->machine_pid, e->fmt >= 2 ? 8 : 0);
	assert_int_equal(e->vcpu, e->fmt >= 2 ? 9 : 0);
}

static void test_aux_records(void **state)
{
	uint64_t priv[] = {21, 22};
	struct pfx_body body = {.type = PFX_RECORD_AUXTRACE_INFO};
	uint32_t fmt;

	(void)state;
	body.auxtrace_info = (struct pfx_auxtrace_info){1, words_of(priv, 2)};
	check_body(&body, is_auxtrace_info);
	body.type = PFX_RECORD_AUXTRACE;
	body.auxtrace = (struct pfx_auxtrace){4096, 1, 2, 3, 4, 5};
	check_body(&body, is_auxtrace);
	body.type = PFX_RECORD_AUXTRACE_ERROR;
	for (fmt = 0; fmt < 3; fmt++) {
		body.auxtrace_error =
			(struct pfx_auxtrace_error){1, 2, 3, 4, 5, fmt, 6, 7, "Lost it", 8, 9};
		check_body(&body, is_auxtrace_error);
	}
}

static void is_stat_config(const struct pfx_body *got)
{
	assert_int_equal(got->stat_config.entries.nr, 4);
	assert_int_equal(pfx_word(&got->stat_config.entries, 3), 1000);
}

static void is_stat(const struct pfx_body *got)
{
	assert_int_equal(got->stat.id, 1);
	assert_int_equal(got->stat.cpu, 2);
	assert_int_equal(got->stat.thread, 3);
	assert_int_equal(got->stat.val, 4);
	assert_int_equal(got->stat.ena, 5);
	assert_int_equal(got->stat.run, 6);
}

static void is_stat_round(const struct pfx_body *got)
{
	assert_int_equal(got->stat_round.type, 1);
	assert_int_equal(got->stat_round.time, 99);
}

static void is_time_conv(const struct pfx_body *got)
{
	const struct pfx_time_conv *conv = &got->time_conv;

	assert_int_equal(conv->time_shift, 1);
	assert_int_equal(conv->time_mult, 2);
	assert_int_equal(conv->time_zero, 3);
	assert_int_equal(conv->time_cycles, conv->is_long ? 4 : 0);
	assert_int_equal(conv->time_mask, conv->is_long ? 5 : 0);
	assert_int_equal(conv->cap_user_time_zero, conv->is_long);
	assert_int_equal(conv->cap_user_time_short, conv->is_long);
}

static void test_stat_records(void **state)
{
	uint64_t config[] = {0, 3, 1, 1000};
	struct pfx_body body = {.type = PFX_RECORD_STAT_CONFIG};

	(void)state;
	body.stat_config.entries = words_of(config, 4);
	check_body(&body, is_stat_config);
	body.type = PFX_RECORD_STAT;
	body.stat = (struct pfx_stat){1, 2, 3, 4, 5, 6};
	check_body(&body, is_stat);
	body.type = PFX_RECORD_STAT_ROUND;
	body.stat_round = (struct pfx_stat_round){1, 99};
	check_body(&body, is_stat_round);
	body.type = PFX_RECORD_TIME_CONV;
	body.time_conv = (struct pfx_time_conv){1, 2, 3, 4, 5, 1, 1, false};
	check_body(&body, is_time_conv);
	body.time_conv.is_long = true;
	check_body(&body, is_time_conv);
	body.type = PFX_RECORD_FINISHED_ROUND;
	check_body(&body, is_nothing);
	body.type = PFX_RECORD_FINISHED_INIT;
	check_body(&body, is_nothing);
}

static void is_thread_map(const struct pfx_body *got)
{
	assert_int_equal(got->thread_map.nr, 2);
	assert_int_equal(got->thread_map.entries.size, 48);
	assert_int_equal(pfx_load64(got->thread_map.entries.at + 24, got->swap), 8);
	assert_string_equal((const char *)got->thread_map.entries.at + 32, "zwei");
}

static void assert_cpus(const struct pfx_cpu_map *map, bool swap, const int *cpus)
{
	uint32_t pos = 0;
	int cpu;

	while ((cpu = pfx_cpu_map_next(map, swap, &pos)) >= 0)
		assert_int_equal(cpu, *cpus++);
	assert_int_equal(*cpus, -1);
}

static void is_cpu_list(const struct pfx_body *got)
{
	assert_cpus(&got->cpu_map, got->swap, (const int[]){0, 2, 65535, -1});
}

static void is_cpu_mask(const struct pfx_body *got)
{
	if (got->cpu_map.long_size == 8)
		assert_cpus(&got->cpu_map, got->swap, (const int[]){0, 33, 63, 64, -1});
	else
		assert_cpus(&got->cpu_map, got->swap, (const int[]){0, 31, 33, -1});
}

static void is_cpu_range(const struct pfx_body *got)
{
	if (got->cpu_map.any_cpu)
		assert_cpus(&got->cpu_map, got->swap, (const int[]){65535, 4, 5, 6, -1});
	else
		assert_cpus(&got->cpu_map, got->swap, (const int[]){4, 5, 6, -1});
}

static void test_map_records(void **state)
{
	struct {
		uint64_t pid;
		char comm[16];
	} threads[2] = {{7, "eins"}, {8, "zwei"}};
	uint16_t cpus[] = {0, 2, 65535};
	uint32_t mask32[] = {1u | 1u << 31, 2};
	uint64_t mask64[] = {1ull | 1ull << 33 | 1ull << 63, 1};
	struct pfx_body body = {.type = PFX_RECORD_THREAD_MAP};

	(void)state;
	body.thread_map = (struct pfx_thread_map){2, {(const uint8_t *)threads, sizeof(threads)}};
	check_body(&body, is_thread_map);
	body.type = PFX_RECORD_CPU_MAP;
	body.cpu_map = (struct pfx_cpu_map){
		.type = PFX_CPU_MAP_CPUS, .nr = 3, .entries = {(const uint8_t *)cpus, 6}};
	check_body(&body, is_cpu_list);
	body.cpu_map = (struct pfx_cpu_map){.type = PFX_CPU_MAP_MASK,
					    .nr = 2,
					    .long_size = 4,
					    .entries = {(const uint8_t *)mask32, 8}};
	check_body(&body, is_cpu_mask);
	body.cpu_map.long_size = 8;
	body.cpu_map.entries = (struct pfx_bytes){(const uint8_t *)mask64, 16};
	check_body(&body, is_cpu_mask);
	body.cpu_map = (struct pfx_cpu_map){.type = PFX_CPU_MAP_RANGE, .start = 4, .end = 6};
	check_body(&body, is_cpu_range);
	body.cpu_map.any_cpu = 1;
	check_body(&body, is_cpu_range);
}

/* The offsets of the packed masks, byte by byte. */
static void test_cpu_map_layout(void **state)
{
	static const uint8_t mask32[] = {74, 0, 0, 0, 0, 0, 24, 0, 1, 0, 1, 0, 4, 0, 5, 0, 0, 0};
	static const uint8_t mask64[] = {74, 0, 0, 0, 0, 0, 32, 0, 1, 0, 1, 0, 8,
					 0,  0, 0, 0, 0, 5, 0,  0, 0, 0, 0, 0, 0};
	uint8_t bytes[32] = {0};
	struct pfx_record rec;
	struct pfx_body got;

	(void)state;
	memcpy(bytes, mask32, sizeof(mask32));
	pfx_record_init(&rec, bytes, SWAP_LITTLE, 0);
	assert_int_equal(pfx_record_decode(&rec, NULL, &got, NULL), 0);
	assert_cpus(&got.cpu_map, SWAP_LITTLE, (const int[]){0, 2, -1});
	memcpy(bytes, mask64, sizeof(mask64));
	pfx_record_init(&rec, bytes, SWAP_LITTLE, 0);
	assert_int_equal(pfx_record_decode(&rec, NULL, &got, NULL), 0);
	assert_cpus(&got.cpu_map, SWAP_LITTLE, (const int[]){0, 2, -1});
}

static void is_update(const struct pfx_body *got)
{
	const struct pfx_event_update *update = &got->event_update;

	assert_int_equal(update->id, 5);
	if (update->type == PFX_UPDATE_SCALE)
		assert_true(fabs(update->scale - 2.5) < 1e-9);
	else if (update->type == PFX_UPDATE_CPUS)
		assert_cpus(&update->cpus, got->swap, (const int[]){0, 2, -1});
	else
		assert_string_equal(update->text, "Joules");
}

static void test_event_update(void **state)
{
	uint16_t cpus[] = {0, 2};
	struct pfx_body body = {.type = PFX_RECORD_EVENT_UPDATE};
	uint64_t type;

	(void)state;
	body.event_update = (struct pfx_event_update){.id = 5, .text = "Joules", .scale = 2.5};
	body.event_update.cpus = (struct pfx_cpu_map){
		.type = PFX_CPU_MAP_CPUS, .nr = 2, .entries = {(const uint8_t *)cpus, 4}};
	for (type = PFX_UPDATE_UNIT; type <= PFX_UPDATE_CPUS; type++) {
		body.event_update.type = type;
		check_body(&body, is_update);
	}
}

static void is_feature(const struct pfx_body *got)
{
	assert_int_equal(got->header_feature.feature, PFX_FEAT_HOSTNAME);
	assert_int_equal(got->header_feature.payload.size, 5);
	assert_memory_equal(got->header_feature.payload.at, "hello", 5);
}

static void is_compressed(const struct pfx_body *got)
{
	assert_int_equal(got->compressed.data.size, 5);
	assert_memory_equal(got->compressed.data.at, "hello", 5);
}

static void is_bpf_metadata(const struct pfx_body *got)
{
	assert_string_equal(got->bpf_metadata.prog_name, "prog");
	assert_int_equal(got->bpf_metadata.nr, 1);
	assert_int_equal(got->bpf_metadata.entries.size, 320);
	assert_string_equal((const char *)got->bpf_metadata.entries.at, "key");
}

static void is_schedstat(const struct pfx_body *got)
{
	assert_int_equal(got->schedstat.timestamp, 1000);
	assert_int_equal(got->schedstat.cpu, 1);
	assert_int_equal(got->schedstat.version, 17);
	assert_int_equal(got->schedstat.domain, got->type == PFX_RECORD_SCHEDSTAT_CPU ? 0 : 2);
	assert_int_equal(got->schedstat.fields.size, 48);
	assert_int_equal(pfx_load32(got->schedstat.fields.at + 4, got->swap), 0);
	assert_int_equal(pfx_load32(got->schedstat.fields.at, got->swap), 6);
}

static void test_payload_records(void **state)
{
	char entry[320] = "key";
	uint32_t fields32[12] = {6, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
	struct pfx_body body = {.type = PFX_RECORD_HEADER_FEATURE};

	(void)state;
	body.header_feature =
		(struct pfx_header_feature){PFX_FEAT_HOSTNAME, {(const uint8_t *)"hello", 5}};
	check_body(&body, is_feature);
	body.compressed = (struct pfx_compressed){{(const uint8_t *)"hello", 5}};
	body.type = PFX_RECORD_COMPRESSED;
	check_body(&body, is_compressed);
	body.type = PFX_RECORD_COMPRESSED2;
	check_body(&body, is_compressed);
	body.type = PFX_RECORD_BPF_METADATA;
	body.bpf_metadata = (struct pfx_bpf_metadata){"prog", 1, {(const uint8_t *)entry, 320}};
	check_body(&body, is_bpf_metadata);
	body.type = PFX_RECORD_SCHEDSTAT_CPU;
	body.schedstat = (struct pfx_schedstat){1000, 1, 17, 0, {(const uint8_t *)fields32, 48}};
	check_body(&body, is_schedstat);
	body.type = PFX_RECORD_SCHEDSTAT_DOMAIN;
	body.schedstat.domain = 2;
	check_body(&body, is_schedstat);
}

/* The last test: fails for types that the others did not check. */
static void test_every_type_was_checked(void **state)
{
	uint32_t type;

	(void)state;
	for (type = 0; type < PFX_RECORD_USER_MAX; type++)
		if (pfx_record_name(type) && type != PFX_RECORD_SAMPLE && !checked[type])
			fail_msg("no test of %s", pfx_record_name(type));
}

static void test_every_type_has_a_name(void **state)
{
	uint32_t type;

	(void)state;
	for (type = 1; type < 200; type++) {
		bool known = type < PFX_RECORD_KERNEL_MAX ||
			     (type >= PFX_RECORD_USER_FIRST && type < PFX_RECORD_USER_MAX);

		assert_int_equal(pfx_record_name(type) != NULL, known);
	}
	assert_null(pfx_record_name(0));
	assert_null(pfx_record_name(UINT32_MAX));
	assert_string_equal(pfx_record_name(10), "MMAP2");
	assert_string_equal(pfx_record_name(82), "FINISHED_INIT");
}

static void test_bad_records(void **state)
{
	uint8_t bytes[64] = {0};
	struct pfx_error err = {0};
	struct pfx_buffer buf = {0};
	struct pfx_record rec;
	struct pfx_body body;
	char *longer = calloc(1, 70000);

	(void)state;
	bytes[0] = 200;
	bytes[6] = 16;
	pfx_record_init(&rec, bytes, SWAP_LITTLE, 0);
	assert_int_equal(pfx_record_decode(&rec, NULL, &body, &err), -EPROTONOSUPPORT);
	bytes[0] = PFX_RECORD_NAMESPACES;
	bytes[6] = 40;
	memset(bytes + 16, 0xff, 8); /* an absurd count */
	pfx_record_init(&rec, bytes, SWAP_LITTLE, 0);
	assert_int_equal(pfx_record_decode(&rec, NULL, &body, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "NAMESPACES"));
	assert_int_equal(pfx_record_decode(&rec, &trailer_attr, &body, &err), -EBADMSG);
	memset(longer, 'x', 69999);
	body = (struct pfx_body){.type = PFX_RECORD_CGROUP};
	body.cgroup.path = longer;
	assert_false(pfx_record_encode(&body, NULL, &buf));
	assert_int_equal(buf.len, 0);
	free(longer);
	pfx_buffer_fini(&buf);
}

/* Linux 3.12 wrote MMAP2 without prot and flags. */
static void test_old_mmap2(void **state)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP2}, got;
	struct pfx_buffer buf = {0};
	struct pfx_record rec;

	(void)state;
	body.mmap = (struct pfx_mmap){.pid = 1, .filename = "/lib/libc-2.17.so"};
	assert_true(pfx_record_encode(&body, NULL, &buf));
	memmove(buf.at + 64, buf.at + 72, buf.len - 72);
	pfx_buffer_patch16(&buf, 6, (uint16_t)(buf.len - 8));
	pfx_record_init(&rec, buf.at, false, 0);
	assert_int_equal(pfx_record_decode(&rec, NULL, &got, NULL), 0);
	assert_string_equal(got.mmap.filename, "/lib/libc-2.17.so");
	assert_int_equal(got.mmap.prot, 5);
	pfx_buffer_fini(&buf);
}

/* The kernel leaves the bit of a build ID set even if only another recorder requested it: what
 * follows is what there is of a device, of which @maj is the first byte in a file of this byte
 * order. */
static void assert_no_build_id(const struct pfx_mmap *map)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP2, .misc = PFX_MODE_USER, .mmap = *map}, got;
	struct pfx_record rec;
	int swap;

	for (swap = 0; swap < 2; swap++) {
		struct pfx_buffer buf = {.swap = swap}, again = {.swap = swap};

		assert_true(pfx_record_encode(&body, NULL, &buf));
		pfx_buffer_patch16(&buf, 4, PFX_MODE_USER | PFX_MISC_MMAP_BUILD_ID);
		pfx_record_init(&rec, buf.at, swap, 0);
		assert_int_equal(pfx_record_decode(&rec, NULL, &got, NULL), 0);
		assert_int_equal(got.misc, PFX_MODE_USER);
		assert_int_equal(got.mmap.build_id_size, 0);
		assert_int_equal(got.mmap.maj, map->maj);
		assert_int_equal(got.mmap.min, map->min);
		assert_int_equal(got.mmap.ino, map->ino);
		assert_int_equal(got.mmap.ino_generation, map->ino_generation);
		assert_true(pfx_record_encode(&got, NULL, &again));
		pfx_buffer_patch16(&buf, 4, PFX_MODE_USER);
		assert_int_equal(again.len, buf.len);
		assert_memory_equal(again.at, buf.at, buf.len);
		pfx_buffer_fini(&buf);
		pfx_buffer_fini(&again);
	}
}

static void test_mmap2_without_build_id(void **state)
{
	(void)state;
	/* 254:1 is no size; 8:1 would be an ID of 8 bytes, but more than 8 follow; 0:50 an ID of
	 * none. */
	assert_no_build_id(&(struct pfx_mmap){
		.pid = 1, .maj = 254, .min = 1, .ino = 77, .ino_generation = 5, .filename = "/x"});
	assert_no_build_id(&(struct pfx_mmap){
		.pid = 1, .maj = 8, .min = 1, .ino = 77, .ino_generation = 5, .filename = "/x"});
	assert_no_build_id(&(struct pfx_mmap){
		.pid = 1, .maj = 0, .min = 50, .ino = 77, .ino_generation = 0, .filename = "/x"});
}

static void assert_dump(const struct pfx_body *body, const char *expected)
{
	struct pfx_event event = {.attr = trailer_attr, .name = "cycles"};
	int swap;

	for (swap = 0; swap < 2; swap++) {
		struct pfx_buffer buf = {.swap = swap};
		struct pfx_str text = {0};
		struct pfx_record rec;

		assert_true(pfx_record_encode(body, &trailer_attr, &buf));
		pfx_record_init(&rec, buf.at, swap, 0x108);
		rec.event = &event;
		pfx_dump_fields(&rec, &text);
		assert_string_equal(pfx_str_get(&text), expected);
		pfx_str_fini(&text);
		pfx_buffer_fini(&buf);
	}
}

static void test_dump_fields(void **state)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP2, .misc = PFX_MODE_USER};

	(void)state;
	body.id = trailer_id;
	body.mmap = (struct pfx_mmap){.pid = 1,
				      .tid = 2,
				      .addr = 0x400000,
				      .len = 0x1000,
				      .maj = 8,
				      .min = 1,
				      .ino = 3,
				      .ino_generation = 4,
				      .prot = 5,
				      .flags = 2,
				      .filename = "/bin/x\033[31m"};
	assert_dump(&body, "3 1234567890123 0x108 [0x88]: PERF_RECORD_MMAP2 1/2: "
			   "[0x400000(0x1000) @ 0 08:01 3 4]: r-xp /bin/x\\x1b[31m\n"
			   "... pid: 11, tid: 12\n... id: 5\n... stream id: 6\n");
	body.type = PFX_RECORD_COMM;
	body.misc = PFX_MISC_COMM_EXEC;
	body.comm = (struct pfx_comm){3, 4, "ls"};
	assert_dump(&body, "3 1234567890123 0x108 [0x48]: PERF_RECORD_COMM exec: ls:3/4\n"
			   "... pid: 11, tid: 12\n... id: 5\n... stream id: 6\n");
	body.type = PFX_RECORD_SWITCH;
	body.misc = PFX_MISC_SWITCH_OUT | PFX_MISC_SWITCH_OUT_PREEMPT;
	assert_dump(&body, "3 1234567890123 0x108 [0x38]: PERF_RECORD_SWITCH OUT preempt\n"
			   "... pid: 11, tid: 12\n... id: 5\n... stream id: 6\n");
	body.type = PFX_RECORD_FINISHED_ROUND;
	assert_dump(&body, "0 0 0x108 [0x8]: PERF_RECORD_FINISHED_ROUND\n");
}

static void test_dump_record(void **state)
{
	static const uint8_t bytes[] = {68, 0, 0, 0, 0, 0, 12, 0, 'a', 0x7f, 'c', 'd'};
	struct pfx_dump_context ctx = {.path = "x.data"};
	struct pfx_str text = {0};
	struct pfx_record rec;

	(void)state;
	pfx_record_init(&rec, bytes, SWAP_LITTLE, 0x1a8);
	pfx_dump_record(&rec, &ctx, &text);
	assert_string_equal(pfx_str_get(&text),
			    "\n0x1a8@x.data [0xc]: event: 68\n"
			    ".\n. ... raw event: size 12 bytes\n"
			    ".  0000:  44 00 00 00 00 00 0c 00 61 7f 63 64              "
			    "D.......a.cd    \n"
			    "\n-1 -1 0x1a8 [0xc]: PERF_RECORD_FINISHED_ROUND\n");
	pfx_str_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mmap),
		cmocka_unit_test(test_small_kernel_records),
		cmocka_unit_test(test_more_kernel_records),
		cmocka_unit_test(test_variable_kernel_records),
		cmocka_unit_test(test_describing_records),
		cmocka_unit_test(test_aux_records),
		cmocka_unit_test(test_stat_records),
		cmocka_unit_test(test_map_records),
		cmocka_unit_test(test_cpu_map_layout),
		cmocka_unit_test(test_event_update),
		cmocka_unit_test(test_payload_records),
		cmocka_unit_test(test_every_type_was_checked),
		cmocka_unit_test(test_every_type_has_a_name),
		cmocka_unit_test(test_bad_records),
		cmocka_unit_test(test_old_mmap2),
		cmocka_unit_test(test_mmap2_without_build_id),
		cmocka_unit_test(test_dump_fields),
		cmocka_unit_test(test_dump_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
