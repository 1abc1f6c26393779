/* SPDX-License-Identifier: MIT */
/*
 * The state of the resolver, shared by all files of this folder; resolver.c creates and frees it.
 * Bottom to top: what is opened of DSOs (dso_load.c), symbols (dso_symbols.c) and rows (dso_rows.c)
 * of DSOs, places (resolve.c), frames from stack dumps (stack_walk.c), and chains (chain.c).
 */
#ifndef PFX_UNWIND_RESOLVE_INTERNAL_H
#define PFX_UNWIND_RESOLVE_INTERNAL_H

#include <pthread.h>
#include <sys/utsname.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/workers.h"
#include "sym/find/request.h"
#include "sym/jit/jit_files.h"
#include "unwind/pointer_chain.h"
#include "unwind/resolve.h"
#include "unwind/rows/rows_internal.h"

/* Symbols of a dso. */
struct pfx_dso_symbols {
	struct pfx_symtab *tab; /* NULL: not loaded yet */
	const char *error;
};

/* Functions without names of a dso. */
struct pfx_dso_bounds {
	struct pfx_cfi_tables *tables; /* NULL: not opened yet */
	struct pfx_hash by_start;      /* file offset -> struct pfx_symbol * */
};

/* Lines of a dso. */
struct pfx_dso_lines {
	struct pfx_lines *lines; /* NULL: no lines */
	bool looked_for;
	bool has_file; /* the binary itself was found */
	char *lack;    /* an unusual reason for missing lines; or NULL */
};

/* Types of data of a dso. */
struct pfx_dso_types {
	struct pfx_types *types; /* NULL: no types */
	bool looked_for;
};

/* The places shown for one frame: the functions inlined there, then the frame itself. */
struct pfx_expansion {
	struct pfx_place **places;
	uint32_t nr; /* 0: not looked up yet */
};

/* A cached result of an address look-up. */
struct pfx_ip_memo {
	uint64_t stamp, ip;
	struct pfx_place *place; /* NULL: empty */
	uint32_t id;             /* of the place */
	uint8_t cpumode, level;  /* requested cpumode, level of the result */
};

#define PFX_IP_MEMO_BITS 12
#define PFX_IP_MEMOS     (1u << PFX_IP_MEMO_BITS)

static inline uint32_t pfx_ip_memo_slot(uint64_t stamp, uint64_t ip)
{
	return (uint32_t)(((ip ^ stamp << 17) * 0x9e3779b97f4a7c15ull) >> (64 - PFX_IP_MEMO_BITS));
}

/*
 * A frame of a chain: the place's id, and whether it is a return address. Never 0.
 */
static inline uint32_t pfx_frame_make(uint32_t place_id, bool is_return)
{
	return (place_id + 1) << 1 | is_return;
}
static inline uint32_t pfx_frame_place_id(uint32_t frame)
{
	return (frame >> 1) - 1;
}

/* The innermost frames of a chain, and the chain of their callers. All segments are full except the
 * innermost one of a chain, so that chains share equal outer parts. */
#define PFX_SEGMENT_FRAMES 8
struct pfx_segment {
	uint32_t outer;                      /* 0: no callers */
	uint32_t frames[PFX_SEGMENT_FRAMES]; /* leaf first; 0 after the last one */
};

/* The id of the chain with this innermost segment. @hash: of the outer chain, 0: there is none;
 * then of this one. */
uint32_t pfx_chain_intern(struct pfx_resolver *resolver, const struct pfx_segment *segment,
			  uint64_t *hash);

/* A chain during its look-up. */
struct pfx_walked_chain {
	const uint32_t *frames; /* leaf first */
	uint32_t nr_frames, nr_segments;
	uint32_t nr_known; /* number of segments shared with the previous chain */
	PFX_VEC(struct pfx_walked_segment {
		uint64_t hash; /* of all frames up to here */
		uint32_t id;
	})
	segments; /* root first */
};

