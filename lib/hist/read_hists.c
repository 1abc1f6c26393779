/* SPDX-License-Identifier: MIT */
/*
 * Reads the records of a recording and counts each. A sample of a group counts for each member
 * whose value it contains.
 */
#include "hist/read_hists.h"

/* The state of reading, and parts of the recording. */
struct counting {
	struct pfx_hists_reading asked;
	struct pfx_session *session;
	const struct pfx_meta *meta;
};

static bool is_in_time(const struct pfx_hists_reading *reading, const struct pfx_sample *sample)
{
	return !reading->times || pfx_time_ranges_have(reading->times, sample->time);
}

static bool wants_frames(void *context, const struct pfx_event *event,
			 const struct pfx_sample *sample)
{
	const struct counting *counting = context;
	const struct pfx_hists_reading *reading = &counting->asked;

	return !pfx_event_switch_is_off(reading->event_switch) &&
	       pfx_filter_cpu(reading->filter, sample->cpu) && is_in_time(reading, sample);
}

static void take_part(const struct counting *counting, const struct pfx_event *event,
		      const struct pfx_sample *sample)
{
	const struct pfx_hists_reading *reading = &counting->asked;

	++*pfx_vec_slot(&reading->counts->nr_by_event, event->idx);
	if (!reading->hists || !is_in_time(reading, sample) ||
	    !pfx_event_switch_takes(reading->event_switch, event))
		return;
	pfx_hists_add(reading->hists, event, sample,
		      pfx_session_thread(counting->session, sample->pid, sample->tid));
}

static void take_sample(const struct counting *counting, const struct pfx_event *event,
			struct pfx_sample *sample)
{
	struct pfx_sample_part *parts;
	uint32_t nr, i;

	counting->asked.counts->nr_samples++;
	if (!pfx_session_splits(event)) {
		take_part(counting, event, sample);
		return;
	}
	nr = pfx_session_split_sample(counting->session, event, sample, &parts);
	for (i = 0; i < nr; i++) {
		sample->id = parts[i].id;
		sample->period = parts[i].period;
		take_part(counting, parts[i].event, sample);
	}
}

static void take_other(const struct counting *counting, const struct pfx_record *rec)
{
	const struct pfx_hists_reading *reading = &counting->asked;

	if (reading->running && reading->hists)
		pfx_hists_set_parallelism(reading->hists, pfx_running_take(reading->running, rec));
	pfx_record_counts_lost(reading->counts, rec);
	if (reading->reads)
		pfx_thread_reads_take(reading->reads, counting->meta, rec);
}

int pfx_hists_read(const struct pfx_hists_reading *reading, struct pfx_error *err)
{
	struct counting counting = {
		.asked = *reading,
		.session = pfx_recording_session(reading->recording),
		.meta = pfx_recording_meta(reading->recording),
	};
	struct pfx_item item;
	int rc;

	if (reading->batch)
		pfx_recording_batch(reading->recording, wants_frames, &counting);
	while ((rc = pfx_recording_next(reading->recording, &item, err)) > 0) {
		rc = reading->step(reading->context, &item, err);
		if (rc < 0)
			break;
		if (item.sample)
			take_sample(&counting, item.rec.event, item.sample);
		else if (item.rec.type != PFX_RECORD_SAMPLE)
			take_other(&counting, &item.rec);
	}
	return rc;
}
