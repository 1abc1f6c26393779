/* SPDX-License-Identifier: MIT */
/*
 * The kernel reports a thread that leaves its CPU by a sample (with the stack) and a SWITCH record
 * (preempted or not), and its return by another SWITCH record, in another ring buffer if it
 * migrated. Ring buffers are emptied one after the other, so these records are first sorted by time
 * as readers do: at the end of a round, all records older than the end of the previous round are
 * known.
 *
 * Long sleeps become single samples. Short ones are summed by thread and stack, and written when
 * the process ends or calls exec (its maps become invalid), when there are too many, and at the
 * end. Memory: two rounds of switches, the stack of each sleeping thread, the sums, and the numbers
 * of the last ended threads.
 */
#include "record/sink/offcpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "event/sample.h"

#define SUMS_BYTES (16u << 20) /* of stacks with sums */
#define GONE_MAX   4096        /* ended threads that may not have left their CPU yet */
#define SPARE_SIZE (1u << 20)  /* bytes of a buffer that are kept after a peak */
#define NONE       UINT32_MAX

enum moment_kind {
	MOMENT_STACK, /* a thread leaves its CPU: its stack */
	MOMENT_SLEEP, /* it leaves because it waits */
	MOMENT_WAIT,  /* it leaves because it is preempted */
	MOMENT_WAKE,  /* it runs again */
	MOMENT_EXIT,
	MOMENT_EXEC,
};

struct moment {
	uint64_t time;
	uint64_t order; /* orders moments of the same time */
	enum moment_kind kind;
	uint32_t pid, tid, cpu;
	size_t at, size; /* STACK: its sample in `stacks` */
};

struct sleeper {
	uint32_t pid, tid;
	bool has_stack, is_asleep, is_gone;
	uint64_t since;
	struct pfx_buffer sample; /* the stack; with a time, a CPU and a period of 0 */
};

struct sum {
	uint64_t ns;
	uint32_t cpu;
	uint32_t next; /* next sum of the same process; NONE: the last */
};

/* Offsets of fields in a sample, in bytes; 0: not present. */
struct places {
	size_t time, cpu, period;
};

struct pfx_offcpu {
	struct pfx_offcpu_setup setup;
	const struct pfx_attr *attr; /* of the written samples */
	struct places places;
	PFX_VEC(struct moment) moments;
	struct pfx_buffer stacks;
	uint64_t nr_moments;          /* total count */
	uint64_t newest, last_newest; /* now, and at the end of the previous round */
	uint64_t now;                 /* of the current moment */
	struct pfx_hash by_tid;       /* thread to the index of a sleeper */
	PFX_VEC(struct sleeper) sleepers;
	uint32_t gone[GONE_MAX]; /* numbers of threads, a circular buffer */
	uint64_t nr_gone;        /* total count */
	struct pfx_intern keys;  /* the samples of sums */
	PFX_VEC(struct sum) sums;
	struct pfx_hash by_pid; /* process to its newest sum */
	size_t sums_bytes;
};

static void find_places(struct pfx_offcpu *o)
{
	static const uint64_t order[] = {
		PFX_SAMPLE_IDENTIFIER, PFX_SAMPLE_IP,   PFX_SAMPLE_TID,
		PFX_SAMPLE_TIME,       PFX_SAMPLE_ADDR, PFX_SAMPLE_ID,
		PFX_SAMPLE_STREAM_ID,  PFX_SAMPLE_CPU,  PFX_SAMPLE_PERIOD,
	};
	size_t at = PFX_RECORD_HEADER_SIZE, i;

	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (!(o->attr->sample_type & order[i]))
			continue;
		if (order[i] == PFX_SAMPLE_TIME)
			o->places.time = at;
		else if (order[i] == PFX_SAMPLE_CPU)
			o->places.cpu = at;
		else if (order[i] == PFX_SAMPLE_PERIOD)
			o->places.period = at;
		at += 8;
	}
}

struct pfx_offcpu *pfx_offcpu_new(const struct pfx_offcpu_setup *setup)
{
	struct pfx_offcpu *o = pfx_calloc(1, sizeof(*o));

