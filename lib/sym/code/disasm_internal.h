/* SPDX-License-Identifier: MIT */
/* The capstone library, loaded on first use. For *_with_capstone.c only. */
#ifndef PFX_SYM_DISASM_INTERNAL_H
#define PFX_SYM_DISASM_INTERNAL_H

#if __has_include(<capstone.h>) /* in the folder that pkg-config names, else another version's */
#include <capstone.h>
#else
#include <capstone/capstone.h>
#endif

#include "sym/code/disasm.h"

struct pfx_capstone {
	__typeof__(&cs_open) open;
	__typeof__(&cs_close) close;
	__typeof__(&cs_option) option;
	__typeof__(&cs_malloc) malloc;
	__typeof__(&cs_free) free;
	__typeof__(&cs_disasm_iter) disasm_iter;
	__typeof__(&cs_insn_group) insn_group;
	__typeof__(&cs_regs_access) regs_access;
	__typeof__(&cs_reg_name) reg_name;
};

/* NULL: not installed. */
const struct pfx_capstone *pfx_capstone(void);

/* What the code before an instruction says about its operands: pages whose addresses are in
 * registers of arm64, in code that runs straight on. */
struct pfx_operand_state {
	bool is_64bit, is_thumb;
	uint32_t known; /* pages: a bit for each register */
	uint64_t at[29];
	uint64_t from[29]; /* address of the instruction that sets it */
	uint64_t next;     /* address of the next instruction */
};

/* The address of the data that the instruction uses: sets the members data, takes_address, has_page
 * and page_from. False: unknown. Call it for each instruction in order. */
bool pfx_operand_data(const cs_insn *insn, cs_arch arch, struct pfx_operand_state *state,
		      struct pfx_insn *ret);
/* The kind of the numbers there, for an instruction with such an address. */
void pfx_operand_value(const cs_insn *insn, cs_arch arch, struct pfx_insn *ret);

#endif
