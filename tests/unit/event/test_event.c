/* SPDX-License-Identifier: MIT */
/* Attrs and samples in both byte orders, the event of a record, names. */
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
#include "event/env.h"
#include "event/meta.h"
#include "event/names.h"
#include "event/record.h"
#include "event/sample.h"
#include "unit/event/attr_fixture.h"

#define NR(a) (sizeof(a) / sizeof((a)[0]))

/* What a reader must swap in bytes that are spelled out in one order. */
#define SWAP_BIG    (__BYTE_ORDER__ != __ORDER_BIG_ENDIAN__)
#define SWAP_LITTLE (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static void check_attr_round_trip(bool swap)
{
	struct pfx_attr attr = full_attr(), got;
	struct pfx_buffer buf = {.swap = swap};
	size_t cut;

	pfx_attr_encode(&attr, &buf);
	assert_int_equal(buf.len, 152);
	assert_int_equal(pfx_attr_decode(buf.at, buf.len, swap, &got, NULL), 152);
	assert_same_attr(attr, got);
	for (cut = 0; cut < buf.len; cut++) {
		char *copy = malloc(cut ? cut : 1);

		memcpy(copy, buf.at, cut);
		assert_int_equal(pfx_attr_decode(copy, cut, swap, &got, NULL), -ENODATA);
		free(copy);
	}
	pfx_buffer_fini(&buf);
}

static void test_attr_round_trip(void **state)
{
	(void)state;
	check_attr_round_trip(false);
	check_attr_round_trip(true);
}

/* The part of the full attr in @size bytes. */
static struct pfx_attr cut_attr(uint32_t size)
{
	static const struct {
		uint32_t end; /* end of the field, in the file */
		size_t at, size;
	} fields[] = {
#define FIELD(end, name) \
	{end, offsetof(struct pfx_attr, name), sizeof(((struct pfx_attr *)0)->name)}
		FIELD(72, config2),          FIELD(80, branch_sample_type),
		FIELD(88, sample_regs_user), FIELD(92, sample_stack_user),
		FIELD(96, clockid),          FIELD(104, sample_regs_intr),
		FIELD(108, aux_watermark),   FIELD(110, sample_max_stack),
		FIELD(112, reserved),        FIELD(116, aux_sample_size),
		FIELD(120, aux_action),      FIELD(128, sig_data),
		FIELD(136, config3),         FIELD(144, config4),
#undef FIELD
	};
	struct pfx_attr attr = full_attr();
	size_t i;

	attr.size = size;
	attr.tail = NULL;
	attr.tail_size = 0;
	for (i = 0; i < NR(fields); i++)
		if (fields[i].end > size)
			memset((char *)&attr + fields[i].at, 0, fields[i].size);
	return attr;
}

static void test_attr_sizes(void **state)
{
	struct pfx_attr attr = full_attr(), got;
	struct pfx_error err = {0};
	uint32_t size;
	int swap;

	(void)state;
	for (size = 64; size <= 144; size += 8)
		for (swap = 0; swap < 2; swap++) {
			struct pfx_buffer buf = {.swap = swap};

			attr.size = size;
			pfx_attr_encode(&attr, &buf);
			assert_int_equal(buf.len, size);
			assert_int_equal(pfx_attr_decode(buf.at, buf.len, swap, &got, &err), size);
			assert_same_attr(got, cut_attr(size));
			pfx_buffer_fini(&buf);
		}
}

static void test_attr_bad_size(void **state)
{
	uint8_t bytes[8192] = {0};
	uint32_t sizes[] = {1, 63, 65, 4104, UINT32_MAX};
	struct pfx_error err = {0};
	struct pfx_attr got;
	size_t i;

	(void)state;
	assert_int_equal(pfx_attr_decode(bytes, sizeof(bytes), false, &got, &err), 64);
	assert_int_equal(got.size, 64);
	for (i = 0; i < NR(sizes); i++) {
		memcpy(bytes + 4, &sizes[i], 4);
		assert_int_equal(pfx_attr_decode(bytes, sizeof(bytes), false, &got, &err),
				 -EBADMSG);
		assert_string_not_equal(err.text, "");
	}
}

