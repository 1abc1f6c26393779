/* SPDX-License-Identifier: MIT */
/*
 * Names of the registers in samples, by the machine that made them and the number that the kernel's
 * perf_regs.h of that machine gives them. Only names: which of them a kernel hands out is not known
 * here.
 */
#include "arch/reg_names.h"

#include <string.h>

static const char *const x86_64_names[] = {
	"AX",    "BX",    "CX",    "DX",    "SI",    "DI",    "BP",    "SP",    "IP",    "FLAGS",
	"CS",    "SS",    "DS",    "ES",    "FS",    "GS",    "R8",    "R9",    "R10",   "R11",
	"R12",   "R13",   "R14",   "R15",   NULL,    NULL,    NULL,    NULL,    NULL,    NULL,
	NULL,    NULL,    "XMM0",  "XMM0",  "XMM1",  "XMM1",  "XMM2",  "XMM2",  "XMM3",  "XMM3",
	"XMM4",  "XMM4",  "XMM5",  "XMM5",  "XMM6",  "XMM6",  "XMM7",  "XMM7",  "XMM8",  "XMM8",
	"XMM9",  "XMM9",  "XMM10", "XMM10", "XMM11", "XMM11", "XMM12", "XMM12", "XMM13", "XMM13",
	"XMM14", "XMM14", "XMM15", "XMM15",
};
static const char *const i386_names[] = {
	"AX", "BX",    "CX", "DX", "SI", "DI", "BP", "SP",
	"IP", "FLAGS", "CS", "SS", "DS", "ES", "FS", "GS",
};
static const char *const arm64_names[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10", "x11",
	"x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23",
	"x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc",  NULL,  NULL,  NULL,
	NULL,  NULL,  NULL,  NULL,  NULL,  NULL,  NULL,  NULL,  NULL,  NULL,  "vg",
};
static const char *const arm_names[] = {
	"r0", "r1", "r2",  "r3", "r4", "r5", "r6", "r7",
	"r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc",
};
static const char *const riscv_names[] = {
	"pc", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
	"a1", "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
	"s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};
static const char *const s390_names[] = {
	"R0",  "R1",  "R2",   "R3",   "R4",   "R5",   "R6",   "R7",   "R8",   "R9",  "R10", "R11",
	"R12", "R13", "R14",  "R15",  "FP0",  "FP1",  "FP2",  "FP3",  "FP4",  "FP5", "FP6", "FP7",
	"FP8", "FP9", "FP10", "FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC",
};
static const char *const powerpc_names[] = {
	"r0",   "r1",  "r2",  "r3",    "r4",   "r5",  "r6",    "r7",      "r8",
	"r9",   "r10", "r11", "r12",   "r13",  "r14", "r15",   "r16",     "r17",
	"r18",  "r19", "r20", "r21",   "r22",  "r23", "r24",   "r25",     "r26",
	"r27",  "r28", "r29", "r30",   "r31",  "nip", "msr",   "orig_r3", "ctr",
	"link", "xer", "ccr", "softe", "trap", "dar", "dsisr", "sier",    "mmcra",
};
static const char *const loongarch_names[] = {
	"PC",  "R1",  "R2",  "R3",  "R4",  "R5",  "R6",  "R7",  "R8",  "R9",  "R10",
	"R11", "R12", "R13", "R14", "R15", "R16", "R17", "R18", "R19", "R20", "R21",
	"R22", "R23", "R24", "R25", "R26", "R27", "R28", "R29", "R30", "R31",
};
static const char *const mips_names[] = {
	"PC",  "R1",  "R2",  "R3",  "R4",  "R5",  "R6",  "R7",  "R8",  "R9",
	"R10", "R11", "R12", "R13", "R14", "R15", "R16", "R17", "R18", "R19",
	"R20", "R21", "R22", "R23", "R24", "R25", "R28", "R29", "R30", "R31",
};

#define TABLE(prefix, names)                                      \
	{                                                         \
		prefix, names, sizeof(names) / sizeof((names)[0]) \
	}

/* By how the name of the machine begins; the more special name comes first. */
static const struct {
	const char *prefix;
	const char *const *names;
	size_t nr;
} tables[] = {
	TABLE("x86_64", x86_64_names),       TABLE("i386", i386_names),
	TABLE("i686", i386_names),           TABLE("aarch64", arm64_names),
	TABLE("arm64", arm64_names),         TABLE("arm", arm_names),
	TABLE("riscv", riscv_names),         TABLE("s390", s390_names),
	TABLE("ppc", powerpc_names),         TABLE("powerpc", powerpc_names),
	TABLE("loongarch", loongarch_names), TABLE("mips", mips_names),
};

const char *pfx_arch_reg_name(const char *machine, unsigned bit)
{
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (!strncmp(machine, tables[i].prefix, strlen(tables[i].prefix)))
			return bit < tables[i].nr ? tables[i].names[bit] : NULL;
	return NULL;
}
