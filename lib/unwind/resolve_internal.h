/* SPDX-License-Identifier: MIT */
/*
 * The resolver from the inside. All files of this folder work on its state, which resolver.c makes
 * and frees: symbols (dso_symbols.c) and rows (dso_rows.c) of DSOs at the bottom, places
 * (resolve.c) above them, frames from copied stacks (stack_walk.c), and chains (chain.c) on top.
 */
#ifndef PFX_UNWIND_RESOLVE_INTERNAL_H
#define PFX_UNWIND_RESOLVE_INTERNAL_H

#include <pthread.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/workers.h"
#include "sym/find/request.h"
#include "unwind/pointer_chain.h"
#include "unwind/resolve.h"
#include "unwind/rows_internal.h"

/* Symbols of one dso. */
struct pfx_dso_symbols {
	struct pfx_symtab *tab; /* NULL: not asked for yet */
	const char *error;
};

/* Functions without names of one dso. */
struct pfx_dso_bounds {
	struct pfx_cfi_tables *tables; /* NULL: not looked for yet */
	struct pfx_hash by_start;      /* file offset -> address of a symbol */
};

/* Lines of one dso. */
struct pfx_dso_lines {
	struct pfx_lines *lines; /* NULL: there are none */
	bool looked_for;
	bool has_file; /* the binary itself is there */
	char *lack;    /* why there are none, where that is not usual; NULL */
};

/* Types of data of one dso. */
struct pfx_dso_types {
	struct pfx_types *types; /* NULL: there are none */
	bool looked_for;
};

/* What stands in a chain for a place: the functions inlined there, then the place itself. */
struct pfx_expansion {
	struct pfx_place **places;
	uint32_t nr; /* 0: not looked for yet */
};

/* What an ip meant, the last time. */
struct pfx_ip_memo {
	uint64_t stamp, ip;
	struct pfx_place *place; /* NULL: empty */
	uint32_t id;             /* of the place */
	uint8_t cpumode, level;  /* that it was asked for, that it was found at */
};

#define PFX_IP_MEMO_BITS 12
#define PFX_IP_MEMOS     (1u << PFX_IP_MEMO_BITS)

static inline uint32_t pfx_ip_memo_slot(uint64_t stamp, uint64_t ip)
{
	return (uint32_t)(((ip ^ stamp << 17) * 0x9e3779b97f4a7c15ull) >> (64 - PFX_IP_MEMO_BITS));
}

/*
 * A frame of a chain: the place's id, and whether the address is one where a call goes on. Never 0.
 */
static inline uint32_t pfx_frame_make(uint32_t place_id, bool is_return)
{
	return (place_id + 1) << 1 | is_return;
}
static inline uint32_t pfx_frame_place_id(uint32_t frame)
{
	return (frame >> 1) - 1;
}

/* The innermost frames of a chain, and the chain that they are called from. Segments are full but
 * for the innermost one of a chain, so that chains share what they have in common at the root. */
#define PFX_SEGMENT_FRAMES 8
struct pfx_segment {
	uint32_t outer;                      /* 0: there are no more */
	uint32_t frames[PFX_SEGMENT_FRAMES]; /* leaf first; 0 behind the last one */
};

/* A chain that is looked for. */
struct pfx_walked_chain {
	const uint32_t *frames; /* leaf first */
	uint32_t nr_frames, nr_segments;
	uint32_t nr_known; /* segments that the chain before has, too */
	PFX_VEC(struct pfx_walked_segment {
		uint64_t hash; /* of all frames up to here */
		uint32_t id;
	})
	segments; /* root first */
};

#define PFX_WALKED_CHAINS 16 /* a power of two: as many are looked for at once */

/* The rows of one dso. */
struct pfx_dso_rows {
	struct pfx_rows *rows;    /* NULL: its file is not at hand */
	struct pfx_jit_rows *jit; /* the same of a jitdump */
	bool looked_for;
};

/* The file of one dso, for the code in it. */
struct pfx_dso_code {
	struct pfx_binary *binary; /* NULL: not at hand */
	bool looked_for;
};

/* The row of an address, the last time. */
struct pfx_unwind_row_memo {
	uint64_t stamp, addr;
	const struct pfx_dso *dso;        /* NULL: in no map */
	const struct pfx_unwind_row *row; /* NULL: empty */
};