/* The flag word as a big-endian compiler lays it out: first member at the most significant bit. */
static void test_attr_flags_big_endian(void **state)
{
	uint8_t bytes[64] = {0};
	struct pfx_attr got;

	(void)state;
	bytes[7] = 64;
	bytes[40] = 0x80 | 0x40; /* disabled, inherit */
	bytes[41] = 0x20 | 0x01; /* freq, high bit of precise_ip */
	bytes[42] = 0x20;        /* sample_id_all */
	bytes[44] = 0x80;        /* cgroup */
	assert_int_equal(pfx_attr_decode(bytes, sizeof(bytes), SWAP_BIG, &got, NULL), 64);
	assert_int_equal(got.flags & ~PFX_ATTR_PRECISE_MASK,
			 PFX_ATTR_DISABLED | PFX_ATTR_INHERIT | PFX_ATTR_FREQ |
				 PFX_ATTR_SAMPLE_ID_ALL | PFX_ATTR_CGROUP);
	assert_int_equal(pfx_attr_precise(&got), 2);
}

static const struct pfx_attr sample_attr = {
	.size = 128,
	.sample_period = 777,
	.sample_type = PFX_SAMPLE_KNOWN & ~PFX_SAMPLE_WEIGHT,
	.read_format = PFX_FORMAT_GROUP | PFX_FORMAT_ID | PFX_FORMAT_ENABLED,
	.branch_sample_type = PFX_BRANCH_HW_INDEX | PFX_BRANCH_COUNTERS,
	.sample_regs_user = 0x15,
	.sample_regs_intr = 0x3,
};

static const uint64_t sample_chain[] = {PFX_CONTEXT_KERNEL, 0xffff0001, PFX_CONTEXT_USER, 0x401000};
static const uint64_t sample_read[] = {2, 500, 10, 1, 20, 2};
static const uint64_t sample_branches[] = {0x10, 0x20, 0x31, 0x30, 0x40, 0x7fffffff2};
static const uint64_t sample_counters[] = {3, 4};
static const uint64_t sample_regs[] = {1, 2, 3};

static struct pfx_sample full_sample(void)
{
	return (struct pfx_sample){
		.type = PFX_SAMPLE_KNOWN & ~PFX_SAMPLE_WEIGHT,
		.cpumode = PFX_MODE_USER,
		.misc = PFX_MODE_USER | PFX_MISC_EXACT_IP,
		.ip = 0x401000,
		.pid = 1,
		.tid = 2,
		.time = 123456789,
		.addr = 0x7000,
		.id = 5,
		.stream_id = 6,
		.cpu = 1,
		.period = 1000,
		.weight = 0x12345678,
		.weight2 = 0x1111,
		.weight3 = 0x2222,
		.data_src = 0x68100142,
		.transaction = 0x100000002,
		.phys_addr = 0x123000,
		.cgroup = 9,
		.data_page_size = 4096,
		.code_page_size = 8192,
		.chain = words_of(sample_chain, 4),
		.raw = {(const uint8_t *)"raw data....", 12},
		.branch = {2,
			   3,
			   {(const uint8_t *)sample_branches, 48},
			   words_of(sample_counters, 2),
			   false},
		.regs_user = {2, 0x15, words_of(sample_regs, 3)},
		.regs_intr = {1, 0x3, words_of(sample_regs, 2)},
		.stack = {(const uint8_t *)"stackstackstack", 16},
		.stack_dyn_size = 8,
		.aux = {(const uint8_t *)"auxdata", 8},
		.read_bytes = {(const uint8_t *)sample_read, sizeof(sample_read)},
	};
}

static void assert_words(const struct pfx_words *a, const struct pfx_words *b)
{
	uint64_t i;

	assert_int_equal(a->nr, b->nr);
	for (i = 0; i < a->nr; i++)
		assert_int_equal(pfx_word(a, i), pfx_word(b, i));
}

static void assert_bytes(const struct pfx_bytes *a, const struct pfx_bytes *b)
{
	assert_int_equal(a->size, b->size);
	assert_memory_equal(a->at, b->at, a->size);
}

