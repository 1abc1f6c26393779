/* SPDX-License-Identifier: MIT */
/*
 * What following pointers through code must know of a CPU, by the machine that the code is for: how
 * the registers that disassemblers name are numbered in DWARF, and which of them calls keep.
 */
#ifndef PFX_ARCH_DATA_REGS_H
#define PFX_ARCH_DATA_REGS_H

#include <stdint.h>

#define PFX_DATA_NR_REGS 32   /* DWARF numbers that are followed */
#define PFX_DATA_NO_REG  0xff /* there is none */

#define PFX_DATA_REG_NAMES 5 /* of one register and its parts, at most */

struct pfx_data_arch {
	const char *name; /* as uname calls the machine */
	uint8_t word;     /* bytes of an address */
	uint8_t sp, fp;   /* DWARF numbers; fp by convention only */
	uint8_t ret;      /* of the register that functions return an address in */
	int8_t entry_sp;  /* what sp is at a function's first instruction, from the canonical
			     frame address on */
	uint8_t canary;   /* a thread's own memory has the guard of the stack here; 0: elsewhere */
	uint32_t lost;    /* bits of the registers that a call may change */
	uint8_t nr_regs;
	const char *const (*names)[PFX_DATA_REG_NAMES]; /* by DWARF number: all of it, then parts
							 */
};

/* NULL: code for this machine is not followed. */
const struct pfx_data_arch *pfx_data_arch_find(const char *machine);
/* The DWARF number of the register called @name, and how many bytes of it that is; NO_REG: it is
 * not followed. */
uint8_t pfx_data_reg(const struct pfx_data_arch *arch, const char *name, uint8_t *ret_size);

#endif
