/* SPDX-License-Identifier: MIT */
/*
 * Builds a symbol table: symbols are added in any order, then the table is finished (sorted, one
 * symbol per address, all ends set) and only read afterwards.
 */
#ifndef PFX_SYM_SYMTAB_INTERNAL_H
#define PFX_SYM_SYMTAB_INTERNAL_H

#include <pthread.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "sym/table/symtab.h"

/* A range of addresses that belongs to a symbol. */
struct pfx_symbol_run {
	uint64_t start, end;
};

/* A slot of the global offset table, and the symbol of its relocation as the file has it. */
struct pfx_got_slot {
	uint64_t addr;
	const char *name; /* in the arena */
};

struct pfx_symtab {
	struct pfx_arena arena;
	PFX_VEC(struct pfx_symbol) syms;
	uint32_t *parents; /* for overlaps: the nearest earlier symbol that covers this one's start;
			      NULL without overlaps */
	bool full_names;   /* demangled names include parameters */
	uint8_t *is_final; /* the name already has its displayed form */
	pthread_mutex_t lock; /* protects the arena and names that are demangled on first use */
	bool keep_names;      /* do not demangle */
	bool last_wins;       /* of overlapping symbols, the one added last wins */
	PFX_VEC(struct pfx_symbol_run) runs; /* by symbol; only if last_wins */
	size_t repeats_from; /* index where a second copy of the same symbols begins; 0: none */
	const char *source;
	const char *lack;                   /* why symbols may be missing, or "" */
	uint64_t moved;                     /* added to all addresses of the source */
	PFX_VEC(struct pfx_got_slot) slots; /* by address */
	PFX_VEC(void *) owned;              /* memory that holds names; freed with the table */
};

struct pfx_symtab *pfx_symtab_new(bool keep_names);
/* Append a symbol of @size bytes (0: up to the next symbol). The name is borrowed and must live as
 * long as the table: in its arena, in `owned`, or constant. */
static inline void pfx_symtab_add(struct pfx_symtab *tab, uint64_t start, uint64_t size,
				  const char *name, char binding, bool is_func)
{
	uint64_t end = start + size < start ? UINT64_MAX : start + size;

	pfx_vec_push(&tab->syms, ((struct pfx_symbol){.start = start,
						      .end = end,
						      .name = name,
						      .binding = binding,
						      .is_func = is_func,
						      .is_label = !size}));
}
/* Transfer ownership of @memory to the table. */
void pfx_symtab_own(struct pfx_symtab *tab, void *memory);
void pfx_symtab_set_source(struct pfx_symtab *tab, const char *path);
/* Sort the symbols and set all ends; afterwards the table is only read. */
void pfx_symtab_finish(struct pfx_symtab *tab);
/* Remove all symbols. */
void pfx_symtab_reset(struct pfx_symtab *tab);

/* Assign each byte to the last added symbol that covers it. A symbol with several separate ranges
 * appears once for each. (symtab_reuse.c) */
void pfx_symtab_let_last_win(struct pfx_symtab *tab);

/* Whether a name is longer than PFX_NAME_LIMIT, and the truncated name. @readable (NULL: none) is
 * shown instead of @name and is copied into @arena; @name is borrowed unless it is truncated. */
bool pfx_name_is_long(const char *name);
const char *pfx_name_cut(struct pfx_arena *arena, const char *name, const char *readable);

/* The demangled form of an OCaml name, or NULL; the caller frees. */
char *pfx_demangle_ocaml(const char *name);

#endif