static void assert_sample_numbers(const struct pfx_sample *a, const struct pfx_sample *b)
{
	assert_int_equal(a->misc, b->misc);
	assert_int_equal(a->cpumode, b->cpumode);
	assert_int_equal(a->ip, b->ip);
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->time, b->time);
	assert_int_equal(a->addr, b->addr);
	assert_int_equal(a->id, b->id);
	assert_int_equal(a->stream_id, b->stream_id);
	assert_int_equal(a->cpu, b->cpu);
	assert_int_equal(a->period, b->period);
	assert_int_equal(a->weight, b->weight);
	assert_int_equal(a->weight2, b->weight2);
	assert_int_equal(a->weight3, b->weight3);
	assert_int_equal(a->data_src, b->data_src);
	assert_int_equal(a->transaction, b->transaction);
	assert_int_equal(a->phys_addr, b->phys_addr);
	assert_int_equal(a->cgroup, b->cgroup);
	assert_int_equal(a->data_page_size, b->data_page_size);
	assert_int_equal(a->code_page_size, b->code_page_size);
	assert_int_equal(a->stack_dyn_size, b->stack_dyn_size);
}

static void assert_sample_arrays(const struct pfx_sample *a, const struct pfx_sample *b)
{
	uint64_t i;

	assert_words(&a->chain, &b->chain);
	assert_bytes(&a->raw, &b->raw);
	assert_bytes(&a->stack, &b->stack);
	assert_bytes(&a->aux, &b->aux);
	assert_int_equal(a->regs_user.abi, b->regs_user.abi);
	assert_words(&a->regs_user.values, &b->regs_user.values);
	assert_int_equal(a->regs_intr.abi, b->regs_intr.abi);
	assert_words(&a->regs_intr.values, &b->regs_intr.values);
	assert_int_equal(a->branch.nr, b->branch.nr);
	assert_int_equal(a->branch.hw_idx, b->branch.hw_idx);
	assert_words(&a->branch.counters, &b->branch.counters);
	for (i = 0; i < a->branch.nr; i++) {
		struct pfx_branch x = pfx_branch_at(&a->branch, i);
		struct pfx_branch y = pfx_branch_at(&b->branch, i);

		assert_memory_equal(&x, &y, sizeof(x));
	}
}

static void assert_sample_read(const struct pfx_sample *sample)
{
	struct pfx_read read;

	assert_true(pfx_sample_read(sample, &sample_attr, &read));
	assert_int_equal(read.nr, 2);
	assert_int_equal(read.enabled, 500);
	assert_int_equal(read.values[1].value, 20);
	assert_int_equal(read.values[1].id, 2);
}

static void test_sample_round_trip(void **state)
{
	struct pfx_sample sample = full_sample(), got, mid;
	int swap;

	(void)state;
	for (swap = 0; swap < 2; swap++) {
		struct pfx_buffer buf = {.swap = swap}, other = {.swap = !swap};
		struct pfx_record rec;

		assert_true(pfx_sample_encode(&sample, &sample_attr, &buf));
		assert_int_equal(buf.len % 8, 0);
		pfx_record_init(&rec, buf.at, swap, 0);
		assert_true(pfx_sample_decode(&rec, &sample_attr, &got));
		assert_sample_numbers(&got, &sample);
		assert_sample_arrays(&got, &sample);
		assert_sample_read(&got);
		assert_true(pfx_sample_encode(&got, &sample_attr, &other));
		pfx_record_init(&rec, other.at, !swap, 0);
		assert_true(pfx_sample_decode(&rec, &sample_attr, &mid));
		assert_sample_numbers(&mid, &sample);
		assert_sample_arrays(&mid, &sample);
		assert_sample_read(&mid);
		pfx_buffer_fini(&buf);
		pfx_buffer_fini(&other);
	}
}

