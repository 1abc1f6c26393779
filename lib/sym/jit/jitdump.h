/* SPDX-License-Identifier: MIT */
/*
 * jitdump: what a JIT compiler writes about the code it makes. A file has a header and records in
 * the order in which they were made. All is borrowed from the bytes, which the caller owns; nothing
 * is allocated.
 */
#ifndef PFX_SYM_JITDUMP_H
#define PFX_SYM_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/error.h"

#define PFX_JITDUMP_ARCH_TIME                                              \
	1 /* flag: times are of the CPU's counter, else CLOCK_MONOTONIC ns \
	   */

struct pfx_jitdump {
	struct pfx_cursor rest;         /* records that were not read yet */
	uint32_t version, machine, pid; /* machine: EM_* of ELF, 0 where the writer left it out */
	uint64_t time, flags;
	uint64_t nr_bad;     /* records that do not make sense, skipped */
	uint64_t nr_unknown; /* of unknown types, skipped */
	bool cut_short;      /* the file ends inside a record */
	bool closed;         /* the writer said that it was done */
};

enum pfx_jit_type {
	PFX_JIT_LOAD,
	PFX_JIT_MOVE,
	PFX_JIT_DEBUG_INFO,
	PFX_JIT_CLOSE,
	PFX_JIT_UNWINDING,
};

/* A function was made. */
struct pfx_jit_load {
	uint32_t pid, tid;
	uint64_t vma, addr, size, index;
	const char *name;
	const uint8_t *code; /* size bytes */
};

/* A function went to another place. */
struct pfx_jit_move {
	uint32_t pid, tid;
	uint64_t vma, old_addr, new_addr, size, index;
};

/* Lines of the function that the next LOAD tells. */
struct pfx_jit_debug {
	uint64_t addr, nr;
	struct pfx_cursor entries;
	const char *file; /* of the entry before */
};

/* Tables for the function that the next LOAD tells: .eh_frame, and its search table behind it. */
struct pfx_jit_unwinding {
	uint64_t size, header_size; /* bytes of both tables, and of the search table alone */
	/* How much of the process's memory it takes, which may be rounded up; 0: not there. */
	uint64_t mapped_size;
	const uint8_t *data; /* size bytes */
};

struct pfx_jit_record {
	enum pfx_jit_type type;
	uint64_t time; /* as the file has it, see PFX_JITDUMP_ARCH_TIME */
	union {
		struct pfx_jit_load load;
		struct pfx_jit_move move;
		struct pfx_jit_debug debug;
		struct pfx_jit_unwinding unwinding;
	};
};

struct pfx_jit_line {
	uint64_t addr;
	uint32_t line, discriminator;
	const char *file;
};

/* Begin to read a jitdump of either byte order. -EBADMSG: it is none. */
int pfx_jitdump_init(struct pfx_jitdump *dump, const void *data, size_t size,
		     struct pfx_error *err);
/* The next record that makes sense: false at the end, which damage may have brought. */
bool pfx_jitdump_next(struct pfx_jitdump *dump, struct pfx_jit_record *ret);
/* The next line of a DEBUG_INFO record; false at the end. */
bool pfx_jit_debug_next(struct pfx_jit_debug *debug, struct pfx_jit_line *ret);

#endif
