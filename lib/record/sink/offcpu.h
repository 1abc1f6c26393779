/* SPDX-License-Identifier: MIT */
/*
 * Time asleep, on the way of records from the rings to the file. Context switches go in, samples of
 * the event `offcpu-time` come out: where a thread went to sleep, with the time that it slept as
 * period. All other records pass as they are. It owns what it keeps; the meta is borrowed.
 */
#ifndef PFX_RECORD_OFFCPU_H
#define PFX_RECORD_OFFCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "event/meta.h"

#define PFX_OFFCPU_NAME              "offcpu-time"
#define PFX_OFFCPU_THRESH_DEFAULT_MS 500

struct pfx_offcpu_setup {
	struct pfx_meta *meta;
	uint32_t event;     /* index of offcpu-time in it, with the attr for the file */
	struct pfx_attr in; /* what the kernel was asked for: context switches, one by one */
	uint64_t thresh_ns; /* sleeps from there on are samples of their own */
	uint64_t user_pc;   /* number of the program counter in user registers */
	bool is_apart;      /* records about tasks come with the event, for us alone */
};

struct pfx_offcpu;

/* The setup is copied. */
struct pfx_offcpu *pfx_offcpu_new(const struct pfx_offcpu_setup *setup);
/* Take whole records and append what goes into the file. Switches wait for the end of the second
 * round, when all that happened before them is known. */
void pfx_offcpu_take(struct pfx_offcpu *o, const uint8_t *data, size_t size, struct pfx_buffer *to);
/* A round is over that no record marks: what a record FINISHED_ROUND does. */
void pfx_offcpu_end_round(struct pfx_offcpu *o, struct pfx_buffer *to);
/* Append the sums of shorter sleeps so far, as samples of the latest time. */
void pfx_offcpu_put_sums(struct pfx_offcpu *o, struct pfx_buffer *to);
/* The events are off since @now (0: since the last record), and all before that has come: what
 * sleeps has slept until then. */
void pfx_offcpu_pause(struct pfx_offcpu *o, uint64_t now, struct pfx_buffer *to);
/* No more records come: append all, with what still sleeps at @now (0: at the last record). */
void pfx_offcpu_end(struct pfx_offcpu *o, uint64_t now, struct pfx_buffer *to);
/* Threads that it knows of: those that live, and those that ended a moment ago. */
size_t pfx_offcpu_nr_threads(const struct pfx_offcpu *o);
void pfx_offcpu_free(struct pfx_offcpu *o);

#endif
