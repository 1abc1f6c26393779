/* SPDX-License-Identifier: MIT */
/*
 * Samples of `pfx report` that wait a little: those with copied stacks, in a file whose bytes stay
 * where they are. When some hundred are there, or something else comes, their stacks are walked at
 * once and they are counted in the order in which they came.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "cmd/report_internal.h"

#define BATCH_SAMPLES 512

struct pfx_report_batch {
	uint32_t nr;
	struct pfx_stack_sample stacks[BATCH_SAMPLES]; /* of samples */
	const struct pfx_event *events[BATCH_SAMPLES];
	struct pfx_sample samples[BATCH_SAMPLES];
};

void pfx_report_batch_flush(struct pfx_report *report)
{
	struct pfx_report_batch *batch = report->batch;
	uint32_t i;

	if (!batch || !batch->nr)
		return;
	pfx_resolver_walk_ahead(report->resolver, batch->stacks, batch->nr);
	for (i = 0; i < batch->nr; i++)
		pfx_hists_add(report->hists, batch->events[i], &batch->samples[i],
			      batch->stacks[i].thread);
	pfx_resolver_walk_ahead(report->resolver, NULL, 0);
	batch->nr = 0;
}

static bool may_wait(const struct pfx_report *report, const struct pfx_record *rec,
		     const struct pfx_sample *sample)
{
	return sample->stack.size && sample->regs_user.abi && report->has_chains &&
	       pfx_filter_cpu(&report->options->filter, sample->cpu) &&
	       !pfx_resolver_expects_code(report->resolver) &&
	       pfx_reader_keeps(report->reader, rec);
}

bool pfx_report_batch_put(struct pfx_report *report, const struct pfx_record *rec,
			  const struct pfx_event *event, const struct pfx_sample *sample,
			  struct pfx_thread *thread)
{
	struct pfx_report_batch *batch = report->batch;

	if (!may_wait(report, rec, sample)) {
		pfx_report_batch_flush(report);
		return false;
	}
	if (!batch)
		batch = report->batch = pfx_calloc(1, sizeof(*batch));
	batch->samples[batch->nr] = *sample;
	batch->events[batch->nr] = event;
	batch->stacks[batch->nr].thread = thread;
	batch->stacks[batch->nr].sample = &batch->samples[batch->nr];
	if (++batch->nr == BATCH_SAMPLES)
		pfx_report_batch_flush(report);
	return true;
}

void pfx_report_batch_free(struct pfx_report_batch *batch)
{
	free(batch);
}
