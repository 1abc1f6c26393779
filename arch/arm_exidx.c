/* SPDX-License-Identifier: MIT */
/*
 * Decodes ARM unwind instructions, with the stack pointer as a register of the callee plus an
 * offset. Floating-point and vector registers are skipped. The bytes are untrusted.
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

/* The next byte; after the end, "finish". */
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

/* Compilers never pop the stack pointer itself; its value would be unknown. */
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

/* A register that was popped already no longer has the callee's value. */
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
	case 0xb4: /* pops the authentication code of the return address */
		return move(d, 4);
	case 0xb5: /* the stack pointer is its modifier */
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
