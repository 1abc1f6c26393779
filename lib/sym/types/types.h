/* SPDX-License-Identifier: MIT */
/*
 * Finds which data an instruction accesses: the source type of the memory, and the offset in it.
 * Uses the locations of variables from debug information, and follows addresses through the
 * function's code: copies, loads from members of known types, stack slots. Anything that does not
 * follow from these is unknown; there are no guesses. A whole function is analyzed on the first
 * look-up in it.
 */
#ifndef PFX_SYM_TYPES_H
#define PFX_SYM_TYPES_H

#include "sym/code/decode.h"
#include "sym/dwarf/lines.h"

struct pfx_types;

enum pfx_data_kind {
	PFX_DATA_UNKNOWN,
	PFX_DATA_STACK,  /* pushes, pops, calls, returns, spilled registers */
	PFX_DATA_CANARY, /* the stack protector's canary */
	PFX_DATA_TYPE,
};

struct pfx_data {
	enum pfx_data_kind kind;
	const char *type;   /* "struct page", "int", "char*"; untrusted text */
	const char *member; /* at the offset: "lru.next", "slots[].key"; "": none; untrusted text */
	uint64_t offset;    /* bytes from the start of the type */
	uint64_t size;      /* of the type; 0: unknown */
	uint32_t type_id;   /* for pfx_types_layout() */
};

/* A member of a struct or union, or of one in it. */
struct pfx_data_member {
	const char *name;      /* "": none; untrusted text */
	const char *type;      /* untrusted text */
	uint64_t offset, size; /* in bytes; the offset from the start of the outermost type */
	uint32_t depth;        /* of nesting: 0 for members of the type itself */
};

/* Borrows @lines, which must be of an ELF file and live longer. -ENOTSUP: unsupported machine, or
 * no disassembler; -ENODATA: no types. */
int pfx_types_new(struct pfx_types **ret, struct pfx_lines *lines, struct pfx_error *err);
void pfx_types_free(struct pfx_types *types);
/* The data that the instruction at @offset (as in pfx_lines_source()) accesses. The strings live as
 * long as @types. */
struct pfx_data pfx_types_find(struct pfx_types *types, uint64_t offset);
/* "struct page", or what else it is: "(stack operation)", "(stack canary)", "(unknown)". */
const char *pfx_data_name(const struct pfx_data *data);
/* Whether debug information describes the function at @offset. */
bool pfx_types_cover(struct pfx_types *types, uint64_t offset);
/* The members of the type with this id, each followed by its own members. Returns their number; 0:
 * not a struct or union. They live as long as @types. */
uint32_t pfx_types_layout(struct pfx_types *types, uint32_t type_id,
			  const struct pfx_data_member **ret);
/* The kind of an access as far as it follows from the instruction alone: STACK, CANARY or
 * UNKNOWN. */
enum pfx_data_kind pfx_types_of_op(const struct pfx_data_arch *arch, const struct pfx_op *op);

#endif
