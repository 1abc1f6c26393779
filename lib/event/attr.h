/* SPDX-License-Identifier: MIT */
/* struct perf_event_attr, the configuration of an event, independent of byte order and size. */
#ifndef PFX_EVENT_ATTR_H
#define PFX_EVENT_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "event/abi.h"

struct pfx_attr {
	uint32_t type;
	uint32_t size; /* bytes in the file or passed to the kernel; fields beyond it are 0 */
	uint64_t config;
	uint64_t sample_period; /* the frequency in Hz when PFX_ATTR_FREQ is set */
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t flags;  /* PFX_ATTR_*, canonical bits */
	uint32_t wakeup; /* events, or bytes with PFX_ATTR_WATERMARK */
	uint32_t bp_type;
	uint64_t config1; /* bp_addr, kprobe_func, uprobe_path */
	uint64_t config2; /* bp_len, kprobe_addr, probe_offset */
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint32_t sample_stack_user; /* bytes */
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack;
	uint16_t reserved;
	uint32_t aux_sample_size;
	uint32_t aux_action;
	uint64_t sig_data;
	uint64_t config3;
	uint64_t config4;
	const uint8_t *tail; /* unknown fields, size - 144 bytes; borrowed from the input */
	uint32_t tail_size;
};

/* Decode the attr of attr.size bytes (0 means 64) at the start of @data. @swap: it is in the other
 * byte order; then the bits of each byte of the flag word are reversed, too. Returns the bytes
 * used, or -ENODATA / -EBADMSG. */
int pfx_attr_decode(const void *data, size_t size, bool swap, struct pfx_attr *ret,
		    struct pfx_error *err);
/* Append attr.size bytes, in the buffer's byte order. */
void pfx_attr_encode(const struct pfx_attr *attr, struct pfx_buffer *to);

/* Whether it is the clock of a CPU or of a task: counts are ns. */
static inline bool pfx_attr_is_clock(const struct pfx_attr *attr)
{
	return attr->type == PFX_TYPE_SOFTWARE &&
	       (attr->config == PFX_SW_CPU_CLOCK || attr->config == PFX_SW_TASK_CLOCK);
}

static inline unsigned pfx_attr_precise(const struct pfx_attr *attr)
{
	return (attr->flags & PFX_ATTR_PRECISE_MASK) >> PFX_ATTR_PRECISE_SHIFT;
}

static inline void pfx_attr_set_precise(struct pfx_attr *attr, unsigned precise)
{
	attr->flags &= ~PFX_ATTR_PRECISE_MASK;
	attr->flags |= (uint64_t)(precise & 3) << PFX_ATTR_PRECISE_SHIFT;
}

#endif
