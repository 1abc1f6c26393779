/* SPDX-License-Identifier: MIT */
/*
 * jitdump: the file in which a JIT compiler describes its code. It has a header and records in the
 * order in which they were written. Everything is borrowed from the bytes, which the caller owns;
 * nothing is allocated.
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
	struct pfx_cursor rest;         /* unread records */
	uint32_t version, machine, pid; /* machine: EM_* of ELF, 0 if the writer did not set it */
	uint64_t time, flags;
	uint64_t nr_bad;     /* skipped malformed records */
	uint64_t nr_unknown; /* skipped records of unknown types */
	bool cut_short;      /* the file ends inside a record */
	bool closed;         /* there is a CLOSE record */
};

enum pfx_jit_type {
	PFX_JIT_LOAD,
	PFX_JIT_MOVE,
	PFX_JIT_DEBUG_INFO,
	PFX_JIT_CLOSE,
	PFX_JIT_UNWINDING,
};

/* LOAD: a new function. */
struct pfx_jit_load {
	uint32_t pid, tid;
	uint64_t vma, addr, size, index;
	const char *name;
	const uint8_t *code; /* size bytes */
};

/* MOVE: a function was moved. */
struct pfx_jit_move {
	uint32_t pid, tid;
	uint64_t vma, old_addr, new_addr, size, index;
};

/* DEBUG_INFO: lines of the function in the next LOAD. */
struct pfx_jit_debug {
	uint64_t addr, nr;
	struct pfx_cursor entries;
	const char *file; /* file name of the previous entry */
};

/* UNWINDING: .eh_frame of the function in the next LOAD, followed by its search table
 * (.eh_frame_hdr). */
struct pfx_jit_unwinding {
	uint64_t size, header_size; /* bytes of both tables, and of the search table */
	/* Bytes mapped in the process, possibly rounded up; 0: not mapped. */
	uint64_t mapped_size;
	const uint8_t *data; /* size bytes */
};

struct pfx_jit_record {
	enum pfx_jit_type type;
	uint64_t time; /* unit as in the file, see PFX_JITDUMP_ARCH_TIME */
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

/* Start to read a jitdump of either byte order. -EBADMSG: not a jitdump. */
int pfx_jitdump_init(struct pfx_jitdump *dump, const void *data, size_t size,
		     struct pfx_error *err);
/* The next valid record: false at the end, or when the rest is damaged. */
bool pfx_jitdump_next(struct pfx_jitdump *dump, struct pfx_jit_record *ret);
/* The next line of a DEBUG_INFO record; false at the end. */
bool pfx_jit_debug_next(struct pfx_jit_debug *debug, struct pfx_jit_line *ret);

#endif
