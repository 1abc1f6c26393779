/* SPDX-License-Identifier: MIT */
/* An output with one queue, for one file or stream at a time. */
#include <stdlib.h>

#include "base/alloc.h"
#include "record/output/output_internal.h"

struct one_queue {
	struct pfx_output base;
	struct pfx_queue *queue; /* NULL: its thread has ended */
};

static struct one_queue *of(const struct pfx_output *out)
{
	return (struct one_queue *)(uintptr_t)out;
}

/* --- on the queue's thread --- */

/* Check the limits after a write. */
static int check_sizes(struct pfx_output *out, struct pfx_error *err)
{
	const struct pfx_output_owner *owner = out->setup.owner;
	uint64_t bytes = pfx_writer_offset(out->setup.sink->writer);

	if (pfx_output_limit(out, bytes) || !pfx_output_wants_switch(out, bytes))
		return 0;
	return owner->next_file(owner->context, err);
}

static int take(struct pfx_output *out, const uint8_t *data, size_t size, struct pfx_error *err)
{
	int rc = out->is_over ? 0 : pfx_sink_take(out->setup.sink, data, size, err);

	return rc > 0 ? check_sizes(out, err) : rc;
}

static int answer(struct pfx_output *out, size_t request, struct pfx_error *err)
{
	const struct pfx_output_owner *owner = out->setup.owner;
	int rc = 0;

	if (request == PFX_OUTPUT_ASK_SWITCH) {
		if (!out->is_over)
			rc = owner->next_file(owner->context, err);
		pfx_output_switched(out);
		return rc;
	}
	if (out->is_over)
		return 0;
	if (request == PFX_OUTPUT_ASK_PAUSE)
		return pfx_sink_pause(out->setup.sink, err);
	if (request == PFX_OUTPUT_ASK_ROUND)
		return pfx_sink_end_round(out->setup.sink, err);
	rc = owner->answer(owner->context, request, err);
	return rc < 0 ? rc : check_sizes(out, err);
}

static int work(void *context, const uint8_t *data, size_t size, struct pfx_error *err)
{
	struct pfx_output *out = context;
	int rc = data ? take(out, data, size, err) : answer(out, size, err);

	if (rc < 0)
		pfx_output_wake(out);
	return rc;
}

static uint64_t position(void *context)
{
	const struct pfx_output *out = context;

	return pfx_writer_offset(out->setup.sink->writer);
}

/* --- on the other thread --- */

static struct pfx_queue *queue_of(const struct pfx_output *out, size_t ring)
{
	return of(out)->queue;
}

static int flush(struct pfx_output *out, struct pfx_error *err)
{
	return pfx_queue_flush(of(out)->queue, err);
}

static void ask_switch(struct pfx_output *out)
{
	pfx_queue_ask(of(out)->queue, PFX_OUTPUT_ASK_SWITCH, NULL);
}

static int stop(struct pfx_output *out, struct pfx_error *err)
{
	if (!of(out)->queue)
		return 0;
	pfx_output_add_stats(out, of(out)->queue);
	return pfx_queue_finish(&of(out)->queue, err);
}

static void free_it(struct pfx_output *out)
{
	free(of(out));
}

static const struct pfx_output_form one_queue = {
	.has_rounds = true,
	.queue_of = queue_of,
	.flush = flush,
	.ask_switch = ask_switch,
	.stop = stop,
	.free = free_it,
};

int pfx_output_new_queue(struct pfx_output **ret, const struct pfx_output_setup *setup,
			 struct pfx_error *err)
{
	struct one_queue *one = pfx_calloc(1, sizeof(*one));
	int rc;

	one->base = (struct pfx_output){.form = &one_queue, .setup = *setup};
	*ret = &one->base;
	rc = pfx_queue_new(&one->queue, setup->memory, work, one, err);
	if (rc >= 0)
		pfx_queue_on_begin(one->queue, position);
	if (rc >= 0 && setup->owner->wait)
		pfx_queue_on_wait(one->queue, setup->owner->wait, setup->owner->context);
	return rc;
}
