/* SPDX-License-Identifier: MIT */
/*
 * The address of the data that an instruction uses, where it follows from the code alone. arm64
 * makes most addresses in two steps, the page and the offset in it: the pages that registers have
 * are tracked from one instruction to the next.
 */
#include <string.h>

#include "sym/code/disasm_internal.h"

#define NR_PAGE_REGS  29          /* x0 to x28 */
#define CALL_CLOBBERS 0x0007ffffu /* x0 to x18 are the callee's */
#define ARM_AHEAD     8           /* from an instruction to what it reads from its pc */
#define THUMB_AHEAD   4

/* --- x86 --- */

/* A number that programs which run at fixed addresses use as the address of a function or of
 * data. */
static bool x86_number(const cs_insn *insn, bool is_64bit, struct pfx_insn *ret)
{
	const cs_x86 *x86 = &insn->detail->x86;
	unsigned i;

	if (insn->id != X86_INS_MOV && insn->id != X86_INS_MOVABS && insn->id != X86_INS_CMP &&
	    insn->id != X86_INS_PUSH)
		return false;
	for (i = 0; i < x86->op_count; i++) {
		if (x86->operands[i].type != X86_OP_IMM || !x86->operands[i].imm)
			continue;
		ret->data =
			is_64bit ? (uint64_t)x86->operands[i].imm : (uint32_t)x86->operands[i].imm;
		ret->takes_address = ret->is_number = true;
		return true;
	}
	return false;
}

static bool x86_data(const cs_insn *insn, bool is_64bit, struct pfx_insn *ret)
{
	const cs_x86 *x86 = &insn->detail->x86;
	const x86_op_mem *mem;
	unsigned i;

	for (i = 0; i < x86->op_count; i++) {
		mem = &x86->operands[i].mem;
		if (x86->operands[i].type != X86_OP_MEM || mem->index != X86_REG_INVALID)
			continue;
		if (mem->base == X86_REG_RIP)
			ret->data = insn->address + insn->size + (uint64_t)mem->disp;
		else if (!is_64bit && mem->base == X86_REG_INVALID &&
			 mem->segment == X86_REG_INVALID)
			ret->data = (uint32_t)mem->disp;
		else
			continue;
		ret->takes_address = insn->id == X86_INS_LEA;
		ret->is_relative = mem->base == X86_REG_RIP;
		return true;
	}
	return x86_number(insn, is_64bit, ret);
}

/* --- arm64 --- */

/* The number of a 64-bit or 32-bit register; NR_PAGE_REGS: another one. */
static unsigned page_reg(unsigned reg)
{
	if (reg >= ARM64_REG_X0 && reg < ARM64_REG_X0 + NR_PAGE_REGS)
		return reg - ARM64_REG_X0;
	if (reg >= ARM64_REG_W0 && reg < ARM64_REG_W0 + NR_PAGE_REGS)
		return reg - ARM64_REG_W0;
	return NR_PAGE_REGS;
}

static bool has_page(const struct pfx_operand_state *state, unsigned reg, unsigned *ret)
{
	*ret = page_reg(reg);
	return *ret < NR_PAGE_REGS && state->known >> *ret & 1;
}

/* An address from a page and the offset in this instruction: add, or the memory that it accesses.
 */
static bool page_data(const cs_insn *insn, const struct pfx_operand_state *state,
		      struct pfx_insn *ret)
{
	const cs_arm64 *arm = &insn->detail->arm64;
	const cs_arm64_op *op = arm->operands;
	int64_t offset = 0;
	unsigned i, reg;

	if (insn->id == ARM64_INS_ADD && arm->op_count == 3 && op[1].type == ARM64_OP_REG &&
	    op[2].type == ARM64_OP_IMM && has_page(state, op[1].reg, &reg)) {
		ret->takes_address = true;
		offset = op[2].imm << (op[2].shift.type == ARM64_SFT_LSL ? op[2].shift.value : 0);
	} else {
		for (i = 0; i < arm->op_count && op[i].type != ARM64_OP_MEM; i++)
			;
		if (i == arm->op_count || arm->writeback || op[i].mem.index != ARM64_REG_INVALID ||
		    !has_page(state, op[i].mem.base, &reg))
			return false;
		offset = op[i].mem.disp;
	}
	ret->data = state->at[reg] + (uint64_t)offset;
	ret->page_from = state->from[reg];
	ret->has_page = true;
	return true;
}

