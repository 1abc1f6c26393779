/* SPDX-License-Identifier: MIT */
/*
 * Makes operations from capstone's output: operands and changed registers. x86 operands are in
 * Intel order, the destination first. Does not use types.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86_vector.h"
#include "base/alloc.h"
#include "sym/code/decode.h"
#include "sym/code/disasm_internal.h"

#define ARM64_WORD 8
#define REGS_MAX   512 /* register numbers of capstone */

/* One of capstone's registers. */
struct reg {
	bool known;
	uint8_t dwarf, size;
};

struct pfx_decoder {
	const struct pfx_capstone *library;
	const struct pfx_data_arch *arch;
	csh handle;
	cs_insn *insn;
	bool is_arm64, is_64bit;
	struct reg regs[REGS_MAX];
};

int pfx_decoder_new(struct pfx_decoder **ret, const struct pfx_data_arch *arch,
		    struct pfx_error *err)
{
	const struct pfx_capstone *library = pfx_capstone();
	bool is_arm64 = !strcmp(arch->name, "arm64");
	struct pfx_decoder *decoder;
	csh handle;
	int mode = arch->word == 8 ? CS_MODE_64 : CS_MODE_32;

	if (!library)
		return pfx_error_set(err, ENOTSUP,
				     "the library for disassembly (capstone %d) is not installed",
				     CS_API_MAJOR);
	if (library->open(is_arm64 ? CS_ARCH_ARM64 : CS_ARCH_X86,
			  is_arm64 ? CS_MODE_ARM : (cs_mode)mode, &handle) != CS_ERR_OK)
		return pfx_error_set(err, ENOTSUP, "there is no disassembler for machine '%s'",
				     arch->name);
	library->option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	decoder = pfx_calloc(1, sizeof(*decoder));
	decoder->library = library;
	decoder->arch = arch;
	decoder->handle = handle;
	decoder->insn = library->malloc(handle);
	decoder->is_arm64 = is_arm64;
	decoder->is_64bit = arch->word == 8;
	*ret = decoder;
	return 0;
}

void pfx_decoder_free(struct pfx_decoder *decoder)
{
	if (!decoder)
		return;
	decoder->library->free(decoder->insn, 1);
	decoder->library->close(&decoder->handle);
	free(decoder);
}

static struct reg reg_of(struct pfx_decoder *decoder, unsigned number)
{
	const char *name;
	struct reg *reg;

	if (!number || number >= REGS_MAX)
		return (struct reg){true, PFX_DATA_NO_REG, 0};
	reg = &decoder->regs[number];
	if (!reg->known) {
		reg->known = true;
		name = decoder->library->reg_name(decoder->handle, number);
		reg->dwarf = name ? pfx_data_reg(decoder->arch, name, &reg->size) : PFX_DATA_NO_REG;
	}
	return *reg;
}

static bool in_group(const struct pfx_decoder *decoder, unsigned group)
{
	return decoder->library->insn_group(decoder->handle, decoder->insn, group);
}

/* The tracked register if @number is all of it, else NO_REG. */
static uint8_t whole(struct pfx_decoder *decoder, unsigned number)
{
	struct reg reg = reg_of(decoder, number);

	return reg.size == decoder->arch->word ? reg.dwarf : PFX_DATA_NO_REG;
}

static void note_writes(struct pfx_decoder *decoder, struct pfx_op *op)
{
	cs_regs reads, writes;
	uint8_t nr_reads = 0, nr_writes = 0, i;
	struct reg reg;

	if (decoder->library->regs_access(decoder->handle, decoder->insn, reads, &nr_reads, writes,
					  &nr_writes) != CS_ERR_OK) {
		op->writes = UINT32_MAX;
		return;
	}
	for (i = 0; i < nr_writes; i++) {
		reg = reg_of(decoder, writes[i]);
		if (reg.dwarf != PFX_DATA_NO_REG)
			op->writes |= 1u << reg.dwarf;
	}
}

/* The kind implies the change of the stack pointer: it is not set in `writes`. */
static void set_stack(const struct pfx_decoder *decoder, struct pfx_op *op, enum pfx_op_kind kind)
{
	op->kind = kind;
	op->is_stack = true;
	op->writes &= ~(1u << decoder->arch->sp);
}

/* --- x86 --- */