	o->setup = *setup;
	o->attr = &setup->meta->events[setup->event]->attr;
	find_places(o);
	return o;
}

void pfx_offcpu_free(struct pfx_offcpu *o)
{
	size_t i;

	if (!o)
		return;
	for (i = 0; i < o->sleepers.nr; i++)
		pfx_buffer_fini(&o->sleepers.at[i].sample);
	pfx_vec_free(&o->sleepers);
	pfx_vec_free(&o->moments);
	pfx_vec_free(&o->sums);
	pfx_buffer_fini(&o->stacks);
	pfx_hash_fini(&o->by_tid);
	pfx_hash_fini(&o->by_pid);
	pfx_intern_fini(&o->keys);
	free(o);
}

size_t pfx_offcpu_nr_threads(const struct pfx_offcpu *o)
{
	return o->sleepers.nr;
}

/* --- what is written --- */

static void put_sample(const struct pfx_offcpu *o, const uint8_t *sample, size_t size,
		       const struct sum *sum, struct pfx_buffer *to)
{
	size_t start = to->len;

	pfx_buffer_bytes(to, sample, size);
	if (o->places.time)
		pfx_buffer_patch64(to, start + o->places.time, o->now);
	if (o->places.cpu)
		pfx_buffer_patch32(to, start + o->places.cpu, sum->cpu);
	if (o->places.period)
		pfx_buffer_patch64(to, start + o->places.period, sum->ns);
}

static void put_sum(struct pfx_offcpu *o, uint32_t i, struct pfx_buffer *to)
{
	struct sum *sum = &o->sums.at[i];

	if (sum->ns)
		put_sample(o, (const uint8_t *)o->keys.entries[i].data, o->keys.entries[i].len, sum,
			   to);
	sum->ns = 0;
}

static void put_sums_of(struct pfx_offcpu *o, uint32_t pid, struct pfx_buffer *to)
{
	const uint64_t *first = pfx_hash_get(&o->by_pid, pid);
	uint32_t i;

	for (i = first ? (uint32_t)*first : NONE; i != NONE; i = o->sums.at[i].next)
		put_sum(o, i, to);
}

void pfx_offcpu_put_sums(struct pfx_offcpu *o, struct pfx_buffer *to)
{
	uint32_t i;

	for (i = 0; i < o->sums.nr; i++)
		put_sum(o, i, to);
	o->sums.nr = 0;
	o->sums_bytes = 0;
	pfx_intern_fini(&o->keys);
	pfx_hash_fini(&o->by_pid);
}

static void add_to_sum(struct pfx_offcpu *o, const struct sleeper *s, const struct sum *more,
		       struct pfx_buffer *to)
{
	uint32_t i = pfx_intern_add(&o->keys, s->sample.at, s->sample.len);
	uint64_t *first;
	bool is_new;

	if (i == o->sums.nr) {
		first = pfx_hash_add(&o->by_pid, s->pid, &is_new);
		pfx_vec_push(&o->sums, ((struct sum){.next = is_new ? NONE : (uint32_t)*first}));
		*first = i;
		o->sums_bytes += s->sample.len;
	}
	o->sums.at[i].ns += more->ns;
	o->sums.at[i].cpu = more->cpu;
	if (o->sums_bytes > SUMS_BYTES)
		pfx_offcpu_put_sums(o, to);
}

/* --- who sleeps --- */

static struct sleeper *find_sleeper(struct pfx_offcpu *o, uint32_t pid, uint32_t tid)
{
	bool is_new;
	uint64_t *index = pfx_hash_add(&o->by_tid, tid, &is_new);
	struct sleeper *s;

	if (is_new) {
		*index = o->sleepers.nr;
		s = pfx_vec_add(&o->sleepers);
		*s = (struct sleeper){.tid = tid};
	}
	s = &o->sleepers.at[*index];
	s->pid = pid;
	return s;
}

