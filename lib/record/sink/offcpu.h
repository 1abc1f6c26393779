/* SPDX-License-Identifier: MIT */
/*
 * Off-CPU time: a stage between the ring buffers and the file. Converts context switches to samples
 * of the event `offcpu-time`: the stack at which a thread went to sleep, with the sleep time as the
 * period. Other records pass unchanged. The meta is borrowed.
 */
#ifndef PFX_RECORD_OFFCPU_H
#define PFX_RECORD_OFFCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "event/meta.h"

#define PFX_OFFCPU_THRESH_DEFAULT_MS 500

struct pfx_offcpu_setup {
	struct pfx_meta *meta;
	uint32_t event;     /* index of offcpu-time in the meta, with the attr for the file */
	struct pfx_attr in; /* the attr in the kernel: each context switch is a sample */
	uint64_t thresh_ns; /* longer sleeps are single samples */
	uint64_t user_pc;   /* number of the program counter in user registers */
	bool is_apart; /* the event's ring buffers also contain records about tasks, which are not
			  written */
};

struct pfx_offcpu;

/* The setup is copied. */
struct pfx_offcpu *pfx_offcpu_new(const struct pfx_offcpu_setup *setup);
/* Take whole records and append the output. Switches wait for the end of the second round, when all
 * earlier records are known. */
void pfx_offcpu_take(struct pfx_offcpu *o, const uint8_t *data, size_t size, struct pfx_buffer *to);
/* End a round without a FINISHED_ROUND record. */
void pfx_offcpu_end_round(struct pfx_offcpu *o, struct pfx_buffer *to);
/* Append the sums of shorter sleeps so far, as samples of the latest time. */
void pfx_offcpu_put_sums(struct pfx_offcpu *o, struct pfx_buffer *to);
/* The events are disabled since @now (0: since the last record), and all earlier records were
 * taken: sleeping threads count as asleep until then. */
void pfx_offcpu_pause(struct pfx_offcpu *o, uint64_t now, struct pfx_buffer *to);
/* No more records follow: append everything, sleeping threads until @now (0: the last record). */
void pfx_offcpu_end(struct pfx_offcpu *o, uint64_t now, struct pfx_buffer *to);
/* The number of known threads: running ones and recently ended ones. */
size_t pfx_offcpu_nr_threads(const struct pfx_offcpu *o);
void pfx_offcpu_free(struct pfx_offcpu *o);

#endif