#define PFX_UNWIND_ROW_MEMOS 8192 /* a power of two */

struct pfx_word_vec {
	uint64_t *at;
	size_t nr, cap;
};

struct pfx_walked; /* walk_ahead.c */

/* Walks that were done before they were asked for. */
struct pfx_walks_ahead {
	struct pfx_unwind_row_memo *memos[PFX_WORKERS_MAX]; /* by worker */
	PFX_VEC(struct pfx_walked) walked;
	size_t nr, next; /* of walked; where the next one that is asked for will be */
};

/* What walks through copied stacks. */
struct pfx_unwinder {
	PFX_VEC(struct pfx_dso_rows) rows; /* by dso id */
	pthread_mutex_t lock;              /* of rows and of questions to the session */
	struct pfx_unwind_row_memo *memos;
	struct pfx_word_vec words; /* of the chain at hand, as the kernel would have recorded it */
	struct pfx_walks_ahead ahead;
	PFX_VEC(uint64_t) whole; /* the same before it is cut, of chains made from branches */
	PFX_VEC(struct pfx_branch_step) steps; /* of the history in front of the chain at hand */
	PFX_VEC(struct pfx_stitch *) stitches; /* by thread id: its branches the last time */
	uint32_t nr_lbr; /* entries that the machine's branch stack has; 0: unknown */
	const char *machine;
	struct pfx_libunwind *libunwind; /* NULL: not asked yet */
	struct pfx_libdw *libdw;
	struct pfx_unwind_stats stats;
};

/* What is known of a dso in which chains by frame pointers end. */
struct pfx_pointer_dso {
	uint64_t nr_ends;                   /* chains that end there early */
	uint64_t start_main, thread_create; /* of the C library; 0: it is not that */
	bool looked_for;                    /* these two were */
};

/* What chains by frame pointers end with: pointer_chain.c. */
struct pfx_pointers {
	PFX_VEC(uint32_t) ends;    /* by chain id */
	PFX_VEC(uint8_t) kinds;    /* by place id */
	PFX_VEC(uint8_t) verdicts; /* by place id, of those that chains end at */
	PFX_VEC(struct pfx_pointer_dso) dsos;
	struct pfx_pointer_stats stats;
};

/* Code of a jitdump that is in memory from a time on. */
struct pfx_jit_place {
	uint64_t time, order; /* in the recording's clock; among those of one time */
	uint64_t addr, size, offset;
	uint32_t mark; /* index of marks */
};

struct pfx_jit_follower {
	PFX_VEC(struct pfx_jit_place) places; /* from next on not yet there, by time */
	size_t next;
	PFX_VEC(struct pfx_mmap) marks; /* the maps of the jitdumps themselves */
	PFX_VEC(const char *) notes;
	struct pfx_intern dumps;   /* that were looked at */
	struct pfx_time_conv conv; /* of the CPU's counter; mult is 0: unknown */
};

struct pfx_resolver {
	struct pfx_session *session;
	struct pfx_resolve_options options;
	struct pfx_arena arena;

	PFX_VEC(struct pfx_place *) places; /* by id */
	struct pfx_id_table places_by_key;
	struct pfx_ip_memo *memos;

	PFX_VEC(struct pfx_dso_symbols) symbols; /* by dso id */
	PFX_VEC(struct pfx_dso_bounds) bounds;   /* by dso id */
	struct pfx_hash ids_by_symbol;           /* symbol's address -> sym_id, frame_id */
	struct pfx_hash code_symbols;            /* map id -> symbol of a dso that is one symbol */
	struct pfx_intern sym_keys, frame_keys;

	PFX_VEC(struct pfx_dso_lines) lines;         /* by dso id */
	PFX_VEC(struct pfx_expansion) expansions[2]; /* by place id; [1]: of return addresses */
	PFX_VEC(struct pfx_place *) expanded;        /* the chain at hand */
	PFX_VEC(uint32_t) srclines;                  /* by place id: a text's id + 2; 1: none */
	struct pfx_intern source_texts;
	struct pfx_intern inlined_keys;               /* of functions inlined in a symbol */
	PFX_VEC(struct pfx_symbol *) inlined_symbols; /* by the id of their key */