static void x86_memory(struct pfx_decoder *decoder, const cs_x86_op *from, struct pfx_op *op)
{
	const x86_op_mem *mem = &from->mem;
	struct pfx_op_memory *to = &op->memory;

	op->has_memory = true;
	to->size = from->size;
	to->is_written = from->access & CS_AC_WRITE;
	to->is_thread = mem->segment == X86_REG_FS || mem->segment == X86_REG_GS;
	to->disp = mem->disp;
	to->scale = (uint8_t)mem->scale;
	to->has_index = mem->index != X86_REG_INVALID && mem->index != X86_REG_RIZ &&
			mem->index != X86_REG_EIZ;
	to->index = to->has_index ? whole(decoder, mem->index) : PFX_DATA_NO_REG;
	to->base = PFX_DATA_NO_REG;
	if (mem->base == X86_REG_RIP)
		to->disp += (int64_t)(op->addr + op->len);
	else if (mem->base != X86_REG_INVALID)
		to->base = whole(decoder, mem->base);
	/* the base is a part of a register, or one that is not tracked */
	if (mem->base != X86_REG_INVALID && mem->base != X86_REG_RIP && to->base == PFX_DATA_NO_REG)
		op->has_memory = false;
}

static const cs_x86_op *find_memory(const cs_x86 *x86)
{
	uint8_t i;

	for (i = 0; i < x86->op_count && i < 8; i++)
		if (x86->operands[i].type == X86_OP_MEM)
			return &x86->operands[i];
	return NULL;
}

static bool is_immediate(const cs_x86 *x86, unsigned i)
{
	return x86->op_count > i && x86->operands[i].type == X86_OP_IMM;
}

/* The full register of operand @i. */
static uint8_t reg_of_x86(struct pfx_decoder *decoder, unsigned i)
{
	const cs_x86 *x86 = &decoder->insn->detail->x86;

	if (x86->op_count <= i || x86->operands[i].type != X86_OP_REG)
		return PFX_DATA_NO_REG;
	return whole(decoder, x86->operands[i].reg);
}

static void x86_move(struct pfx_decoder *decoder, struct pfx_op *op)
{
	const cs_x86 *x86 = &decoder->insn->detail->x86;
	struct reg reg;

	op->dst = reg_of_x86(decoder, 0);
	op->src = reg_of_x86(decoder, 1);
	if (is_immediate(x86, 1) && x86->operands[0].type == X86_OP_REG) {
		reg = reg_of(decoder, x86->operands[0].reg);
		if (reg.dwarf == PFX_DATA_NO_REG || reg.size < 4)
			return;
		op->dst = reg.dwarf;
		op->number = x86->operands[1].imm;
		if (reg.size == 4)
			op->number = (uint32_t)op->number;
		op->kind = PFX_OP_NUMBER;
	} else if (op->dst != PFX_DATA_NO_REG && op->src != PFX_DATA_NO_REG) {
		op->kind = PFX_OP_MOVE;
	} else if (op->dst != PFX_DATA_NO_REG && op->has_memory) {
		op->kind = PFX_OP_LOAD;
	} else if (op->src != PFX_DATA_NO_REG && op->has_memory) {
		op->kind = PFX_OP_STORE;
	}
}

static void x86_add(struct pfx_decoder *decoder, struct pfx_op *op, int sign)
{
	const cs_x86 *x86 = &decoder->insn->detail->x86;

	op->dst = op->src = reg_of_x86(decoder, 0);
	if (op->dst == PFX_DATA_NO_REG)
		return;
	if (x86->op_count == 1) {
		op->number = sign;
		op->kind = PFX_OP_ADD;
	} else if (is_immediate(x86, 1)) {
		op->number = sign * x86->operands[1].imm;
		op->kind = PFX_OP_ADD;
	} else if (sign > 0 && reg_of_x86(decoder, 1) != PFX_DATA_NO_REG) {
		op->src2 = reg_of_x86(decoder, 1);
		op->number = 1;
		op->kind = PFX_OP_ADD_REG;
	}
}

/* A register times a number, or shifted left; @src is the index of its operand. */
static void x86_scale(struct pfx_decoder *decoder, struct pfx_op *op, unsigned src, bool is_shift)
{
	const cs_x86 *x86 = &decoder->insn->detail->x86;
	int64_t number = is_immediate(x86, src + 1) ? x86->operands[src + 1].imm : 0;

	op->dst = reg_of_x86(decoder, 0);
	op->src = reg_of_x86(decoder, src);
	if (op->dst == PFX_DATA_NO_REG || op->src == PFX_DATA_NO_REG || number < 1 ||
	    number > (is_shift ? 31 : INT32_MAX))
		return;
	op->number = is_shift ? (int64_t)1 << number : number;
	op->kind = PFX_OP_SCALE;
}

