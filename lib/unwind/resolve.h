/* SPDX-License-Identifier: MIT */
/*
 * From a sample to frames: thread, map, dso and symbol. The resolver owns a symbol table for each
 * dso, loaded on first use, and caches each address, so that a look-up is done once per distinct
 * address and never once per sample. Places and chains live as long as the resolver.
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
 * A location in a program. Places are unique: equal (dso, addr, ip, level) give the same pointer,
 * also in different processes. sym, sym_id and frame_id are valid after pfx_place_symbol().
 */
struct pfx_place {
	uint32_t id;       /* small, in order of first use */
	uint32_t sym_id;   /* key for tables by symbol: equal for places in the same symbol of dsos
			      with the same short name; unresolved: equal for the same short name and
			      addr */
	uint32_t frame_id; /* key for call trees: equal for places in the same symbol of the same
			      dso; unresolved: equal for the same dso and ip */
	uint64_t ip;       /* as sampled; shown for unresolved frames of a chain */
	uint64_t addr;     /* address in the dso, for symbol look-ups */
	uint64_t shown; /* shown for an unresolved sample: file offset, offset in the module, or ip
			   in the kernel or outside of all maps */
	const struct pfx_map *map;        /* one of the maps in which it was found; NULL: unknown */
	const struct pfx_dso *dso;        /* NULL: unknown, shown as [unknown] */
	const struct pfx_symbol *sym;     /* NULL: unresolved */
	enum pfx_cpumode cpumode;         /* level; see pfx_place_level() */
	bool looked_up;                   /* sym, sym_id and frame_id are final */
	bool is_return;                   /* addr is a return address */
	const struct pfx_inlined *callee; /* the inlined callee, if any; see pfx_place_source() */
};

/* Origin of the bounds of a function without a name, as shown in JSON. */
#define PFX_BOUNDS_FROM "unwind information"

/* Whether a symbol table names it: false if only the function's bounds are known. */
static inline bool pfx_place_has_name(const struct pfx_place *place)
{
	return place->sym && !place->sym->is_nameless;
}

/* The first byte of the place's function, which must be known. */
static inline struct pfx_place pfx_place_begin(const struct pfx_place *place)
{
	struct pfx_place begin = *place;

	begin.ip -= place->addr - place->sym->start;
	begin.addr = place->sym->start;
	return begin;
}

/* A branch of a history, shown in a chain as two frames: its target and its source. */
struct pfx_branch_step {
	struct pfx_branch branch;
	uint32_t nr_loops; /* iterations of a loop before this branch that were removed */
	uint64_t loop_cycles;
};

/* The unwinder for stack dumps. */
enum pfx_unwind_style {
	PFX_UNWIND_ROWS, /* pfx's own rows; libunwind only for what rows cannot express */
	PFX_UNWIND_LIBUNWIND,
	PFX_UNWIND_LIBDW,
};

struct pfx_resolve_options {
	struct pfx_sym_options sym;
	/* Another thread opens symbols, lines and the disassembler for a binary as soon as a sample
	 * lies in it. For recordings whose header was read: what streams say of a binary may come
	 * after its samples. */
	bool opens_ahead;
	const char *ahead_symbol; /* only of binaries that may have it; NULL: of all */
	enum pfx_unwind_style unwind;
	uint32_t max_stack; /* maximum number of frames in a chain; 0: 127 */
	bool inlines;       /* add inlined functions to chains */
	bool full_source_path;
	bool stitch_lbr;     /* add callers that a full LBR stack lost, from the previous sample */
	bool branch_history; /* show the branches before a sample as part of its chain */
	bool keep_root;      /* max_stack drops frames at the leaf (order caller) */
	/* When the recording ended, in seconds of the wall clock; 0: unknown. Memory of processes
	 * that started later is not read. */
	int64_t recorded_until;
	/* Adds the BPF programs of the running kernel to the meta, for code that the recording
	 * lacks: 0 or a negative errno. NULL: the kernel is not asked. */
	int (*read_bpf)(struct pfx_meta *meta);
};

/* How unwinding a stack dump ended. */
enum pfx_unwind_end {
	PFX_UNWIND_COMPLETE,   /* at the thread's entry point, or at max_stack */
	PFX_UNWIND_SHORT_DUMP, /* the stack dump is too short */
	PFX_UNWIND_NO_CFI,     /* code without call frame information and without a frame pointer */
	PFX_UNWIND_MADE_CODE,  /* the same in JIT code */
	PFX_UNWIND_NO_DSO,     /* a binary is missing, or is another build */
	PFX_UNWIND_BAD_CFI,    /* invalid call frame information */
	PFX_UNWIND_NR_ENDS,
};

