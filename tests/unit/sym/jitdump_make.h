/* SPDX-License-Identifier: MIT */
/* A jitdump with one record of each type, in either byte order. */
#ifndef PFX_TESTS_JITDUMP_MAKE_H
#define PFX_TESTS_JITDUMP_MAKE_H

#include <string.h>

#include "base/buffer.h"

#define JIT_PID  4711
#define JIT_ADDR 0x7f0000001000ull

static const uint8_t jit_code[] = {0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3, 0x90, 0x90, 0x90};
static const uint8_t jit_tables[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static inline void jit_header(struct pfx_buffer *b, uint32_t size, uint64_t flags)
{
	pfx_buffer_u32(b, 0x4a695444);
	pfx_buffer_u32(b, 1);
	pfx_buffer_u32(b, size);
	pfx_buffer_u32(b, 62);
	pfx_buffer_u32(b, 0);
	pfx_buffer_u32(b, JIT_PID);
	pfx_buffer_u64(b, 1000);
	pfx_buffer_u64(b, flags);
	pfx_buffer_zeros(b, size - 40);
}

static inline size_t jit_begin(struct pfx_buffer *b, uint32_t type, uint64_t time)
{
	size_t start = b->len;

	pfx_buffer_u32(b, type);
	pfx_buffer_u32(b, 0);
	pfx_buffer_u64(b, time);
	return start;
}

static inline void jit_end(struct pfx_buffer *b, size_t start)
{
	pfx_buffer_patch32(b, start + 4, (uint32_t)(b->len - start));
}

static inline void jit_line(struct pfx_buffer *b, uint64_t addr, uint32_t line, const char *file)
{
	pfx_buffer_u64(b, addr);
	pfx_buffer_u32(b, line);
	pfx_buffer_u32(b, 0);
	pfx_buffer_cstr(b, file, 1);
}

static inline void jit_debug(struct pfx_buffer *b)
{
	size_t start = jit_begin(b, 2, 1100);

	pfx_buffer_u64(b, JIT_ADDR);
	pfx_buffer_u64(b, 3);
	jit_line(b, JIT_ADDR + 3, 11, "app.js");
	jit_line(b, JIT_ADDR, 10, "\xff");
	jit_line(b, JIT_ADDR + 500, 12, "far.js");
	jit_end(b, start);
}

static inline void jit_unwinding(struct pfx_buffer *b)
{
	size_t start = jit_begin(b, 4, 1100);

	pfx_buffer_u64(b, sizeof(jit_tables));
	pfx_buffer_u64(b, 4);
	pfx_buffer_u64(b, sizeof(jit_tables));
	pfx_buffer_bytes(b, jit_tables, sizeof(jit_tables));
	jit_end(b, start);
}

static inline void jit_load(struct pfx_buffer *b)
{
	size_t start = jit_begin(b, 0, 1200);

	pfx_buffer_u32(b, JIT_PID);
	pfx_buffer_u32(b, JIT_PID + 1);
	pfx_buffer_u64(b, JIT_ADDR);
	pfx_buffer_u64(b, JIT_ADDR);
	pfx_buffer_u64(b, sizeof(jit_code));
	pfx_buffer_u64(b, 5);
	pfx_buffer_cstr(b, "app:run", 1);
	pfx_buffer_bytes(b, jit_code, sizeof(jit_code));
	jit_end(b, start);
}

static inline void jit_move(struct pfx_buffer *b)
{
	size_t start = jit_begin(b, 1, 1300);

	pfx_buffer_u32(b, JIT_PID);
	pfx_buffer_u32(b, JIT_PID + 1);
	pfx_buffer_u64(b, JIT_ADDR);
	pfx_buffer_u64(b, JIT_ADDR);
	pfx_buffer_u64(b, JIT_ADDR + 0x1000);
	pfx_buffer_u64(b, sizeof(jit_code));
	pfx_buffer_u64(b, 5);
	jit_end(b, start);
}

/*
 * A trampoline as CPython 3.13 writes it: the jitdump contains no machine, functions are 0x110
 * bytes apart, the tables have no terminator, and their size in memory is rounded up.
 */
#define PYTHON_CODE   11u /* sub $8,%rsp; call *%rcx; add $8,%rsp; ret */
#define PYTHON_CALL   6u  /* offset of the call's return address */
#define PYTHON_STRIDE 0x110u
#define PYTHON_FRAMES 48u /* .eh_frame: 24 bytes each of a CIE and an FDE */
#define PYTHON_HEADER 20u /* .eh_frame_hdr with one entry */

static const uint8_t python_code[PYTHON_CODE] = {0x48, 0x83, 0xec, 8, 0xff, 0xd1,
						 0x48, 0x83, 0xc4, 8, 0xc3};
static const uint8_t python_tables[PYTHON_FRAMES + PYTHON_HEADER] = {
	/* CIE: the CFA is rsp + 8, the return address is below it */
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0,
	/* FDE: the code is 0x30 bytes before its address; after 4 bytes rsp + 16, 6 later + 8 */
	20, 0, 0, 0, 28, 0, 0, 0, 0xd0, 0xff, 0xff, 0xff, PYTHON_CODE, 0, 0, 0, 0, 0x44, 0x0e, 16,
	0x46, 0x0e, 8, 0,
	/* where the frames are; one entry: the code, its FDE */
	1, 0x1b, 0x03, 0x3b, 0xcc, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0xc0, 0xff, 0xff, 0xff, 0xe8, 0xff,
	0xff, 0xff};

static inline void jit_python_function(struct pfx_buffer *b, uint32_t pid, uint64_t addr,
				       uint64_t index)
{
	size_t start = jit_begin(b, 4, 1100);

	pfx_buffer_u64(b, sizeof(python_tables));
	pfx_buffer_u64(b, PYTHON_HEADER);
	pfx_buffer_u64(b, 80);
	pfx_buffer_bytes(b, python_tables, sizeof(python_tables));
	pfx_buffer_zeros(b, 4);
	jit_end(b, start);
	start = jit_begin(b, 0, 1200);
	pfx_buffer_u32(b, pid);
	pfx_buffer_u32(b, pid);
	pfx_buffer_u64(b, addr);
	pfx_buffer_u64(b, addr);
	pfx_buffer_u64(b, PYTHON_CODE);
	pfx_buffer_u64(b, index);
	pfx_buffer_cstr(b, "py::main:app.py", 1);
	pfx_buffer_bytes(b, python_code, PYTHON_CODE);
	jit_end(b, start);
}

/* @nr trampolines, from @addr on. */
static inline void jit_python(struct pfx_buffer *b, uint32_t pid, uint64_t addr, unsigned nr)
{
	unsigned i;

	jit_header(b, 40, 0);
	memset(b->at + 12, 0, 4); /* no machine */
	for (i = 0; i < nr; i++)
		jit_python_function(b, pid, addr + i * PYTHON_STRIDE, i + 1);
}

static inline void jit_make(struct pfx_buffer *b, bool swap)
{
	*b = (struct pfx_buffer){.swap = swap};
	jit_header(b, 48, 0);
	jit_debug(b);
	jit_unwinding(b);
	jit_load(b);
	jit_end(b, jit_begin(b, 99, 1250));
	jit_move(b);
	jit_end(b, jit_begin(b, 3, 1400));
}

#endif
