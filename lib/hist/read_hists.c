/* SPDX-License-Identifier: MIT */
/* Reads the records of a recording and counts each. */
#include "hist/read_hists.h"

struct reading {
	struct pfx_hists_reading asked;
	uint32_t at; /* the next sample among those that can be chosen */
};

static bool is_chosen(struct reading *reading, const struct pfx_thread *thread)
{
	const struct pfx_filter *filter = reading->asked.filter;

	if (!pfx_filter_thread(filter, thread) || !pfx_filter_comm(filter, thread->comm->text))
		return false;
	return reading->at < reading->asked.nr_chosen && reading->asked.chosen[reading->at++];
}

static void take_sample(void *context, const struct pfx_event *event,
			const struct pfx_sample *sample, struct pfx_thread *thread)
{
	struct reading *reading = context;
	struct pfx_hist_known known = {0};

	if (reading->asked.chosen)
		known.fails = !is_chosen(reading, thread);
	pfx_hists_add_known(reading->asked.hists, event, sample, thread, &known);
}

static void take_other(void *context, const struct pfx_record *rec)
{
	const struct pfx_hists_reading *reading = &((struct reading *)context)->asked;

	if (reading->running && reading->hists)
		pfx_hists_set_parallelism(reading->hists, pfx_running_take(reading->running, rec));
	if (reading->reads)
		pfx_thread_reads_take(reading->reads, pfx_recording_meta(reading->recording), rec);
}

int pfx_hists_read(const struct pfx_hists_reading *asked, struct pfx_error *err)
{
	struct reading reading = {.asked = *asked};
	const struct pfx_samples_reading samples = {
		.recording = asked->recording,
		.batch = asked->batch,
		.filter = asked->filter,
		.times = asked->times,
		.event_switch = asked->event_switch,
		.counts = asked->counts,
		.take = asked->hists ? take_sample : NULL,
		.other = take_other,
		.context = &reading,
		.step = asked->step,
		.step_context = asked->context,
	};

	return pfx_samples_read(&samples, err);
}