struct pfx_unwind_stats {
	uint64_t nr_chains;                   /* from stack dumps */
	uint64_t nr_ends[PFX_UNWIND_NR_ENDS]; /* number of chains by end */
	uint64_t dump_size;                   /* bytes of the largest stack dump */
	bool cannot_read_cfi;          /* no library to read call frame information is built in */
	const struct pfx_dso *missing; /* one of the missing binaries; NULL: none */
};

/* Borrows the session; copies the options (but not their strings). */
struct pfx_resolver *pfx_resolver_new(struct pfx_session *session,
				      const struct pfx_resolve_options *options);
void pfx_resolver_free(struct pfx_resolver *resolver);

/* The session that was given to pfx_resolver_new(). */
struct pfx_session *pfx_resolver_session(const struct pfx_resolver *resolver);

/* Call it for each record in time order, before the record is applied or used: adds JIT code to the
 * session at its time. */
void pfx_resolver_follow(struct pfx_resolver *resolver, const struct pfx_record *rec);
/* Whether JIT code may be added before one of the next records. */
bool pfx_resolver_expects_code(const struct pfx_resolver *resolver);
/* Problems with jitdumps: sentences with i = 0, 1, ... until NULL. */
const char *pfx_resolver_jit_note(const struct pfx_resolver *resolver, uint32_t i);

/* The id of the place of @ip in @thread, sufficient for counting. */
uint32_t pfx_resolve_id(struct pfx_resolver *resolver, struct pfx_thread *thread,
			enum pfx_cpumode cpumode, uint64_t ip);
/* The place of @ip in @thread. Does not load symbols. */
struct pfx_place *pfx_resolve(struct pfx_resolver *resolver, struct pfx_thread *thread,
			      enum pfx_cpumode cpumode, uint64_t ip);
/* The symbol at the place; loads the dso's table if needed. NULL when there is none. */
const struct pfx_symbol *pfx_place_symbol(struct pfx_resolver *resolver, struct pfx_place *place);
/* The frames of the sample's call chain, leaf first, without context markers, at most max_stack. If
 * the sample has user registers and a stack dump, the user frames are unwound from them and
 * appended, again at most max_stack. The first entry is the sampled ip when the chain starts with
 * it. Valid until the next call. Returns their number. */
uint32_t pfx_resolve_chain(struct pfx_resolver *resolver, struct pfx_thread *thread,
			   const struct pfx_sample *sample, struct pfx_place ***ret);
/*
 * The same as an id: equal sequences of places have equal ids, 0 is the empty chain. For consumers
 * that count per distinct chain. Ids are small, in order of first use; outer parts of chains, which
 * chains share, have ids, too. A distinct chain needs 60 to 70 bytes for each 8 frames that it does
 * not share, plus once for a remainder.
 */
uint32_t pfx_resolve_chain_id(struct pfx_resolver *resolver, struct pfx_thread *thread,
			      const struct pfx_sample *sample);
/* The chain of a sample without a call chain: one frame, where it was taken. */
uint32_t pfx_resolve_lone_chain(struct pfx_resolver *resolver, struct pfx_thread *thread,
				const struct pfx_sample *sample);
/*
 * The same in two steps: the frames of the chain, valid until the next call, and the chain's id.
 * Another thread may do the second step, for one chain after another, while this thread uses
 * anything except chain ids.
 */
#define PFX_CHAIN_MEMOS 8192
struct pfx_chain_found {
	const uint32_t *frames; /* leaf first */
	uint32_t nr;
	/* Chains that are found in the same slot (below PFX_CHAIN_MEMOS) with the same serial are
	 * equal; serial 0: nothing is known. */
	uint32_t slot, serial;
};
void pfx_resolve_frames(struct pfx_resolver *resolver, struct pfx_thread *thread,
			const struct pfx_sample *sample, struct pfx_chain_found *ret);
uint32_t pfx_chain_of(struct pfx_resolver *resolver, const struct pfx_chain_found *found);
/* The second step for @nr chains at once, which is faster: @frames has the frames of all chains,
 * @nr_frames their number per chain; the ids are stored in @ids. */
void pfx_chains_of_frames(struct pfx_resolver *resolver, const uint32_t *frames,
			  const uint32_t *nr_frames, uint32_t nr, uint32_t *ids);
/* The branches before the chain that was resolved last, the newest first; returns 0 without any.
 * Requires options.branch_history. Valid until the next call. */
uint32_t pfx_resolver_branches(const struct pfx_resolver *resolver,
			       const struct pfx_branch_step **ret);
/* The frames of a chain, leaf first; with options.inlines, inlined functions precede the frame that
 * contains them. Loads symbols and, once per distinct address, debug information. Valid until the
 * next call. Returns their number. */
uint32_t pfx_chain_frames(struct pfx_resolver *resolver, uint32_t chain, struct pfx_place ***ret);
/* The same in parts, to reuse results for outer parts: the innermost frames of a chain, and the id
 * of the rest of the chain. */