#define PFX_WALKED_CHAINS 16 /* number of chains that are looked up at a time; a power of two */

/* Rows of a dso. */
struct pfx_dso_rows {
	struct pfx_rows *rows;    /* NULL: the file is missing */
	struct pfx_jit_rows *jit; /* for a jitdump */
	bool looked_for;
};

struct pfx_open_ahead;   /* open_ahead.c */
struct pfx_bpf_codes;    /* bpf_code.c */
struct pfx_process_code; /* process_code.c */

/* Where the code of a dso is read from. */
struct pfx_dso_code {
	struct pfx_binary *binary;        /* FILE, VDSO; NULL: missing */
	struct pfx_jit_file jitdump;      /* JITDUMP */
	struct pfx_process_code *process; /* ANON; NULL: not available */
	struct pfx_module_code *module;   /* MODULE; NULL: not needed, or not available */
	bool looked_for;
	struct pfx_code_marks *marks; /* NULL: not read yet */
	const char *lack,
		*hint; /* why the last code of it is not available, and a remedy; or NULL */
};

/* Bytes to copy. */
struct pfx_code_bytes {
	uint8_t *at;
	size_t size, got;
};

/* A cached row of an address. */
struct pfx_unwind_row_memo {
	uint64_t stamp, addr;
	const struct pfx_dso *dso;        /* NULL: not mapped */
	const struct pfx_unwind_row *row; /* NULL: empty */
};

#define PFX_UNWIND_ROW_MEMOS 8192 /* a power of two */

struct pfx_word_vec {
	uint64_t *at;
	size_t nr, cap;
};

struct pfx_walked; /* walk_ahead.c */

/* Stacks that were unwound in advance. */
struct pfx_walks_ahead {
	struct pfx_unwind_row_memo *memos[PFX_WORKERS_MAX]; /* by worker */
	PFX_VEC(struct pfx_walked) walked;
	size_t nr, next; /* number of `walked`; index of the next one to use */
};

/* The state of the unwinder for stack dumps. */
struct pfx_unwinder {
	PFX_VEC(struct pfx_dso_rows) rows; /* by dso id */
	pthread_mutex_t lock;              /* protects rows and session look-ups */
	struct pfx_unwind_row_memo *memos;
	struct pfx_word_vec words; /* of the current chain, in the kernel's format */
	struct pfx_walks_ahead ahead;
	PFX_VEC(uint64_t) whole; /* before max_stack is applied, for chains from branches */
	PFX_VEC(struct pfx_branch_step) steps; /* of the history before the current chain */
	PFX_VEC(struct pfx_stitch *) stitches; /* by thread id: its last branch stack */
	uint32_t nr_lbr;                       /* size of the machine's LBR; 0: unknown */
	const char *machine;
	struct utsname host;             /* its machine, if the recording names none */
	struct pfx_libunwind *libunwind; /* NULL: not opened yet */
	struct pfx_libdw *libdw;
	struct pfx_unwind_stats stats;
};

/* A dso in which frame pointer chains end. */
struct pfx_pointer_dso {
	uint64_t nr_ends;                   /* incomplete chains that end in it */
	uint64_t start_main, thread_create; /* if it is the C library: addresses of these functions;
					       0: not found */
	bool looked_for;                    /* both were looked up */
};

/* Results of pointer_chain.c. */
struct pfx_pointers {
	PFX_VEC(uint32_t) ends;    /* by chain id */
	PFX_VEC(uint8_t) kinds;    /* by place id */
	PFX_VEC(uint8_t) verdicts; /* by place id, of places where chains end */
	PFX_VEC(struct pfx_pointer_dso) dsos;
	struct pfx_pointer_stats stats;
};

/* JIT code that exists from some time on. */
struct pfx_jit_place {
	uint64_t time, order; /* in the recording's clock; order of equal times */
	uint64_t addr, size, offset;
	uint32_t mark; /* index in marks */
};

