/* SPDX-License-Identifier: MIT */
/*
 * One walk through a stack dump, for all unwinders: rows (walk.c), libunwind and libdw. Each gets
 * the registers and stack of a sample, looks up the programs on the way, and appends the addresses
 * of the frames.
 */
#ifndef PFX_UNWIND_WALK_INTERNAL_H
#define PFX_UNWIND_WALK_INTERNAL_H

#include "unwind/resolve_internal.h"

struct pfx_walk {
	struct pfx_resolver *resolver;
	struct pfx_thread *thread;
	uint64_t stamp; /* of the thread's maps */
	struct pfx_unwind_row_memo *memos;
	struct pfx_word_vec *words; /* where frames are appended */
	struct pfx_frame_state state;
	const struct pfx_dso *dso;     /* that contains the pc; NULL: not mapped */
	const struct pfx_dso *missing; /* a program that is needed but missing, or NULL */
	uint32_t nr;                   /* number of frames added */
	bool exact;         /* the pc is exact: an interrupted instruction, not a return address */
	bool innermost;     /* at the first frame */
	bool inexpressible; /* ended at a row that could not be made or applied */
};

/* A mapped program. */
struct pfx_walk_image {
	uint64_t start, end;       /* addresses of the map */
	uint64_t offset;           /* file offset of the first byte */
	struct pfx_binary *binary; /* NULL: not mapped, or missing */
	const struct pfx_dso *dso;
	bool is_jit; /* a JIT function; its tables are only in the binary, not in memory */
};

/* The program mapped at @addr. False when there is none, or its file is missing. */
bool pfx_walk_image(struct pfx_walk *walk, uint64_t addr, struct pfx_walk_image *ret);
/* The same for the map with index @i; sets *@ret_end after the last one. */
bool pfx_walk_image_at(struct pfx_walk *walk, uint32_t i, struct pfx_walk_image *ret,
		       bool *ret_end);
/* Append a frame: @pc is the current instruction (@exact), or a return address. False: max_stack is
 * reached. */
bool pfx_walk_add(struct pfx_walk *walk, uint64_t pc, bool exact);
/* Whether the code at @pc is a signal trampoline: its caller was interrupted. */
bool pfx_walk_is_signal(struct pfx_walk *walk, uint64_t pc);
/* A word of the stack or of a register, with its signature removed if it is a signed code address,
 * for unwinders without support for pointer authentication. */
uint64_t pfx_walk_word(struct pfx_walk *walk, uint64_t value);
/* The reason why a walk failed at @pc. */
enum pfx_unwind_end pfx_walk_why(struct pfx_walk *walk, uint64_t pc);

/* A walk for the current thread: its frames are appended to unwinder.words. */
struct pfx_walk pfx_walk_own(struct pfx_unwinder *unwinder);
/* Initialize a walk with the sample's registers and stack. False: it has none. */
bool pfx_walk_begin(struct pfx_walk *walk, struct pfx_resolver *resolver, struct pfx_thread *thread,
		    const struct pfx_sample *sample);
/* Unwind from the current state to the end. */
enum pfx_unwind_end pfx_walk_by_rows(struct pfx_walk *walk);

/* --- walks by rows, in any thread --- */

struct pfx_unwind_row_memo *pfx_unwind_row_memos_new(void);
/* Unwind only by rows, starting from the sample's registers, with the memos and words in @walk,
 * which is otherwise zero. False: no registers or stack. */
bool pfx_walk_rows(struct pfx_walk *walk, struct pfx_resolver *resolver, struct pfx_thread *thread,
		   const struct pfx_sample *sample, enum pfx_unwind_end *ret);

/* Count how a walk ended. */
void pfx_walk_count(struct pfx_resolver *resolver, const struct pfx_sample *sample,
		    enum pfx_unwind_end end, const struct pfx_dso *missing);

/* --- walk_ahead.c --- */

/* A sample with a stack dump. */
struct pfx_stack_sample {
	struct pfx_thread *thread;
	const struct pfx_sample *sample;
};
/* Whether walks ahead save time: there are several threads, and the unwinder uses rows. */
bool pfx_walks_ahead_pay(struct pfx_resolver *resolver);
/* Unwind the stacks of samples whose chains will be requested, in this order, before the session
 * changes. The bytes of the samples must stay valid until the next call; a call without samples
 * discards all results. */
void pfx_walks_ahead_run(struct pfx_resolver *resolver, const struct pfx_stack_sample *samples,
			 uint32_t nr);
/* The result for the sample's stack, if it was unwound in advance: appends its frames to
 * unwinder.words, and counts its end. */
bool pfx_walks_ahead_take(struct pfx_resolver *resolver, struct pfx_thread *thread,
			  const struct pfx_sample *sample);
void pfx_walks_ahead_fini(struct pfx_walks_ahead *ahead);

/* --- eh_table.c: an index of .eh_frame for programs without one --- */

struct pfx_eh_entry {
	int32_t start, fde; /* addresses of a function and its FDE, relative to the section */
};

/* The entries sorted by address, which the caller frees, and the section's address; NULL: no
 * functions. */
struct pfx_eh_entry *pfx_eh_table_make(const struct pfx_binary *binary, uint64_t *ret_base,
				       uint32_t *ret_nr);

/* --- unwind_with_libunwind.c --- */

/* Whether samples of that machine can be unwound by it. */
bool pfx_libunwind_can(const struct pfx_unwind_arch *arch);
/* The machine that the library supports; NULL: not built in, or not installed. */
const char *pfx_libunwind_machine(void);
enum pfx_unwind_end pfx_libunwind_walk(struct pfx_walk *walk);
void pfx_libunwind_free(struct pfx_libunwind *libunwind);

/* --- unwind_with_libdw.c --- */

bool pfx_libdw_is_built_in(void);
enum pfx_unwind_end pfx_libdw_walk(struct pfx_walk *walk);
void pfx_libdw_free(struct pfx_libdw *libdw);

#endif
