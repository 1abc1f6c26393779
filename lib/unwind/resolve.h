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
#include "sym/dwarf/lines.h"
#include "sym/find/request.h"
#include "sym/table/symtab.h"
#include "sym/types/types.h"

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
	const struct pfx_map *map;        /* one that it was seen in; NULL: unknown */
	const struct pfx_dso *dso;        /* NULL: unknown, shown as [unknown] */
	const struct pfx_symbol *sym;     /* NULL: unresolved */
	enum pfx_cpumode cpumode;         /* level; see pfx_place_level() */
	bool looked_up;                   /* sym, sym_id and frame_id are final */
	bool is_return;                   /* addr is where a call goes on, one behind it */
	const struct pfx_inlined *callee; /* what it calls is inlined in it; see place_source */
};

/* Where the bounds of a function without a name come from, as JSON has it. */
#define PFX_BOUNDS_FROM "unwind information"

/* Whether a table of symbols names it: not where its function is known by its bounds alone. */
static inline bool pfx_place_has_name(const struct pfx_place *place)
{
	return place->sym && !place->sym->is_nameless;
}

/* A branch of a history, which stands in a chain as two frames: where it went to, and where it came
 * from. */
struct pfx_branch_step {
	struct pfx_branch branch;
	uint32_t nr_loops; /* times that a loop went round before, which are left out */
	uint64_t loop_cycles;
};

/* Who walks through copied stacks. */
enum pfx_unwind_style {
	PFX_UNWIND_ROWS, /* our own rows; libunwind only for what they cannot express */
	PFX_UNWIND_LIBUNWIND,
	PFX_UNWIND_LIBDW,
};

struct pfx_resolve_options {
	struct pfx_sym_options sym;
	enum pfx_unwind_style unwind;
	uint32_t max_stack; /* frames of a chain at most; 0: 127 */
	bool inlines;       /* inlined functions are wanted in chains */
	bool full_source_path;
	bool stitch_lbr;     /* callers that a full branch stack lost, from the sample before */
	bool branch_history; /* the branches before a sample stand in front of its chain */
	bool keep_root;      /* what max_stack cuts off is at the leaf (order caller) */
};

