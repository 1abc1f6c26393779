/* SPDX-License-Identifier: MIT */
/*
 * From a sample to frames: which thread, which map and dso, which symbol. The resolver owns one
 * symbol table per dso, loaded when first asked for, and remembers each address, so that a lookup
 * is done once per distinct address and never once per sample.
 */
#ifndef PFX_UNWIND_RESOLVE_H
#define PFX_UNWIND_RESOLVE_H

#include "event/sample.h"
#include "session/session.h"
#include "sym/symtab.h"

struct pfx_resolver;

/* One place in a program. Places are unique: equal (map, address) give the same pointer. */
struct pfx_place {
	uint32_t id;     /* small, in order of appearance */
	uint32_t sym_id; /* equal for places in the same symbol; for unresolved ones, own */
	uint64_t ip;     /* as sampled */
	uint64_t addr;   /* in the dso's terms */
	const struct pfx_map *map;    /* NULL: unknown */
	const struct pfx_dso *dso;    /* NULL: unknown */
	const struct pfx_symbol *sym; /* NULL: unresolved; pfx_place_symbol() fills it */
	enum pfx_cpumode cpumode;
	bool looked_up; /* sym is final */
};

struct pfx_resolve_options {
	struct pfx_sym_options sym;
	uint32_t max_stack; /* frames of a chain at most; 0: 127 */
};

/* Borrows the session. */
struct pfx_resolver *pfx_resolver_new(struct pfx_session *session,
				      const struct pfx_resolve_options *options);
void pfx_resolver_free(struct pfx_resolver *resolver);

/* The place of @ip in @thread. Does not load symbols. */
struct pfx_place *pfx_resolve(struct pfx_resolver *resolver, struct pfx_thread *thread,
			      enum pfx_cpumode cpumode, uint64_t ip);
/* The symbol at the place, loading the dso's table when needed; NULL when there is none. */
const struct pfx_symbol *pfx_place_symbol(struct pfx_resolver *resolver, struct pfx_place *place);
/* The frames of the sample's callchain, leaf first, context markers taken out, at most max_stack.
 * The first entry is the sampled ip itself when the chain starts with it. Valid until the next
 * call. Returns their number. */
uint32_t pfx_resolve_chain(struct pfx_resolver *resolver, struct pfx_thread *thread,
			   const struct pfx_sample *sample, struct pfx_place ***ret);
/* The symbol table of a dso, loaded when needed (never NULL). */
const struct pfx_symtab *pfx_resolver_symtab(struct pfx_resolver *resolver,
					     const struct pfx_dso *dso);
/* All places so far, by id. */
uint32_t pfx_resolver_nr_places(const struct pfx_resolver *resolver);
struct pfx_place *pfx_resolver_place_at(const struct pfx_resolver *resolver, uint32_t id);

#endif
