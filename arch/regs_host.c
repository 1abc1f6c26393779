/* SPDX-License-Identifier: MIT */
/*
 * The registers of the machine that pfx was built for, numbered as in the kernel's perf_regs.h of
 * that architecture. Files of other machines bring their own mask; nothing here is for reading.
 */
#include "arch/regs_host.h"

#if defined(__x86_64__) && !defined(__ILP32__)
/* ax..ss and r8..r15; the segment registers ds, es, fs, gs (12 to 15) are refused. */
#define USER_REGS   0xff0fffull
#define VECTOR_REGS 0xffffffff00000000ull
#define FRAME_REGS  0x180ull
#elif defined(__i386__)
#define USER_REGS  0xfffull
#define FRAME_REGS 0x180ull
#elif defined(__loongarch__)
/* program counter, r1 to r31; r3 is the stack pointer. */
#define USER_REGS  ((1ull << 32) - 1)
#define FRAME_REGS (1ull << 0 | 1ull << 3)
#elif defined(__aarch64__)
/* 31 general registers, stack pointer, program counter. */
#define USER_REGS  ((1ull << 33) - 1)
#define FRAME_REGS (1ull << 31 | 1ull << 32)
#define LEAF_REGS  (1ull << 30)
#elif defined(__arm__)
#define USER_REGS  ((1ull << 16) - 1)
#define FRAME_REGS (1ull << 13 | 1ull << 15)
#elif defined(__riscv)
#define USER_REGS  ((1ull << 32) - 1)
#define FRAME_REGS (1ull << 0 | 1ull << 2)
#elif defined(__s390x__)
/* 16 general, 16 floating point, PSW mask and address. */
#define USER_REGS  ((1ull << 34) - 1)
#define FRAME_REGS (1ull << 15 | 1ull << 33)
#elif defined(__powerpc64__)
#define USER_REGS  ((1ull << 45) - 1)
#define FRAME_REGS (1ull << 1 | 1ull << 32)
#else
#define USER_REGS 0ull
#endif

#ifndef VECTOR_REGS
#define VECTOR_REGS 0ull
#endif
#ifndef FRAME_REGS
#define FRAME_REGS 0ull
#endif

#ifndef LEAF_REGS
#define LEAF_REGS 0ull
#endif

uint64_t pfx_arch_host_user_regs(void)
{
	return USER_REGS;
}

uint64_t pfx_arch_host_vector_regs(void)
{
	return VECTOR_REGS;
}

uint64_t pfx_arch_host_leaf_regs(void)
{
	return LEAF_REGS;
}

uint64_t pfx_arch_host_frame_regs(void)
{
	return FRAME_REGS;
}
