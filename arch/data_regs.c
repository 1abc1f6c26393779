/* SPDX-License-Identifier: MIT */
/*
 * Tables of registers for following pointers. DWARF numbers and what calls keep are those of each
 * processor supplement.
 */
#include "arch/data_regs.h"

#include <stddef.h>
#include <string.h>

/* All of the register, its lower half, then smaller parts. */
static const char *const x86_64_names[][PFX_DATA_REG_NAMES] = {
	{"rax", "eax", "ax", "al", "ah"}, {"rdx", "edx", "dx", "dl", "dh"},
	{"rcx", "ecx", "cx", "cl", "ch"}, {"rbx", "ebx", "bx", "bl", "bh"},
	{"rsi", "esi", "si", "sil"},      {"rdi", "edi", "di", "dil"},
	{"rbp", "ebp", "bp", "bpl"},      {"rsp", "esp", "sp", "spl"},
	{"r8", "r8d", "r8w", "r8b"},      {"r9", "r9d", "r9w", "r9b"},
	{"r10", "r10d", "r10w", "r10b"},  {"r11", "r11d", "r11w", "r11b"},
	{"r12", "r12d", "r12w", "r12b"},  {"r13", "r13d", "r13w", "r13b"},
	{"r14", "r14d", "r14w", "r14b"},  {"r15", "r15d", "r15w", "r15b"},
};
static const char *const i386_names[][PFX_DATA_REG_NAMES] = {
	{"eax", "ax", "al", "ah"},
	{"ecx", "cx", "cl", "ch"},
	{"edx", "dx", "dl", "dh"},
	{"ebx", "bx", "bl", "bh"},
	{"esp", "sp"},
	{"ebp", "bp"},
	{"esi", "si"},
	{"edi", "di"},
};
static const char *const arm64_names[][PFX_DATA_REG_NAMES] = {
	{"x0", "w0"},   {"x1", "w1"},   {"x2", "w2"},   {"x3", "w3"},   {"x4", "w4"},
	{"x5", "w5"},   {"x6", "w6"},   {"x7", "w7"},   {"x8", "w8"},   {"x9", "w9"},
	{"x10", "w10"}, {"x11", "w11"}, {"x12", "w12"}, {"x13", "w13"}, {"x14", "w14"},
	{"x15", "w15"}, {"x16", "w16"}, {"x17", "w17"}, {"x18", "w18"}, {"x19", "w19"},
	{"x20", "w20"}, {"x21", "w21"}, {"x22", "w22"}, {"x23", "w23"}, {"x24", "w24"},
	{"x25", "w25"}, {"x26", "w26"}, {"x27", "w27"}, {"x28", "w28"}, {"x29", "w29"},
	{"x30", "w30"}, {"sp", "wsp"},
};

#define NAMES(table) .nr_regs = sizeof(table) / sizeof((table)[0]), .names = (table)

static const struct pfx_data_arch archs[] = {
	{
		.name = "x86_64",
		.word = 8,
		.sp = 7,
		.fp = 6,
		.ret = 0,
		.entry_sp = -8,
		.canary = 0x28,
		.lost = 0x0f37, /* ax dx cx si di r8-r11 */
		NAMES(x86_64_names),
	},
	{
		.name = "i386",
		.word = 4,
		.sp = 4,
		.fp = 5,
		.ret = 0,
		.entry_sp = -4,
		.canary = 0x14,
		.lost = 0x07, /* ax cx dx */
		NAMES(i386_names),
	},
	{
		.name = "arm64",
		.word = 8,
		.sp = 31,
		.fp = 29,
		.ret = 0,
		.entry_sp = 0,
		.lost = 0x4007ffff, /* x0-x18, x30 */
		NAMES(arm64_names),
	},
};

const struct pfx_data_arch *pfx_data_arch_find(const char *machine)
{
	size_t i;

	if (machine && !strcmp(machine, "aarch64"))
		machine = "arm64";
	for (i = 0; machine && i < sizeof(archs) / sizeof(archs[0]); i++)
		if (!strcmp(archs[i].name, machine))
			return &archs[i];
	return NULL;
}

uint8_t pfx_data_reg(const struct pfx_data_arch *arch, const char *name, uint8_t *ret_size)
{
	unsigned reg, form;

	for (reg = 0; reg < arch->nr_regs; reg++)
		for (form = 0; form < PFX_DATA_REG_NAMES && arch->names[reg][form]; form++) {
			if (strcmp(arch->names[reg][form], name) != 0)
				continue;
			*ret_size = (uint8_t)(arch->word >> form);
			return (uint8_t)reg;
		}
	return PFX_DATA_NO_REG;
}
