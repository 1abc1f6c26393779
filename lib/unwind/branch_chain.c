/* SPDX-License-Identifier: MIT */
/*
 * Call chains from branch stacks. A branch stack that was recorded in call-stack mode contains the
 * user's callers: it replaces the user part of the kernel's call chain. Any other branch stack is a
 * history, which can be shown before a chain. The result has the format of the kernel's call
 * chains.
 */
#include <stdlib.h>
#include <string.h>

#include "unwind/resolve_internal.h"

/* Longer histories than any CPU records are not folded: the search for loops is quadratic. */
#define FOLDED_MAX 1024

#define CALL_LENGTH_MAX 8               /* maximum distance between a call and its return address */
#define STITCHED_MAX    4096            /* entries of a stack including stitched ones */
#define ANY_LEVEL       PFX_CONTEXT_MAX /* a context marker without a level */

/* The last branch stack of a thread, including stitched entries. */
struct pfx_stitch {
	uint64_t hw_idx;
	uint32_t nr; /* number of recorded entries; the others were stitched */
	PFX_VEC(struct pfx_branch) entries;
	PFX_VEC(struct pfx_branch) next; /* under construction */
};

uint32_t pfx_branch_chain_size(const struct pfx_env *env)
{
	const char *nr = pfx_env_find_cap(env, "branches");

	return nr ? (uint32_t)strtoul(nr, NULL, 10) : 0;
}

void pfx_branch_chain_fini(struct pfx_unwinder *unwinder)
{
	size_t i;

	for (i = 0; i < unwinder->stitches.nr; i++) {
		struct pfx_stitch *stitch = unwinder->stitches.at[i];

		if (stitch) {
			pfx_vec_free(&stitch->entries);
			pfx_vec_free(&stitch->next);
		}
		free(stitch);
	}
	pfx_vec_free(&unwinder->stitches);
	pfx_vec_free(&unwinder->whole);
	pfx_vec_free(&unwinder->steps);
}

/* --- stitching --- */

static struct pfx_stitch *stitch_of(struct pfx_unwinder *unwinder, const struct pfx_thread *thread)
{
	struct pfx_stitch **at;

	while (unwinder->stitches.nr <= thread->id)
		pfx_vec_push(&unwinder->stitches, NULL);
	at = &unwinder->stitches.at[thread->id];
	if (!*at)
		*at = pfx_calloc(1, sizeof(**at));
	return *at;
}

static bool same_branch(const struct pfx_branch *a, const struct pfx_branch *b)
{
	return a->from == b->from && a->to == b->to && a->flags == b->flags;
}

/*
 * LBR entries are a ring of registers, the newest at hw_idx. If the previous stack has the same
 * branch in the register of this stack's oldest entry, its older entries are callers that were
 * overwritten since. Returns the index of the first of them.
 */
static size_t first_lost(const struct pfx_stitch *last, const struct pfx_branch_stack *stack,
			 uint32_t nr_lbr)
{
	uint64_t oldest_at = (stack->hw_idx % nr_lbr + nr_lbr - (stack->nr - 1)) % nr_lbr;
	uint64_t from_top = (last->hw_idx % nr_lbr + nr_lbr - oldest_at) % nr_lbr;
	struct pfx_branch oldest = pfx_branch_at(stack, stack->nr - 1);

	if (from_top >= last->nr || !same_branch(&last->entries.at[from_top], &oldest))
		return last->entries.nr;
	return (size_t)from_top + 1;
}

/* The stack with the callers that it lost; it becomes the thread's last stack. */
static struct pfx_stitch *stitch(struct pfx_resolver *resolver, const struct pfx_thread *thread,
				 const struct pfx_branch_stack *stack)
{
	struct pfx_stitch *s = stitch_of(&resolver->unwinder, thread), old = *s;
	size_t i = old.nr ? first_lost(s, stack, resolver->unwinder.nr_lbr) : old.entries.nr;
	uint64_t k;

	s->next.nr = 0;
	for (k = 0; k < stack->nr; k++)
		pfx_vec_push(&s->next, pfx_branch_at(stack, k));
	for (; i < old.entries.nr && s->next.nr < STITCHED_MAX; i++)
		pfx_vec_push(&s->next, old.entries.at[i]);
	old = *s;
	s->entries.at = old.next.at;
	s->entries.nr = old.next.nr;
	s->entries.cap = old.next.cap;
	s->next.at = old.entries.at;
	s->next.nr = old.entries.nr;
	s->next.cap = old.entries.cap;
	s->nr = (uint32_t)stack->nr;
	s->hw_idx = stack->hw_idx;
	return s;
}

/* --- call chain words --- */

static bool is_call_stack(const struct pfx_sample *sample)
{
	return (sample->branch.type & PFX_BRANCH_CALL_STACK) && sample->branch.nr;
}

/* Number of words up to and including the marker of user space; 0: no such marker. */
static uint64_t kernel_words(const struct pfx_words *chain)
{
	uint64_t i;

	for (i = 0; i < chain->nr; i++)
		if (pfx_word(chain, i) == PFX_CONTEXT_USER)
			return i + 1;
	return 0;
}