struct pfx_jit_follower {
	PFX_VEC(struct pfx_jit_place) places; /* ordered by time; in the future from `next` on */
	size_t next;
	PFX_VEC(struct pfx_mmap) marks; /* the maps of the jitdump files */
	PFX_VEC(const char *) notes;
	struct pfx_intern dumps;   /* names of jitdumps that were opened */
	struct pfx_time_conv conv; /* from the TSC; mult 0: unknown */
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
	struct pfx_hash ids_by_symbol;           /* address of a symbol -> sym_id, frame_id */
	struct pfx_hash code_symbols; /* map id -> symbol, for dsos with only one symbol */
	struct pfx_intern sym_keys, frame_keys;

	PFX_VEC(struct pfx_dso_lines) lines;         /* by dso id */
	PFX_VEC(struct pfx_expansion) expansions[2]; /* by place id; [1]: for return addresses */
	PFX_VEC(struct pfx_place *) expanded;        /* the current chain */
	PFX_VEC(uint32_t) srclines;                  /* by place id: id of the text + 2; 1: none */
	struct pfx_intern source_texts;
	struct pfx_intern inlined_keys;               /* identify functions inlined in a symbol */
	PFX_VEC(struct pfx_symbol *) inlined_symbols; /* by id of the key */

	PFX_VEC(struct pfx_dso_types) types; /* by dso id */
	struct pfx_decoder *decoder;         /* for code without types; NULL: not available */
	const struct pfx_data_arch *decoder_arch;

	struct pfx_jit_follower jit;
	PFX_VEC(struct pfx_dso_code) codes;  /* by dso id */
	struct pfx_kernel_code *kernel_code; /* NULL: not opened, or not available */
	bool looked_for_kernel_code;
	struct pfx_error kernel_error;   /* why it is not available */
	struct pfx_bpf_codes *bpf_codes; /* NULL: not needed yet */

	struct pfx_workers *workers;  /* NULL: not started yet */
	struct pfx_open_ahead *ahead; /* NULL: nothing was opened ahead */
	struct pfx_unwinder unwinder;
	struct pfx_pointers pointers;
	PFX_VEC(uint32_t) frame_ids;                       /* of the current chain */
	PFX_VEC(struct pfx_place *) frames;                /* the same as places */
	struct pfx_walked_chain walked[PFX_WALKED_CHAINS]; /* by number, round and round */
	uint32_t nr_walked;
	struct pfx_chain_memos *chain_memos; /* NULL: not needed yet */
	PFX_VEC(uint32_t) last_frames;       /* of the last one */
	PFX_VEC(struct pfx_segment) chains;  /* by id of the chain whose innermost segment it is */
	struct pfx_id_table chains_by_hash;
};

/* Worker threads; only the caller's thread on a machine with one CPU. */
static inline struct pfx_workers *pfx_resolver_workers(struct pfx_resolver *resolver)
{
	if (!resolver->workers)
		resolver->workers = pfx_workers_new(pfx_workers_wanted());
	return resolver->workers;
}

/* --- dso_rows.c --- */

/* A row without information. */
extern const struct pfx_unwind_row pfx_unwind_row_none;
/* Whether dsos of this kind can have call frame information. */
bool pfx_dso_has_rows(const struct pfx_dso *dso);
/* The rows of @dso for machines of @arch; NULL: of the file's machine. Returns NULL if the file is
 * missing, or is for another machine. */
struct pfx_rows *pfx_resolver_rows(struct pfx_resolver *resolver, const struct pfx_dso *dso,
				   const struct pfx_unwind_arch *arch);
/* The same for a jitdump. */
struct pfx_jit_rows *pfx_dso_jit_rows(struct pfx_resolver *resolver, const struct pfx_dso *dso,
				      const struct pfx_unwind_arch *arch);
/* The row of an address in any dso; never NULL. */
const struct pfx_unwind_row *pfx_dso_row(struct pfx_resolver *resolver, const struct pfx_dso *dso,
					 const struct pfx_unwind_arch *arch, uint64_t addr);
