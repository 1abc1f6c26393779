/* SPDX-License-Identifier: MIT */
/*
 * User frames of a sample that holds registers and a copy of the stack. Each step is a row's: found
 * in a small memo, else in the rows of the dso that the address lies in. Where a program says
 * nothing about an address, the frame pointer may lead on. How each walk ended is counted.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cursor.h"
#include "unwind/resolve_internal.h"

#define PROT_EXEC_BIT 4u

void pfx_unwinder_init(struct pfx_unwinder *unwinder, const struct pfx_env *env)
{
	static struct utsname host;

	unwinder->stats.cannot_read_cfi = !pfx_cfi_is_built_in();
	unwinder->machine = env->arch;
	if (!unwinder->machine)
		unwinder->machine = pfx_unwind_machine_name(env->e_machine);
	if (!unwinder->machine && !uname(&host))
		unwinder->machine = host.machine;
}

void pfx_unwinder_fini(struct pfx_unwinder *unwinder)
{
	size_t i;

	for (i = 0; i < unwinder->rows.nr; i++)
		pfx_rows_free(unwinder->rows.at[i].rows);
	pfx_vec_free(&unwinder->rows);
	pfx_vec_free(&unwinder->words);
	free(unwinder->memos);
	unwinder->memos = NULL;
}

const struct pfx_unwind_stats *pfx_resolver_unwind_stats(const struct pfx_resolver *resolver)
{
	return &resolver->unwinder.stats;
}

/* --- rows --- */

static const struct pfx_row row_none = {.kind = PFX_ROW_NONE};
static const struct pfx_row row_missing = {.kind = PFX_ROW_MISSING};

static struct pfx_rows *open_rows(struct pfx_resolver *resolver, const struct pfx_dso *dso,
				  const struct pfx_unwind_arch *arch)
{
	struct pfx_sym_request request = pfx_resolver_request(resolver, dso);
	struct pfx_binary *binary;

	if (pfx_binary_open(&binary, &request, &resolver->options.sym, NULL))
		return NULL;
	return pfx_rows_new(binary, arch);
}

static const struct pfx_row *row_in_dso(struct pfx_resolver *resolver, const struct pfx_dso *dso,
					const struct pfx_unwind_arch *arch, uint64_t addr)
{
	struct pfx_unwinder *unwinder = &resolver->unwinder;
	struct pfx_dso_rows *rows;

	if (dso->kind != PFX_DSO_FILE && dso->kind != PFX_DSO_VDSO)
		return &row_none;
	while (unwinder->rows.nr <= dso->id)
		*pfx_vec_add(&unwinder->rows) = (struct pfx_dso_rows){0};
	rows = &unwinder->rows.at[dso->id];
	if (!rows->looked_for) {
		rows->rows = open_rows(resolver, dso, arch);
		rows->looked_for = true;
	}
	return rows->rows ? pfx_rows_find(rows->rows, addr) : &row_missing;
}

/* --- one walk --- */

struct walk {
	struct pfx_resolver *resolver;
	struct pfx_thread *thread;
	uint64_t stamp;
	struct pfx_frame_state state;
	const struct pfx_dso *dso; /* where the pc is; NULL: in no map */
	bool exact;                /* the pc is of an instruction that runs, not behind a call */
	bool innermost;
};

/* The row of @addr, and where it is. */
static const struct pfx_row *find_row(struct walk *walk, uint64_t addr)
{
	struct pfx_unwinder *unwinder = &walk->resolver->unwinder;
	struct pfx_row_memo *memo;
	struct pfx_location at;

	if (!unwinder->memos)
		unwinder->memos = pfx_calloc(PFX_ROW_MEMOS, sizeof(*unwinder->memos));
	memo = &unwinder->memos[pfx_hash_u64(addr ^ walk->stamp << 7) & (PFX_ROW_MEMOS - 1)];
	if (!memo->row || memo->addr != addr || memo->stamp != walk->stamp) {
		pfx_session_locate(walk->resolver->session, walk->thread, PFX_MODE_USER, addr, &at);
		*memo = (struct pfx_row_memo){walk->stamp, addr, NULL, &row_none};
		if (at.map) {
			memo->dso = at.map->dso;
			memo->row =
				row_in_dso(walk->resolver, memo->dso, walk->state.arch, at.addr);
		}
	}
	walk->dso = memo->dso;
	return memo->row;
}

