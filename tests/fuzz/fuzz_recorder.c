/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the records of ring buffers, through all that looks at them on their way to the
 * file: time asleep, the tally and what the next file has to know. The result must not depend on
 * how the records are cut into pieces, nor on where they lie in a ring buffer.
 *
 * The first byte chooses how the events sample, the second one has FLAG_*, the third one says where
 * in the ring buffer the records begin.
 */
#include <stdlib.h>
#include <string.h>

#include "record/sink/carry.h"
#include "record/sink/offcpu.h"
#include "record/sink/tally.h"

#define HEADER    8
#define RING_SIZE (64u << 10)
#define CLOCK_ID  11
#define SWITCH_ID 22

#define FLAG_MIXED 0x01 /* the events sample other fields each */
#define FLAG_APART 0x02 /* the switches come with records about tasks of their own */
#define FLAG_HITS  0x04
#define FLAG_PAUSE 0x08
#define FLAG_LONG  0x10 /* all sleeps are samples of their own */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint64_t kinds[] = {
	PFX_SAMPLE_IDENTIFIER | PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_TIME | PFX_SAMPLE_CPU |
		PFX_SAMPLE_PERIOD | PFX_SAMPLE_CALLCHAIN,
	PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_TIME | PFX_SAMPLE_ADDR | PFX_SAMPLE_ID |
		PFX_SAMPLE_CPU | PFX_SAMPLE_PERIOD | PFX_SAMPLE_CALLCHAIN | PFX_SAMPLE_REGS_USER |
		PFX_SAMPLE_STACK_USER,
	PFX_SAMPLE_IDENTIFIER | PFX_SAMPLE_TID | PFX_SAMPLE_TIME | PFX_SAMPLE_READ |
		PFX_SAMPLE_CALLCHAIN,
	PFX_SAMPLE_IDENTIFIER | PFX_SAMPLE_TIME | PFX_SAMPLE_STREAM_ID | PFX_SAMPLE_RAW,
};

struct recorder {
	struct pfx_meta *meta;
	struct pfx_offcpu_setup setup;
	uint8_t flags;
	uint64_t start;
};

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void add_event(struct recorder *r, uint64_t type, const char *name, uint64_t id)
{
	const struct pfx_attr attr = {.type = PFX_TYPE_SOFTWARE,
				      .size = PFX_ATTR_SIZE_VER7,
				      .sample_type = type,
				      .sample_regs_user = 0x1ff,
				      .flags = PFX_ATTR_SAMPLE_ID_ALL};

	pfx_meta_add_id(r->meta, pfx_meta_add_event(r->meta, &attr, name), id);
}

static void begin(struct recorder *r, const uint8_t *data)
{
	unsigned nr_kinds = sizeof(kinds) / sizeof(kinds[0]), kind = data[0] % nr_kinds;
	uint64_t other = data[1] & FLAG_MIXED ? kinds[(kind + 2) % nr_kinds] : kinds[kind];

	*r = (struct recorder){.meta = pfx_meta_new(), .flags = data[1], .start = data[2] * 8ull};
	add_event(r, kinds[kind], "cpu-clock", CLOCK_ID);
	add_event(r, other, PFX_OFFCPU_NAME, SWITCH_ID);
	pfx_meta_update(r->meta);
	r->setup = (struct pfx_offcpu_setup){.meta = r->meta,
					     .event = 1,
					     .in = r->meta->events[1]->attr,
					     .thresh_ns = r->flags & FLAG_LONG ? 0 : 1000000,
					     .user_pc = 8,
					     .is_apart = r->flags & FLAG_APART};
	r->setup.in.sample_type |= PFX_SAMPLE_CALLCHAIN;
}

/* How many of the bytes are whole records as the kernel makes them. */
static size_t whole_records(const uint8_t *data, size_t size)
{
	size_t at = 0, bytes;

	while (size - at >= HEADER) {
		bytes = pfx_load16(data + at + 6, false);
		if (bytes < HEADER || bytes % 8 || bytes > size - at)
			break;
		at += bytes;
	}
	return at;
}

/* --- time asleep --- */

static void end_offcpu(const struct recorder *r, struct pfx_offcpu *o, struct pfx_buffer *to)
{
	if (r->flags & FLAG_PAUSE)
		pfx_offcpu_pause(o, 1ull << 40, to);
	pfx_offcpu_end_round(o, to);
	pfx_offcpu_put_sums(o, to);
	pfx_offcpu_end(o, 0, to);
	pfx_offcpu_free(o);
}

/* @step: whether the records come one by one. */
static void pass_offcpu(const struct recorder *r, const uint8_t *data, size_t size, bool step,
			struct pfx_buffer *to)
{
	struct pfx_offcpu *o = pfx_offcpu_new(&r->setup);
	size_t bytes = size;

