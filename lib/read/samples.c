/* SPDX-License-Identifier: MIT */
/*
 * The loop over the samples of a recording: splits those of groups, drops those that the CPU, the
 * time or the switching events exclude, and hands out the rest.
 */
#include "read/samples.h"

static bool is_in_time(const struct pfx_samples_reading *reading, const struct pfx_sample *sample)
{
	return !reading->times || pfx_time_ranges_have(reading->times, sample->time);
}

static bool wants_frames(void *context, const struct pfx_event *event,
			 const struct pfx_sample *sample)
{
	const struct pfx_samples_reading *reading = context;

	return !(reading->event_switch && pfx_event_switch_is_off(reading->event_switch)) &&
	       pfx_filter_cpu(reading->filter, sample->cpu) && is_in_time(reading, sample);
}

static void take_part(const struct pfx_samples_reading *reading, const struct pfx_event *event,
		      const struct pfx_sample *sample)
{
	struct pfx_thread *thread;

	if (reading->counts)
		++*pfx_vec_slot(&reading->counts->nr_by_event, event->idx);
	if (!reading->take || !is_in_time(reading, sample))
		return;
	if (reading->event_switch && !pfx_event_switch_takes(reading->event_switch, event))
		return;
	thread = pfx_recording_thread(reading->recording, sample);
	if (pfx_filter_cpu(reading->filter, sample->cpu))
		reading->take(reading->context, event, sample, thread);
}

/* Nothing is dropped or counted. */
static bool takes_all(const struct pfx_samples_reading *reading)
{
	return reading->take && !reading->counts && !reading->times && !reading->event_switch &&
	       !reading->filter->cpus_given;
}

static void take_sample(const struct pfx_samples_reading *reading, const struct pfx_event *event,
			struct pfx_sample *sample)
{
	struct pfx_session *session = pfx_recording_session(reading->recording);
	struct pfx_sample_part *parts;
	uint32_t nr, i;

	if (reading->counts)
		reading->counts->nr_samples++;
	if (!pfx_session_splits(event)) {
		take_part(reading, event, sample);
		return;
	}
	/* also for samples that are dropped: counts continue from one to the next */
	nr = pfx_session_split_sample(session, event, sample, &parts);
	for (i = 0; i < nr; i++) {
		sample->id = parts[i].id;
		sample->period = parts[i].period;
		take_part(reading, parts[i].event, sample);
	}
}

static void take_other(const struct pfx_samples_reading *reading, const struct pfx_record *rec)
{
	if (reading->counts)
		pfx_record_counts_lost(reading->counts, rec);
	if (reading->other)
		reading->other(reading->context, rec);
}

int pfx_samples_read(const struct pfx_samples_reading *reading, struct pfx_error *err)
{
	struct pfx_samples_reading own = *reading;
	const bool all = takes_all(&own);
	struct pfx_item item;
	int rc;

	if (own.batch)
		pfx_recording_batch(own.recording, wants_frames, &own);
	while ((rc = pfx_recording_next(own.recording, &item, err)) > 0) {
		if (own.step && (rc = own.step(own.step_context, &item, err)) != 0)
			break;
		if (all && item.sample && !pfx_session_splits(item.rec.event))
			own.take(own.context, item.rec.event, item.sample,
				 pfx_recording_thread(own.recording, item.sample));
		else if (item.sample)
			take_sample(&own, item.rec.event, item.sample);
		else if (item.rec.type != PFX_RECORD_SAMPLE)
			take_other(&own, &item.rec);
	}
	if (own.batch)
		pfx_recording_batch_forget(own.recording);
	return rc < 0 ? rc : 0;
}