/* A sample without a stack, for threads whose stack the kernel could not read. */
static void make_bare_sample(struct pfx_offcpu *o, struct sleeper *s)
{
	const struct pfx_event *event = o->setup.meta->events[o->setup.event];
	struct pfx_sample sample = {
		.type = o->attr->sample_type,
		.misc = PFX_MODE_USER,
		.cpumode = PFX_MODE_USER,
		.pid = s->pid,
		.tid = s->tid,
		.id = event->nr_ids ? event->ids[0] : 0,
	};

	pfx_buffer_clear(&s->sample);
	pfx_sample_encode(&sample, o->attr, &s->sample);
}

static void wake(struct pfx_offcpu *o, struct sleeper *s, uint32_t cpu, struct pfx_buffer *to)
{
	struct sum slept = {.ns = o->now > s->since ? o->now - s->since : 0, .cpu = cpu};

	if (!s->is_asleep || !slept.ns || !s->sample.len)
		return;
	s->is_asleep = false;
	if (slept.ns >= o->setup.thresh_ns)
		put_sample(o, s->sample.at, s->sample.len, &slept, to);
	else
		add_to_sum(o, s, &slept, to);
}

static void leave(struct pfx_offcpu *o, struct sleeper *s, bool waits)
{
	if (s->is_gone)
		return;
	if (!s->has_stack)
		make_bare_sample(o, s);
	s->has_stack = false;
	s->is_asleep = waits;
	s->since = o->now;
}

static void remove_gone(struct pfx_offcpu *o, uint32_t tid)
{
	const uint64_t *index = pfx_hash_get(&o->by_tid, tid);
	struct sleeper *s = index ? &o->sleepers.at[*index] : NULL;

	if (!s || !s->is_gone)
		return;
	*s = o->sleepers.at[--o->sleepers.nr];
	if (s->tid != tid)
		*pfx_hash_get(&o->by_tid, s->tid) = (uint64_t)(s - o->sleepers.at);
	pfx_hash_remove(&o->by_tid, tid);
}

/* An ended thread leaves its CPU a last time, which does not count as sleep. */
static void forget(struct pfx_offcpu *o, struct sleeper *s)
{
	uint32_t *place = &o->gone[o->nr_gone++ % GONE_MAX], before = *place;

	pfx_buffer_fini(&s->sample);
	s->has_stack = s->is_asleep = false;
	s->is_gone = true;
	*place = s->tid;
	if (before)
		remove_gone(o, before);
}

static void live_through(struct pfx_offcpu *o, const struct moment *m, struct pfx_buffer *to)
{
	struct sleeper *s = find_sleeper(o, m->pid, m->tid);

	o->now = m->time;
	switch (m->kind) {
	case MOMENT_STACK:
		if (s->is_gone)
			break;
		pfx_buffer_clear(&s->sample);
		pfx_buffer_bytes(&s->sample, o->stacks.at + m->at, m->size);
		s->has_stack = true;
		break;
	case MOMENT_SLEEP:
	case MOMENT_WAIT:
		leave(o, s, m->kind == MOMENT_SLEEP);
		break;
	case MOMENT_WAKE:
		wake(o, s, m->cpu, to);
		s->is_gone = s->is_asleep = false;
		break;
	case MOMENT_EXIT:
		forget(o, s);
		if (m->pid == m->tid)
			put_sums_of(o, m->pid, to);
		break;
	case MOMENT_EXEC:
		put_sums_of(o, m->pid, to);
		break;
	}
}

/* --- putting it in order --- */

