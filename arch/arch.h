/* SPDX-License-Identifier: MIT */
/*
 * What differs between CPUs: one row (struct pfx_arch) for each kind of machine, in a file a CPU.
 * Rows are constant and all of them are in every build; a row is chosen by the machine that a
 * recording or an ELF file names. What depends on the CPU that pfx itself was built for is the row
 * of pfx_arch_host() and arch/cpuid.h. Documentation/extending.md has the steps to add a CPU.
 */
#ifndef PFX_ARCH_ARCH_H
#define PFX_ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- unwinding --- */

#define PFX_UNWIND_NR_REGS 72   /* DWARF numbers below this are followed */
#define PFX_UNWIND_NO_REG  0xff /* there is no such register */

/* How registers in samples are numbered in DWARF, which of them are special, and what a frame looks
 * like where there is no unwind information. */
struct pfx_unwind_arch {
	const char *name;   /* for messages */
	uint16_t e_machine; /* of ELF files for it */
	uint8_t word;       /* bytes of an address: 4 or 8 */
	uint8_t sp, fp, ra; /* DWARF numbers; ra: the register with the return address of a leaf,
			       NO_REG where calls push it */
	uint8_t pc;         /* DWARF number of the program counter, NO_REG: it has none */
	uint8_t sample_pc;  /* number of the program counter in samples */
	uint8_t nr_sample;  /* entries of to_dwarf */
	const uint8_t *to_dwarf; /* by number in samples; NO_REG: not followed */
	bool has_exidx;          /* programs may have ARM's own unwind tables, arm_exidx.h */
	uint64_t pc_mask;        /* bits of a return address that are address */
	/* Return addresses may be signed: the numbers of bits that a kernel can give the addresses
	 * of programs, fewest first, 0 at the end; the bits above hold the signature. NULL: no
	 * return address is signed. */
	const uint8_t *address_bits;
	int16_t cfa_bias; /* canonical frame address minus the caller's stack pointer */
	/* A frame without unwind information: [fp + fp_ra] is the return address, [fp + fp_fp] the
	 * caller's frame pointer, fp + fp_sp the caller's stack pointer. fp_ra 0: there is no such
	 * convention. */
	int8_t fp_ra, fp_fp, fp_sp;
	/* The frame that the kernel leaves for a signal handler, where the code that returns from
	 * it is the vdso's: offsets from sp of the program counter, of the registers with DWARF
	 * numbers from signal_first on, and of the stack pointer. signal_pc 0: not needed. */
	uint16_t signal_pc, signal_regs, signal_sp;
	uint8_t signal_first, signal_nr;
	bool signal_down;    /* the numbers decrease from signal_first */
	uint16_t signal_alt; /* a second kind of frame has all of it this much higher; 0: there is
				no second kind */
	/* The vdso's code that enters the kernel has pushed this many bytes below its return
	 * address, the frame pointer last. 0: it does not change the stack. */
	uint8_t vsyscall_ra;
};

/* --- data types of memory accesses --- */

#define PFX_DATA_NR_REGS   32   /* DWARF numbers below this are followed */
#define PFX_DATA_NO_REG    0xff /* there is no such register */
#define PFX_DATA_REG_NAMES 5    /* of one register and its parts, at most */

/* What following pointers through code needs: how the registers that disassemblers name are
 * numbered in DWARF, and which of them a call keeps. */
struct pfx_data_arch {
	const char *name; /* for messages */
	uint8_t word;     /* bytes of an address */
	uint8_t sp, fp;   /* DWARF numbers; fp by convention only */
	uint8_t ret;      /* of the register that functions return an address in */
	int8_t entry_sp;  /* sp at a function's first instruction, minus the canonical frame
			     address */
	uint8_t canary;   /* offset of the stack guard in a thread's own memory; 0: elsewhere */
	uint32_t lost;    /* one bit for each register that a call may change */
	uint8_t nr_regs;
	/* By DWARF number: the whole register, its lower half, then smaller parts. */
	const char *const (*names)[PFX_DATA_REG_NAMES];
};

/* --- ELF files --- */

/* A procedure linkage table, from where an entry may begin. */
struct pfx_plt_code {
	const uint8_t *at;
	size_t size;
	uint64_t addr;       /* of the first byte */
	uint64_t got;        /* address of .got.plt */
	uint64_t entry_size; /* of the section, 0 unknown */
};

struct pfx_plt_entry {
	bool by_index; /* `slot` is the number of its relocation, not an address */
	uint64_t slot; /* address of the word it jumps through */
	uint32_t size; /* bytes of code, at least */
};

/* Everything is zero where a CPU does the usual thing. */
struct pfx_elf_arch {
	/* Whether a symbol marks a kind of bytes ("$x") or is a label of the assembler, and so
	 * names no code. */
	bool (*is_marker)(const char *name);
	bool has_thumb_bit; /* bit 0 of a function's address chooses the instruction set */
	/* Whether, in files with these e_flags, the values of functions point into ".opd", which
	 * has their addresses. */
	bool (*has_descriptors)(uint32_t e_flags);
	uint32_t irelative; /* relocation type with a resolver function in its addend */
	/* Whether a linkage table entry begins here, and which one. */
	bool (*decode_plt)(const struct pfx_plt_code *code, struct pfx_plt_entry *ret);
	uint8_t plt_step; /* with decode_plt: bytes between places where an entry may begin */
	/* Without decode_plt: bytes before the first entry and of each entry, 0: not fixed. */
	uint8_t plt_header, plt_entry;
};

