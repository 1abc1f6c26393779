/* SPDX-License-Identifier: MIT */
#include "export/samples/pgo_counts.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

#define UPPER_HALF (1ull << 63)
#define RANGE_MAX  (1ull << 20) /* bytes; longer ones are gaps in the branch stack */

static struct pfx_place *find_place(struct pfx_pgo *pgo, struct pfx_thread *thread, uint64_t addr)
{
	struct pfx_place *place = pfx_resolve(
		pgo->resolver, thread, addr >= UPPER_HALF ? PFX_MODE_KERNEL : PFX_MODE_USER, addr);

	pfx_place_symbol(pgo->resolver, place);
	return place;
}

static uint64_t *index_of(struct pfx_hash *at, const struct pfx_place *a, const struct pfx_place *b,
			  bool *ret_new)
{
	return pfx_hash_add(at, (uint64_t)a->id << 32 | b->id, ret_new);
}

static void add_branch(struct pfx_pgo *pgo, struct pfx_place *from, struct pfx_place *to,
		       const struct pfx_branch *branch)
{
	bool is_new;
	uint64_t *at = index_of(&pgo->branch_at, from, to, &is_new);

	if (is_new) {
		*at = pgo->branches.nr;
		*pfx_vec_add(&pgo->branches) = (struct pfx_pgo_branch){.from = from, .to = to};
	}
	pgo->branches.at[*at].count++;
	pgo->branches.at[*at].mispredicted += pfx_branch_mispred(branch);
}

static void add_range(struct pfx_pgo *pgo, struct pfx_place *begin, struct pfx_place *end)
{
	uint64_t *at;
	bool is_new;

	if (begin->dso != end->dso || begin->addr > end->addr ||
	    end->addr - begin->addr > RANGE_MAX)
		return;
	at = index_of(&pgo->range_at, begin, end, &is_new);
	if (is_new) {
		*at = pgo->ranges.nr;
		*pfx_vec_add(&pgo->ranges) = (struct pfx_pgo_range){.begin = begin, .end = end};
	}
	pgo->ranges.at[*at].count++;
}

/* The newest branch is first: code ran from the target of one to the source of the one before. */
static void add_branches(struct pfx_pgo *pgo, struct pfx_thread *thread,
			 const struct pfx_branch_stack *stack)
{
	struct pfx_place *from, *to, *next_from = NULL;
	struct pfx_branch branch;
	uint64_t i;

	for (i = 0; i < stack->nr; i++) {
		branch = pfx_branch_at(stack, i);
		if (!branch.from || !branch.to) {
			next_from = NULL;
			continue;
		}
		from = find_place(pgo, thread, branch.from);
		to = find_place(pgo, thread, branch.to);
		add_branch(pgo, from, to, &branch);
		if (next_from)
			add_range(pgo, to, next_from);
		next_from = from;
	}
}

static int refuse_events(struct pfx_pgo *pgo, const struct pfx_event *event)
{
	char one[128], other[128];

	pfx_error_set(pgo->err, EINVAL, "samples of '%s' and '%s' are not one profile",
		      pfx_escape(one, sizeof(one), pgo->event->name),
		      pfx_escape(other, sizeof(other), event->name));
	pfx_error_hint(pgo->err, "choose one with --event");
	return -EINVAL;
}

static int take_sample(void *context, const struct pfx_event *event,
		       const struct pfx_sample *sample, struct pfx_thread *thread)
{
	struct pfx_pgo *pgo = context;
	struct pfx_place *place;

	if (!pgo->event)
		pgo->event = event;
	if (pgo->event != event)
		return refuse_events(pgo, event);
	place = pfx_resolve(pgo->resolver, thread, sample->cpumode, sample->ip);
	pfx_place_symbol(pgo->resolver, place);
	++*pfx_vec_slot(&pgo->places, place->id);
	pgo->nr_samples++;
	add_branches(pgo, thread, &sample->branch);
	return 0;
}

int pfx_pgo_read(const struct pfx_export_stream *stream, struct pfx_pgo *ret, struct pfx_error *err)
{
	struct pfx_export_stream own = *stream;

	*ret = (struct pfx_pgo){
		.resolver = pfx_recording_resolver(stream->reading.recording),
		.err = err,
	};
	own.no_chains = true;
	return pfx_export_stream_read(&own, take_sample, NULL, ret, err);
}

void pfx_pgo_fini(struct pfx_pgo *pgo)
{
	pfx_vec_free(&pgo->places);
	pfx_vec_free(&pgo->branches);
	pfx_vec_free(&pgo->ranges);
	pfx_hash_fini(&pgo->branch_at);
	pfx_hash_fini(&pgo->range_at);
}
