/* SPDX-License-Identifier: MIT */
/* Relocations that the compilers use in the code of modules of x86_64 and arm64. Instructions of
 * arm64 are little-endian in all files. */
#include "sym/kernel/module_link_internal.h"

#include <elf.h>

/* A place that holds a number of whole bytes, or bits of an instruction of arm64. */
struct form {
	uint16_t machine;
	uint16_t type;
	bool is_relative;
	uint8_t bytes; /* of the number; 0: of an instruction */
	uint8_t bits, at, shift;
	enum { PLAIN, LOW, PAGE, SPLIT } kind; /* LOW: of the lowest 12 bits; PAGE, SPLIT: adr */
};

static const struct form forms[] = {
	{EM_X86_64, R_X86_64_64, false, 8, 0, 0, 0, PLAIN},
	{EM_X86_64, R_X86_64_PC64, true, 8, 0, 0, 0, PLAIN},
	{EM_X86_64, R_X86_64_PC32, true, 4, 0, 0, 0, PLAIN},
	{EM_X86_64, R_X86_64_PLT32, true, 4, 0, 0, 0, PLAIN},
	{EM_X86_64, R_X86_64_32, false, 4, 0, 0, 0, PLAIN},
	{EM_X86_64, R_X86_64_32S, false, 4, 0, 0, 0, PLAIN},
	{EM_AARCH64, R_AARCH64_ABS64, false, 8, 0, 0, 0, PLAIN},
	{EM_AARCH64, R_AARCH64_ABS32, false, 4, 0, 0, 0, PLAIN},
	{EM_AARCH64, R_AARCH64_PREL32, true, 4, 0, 0, 0, PLAIN},
	{EM_AARCH64, R_AARCH64_ADR_PREL_LO21, true, 0, 21, 0, 0, SPLIT},
	{EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, true, 0, 21, 0, 12, PAGE},
	{EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21_NC, true, 0, 21, 0, 12, PAGE},
	{EM_AARCH64, R_AARCH64_ADD_ABS_LO12_NC, false, 0, 12, 10, 0, LOW},
	{EM_AARCH64, R_AARCH64_LDST8_ABS_LO12_NC, false, 0, 12, 10, 0, LOW},
	{EM_AARCH64, R_AARCH64_LDST16_ABS_LO12_NC, false, 0, 12, 10, 1, LOW},
	{EM_AARCH64, R_AARCH64_LDST32_ABS_LO12_NC, false, 0, 12, 10, 2, LOW},
	{EM_AARCH64, R_AARCH64_LDST64_ABS_LO12_NC, false, 0, 12, 10, 3, LOW},
	{EM_AARCH64, R_AARCH64_LDST128_ABS_LO12_NC, false, 0, 12, 10, 4, LOW},
	{EM_AARCH64, R_AARCH64_TSTBR14, true, 0, 14, 5, 2, PLAIN},
	{EM_AARCH64, R_AARCH64_CONDBR19, true, 0, 19, 5, 2, PLAIN},
	{EM_AARCH64, R_AARCH64_JUMP26, true, 0, 26, 0, 2, PLAIN},
	{EM_AARCH64, R_AARCH64_CALL26, true, 0, 26, 0, 2, PLAIN},
};

static const struct form *find_form(const struct pfx_relocation *relocation)
{
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (forms[i].machine == relocation->machine && forms[i].type == relocation->type)
			return &forms[i];
	return NULL;
}

static void store(uint8_t *to, uint64_t value, unsigned bytes)
{
	unsigned i;

	for (i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t load_insn(const uint8_t *from)
{
	return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

/* The instruction with @value in its field. */
static uint32_t insert(const struct form *form, uint32_t insn, uint64_t value)
{
	uint32_t mask = (1u << form->bits) - 1, field = (uint32_t)(value >> form->shift) & mask;

	if (form->kind != PAGE && form->kind != SPLIT)
		return (insn & ~(mask << form->at)) | field << form->at;
	return (insn & ~(3u << 29 | 0x7ffffu << 5)) | (field & 3) << 29 | (field >> 2) << 5;
}

bool pfx_relocation_apply(const struct pfx_relocation *relocation, uint8_t *to, size_t size)
{
	const struct form *form = find_form(relocation);
	uint64_t at = relocation->at, value = relocation->value;

	if (!form || size < (form->bytes ? form->bytes : 4u))
		return false;
	if (form->kind == PAGE) {
		at &= ~0xfffull;
		value &= ~0xfffull;
	}
	if (form->is_relative)
		value -= at;
	if (form->kind == LOW)
		value &= 0xfff;
	if (form->bytes)
		store(to, value, form->bytes);
	else
		store(to, insert(form, load_insn(to), value), 4);
	return true;
}

bool pfx_relocation_is_relative(const struct pfx_relocation *relocation)
{
	const struct form *form = find_form(relocation);

	return form && form->is_relative;
}
