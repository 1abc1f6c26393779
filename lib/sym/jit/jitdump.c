/* SPDX-License-Identifier: MIT */
/*
 * Decodes jitdump, version 1. The bytes are untrusted: a sub-cursor limits each record to its size,
 * and all sizes in a record are checked against it.
 *
 *	file	u32 magic, version, header size, ELF machine, 0, pid; u64 time, flags
 *	record	u32 type, size; u64 time; then by type
 *	0 LOAD		u32 pid, tid; u64 vma, addr, size, index; name NUL; code
 *	1 MOVE		u32 pid, tid; u64 vma, old, new, size, index
 *	2 DEBUG_INFO	u64 addr, nr; nr times {u64 addr; u32 line, discriminator; file NUL}
 *	3 CLOSE		nothing
 *	4 UNWINDING	u64 size, header size, mapped size; bytes
 */
#include "sym/jit/jitdump.h"

#include <errno.h>
#include <string.h>

#define MAGIC        0x4a695444u
#define HEADER_SIZE  40
#define PREFIX_SIZE  16
#define VERSION      1
#define ENTRY_SIZE   17     /* minimum size of a line entry, with the shortest name */
#define MAPPED_ALIGN 65536  /* writers round the mapped size up to at most the page size */
#define SAME_FILE    "\xff" /* means the file name of the previous entry */

int pfx_jitdump_init(struct pfx_jitdump *dump, const void *data, size_t size, struct pfx_error *err)
{
	struct pfx_cursor c = pfx_cursor_make(data, size, false);
	uint32_t magic = pfx_cursor_u32(&c), header_size;

	memset(dump, 0, sizeof(*dump));
	if (magic != MAGIC && magic != __builtin_bswap32(MAGIC))
		return pfx_error_set(err, EBADMSG, "it is not a jitdump");
	c.swap = magic != MAGIC;
	dump->version = pfx_cursor_u32(&c);
	header_size = pfx_cursor_u32(&c);
	dump->machine = pfx_cursor_u32(&c);
	pfx_cursor_skip(&c, 4);
	dump->pid = pfx_cursor_u32(&c);
	dump->time = pfx_cursor_u64(&c);
	dump->flags = pfx_cursor_u64(&c);
	if (!pfx_cursor_ok(&c))
		return pfx_error_set(err, ENODATA, "it ends inside its header");
	if (dump->version != VERSION)
		return pfx_error_set(err, EPROTONOSUPPORT, "it is of version %u, not %u",
				     dump->version, VERSION);
	if (header_size < HEADER_SIZE)
		return pfx_error_set(err, EBADMSG, "its header has %u bytes, not %u", header_size,
				     HEADER_SIZE);
	pfx_cursor_skip(&c, header_size - HEADER_SIZE);
	if (!pfx_cursor_ok(&c))
		return pfx_error_set(err, ENODATA, "it ends inside its header");
	dump->rest = c;
	return 0;
}

static void decode_load(struct pfx_cursor *c, struct pfx_jit_load *ret)
{
	ret->pid = pfx_cursor_u32(c);
	ret->tid = pfx_cursor_u32(c);
	ret->vma = pfx_cursor_u64(c);
	ret->addr = pfx_cursor_u64(c);
	ret->size = pfx_cursor_u64(c);
	ret->index = pfx_cursor_u64(c);
	ret->name = pfx_cursor_cstr(c);
	ret->code = pfx_cursor_bytes(c, ret->size);
}

static void decode_move(struct pfx_cursor *c, struct pfx_jit_move *ret)
{
	ret->pid = pfx_cursor_u32(c);
	ret->tid = pfx_cursor_u32(c);
	ret->vma = pfx_cursor_u64(c);
	ret->old_addr = pfx_cursor_u64(c);
	ret->new_addr = pfx_cursor_u64(c);
	ret->size = pfx_cursor_u64(c);
	ret->index = pfx_cursor_u64(c);
}

static void decode_debug(struct pfx_cursor *c, struct pfx_jit_debug *ret)
{
	ret->addr = pfx_cursor_u64(c);
	ret->nr = pfx_cursor_u64(c);
	pfx_cursor_fits(c, ret->nr, ENTRY_SIZE);
	ret->entries = *c;
	ret->file = "";
}

static void decode_unwinding(struct pfx_cursor *c, struct pfx_jit_unwinding *ret)
{
	ret->size = pfx_cursor_u64(c);
	ret->header_size = pfx_cursor_u64(c);
	ret->mapped_size = pfx_cursor_u64(c);
	ret->data = pfx_cursor_bytes(c, ret->size);
	if (ret->header_size > ret->size ||
	    ret->mapped_size > (ret->size + MAPPED_ALIGN - 1) / MAPPED_ALIGN * MAPPED_ALIGN)
		c->failed = true;
}

/* True when the record is returned to the caller. */
static bool decode(struct pfx_jitdump *dump, uint32_t type, struct pfx_cursor *c,
		   struct pfx_jit_record *ret)
{
	switch (type) {
	case PFX_JIT_LOAD:
		decode_load(c, &ret->load);
		break;
	case PFX_JIT_MOVE:
		decode_move(c, &ret->move);
		break;
	case PFX_JIT_DEBUG_INFO:
		decode_debug(c, &ret->debug);
		break;
	case PFX_JIT_CLOSE:
		dump->closed = true;
		break;
	case PFX_JIT_UNWINDING:
		decode_unwinding(c, &ret->unwinding);
		break;
	default:
		dump->nr_unknown++;
		return false;
	}
	dump->nr_bad += !pfx_cursor_ok(c);
	return pfx_cursor_ok(c);
}

static bool end_cut(struct pfx_jitdump *dump)
{
	dump->cut_short = pfx_cursor_left(&dump->rest) > 0;
	dump->rest.at = dump->rest.end;
	return false;
}

bool pfx_jitdump_next(struct pfx_jitdump *dump, struct pfx_jit_record *ret)
{
	struct pfx_cursor body;
	uint32_t type, size;

	for (;;) {
		if (pfx_cursor_left(&dump->rest) < PREFIX_SIZE)
			return end_cut(dump);
		type = pfx_load32(dump->rest.at, dump->rest.swap);
		size = pfx_load32(dump->rest.at + 4, dump->rest.swap);
		if (size < PREFIX_SIZE || size > pfx_cursor_left(&dump->rest))
			return end_cut(dump);
		memset(ret, 0, sizeof(*ret));
		ret->type = (enum pfx_jit_type)type;
		ret->time = pfx_load64(dump->rest.at + 8, dump->rest.swap);
		body = pfx_cursor_sub(&dump->rest, size);
		pfx_cursor_skip(&body, PREFIX_SIZE);
		if (decode(dump, type, &body, ret))
			return true;
	}
}

bool pfx_jit_debug_next(struct pfx_jit_debug *debug, struct pfx_jit_line *ret)
{
	struct pfx_cursor *c = &debug->entries;

	if (!debug->nr)
		return false;
	debug->nr--;
	ret->addr = pfx_cursor_u64(c);
	ret->line = pfx_cursor_u32(c);
	ret->discriminator = pfx_cursor_u32(c);
	ret->file = pfx_cursor_cstr(c);
	if (!pfx_cursor_ok(c)) {
		debug->nr = 0;
		return false;
	}
	if (!strcmp(ret->file, SAME_FILE))
		ret->file = debug->file;
	debug->file = ret->file;
	return true;
}