static void x86_choose(struct pfx_decoder *decoder, struct pfx_op *op)
{
	op->dst = reg_of_x86(decoder, 0);
	op->src = reg_of_x86(decoder, 1);
	if (op->dst == PFX_DATA_NO_REG)
		return;
	if (op->src != PFX_DATA_NO_REG)
		op->kind = PFX_OP_CHOOSE;
	else if (op->has_memory)
		op->kind = PFX_OP_CHOOSE_LOAD;
}

/* Jumps, calls and returns. */
static void x86_flow(struct pfx_decoder *decoder, struct pfx_op *op)
{
	const cs_x86 *x86 = &decoder->insn->detail->x86;

	if (is_immediate(x86, 0))
		op->target = (uint64_t)x86->operands[0].imm;
	if (in_group(decoder, CS_GRP_CALL))
		set_stack(decoder, op, PFX_OP_CALL);
	else if (in_group(decoder, CS_GRP_RET) || in_group(decoder, CS_GRP_IRET))
		set_stack(decoder, op, PFX_OP_END);
	else if (in_group(decoder, CS_GRP_JUMP))
		op->kind = decoder->insn->id == X86_INS_JMP ? PFX_OP_JUMP : PFX_OP_BRANCH;
}

/* xor of a register, or of its lower half, with itself sets the whole register to 0. */
static void x86_clear(struct pfx_decoder *decoder, struct pfx_op *op)
{
	const cs_x86 *x86 = &decoder->insn->detail->x86;
	struct reg reg;

	if (x86->op_count != 2 || x86->operands[0].type != X86_OP_REG ||
	    x86->operands[1].type != X86_OP_REG || x86->operands[0].reg != x86->operands[1].reg)
		return;
	reg = reg_of(decoder, x86->operands[0].reg);
	if (reg.dwarf == PFX_DATA_NO_REG || reg.size < 4)
		return;
	op->dst = reg.dwarf;
	op->kind = PFX_OP_NUMBER;
}

static void x86_op(struct pfx_decoder *decoder, struct pfx_op *op)
{
	const cs_x86_op *memory = find_memory(&decoder->insn->detail->x86);

	if (memory)
		x86_memory(decoder, memory, op);
	x86_flow(decoder, op);
	if (op->kind != PFX_OP_OTHER)
		return;
	switch (decoder->insn->id) {
	case X86_INS_MOV:
	case X86_INS_MOVABS:
		x86_move(decoder, op);
		break;
	case X86_INS_LEA:
		op->dst = reg_of_x86(decoder, 0);
		if (op->dst != PFX_DATA_NO_REG && op->has_memory && !op->memory.is_thread)
			op->kind = PFX_OP_ADDRESS;
		else
			op->has_memory = false;
		break;
	case X86_INS_NOP:
		op->has_memory = false;
		break;
	case X86_INS_ADD:
	case X86_INS_INC:
		x86_add(decoder, op, 1);
		break;
	case X86_INS_SUB:
	case X86_INS_DEC:
		x86_add(decoder, op, -1);
		break;
	case X86_INS_IMUL:
		x86_scale(decoder, op, 1, false);
		break;
	case X86_INS_SHL:
	case X86_INS_SAL:
		x86_scale(decoder, op, 0, true);
		break;
	case X86_INS_XOR:
		x86_clear(decoder, op);
		break;
	case X86_INS_PUSH:
		op->src = reg_of_x86(decoder, 0);
		set_stack(decoder, op, PFX_OP_PUSH);
		break;
	case X86_INS_POP:
		op->dst = reg_of_x86(decoder, 0);
		set_stack(decoder, op, PFX_OP_POP);
		break;
	case X86_INS_LEAVE:
		set_stack(decoder, op, PFX_OP_LEAVE);
		break;
	case X86_INS_HLT:
	case X86_INS_UD2:
	case X86_INS_INT3:
		op->kind = PFX_OP_END;
		break;
	default:
		if (!strncmp(decoder->insn->mnemonic, "cmov", 4))
			x86_choose(decoder, op);
		break;
	}
}

/* --- arm64 --- */

static uint8_t reg_of_arm64(struct pfx_decoder *decoder, unsigned i)
{
	const cs_arm64 *arm64 = &decoder->insn->detail->arm64;

	if (arm64->op_count <= i || arm64->operands[i].type != ARM64_OP_REG)
		return PFX_DATA_NO_REG;
	return whole(decoder, arm64->operands[i].reg);
}