/* Each sample_type alone and in pairs: missing fields have their default. */
static void test_sample_every_pair(void **state)
{
	struct pfx_sample sample = full_sample(), got;
	unsigned i, j;

	(void)state;
	for (i = 0; i < 25; i++) {
		for (j = 0; j < 25; j++) {
			struct pfx_attr attr = sample_attr;
			struct pfx_buffer buf = {.swap = i & 1};
			struct pfx_record rec;

			attr.sample_type = 1ull << i | 1ull << j;
			assert_true(pfx_sample_encode(&sample, &attr, &buf));
			pfx_record_init(&rec, buf.at, buf.swap, 0);
			assert_true(pfx_sample_decode(&rec, &attr, &got));
			assert_int_equal(got.ip, attr.sample_type & PFX_SAMPLE_IP ? 0x401000 : 0);
			assert_int_equal(got.tid, attr.sample_type & PFX_SAMPLE_TID ? 2 : -1u);
			assert_int_equal(got.cpu, attr.sample_type & PFX_SAMPLE_CPU ? 1 : -1u);
			assert_int_equal(got.period,
					 attr.sample_type & PFX_SAMPLE_PERIOD ? 1000 : 777);
			assert_int_equal(got.time, attr.sample_type & PFX_SAMPLE_TIME
							   ? 123456789
							   : PFX_NO_TIME);
			assert_int_equal(got.chain.nr,
					 attr.sample_type & PFX_SAMPLE_CALLCHAIN ? 4 : 0);
			pfx_buffer_fini(&buf);
		}
	}
}

/* Decode into the same struct again: nothing of the previous sample remains. */
static void test_sample_next(void **state)
{
	struct pfx_sample full = full_sample(), empty = full, alone, got;
	const struct pfx_sample *turns[] = {&full, &empty, &full, &empty};
	unsigned i, j, k;

	(void)state;
	empty.chain.nr = empty.branch.nr = empty.branch.counters.nr = 0;
	empty.raw = empty.stack = empty.aux = (struct pfx_bytes){0};
	empty.regs_user = empty.regs_intr = (struct pfx_regs){0};
	empty.period = empty.ip = empty.weight = 3;
	for (i = 0; i < 25; i++) {
		for (j = 0; j < 25; j++) {
			struct pfx_attr attr = sample_attr;
			struct pfx_sample_last last = {0};

			attr.sample_type = 1ull << i | 1ull << j | PFX_SAMPLE_IP;
			for (k = 0; k < 4; k++) {
				struct pfx_buffer buf = {.swap = i & 1};
				struct pfx_record rec;

				assert_true(pfx_sample_encode(turns[k], &attr, &buf));
				pfx_record_init(&rec, buf.at, buf.swap, 0);
				rec.misc = (uint16_t)k;
				assert_true(pfx_sample_decode(&rec, &attr, &alone));
				assert_true(pfx_sample_decode_next(&rec, &attr, &last, &got));
				assert_sample_numbers(&got, &alone);
				assert_sample_arrays(&got, &alone);
				pfx_buffer_fini(&buf);
			}
		}
	}
}

static void test_sample_cut_everywhere(void **state)
{
	struct pfx_sample sample = full_sample(), got;
	struct pfx_buffer buf = {0};
	struct pfx_event event = {.attr = sample_attr, .name = "x"};
	struct pfx_str text = {0};
	struct pfx_record rec;
	size_t size;

	(void)state;
	pfx_sample_encode(&sample, &sample_attr, &buf);
	for (size = PFX_RECORD_HEADER_SIZE; size < buf.len; size++) {
		uint8_t *copy = malloc(size);

		memcpy(copy, buf.at, size);
		pfx_record_init(&rec, copy, false, 0);
		rec.size = (uint16_t)size;
		rec.event = &event;
		assert_false(pfx_sample_decode(&rec, &sample_attr, &got));
		pfx_dump_fields(&rec, &text);
		free(copy);
	}
	pfx_str_fini(&text);
	pfx_buffer_fini(&buf);
}

/* Idle and kernel samples have no registers and no stack, and then no dyn_size either. */
static void test_sample_empty_parts(void **state)
{
	struct pfx_sample sample = full_sample(), got;
	struct pfx_buffer buf = {0};
	struct pfx_record rec;

	(void)state;
	sample.regs_user = (struct pfx_regs){0};
	sample.stack = (struct pfx_bytes){0};
	sample.chain.nr = 0;
	sample.branch.nr = sample.branch.counters.nr = 0;
	pfx_sample_encode(&sample, &sample_attr, &buf);
	pfx_record_init(&rec, buf.at, false, 0);
	assert_true(pfx_sample_decode(&rec, &sample_attr, &got));
	assert_int_equal(got.regs_user.values.nr, 0);
	assert_int_equal(got.stack.size, 0);
	assert_int_equal(got.weight2, 0x1111);
	assert_int_equal(got.aux.size, 8);
	pfx_buffer_fini(&buf);
}

