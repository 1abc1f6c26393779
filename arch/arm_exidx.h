/* SPDX-License-Identifier: MIT */
/*
 * ARM unwind instructions (Exception Handling ABI for the Arm Architecture, "frame unwinding
 * instructions"): bytes in .ARM.exidx and .ARM.extab that describe how to unwind a function's
 * frame.
 */
#ifndef PFX_ARCH_ARM_EXIDX_H
#define PFX_ARCH_ARM_EXIDX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A frame: all offsets are relative to the value of register `base` in the callee. */
struct pfx_exidx_frame {
	uint8_t base;   /* r13, or the register that is copied to the stack pointer */
	int32_t size;   /* offset of the caller's stack pointer */
	uint16_t saved; /* bit mask of registers saved in memory */
	int32_t at[16]; /* their offsets */
};

/* Decode the instructions; false if they refuse to unwind, are reserved, or need more than the
 * struct can describe. */
bool pfx_exidx_decode(const uint8_t *ops, size_t nr, struct pfx_exidx_frame *ret);

#endif