/* Access size in bytes: from the mnemonic, or from the size of the first register. */
static uint16_t arm64_size(struct pfx_decoder *decoder)
{
	const cs_arm64 *arm64 = &decoder->insn->detail->arm64;
	const char *mnemonic = decoder->insn->mnemonic, *name;
	size_t len = strlen(mnemonic);
	bool is_pair = !strcmp(mnemonic, "ldp") || !strcmp(mnemonic, "stp") ||
		       !strcmp(mnemonic, "ldnp") || !strcmp(mnemonic, "stnp");
	uint16_t nr = is_pair ? 2 : 1;

	if (len > 3 && mnemonic[len - 1] == 'b')
		return 1;
	if (len > 3 && mnemonic[len - 1] == 'h')
		return 2;
	if (len > 3 && !strcmp(mnemonic + len - 2, "sw"))
		return 4;
	if (!arm64->op_count || arm64->operands[0].type != ARM64_OP_REG)
		return 0;
	name = decoder->library->reg_name(decoder->handle, arm64->operands[0].reg);
	switch (name ? *name : 0) {
	case 'q':
	case 'v':
		return (uint16_t)(16 * nr);
	case 'x':
	case 'd':
		return (uint16_t)(8 * nr);
	case 'w':
	case 's':
		return (uint16_t)(4 * nr);
	default:
		return 0;
	}
}

/* Operand @i is memory. The operand after it may be the post-index. */
static void arm64_memory(struct pfx_decoder *decoder, unsigned i, struct pfx_op *op)
{
	const cs_arm64 *arm64 = &decoder->insn->detail->arm64;
	const cs_arm64_op *from = &arm64->operands[i];
	struct pfx_op_memory *to = &op->memory;

	op->has_memory = whole(decoder, from->mem.base) != PFX_DATA_NO_REG;
	to->base = whole(decoder, from->mem.base);
	to->has_index = from->mem.index != ARM64_REG_INVALID;
	to->index = to->has_index ? whole(decoder, from->mem.index) : PFX_DATA_NO_REG;
	to->scale = from->shift.value < 5 ? (uint8_t)(1u << from->shift.value) : 1;
	to->disp = from->mem.disp;
	to->size = arm64_size(decoder);
	to->is_written = !strncmp(decoder->insn->mnemonic, "st", 2);
	if (!arm64->writeback || !op->has_memory)
		return;
	op->writes &= ~(1u << to->base);
	op->base_add = from->mem.disp;
	if (i + 1u < arm64->op_count && arm64->operands[i + 1].type == ARM64_OP_IMM)
		op->base_add = (int32_t)arm64->operands[i + 1].imm;
	op->is_stack = to->base == decoder->arch->sp;
}

static void arm64_add(struct pfx_decoder *decoder, struct pfx_op *op, int sign)
{
	const cs_arm64 *arm64 = &decoder->insn->detail->arm64;
	const cs_arm64_op *last = &arm64->operands[2];

	op->dst = reg_of_arm64(decoder, 0);
	op->src = reg_of_arm64(decoder, 1);
	if (op->dst == PFX_DATA_NO_REG || op->src == PFX_DATA_NO_REG || arm64->op_count != 3)
		return;
	if (last->type == ARM64_OP_IMM) {
		op->number = sign * (last->imm << (last->shift.value < 32 ? last->shift.value : 0));
		op->kind = PFX_OP_ADD;
	} else if (sign > 0 && last->type == ARM64_OP_REG) {
		/* factor of the second operand */
		op->number = 1 << (last->shift.value < 8 ? last->shift.value : 0);
		op->src2 = reg_of_arm64(decoder, 2);
		op->kind = PFX_OP_ADD_REG;
	}
}

/* The target of a jump is the last operand. */
static void arm64_flow(struct pfx_decoder *decoder, struct pfx_op *op)
{
	const cs_arm64 *arm64 = &decoder->insn->detail->arm64;
	const cs_arm64_op *last = arm64->op_count ? &arm64->operands[arm64->op_count - 1] : NULL;

	switch (decoder->insn->id) {
	case ARM64_INS_BL:
	case ARM64_INS_BLR:
		op->kind = PFX_OP_CALL;
		break;
	case ARM64_INS_RET:
	case ARM64_INS_BRK:
	case ARM64_INS_HLT:
		op->kind = PFX_OP_END;
		return;
	case ARM64_INS_BR:
		op->kind = PFX_OP_JUMP;
		return;
	case ARM64_INS_B:
		op->kind = arm64->cc == ARM64_CC_INVALID || arm64->cc == ARM64_CC_AL
				   ? PFX_OP_JUMP
				   : PFX_OP_BRANCH;
		break;
	case ARM64_INS_CBZ:
	case ARM64_INS_CBNZ:
	case ARM64_INS_TBZ:
	case ARM64_INS_TBNZ:
		op->kind = PFX_OP_BRANCH;
		break;
	default:
		return;
	}
	if (last && last->type == ARM64_OP_IMM)
		op->target = (uint64_t)last->imm;
}