	PFX_VEC(struct pfx_dso_types) types; /* by dso id */
	struct pfx_decoder *decoder;         /* of code without types; NULL: none */
	const struct pfx_data_arch *decoder_arch;

	struct pfx_jit_follower jit;
	PFX_VEC(struct pfx_dso_code) codes;  /* by dso id */
	struct pfx_kernel_code *kernel_code; /* NULL: not looked for, or not there */
	bool looked_for_kernel_code;

	struct pfx_workers *workers; /* NULL: not asked for yet */
	struct pfx_unwinder unwinder;
	struct pfx_pointers pointers;
	PFX_VEC(uint32_t) frame_ids;                       /* of the chain at hand */
	PFX_VEC(struct pfx_place *) frames;                /* the same as places */
	struct pfx_walked_chain walked[PFX_WALKED_CHAINS]; /* by number, round and round */
	uint32_t nr_walked;
	PFX_VEC(uint32_t) last_frames;      /* of the last one */
	PFX_VEC(struct pfx_segment) chains; /* by id of the chain that ends with it */
	struct pfx_id_table chains_by_hash;
};

/* Threads for work in pieces, one where there is one CPU. */
static inline struct pfx_workers *pfx_resolver_workers(struct pfx_resolver *resolver)
{
	if (!resolver->workers)
		resolver->workers = pfx_workers_new(pfx_workers_wanted());
	return resolver->workers;
}

/* --- dso_rows.c --- */

/* Rows of nothing. */
extern const struct pfx_unwind_row pfx_unwind_row_none;
/* Whether a dso of this kind has call frame information. */
bool pfx_dso_has_rows(const struct pfx_dso *dso);
/* The rows of @dso for machines of that kind, NULL: of the kind that the file is for. NULL: its
 * file is not at hand, or for others. */
struct pfx_rows *pfx_resolver_rows(struct pfx_resolver *resolver, const struct pfx_dso *dso,
				   const struct pfx_unwind_arch *arch);
/* The same of a jitdump. */
struct pfx_jit_rows *pfx_dso_jit_rows(struct pfx_resolver *resolver, const struct pfx_dso *dso,
				      const struct pfx_unwind_arch *arch);
/* The row of an address of whatever dso; never NULL. */
const struct pfx_unwind_row *pfx_dso_row(struct pfx_resolver *resolver, const struct pfx_dso *dso,
					 const struct pfx_unwind_arch *arch, uint64_t addr);
void pfx_dso_rows_fini(struct pfx_unwinder *unwinder);

/* --- walk.c --- */

/* The caller of the function at @pc, which is the innermost of user space, where @pc's row says
 * that its return address is in a register, and the sample has that. For chains by frame pointers.
 */
bool pfx_leaf_caller(struct pfx_resolver *resolver, struct pfx_thread *thread,
		     const struct pfx_sample *sample, uint64_t pc, uint64_t *ret);

/* --- dso_symbols.c --- */

/* Symbols of a dso in three steps, of which the second one may be done by any thread. */
struct pfx_symbols_load {
	const struct pfx_dso *dso;
	struct pfx_sym_request request;
	struct pfx_sym_options options;
	struct pfx_str path; /* that the options name */
	struct pfx_symtab *tab;
	struct pfx_error err;
	int rc;
};

void pfx_symbols_load_begin(struct pfx_resolver *resolver, const struct pfx_dso *dso,
			    struct pfx_symbols_load *load);
void pfx_symbols_load_run(struct pfx_symbols_load *load);
void pfx_symbols_load_end(struct pfx_resolver *resolver, struct pfx_symbols_load *load);
bool pfx_symbols_are_loaded(const struct pfx_resolver *resolver, const struct pfx_dso *dso);
/* What is known about a dso, for who opens its file. */
struct pfx_sym_request pfx_resolver_request(const struct pfx_resolver *resolver,
					    const struct pfx_dso *dso);
void pfx_dso_symbols_fini(struct pfx_resolver *resolver);

/* inlines.c */

