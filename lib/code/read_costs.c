/* SPDX-License-Identifier: MIT */
/* A sample with counts of several events of a group counts for each of them. */
#include "code/read_costs.h"

/* The state of reading. */
struct costs_reading {
	struct pfx_costs *costs;
	struct pfx_recording *recording;
	const struct pfx_filter *filter;
};

static bool wants_frames(void *context, const struct pfx_event *event,
			 const struct pfx_sample *sample)
{
	const struct costs_reading *reading = context;

	(void)event;
	return pfx_filter_cpu(reading->filter, sample->cpu);
}

static void count(struct costs_reading *reading, const struct pfx_event *event,
		  struct pfx_sample *sample)
{
	struct pfx_session *session = pfx_recording_session(reading->recording);
	struct pfx_sample_part *parts;
	struct pfx_thread *thread;
	uint32_t nr, i;

	/* also for samples that the filter drops: counts continue from one to the next */
	nr = pfx_session_split_sample(session, event, sample, &parts);
	if (!pfx_filter_cpu(reading->filter, sample->cpu))
		return;
	thread = pfx_recording_thread(reading->recording, sample);
	for (i = 0; i < nr; i++) {
		sample->period = parts[i].period;
		pfx_costs_add(reading->costs, parts[i].event->idx, sample, thread);
	}
}

int pfx_costs_read(struct pfx_costs *costs, struct pfx_recording *recording,
		   const struct pfx_filter *filter, pfx_costs_step_fn step, void *context,
		   struct pfx_error *err)
{
	struct costs_reading reading = {costs, recording, filter};
	struct pfx_item item;
	int rc;

	pfx_recording_batch(recording, wants_frames, &reading);
	while ((rc = pfx_recording_next(recording, &item, err)) > 0) {
		if (step && (rc = step(context, &item, err)) < 0)
			break;
		if (item.sample && item.rec.event)
			count(&reading, item.rec.event, item.sample);
	}
	return rc;
}