bool pfx_branch_chain_wanted(const struct pfx_resolver *resolver, const struct pfx_sample *sample)
{
	if (is_call_stack(sample))
		return kernel_words(&sample->chain) != 0;
	return resolver->options.branch_history && sample->branch.nr;
}

static void add_calls(struct pfx_resolver *resolver, const struct pfx_thread *thread,
		      const struct pfx_sample *sample)
{
	struct pfx_unwinder *unwinder = &resolver->unwinder;
	const struct pfx_branch_stack *stack = &sample->branch;
	uint64_t i, nr = kernel_words(&sample->chain);
	const struct pfx_stitch *stitched;

	for (i = 0; i < nr; i++)
		pfx_vec_push(&unwinder->whole, pfx_word(&sample->chain, i));
	pfx_vec_push(&unwinder->whole, pfx_branch_at(stack, 0).to);
	for (i = 0; i < stack->nr; i++)
		pfx_vec_push(&unwinder->whole, pfx_branch_at(stack, i).from);
	if (!resolver->options.stitch_lbr || !unwinder->nr_lbr || stack->hw_idx == UINT64_MAX ||
	    stack->nr > unwinder->nr_lbr)
		return;
	stitched = stitch(resolver, thread, stack);
	for (; i < stitched->entries.nr; i++)
		pfx_vec_push(&unwinder->whole, stitched->entries.at[i].from);
}

/* Whether the branches from @first to @at are repeated from there on, or as far as the history
 * reaches; and their number. */
static bool is_round(const struct pfx_unwinder *unwinder, size_t first, size_t at, size_t *ret_len)
{
	const struct pfx_branch_step *steps = unwinder->steps.at;
	size_t i;

	for (i = 0; first + i < at && at + i < unwinder->steps.nr; i++)
		if (steps[first + i].branch.from != steps[at + i].branch.from)
			return false;
	*ret_len = i;
	return true;
}

/* Removes @len branches at @at, and counts the removed iteration in the branch after them. */
static void drop_round(struct pfx_unwinder *unwinder, size_t at, size_t len)
{
	struct pfx_branch_step *steps = unwinder->steps.at;
	size_t i, rest = unwinder->steps.nr - at - len;

	if (rest)
		steps[at + len].nr_loops++;
	for (i = 0; rest && i < len; i++)
		steps[at + len].loop_cycles += pfx_branch_cycles(&steps[at + i].branch);
	memmove(steps + at, steps + at + len, rest * sizeof(*steps));
	unwinder->steps.nr -= len;
}

/* The history contains a loop's branches once per iteration: keeps one iteration. */
static void fold_loops(struct pfx_unwinder *unwinder)
{
	struct pfx_hash seen = {0};
	uint64_t *first;
	size_t at, len;
	bool is_new;

	if (unwinder->steps.nr > FOLDED_MAX)
		return;
	for (at = 0; at < unwinder->steps.nr; at++) {
		first = pfx_hash_add(&seen, unwinder->steps.at[at].branch.from, &is_new);
		if (is_new)
			*first = at;
		else if (is_round(unwinder, (size_t)*first, at, &len))
			drop_round(unwinder, at, len);
	}
	pfx_hash_fini(&seen);
}

/* Branches, the newest first; then the chain, without frames that repeat a branch's call. */
static void add_history(struct pfx_unwinder *unwinder, const struct pfx_sample *sample)
{
	const struct pfx_words *chain = &sample->chain;
	uint64_t i, first = 0, word;

	pfx_vec_push(&unwinder->whole, ANY_LEVEL);
	for (i = 0; i < sample->branch.nr; i++) {
		struct pfx_branch branch = pfx_branch_at(&sample->branch, i);

		pfx_vec_push(&unwinder->steps, ((struct pfx_branch_step){.branch = branch}));
		while (first < chain->nr && (pfx_word(chain, first) >= PFX_CONTEXT_MAX ||
					     pfx_word(chain, first) == sample->ip))
			first++;
		if (first < chain->nr && pfx_word(chain, first) - branch.from - 1 < CALL_LENGTH_MAX)
			first++;
	}
	fold_loops(unwinder);
	for (i = 0; i < unwinder->steps.nr; i++) {
		pfx_vec_push(&unwinder->whole, unwinder->steps.at[i].branch.to);
		pfx_vec_push(&unwinder->whole, unwinder->steps.at[i].branch.from);
	}
	for (i = 0; i < chain->nr; i++) {
		word = pfx_word(chain, i);
		if (i >= first || word >= PFX_CONTEXT_MAX)
			pfx_vec_push(&unwinder->whole, word);
	}
}

void pfx_branch_chain(struct pfx_resolver *resolver, const struct pfx_thread *thread,
		      const struct pfx_sample *sample)
{
	struct pfx_unwinder *unwinder = &resolver->unwinder;

	unwinder->whole.nr = 0;
	unwinder->steps.nr = 0;
	if (is_call_stack(sample))
		add_calls(resolver, thread, sample);
	else
		add_history(unwinder, sample);
}

uint32_t pfx_resolver_branches(const struct pfx_resolver *resolver,
			       const struct pfx_branch_step **ret)
{
	*ret = resolver->unwinder.steps.at;
	return (uint32_t)resolver->unwinder.steps.nr;
}