/* --- recording --- */

/* Masks for attr.sample_regs_user and attr.sample_regs_intr, by number in samples; all 0 where the
 * kernel copies no registers. */
struct pfx_arch_masks {
	uint64_t user;   /* all that an unwinder may need */
	uint64_t vector; /* larger registers that some CPUs show at an interrupt */
	uint64_t leaf;   /* the return address of a function that makes no frame: without it a
			    chain of frame pointers lacks the caller of a leaf */
	uint64_t frame;  /* instruction and stack pointer: a stack dump is useless without them */
};

/* --- a row --- */

struct pfx_arch {
	const char *name; /* as uname calls it ("x86_64"); unique */
	/* How uname's names of these machines begin, and other names in use; NULL at the end. Where
	 * names of several rows fit, the longest one decides. */
	const char *const *names;
	uint16_t e_machine; /* of ELF files; EM_NONE: files have that of `narrow` */
	uint8_t word;       /* bytes of an address of the kernel: 4 or 8 */
	bool has_dies;      /* between package and core */
	const char *events; /* the CPU's folder in pmu-events; NULL: vendors publish none */
	/* The machine of 32-bit programs that run on this kernel; NULL: there are none. */
	const struct pfx_arch *narrow;
	/* Names of the registers in samples, by the number in the kernel's perf_regs.h of this CPU.
	 * A register of several words has its name at each; NULL: a gap. */
	const char *const *reg_names;
	uint8_t nr_reg_names;
	const struct pfx_unwind_arch *unwind; /* NULL: stack dumps cannot be unwound */
	const struct pfx_data_arch *data;     /* NULL: code is not followed */
	struct pfx_elf_arch elf;
	struct pfx_arch_masks masks;
	/* The CPUID feature of the running CPU, from files below @root ("" or a directory); NULL:
	 * the name of the model is all there is. */
	bool (*cpuid)(const char *root, char *out, size_t size);
};

/* Row number @i of all rows, NULL after the last. The order has no meaning. */
const struct pfx_arch *pfx_arch_at(size_t i);
/* By name as uname or a recording has it ("armv7l"); NULL for NULL and for unknown ones. */
const struct pfx_arch *pfx_arch_find(const char *machine);
/* By ELF's e_machine; of 64-bit and 32-bit machines with the same number the 64-bit one. NULL
 * unknown. */
const struct pfx_arch *pfx_arch_of_elf(uint32_t e_machine);
/* The machine that pfx was built for; NULL unknown. */
const struct pfx_arch *pfx_arch_host(void);

/* --- what is read from rows; the row may be NULL: unknown --- */

/* The name of bit @bit of a register mask on a machine as uname calls it; NULL: unknown. */
const char *pfx_arch_reg_name(const char *machine, unsigned bit);

/* Masks of the host. */
uint64_t pfx_arch_host_user_regs(void);
uint64_t pfx_arch_host_vector_regs(void);
uint64_t pfx_arch_host_leaf_regs(void);
uint64_t pfx_arch_host_frame_regs(void);

/* @machine as uname calls it; @abi of the sample's registers: 1 32-bit, 2 64-bit. NULL: such
 * programs cannot be unwound. */
const struct pfx_unwind_arch *pfx_unwind_arch_find(const char *machine, uint64_t abi);
/* The bits of a return address that are address, in a process whose highest map ends at @top. A
 * recording does not say how many bits its kernel used; with as few as all maps need, the
 * signatures of all their addresses are removed. */
uint64_t pfx_unwind_pc_mask(const struct pfx_unwind_arch *arch, uint64_t top);
/* A return address without its signature; @mask is of pfx_unwind_pc_mask(). */
uint64_t pfx_unwind_strip(const struct pfx_unwind_arch *arch, uint64_t mask, uint64_t value);
/* The name of the machine for a number of ELF's e_machine; NULL unknown. */
const char *pfx_unwind_machine_name(uint32_t e_machine);
/* The reverse, for its 64-bit programs where it has any; 0 unknown. */
uint16_t pfx_unwind_machine_number(const char *machine);

/* NULL: code for this machine is not followed. */
const struct pfx_data_arch *pfx_data_arch_find(const char *machine);
/* The DWARF number of the register called @name, and how many bytes of it that is; NO_REG: it is
 * not followed. */
uint8_t pfx_data_reg(const struct pfx_data_arch *arch, const char *name, uint8_t *ret_size);

bool pfx_elfsym_is_marker(const struct pfx_arch *arch, const char *name);
/* The address of a function whose symbol has @value: without the bit that means Thumb. */
uint64_t pfx_elfsym_code_address(const struct pfx_arch *arch, uint64_t value);
bool pfx_elfsym_has_descriptors(const struct pfx_arch *arch, uint32_t e_flags);
bool pfx_elfsym_is_irelative(const struct pfx_arch *arch, uint32_t type);
bool pfx_plt_decode(const struct pfx_arch *arch, const struct pfx_plt_code *code,
		    struct pfx_plt_entry *ret);
/* 0: entries of this machine cannot be decoded. */
uint32_t pfx_plt_step(const struct pfx_arch *arch);
/* Both 0 where they are not fixed. */
void pfx_plt_layout(const struct pfx_arch *arch, uint32_t *ret_header, uint32_t *ret_entry);

#endif
