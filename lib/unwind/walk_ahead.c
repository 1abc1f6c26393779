/* SPDX-License-Identifier: MIT */
/*
 * Unwinds the stacks of many samples in advance on several threads. The threads share only the
 * rows, which are made under a lock; each walk stores its frames for the time when the sample is
 * processed. A walk that rows cannot complete is done at that time. Results do not depend on the
 * number of threads, nor on whether a walk was done in advance.
 */
#include <stdlib.h>
#include <string.h>

#include "unwind/walk_internal.h"

#define WALKS_MIN   32 /* with fewer samples, waking threads costs more than it saves */
#define PIECE_WALKS 16

struct pfx_walked {
	const uint8_t *stack; /* identifies the sample */
	uint64_t stamp;       /* of the thread's maps */
	struct pfx_word_vec words;
	enum pfx_unwind_end end;
	const struct pfx_dso *missing;
	bool done; /* false: unwind it when the sample is processed */
};

struct job {
	struct pfx_resolver *resolver;
	const struct pfx_stack_sample *samples;
	uint32_t nr;
};

void pfx_walks_ahead_fini(struct pfx_walks_ahead *ahead)
{
	size_t i;

	for (i = 0; i < ahead->walked.nr; i++)
		pfx_vec_free(&ahead->walked.at[i].words);
	pfx_vec_free(&ahead->walked);
	for (i = 0; i < PFX_WORKERS_MAX; i++)
		free(ahead->memos[i]);
}

static void walk_one(struct job *job, uint32_t i, struct pfx_unwind_row_memo *memos)
{
	const struct pfx_stack_sample *from = &job->samples[i];
	struct pfx_walked *walked = &job->resolver->unwinder.ahead.walked.at[i];
	struct pfx_walk walk = {.memos = memos, .words = &walked->words};

	walked->words.nr = 0;
	walked->stack = from->sample->stack.at;
	walked->done =
		pfx_walk_rows(&walk, job->resolver, from->thread, from->sample, &walked->end) &&
		!walk.inexpressible;
	walked->stamp = walk.stamp;
	walked->missing = walk.missing;
}

static void walk_piece(void *context, size_t piece, unsigned worker)
{
	struct job *job = context;
	struct pfx_unwind_row_memo **memos = &job->resolver->unwinder.ahead.memos[worker];
	uint32_t i, first = (uint32_t)piece * PIECE_WALKS;

	if (!*memos)
		*memos = pfx_unwind_row_memos_new();
	for (i = first; i < job->nr && i < first + PIECE_WALKS; i++)
		walk_one(job, i, *memos);
}

bool pfx_walks_ahead_pay(struct pfx_resolver *resolver)
{
	return resolver->options.unwind == PFX_UNWIND_ROWS &&
	       pfx_workers_number(pfx_resolver_workers(resolver)) > 1;
}

void pfx_walks_ahead_run(struct pfx_resolver *resolver, const struct pfx_stack_sample *samples,
			 uint32_t nr)
{
	struct pfx_walks_ahead *ahead = &resolver->unwinder.ahead;
	struct job job = {resolver, samples, nr};

	ahead->nr = ahead->next = 0;
	if (nr < WALKS_MIN || !pfx_walks_ahead_pay(resolver))
		return;
	pfx_session_update(resolver->session); /* now, so that the threads do not */
	(void)pfx_vec_slot(&ahead->walked, nr - 1);
	pfx_workers_run(pfx_resolver_workers(resolver), (nr + PIECE_WALKS - 1) / PIECE_WALKS,
			walk_piece, &job);
	ahead->nr = nr;
}

/* Samples are requested in order; the same one may be requested again, if it counts for several
 * events. */
static const struct pfx_walked *find(struct pfx_walks_ahead *ahead, const uint8_t *stack)
{
	for (; ahead->next < ahead->nr; ahead->next++)
		if (ahead->walked.at[ahead->next].stack == stack)
			return &ahead->walked.at[ahead->next];
	return NULL;
}

bool pfx_walks_ahead_take(struct pfx_resolver *resolver, struct pfx_thread *thread,
			  const struct pfx_sample *sample)
{
	struct pfx_unwinder *unwinder = &resolver->unwinder;
	const struct pfx_walked *walked = find(&unwinder->ahead, sample->stack.at);
	size_t nr = unwinder->words.nr;

	if (!walked || !walked->done ||
	    walked->stamp != pfx_session_maps_stamp(resolver->session, thread))
		return false;
	if (walked->words.nr) {
		pfx_vec_reserve(&unwinder->words, nr + walked->words.nr);
		memcpy(unwinder->words.at + nr, walked->words.at,
		       walked->words.nr * sizeof(uint64_t));
		unwinder->words.nr = nr + walked->words.nr;
	}
	pfx_walk_count(resolver, sample, walked->end, walked->missing);
	return true;
}