/* A branch entry as a big-endian machine writes it: mispred is the highest bit. */
static void test_branch_flags_big_endian(void **state)
{
	uint8_t bytes[24] = {0};
	struct pfx_branch_stack stack = {.nr = 1, .entries = {bytes, 24}, .swap = SWAP_BIG};
	struct pfx_branch b;

	(void)state;
	bytes[16] = 0x80 | 0x20; /* mispred, in_tx */
	bytes[17] = 0x00;
	bytes[18] = 0x51; /* the low bits of cycles = 5, then type = 1 */
	b = pfx_branch_at(&stack, 0);
	assert_int_equal(pfx_branch_mispred(&b), 1);
	assert_int_equal(pfx_branch_predicted(&b), 0);
	assert_int_equal(pfx_branch_in_tx(&b), 1);
	assert_int_equal(pfx_branch_cycles(&b), 5);
	assert_int_equal(pfx_branch_type(&b), 1);
}

static void test_sample_unknown_bits(void **state)
{
	struct pfx_attr attr = sample_attr;
	uint8_t bytes[32] = {9, 0, 0, 0, 0, 0, 32, 0, 0x34, 0x12};
	struct pfx_record rec;
	struct pfx_sample got;

	(void)state;
	attr.sample_type = PFX_SAMPLE_IP | 1ull << 40;
	pfx_record_init(&rec, bytes, SWAP_LITTLE, 0);
	assert_true(pfx_sample_decode(&rec, &attr, &got));
	assert_int_equal(got.ip, 0x1234);
}

static void add_record(struct pfx_meta *meta, const struct pfx_attr *attr, uint64_t id,
		       uint64_t time, uint64_t *ret_time, const struct pfx_event **ret_event)
{
	struct pfx_body body = {.type = PFX_RECORD_COMM};
	struct pfx_buffer buf = {0};
	struct pfx_record rec;

	body.comm.comm = "x";
	body.id = (struct pfx_sample_id){.time = time, .id = id, .identifier = id};
	assert_true(pfx_record_encode(&body, attr, &buf));
	pfx_record_init(&rec, buf.at, false, 0);
	pfx_meta_identify(meta, &rec);
	*ret_time = rec.time;
	*ret_event = rec.event;
	pfx_buffer_fini(&buf);
}

static void add_sample(struct pfx_meta *meta, const struct pfx_attr *attr, uint64_t id,
		       uint64_t time, uint64_t *ret_time, const struct pfx_event **ret_event)
{
	struct pfx_sample sample = {.time = time, .id = id};
	struct pfx_buffer buf = {0};
	struct pfx_record rec;

	assert_true(pfx_sample_encode(&sample, attr, &buf));
	pfx_record_init(&rec, buf.at, false, 0);
	pfx_meta_identify(meta, &rec);
	assert_int_equal(rec.has_unknown_id, id == 300);
	*ret_time = rec.time;
	*ret_event = rec.event;
	pfx_buffer_fini(&buf);
}

/* Two events with @type_a and @type_b: records and samples are assigned to the right event; no
 * event has the id 300. */
