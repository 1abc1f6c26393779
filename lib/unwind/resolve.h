/* SPDX-License-Identifier: MIT */
/*
 * From a sample to frames: which thread, which map and dso, which symbol. The resolver owns one
 * symbol table per dso, loaded when first asked for, and remembers each address, so that a lookup
 * is done once per distinct address and never once per sample. Places and chains live as long as
 * the resolver.
 */
#ifndef PFX_UNWIND_RESOLVE_H
#define PFX_UNWIND_RESOLVE_H

#include "event/sample.h"
#include "session/session.h"
#include "sym/symtab.h"

struct pfx_resolver;

/*
 * One place in a program. Places are unique: equal (dso, addr, ip, level) give the same pointer,
 * also across processes. sym, sym_id and frame_id are valid after pfx_place_symbol().
 */
struct pfx_place {
	uint32_t id;     /* small, in order of appearance */
	uint32_t sym_id; /* row of a table by symbol: equal for places in the same symbol of dsos of
			    the same short name; unresolved: equal for the same short name and addr
			  */
	uint32_t frame_id; /* node of a call tree: equal for places in the same symbol of the same
			      dso; unresolved: equal for the same dso and ip */
	uint64_t ip;       /* as sampled; unresolved frames of a chain show it */
	uint64_t addr;     /* in the dso's terms; what a symbol is looked up by */
	uint64_t shown; /* what a table shows for an unresolved sample: file offset, offset in the
			   module, ip in the kernel or outside of all maps */
	const struct pfx_map *map;    /* one that it was seen in; NULL: unknown */
	const struct pfx_dso *dso;    /* NULL: unknown, shown as [unknown] */
	const struct pfx_symbol *sym; /* NULL: unresolved */
	enum pfx_cpumode cpumode;     /* level; see pfx_place_level() */
	bool looked_up;               /* sym, sym_id and frame_id are final */
};

/* A resolved call chain: equal sequences of places give the same pointer and id. */
struct pfx_chain {
	uint32_t id; /* small, in order of appearance; 0 is the empty chain */
	uint32_t nr;
	struct pfx_place **places; /* leaf first, without context markers */
};

struct pfx_resolve_options {
	struct pfx_sym_options sym;
	uint32_t max_stack; /* frames of a chain at most; 0: 127 */
	bool keep_root;     /* what max_stack cuts off is at the leaf (order caller) */
};

/* How the walk through a copied stack ended. */
enum pfx_unwind_end {
	PFX_UNWIND_COMPLETE,   /* at the thread's entry, or at max_stack */
	PFX_UNWIND_SHORT_DUMP, /* the copy of the stack ends before */
	PFX_UNWIND_NO_CFI,     /* code without call frame information, and no frame pointer */
	PFX_UNWIND_NO_DSO,     /* a program that is not there, or is another build */
	PFX_UNWIND_BAD_CFI,    /* the information leads nowhere */
	PFX_UNWIND_NR_ENDS,
};

struct pfx_unwind_stats {
	uint64_t nr_chains;                   /* walked through copied stacks */
	uint64_t nr_ends[PFX_UNWIND_NR_ENDS]; /* of them, by end */
	uint64_t dump_size;                   /* bytes of the largest copy */
	bool cannot_read_cfi;                 /* no library for it is built in */
	const struct pfx_dso *missing;        /* one of those that are not there; NULL: none */
};

/* Borrows the session; copies the options (not the strings in them). */
struct pfx_resolver *pfx_resolver_new(struct pfx_session *session,
				      const struct pfx_resolve_options *options);
void pfx_resolver_free(struct pfx_resolver *resolver);

/* The place of @ip in @thread. Does not load symbols. */
struct pfx_place *pfx_resolve(struct pfx_resolver *resolver, struct pfx_thread *thread,
			      enum pfx_cpumode cpumode, uint64_t ip);
/* The symbol at the place, loading the dso's table when needed; NULL when there is none. */
const struct pfx_symbol *pfx_place_symbol(struct pfx_resolver *resolver, struct pfx_place *place);
/* The frames of the sample's callchain, leaf first, context markers taken out, at most max_stack.
 * Where the sample has user registers and a copy of the stack, the user's frames are found in them
 * and stand behind, again at most max_stack. The first entry is the sampled ip itself when the
 * chain starts with it. Valid until the next call. Returns their number. */
uint32_t pfx_resolve_chain(struct pfx_resolver *resolver, struct pfx_thread *thread,
			   const struct pfx_sample *sample, struct pfx_place ***ret);
/* The same, interned: one hash of the raw words when this chain was seen before with the same maps.
 * Never NULL. For consumers that count per distinct chain. */
const struct pfx_chain *pfx_resolve_chain_id(struct pfx_resolver *resolver,
					     struct pfx_thread *thread,
					     const struct pfx_sample *sample);
uint32_t pfx_resolver_nr_chains(const struct pfx_resolver *resolver);
const struct pfx_chain *pfx_resolver_chain_at(const struct pfx_resolver *resolver, uint32_t id);

/* How many chains came from copied stacks, and how many of them did not reach their end. */
const struct pfx_unwind_stats *pfx_resolver_unwind_stats(const struct pfx_resolver *resolver);

/* The symbol table of a dso, loaded when needed (never NULL). */
const struct pfx_symtab *pfx_resolver_symtab(struct pfx_resolver *resolver,
					     const struct pfx_dso *dso);
/* Why the table of @dso is empty, "" when it is not or was not asked for. */
const char *pfx_resolver_symtab_error(const struct pfx_resolver *resolver,
				      const struct pfx_dso *dso);
/* All places so far, by id. */
uint32_t pfx_resolver_nr_places(const struct pfx_resolver *resolver);
struct pfx_place *pfx_resolver_place_at(const struct pfx_resolver *resolver, uint32_t id);
/* The largest sym_id and frame_id so far, plus one: for arrays by them. */
uint32_t pfx_resolver_nr_sym_ids(const struct pfx_resolver *resolver);
uint32_t pfx_resolver_nr_frame_ids(const struct pfx_resolver *resolver);

/* The letter of the level in "[k]": k kernel, . user, g guest kernel, u guest user, H hypervisor.
 */
char pfx_place_level(const struct pfx_place *place);

#endif
