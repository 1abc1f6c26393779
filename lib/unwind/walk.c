/* SPDX-License-Identifier: MIT */
/*
 * Unwinds a stack dump by rows. The row of a step comes from a small memo, else from the rows of
 * the DSO that contains the address. Code without unwind information is unwound by frame pointer,
 * if possible. Also contains helpers for the other unwinders.
 */
#include <string.h>

#include "base/cursor.h"
#include "unwind/walk_internal.h"

#define PROT_EXEC_BIT 4u
#define ENTRY_CODE    128 /* maximum size of the code at a program's entry point */

struct pfx_unwind_row_memo *pfx_unwind_row_memos_new(void)
{
	return pfx_calloc(PFX_UNWIND_ROW_MEMOS, sizeof(struct pfx_unwind_row_memo));
}

struct pfx_walk pfx_walk_own(struct pfx_unwinder *unwinder)
{
	if (!unwinder->memos)
		unwinder->memos = pfx_unwind_row_memos_new();
	return (struct pfx_walk){.memos = unwinder->memos, .words = &unwinder->words};
}

static void fill_memo(struct pfx_walk *walk, struct pfx_unwind_row_memo *memo, uint64_t addr)
{
	struct pfx_location at;

	pfx_session_locate(walk->resolver->session, walk->thread, PFX_MODE_USER, addr, &at);
	*memo = (struct pfx_unwind_row_memo){walk->stamp, addr, NULL, &pfx_unwind_row_none};
	if (!at.map)
		return;
	memo->dso = at.map->dso;
	memo->row = pfx_dso_row(walk->resolver, memo->dso, walk->state.arch, at.addr);
}

/* The row of @addr, and its dso. */
static const struct pfx_unwind_row *find_row(struct pfx_walk *walk, uint64_t addr)
{
	struct pfx_unwinder *unwinder = &walk->resolver->unwinder;
	struct pfx_unwind_row_memo *memo;

	memo = &walk->memos[pfx_hash_u64(addr ^ walk->stamp << 7) & (PFX_UNWIND_ROW_MEMOS - 1)];
	if (!memo->row || memo->addr != addr || memo->stamp != walk->stamp) {
		pthread_mutex_lock(&unwinder->lock);
		fill_memo(walk, memo, addr);
		pthread_mutex_unlock(&unwinder->lock);
	}
	walk->dso = memo->dso;
	return memo->row;
}

static bool is_code(struct pfx_walk *walk, uint64_t addr)
{
	struct pfx_unwinder *unwinder = &walk->resolver->unwinder;
	struct pfx_location at;

	pthread_mutex_lock(&unwinder->lock);
	pfx_session_locate(walk->resolver->session, walk->thread, PFX_MODE_USER, addr, &at);
	pthread_mutex_unlock(&unwinder->lock);
	return at.map && (!at.map->prot || (at.map->prot & PROT_EXEC_BIT));
}

/* Restores registers from the signal frame at @at, in the machine's layout. */
static bool step_signal_at(struct pfx_walk *walk, uint64_t at)
{
	const struct pfx_unwind_arch *arch = walk->state.arch;
	struct pfx_frame_state *state = &walk->state;
	uint64_t value;
	unsigned i, reg;

	if (!pfx_frame_load(state, at + arch->signal_pc, arch->word, &value) ||
	    !is_code(walk, value))
		return false;
	state->pc = value;
	for (i = 0; i < arch->signal_nr; i++) {
		reg = arch->signal_down ? arch->signal_first - i : arch->signal_first + i;
		if (pfx_frame_load(state, at + arch->signal_regs + i * arch->word, arch->word,
				   &value))
			pfx_frame_set(state, reg, value);
	}
	if (pfx_frame_load(state, at + arch->signal_sp, arch->word, &value))
		pfx_frame_set(state, arch->sp, value);
	walk->exact = true;
	return true;
}

/* On machines with two kinds of signal frames: one restorer first pops the signal number. */
static bool step_signal(struct pfx_walk *walk)
{
	const struct pfx_unwind_arch *arch = walk->state.arch;
	uint64_t sp = walk->state.regs[arch->sp];

	return arch->signal_pc &&
	       (step_signal_at(walk, sp) ||
		(arch->signal_alt && (step_signal_at(walk, sp + arch->signal_alt) ||
				      step_signal_at(walk, sp - arch->word))));
}

/* In the vdso's system call code, between its pushes: the registers are on the stack, or not yet
 * pushed. */