	for (; size; data += bytes, size -= bytes) {
		if (step)
			bytes = pfx_load16(data + 6, false);
		pfx_offcpu_take(o, data, bytes, to);
	}
	end_offcpu(r, o, to);
}

static void same(const struct pfx_buffer *a, const struct pfx_buffer *b)
{
	check(a->len == b->len && (!a->len || !memcmp(a->at, b->at, a->len)));
}

/* --- the tally, and what goes into the next file --- */

static bool is_odd(uint32_t tid)
{
	return tid & 1;
}

static void end_carry(struct pfx_carry *carry)
{
	struct pfx_buffer next = {0};
	int i;

	for (i = 0; i < 3; i++)
		pfx_carry_switch(carry, is_odd, &next);
	check(whole_records(next.at, next.len) == next.len);
	pfx_buffer_fini(&next);
	pfx_carry_fini(carry);
}

static void tally_begin(const struct recorder *r, struct pfx_tally *tally, struct pfx_carry *carry)
{
	*carry = (struct pfx_carry){.most = 1024};
	pfx_tally_init(tally, r->meta, r->flags & FLAG_HITS);
	tally->carry = carry;
}

/* On memory of just that size, so that reading beyond it is seen. */
static void tally_flat(const struct recorder *r, const struct pfx_buffer *records,
		       struct pfx_tally *tally, struct pfx_carry *carry)
{
	uint8_t *copy = malloc(records->len + 1);

	check(copy != NULL);
	memcpy(copy, records->at, records->len);
	tally_begin(r, tally, carry);
	pfx_tally_take(tally, copy, UINT64_MAX, 0, records->len);
	free(copy);
	pfx_tally_trim(tally);
	pfx_tally_hits(tally);
}

static void tally_ring(const struct recorder *r, const struct pfx_buffer *records,
		       struct pfx_tally *tally, struct pfx_carry *carry)
{
	uint8_t *ring = calloc(1, RING_SIZE);
	uint64_t start = 3 * RING_SIZE - r->start;
	size_t i;

	check(ring != NULL);
	for (i = 0; i < records->len; i++)
		ring[(start + i) & (RING_SIZE - 1)] = records->at[i];
	tally_begin(r, tally, carry);
	pfx_tally_take(tally, ring, RING_SIZE - 1, start, start + records->len);
	free(ring);
	pfx_tally_trim(tally);
	pfx_tally_hits(tally);
}

static void compare_tallies(const struct pfx_tally *a, const struct pfx_tally *b)
{
	size_t i;

	check(a->nr_samples == b->nr_samples && a->nr_lost == b->nr_lost &&
	      a->nr_throttled == b->nr_throttled && a->nr_bad == b->nr_bad &&
	      a->nr_user_chains == b->nr_user_chains && a->nr_lone_chains == b->nr_lone_chains &&
	      a->first_ns == b->first_ns && a->last_ns == b->last_ns && a->dsos.nr == b->dsos.nr);
	for (i = 0; i < a->dsos.nr; i++)
		check(a->dsos.at[i].hit == b->dsos.at[i].hit);
}

static void take_tallies(const struct recorder *r, const struct pfx_buffer *records)
{
	struct pfx_carry flat_carry, ring_carry;
	struct pfx_tally flat, ring;

	if (!records->len || records->len > RING_SIZE)
		return;
	tally_flat(r, records, &flat, &flat_carry);
	tally_ring(r, records, &ring, &ring_carry);
	compare_tallies(&flat, &ring);
	same(&flat_carry.records, &ring_carry.records);
	end_carry(&flat_carry);
	end_carry(&ring_carry);
	pfx_tally_fini(&flat);
	pfx_tally_fini(&ring);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pfx_buffer plain = {0}, at_once = {0}, one_by_one = {0};
	struct recorder r;
	size_t whole;

	if (size < HEADER)
		return 0;
	begin(&r, data);
	data += HEADER;
	size -= HEADER;
	pfx_buffer_bytes(&plain, data, size);
	take_tallies(&r, &plain);
	whole = whole_records(data, size);
	pass_offcpu(&r, data, whole, false, &at_once);
	pass_offcpu(&r, data, whole, true, &one_by_one);
	check(whole_records(at_once.at, at_once.len) == at_once.len);
	same(&at_once, &one_by_one);
	take_tallies(&r, &at_once);
	pfx_buffer_fini(&plain);
	pfx_buffer_fini(&at_once);
	pfx_buffer_fini(&one_by_one);
	pfx_meta_free(r.meta);
	return 0;
}