static void check_identify(uint64_t type_a, uint64_t type_b)
{
	struct pfx_attr a = {.size = 64, .sample_type = type_a, .flags = PFX_ATTR_SAMPLE_ID_ALL};
	struct pfx_attr b = a;
	struct pfx_meta *meta = pfx_meta_new();
	const struct pfx_event *event;
	uint64_t time;

	b.sample_type = type_b;
	pfx_meta_add_id(meta, pfx_meta_add_event(meta, &a, NULL), 100);
	pfx_meta_add_id(meta, pfx_meta_add_event(meta, &b, "zwei"), 200);
	pfx_meta_update(meta);
	assert_int_equal(meta->same_type, type_a == type_b);
	add_sample(meta, &a, 100, 5000, &time, &event);
	assert_ptr_equal(event, meta->events[0]);
	assert_int_equal(time, 5000);
	add_sample(meta, &b, 200, 5000, &time, &event);
	assert_string_equal(event->name, "zwei");
	assert_int_equal(time, 5000);
	add_record(meta, &b, 200, 6000, &time, &event);
	assert_ptr_equal(event, meta->events[1]);
	assert_int_equal(time, 6000);
	add_record(meta, &a, 0, 7000, &time, &event);
	assert_ptr_equal(event, meta->events[0]);
	add_sample(meta, &a, 300, 8000, &time, &event);
	assert_ptr_equal(event, meta->events[0]);
	pfx_meta_free(meta);
}

static void test_identify(void **state)
{
	uint64_t base = PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_TIME;

	(void)state;
	check_identify(base | PFX_SAMPLE_IDENTIFIER, base | PFX_SAMPLE_IDENTIFIER);
	check_identify(base | PFX_SAMPLE_IDENTIFIER,
		       base | PFX_SAMPLE_IDENTIFIER | PFX_SAMPLE_CPU | PFX_SAMPLE_ADDR);
	check_identify(base | PFX_SAMPLE_ID, base | PFX_SAMPLE_ID);
	check_identify(base | PFX_SAMPLE_ID, base | PFX_SAMPLE_ID | PFX_SAMPLE_PERIOD);
	check_identify(base | PFX_SAMPLE_ID | PFX_SAMPLE_CPU | PFX_SAMPLE_STREAM_ID,
		       base | PFX_SAMPLE_ID | PFX_SAMPLE_CPU | PFX_SAMPLE_STREAM_ID);
}

static void test_identify_without(void **state)
{
	struct pfx_attr attr = {.size = 64, .sample_type = PFX_SAMPLE_IP};
	struct pfx_meta *meta = pfx_meta_new();
	uint8_t bytes[8] = {PFX_RECORD_SAMPLE, 0, 0, 0, 0, 0, 8, 0};
	struct pfx_record rec;

	(void)state;
	pfx_record_init(&rec, bytes, SWAP_LITTLE, 0);
	pfx_meta_identify(meta, &rec);
	assert_null(rec.event);
	assert_int_equal(rec.time, PFX_NO_TIME);
	pfx_meta_add_event(meta, &attr, NULL);
	attr.sample_type |= PFX_SAMPLE_IDENTIFIER | PFX_SAMPLE_TIME;
	pfx_meta_add_event(meta, &attr, NULL);
	pfx_meta_update(meta);
	assert_int_equal(meta->id_pos, -1);
	pfx_meta_identify(meta, &rec);
	assert_ptr_equal(rec.event, meta->events[0]);
	rec.type = PFX_RECORD_FINISHED_ROUND;
	pfx_meta_identify(meta, &rec);
	assert_null(rec.event);
	pfx_meta_free(meta);
}

static void test_meta_owns(void **state)
{
	struct pfx_attr attr = full_attr();
	struct pfx_meta *meta = pfx_meta_new();
	struct pfx_event *event;
	char name[] = "name";
	uint64_t id;

	(void)state;
	event = pfx_meta_add_event(meta, &attr, name);
	name[0] = 'x';
	assert_string_equal(event->name, "name");
	assert_ptr_not_equal(event->attr.tail, tail_bytes);
	assert_memory_equal(event->attr.tail, tail_bytes, sizeof(tail_bytes));
	for (id = 1; id < 1000; id++)
		pfx_meta_add_id(meta, event, id);
	pfx_meta_add_id(meta, event, 5);
	assert_int_equal(event->nr_ids, 999);
	assert_ptr_equal(pfx_meta_find_id(meta, 998), event);
	assert_null(pfx_meta_find_id(meta, 1000));
	pfx_meta_free(meta);
	pfx_meta_free(NULL);
}