static bool step_vsyscall(struct pfx_walk *walk)
{
	const struct pfx_unwind_arch *arch = walk->state.arch;
	struct pfx_frame_state *state = &walk->state;
	uint64_t sp = state->regs[arch->sp], pc, fp;
	bool pushed = arch->vsyscall_ra &&
		      pfx_frame_load(state, sp + arch->vsyscall_ra, arch->word, &pc) &&
		      is_code(walk, pc - 1);

	if (!arch->vsyscall_ra ||
	    (!pushed && (!pfx_frame_load(state, sp, arch->word, &pc) || !is_code(walk, pc - 1))))
		return false;
	if (pushed && pfx_frame_load(state, sp, arch->word, &fp))
		pfx_frame_set(state, arch->fp, fp);
	pfx_frame_set(state, arch->sp, sp + (pushed ? arch->vsyscall_ra : 0) + arch->word);
	state->pc = pc;
	return true;
}

/* For code without unwind information: by frame pointer, if it points to a valid frame. */
static enum pfx_unwind_end step_by_pointer(struct pfx_walk *walk)
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
	ra = pfx_frame_return(state, ra);
	if (ra && !is_code(walk, ra - 1))
		return PFX_UNWIND_NO_CFI;
	memset(state->valid, 0, sizeof(state->valid));
	pfx_frame_set(state, arch->fp, old_fp);
	pfx_frame_set(state, arch->sp, fp + (uint64_t)arch->fp_sp);
	state->pc = ra;
	return PFX_UNWIND_COMPLETE;
}

/* A leaf function without unwind information, on machines with a link register. */
static bool step_leaf(struct pfx_walk *walk)
{
	struct pfx_frame_state *state = &walk->state;
	unsigned ra = state->arch->ra;
	uint64_t pc;

	if (ra == PFX_UNWIND_NO_REG || !pfx_frame_has(state, ra))
		return false;
	pc = pfx_frame_return(state, state->regs[ra]);
	if (pc == state->pc || !is_code(walk, pc - 1))
		return false;
	state->pc = pc;
	return true;
}

/* Whether @pc is in the code at a program's entry point. Many dynamic loaders have no unwind
 * information there; it has no caller. */
static bool is_entry(struct pfx_walk *walk, uint64_t pc)
{
	struct pfx_resolver *resolver = walk->resolver;
	struct pfx_location at;
	struct pfx_rows *rows = NULL;
	uint64_t vaddr = 0, entry = 0;

	pthread_mutex_lock(&resolver->unwinder.lock);
	pfx_session_locate(resolver->session, walk->thread, PFX_MODE_USER, pc, &at);
	if (at.map)
		rows = pfx_resolver_rows(resolver, at.map->dso, walk->state.arch);
	if (rows && pfx_binary_vaddr(pfx_rows_binary(rows), at.addr, &vaddr))
		entry = pfx_binary_entry(pfx_rows_binary(rows));
	pthread_mutex_unlock(&resolver->unwinder.lock);
	return entry && vaddr - entry < ENTRY_CODE;
}

/* The result for code without unwind information. */
static enum pfx_unwind_end nothing_said(struct pfx_walk *walk, uint64_t pc)
{
	if (!walk->dso)
		return PFX_UNWIND_BAD_CFI;
	if (!pfx_dso_has_rows(walk->dso))
		return PFX_UNWIND_MADE_CODE;
	if (!is_entry(walk, pc))
		return PFX_UNWIND_NO_CFI;
	walk->state.pc = 0;
	return PFX_UNWIND_COMPLETE;
}

static enum pfx_unwind_end step_without_row(struct pfx_walk *walk, const struct pfx_unwind_row *row)
{
	bool is_vdso = walk->dso && walk->dso->kind == PFX_DSO_VDSO;
	bool is_file = walk->dso && walk->dso->kind == PFX_DSO_FILE, may_be_leaf = walk->exact;

	walk->exact = false;
	if (is_vdso && ((may_be_leaf && step_vsyscall(walk)) ||
			((!may_be_leaf || walk->state.arch->vsyscall_ra) && step_signal(walk))))
		return PFX_UNWIND_COMPLETE;
	if (row->kind == PFX_ROW_MISSING && !is_vdso) {
		walk->missing = walk->dso;
		return PFX_UNWIND_NO_DSO;
	}
	/* PLT entries and assembler code without unwind information are treated as leaves; JIT code
	 * is not, because compilers may describe none of it. */
	if ((may_be_leaf && is_file && step_leaf(walk)) ||
	    step_by_pointer(walk) == PFX_UNWIND_COMPLETE || (may_be_leaf && step_leaf(walk)))
		return PFX_UNWIND_COMPLETE;
	return nothing_said(walk, walk->state.pc - !may_be_leaf);
}

