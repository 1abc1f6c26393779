/* SPDX-License-Identifier: MIT */
/*
 * What differs between CPUs: one row (struct pfx_arch) for each kind of machine, in one file per
 * CPU. Rows are constant and part of every build; a row is chosen by the machine that a recording
 * or an ELF file names. The CPU that pfx was built for is only used by pfx_arch_host() and
 * arch/cpuid.h. Documentation/extending.md describes how to add a CPU.
 */
#ifndef PFX_ARCH_ARCH_H
#define PFX_ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- unwinding --- */

#define PFX_UNWIND_NR_REGS 72   /* DWARF numbers below this are tracked */
#define PFX_UNWIND_NO_REG  0xff /* no such register */

/* The DWARF numbers of registers in samples, registers with a special role, and the frame layout
 * without unwind information. */
struct pfx_unwind_arch {
	const char *name;   /* for messages */
	uint16_t e_machine; /* of its ELF files */
	uint8_t word;       /* bytes of an address: 4 or 8 */
	uint8_t sp, fp, ra; /* DWARF numbers; ra: the link register, NO_REG where calls push the
			       return address */
	uint8_t pc;         /* DWARF number of the program counter, NO_REG: none */
	uint8_t sample_pc;  /* number of the program counter in samples */
	uint8_t nr_sample;  /* entries of to_dwarf */
	const uint8_t *to_dwarf; /* by number in samples; NO_REG: not tracked */
	bool has_exidx;          /* programs may have ARM unwind tables, see arm_exidx.h */
	uint64_t pc_mask;        /* address bits of a return address */
	/* For signed return addresses (pointer authentication): the possible numbers of address
	 * bits in user space, in ascending order, ends with 0; the bits above contain the
	 * signature. NULL: return addresses are not signed. */
	const uint8_t *address_bits;
	int16_t cfa_bias; /* canonical frame address minus the caller's stack pointer */
	/* A frame without unwind information: [fp + fp_ra] is the return address, [fp + fp_fp] the
	 * caller's frame pointer, fp + fp_sp the caller's stack pointer. fp_ra 0: no such
	 * convention. */
	int8_t fp_ra, fp_fp, fp_sp;
	/* The signal frame of the kernel, where the signal trampoline is in the vdso: offsets from
	 * sp of the program counter, of the registers with DWARF numbers from signal_first, and of
	 * the stack pointer. signal_pc 0: not needed. */
	uint16_t signal_pc, signal_regs, signal_sp;
	uint8_t signal_first, signal_nr;
	bool signal_down;    /* the numbers decrease from signal_first */
	uint16_t signal_alt; /* distance to the fields of a second kind of signal frame; 0: only one
				kind */
	/* The vdso's system call code pushes this many bytes below its return address, the frame
	 * pointer last. 0: it does not change the stack. */
	uint8_t vsyscall_ra;
	/* Functions may save registers below the stack pointer: the red zone of a psABI. */
	bool has_red_zone;
	/* Whether these next @size bytes of a function lead to its return, and change no registers
	 * but those that they pop: all others have the caller's values. NULL: unknown. */
	bool (*returns)(const uint8_t *code, size_t size);
};

/* --- data types of memory accesses --- */

#define PFX_DATA_NR_REGS   32   /* DWARF numbers below this are tracked */
#define PFX_DATA_NO_REG    0xff /* no such register */
#define PFX_DATA_REG_NAMES 5    /* maximum number of names of a register and its parts */

/* For following pointers through code: the DWARF numbers of the disassembler's registers, and the
 * registers that calls preserve. */
struct pfx_data_arch {
	const char *name; /* for messages */
	uint8_t word;     /* bytes of an address */
	uint8_t sp, fp;   /* DWARF numbers; fp by convention only */
	uint8_t ret;      /* register of returned addresses */
	int8_t entry_sp;  /* sp at a function's first instruction, minus the canonical frame
			     address */
	uint8_t canary;   /* offset of the stack canary in thread-local memory; 0: elsewhere */
	uint32_t lost;    /* bit mask of registers that a call may change */
	uint8_t nr_regs;
	/* By DWARF number: the whole register, its lower half, then smaller parts. */
	const char *const (*names)[PFX_DATA_REG_NAMES];
};

/* --- ELF files --- */

/* The code of a PLT, from a possible start of an entry. */
struct pfx_plt_code {
	const uint8_t *at;
	size_t size;
	uint64_t addr;       /* of the first byte */
	uint64_t got;        /* address of .got.plt */
	uint64_t entry_size; /* of the section header, 0 unknown */
};

struct pfx_plt_entry {
	bool by_index; /* `slot` is the index of the relocation, not an address */
	uint64_t slot; /* address of the GOT slot */
	uint32_t size; /* minimum size of the code in bytes */
};

/* Fields are zero for the usual behavior. */
struct pfx_elf_arch {
	/* Whether a symbol is a mapping symbol ("$x") or an assembler label, not a name of code. */
	bool (*is_marker)(const char *name);
	bool has_thumb_bit; /* bit 0 of a function's address selects the instruction set */
	/* Whether, with these e_flags, function symbols refer to descriptors in ".opd", which
	 * contain the addresses. */
	bool (*has_descriptors)(uint32_t e_flags);
	uint32_t irelative; /* relocation type whose addend is an IFUNC resolver */
	/* Whether a PLT entry begins here, and for which slot. */
	bool (*decode_plt)(const struct pfx_plt_code *code, struct pfx_plt_entry *ret);
	uint8_t plt_step; /* with decode_plt: distance between possible starts of entries */
	/* Without decode_plt: bytes of the PLT header and of each entry, 0: not fixed. */
	uint8_t plt_header, plt_entry;
};