/* How the walk through a copied stack ended. */
enum pfx_unwind_end {
	PFX_UNWIND_COMPLETE,   /* at the thread's entry, or at max_stack */
	PFX_UNWIND_SHORT_DUMP, /* the copy of the stack ends before */
	PFX_UNWIND_NO_CFI,     /* code without call frame information, and no frame pointer */
	PFX_UNWIND_MADE_CODE,  /* the same of code that was made at run time */
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

/* To be told of each record in order of time, before it is applied or looked into: the functions of
 * JIT compilers appear in the session when they appeared in their process. */
void pfx_resolver_follow(struct pfx_resolver *resolver, const struct pfx_record *rec);
/* Whether code of JIT compilers is going to appear with one of the next records. */
bool pfx_resolver_expects_code(const struct pfx_resolver *resolver);
/* What was wrong with jitdumps: sentences until NULL with i = 0, 1, ... */
const char *pfx_resolver_jit_note(const struct pfx_resolver *resolver, uint32_t i);

/* The id of the place of @ip in @thread: all that counting needs. */
uint32_t pfx_resolve_id(struct pfx_resolver *resolver, struct pfx_thread *thread,
			enum pfx_cpumode cpumode, uint64_t ip);
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
/*
 * The same as a number: equal sequences of places have the same one, 0 is the empty chain. For
 * consumers that count per distinct chain. Numbers are small, in order of appearance, and also
 * stand for the outer parts of chains, in which what chains have in common at the root is there
 * once. A distinct chain takes 60 to 70 bytes for each 8 frames that no other one has, and as much
 * for what is left of them, whatever its length.
 */
uint32_t pfx_resolve_chain_id(struct pfx_resolver *resolver, struct pfx_thread *thread,
			      const struct pfx_sample *sample);
/*
 * That number in two steps: the frames of the chain as numbers, valid until the next call, and the
 * chain that they are. Another thread may do the second one, for one chain after another, while
 * this one asks for anything but chains by their number.
 */
uint32_t pfx_resolve_frames(struct pfx_resolver *resolver, struct pfx_thread *thread,
			    const struct pfx_sample *sample, const uint32_t **ret);
uint32_t pfx_chain_of_frames(struct pfx_resolver *resolver, const uint32_t *frames, uint32_t nr);
/* The second step for @nr chains, which is faster than one after the other: @frames has the frames
 * of all, @nr_frames how many each one has; the chains go to @ids. */
void pfx_chains_of_frames(struct pfx_resolver *resolver, const uint32_t *frames,
			  const uint32_t *nr_frames, uint32_t nr, uint32_t *ids);
/* The branches in front of the chain that was resolved last, the newest first; 0 where there are
 * none. With options.branch_history only. Valid until the next call. */
uint32_t pfx_resolver_branches(const struct pfx_resolver *resolver,
			       const struct pfx_branch_step **ret);
/* The frames of a chain, leaf first, with the functions inlined in them, each a place of its own in
 * front of the one that it stands in; without options.inlines just the frames. Loads symbols and,
 * once for each distinct address, debug information. Valid until the next call. Returns their
 * number. */
uint32_t pfx_chain_frames(struct pfx_resolver *resolver, uint32_t chain, struct pfx_place ***ret);
/* The same in parts, for who keeps what was made of the outer ones: the innermost frames of a
 * chain, and the chain of all others. */
uint32_t pfx_chain_inner_frames(struct pfx_resolver *resolver, uint32_t chain,
				struct pfx_place ***ret);
uint32_t pfx_chain_outer(const struct pfx_resolver *resolver, uint32_t chain);
/* What is going to be asked: the symbols of these places and of the frames of these chains, by id,
 * the functions inlined in the frames (options.inlines), and source lines. What of it takes long is
 * found now, on as many threads as pay. It saves time and changes no result. */
struct pfx_prepare {
	const uint32_t *places, *chains;
	uint32_t nr_places, nr_chains;
	bool place_sources, frame_sources;
};
void pfx_resolver_prepare(struct pfx_resolver *resolver, const struct pfx_prepare *wanted);
/* The source line of a place, or of the call in it that the chain goes on with; false when it is
 * unknown. Its strings live as long as the resolver. */
bool pfx_place_source(struct pfx_resolver *resolver, const struct pfx_place *place,
		      struct pfx_source *ret);
/* The same as text, "file:line", with the file's folder where options.full_source_path asks for it;
 * "??:0" when a binary does not tell, NULL for what has no binary at hand. Equal texts are the same
 * pointer. */
const char *pfx_place_srcline(struct pfx_resolver *resolver, const struct pfx_place *place);
/* Whether its binary has debug information, and tells lines of some addresses at least. */
bool pfx_place_has_lines(struct pfx_resolver *resolver, const struct pfx_place *place);
/* Its file alone. */
const char *pfx_place_srcfile(struct pfx_resolver *resolver, const struct pfx_place *place);
/* Copy the code at the place, at most @size bytes, out of the binary that ran; returns how many
 * there are, 0 when it is not at hand. */
size_t pfx_place_code(struct pfx_resolver *resolver, const struct pfx_place *place, void *to,
		      size_t size);
/* What data the instruction at the place accesses. Its texts live as long as the resolver. */
struct pfx_data pfx_place_data(struct pfx_resolver *resolver, const struct pfx_place *place);
/* -ENOTSUP and a sentence where nothing could be known of that: no disassembler is there, or it is
 * another machine's code. */
int pfx_resolver_check_types(const struct pfx_resolver *resolver, struct pfx_error *err);
/* Above the numbers of all chains so far. */
uint32_t pfx_resolver_nr_chains(const struct pfx_resolver *resolver);

/* Whether the recording's stacks can be walked as the options say: -ENOTSUP and a sentence where
 * the library is not built in, or is one for other machines. */
int pfx_resolver_check_unwind(const struct pfx_resolver *resolver, struct pfx_error *err);
/* How many chains came from copied stacks, and how many of them did not reach their end. */
const struct pfx_unwind_stats *pfx_resolver_unwind_stats(const struct pfx_resolver *resolver);

/* The symbol table of a dso, loaded when needed (never NULL). */
const struct pfx_symtab *pfx_resolver_symtab(struct pfx_resolver *resolver,
					     const struct pfx_dso *dso);
/* Why the table of @dso is empty, "" when it is not or was not asked for. */
const char *pfx_resolver_symtab_error(const struct pfx_resolver *resolver,
				      const struct pfx_dso *dso);
/* pfx_symtab_lack() of it, "" when it was not asked for. */
const char *pfx_resolver_symtab_lack(const struct pfx_resolver *resolver,
				     const struct pfx_dso *dso);
/* The first of both that says something: why an address of @dso has no symbol. */
const char *pfx_resolver_no_symbols(const struct pfx_resolver *resolver, const struct pfx_dso *dso);
/* What is wrong with the debug information of @dso, so that there are no lines; "" where nothing
 * is, where there just is none, and where nobody asked. */
const char *pfx_resolver_lines_error(const struct pfx_resolver *resolver,
				     const struct pfx_dso *dso);
/* See pfx_lines_gaps(). */
struct pfx_split_gaps pfx_resolver_split_gaps(const struct pfx_resolver *resolver,
					      const struct pfx_dso *dso);
/* Whether a place of @dso that was looked up has no symbol. */
bool pfx_resolver_has_unnamed(const struct pfx_resolver *resolver, const struct pfx_dso *dso);
/* The place with that id; they count from 0 in the order in which they were met. */
uint32_t pfx_resolver_nr_places(const struct pfx_resolver *resolver);
struct pfx_place *pfx_resolver_place_at(const struct pfx_resolver *resolver, uint32_t id);

/* The letter of the level in "[k]": k kernel, . user, g guest kernel, u guest user, H hypervisor.
 */
char pfx_place_level(const struct pfx_place *place);

#endif
