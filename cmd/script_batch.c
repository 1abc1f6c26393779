/* SPDX-License-Identifier: MIT */
/*
 * Samples of `pfx script` that wait a little: those with copied stacks whose chains are shown, in a
 * file whose bytes stay where they are. When some hundred are there, or something else comes, their
 * stacks are walked at once, and they are taken in the order in which they came. Knows nothing of
 * what is printed.
 */
#include <stdlib.h>

#include "cmd/script_internal.h"

#define BATCH_SAMPLES 512

struct pfx_script_batch {
	uint32_t nr;
	struct pfx_stack_sample stacks[BATCH_SAMPLES]; /* of samples */
	struct pfx_sample samples[BATCH_SAMPLES];
	struct pfx_record records[BATCH_SAMPLES];
};

static bool shows_chain(const struct pfx_script *s, const struct pfx_event *event)
{
	const struct pfx_script_event *shown;

	if (s->engine)
		return true;
	shown = event->idx < s->events.nr ? &s->events.at[event->idx] : NULL;
	return shown && shown->is_ready && shown->has_chain && (shown->fields & PFX_SCRIPT_IP) &&
	       s->max_stack;
}

static bool may_wait(const struct pfx_script *s, const struct pfx_record *rec)
{
	return rec->type == PFX_RECORD_SAMPLE && rec->event && !s->dump && !s->checks_order &&
	       (rec->event->attr.sample_type & PFX_SAMPLE_STACK_USER) &&
	       !pfx_resolver_expects_code(s->resolver) && pfx_reader_keeps(s->reader, rec) &&
	       shows_chain(s, rec->event);
}

bool pfx_script_batch_put(struct pfx_script *s, const struct pfx_record *rec)
{
	struct pfx_script_batch *batch = s->batch;
	struct pfx_thread *thread;
	struct pfx_sample *sample;

	if ((batch && batch->nr == BATCH_SAMPLES) || !may_wait(s, rec))
		return false;
	if (!batch)
		batch = s->batch = pfx_calloc(1, sizeof(*batch));
	sample = &batch->samples[batch->nr];
	if (!pfx_sample_decode(rec, &rec->event->attr, sample))
		return false;
	thread = pfx_session_thread(s->session, sample->pid, sample->tid);
	if (!pfx_script_filters_take(&s->filters, sample, thread))
		return false;
	batch->stacks[batch->nr] = (struct pfx_stack_sample){thread, sample};
	batch->records[batch->nr++] = *rec;
	return true;
}

uint32_t pfx_script_batch_walk(struct pfx_script *s, const struct pfx_record **ret)
{
	struct pfx_script_batch *batch = s->batch;

	if (!batch || !batch->nr)
		return 0;
	pfx_resolver_walk_ahead(s->resolver, batch->stacks, batch->nr);
	*ret = batch->records;
	return batch->nr;
}

void pfx_script_batch_empty(struct pfx_script *s)
{
	if (!s->batch)
		return;
	pfx_resolver_walk_ahead(s->resolver, NULL, 0);
	s->batch->nr = 0;
}

void pfx_script_batch_free(struct pfx_script_batch *batch)
{
	free(batch);
}
