/* SPDX-License-Identifier: MIT */
/*
 * Tries a precise event with the registers on this process: there is no other way to query support.
 */
#include "sys/counter/regs_probe.h"

#include "sys/counter/event_probe.h"

bool pfx_regs_probe(uint64_t mask)
{
	struct pfx_attr attr = {
		.type = PFX_TYPE_HARDWARE,
		.size = PFX_ATTR_SIZE_VER7,
		.config = PFX_HW_CPU_CYCLES,
		.sample_period = 1,
		.sample_type = PFX_SAMPLE_REGS_INTR,
		.sample_regs_intr = mask,
		.flags = PFX_ATTR_DISABLED | PFX_ATTR_EXCLUDE_KERNEL | PFX_ATTR_EXCLUDE_GUEST,
	};

	pfx_attr_set_precise(&attr, 1);
	return pfx_attr_probe(&attr);
}