static void test_event_names(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config, flags;
		const char *name;
	} rows[] = {
		{0, 0, PFX_ATTR_EXCLUDE_GUEST, "cycles"},
		{0, 0, 0, "cycles:HG"},
		{0, 0, PFX_ATTR_EXCLUDE_HOST, "cycles:G"},
		{0, 0, PFX_ATTR_EXCLUDE_HOST | PFX_ATTR_EXCLUDE_GUEST, "cycles"},
		{0, 0, PFX_ATTR_EXCLUDE_GUEST | PFX_ATTR_EXCLUDE_KERNEL, "cycles:uhH"},
		{0, 0, PFX_ATTR_EXCLUDE_KERNEL, "cycles:uh"},
		{0, 0, PFX_ATTR_EXCLUDE_GUEST | PFX_ATTR_PRECISE_MASK, "cycles:pppH"},
		{0, 0, 1ull << PFX_ATTR_PRECISE_SHIFT, "cycles:p"},
		{0, 3, 0, "cache-misses:HG"},
		{0, 10, PFX_ATTR_EXCLUDE_GUEST, "unknown-hardware"},
		{0, 0x700000000, PFX_ATTR_EXCLUDE_GUEST, "cycles"},
		{1, 3, PFX_ATTR_EXCLUDE_GUEST, "context-switches"},
		{1, 99, PFX_ATTR_EXCLUDE_GUEST, "unknown-software"},
		{3, 0, PFX_ATTR_EXCLUDE_GUEST, "L1-dcache-loads"},
		{3, 0x10000, PFX_ATTR_EXCLUDE_GUEST, "L1-dcache-load-misses"},
		{3, 0x10200, PFX_ATTR_EXCLUDE_GUEST, "L1-dcache-prefetch-misses"},
		{3, 0x102, PFX_ATTR_EXCLUDE_GUEST, "LLC-stores"},
		{3, 0x105, PFX_ATTR_EXCLUDE_GUEST, "invalid-cache"},
		{3, 7, PFX_ATTR_EXCLUDE_GUEST, "unknown-ext-hardware-cache-type"},
		{4, 0x1a8, PFX_ATTR_EXCLUDE_GUEST, "raw 0x1a8"},
		{9, 1, PFX_ATTR_EXCLUDE_KERNEL, "unknown attr type: 9"},
		{2, 1, 0, "unknown tracepoint"},
	};
	char name[64];
	size_t i;

	(void)state;
	for (i = 0; i < NR(rows); i++) {
		struct pfx_attr attr = {
			.type = rows[i].type, .config = rows[i].config, .flags = rows[i].flags};

		pfx_attr_name(&attr, name, sizeof(name));
		assert_string_equal(name, rows[i].name);
		pfx_attr_name(&attr, name, 3); /* too small is cut, never overrun */
		assert_true(strlen(name) < 3);
	}
}

static void test_breakpoint_name(void **state)
{
	struct pfx_attr attr = {.type = PFX_TYPE_BREAKPOINT,
				.config1 = 0x1000,
				.bp_type = 3,
				.flags = PFX_ATTR_EXCLUDE_GUEST};
	char name[64];

	(void)state;
	pfx_attr_name(&attr, name, sizeof(name));
	assert_string_equal(name, "mem:0x1000:rw");
	attr.bp_type = 4;
	attr.flags |= PFX_ATTR_EXCLUDE_USER | PFX_ATTR_EXCLUDE_HV;
	pfx_attr_name(&attr, name, sizeof(name));
	assert_string_equal(name, "mem:0x1000:x:kH");
}

static void test_attr_text(void **state)
{
	struct pfx_attr attr = full_attr();
	struct pfx_str text = {0};

	(void)state;
	pfx_attr_text(&attr, &text);
	assert_string_equal(
		pfx_str_get(&text),
		"type: 1, size: 152, config: 0x1122334455667788, "
		"{ sample_period, sample_freq }: 4000, sample_type: IP|TID, "
		"read_format: TOTAL_TIME_ENABLED|ID, disabled: 1, mmap: 1, freq: 1, precise_ip: 1, "
		"sample_id_all: 1, aux_output: 1, sigtrap: 1, "
		"{ wakeup_events, wakeup_watermark }: 3, bp_type: 2, "
		"{ bp_addr, config1 }: 0x1234, { bp_len, config2 }: 0x5678, "
		"branch_sample_type: ANY, sample_regs_user: 0xff, sample_stack_user: 8192, "
		"clockid: -4, sample_regs_intr: 0xf0, aux_watermark: 17, sample_max_stack: 127, "
		"aux_sample_size: 4096, aux_action: 0x6, sig_data: 77, config3: 0x21, "
		"config4: 0x2c");
	pfx_str_fini(&text);
}

