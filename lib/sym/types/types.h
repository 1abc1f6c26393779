/* SPDX-License-Identifier: MIT */
/*
 * Which data an instruction accesses: the type that the memory has in the program's source, and
 * where in it. Known from the debug information, which says where variables are at each
 * instruction, and from the code of the function, followed from there on: what is copied, loaded
 * from members of known types, or put onto the stack. What does not follow from these is unknown;
 * nothing is guessed from how it looks. A function is read as a whole when the first of its
 * addresses is asked for.
 */
#ifndef PFX_SYM_TYPES_H
#define PFX_SYM_TYPES_H

#include "sym/code/decode.h"
#include "sym/dwarf/lines.h"

struct pfx_types;

enum pfx_data_kind {
	PFX_DATA_UNKNOWN,
	PFX_DATA_STACK,  /* pushes, pops, calls, returns, what the compiler keeps on the stack */
	PFX_DATA_CANARY, /* the guard of the stack */
	PFX_DATA_TYPE,
};

struct pfx_data {
	enum pfx_data_kind kind;
	const char *type;   /* "struct page", "int", "char*"; foreign text */
	const char *member; /* at the offset: "lru.next", "slots[].key"; "": none; foreign text */
	uint64_t offset;    /* bytes from the start of the type's data */
};

/* Borrows @lines, which must be of an ELF file and live longer. -ENOTSUP: its machine is not known
 * here, or no disassembler is there; -ENODATA: there are no types. */
int pfx_types_new(struct pfx_types **ret, struct pfx_lines *lines, struct pfx_error *err);
void pfx_types_free(struct pfx_types *types);
/* What the instruction at @offset (in the terms of pfx_lines_source()) accesses. The texts live as
 * long as @types. */
struct pfx_data pfx_types_find(struct pfx_types *types, uint64_t offset);
/* What can be told of an instruction alone: STACK, CANARY or UNKNOWN. */
enum pfx_data_kind pfx_types_of_op(const struct pfx_data_arch *arch, const struct pfx_op *op);

#endif
