/* SPDX-License-Identifier: MIT */
/* The capstone library, loaded on first use. For *_with_capstone.c only. */
#ifndef PFX_SYM_DISASM_INTERNAL_H
#define PFX_SYM_DISASM_INTERNAL_H

#include <capstone/capstone.h>

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

#endif