static bool arm64_data(const cs_insn *insn, const struct pfx_operand_state *state,
		       struct pfx_insn *ret)
{
	const cs_arm64 *arm = &insn->detail->arm64;
	bool is_literal = insn->id == ARM64_INS_LDR || insn->id == ARM64_INS_LDRSW;

	ret->takes_address = insn->id == ARM64_INS_ADR;
	if (insn->id != ARM64_INS_ADR && insn->id != ARM64_INS_ADRP && !is_literal)
		return page_data(insn, state, ret);
	if (arm->op_count != 2 || arm->operands[1].type != ARM64_OP_IMM)
		return page_data(insn, state, ret);
	ret->data = (uint64_t)arm->operands[1].imm;
	return true;
}

/* The pages after this instruction. */
static void follow_pages(const cs_insn *insn, uint8_t flow, struct pfx_operand_state *state)
{
	const cs_arm64 *arm = &insn->detail->arm64;
	unsigned i, reg;

	for (i = 0; i < arm->op_count; i++)
		if (arm->operands[i].type == ARM64_OP_REG && arm->operands[i].access != CS_AC_READ)
			state->known &= ~(1u << page_reg(arm->operands[i].reg));
	if (arm->writeback)
		state->known = 0;
	if (flow == PFX_FLOW_CALL)
		state->known &= ~CALL_CLOBBERS;
	else if (flow == PFX_FLOW_JUMP || flow == PFX_FLOW_RETURN)
		state->known = 0;
	state->next = insn->address + insn->size;
	if (insn->id != ARM64_INS_ADRP || arm->op_count != 2 ||
	    arm->operands[0].type != ARM64_OP_REG || arm->operands[1].type != ARM64_OP_IMM)
		return;
	reg = page_reg(arm->operands[0].reg);
	if (reg == NR_PAGE_REGS)
		return;
	state->known |= 1u << reg;
	state->at[reg] = (uint64_t)arm->operands[1].imm;
	state->from[reg] = insn->address;
}

/* --- others --- */

/* A constant after the code, which 32-bit arm code loads relative to its pc. */
static bool arm_data(const cs_insn *insn, bool is_thumb, struct pfx_insn *ret)
{
	const cs_arm *arm = &insn->detail->arm;

	if ((insn->id != ARM_INS_LDR && insn->id != ARM_INS_VLDR) || arm->op_count != 2 ||
	    arm->operands[1].type != ARM_OP_MEM || arm->operands[1].mem.base != ARM_REG_PC ||
	    arm->operands[1].mem.index != ARM_REG_INVALID)
		return false;
	ret->data = ((insn->address + (is_thumb ? THUMB_AHEAD : ARM_AHEAD)) & ~3ull) +
		    (uint64_t)arm->operands[1].mem.disp;
	ret->data &= UINT32_MAX;
	return true;
}

static bool s390_data(const cs_insn *insn, struct pfx_insn *ret)
{
	const cs_sysz *sysz = &insn->detail->sysz;

	switch (insn->id) {
	case SYSZ_INS_LARL:
		ret->takes_address = true;
		break;
	case SYSZ_INS_LRL:
	case SYSZ_INS_LGRL:
	case SYSZ_INS_LGFRL:
	case SYSZ_INS_LLGFRL:
	case SYSZ_INS_STRL:
	case SYSZ_INS_STGRL:
		break;
	default:
		return false;
	}
	if (sysz->op_count != 2 || sysz->operands[1].type != SYSZ_OP_IMM)
		return false;
	ret->data = (uint64_t)sysz->operands[1].imm;
	return true;
}

bool pfx_operand_data(const cs_insn *insn, cs_arch arch, struct pfx_operand_state *state,
		      struct pfx_insn *ret)
{
	bool found;

	switch (arch) {
	case CS_ARCH_X86:
		return x86_data(insn, state->is_64bit, ret);
	case CS_ARCH_ARM64:
		if (insn->address != state->next)
			state->known = 0;
		found = arm64_data(insn, state, ret);
		follow_pages(insn, ret->flow, state);
		return found;
	case CS_ARCH_ARM:
		return arm_data(insn, state->is_thumb, ret);
	case CS_ARCH_SYSZ:
		return s390_data(insn, ret);
	default:
		return false;
	}
}
