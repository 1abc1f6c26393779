/* SPDX-License-Identifier: MIT */
/*
 * ARM's unwind instructions, followed with a stack pointer that is a register of the callee plus a
 * number. Registers of the floating-point unit and its kin are only stepped over. The bytes are
 * foreign.
 */
#include "arch/arm_exidx.h"

#define SP                13
#define LR                14
#define SIZE_MAX_OF_FRAME (1 << 28)

struct decoder {
	const uint8_t *ops;
	size_t nr, at;
	struct pfx_exidx_frame *frame;
};

/* The next byte; behind the end is "finish". */
static uint8_t next(struct decoder *d)
{
	return d->at < d->nr ? d->ops[d->at++] : 0xb0;
}

static bool move(struct decoder *d, int64_t by)
{
	int64_t size = d->frame->size + by;

	d->frame->size = (int32_t)size;
	return size < SIZE_MAX_OF_FRAME && size > -SIZE_MAX_OF_FRAME;
}

/* The stack pointer itself is never popped by a compiler, and would not be a number any more. */
static bool pop(struct decoder *d, uint32_t mask)
{
	unsigned reg;

	if (!mask || (mask >> SP & 1))
		return false;
	for (reg = 0; reg < 16; reg++) {
		if (!(mask >> reg & 1))
			continue;
		d->frame->saved |= (uint16_t)(1u << reg);
		d->frame->at[reg] = d->frame->size;
		if (!move(d, 4))
			return false;
	}
	return true;
}

/* A register that was popped already has another value by now. */
static bool set_base(struct decoder *d, unsigned reg)
{
	if (reg == SP || reg == 15 || (d->frame->saved >> reg & 1))
		return false;
	d->frame->base = (uint8_t)reg;
	d->frame->size = 0;
	return d->frame->saved == 0;
}

static bool big_move(struct decoder *d)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = next(d);
		value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) && shift < 28);
	return !(byte & 0x80) && move(d, 0x204 + (int64_t)(value << 2));
}

/* 0xb1 to 0xbf */
static bool decode_b(struct decoder *d, uint8_t op)
{
	uint8_t arg;

	switch (op) {
	case 0xb1:
		arg = next(d);
		return !(arg & 0xf0) && pop(d, arg);
	case 0xb2:
		return big_move(d);
	case 0xb3:
		return move(d, ((next(d) & 0xf) + 1) * 8 + 4);
	case 0xb4: /* the authentication code of the return address */
		return move(d, 4);
	case 0xb5: /* which is made with this stack pointer */
		return true;
	default:
		return op >= 0xb8 && move(d, ((op & 7) + 1) * 8 + 4);
	}
}

/* 0xc0 to 0xff */
static bool decode_c(struct decoder *d, uint8_t op)
{
	uint8_t arg;

	if (op == 0xc7) {
		arg = next(d);
		return arg && !(arg & 0xf0) && move(d, 4 * __builtin_popcount(arg));
	}
	if (op == 0xc6 || op == 0xc8 || op == 0xc9)
		return move(d, ((next(d) & 0xf) + 1) * 8);
	if (op < 0xc6 || (op & 0xf8) == 0xd0)
		return move(d, ((op & 7) + 1) * 8);
	return false;
}

static bool decode_pop(struct decoder *d, uint8_t op)
{
	uint32_t mask;

	if (op < 0x90) {
		mask = (uint32_t)(op & 0xf) << 8;
		mask |= next(d);
		return pop(d, mask << 4);
	}
	if (op < 0xa0)
		return set_base(d, op & 0xf);
	mask = ((2u << (op & 7)) - 1) << 4;
	return pop(d, op & 8 ? mask | 1u << LR : mask);
}

bool pfx_exidx_decode(const uint8_t *ops, size_t nr, struct pfx_exidx_frame *ret)
{
	struct decoder d = {ops, nr, 0, ret};
	uint8_t op;
	bool ok = true;

	*ret = (struct pfx_exidx_frame){.base = SP};
	while (ok && (op = next(&d)) != 0xb0) {
		if (op < 0x40)
			ok = move(&d, (op << 2) + 4);
		else if (op < 0x80)
			ok = move(&d, -(((op & 0x3f) << 2) + 4));
		else if (op < 0xb0)
			ok = decode_pop(&d, op);
		else
			ok = op < 0xc0 ? decode_b(&d, op) : decode_c(&d, op);
	}
	return ok;
}
