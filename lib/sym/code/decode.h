/* SPDX-License-Identifier: MIT */
/*
 * Decodes machine code into operations: their effect on registers that may hold addresses, and the
 * memory that they access. Registers have their DWARF numbers. Only operations that move or compute
 * addresses are distinguished; for all others, only the changed registers are reported.
 */
#ifndef PFX_SYM_DECODE_H
#define PFX_SYM_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/error.h"

enum pfx_op_kind {
	PFX_OP_OTHER,
	PFX_OP_MOVE,        /* dst = src */
	PFX_OP_CHOOSE,      /* dst = src, or unchanged (conditional move) */
	PFX_OP_LOAD,        /* dst = the word in memory */
	PFX_OP_CHOOSE_LOAD, /* dst = the word in memory, or unchanged */
	PFX_OP_LOAD_PAIR,   /* dst = the word in memory, src2 = the next word */
	PFX_OP_STORE,       /* the word in memory = src */
	PFX_OP_ADDRESS,     /* dst = the address of the memory operand */
	PFX_OP_ADD,         /* dst = src + number */
	PFX_OP_ADD_REG,     /* dst = src + src2 * number */
	PFX_OP_SCALE,       /* dst = src * number */
	PFX_OP_NUMBER,      /* dst = number */
	PFX_OP_PUSH,        /* push src (NO_REG: not a register) */
	PFX_OP_POP,         /* pop dst */
	PFX_OP_LEAVE,       /* sp = fp, pop fp */
	PFX_OP_CALL,        /* of target, 0: unknown */
	PFX_OP_BRANCH,      /* to target or the next instruction */
	PFX_OP_JUMP,        /* to target, 0: unknown */
	PFX_OP_END,         /* execution does not continue after it */
};

/* A memory operand. */
struct pfx_op_memory {
	uint8_t base;  /* NO_REG: none, disp is the address (also of PC-relative operands) */
	uint8_t index; /* NO_REG: none, or with has_index an unsupported register */
	uint8_t scale; /* of the index */
	uint16_t size; /* bytes; 0: unknown */
	bool has_index;
	bool is_thread; /* thread-local memory */
	bool is_written;
	int64_t disp;
};

struct pfx_op {
	uint64_t addr;
	uint8_t len;  /* bytes; 0: not a valid instruction */
	uint8_t kind; /* enum pfx_op_kind */
	uint8_t dst, src, src2;
	bool is_stack; /* pushes, pops, calls, returns */
	bool has_memory;
	uint32_t writes; /* bit mask of other registers that it changes, besides those that the kind
			    implies */
	int32_t base_add; /* added to the base register afterwards (post-index) */
	int64_t number;
	uint64_t target;
	struct pfx_op_memory memory;
};

struct pfx_decoder;

/* -ENOTSUP: no disassembler is built in, or it is not installed. */
int pfx_decoder_new(struct pfx_decoder **ret, const struct pfx_data_arch *arch,
		    struct pfx_error *err);
void pfx_decoder_free(struct pfx_decoder *decoder);
/* Decode the instruction at the start of @code, whose address is @addr. len is 0 if it is
 * invalid. */
void pfx_decode(struct pfx_decoder *decoder, const uint8_t *code, size_t size, uint64_t addr,
		struct pfx_op *ret);

#endif
