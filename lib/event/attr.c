/* SPDX-License-Identifier: MIT */
/*
 * perf_event_attr between bytes and struct pfx_attr. The struct has grown over the years (64 to 144
 * bytes so far), and a recording may have a larger one than pfx supports: the known fields are
 * decoded, the rest is kept as a tail. The bytes come from an attr entry of a file, a HEADER_ATTR
 * record, or EVENT_DESC; they go to a file or to the kernel. Sections 3.1 and 3.2 of
 * Documentation/file-format.md.
 *
 *	  0 type:32 size:32       48 wakeup:32 bp_type:32   88 stack_user:32 clockid:32
 *	  8 config                56 config1 (64)           96 regs_intr (104)
 *	 16 sample_period         64 config2 (72)          104 aux_watermark:32 max_stack:16 rsvd:16
 *	 24 sample_type           72 branch type (80)      112 aux_sample_size:32 aux_action:32
 *	 32 read_format           80 regs_user (96)        120 sig_data (128)
 *	 40 flags                                          128 config3 (136), 136 config4 (144)
 */
#include "event/attr.h"

#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "event/event_internal.h"

/* The kernel does not accept attrs larger than a page. */
#define ATTR_SIZE_MAX   4096
#define ATTR_SIZE_KNOWN PFX_ATTR_SIZE_VER9

/* All flags are one bit wide except precise_ip, the 16th. */
static const uint8_t flag_widths[63] = {
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
};
static const struct pfx_bit_layout flag_layout = {63, flag_widths};

static void decode_first(struct pfx_cursor *c, struct pfx_attr *ret)
{
	ret->config = pfx_cursor_u64(c);
	ret->sample_period = pfx_cursor_u64(c);
	ret->sample_type = pfx_cursor_u64(c);
	ret->read_format = pfx_cursor_u64(c);
	ret->flags = pfx_bits_from_file(pfx_cursor_u64(c), &flag_layout, c->swap);
	ret->wakeup = pfx_cursor_u32(c);
	ret->bp_type = pfx_cursor_u32(c);
	ret->config1 = pfx_cursor_u64(c);
}

/* Fields of later versions; the cursor ends with the last one present, and missing fields are 0. */
static void decode_later(struct pfx_cursor *c, struct pfx_attr *ret)
{
	ret->config2 = pfx_cursor_u64(c);
	ret->branch_sample_type = pfx_cursor_u64(c);
	ret->sample_regs_user = pfx_cursor_u64(c);
	ret->sample_stack_user = pfx_cursor_u32(c);
	ret->clockid = (int32_t)pfx_cursor_u32(c);
	ret->sample_regs_intr = pfx_cursor_u64(c);
	ret->aux_watermark = pfx_cursor_u32(c);
	ret->sample_max_stack = pfx_cursor_u16(c);
	ret->reserved = pfx_cursor_u16(c);
	ret->aux_sample_size = pfx_cursor_u32(c);
	ret->aux_action = pfx_cursor_u32(c);
	ret->sig_data = pfx_cursor_u64(c);
	ret->config3 = pfx_cursor_u64(c);
	ret->config4 = pfx_cursor_u64(c);
}

int pfx_attr_decode(const void *data, size_t size, bool swap, struct pfx_attr *ret,
		    struct pfx_error *err)
{
	struct pfx_cursor c = pfx_cursor_make(data, size, swap);

	memset(ret, 0, sizeof(*ret));
	ret->type = pfx_cursor_u32(&c);
	ret->size = pfx_cursor_u32(&c);
	if (!pfx_cursor_ok(&c))
		return pfx_error_set(err, ENODATA, "the event's attr is cut short at %zu bytes",
				     size);
	if (!ret->size)
		ret->size = PFX_ATTR_SIZE_VER0;
	if (ret->size < PFX_ATTR_SIZE_VER0 || ret->size > ATTR_SIZE_MAX || ret->size % 8)
		return pfx_error_set(err, EBADMSG, "an event's attr says it has %u bytes",
				     ret->size);
	if (ret->size > size)
		return pfx_error_set(err, ENODATA,
				     "an event's attr of %u bytes is cut short at %zu bytes",
				     ret->size, size);
	c = pfx_cursor_make((const uint8_t *)data + 8, ret->size - 8, swap);
	decode_first(&c, ret);
	decode_later(&c, ret);
	if (ret->size > ATTR_SIZE_KNOWN) {
		ret->tail = (const uint8_t *)data + ATTR_SIZE_KNOWN;
		ret->tail_size = ret->size - ATTR_SIZE_KNOWN;
	}
	return (int)ret->size;
}

static void encode_all(const struct pfx_attr *attr, struct pfx_buffer *to)
{
	pfx_buffer_u32(to, attr->type);
	pfx_buffer_u32(to, attr->size);
	pfx_buffer_u64(to, attr->config);
	pfx_buffer_u64(to, attr->sample_period);
	pfx_buffer_u64(to, attr->sample_type);
	pfx_buffer_u64(to, attr->read_format);
	pfx_buffer_u64(to, pfx_bits_to_file(attr->flags, &flag_layout, to->swap));
	pfx_buffer_u32(to, attr->wakeup);
	pfx_buffer_u32(to, attr->bp_type);
	pfx_buffer_u64(to, attr->config1);
	pfx_buffer_u64(to, attr->config2);
	pfx_buffer_u64(to, attr->branch_sample_type);
	pfx_buffer_u64(to, attr->sample_regs_user);
	pfx_buffer_u32(to, attr->sample_stack_user);
	pfx_buffer_u32(to, (uint32_t)attr->clockid);
	pfx_buffer_u64(to, attr->sample_regs_intr);
	pfx_buffer_u32(to, attr->aux_watermark);
	pfx_buffer_u16(to, attr->sample_max_stack);
	pfx_buffer_u16(to, attr->reserved);
	pfx_buffer_u32(to, attr->aux_sample_size);
	pfx_buffer_u32(to, attr->aux_action);
	pfx_buffer_u64(to, attr->sig_data);
	pfx_buffer_u64(to, attr->config3);
	pfx_buffer_u64(to, attr->config4);
}

void pfx_attr_encode(const struct pfx_attr *attr, struct pfx_buffer *to)
{
	size_t start = to->len;
	size_t size = attr->size ? attr->size : PFX_ATTR_SIZE_VER0;
	size_t tail = size > ATTR_SIZE_KNOWN ? size - ATTR_SIZE_KNOWN : 0;

	encode_all(attr, to);
	if (tail > attr->tail_size)
		tail = attr->tail_size;
	pfx_buffer_bytes(to, attr->tail, tail);
	if (to->len - start > size)
		to->len = start + size;
	pfx_buffer_zeros(to, start + size - to->len);
}
