/* SPDX-License-Identifier: MIT */
/* Drops the samples that filters exclude and hands out the rest; stops when a format failed. */
#include "export/samples/export_stream.h"

#include <string.h>

struct passing {
	const struct pfx_export_stream *stream;
	const struct pfx_filter *filter;
	pfx_stream_take_fn take;
	pfx_take_record_fn other;
	void *context;
	PFX_VEC(char) by_event; /* 0: not asked yet, 1: passes, 2: does not */
	bool checks_place;
	int failure;
};

static bool is_wanted(const struct pfx_export_stream *stream, const char *name)
{
	size_t i;

	for (i = 0; i < stream->nr_events; i++)
		if (!strcmp(stream->events[i], name))
			return true;
	return !stream->nr_events;
}

static bool event_passes(struct passing *passing, const struct pfx_event *event)
{
	char *known = pfx_vec_slot(&passing->by_event, event->idx);

	if (!*known)
		*known = is_wanted(passing->stream, event->name) ? 1 : 2;
	return *known == 1;
}

static bool place_passes(const struct passing *passing, struct pfx_thread *thread,
			 const struct pfx_sample *sample)
{
	const struct pfx_export_stream *stream = passing->stream;
	struct pfx_resolver *resolver = pfx_recording_resolver(stream->reading.recording);
	struct pfx_place *place;

	if (!passing->checks_place)
		return true;
	place = pfx_resolve(resolver, thread, sample->cpumode, sample->ip);
	pfx_place_symbol(resolver, place);
	if (stream->levels && !strchr(stream->levels, pfx_place_level(place)))
		return false;
	if (stream->drop_unresolved && !pfx_place_has_name(place))
		return false;
	return pfx_filter_place(passing->filter, place);
}

static void take_sample(void *context, const struct pfx_event *event,
			const struct pfx_sample *sample, struct pfx_thread *thread)
{
	struct passing *passing = context;

	if (passing->failure || !event_passes(passing, event) ||
	    !pfx_filter_thread(passing->filter, thread) ||
	    !pfx_filter_comm(passing->filter, thread->comm->text) ||
	    !place_passes(passing, thread, sample))
		return;
	if (passing->stream->nr_samples)
		++*passing->stream->nr_samples;
	passing->failure = passing->take(passing->context, event, sample, thread);
}

static void take_other(void *context, const struct pfx_record *rec)
{
	struct passing *passing = context;

	if (!passing->failure)
		passing->other(passing->context, rec);
}

static int step(void *context, const struct pfx_item *item, struct pfx_error *err)
{
	struct passing *passing = context;
	const struct pfx_samples_reading *reading = &passing->stream->reading;

	if (passing->failure)
		return passing->failure;
	return reading->step ? reading->step(reading->step_context, item, err) : 0;
}

int pfx_export_stream_read(const struct pfx_export_stream *stream, pfx_stream_take_fn take,
			   pfx_take_record_fn other, void *context, struct pfx_error *err)
{
	static const struct pfx_filter all;
	struct pfx_samples_reading reading = stream->reading;
	struct passing passing = {
		.stream = stream,
		.filter = reading.filter ? reading.filter : &all,
		.take = take,
		.other = other,
		.context = context,
	};
	int rc;

	passing.checks_place = stream->levels || stream->drop_unresolved ||
			       passing.filter->dsos.given || passing.filter->symbols.given;
	reading.filter = passing.filter;
	reading.batch = !stream->no_chains;
	reading.take = take_sample;
	reading.other = other ? take_other : NULL;
	reading.context = &passing;
	reading.step = step;
	reading.step_context = &passing;
	rc = pfx_samples_read(&reading, err);
	pfx_vec_free(&passing.by_event);
	return rc ? rc : passing.failure;
}