void pfx_dso_rows_fini(struct pfx_unwinder *unwinder);

/* --- walk.c --- */

/* The caller of the innermost user function at @pc, if the row of @pc has the return address in a
 * register, and the sample has that register. For frame pointer chains. */
bool pfx_leaf_caller(struct pfx_resolver *resolver, struct pfx_thread *thread,
		     const struct pfx_sample *sample, uint64_t pc, uint64_t *ret);

/* --- dso_load.c --- */

/* Loading the symbols of a dso in three steps; the second may run in any thread. */
struct pfx_symbols_load {
	const struct pfx_dso *dso;
	struct pfx_sym_request request;
	struct pfx_sym_options options;
	struct pfx_str path; /* path made from the options */
	struct pfx_symtab *tab;
	struct pfx_error err;
	int rc;
};

void pfx_symbols_load_begin(const struct pfx_resolver *resolver, const struct pfx_dso *dso,
			    struct pfx_symbols_load *load);
void pfx_symbols_load_run(struct pfx_symbols_load *load);
void pfx_symbols_load_end(struct pfx_resolver *resolver, struct pfx_symbols_load *load);
/* The request to lib/sym for a dso. */
struct pfx_sym_request pfx_resolver_request(const struct pfx_resolver *resolver,
					    const struct pfx_dso *dso);
/* The entry of a dso's debug information, opened or not; NULL for kinds that have none. */
struct pfx_dso_lines *pfx_dso_lines_at(struct pfx_resolver *resolver, const struct pfx_dso *dso);
/* Store the result of pfx_lines_open() in it. */
void pfx_dso_lines_set(struct pfx_dso_lines *entry, struct pfx_lines *lines, int rc,
		       const struct pfx_error *err);

/* --- dso_symbols.c --- */
void pfx_dso_symbols_fini(struct pfx_resolver *resolver);

/* --- open_ahead.c --- */

enum pfx_ahead_stage {
	PFX_AHEAD_STAGE_SYMBOLS,
	PFX_AHEAD_STAGE_LINES,
	PFX_NR_AHEAD_STAGES,
};

/* The first place in @dso was found: opens it in another thread, if that is wanted. */
void pfx_open_ahead_hit(struct pfx_resolver *resolver, const struct pfx_dso *dso);
/* Makes the symbols or lines that were opened those of the resolver; waits while they are being
 * opened. What waits to be opened is left to the caller. */
void pfx_open_ahead_take(struct pfx_resolver *resolver, const struct pfx_dso *dso,
			 enum pfx_ahead_stage stage);
/* Whether the binary was found to lack the symbol; false: it may have it. */
bool pfx_open_ahead_lacks(struct pfx_resolver *resolver, const struct pfx_dso *dso,
			  const char *symbol);
/* Whether they are being opened now. */
bool pfx_open_ahead_runs(struct pfx_resolver *resolver, const struct pfx_dso *dso,
			 enum pfx_ahead_stage stage);
void pfx_open_ahead_free(struct pfx_resolver *resolver);

/* chain_memo.c */
/* What the frames of a chain follow from. */
struct pfx_chain_key {
	uint64_t stamp; /* of the thread's maps */
	enum pfx_cpumode mode;
	struct pfx_words words;
};
struct pfx_chain_memos;
/* Whether the same chain was kept. */
bool pfx_chain_memo_find(struct pfx_resolver *resolver, const struct pfx_chain_key *key,
			 struct pfx_chain_found *ret);
/* Keep the frames of the chain that was not found; sets the slot and the serial of @found. */
void pfx_chain_memo_keep(struct pfx_resolver *resolver, const struct pfx_chain_key *key,
			 struct pfx_chain_found *found);
/* The id of the chain, if it was set; these two are for the thread of pfx_chain_of(). */
bool pfx_chain_memo_id(const struct pfx_resolver *resolver, const struct pfx_chain_found *found,
		       uint32_t *ret);