uint32_t pfx_chain_inner_frames(struct pfx_resolver *resolver, uint32_t chain,
				struct pfx_place ***ret);
uint32_t pfx_chain_outer(const struct pfx_resolver *resolver, uint32_t chain);
/* Planned look-ups: the symbols of these places and of the frames of these chains, by id, the
 * functions inlined in the frames (options.inlines), and source lines. Loads what takes time now,
 * on several threads if that is faster. Does not change any result. */
struct pfx_prepare {
	const uint32_t *places, *chains;
	uint32_t nr_places, nr_chains;
	bool place_sources, frame_sources;
};
void pfx_resolver_prepare(struct pfx_resolver *resolver, const struct pfx_prepare *wanted);
/* Whether binaries are opened in another thread while the recording is read, and after that. */
bool pfx_resolver_opens_ahead(const struct pfx_resolver *resolver);
/* The source line of a place, or of the call in it if the callee is inlined; false when it is
 * unknown. Its strings live as long as the resolver. */
bool pfx_place_source(struct pfx_resolver *resolver, const struct pfx_place *place,
		      struct pfx_source *ret);
/* The same as text, "file:line", with the file's directory if options.full_source_path is set;
 * "??:0" when the binary has no line for it, NULL when the binary is missing. Equal texts have the
 * same pointer. */
const char *pfx_place_srcline(struct pfx_resolver *resolver, const struct pfx_place *place);
/* Whether its binary has debug information with source lines. */
bool pfx_place_has_lines(struct pfx_resolver *resolver, const struct pfx_place *place);
/* The file without the line. */
const char *pfx_place_srcfile(struct pfx_resolver *resolver, const struct pfx_place *place);
/* Copy at most @size bytes of code at the place: from the binary that was mapped, the kernel's
 * memory or image, a module's file, the jitdump, the BPF program in the recording, or the memory of
 * the process if it still runs. Never from another build or another process. Returns the number of
 * bytes, 0 when the code is not available. */
size_t pfx_place_code(struct pfx_resolver *resolver, const struct pfx_place *place, void *to,
		      size_t size);
/* The first address in the @size bytes there that is not known, as code of a kernel module's file
 * has them, after pfx_place_code() of the function; NULL: none. */
const struct pfx_unlinked *pfx_place_unlinked(const struct pfx_resolver *resolver,
					      const struct pfx_place *place, size_t size);
/* Why the last pfx_place_code() of this dso returned 0, one sentence, and a remedy (@ret_hint;
 * NULL: none); NULL: it did not. */
const char *pfx_resolver_no_code(const struct pfx_resolver *resolver, const struct pfx_dso *dso,
				 const char **ret_hint);
/* How the bytes at a place are to be decoded: by the machine in the binary's ELF header, since a
 * kernel also runs programs of other machines (i386 on x86_64), else by that of the recording. */
struct pfx_code_kind {
	const char *machine; /* for pfx_disasm_new(); NULL: unknown */
	bool is_64bit;
	bool is_big;   /* numbers begin with their highest byte */
	bool is_fixed; /* numbers in its instructions may be addresses */
	bool is_thumb; /* T32 instructions of 32-bit ARM */
	bool is_data;  /* constants between instructions */
	uint64_t size; /* from the place on, in bytes, to where the kind may change; UINT64_MAX: it
			  does not */
};
struct pfx_code_kind pfx_place_code_kind(struct pfx_resolver *resolver,
					 const struct pfx_place *place);
/* The place's virtual address in its binary; for the kernel, and for code without a file, the
 * address at run time. */
uint64_t pfx_place_address(struct pfx_resolver *resolver, const struct pfx_place *place);
/* The reverse: @address in the binary of @place as an address of the dso. False: in no segment. */
bool pfx_place_offset(struct pfx_resolver *resolver, const struct pfx_place *place,
		      uint64_t address, uint64_t *ret);
/* The constants at @address of the binary of @place, up to the end of their section; NULL: none. */
const uint8_t *pfx_place_constant(struct pfx_resolver *resolver, const struct pfx_place *place,
				  uint64_t address, size_t *ret_size);
/* The symbols of the host's kernel, without modules; NULL: unknown. */
const struct pfx_symtab *pfx_resolver_kernel_symtab(struct pfx_resolver *resolver);
/* Whether the file of @dso was changed after the recording ended, and the recording has no build ID
 * that shows whether it is another build; pfx_resolver_no_code() says so. False with
 * options.sym.symfs. */