static void test_bit_texts(void **state)
{
	const struct pfx_attr attr = {.sample_type = PFX_SAMPLE_KNOWN,
				      .read_format = 0x1f,
				      .branch_sample_type = PFX_BRANCH_ANY | PFX_BRANCH_USER};
	struct pfx_str text = {0};

	(void)state;
	pfx_attr_text(&attr, &text);
	assert_string_equal(pfx_str_get(&text),
			    "sample_type: "
			    "IP|TID|TIME|ADDR|READ|CALLCHAIN|ID|CPU|PERIOD|STREAM_ID|RAW|"
			    "BRANCH_STACK|REGS_USER|STACK_USER|IDENTIFIER|REGS_INTR|DATA_SRC|"
			    "WEIGHT|PHYS_ADDR|AUX|CGROUP|DATA_PAGE_SIZE|CODE_PAGE_SIZE|"
			    "WEIGHT_STRUCT|TRANSACTION, "
			    "read_format: TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING|ID|GROUP|LOST, "
			    "branch_sample_type: USER|ANY");
	pfx_str_fini(&text);
}

static void test_caps(void **state)
{
	struct pfx_env_cap cpu[] = {{"branches", "32"}},
			   pmu[] = {{"max_precise", "3"}, {"branches", "16"}},
			   other[] = {{"max_precise", "0"}, {"width", "4"}};
	struct pfx_env_pmu_caps pmus[] = {{.nr = 2, .caps = pmu}, {.nr = 2, .caps = other}};
	struct pfx_env env = {.nr_pmu_caps = 2, .pmu_caps = pmus};

	assert_string_equal(pfx_env_find_cap(&env, "branches"), "16");
	assert_string_equal(pfx_env_find_cap(&env, "max_precise"), "3");
	assert_string_equal(pfx_env_find_cap(&env, "width"), "4");
	assert_null(pfx_env_find_cap(&env, "widths"));
	env.nr_cpu_caps = 1;
	env.cpu_caps = cpu;
	assert_string_equal(pfx_env_find_cap(&env, "branches"), "32");
	assert_null(pfx_env_find_cap(&(struct pfx_env){0}, "branches"));
}

static void test_feature_names(void **state)
{
	unsigned i;

	(void)state;
	assert_string_equal(pfx_feature_name(PFX_FEAT_HOSTNAME), "HOSTNAME");
	assert_string_equal(pfx_feature_name(PFX_FEAT_CLN_SIZE), "CLN_SIZE");
	for (i = 1; i < PFX_FEAT_MAX; i++)
		assert_non_null(pfx_feature_name(i));
	assert_null(pfx_feature_name(0));
	assert_null(pfx_feature_name(PFX_FEAT_MAX));
	assert_null(pfx_feature_name(UINT32_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attr_round_trip),
		cmocka_unit_test(test_attr_sizes),
		cmocka_unit_test(test_attr_bad_size),
		cmocka_unit_test(test_attr_flags_big_endian),
		cmocka_unit_test(test_sample_round_trip),
		cmocka_unit_test(test_sample_every_pair),
		cmocka_unit_test(test_sample_next),
		cmocka_unit_test(test_sample_cut_everywhere),
		cmocka_unit_test(test_sample_empty_parts),
		cmocka_unit_test(test_branch_flags_big_endian),
		cmocka_unit_test(test_sample_unknown_bits),
		cmocka_unit_test(test_identify),
		cmocka_unit_test(test_identify_without),
		cmocka_unit_test(test_meta_owns),
		cmocka_unit_test(test_event_names),
		cmocka_unit_test(test_breakpoint_name),
		cmocka_unit_test(test_attr_text),
		cmocka_unit_test(test_bit_texts),
		cmocka_unit_test(test_feature_names),
		cmocka_unit_test(test_caps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