static enum pfx_unwind_end step_by_row(struct pfx_walk *walk, const struct pfx_unwind_row *row)
{
	struct pfx_frame_state *state = &walk->state;
	uint64_t sp = state->regs[state->arch->sp], pc = state->pc;

	if (!pfx_frame_step(state, row)) {
		walk->inexpressible = row->cfa.how == PFX_ROW_EXPR_VALUE;
		return state->beyond ? PFX_UNWIND_SHORT_DUMP : PFX_UNWIND_BAD_CFI;
	}
	walk->exact = row->is_signal;
	if (!row->is_signal && (state->regs[state->arch->sp] < sp ||
				(state->regs[state->arch->sp] == sp && state->pc == pc)))
		return PFX_UNWIND_BAD_CFI;
	return PFX_UNWIND_COMPLETE;
}

/* Unwinds one step. COMPLETE: continue; pc is 0 if there is no caller. */
static enum pfx_unwind_end step(struct pfx_walk *walk, const struct pfx_unwind_row *row)
{
	switch (row->kind) {
	case PFX_ROW_LAST:
		walk->state.pc = 0;
		return PFX_UNWIND_COMPLETE;
	case PFX_ROW_RULES:
		return step_by_row(walk, row);
	case PFX_ROW_BAD:
		walk->inexpressible = true;
		return PFX_UNWIND_BAD_CFI;
	default:
		return step_without_row(walk, row);
	}
}

/* Return addresses in the kernel's signal trampoline are shown unchanged, since no call precedes
 * them. */
static bool is_trampoline(const struct pfx_walk *walk, const struct pfx_unwind_row *row)
{
	return (row->kind == PFX_ROW_RULES && row->is_signal) ||
	       (walk->dso && walk->dso->kind == PFX_DSO_VDSO);
}

bool pfx_walk_add(struct pfx_walk *walk, uint64_t pc, bool exact)
{
	pfx_vec_push(walk->words, pc - !exact);
	return ++walk->nr < walk->resolver->options.max_stack;
}

enum pfx_unwind_end pfx_walk_by_rows(struct pfx_walk *walk)
{
	struct pfx_frame_state *state = &walk->state;
	enum pfx_unwind_end end;
	const struct pfx_unwind_row *row;
	bool more = true;

	while (more && state->pc) {
		row = find_row(walk, state->pc - !walk->exact);
		more = pfx_walk_add(walk, state->pc, walk->exact || is_trampoline(walk, row));
		end = step(walk, row);
		if (end != PFX_UNWIND_COMPLETE)
			return end;
		walk->innermost = false;
	}
	return PFX_UNWIND_COMPLETE;
}

/* --- helpers for other unwinders --- */

/* The ELF image of a JIT function. */
static struct pfx_binary *jit_binary(struct pfx_walk *walk, const struct pfx_dso *dso,
				     uint64_t addr, uint64_t *ret_offset)
{
	struct pfx_jit_rows *rows = pfx_dso_jit_rows(walk->resolver, dso, walk->state.arch);

	return rows ? pfx_jit_rows_binary(rows, addr, ret_offset) : NULL;
}

static bool image_of(struct pfx_walk *walk, const struct pfx_map *map, struct pfx_walk_image *ret)
{
	struct pfx_location at;
	struct pfx_rows *rows;

	*ret = (struct pfx_walk_image){0};
	if (!map)
		return false;
	pfx_session_locate(walk->resolver->session, walk->thread, PFX_MODE_USER, map->start, &at);
	*ret = (struct pfx_walk_image){
		.start = map->start, .end = map->end, .offset = at.addr, .dso = map->dso};
	if (map->dso && map->dso->kind == PFX_DSO_JITDUMP) {
		ret->is_jit = true;
		ret->binary = jit_binary(walk, map->dso, at.addr, &ret->offset);
		return ret->binary != NULL;
	}
	if (!map->dso || !pfx_dso_has_rows(map->dso))
		return false;
	rows = pfx_resolver_rows(walk->resolver, map->dso, walk->state.arch);
	ret->binary = rows ? pfx_rows_binary(rows) : NULL;
	return ret->binary != NULL;
}

bool pfx_walk_image(struct pfx_walk *walk, uint64_t addr, struct pfx_walk_image *ret)
{
	struct pfx_location at;

	pfx_session_locate(walk->resolver->session, walk->thread, PFX_MODE_USER, addr, &at);
	return image_of(walk, at.map, ret);
}

bool pfx_walk_image_at(struct pfx_walk *walk, uint32_t i, struct pfx_walk_image *ret, bool *ret_end)
{
	const struct pfx_map *map = pfx_session_map_at(walk->resolver->session, walk->thread, i);

	*ret_end = !map;
	if (map && map->prot && !(map->prot & PROT_EXEC_BIT))
		map = NULL;
	return image_of(walk, map, ret);
}