static bool is_code(struct walk *walk, uint64_t addr)
{
	struct pfx_location at;

	pfx_session_locate(walk->resolver->session, walk->thread, PFX_MODE_USER, addr, &at);
	return at.map && (!at.map->prot || (at.map->prot & PROT_EXEC_BIT));
}

/* The frame that the kernel left under a handler's, by the machine's layout. */
static bool step_signal(struct walk *walk)
{
	const struct pfx_unwind_arch *arch = walk->state.arch;
	uint64_t sp = walk->state.regs[arch->sp], value;
	struct pfx_frame_state *state = &walk->state;
	unsigned i;

	if (!arch->signal_pc || !pfx_frame_load(state, sp + arch->signal_pc, arch->word, &value) ||
	    !is_code(walk, value))
		return false;
	state->pc = value;
	for (i = 0; i < arch->signal_nr; i++)
		if (pfx_frame_load(state, sp + arch->signal_regs + i * arch->word, arch->word,
				   &value))
			pfx_frame_set(state, arch->signal_first + i, value);
	if (pfx_frame_load(state, sp + arch->signal_sp, arch->word, &value))
		pfx_frame_set(state, arch->sp, value);
	walk->exact = true;
	return true;
}

/* Code that says nothing about itself, by its frame pointer where that points to a frame. */
static enum pfx_unwind_end step_by_pointer(struct walk *walk)
{
	struct pfx_frame_state *state = &walk->state;
	const struct pfx_unwind_arch *arch = state->arch;
	uint64_t fp = state->regs[arch->fp], ra, old_fp;

	if (!arch->fp_ra || !pfx_frame_has(state, arch->fp))
		return PFX_UNWIND_NO_CFI;
	state->beyond = false;
	if (fp % arch->word || fp < state->regs[arch->sp] ||
	    !pfx_frame_load(state, fp + (uint64_t)arch->fp_ra, arch->word, &ra) ||
	    !pfx_frame_load(state, fp + (uint64_t)arch->fp_fp, arch->word, &old_fp))
		return PFX_UNWIND_NO_CFI;
	ra &= arch->pc_mask;
	if (ra && !is_code(walk, ra - 1))
		return PFX_UNWIND_NO_CFI;
	memset(state->valid, 0, sizeof(state->valid));
	pfx_frame_set(state, arch->fp, old_fp);
	pfx_frame_set(state, arch->sp, fp + (uint64_t)arch->fp_sp);
	state->pc = ra;
	return PFX_UNWIND_COMPLETE;
}

/* A leaf that says nothing about itself, on machines where calls leave the address in a register.
 */
static bool step_leaf(struct walk *walk)
{
	struct pfx_frame_state *state = &walk->state;
	unsigned ra = state->arch->ra;
	uint64_t pc;

	if (ra == PFX_UNWIND_NO_REG || !pfx_frame_has(state, ra))
		return false;
	pc = state->regs[ra] & state->arch->pc_mask;
	if (pc == state->pc || !is_code(walk, pc - 1))
		return false;
	state->pc = pc;
	return true;
}

static enum pfx_unwind_end step_without_row(struct walk *walk, const struct pfx_row *row)
{
	bool is_vdso = walk->dso && walk->dso->kind == PFX_DSO_VDSO;
	bool is_file = walk->dso && walk->dso->kind == PFX_DSO_FILE, may_be_leaf = walk->exact;

	walk->exact = false;
	if (is_vdso && !walk->innermost && step_signal(walk))
		return PFX_UNWIND_COMPLETE;
	if (row->kind == PFX_ROW_MISSING && !is_vdso) {
		walk->resolver->unwinder.stats.missing = walk->dso;
		return PFX_UNWIND_NO_DSO;
	}
	/* Linkage tables and assembler that say nothing are leaves; compilers at run time tell
	 * nothing about any code. */
	if ((may_be_leaf && is_file && step_leaf(walk)) ||
	    step_by_pointer(walk) == PFX_UNWIND_COMPLETE || (may_be_leaf && step_leaf(walk)))
		return PFX_UNWIND_COMPLETE;
	return walk->dso ? PFX_UNWIND_NO_CFI : PFX_UNWIND_BAD_CFI;
}

static enum pfx_unwind_end step_by_row(struct walk *walk, const struct pfx_row *row)
{
	struct pfx_frame_state *state = &walk->state;
	uint64_t sp = state->regs[state->arch->sp], pc = state->pc;

