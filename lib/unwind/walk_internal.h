/* SPDX-License-Identifier: MIT */
/*
 * One walk through a copied stack, for all who can do it: our own rows (walk.c), libunwind
 * and libdw. Each gets the registers and the stack of a sample, asks for the programs that it
 * passes through, and adds the addresses of the frames.
 */
#ifndef PFX_UNWIND_WALK_INTERNAL_H
#define PFX_UNWIND_WALK_INTERNAL_H

#include "unwind/resolve_internal.h"

struct pfx_walk {
	struct pfx_resolver *resolver;
	struct pfx_thread *thread;
	uint64_t stamp; /* of the thread's maps */
	struct pfx_unwind_row_memo *memos;
	struct pfx_word_vec *words; /* where the frames go */
	struct pfx_frame_state state;
	const struct pfx_dso *dso;     /* where the pc is; NULL: in no map */
	const struct pfx_dso *missing; /* a program that it needed and that is not there, or NULL */
	uint32_t nr;                   /* frames added */
	bool exact;         /* the pc is of an instruction that runs, not behind a call */
	bool innermost;     /* of the first frame */
	bool inexpressible; /* it ended at a row that could not be made or applied */
};

/* A program that is mapped. */
struct pfx_walk_image {
	uint64_t start, end;       /* addresses of the map */
	uint64_t offset;           /* in the file, of its first byte */
	struct pfx_binary *binary; /* NULL: in no map, or not at hand */
	const struct pfx_dso *dso;
	bool is_jit; /* one function of a jitdump; its tables are in the binary alone */
};

/* What is mapped at @addr. False when it is no program that is at hand. */
bool pfx_walk_image(struct pfx_walk *walk, uint64_t addr, struct pfx_walk_image *ret);
/* The same for the map @i in order of address; *@ret_end when there is none. */
bool pfx_walk_image_at(struct pfx_walk *walk, uint32_t i, struct pfx_walk_image *ret,
		       bool *ret_end);
/* Add a frame whose code runs at @pc (@exact) or goes on there when a call returns. False: there
 * are enough. */
bool pfx_walk_add(struct pfx_walk *walk, uint64_t pc, bool exact);
/* Whether the code at @pc is what the handler of a signal returns to: its caller was interrupted.
 */
bool pfx_walk_is_signal(struct pfx_walk *walk, uint64_t pc);
/* A word of the stack or of a register without its signature, where it is a signed address of code.
 * Unwinders that know nothing of signatures follow words as they are. */
uint64_t pfx_walk_word(struct pfx_walk *walk, uint64_t value);
/* Why a walk that failed at @pc did. */
enum pfx_unwind_end pfx_walk_why(struct pfx_walk *walk, uint64_t pc);

/* A walk of this thread's: its frames go behind the words of the chain at hand. */
struct pfx_walk pfx_walk_own(struct pfx_unwinder *unwinder);
/* Set a walk to the sample's registers and stack. False: there is nothing to start from. */
bool pfx_walk_begin(struct pfx_walk *walk, struct pfx_resolver *resolver, struct pfx_thread *thread,
		    const struct pfx_sample *sample);
/* From where it is to its end. */
enum pfx_unwind_end pfx_walk_by_rows(struct pfx_walk *walk);

/* --- walks by rows, which may be done by any thread --- */

struct pfx_unwind_row_memo *pfx_unwind_row_memos_new(void);
/* Walk by rows alone from the sample's registers on, with the memos and words that @walk has, else
 * zero. False: there is nothing to start from. */
bool pfx_walk_rows(struct pfx_walk *walk, struct pfx_resolver *resolver, struct pfx_thread *thread,
		   const struct pfx_sample *sample, enum pfx_unwind_end *ret);

/* Count how a walk ended. */
void pfx_walk_count(struct pfx_resolver *resolver, const struct pfx_sample *sample,
		    enum pfx_unwind_end end, const struct pfx_dso *missing);

/* --- walk_ahead.c --- */

/* A sample with a copied stack. */
struct pfx_stack_sample {
	struct pfx_thread *thread;
	const struct pfx_sample *sample;
};
/* Whether walks ahead save time: there are several threads, and rows are what walks. */
bool pfx_walks_ahead_pay(struct pfx_resolver *resolver);
/* Samples whose chains are going to be asked for, in this order, before the session changes: the
 * stacks in them are walked now. The bytes of the samples have to stay until the next call of this;
 * without samples, all is forgotten. */
void pfx_walks_ahead_run(struct pfx_resolver *resolver, const struct pfx_stack_sample *samples,
			 uint32_t nr);
/* The walk through the sample's stack, if it was done ahead: its frames go behind unwinder.words,
 * its end is counted. */
bool pfx_walks_ahead_take(struct pfx_resolver *resolver, struct pfx_thread *thread,
			  const struct pfx_sample *sample);
void pfx_walks_ahead_fini(struct pfx_walks_ahead *ahead);

/* --- eh_table.c: the index of .eh_frame that a program may lack --- */

struct pfx_eh_entry {
	int32_t start, fde; /* of a function and its description, from the section's address on */
};

/* The entries in order of address, which the caller frees, and the section's address; NULL: there
 * is nothing to index. */
struct pfx_eh_entry *pfx_eh_table_make(const struct pfx_binary *binary, uint64_t *ret_base,
				       uint32_t *ret_nr);

/* --- unwind_with_libunwind.c --- */

/* Whether samples of that machine can be walked by it. */
bool pfx_libunwind_can(const struct pfx_unwind_arch *arch);
/* The machine that the library is for; NULL: it is not built in, or not installed. */
const char *pfx_libunwind_machine(void);
enum pfx_unwind_end pfx_libunwind_walk(struct pfx_walk *walk);
void pfx_libunwind_free(struct pfx_libunwind *libunwind);

/* --- unwind_with_libdw.c --- */

bool pfx_libdw_is_built_in(void);
enum pfx_unwind_end pfx_libdw_walk(struct pfx_walk *walk);
void pfx_libdw_free(struct pfx_libdw *libdw);

#endif
