/* SPDX-License-Identifier: MIT */
/* Reads the records of a recording and counts each. */
#include "hist/read_hists.h"

static void take_sample(void *context, const struct pfx_event *event,
			const struct pfx_sample *sample, struct pfx_thread *thread)
{
	const struct pfx_hists_reading *reading = context;

	pfx_hists_add(reading->hists, event, sample, thread);
}

static void take_other(void *context, const struct pfx_record *rec)
{
	const struct pfx_hists_reading *reading = context;

	if (reading->running && reading->hists)
		pfx_hists_set_parallelism(reading->hists, pfx_running_take(reading->running, rec));
	if (reading->reads)
		pfx_thread_reads_take(reading->reads, pfx_recording_meta(reading->recording), rec);
}

int pfx_hists_read(const struct pfx_hists_reading *reading, struct pfx_error *err)
{
	struct pfx_hists_reading own = *reading;
	const struct pfx_samples_reading samples = {
		.recording = own.recording,
		.batch = own.batch,
		.filter = own.filter,
		.times = own.times,
		.event_switch = own.event_switch,
		.counts = own.counts,
		.take = own.hists ? take_sample : NULL,
		.other = take_other,
		.context = &own,
		.step = own.step,
		.step_context = own.context,
	};

	return pfx_samples_read(&samples, err);
}