/* The entry of a dso's debug information, opened or not; NULL where there never is any. */
struct pfx_dso_lines *pfx_dso_lines_at(struct pfx_resolver *resolver, const struct pfx_dso *dso);
/* Put what pfx_lines_open() returned into it. */
void pfx_dso_lines_set(struct pfx_dso_lines *entry, struct pfx_lines *lines, int rc,
		       const struct pfx_error *err);
/* An address inside the instruction that the place, with this symbol, means. */
uint64_t pfx_place_inner_address(const struct pfx_place *place, const struct pfx_symbol *sym);

/* chain.c */
void pfx_chains_init(struct pfx_resolver *resolver);
void pfx_chains_fini(struct pfx_resolver *resolver);

/* stack_walk.c */
void pfx_unwinder_init(struct pfx_unwinder *unwinder, const struct pfx_env *env);
void pfx_unwinder_fini(struct pfx_unwinder *unwinder);
/* Whether the user's frames of @sample are in its registers and its copy of the stack. */
bool pfx_stack_walk_wanted(const struct pfx_sample *sample);
/* Append the addresses of the user's frames to unwinder.words, leaf first, max_stack at most. Those
 * of callers are one less than where they go on, which is in the call. */
void pfx_stack_walk(struct pfx_resolver *resolver, struct pfx_thread *thread,
		    const struct pfx_sample *sample);

/* pointer_chain.c */
void pfx_pointers_fini(struct pfx_pointers *pointers);

/* jit_follow.c */
void pfx_jit_follower_fini(struct pfx_jit_follower *jit);

/* branch_chain.c */
/* Whether @sample's branch stack is to be a part of its chain. */
bool pfx_branch_chain_wanted(const struct pfx_resolver *resolver, const struct pfx_sample *sample);
/* The words of that chain into unwinder.whole. */
void pfx_branch_chain(struct pfx_resolver *resolver, const struct pfx_thread *thread,
		      const struct pfx_sample *sample);
/* The entries of the branch stack, as the recorded machine told it. */
uint32_t pfx_branch_chain_size(const struct pfx_env *env);
void pfx_branch_chain_fini(struct pfx_unwinder *unwinder);
/* code.c */
void pfx_codes_fini(struct pfx_resolver *resolver);
/* The file of a dso, which stays open; NULL: it is not at hand. */
struct pfx_binary *pfx_resolver_binary(struct pfx_resolver *resolver, const struct pfx_dso *dso);

/* bounds.c */
void pfx_bounds_fini(struct pfx_resolver *resolver);
/* The function at @offset of a file that lacks symbols, by its call frame information; NULL: that
 * does not say. */
const struct pfx_symbol *pfx_bounds_symbol(struct pfx_resolver *resolver, const struct pfx_dso *dso,
					   uint64_t offset);

/* inlines.c */
void pfx_inlines_fini(struct pfx_resolver *resolver);
/* The debug information of a dso, opened when first asked for; NULL: it has none. */
struct pfx_lines *pfx_resolver_lines(struct pfx_resolver *resolver, const struct pfx_dso *dso);

/* data_types.c */
void pfx_data_types_fini(struct pfx_resolver *resolver);

/* resolve.c */
/* Look up what the memo does not have; returns its entry. */
struct pfx_ip_memo *pfx_resolver_look_up(struct pfx_resolver *resolver, struct pfx_thread *thread,
					 uint64_t stamp, enum pfx_cpumode cpumode, uint64_t ip);
/* @stamp: of the thread's maps. */
static inline const struct pfx_ip_memo *pfx_resolver_memo(struct pfx_resolver *resolver,
							  struct pfx_thread *thread, uint64_t stamp,
							  enum pfx_cpumode cpumode, uint64_t ip)
{
	struct pfx_ip_memo *memo = &resolver->memos[pfx_ip_memo_slot(stamp, ip)];

	if (memo->place && memo->ip == ip && memo->stamp == stamp && memo->cpumode == cpumode)
		return memo;
	return pfx_resolver_look_up(resolver, thread, stamp, cpumode, ip);
}
/* A copy of a place that is found by nothing but its id. */
struct pfx_place *pfx_resolver_copy_place(struct pfx_resolver *resolver,
					  const struct pfx_place *place);
/* Set sym_id and frame_id by sym, and that it was looked up. */
void pfx_resolver_name_place(struct pfx_resolver *resolver, struct pfx_place *place);

#endif
