/* SPDX-License-Identifier: MIT */
/* The registers that this machine's kernel can put into a sample. */
#ifndef PFX_ARCH_REGS_HOST_H
#define PFX_ARCH_REGS_HOST_H

#include <stdint.h>

/* The mask for attr.sample_regs_user that asks for all that an unwinder may need; 0 where the
 * kernel copies no user registers. */
uint64_t pfx_arch_host_user_regs(void);

/* Registers of a larger kind (vectors) that some CPUs show at an interrupt; 0: there are none. */
uint64_t pfx_arch_host_vector_regs(void);
/* What must be in a sample beside a chain of frame pointers, lest the caller of a leaf be missing:
 * the register with the return address, where functions that call nobody make no frame; 0: nothing.
 */
uint64_t pfx_arch_host_leaf_regs(void);
/* Instruction and stack pointer: what a stack dump is nothing without. */
uint64_t pfx_arch_host_frame_regs(void);

#endif
