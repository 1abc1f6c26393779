/* SPDX-License-Identifier: MIT */
/*
 * What kind of number an instruction reads at the address of its data: the operands say how many
 * bytes it has, and for vector and floating-point instructions only the mnemonic says what they
 * mean.
 */
#include <string.h>

#include "sym/code/disasm_internal.h"

static void set(struct pfx_insn *ret, enum pfx_numbers_kind kind, unsigned size, unsigned nr)
{
	bool is_known = size == 1 || size == 2 || size == 4 || size == 8;

	if (kind == PFX_NUMBERS_FLOAT)
		is_known = size == 4 || size == 8;
	if (!is_known || !nr || nr > PFX_NUMBERS_MAX)
		return;
	ret->value_kind = (uint8_t)kind;
	ret->value_size = (uint8_t)size;
	ret->nr_values = (uint8_t)nr;
}

/* --- x86 --- */

static bool begins(const char *word, const char *with)
{
	return !strncmp(word, with, strlen(with));
}

/* Bits of numbers, such as masks of signs. */
static bool is_logic(const char *name)
{
	return begins(name, "and") || begins(name, "or") || begins(name, "xor");
}

/* Moves of whole vectors say nothing of what is in them, integer instructions of vectors have the
 * same endings. */
static bool has_no_type(const char *name, bool is_packed)
{
	if (begins(name, "p"))
		return !begins(name, "permp");
	return is_packed && (begins(name, "mov") || begins(name, "lddq"));
}

/* SSE and AVX: ss, sd, ps and pd end the mnemonic. */
static void vector_value(const char *name, unsigned size, struct pfx_insn *ret)
{
	const char *end;
	bool is_packed;

	name += *name == 'v';
	if (begins(name, "cvt")) {
		name += strlen("cvt");
		name += *name == 't';
		end = name + 2; /* what is converted */
		if (begins(name, "si"))
			set(ret, PFX_NUMBERS_INTEGER, size, 1);
	} else {
		end = name + strlen(name);
	}
	if (end - name < 2 || (end[-2] != 's' && end[-2] != 'p') ||
	    (end[-1] != 's' && end[-1] != 'd'))
		return;
	is_packed = end[-2] == 'p';
	if (has_no_type(name, is_packed))
		return;
	set(ret, is_logic(name) ? PFX_NUMBERS_BITS : PFX_NUMBERS_FLOAT, end[-1] == 's' ? 4 : 8,
	    is_packed ? size / (end[-1] == 's' ? 4 : 8) : 1);
}

static bool is_x87(unsigned id)
{
	static const unsigned ids[] = {
		X86_INS_FLD,  X86_INS_FADD,  X86_INS_FMUL, X86_INS_FSUB,  X86_INS_FSUBR,
		X86_INS_FDIV, X86_INS_FDIVR, X86_INS_FCOM, X86_INS_FCOMP,
	};
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (id == ids[i])
			return true;
	return false;
}

static bool takes_integer(unsigned id)
{
	static const unsigned ids[] = {
		X86_INS_MOV, X86_INS_MOVZX, X86_INS_MOVSX, X86_INS_MOVSXD, X86_INS_CMP, X86_INS_ADD,
		X86_INS_SUB, X86_INS_IMUL,  X86_INS_TEST,  X86_INS_AND,    X86_INS_OR,  X86_INS_XOR,
	};
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (id == ids[i])
			return true;
	return false;
}

static void x86_value(const cs_insn *insn, struct pfx_insn *ret)
{
	const cs_x86 *x86 = &insn->detail->x86;
	unsigned i;

	for (i = 0; i < x86->op_count && x86->operands[i].type != X86_OP_MEM; i++)
		;
	if (i == x86->op_count)
		return;
	if (takes_integer(insn->id))
		set(ret, PFX_NUMBERS_INTEGER, x86->operands[i].size, 1);
	else if (is_x87(insn->id))
		set(ret, PFX_NUMBERS_FLOAT, x86->operands[i].size, 1);
	else
		vector_value(insn->mnemonic, x86->operands[i].size, ret);
}

/* --- others --- */

static void arm64_value(const cs_insn *insn, struct pfx_insn *ret)
{
	const cs_arm64_op *op = insn->detail->arm64.operands;

	if (insn->id == ARM64_INS_LDRSW)
		set(ret, PFX_NUMBERS_INTEGER, 4, 1);
	if (insn->id != ARM64_INS_LDR || op[0].type != ARM64_OP_REG)
		return;
	if (op[0].reg >= ARM64_REG_D0 && op[0].reg <= ARM64_REG_D31)
		set(ret, PFX_NUMBERS_FLOAT, 8, 1);
	else if (op[0].reg >= ARM64_REG_S0 && op[0].reg <= ARM64_REG_S31)
		set(ret, PFX_NUMBERS_FLOAT, 4, 1);
	else if (op[0].reg >= ARM64_REG_W0 && op[0].reg <= ARM64_REG_W30)
		set(ret, PFX_NUMBERS_INTEGER, 4, 1);
	else if (op[0].reg >= ARM64_REG_X0 && op[0].reg <= ARM64_REG_X28)
		set(ret, PFX_NUMBERS_INTEGER, 8, 1);
}

static void arm_value(const cs_insn *insn, struct pfx_insn *ret)
{
	const cs_arm_op *op = insn->detail->arm.operands;

	if (insn->id == ARM_INS_LDR)
		set(ret, PFX_NUMBERS_INTEGER, 4, 1);
	else if (insn->id == ARM_INS_VLDR && op[0].type == ARM_OP_REG)
		set(ret, PFX_NUMBERS_FLOAT,
		    op[0].reg >= ARM_REG_S0 && op[0].reg <= ARM_REG_S31 ? 4 : 8, 1);
}

static void s390_value(const cs_insn *insn, struct pfx_insn *ret)
{
	if (insn->id == SYSZ_INS_LGRL)
		set(ret, PFX_NUMBERS_INTEGER, 8, 1);
	else if (insn->id == SYSZ_INS_LRL || insn->id == SYSZ_INS_LGFRL ||
		 insn->id == SYSZ_INS_LLGFRL)
		set(ret, PFX_NUMBERS_INTEGER, 4, 1);
}

void pfx_operand_value(const cs_insn *insn, cs_arch arch, struct pfx_insn *ret)
{
	if (ret->takes_address)
		return;
	if (arch == CS_ARCH_X86)
		x86_value(insn, ret);
	else if (arch == CS_ARCH_ARM64)
		arm64_value(insn, ret);
	else if (arch == CS_ARCH_ARM)
		arm_value(insn, ret);
	else if (arch == CS_ARCH_SYSZ)
		s390_value(insn, ret);
}