static int compare_moments(const void *left, const void *right)
{
	const struct moment *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int compare_orders(const void *left, const void *right)
{
	const struct moment *a = left, *b = right;

	return a->order < b->order ? -1 : a->order > b->order;
}

/* Shrink buffers that grew in a busy time. */
static void give_back(struct pfx_offcpu *o)
{
	struct pfx_buffer *stacks = &o->stacks;
	size_t room = o->moments.cap * sizeof(*o->moments.at);

	if (stacks->cap > SPARE_SIZE && stacks->len < stacks->cap / 4) {
		stacks->cap /= 2;
		stacks->at = pfx_realloc(stacks->at, stacks->cap);
	}
	if (room > SPARE_SIZE && o->moments.nr < o->moments.cap / 4) {
		o->moments.cap /= 2;
		o->moments.at = pfx_realloc(o->moments.at, room / 2);
	}
}

/* Drop the first @nr moments, and all stacks that no thread needs: stacks are stored in the order
 * of the moments. */
static void drop_moments(struct pfx_offcpu *o, size_t nr)
{
	struct moment *m = o->moments.at;
	size_t at = 0, i;

	if (nr)
		memmove(m, m + nr, (o->moments.nr - nr) * sizeof(*m));
	o->moments.nr -= nr;
	if (o->moments.nr)
		qsort(m, o->moments.nr, sizeof(*m), compare_orders);
	for (i = 0; i < o->moments.nr; i++) {
		if (m[i].kind != MOMENT_STACK)
			continue;
		memmove(o->stacks.at + at, o->stacks.at + m[i].at, m[i].size);
		m[i].at = at;
		at += m[i].size;
	}
	o->stacks.len = at;
	give_back(o);
}

/* Process all moments up to @limit, and keep the others. */
static void catch_up(struct pfx_offcpu *o, uint64_t limit, struct pfx_buffer *to)
{
	size_t i;

	if (o->moments.nr)
		qsort(o->moments.at, o->moments.nr, sizeof(*o->moments.at), compare_moments);
	for (i = 0; i < o->moments.nr && o->moments.at[i].time <= limit; i++)
		live_through(o, &o->moments.at[i], to);
	drop_moments(o, i);
}

void pfx_offcpu_end_round(struct pfx_offcpu *o, struct pfx_buffer *to)
{
	catch_up(o, o->last_newest, to);
	o->last_newest = o->newest;
}

static void add_moment(struct pfx_offcpu *o, const struct moment *m)
{
	/* 0 is the idle thread, -1 a thread that is already gone. */
	if (!m->tid || m->tid == UINT32_MAX || m->time == PFX_NO_TIME)
		return;
	pfx_vec_push(&o->moments, *m);
	o->moments.at[o->moments.nr - 1].order = o->nr_moments++;
	if (m->time > o->newest)
		o->newest = m->time;
}

/* --- what comes in --- */

/* The first user-space address of the chain, or the program counter in the user registers. */
static bool find_user_ip(const struct pfx_offcpu *o, const struct pfx_sample *s, uint64_t *ret)
{
	uint64_t mask = s->regs_user.mask, pc = o->setup.user_pc, i;

	for (i = 0; i + 1 < s->chain.nr; i++)
		if (pfx_word(&s->chain, i) == PFX_CONTEXT_USER) {
			*ret = pfx_word(&s->chain, i + 1);
			return true;
		}
	if (!s->regs_user.abi || pc >= 64 || !(mask >> pc & 1))
		return false;
	i = (uint64_t)__builtin_popcountll(mask & ((1ull << pc) - 1));
	if (i >= s->regs_user.values.nr)
		return false;
	*ret = pfx_word(&s->regs_user.values, i);
	return true;
}

/* Encode the sample with the file's attr; the period is filled in later. */
static void take_stack(struct pfx_offcpu *o, const struct pfx_record *rec)
{
	const struct pfx_event *event = o->setup.meta->events[o->setup.event];
	struct moment m = {.kind = MOMENT_STACK, .at = o->stacks.len};
	struct pfx_sample sample;

	if (!pfx_sample_decode(rec, &o->setup.in, &sample))
		return;
	m.pid = sample.pid;
	m.tid = sample.tid;
	m.time = sample.time;
	if (find_user_ip(o, &sample, &sample.ip)) {
		sample.misc = (uint16_t)((sample.misc & ~PFX_MISC_CPUMODE_MASK) | PFX_MODE_USER);
		sample.cpumode = PFX_MODE_USER;
	}
	sample.type = o->attr->sample_type;
	sample.time = sample.period = sample.cpu = 0;
	sample.stream_id = 0;
	sample.id = event->nr_ids ? event->ids[0] : 0;
	if (!pfx_sample_encode(&sample, o->attr, &o->stacks))
		return;
	m.size = o->stacks.len - m.at;
	add_moment(o, &m);
}

static void take_switch(struct pfx_offcpu *o, const struct pfx_record *rec)
{
	struct moment m = {.kind = MOMENT_WAKE};
	struct pfx_sample_id id;

	if (!pfx_sample_id_decode(rec, &o->setup.in, &id))
		return;
	if (rec->misc & PFX_MISC_SWITCH_OUT)
		m.kind = rec->misc & PFX_MISC_SWITCH_OUT_PREEMPT ? MOMENT_WAIT : MOMENT_SLEEP;
	m.pid = id.pid;
	m.tid = id.tid;
	m.cpu = id.cpu;
	m.time = id.time;
	add_moment(o, &m);
}

/* Write the sums of processes before their maps become invalid. */
static void watch_task(struct pfx_offcpu *o, const struct pfx_record *rec)
{
	struct pfx_body body;
	struct moment m = {.kind = MOMENT_EXIT, .time = rec->time};

	if (rec->type == PFX_RECORD_FORK ||
	    (rec->type == PFX_RECORD_COMM && !(rec->misc & PFX_MISC_COMM_EXEC)))
		return;
	if (pfx_record_decode(rec, NULL, &body, NULL) < 0)
		return;
	if (rec->type == PFX_RECORD_EXIT) {
		m.pid = body.task.pid;
		m.tid = body.task.tid;
		m.time = body.task.time;
	} else {
		m.kind = MOMENT_EXEC;
		m.pid = body.comm.pid;
		m.tid = body.comm.tid;
	}
	add_moment(o, &m);
}

/* True if the record is not written to the file. */
static bool take_record(struct pfx_offcpu *o, struct pfx_record *rec, struct pfx_buffer *to)
{
	const struct pfx_event *ours = o->setup.meta->events[o->setup.event];

	switch (rec->type) {
	case PFX_RECORD_FINISHED_ROUND:
		pfx_offcpu_end_round(o, to);
		return false;
	case PFX_RECORD_SAMPLE:
	case PFX_RECORD_SWITCH:
	case PFX_RECORD_SWITCH_CPU_WIDE:
		pfx_meta_identify(o->setup.meta, rec);
		if (rec->event != ours)
			return false;
		if (rec->type == PFX_RECORD_SAMPLE)
			take_stack(o, rec);
		else
			take_switch(o, rec);
		return true;
	case PFX_RECORD_FORK:
	case PFX_RECORD_EXIT:
	case PFX_RECORD_COMM:
		pfx_meta_identify(o->setup.meta, rec);
		watch_task(o, rec);
		return o->setup.is_apart && rec->event == ours;
	default:
		return false;
	}
}

void pfx_offcpu_take(struct pfx_offcpu *o, const uint8_t *data, size_t size, struct pfx_buffer *to)
{
	size_t at = 0, from = 0, end;
	struct pfx_record rec;

	while (size - at >= PFX_RECORD_HEADER_SIZE) {
		pfx_record_init(&rec, data + at, false, 0);
		if (rec.size < PFX_RECORD_HEADER_SIZE || rec.size > size - at)
			break;
		end = at + rec.size;
		/* Write the earlier samples before the record. */
		if (rec.type == PFX_RECORD_FINISHED_ROUND) {
			pfx_buffer_bytes(to, data + from, at - from);
			from = at;
		}
		if (take_record(o, &rec, to)) {
			pfx_buffer_bytes(to, data + from, at - from);
			from = end;
		}
		at = end;
	}
	pfx_buffer_bytes(to, data + from, size - from);
}

void pfx_offcpu_pause(struct pfx_offcpu *o, uint64_t now, struct pfx_buffer *to)
{
	size_t i;

	catch_up(o, UINT64_MAX, to);
	if (o->now < o->newest)
		o->now = o->newest;
	if (o->now < now)
		o->now = now;
	for (i = 0; i < o->sleepers.nr; i++)
		wake(o, &o->sleepers.at[i], 0, to);
}

void pfx_offcpu_end(struct pfx_offcpu *o, uint64_t now, struct pfx_buffer *to)
{
	pfx_offcpu_pause(o, now, to);
	pfx_offcpu_put_sums(o, to);
}
