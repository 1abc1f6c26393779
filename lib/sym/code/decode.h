/* SPDX-License-Identifier: MIT */
/*
 * Machine code as operations: what an instruction does to the registers that addresses are kept in,
 * and which memory it accesses. Registers have their DWARF numbers. Only what moves addresses about
 * is told apart; of all else it is known which registers it changes.
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
	PFX_OP_CHOOSE,      /* dst = src, or it stays */
	PFX_OP_LOAD,        /* dst = the word in memory */
	PFX_OP_CHOOSE_LOAD, /* the same, or it stays */
	PFX_OP_LOAD_PAIR,   /* dst = the word in memory, src2 = the one behind it */
	PFX_OP_STORE,       /* the word in memory = src */
	PFX_OP_ADDRESS,     /* dst = where the memory is */
	PFX_OP_ADD,         /* dst = src + number */
	PFX_OP_ADD_REG,     /* dst = src + src2 * number */
	PFX_OP_SCALE,       /* dst = src * number */
	PFX_OP_NUMBER,      /* dst = number */
	PFX_OP_PUSH,        /* src (NO_REG: something else) */
	PFX_OP_POP,         /* dst */
	PFX_OP_LEAVE,       /* sp = fp, pop fp */
	PFX_OP_CALL,        /* of target, 0: not known */
	PFX_OP_BRANCH,      /* to target, or on */
	PFX_OP_JUMP,        /* to target, 0: not known */
	PFX_OP_END,         /* nothing behind it is run next */
};

/* Memory that is accessed. */
struct pfx_op_memory {
	uint8_t base;  /* NO_REG: none, disp is an address (also where it is told by the
			  program counter) */
	uint8_t index; /* NO_REG: none, or with has_index a part of a register */
	uint8_t scale; /* of the index */
	uint16_t size; /* bytes; 0: not known */
	bool has_index;
	bool is_thread; /* in the thread's own memory */
	bool is_written;
	int64_t disp;
};

struct pfx_op {
	uint64_t addr;
	uint8_t len;  /* bytes; 0: these are no instruction */
	uint8_t kind; /* enum pfx_op_kind */
	uint8_t dst, src, src2;
	bool is_stack; /* pushes, pops, calls, returns */
	bool has_memory;
	uint32_t writes;  /* bits of registers that it changes, besides what the kind says */
	int32_t base_add; /* is added to the memory's base afterwards */
	int64_t number;
	uint64_t target;
	struct pfx_op_memory memory;
};

struct pfx_decoder;

/* -ENOTSUP: no disassembler is built in, or installed. */
int pfx_decoder_new(struct pfx_decoder **ret, const struct pfx_data_arch *arch,
		    struct pfx_error *err);
void pfx_decoder_free(struct pfx_decoder *decoder);
/* The instruction at the start of @code, which lies at @addr. Where it is none, len is 0. */
void pfx_decode(struct pfx_decoder *decoder, const uint8_t *code, size_t size, uint64_t addr,
		struct pfx_op *ret);

#endif