/* --- recording --- */

/* Masks for attr.sample_regs_user and attr.sample_regs_intr, by number in samples; all 0 if the
 * kernel does not sample registers. */
struct pfx_arch_masks {
	uint64_t user;   /* all that unwinding may need */
	uint64_t vector; /* vector registers that some CPUs support for attr.sample_regs_intr */
	uint64_t leaf;   /* the link register: frame pointer chains need it for the caller of a leaf
			    function */
	uint64_t frame;  /* instruction pointer and stack pointer, which stack dumps need */
};

/* --- a row --- */

struct pfx_arch {
	const char *name; /* as in uname ("x86_64"); unique */
	/* Prefixes of these machines' names in uname, and other names in use; ends with NULL. If
	 * several rows match, the longest prefix wins. */
	const char *const *names;
	uint16_t e_machine; /* of ELF files; EM_NONE: the same as in `narrow` */
	uint8_t word;       /* bytes of a kernel address: 4 or 8 */
	bool has_dies;      /* between package and core */
	const char *events; /* the CPU's directory in pmu-events; NULL: vendors publish no events */
	/* The machine of 32-bit programs on this kernel; NULL: none. */
	const struct pfx_arch *narrow;
	/* Names of the registers in samples, by number in the kernel's perf_regs.h for this CPU. A
	 * register of several words has its name at each word; NULL: unused number. */
	const char *const *reg_names;
	uint8_t nr_reg_names;
	const struct pfx_unwind_arch *unwind; /* NULL: stack dumps cannot be unwound */
	const struct pfx_data_arch *data;     /* NULL: data types are not supported */
	struct pfx_elf_arch elf;
	struct pfx_arch_masks masks;
	/* The CPUID header feature of the running CPU, from files below @root ("" or a directory);
	 * NULL: only the model name is available. */
	bool (*cpuid)(const char *root, char *out, size_t size);
};

/* Row number @i of all rows, NULL after the last. The order has no meaning. */
const struct pfx_arch *pfx_arch_at(size_t i);
/* By name as in uname or a recording ("armv7l"); NULL for NULL and for unknown names. */
const struct pfx_arch *pfx_arch_find(const char *machine);
/* By ELF's e_machine; the 64-bit machine if a 32-bit one has the same number. NULL unknown. */
const struct pfx_arch *pfx_arch_of_elf(uint32_t e_machine);
/* The machine that pfx was built for; NULL unknown. */
const struct pfx_arch *pfx_arch_host(void);

/* --- accessors of rows; a NULL row means unknown --- */

/* The name of bit @bit of a register mask on a machine, named as in uname; NULL: unknown. */
const char *pfx_arch_reg_name(const char *machine, unsigned bit);

/* Masks of the host. */
uint64_t pfx_arch_host_user_regs(void);
uint64_t pfx_arch_host_vector_regs(void);
uint64_t pfx_arch_host_leaf_regs(void);
uint64_t pfx_arch_host_frame_regs(void);

/* @machine: as in uname; @abi: of the sample's registers, 1 32-bit, 2 64-bit. NULL: unwinding is
 * not supported. */
const struct pfx_unwind_arch *pfx_unwind_arch_find(const char *machine, uint64_t abi);
/* The address bits of a return address, in a process whose highest map ends at @top. Recordings do
 * not contain the number of address bits; the smallest possible number that covers all maps removes
 * the signatures of all their addresses. */
uint64_t pfx_unwind_pc_mask(const struct pfx_unwind_arch *arch, uint64_t top);
/* A return address without its signature; @mask: from pfx_unwind_pc_mask(). */
uint64_t pfx_unwind_strip(const struct pfx_unwind_arch *arch, uint64_t mask, uint64_t value);
/* The machine's name for an ELF e_machine; NULL unknown. */
const char *pfx_unwind_machine_name(uint32_t e_machine);
/* The reverse, of its 64-bit programs if it has both; 0 unknown. */
uint16_t pfx_unwind_machine_number(const char *machine);

/* NULL: not supported for this machine. */
const struct pfx_data_arch *pfx_data_arch_find(const char *machine);
/* The DWARF number of the register @name, and its size in bytes; NO_REG: not tracked. */
uint8_t pfx_data_reg(const struct pfx_data_arch *arch, const char *name, uint8_t *ret_size);

bool pfx_elfsym_is_marker(const struct pfx_arch *arch, const char *name);
/* The address of a function whose symbol has @value: without the Thumb bit. */
uint64_t pfx_elfsym_code_address(const struct pfx_arch *arch, uint64_t value);
bool pfx_elfsym_has_descriptors(const struct pfx_arch *arch, uint32_t e_flags);
bool pfx_elfsym_is_irelative(const struct pfx_arch *arch, uint32_t type);
bool pfx_plt_decode(const struct pfx_arch *arch, const struct pfx_plt_code *code,
		    struct pfx_plt_entry *ret);
/* 0: PLT entries of this machine cannot be decoded. */
uint32_t pfx_plt_step(const struct pfx_arch *arch);
/* Both 0 if they are not fixed. */
void pfx_plt_layout(const struct pfx_arch *arch, uint32_t *ret_header, uint32_t *ret_entry);

#endif
