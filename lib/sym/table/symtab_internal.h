/* SPDX-License-Identifier: MIT */
/*
 * How a symbol table is built: symbols are added in any order, then the table is finished (sorted,
 * one symbol per address, every symbol with an end) and from then on only read.
 */
#ifndef PFX_SYM_SYMTAB_INTERNAL_H
#define PFX_SYM_SYMTAB_INTERNAL_H

#include <pthread.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "sym/table/symtab.h"

/* What a symbol has of its bytes. */
struct pfx_symbol_run {
	uint64_t start, end;
};

struct pfx_symtab {
	struct pfx_arena arena;
	PFX_VEC(struct pfx_symbol) syms;
	uint32_t *parents;    /* overlaps: the nearest symbol before that reaches over this one's
				 start;    NULL when there are none */
	bool full_names;      /* readable names have their parameters */
	uint8_t *is_final;    /* the name has the form in which it is shown */
	pthread_mutex_t lock; /* of readable names that are made on the way, and the arena */
	bool keep_names;      /* no readable forms are wanted */
	bool last_wins;       /* of symbols that overlap the one that was added last counts */
	PFX_VEC(struct pfx_symbol_run) runs; /* by symbol; of a table where the last one counts */
	size_t repeats_from; /* symbols from here on are those before over again; 0: none */
	const char *source;
	const char *lack;      /* why there may be more symbols than these, "" */
	uint64_t moved;        /* all symbols, from where the source says */
	PFX_VEC(void *) owned; /* freed with the table: text that names lie in */
};

struct pfx_symtab *pfx_symtab_new(bool keep_names);
/* Append a symbol of @size bytes (0: up to the next one). The name is borrowed and must live as
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
/* Give the table memory to free at its end. */
void pfx_symtab_own(struct pfx_symtab *tab, void *memory);
void pfx_symtab_set_source(struct pfx_symtab *tab, const char *path);
/* Sort what was added and give every symbol an end; from then on the table is only read. */
void pfx_symtab_finish(struct pfx_symtab *tab);
/* Forget what was added. */
void pfx_symtab_reset(struct pfx_symtab *tab);

/* Give each byte to the last symbol that was added of those that have it: runs for the symbols, one
 * after another; a symbol of several runs is there so many times. (symtab_reuse.c) */
void pfx_symtab_let_last_win(struct pfx_symtab *tab);

/* PFX_NAME_LIMIT: whether a name is longer, and what is shown of it. @readable (NULL: none) counts
 * instead and is copied into @arena; @name is borrowed, unless it is cut. */
bool pfx_name_is_long(const char *name);
const char *pfx_name_cut(struct pfx_arena *arena, const char *name, const char *readable);

/* The readable form of an OCaml name, or NULL; the caller frees. */
char *pfx_demangle_ocaml(const char *name);

#endif