uint64_t pfx_walk_word(struct pfx_walk *walk, uint64_t value)
{
	uint64_t plain;

	if (!walk->state.arch->address_bits)
		return value;
	plain = pfx_frame_return(&walk->state, value);
	return plain != value && is_code(walk, plain - 1) ? plain : value;
}

bool pfx_walk_is_signal(struct pfx_walk *walk, uint64_t pc)
{
	const struct pfx_unwind_row *row = find_row(walk, pc);

	return row->kind == PFX_ROW_RULES && row->is_signal;
}

enum pfx_unwind_end pfx_walk_why(struct pfx_walk *walk, uint64_t pc)
{
	const struct pfx_unwind_row *row = find_row(walk, pc);

	if (row->kind == PFX_ROW_MISSING && walk->dso->kind != PFX_DSO_VDSO) {
		walk->missing = walk->dso;
		return PFX_UNWIND_NO_DSO;
	}
	if (walk->state.beyond)
		return PFX_UNWIND_SHORT_DUMP;
	return row->kind == PFX_ROW_NONE ? nothing_said(walk, pc) : PFX_UNWIND_BAD_CFI;
}

/* --- the sample --- */

/* False when the sample lacks the registers that unwinding needs. */
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

/* Collects properties of the process that owns the stack. */
static void begin_process(struct pfx_walk *walk)
{
	struct pfx_session *session = walk->resolver->session;

	walk->stamp = pfx_session_maps_stamp(session, walk->thread);
	walk->state.pc_mask =
		pfx_unwind_pc_mask(walk->state.arch, pfx_session_maps_end(session, walk->thread));
}

bool pfx_walk_begin(struct pfx_walk *walk, struct pfx_resolver *resolver, struct pfx_thread *thread,
		    const struct pfx_sample *sample)
{
	uint64_t size = sample->stack.size;

	walk->resolver = resolver;
	walk->thread = thread;
	walk->exact = walk->innermost = true;
	walk->state.arch = pfx_unwind_arch_find(resolver->unwinder.machine, sample->regs_user.abi);
	if (!walk->state.arch || !read_regs(&walk->state, &sample->regs_user))
		return false;
	begin_process(walk);
	walk->state.swap = sample->swap;
	walk->state.stack = sample->stack.at;
	walk->state.stack_size = sample->stack_dyn_size < size ? sample->stack_dyn_size : size;
	walk->state.stack_start = walk->state.regs[walk->state.arch->sp];
	return true;
}

bool pfx_walk_rows(struct pfx_walk *walk, struct pfx_resolver *resolver, struct pfx_thread *thread,
		   const struct pfx_sample *sample, enum pfx_unwind_end *ret)
{
	if (!pfx_walk_begin(walk, resolver, thread, sample))
		return false;
	*ret = pfx_walk_by_rows(walk);
	return true;
}

void pfx_walk_count(struct pfx_resolver *resolver, const struct pfx_sample *sample,
		    enum pfx_unwind_end end, const struct pfx_dso *missing)
{
	struct pfx_unwind_stats *stats = &resolver->unwinder.stats;

	if (sample->stack.size > stats->dump_size)
		stats->dump_size = sample->stack.size;
	stats->nr_chains++;
	stats->nr_ends[end]++;
	if (missing)
		stats->missing = missing;
}

bool pfx_leaf_caller(struct pfx_resolver *resolver, struct pfx_thread *thread,
		     const struct pfx_sample *sample, uint64_t pc, uint64_t *ret)
{
	struct pfx_walk walk = pfx_walk_own(&resolver->unwinder);
	const struct pfx_unwind_arch *arch;
	const struct pfx_unwind_row *row;

	walk.resolver = resolver;
	walk.thread = thread;
	if (!sample->regs_user.abi || !sample->regs_user.values.nr)
		return false;
	arch = pfx_unwind_arch_find(resolver->unwinder.machine, sample->regs_user.abi);
	if (!arch || arch->ra == PFX_UNWIND_NO_REG)
		return false;
	walk.state.arch = arch;
	(void)read_regs(&walk.state, &sample->regs_user); /* a missing pc does not matter here */
	if (!pfx_frame_has(&walk.state, arch->ra))
		return false;
	begin_process(&walk);
	row = find_row(&walk, pc);
	*ret = pfx_frame_return(&walk.state, walk.state.regs[arch->ra]);
	return row->kind == PFX_ROW_RULES && !row->is_signal && row->ra == arch->ra &&
	       (row->keep[arch->ra / 64] >> (arch->ra % 64) & 1) && *ret &&
	       is_code(&walk, *ret - 1);
}