static void arm64_load_pair(struct pfx_decoder *decoder, struct pfx_op *op)
{
	uint8_t first = reg_of_arm64(decoder, 0), second = reg_of_arm64(decoder, 1);

	if (op->memory.size != 2 * ARM64_WORD || first == PFX_DATA_NO_REG ||
	    second == PFX_DATA_NO_REG)
		return;
	op->dst = first;
	op->src2 = second;
	op->kind = PFX_OP_LOAD_PAIR;
}

static void arm64_load_store(struct pfx_decoder *decoder, struct pfx_op *op)
{
	uint8_t reg = reg_of_arm64(decoder, 0);

	if (reg == PFX_DATA_NO_REG || !op->has_memory)
		return;
	switch (decoder->insn->id) {
	case ARM64_INS_LDR:
	case ARM64_INS_LDUR:
	case ARM64_INS_LDAR:
		op->dst = reg;
		op->kind = PFX_OP_LOAD;
		break;
	case ARM64_INS_LDP:
	case ARM64_INS_LDNP:
		arm64_load_pair(decoder, op);
		break;
	case ARM64_INS_STR:
	case ARM64_INS_STUR:
	case ARM64_INS_STLR:
		op->src = reg;
		op->kind = PFX_OP_STORE;
		break;
	default:
		break;
	}
}

static void arm64_op(struct pfx_decoder *decoder, struct pfx_op *op)
{
	const cs_arm64 *arm64 = &decoder->insn->detail->arm64;
	unsigned i;

	for (i = 0; i < arm64->op_count && !op->has_memory; i++)
		if (arm64->operands[i].type == ARM64_OP_MEM)
			arm64_memory(decoder, i, op);
	arm64_flow(decoder, op);
	switch (decoder->insn->id) {
	case ARM64_INS_MOV:
		op->dst = reg_of_arm64(decoder, 0);
		op->src = reg_of_arm64(decoder, 1);
		if (op->dst != PFX_DATA_NO_REG && op->src != PFX_DATA_NO_REG)
			op->kind = PFX_OP_MOVE;
		break;
	case ARM64_INS_ADR:
	case ARM64_INS_ADRP:
		op->dst = reg_of_arm64(decoder, 0);
		if (op->dst != PFX_DATA_NO_REG && arm64->operands[1].type == ARM64_OP_IMM) {
			op->number = arm64->operands[1].imm;
			op->kind = PFX_OP_NUMBER;
		}
		break;
	case ARM64_INS_ADD:
		arm64_add(decoder, op, 1);
		break;
	case ARM64_INS_SUB:
		arm64_add(decoder, op, -1);
		break;
	case ARM64_INS_LSL:
		op->dst = reg_of_arm64(decoder, 0);
		op->src = reg_of_arm64(decoder, 1);
		if (op->dst != PFX_DATA_NO_REG && op->src != PFX_DATA_NO_REG &&
		    arm64->op_count == 3 && arm64->operands[2].type == ARM64_OP_IMM &&
		    arm64->operands[2].imm < 32) {
			op->number = (int64_t)1 << arm64->operands[2].imm;
			op->kind = PFX_OP_SCALE;
		}
		break;
	default:
		arm64_load_store(decoder, op);
		break;
	}
}

void pfx_decode(struct pfx_decoder *decoder, const uint8_t *code, size_t size, uint64_t addr,
		struct pfx_op *ret)
{
	const uint8_t *start = code;
	size_t left = size;
	uint64_t next = addr;

	*ret = (struct pfx_op){.addr = addr,
			       .dst = PFX_DATA_NO_REG,
			       .src = PFX_DATA_NO_REG,
			       .src2 = PFX_DATA_NO_REG};
	if (!decoder->library->disasm_iter(decoder->handle, &code, &left, &next, decoder->insn)) {
		/* vector instructions that this version of capstone does not support: they change
		 * no address */
		if (!decoder->is_arm64)
			ret->len = (uint8_t)pfx_x86_vector_length(start, size, decoder->is_64bit);
		return;
	}
	ret->len = (uint8_t)decoder->insn->size;
	note_writes(decoder, ret);
	if (decoder->is_arm64)
		arm64_op(decoder, ret);
	else
		x86_op(decoder, ret);
}
