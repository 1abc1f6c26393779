/* SPDX-License-Identifier: MIT */
/*
 * ARM's own unwind instructions (Exception Handling ABI for the Arm Architecture, "frame unwinding
 * instructions"): bytes in .ARM.exidx and .ARM.extab that say how a function's frame is taken down.
 */
#ifndef PFX_ARCH_ARM_EXIDX_H
#define PFX_ARCH_ARM_EXIDX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A frame: all places are relative to the value that the register `base` has in the callee. */
struct pfx_exidx_frame {
	uint8_t base;   /* r13, or the register that the stack pointer is taken from */
	int32_t size;   /* the caller's stack pointer */
	uint16_t saved; /* by number: the register is in memory */
	int32_t at[16]; /* where */
};

/* What the instructions come to; false for those that refuse, that are reserved, or that go beyond
 * what a frame can say. */
bool pfx_exidx_decode(const uint8_t *ops, size_t nr, struct pfx_exidx_frame *ret);

#endif
