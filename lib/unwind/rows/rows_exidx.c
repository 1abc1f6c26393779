/* SPDX-License-Identifier: MIT */
/*
 * Rows from ARM's unwind tables, for programs without call frame information: .ARM.exidx has two
 * words for each function, sorted by address: its address, and how to unwind its frame, in the word
 * itself or in .ARM.extab. arch/arm_exidx.h decodes the instructions.
 */
#include <elf.h>
#include <string.h>

#include "arch/arm_exidx.h"
#include "base/bisect.h"
#include "base/cursor.h"
#include "unwind/rows/rows_internal.h"

#define ENTRY        8
#define CANNOT       1    /* EXIDX_CANTUNWIND: there is no caller */
#define ENTRY_LENGTH 64   /* maximum size of the code where a program or thread starts */
#define OPS_MAX      1024 /* 3, and four for each of 255 words */

struct exidx {
	const struct pfx_binary *binary;
	const struct pfx_binary_part *table;
	bool swap;
};

static uint32_t word(const struct exidx *x, uint64_t offset)
{
	return pfx_load32(x->table->at + offset, x->swap);
}

/* A 31-bit offset relative to the word that contains it. */
static uint32_t place(uint32_t value, uint64_t at)
{
	return (uint32_t)at + ((value & 0x7fffffff) | (value << 1 & 0x80000000));
}

static uint32_t function_at(const struct exidx *x, size_t i)
{
	return place(word(x, i * ENTRY), x->table->vaddr + i * ENTRY);
}

/* The last entry that begins at or below @vaddr; false: none. */
static bool find_entry(const struct exidx *x, uint32_t vaddr, size_t *ret)
{
	size_t behind = pfx_bisect(i, x->table->size / ENTRY, function_at(x, i) <= vaddr);

	*ret = behind - 1;
	return behind > 0;
}

/* Appends the bytes of a word, most significant first, starting with byte @first. */
static size_t add_ops(uint8_t *ops, size_t nr, uint32_t value, unsigned first)
{
	unsigned i;

	for (i = first; i < 4 && nr < OPS_MAX; i++)
		ops[nr++] = (uint8_t)(value >> (24 - 8 * i));
	return nr;
}

/* The instructions of an entry in .ARM.extab; 0: malformed. */
static size_t read_extab(const struct exidx *x, uint32_t vaddr, uint8_t *ops)
{
	size_t size, nr = 0, left;
	const uint8_t *bytes = pfx_binary_bytes(x->binary, &size);
	struct pfx_cursor c;
	uint64_t offset;
	uint32_t value, more, kind;

	if (!pfx_binary_offset(x->binary, vaddr, &offset) || offset > size)
		return 0;
	c = pfx_cursor_make(bytes + offset, size - offset, x->swap);
	value = pfx_cursor_u32(&c);
	kind = value >> 31 ? value >> 24 & 0xf : 0;
	if (!(value >> 31)) { /* a personality routine, followed by data in the format of kind 1 */
		value = pfx_cursor_u32(&c);
		more = value >> 24;
		nr = add_ops(ops, nr, value, 1);
	} else if (kind == 0) {
		more = 0;
		nr = add_ops(ops, nr, value, 1);
	} else {
		more = value >> 16 & 0xff;
		nr = add_ops(ops, nr, value, 2);
	}
	for (left = more; left && !c.failed; left--)
		nr = add_ops(ops, nr, pfx_cursor_u32(&c), 0);
	return c.failed || kind > 2 ? 0 : nr;
}

static void make_row(const struct pfx_exidx_frame *frame, const struct pfx_unwind_arch *arch,
		     struct pfx_arena *arena, struct pfx_unwind_row *ret)
{
	struct pfx_row_rule rules[16];
	unsigned reg, nr = 0;

	for (reg = 0; reg < 16; reg++)
		if (frame->saved >> reg & 1)
			rules[nr++] = (struct pfx_row_rule){.reg = (uint8_t)reg,
							    .how = PFX_ROW_REG_LOAD,
							    .base = frame->base,
							    .offset = frame->at[reg]};
	ret->kind = PFX_ROW_RULES;
	ret->ra = frame->saved >> arch->pc & 1 ? arch->pc : arch->ra;
	ret->cfa = (struct pfx_row_rule){.reg = PFX_UNWIND_NO_REG,
					 .how = PFX_ROW_REG_VALUE,
					 .base = frame->base,
					 .offset = frame->size};
	ret->keep[0] = 0x7fffu & ~(uint64_t)frame->saved;
	ret->nr_rules = (uint8_t)nr;
	ret->rules = pfx_arena_memdup(arena, rules, nr * sizeof(*rules));
}

static bool is_swapped(const struct pfx_binary *binary)
{
	size_t size;
	const uint8_t *bytes = pfx_binary_bytes(binary, &size);
	bool is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	return size > EI_DATA && (bytes[EI_DATA] == ELFDATA2MSB) != is_big;
}

void pfx_exidx_row(const struct pfx_binary *binary, const struct pfx_unwind_arch *arch,
		   uint64_t vaddr, struct pfx_arena *arena, struct pfx_unwind_row *ret)
{
	struct pfx_binary_part table;
	struct exidx x = {binary, &table, is_swapped(binary)};
	struct pfx_exidx_frame frame;
	uint8_t ops[OPS_MAX];
	size_t i, nr;
	uint32_t value;

	if (vaddr > UINT32_MAX || !pfx_binary_part(binary, PT_ARM_EXIDX, &table) ||
	    !find_entry(&x, (uint32_t)vaddr, &i))
		return;
	value = word(&x, i * ENTRY + 4);
	if (value == CANNOT) { /* also applies to following code without an entry */
		ret->kind = vaddr - function_at(&x, i) < ENTRY_LENGTH ? PFX_ROW_LAST : PFX_ROW_NONE;
		return;
	}
	if (value >> 31)
		nr = value >> 24 == 0x80 ? add_ops(ops, 0, value, 1) : 0;
	else
		nr = read_extab(&x, place(value, table.vaddr + i * ENTRY + 4), ops);
	if (nr && pfx_exidx_decode(ops, nr, &frame))
		make_row(&frame, arch, arena, ret);
	else
		ret->kind = PFX_ROW_BAD;
}