	if (!pfx_frame_step(state, row))
		return state->beyond ? PFX_UNWIND_SHORT_DUMP : PFX_UNWIND_BAD_CFI;
	walk->exact = row->is_signal;
	if (!row->is_signal && (state->regs[state->arch->sp] < sp ||
				(state->regs[state->arch->sp] == sp && state->pc == pc)))
		return PFX_UNWIND_BAD_CFI;
	return PFX_UNWIND_COMPLETE;
}

/* To the caller. COMPLETE: go on, or with a pc of 0 that there is none. */
static enum pfx_unwind_end step(struct walk *walk, const struct pfx_row *row)
{
	switch (row->kind) {
	case PFX_ROW_LAST:
		walk->state.pc = 0;
		return PFX_UNWIND_COMPLETE;
	case PFX_ROW_RULES:
		return step_by_row(walk, row);
	case PFX_ROW_BAD:
		return PFX_UNWIND_BAD_CFI;
	default:
		return step_without_row(walk, row);
	}
}

/* The kernel's code that a handler returns to is shown as it is, not one before. */
static bool is_trampoline(const struct walk *walk, const struct pfx_row *row)
{
	return (row->kind == PFX_ROW_RULES && row->is_signal) ||
	       (walk->dso && walk->dso->kind == PFX_DSO_VDSO);
}

static enum pfx_unwind_end walk_frames(struct walk *walk)
{
	struct pfx_resolver *resolver = walk->resolver;
	struct pfx_frame_state *state = &walk->state;
	enum pfx_unwind_end end;
	const struct pfx_row *row;
	uint32_t nr;

	for (nr = 0; nr < resolver->options.max_stack && state->pc; nr++) {
		uint64_t addr = state->pc - !walk->exact;

		row = find_row(walk, addr);
		if (!walk->exact && is_trampoline(walk, row))
			addr++;
		pfx_vec_push(&resolver->unwinder.words, addr);
		end = step(walk, row);
		if (end != PFX_UNWIND_COMPLETE)
			return end;
		walk->innermost = false;
	}
	return PFX_UNWIND_COMPLETE;
}

/* --- the sample --- */

bool pfx_stack_walk_wanted(const struct pfx_sample *sample)
{
	return sample->regs_user.abi && sample->regs_user.values.nr && sample->stack.size;
}

/* False when the registers that a walk starts from are not in the sample. */
static bool read_regs(struct pfx_frame_state *state, const struct pfx_regs *regs)
{
	const struct pfx_unwind_arch *arch = state->arch;
	uint64_t mask = regs->mask, value;
	bool has_pc = false;
	unsigned bit, i;

	for (i = 0; mask && i < regs->values.nr; i++, mask &= mask - 1) {
		bit = (unsigned)__builtin_ctzll(mask);
		value = pfx_word(&regs->values, i);
		if (bit == arch->sample_pc) {
			state->pc = value;
			has_pc = true;
		}
		if (bit < arch->nr_sample && arch->to_dwarf[bit] != PFX_UNWIND_NO_REG)
			pfx_frame_set(state, arch->to_dwarf[bit], value);
	}
	return has_pc && pfx_frame_has(state, arch->sp);
}

void pfx_stack_walk(struct pfx_resolver *resolver, struct pfx_thread *thread,
		    const struct pfx_sample *sample)
{
	struct pfx_unwind_stats *stats = &resolver->unwinder.stats;
	uint64_t size = sample->stack.size;
	struct walk walk = {.resolver = resolver, .thread = thread, .exact = true};

	walk.innermost = true;
	walk.state.arch = pfx_unwind_arch_find(resolver->unwinder.machine, sample->regs_user.abi);
	if (!walk.state.arch || !read_regs(&walk.state, &sample->regs_user))
		return;
	walk.stamp = pfx_session_maps_stamp(resolver->session, thread);
	walk.state.swap = sample->swap;
	walk.state.stack = sample->stack.at;
	walk.state.stack_size = sample->stack_dyn_size < size ? sample->stack_dyn_size : size;
	walk.state.stack_start = walk.state.regs[walk.state.arch->sp];
	stats->dump_size = size > stats->dump_size ? size : stats->dump_size;
	stats->nr_chains++;
	stats->nr_ends[walk_frames(&walk)]++;
}