void pfx_chain_memo_set_id(struct pfx_resolver *resolver, const struct pfx_chain_found *found,
			   uint32_t id);
void pfx_chain_memos_free(struct pfx_chain_memos *memos);

/* chain.c */
void pfx_chains_init(struct pfx_resolver *resolver);
void pfx_chains_fini(struct pfx_resolver *resolver);

/* stack_walk.c */
void pfx_unwinder_init(struct pfx_unwinder *unwinder, const struct pfx_env *env);
void pfx_unwinder_fini(struct pfx_unwinder *unwinder);
/* Whether the user frames of @sample are unwound from its registers and stack dump. */
bool pfx_stack_walk_wanted(const struct pfx_sample *sample);
/* Append the addresses of the user frames to unwinder.words, leaf first, at most max_stack. Return
 * addresses are decreased by one, to point into the call. */
void pfx_stack_walk(struct pfx_resolver *resolver, struct pfx_thread *thread,
		    const struct pfx_sample *sample);

/* pointer_chain.c */
void pfx_pointers_fini(struct pfx_pointers *pointers);

/* jit_follow.c */
void pfx_jit_follower_fini(struct pfx_jit_follower *jit);

/* branch_chain.c */
/* Whether the branch stack of @sample is used for its chain. */
bool pfx_branch_chain_wanted(const struct pfx_resolver *resolver, const struct pfx_sample *sample);
/* Store the words of that chain in unwinder.whole. */
void pfx_branch_chain(struct pfx_resolver *resolver, const struct pfx_thread *thread,
		      const struct pfx_sample *sample);
/* The size of the recorded machine's LBR. */
uint32_t pfx_branch_chain_size(const struct pfx_env *env);
void pfx_branch_chain_fini(struct pfx_unwinder *unwinder);
/* code.c */
void pfx_codes_fini(struct pfx_resolver *resolver);
/* The file of a dso, which stays open; NULL: missing. */
struct pfx_binary *pfx_resolver_binary(struct pfx_resolver *resolver, const struct pfx_dso *dso);

/* bpf_code.c */
void pfx_bpf_codes_free(struct pfx_bpf_codes *codes);
/* pfx_place_code() for BPF programs. */
size_t pfx_bpf_place_code(struct pfx_resolver *resolver, const struct pfx_place *place, void *to,
			  size_t size);
/* Why it returned 0. */
const char *pfx_bpf_no_code(struct pfx_resolver *resolver);

/* process_code.c */
/* The process of @dso (kind ANON). An error if it has ended, is not the recorded one, or must not
 * be read. */
int pfx_process_code_new(struct pfx_process_code **ret, struct pfx_resolver *resolver,
			 const struct pfx_dso *dso, struct pfx_error *err);
void pfx_process_code_free(struct pfx_process_code *code);
/* pfx_place_code() in its memory. */
int pfx_process_place_code(struct pfx_resolver *resolver, const struct pfx_process_code *code,
			   const struct pfx_place *place, struct pfx_code_bytes *to,
			   struct pfx_error *err);

/* bounds.c */
void pfx_bounds_fini(struct pfx_resolver *resolver);
/* The function at @offset of a stripped file, from its call frame information; NULL: unknown. */
const struct pfx_symbol *pfx_bounds_symbol(struct pfx_resolver *resolver, const struct pfx_dso *dso,
					   uint64_t offset);

/* inlines.c */
void pfx_inlines_fini(struct pfx_resolver *resolver);

/* data_types.c */
void pfx_data_types_fini(struct pfx_resolver *resolver);

/* resolve.c */
/* Look up an address that is not in the memo; returns its entry. */
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
/* A copy of a place that can only be found by its id. */
struct pfx_place *pfx_resolver_copy_place(struct pfx_resolver *resolver,
					  const struct pfx_place *place);
/* Set sym_id and frame_id from sym, and looked_up. */
void pfx_resolver_name_place(struct pfx_resolver *resolver, struct pfx_place *place);

#endif
