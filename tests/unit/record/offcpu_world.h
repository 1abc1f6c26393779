/* SPDX-License-Identifier: MIT */
/* The off-CPU stage between ring buffers and file, and records of context switches for it. */
#ifndef PFX_TEST_OFFCPU_WORLD_H
#define PFX_TEST_OFFCPU_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event/sample.h"
#include "record/sink/offcpu.h"

#define CLOCK_ID  11
#define SWITCH_ID 22
#define MS        1000000ull
#define USER_IP   0x401000
#define KERNEL_IP 0xffffffff81000000ull
#define FIELDS                                                                      \
	(PFX_SAMPLE_IDENTIFIER | PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_TIME | \
	 PFX_SAMPLE_CPU | PFX_SAMPLE_PERIOD)

/* A recorder's stage between ring buffers and file. */
struct world {
	struct pfx_meta *meta;
	struct pfx_attr in;
	struct pfx_offcpu *offcpu;
	struct pfx_buffer rings, file;
	size_t seen;      /* bytes of the file that next_sample() has read */
	uint64_t task_id; /* id of the event for task records */
};

static void setup(struct world *w, uint64_t thresh_ns, bool keeps_chain)
{
	struct pfx_attr clock = {.type = PFX_TYPE_SOFTWARE,
				 .size = PFX_ATTR_SIZE_VER7,
				 .sample_type = FIELDS,
				 .flags = PFX_ATTR_SAMPLE_ID_ALL};
	struct pfx_attr out = clock;
	struct pfx_offcpu_setup s = {.thresh_ns = thresh_ns, .event = 1, .user_pc = 8};

	*w = (struct world){.meta = pfx_meta_new(), .task_id = CLOCK_ID};
	w->in = clock;
	w->in.sample_type |= PFX_SAMPLE_CALLCHAIN;
	out.config = PFX_SW_BPF_OUTPUT;
	out.sample_type |= keeps_chain ? PFX_SAMPLE_CALLCHAIN : 0;
	pfx_meta_add_id(w->meta, pfx_meta_add_event(w->meta, &clock, "cpu-clock"), CLOCK_ID);
	pfx_meta_add_id(w->meta, pfx_meta_add_event(w->meta, &out, PFX_OFFCPU_NAME), SWITCH_ID);
	pfx_meta_update(w->meta);
	s.meta = w->meta;
	s.in = w->in;
	w->offcpu = pfx_offcpu_new(&s);
}

static void teardown(struct world *w)
{
	pfx_offcpu_free(w->offcpu);
	pfx_meta_free(w->meta);
	pfx_buffer_fini(&w->rings);
	pfx_buffer_fini(&w->file);
}

/* --- what the kernel writes --- */

static void put_stack(struct world *w, uint64_t time, uint32_t tid, uint64_t user_ip)
{
	const uint64_t chain[] = {PFX_CONTEXT_KERNEL, KERNEL_IP, PFX_CONTEXT_USER, user_ip,
				  user_ip + 1};
	struct pfx_sample s = {.type = w->in.sample_type,
			       .misc = PFX_MODE_KERNEL,
			       .ip = KERNEL_IP,
			       .pid = 100,
			       .tid = tid,
			       .time = time,
			       .id = SWITCH_ID,
			       .cpu = 1,
			       .period = 1,
			       .chain = {(const uint8_t *)chain, 5, false}};

	assert_true(pfx_sample_encode(&s, &w->in, &w->rings));
}

static void put_switch(struct world *w, uint64_t time, uint32_t tid, uint16_t misc)
{
	struct pfx_body body = {.type = PFX_RECORD_SWITCH, .misc = misc};

	body.id = (struct pfx_sample_id){.pid = 100,
					 .tid = tid,
					 .time = time,
					 .id = SWITCH_ID,
					 .identifier = SWITCH_ID,
					 .cpu = 3};
	assert_true(pfx_record_encode(&body, &w->in, &w->rings));
}

static void put_sleep(struct world *w, uint64_t time, uint32_t tid)
{
	put_stack(w, time, tid, USER_IP);
	put_switch(w, time + 1, tid, PFX_MISC_SWITCH_OUT);
}

static void put_wake(struct world *w, uint64_t time, uint32_t tid)
{
	put_switch(w, time, tid, 0);
}

static void put_round(struct world *w)
{
	const struct {
		uint32_t type;
		uint16_t misc, size;
	} round = {PFX_RECORD_FINISHED_ROUND, 0, 8};

	pfx_buffer_bytes(&w->rings, &round, sizeof(round));
}

static void pass(struct world *w)
{
	pfx_offcpu_take(w->offcpu, w->rings.at, w->rings.len, &w->file);
	pfx_buffer_clear(&w->rings);
}

#endif
