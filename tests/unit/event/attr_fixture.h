/* SPDX-License-Identifier: MIT */
/* An attr whose fields are all different, and a comparison of attrs, for cmocka tests (include
 * cmocka first). */
#ifndef PFX_TESTS_ATTR_FIXTURE_H
#define PFX_TESTS_ATTR_FIXTURE_H

#include <stddef.h>

#include "event/attr.h"
#include "event/record.h"

static inline struct pfx_words words_of(const uint64_t *at, uint64_t nr)
{
	return (struct pfx_words){(const uint8_t *)at, nr, false};
}

static const uint8_t tail_bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};

/* An attr whose fields are all different and not 0. */
static inline struct pfx_attr full_attr(void)
{
	return (struct pfx_attr){
		.type = 1,
		.size = 152,
		.config = 0x1122334455667788,
		.sample_period = 4000,
		.sample_type = PFX_SAMPLE_IP | PFX_SAMPLE_TID,
		.read_format = 5,
		.flags = PFX_ATTR_DISABLED | PFX_ATTR_MMAP | PFX_ATTR_FREQ |
			 PFX_ATTR_SAMPLE_ID_ALL | PFX_ATTR_AUX_OUTPUT | PFX_ATTR_SIGTRAP |
			 1ull << PFX_ATTR_PRECISE_SHIFT,
		.wakeup = 3,
		.bp_type = 2,
		.config1 = 0x1234,
		.config2 = 0x5678,
		.branch_sample_type = PFX_BRANCH_ANY,
		.sample_regs_user = 0xff,
		.sample_stack_user = 8192,
		.clockid = -4,
		.sample_regs_intr = 0xf0,
		.aux_watermark = 17,
		.sample_max_stack = 127,
		.reserved = 9,
		.aux_sample_size = 4096,
		.aux_action = 6,
		.sig_data = 77,
		.config3 = 33,
		.config4 = 44,
		.tail = tail_bytes,
		.tail_size = sizeof(tail_bytes),
	};
}

static inline void assert_same_attr(struct pfx_attr a, struct pfx_attr b)
{
	assert_int_equal(a.tail_size, b.tail_size);
	if (a.tail_size)
		assert_memory_equal(a.tail, b.tail, a.tail_size);
	assert_memory_equal(&a, &b, offsetof(struct pfx_attr, tail));
}

#endif