bool pfx_resolver_was_changed(struct pfx_resolver *resolver, const struct pfx_dso *dso);
/* The debug information of @dso, opened on first use; NULL: none. Owned by the resolver. */
struct pfx_lines *pfx_resolver_lines(struct pfx_resolver *resolver, const struct pfx_dso *dso);
/* An address inside the instruction: for a return address, one inside the call. */
uint64_t pfx_place_inner_address(const struct pfx_place *place, const struct pfx_symbol *sym);
/* The data that the instruction at the place accesses. Its strings live as long as the resolver. */
struct pfx_data pfx_place_data(struct pfx_resolver *resolver, const struct pfx_place *place);
/* Why the data of an access is unknown. */
enum pfx_data_lack {
	PFX_LACK_CODE,    /* the binary is not available */
	PFX_LACK_DECODER, /* not a valid instruction, or the machine is not supported */
	PFX_LACK_MEMORY,  /* the instruction does not access memory */
	PFX_LACK_DEBUG,   /* there is no debug information for the function */
	PFX_LACK_TYPE,    /* the type of the address does not follow from it */
	PFX_NR_DATA_LACKS,
};
/* The reason for a place whose data is unknown. */
enum pfx_data_lack pfx_place_data_lack(struct pfx_resolver *resolver,
				       const struct pfx_place *place);
/* The members of the type of @data, which belongs to the place; see pfx_types_layout(). */
uint32_t pfx_place_data_layout(struct pfx_resolver *resolver, const struct pfx_place *place,
			       const struct pfx_data *data, const struct pfx_data_member **ret);
/* -ENOTSUP and a message if data types are not supported: no disassembler, or an unsupported
 * machine. */
int pfx_resolver_check_types(const struct pfx_resolver *resolver, struct pfx_error *err);
/* An upper limit of the chain ids so far (exclusive). */
uint32_t pfx_resolver_nr_chains(const struct pfx_resolver *resolver);
/* Whether debuginfod servers are asked, as its options have it; NULL: they are not. */
const struct pfx_fetch_watch *pfx_resolver_fetch(const struct pfx_resolver *resolver);

/* Whether the recording's stack dumps can be unwound with the selected style: -ENOTSUP and a
 * message when the library is not built in, or supports other machines only. */
int pfx_resolver_check_unwind(const struct pfx_resolver *resolver, struct pfx_error *err);
/* Number of chains from stack dumps, and of those that are incomplete. */
const struct pfx_unwind_stats *pfx_resolver_unwind_stats(const struct pfx_resolver *resolver);

/* Whether the symbol table of @dso was loaded, for an address that was looked up. */
bool pfx_symbols_are_loaded(const struct pfx_resolver *resolver, const struct pfx_dso *dso);
/* The symbol table of a dso, loaded if needed (never NULL). */
const struct pfx_symtab *pfx_resolver_symtab(struct pfx_resolver *resolver,
					     const struct pfx_dso *dso);
/* Where the symbols of @dso (NULL: unknown) are from, as perf's letter; '!': it has none. Loads
 * them. */
char pfx_resolver_symbols_letter(struct pfx_resolver *resolver, const struct pfx_dso *dso);
/* Whether @dso may have a function of this name; false: surely not, and nothing was loaded. */
bool pfx_resolver_may_have(struct pfx_resolver *resolver, const struct pfx_dso *dso,
			   const char *name);
/* Why the table of @dso is empty, "" when it is not empty or not loaded. */
const char *pfx_resolver_symtab_error(const struct pfx_resolver *resolver,
				      const struct pfx_dso *dso);
/* pfx_symtab_lack() of its table, "" when it is not loaded. */
const char *pfx_resolver_symtab_lack(const struct pfx_resolver *resolver,
				     const struct pfx_dso *dso);
/* Why an address of @dso has no symbol: the first of the two above that is not empty. */
const char *pfx_resolver_no_symbols(const struct pfx_resolver *resolver, const struct pfx_dso *dso);
/* Why the debug information of @dso could not be used for lines; "" without a problem, when the dso
 * has none, and when it was not opened. */
const char *pfx_resolver_lines_error(const struct pfx_resolver *resolver,
				     const struct pfx_dso *dso);
/* See pfx_lines_gaps(). */
struct pfx_split_gaps pfx_resolver_split_gaps(const struct pfx_resolver *resolver,
					      const struct pfx_dso *dso);
/* Whether any place of @dso that was looked up has no symbol. */
bool pfx_resolver_has_unnamed(const struct pfx_resolver *resolver, const struct pfx_dso *dso);
/* The place with this id; ids count from 0 in order of first use. */
uint32_t pfx_resolver_nr_places(const struct pfx_resolver *resolver);
struct pfx_place *pfx_resolver_place_at(const struct pfx_resolver *resolver, uint32_t id);

/* The letter of the cpumode in "[k]": k kernel, . user, g guest kernel, u guest user, H
 * hypervisor. */
char pfx_place_level(const struct pfx_place *place);

#endif
