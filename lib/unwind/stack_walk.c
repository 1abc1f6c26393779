/* SPDX-License-Identifier: MIT */
/*
 * User frames of a sample from registers and a stack dump: selects the unwinder, or uses the result
 * of a walk ahead. Counts how each walk ended.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "unwind/walk_internal.h"

void pfx_unwinder_init(struct pfx_unwinder *unwinder, const struct pfx_env *env)
{
	pthread_mutex_init(&unwinder->lock, NULL);
	unwinder->stats.cannot_read_cfi = !pfx_cfi_is_built_in();
	unwinder->nr_lbr = pfx_branch_chain_size(env);
	unwinder->machine = env->arch;
	if (!unwinder->machine)
		unwinder->machine = pfx_unwind_machine_name(env->e_machine);
	if (!unwinder->machine && !uname(&unwinder->host))
		unwinder->machine = unwinder->host.machine;
}

void pfx_unwinder_fini(struct pfx_unwinder *unwinder)
{
	pfx_libunwind_free(unwinder->libunwind);
	pfx_libdw_free(unwinder->libdw);
	pfx_dso_rows_fini(unwinder);
	pfx_vec_free(&unwinder->words);
	pfx_branch_chain_fini(unwinder);
	pfx_walks_ahead_fini(&unwinder->ahead);
	pthread_mutex_destroy(&unwinder->lock);
	free(unwinder->memos);
	unwinder->memos = NULL;
}

const struct pfx_unwind_stats *pfx_resolver_unwind_stats(const struct pfx_resolver *resolver)
{
	return &resolver->unwinder.stats;
}

bool pfx_stack_walk_wanted(const struct pfx_sample *sample)
{
	return sample->regs_user.abi && sample->regs_user.values.nr && sample->stack.size;
}

/* Called when rows cannot express a step: uses libunwind's result if it has more frames. */
static enum pfx_unwind_end walk_again(struct pfx_walk *first, const struct pfx_sample *sample)
{
	struct pfx_word_vec *words = first->words;
	struct pfx_walk walk = {.memos = first->memos, .words = words};
	enum pfx_unwind_end end;
	size_t nr = words->nr;

	if (!pfx_libunwind_can(first->state.arch) ||
	    !pfx_walk_begin(&walk, first->resolver, first->thread, sample))
		return PFX_UNWIND_BAD_CFI;
	end = pfx_libunwind_walk(&walk);
	if (walk.missing)
		first->missing = walk.missing;
	if (walk.nr <= first->nr) {
		words->nr = nr;
		return PFX_UNWIND_BAD_CFI;
	}
	memmove(words->at + nr - first->nr, words->at + nr, walk.nr * sizeof(*words->at));
	words->nr -= first->nr;
	return end;
}

static enum pfx_unwind_end walk_by_style(struct pfx_walk *walk, const struct pfx_sample *sample)
{
	enum pfx_unwind_style style = walk->resolver->options.unwind;
	enum pfx_unwind_end end;

	if (style == PFX_UNWIND_LIBUNWIND && pfx_libunwind_can(walk->state.arch))
		return pfx_libunwind_walk(walk);
	if (style == PFX_UNWIND_LIBDW && pfx_libdw_is_built_in())
		return pfx_libdw_walk(walk);
	end = pfx_walk_by_rows(walk);
	return end == PFX_UNWIND_BAD_CFI && walk->inexpressible ? walk_again(walk, sample) : end;
}

void pfx_stack_walk(struct pfx_resolver *resolver, struct pfx_thread *thread,
		    const struct pfx_sample *sample)
{
	struct pfx_walk walk = pfx_walk_own(&resolver->unwinder);
	enum pfx_unwind_end end;

	if (pfx_walks_ahead_take(resolver, thread, sample) ||
	    !pfx_walk_begin(&walk, resolver, thread, sample))
		return;
	end = walk_by_style(&walk, sample);
	pfx_walk_count(resolver, sample, end, walk.missing);
}

int pfx_resolver_check_unwind(const struct pfx_resolver *resolver, struct pfx_error *err)
{
	const char *machine = resolver->unwinder.machine, *built_for = pfx_libunwind_machine();
	char shown[64];

	switch (resolver->options.unwind) {
	case PFX_UNWIND_LIBUNWIND:
		if (!built_for)
			return pfx_error_set(err, ENOTSUP,
					     "this build has no libunwind, or it is not installed");
		if (pfx_libunwind_can(pfx_unwind_arch_find(machine, 2)) ||
		    pfx_libunwind_can(pfx_unwind_arch_find(machine, 1)))
			return 0;
		pfx_error_set(
			err, ENOTSUP, "this build's libunwind is for %s, not for the recorded '%s'",
			built_for, pfx_escape(shown, sizeof(shown), machine ? machine : "unknown"));
		pfx_error_hint(err, "--unwind-style rows works for every machine");
		return -ENOTSUP;
	case PFX_UNWIND_LIBDW:
		return pfx_libdw_is_built_in()
			       ? 0
			       : pfx_error_set(err, ENOTSUP, "this build has no libdw");
	default:
		return 0;
	}
}
