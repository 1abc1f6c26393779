/* SPDX-License-Identifier: MIT */
/*
 * What an unwinder must know of a CPU, by the machine that was recorded, never by the host: how the
 * registers of a sample are numbered in DWARF, which of them are special, what a frame looks like
 * where there are no tables.
 */
#ifndef PFX_ARCH_UNWIND_REGS_H
#define PFX_ARCH_UNWIND_REGS_H

#include <stdbool.h>
#include <stdint.h>

#define PFX_UNWIND_NR_REGS 72   /* DWARF numbers that are followed */
#define PFX_UNWIND_NO_REG  0xff /* there is none */

struct pfx_unwind_arch {
	const char *name;
	uint8_t word;       /* bytes of an address: 4 or 8 */
	uint8_t sp, fp, ra; /* DWARF numbers; ra: the register with the return address of a leaf,
			       NO_REG where calls push it */
	uint8_t pc;         /* DWARF number of the program counter, NO_REG: it has none */
	uint8_t sample_pc;  /* number of the program counter in samples */
	uint8_t nr_sample;  /* entries of to_dwarf */
	const uint8_t *to_dwarf; /* by number in samples; NO_REG: not followed */
	bool has_exidx;          /* programs may have ARM's own unwind tables, arm_exidx.h */
	uint64_t pc_mask;        /* bits of a return address that are address */
	/* Return addresses may be signed: the bits that a kernel can give the addresses of
	 * programs, fewest first, 0 at the end; those above hold the signature. NULL: none is. */
	const uint8_t *address_bits;
	int16_t cfa_bias; /* the canonical frame address is so far above the caller's sp */
	/* A frame without tables: [fp + fp_ra] is the return address, [fp + fp_fp] the caller's
	 * frame pointer, fp + fp_sp the caller's stack pointer. fp_sp 0: no such convention. */
	int8_t fp_ra, fp_fp, fp_sp;
	/* The frame that the kernel leaves for a signal handler, where the code that returns from
	 * it is the vdso's: offsets from sp of the program counter, of the registers with DWARF
	 * numbers from signal_first on, and of the stack pointer. signal_pc 0: not needed. */
	uint16_t signal_pc, signal_regs, signal_sp;
	uint8_t signal_first, signal_nr;
	bool signal_down;    /* their numbers go down from signal_first */
	uint16_t signal_alt; /* a second kind of frame has all of it so much higher; 0: there is
				none */
	/* The code of the vdso that enters the kernel has pushed this much below its return
	 * address, the frame pointer last. 0: it leaves the stack alone. */
	uint8_t vsyscall_ra;
};

/* @machine as uname calls it ("x86_64"; NULL unknown); @abi of the sample's registers: 1 32-bit,
 * 2 64-bit. NULL: this machine cannot be unwound. */
const struct pfx_unwind_arch *pfx_unwind_arch_find(const char *machine, uint64_t abi);
/* The bits of a return address that are address, in a process whose highest map ends at @top: the
 * recording does not say how many the kernel had, and signed addresses of any map come out right
 * with as few as all maps need. */
uint64_t pfx_unwind_pc_mask(const struct pfx_unwind_arch *arch, uint64_t top);
/* A return address without its signature; @mask is of pfx_unwind_pc_mask(). */
uint64_t pfx_unwind_strip(const struct pfx_unwind_arch *arch, uint64_t mask, uint64_t value);
/* The name of the machine for a number of ELF's e_machine; NULL unknown. */
const char *pfx_unwind_machine_name(uint32_t e_machine);

#endif
