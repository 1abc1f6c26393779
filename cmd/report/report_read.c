/* SPDX-License-Identifier: MIT */
/* `pfx report`: reads the records and counts them in the hists. Prints nothing. */
#include "cmd/report/report_internal.h"

#include "base/alloc.h"
#include "cmd/app/progress.h"
#include "read/record_dump.h"

#define FLUSH_SIZE (64u << 10)

static void take_part(struct pfx_report *report, const struct pfx_event *event,
		      const struct pfx_sample *sample)
{
	struct pfx_thread *thread;

	++*pfx_vec_slot(&report->counts.nr_by_event, event->idx);
	if (!report->hists)
		return;
	if (report->options->time && !pfx_time_ranges_have(&report->times, sample->time))
		return;
	if (!pfx_event_switch_takes(&report->options->event_switch, event))
		return;
	thread = pfx_session_thread(report->session, sample->pid, sample->tid);
	pfx_hists_add(report->hists, event, sample, thread);
}

static void count_sample(struct pfx_report *report, const struct pfx_event *event,
			 struct pfx_sample *sample)
{
	struct pfx_sample_part *parts;
	uint32_t nr, i;

	report->counts.nr_samples++;
	if (!pfx_session_splits(event)) {
		take_part(report, event, sample);
		return;
	}
	nr = pfx_session_split_sample(report->session, event, sample, &parts);
	for (i = 0; i < nr; i++) {
		sample->id = parts[i].id;
		sample->period = parts[i].period;
		take_part(report, parts[i].event, sample);
	}
}

static bool wants_frames(void *context, const struct pfx_event *event,
			 const struct pfx_sample *sample)
{
	const struct pfx_report *report = context;

	return !pfx_event_switch_is_off(&report->options->event_switch) &&
	       pfx_filter_cpu(&report->options->filter, sample->cpu) &&
	       (!report->options->time || pfx_time_ranges_have(&report->times, sample->time));
}

static void take_other(struct pfx_report *report, const struct pfx_record *rec)
{
	if (report->has_switches && report->hists)
		pfx_hists_set_parallelism(report->hists, pfx_running_take(&report->running, rec));
	pfx_record_counts_lost(&report->counts, rec);
	if (report->options->threads)
		pfx_thread_reads_take(&report->reads, pfx_reader_meta(report->reader), rec);
}

static int dump(struct pfx_report *report, const struct pfx_record *rec, struct pfx_error *err)
{
	pfx_record_dump(rec, report->reader, report->session, report->resolver, &report->out);
	return pfx_out_write(&report->out, FLUSH_SIZE, err);
}

int pfx_report_read(struct pfx_report *report, struct pfx_error *err)
{
	bool dumps = report->options->dump;
	struct pfx_progress progress;
	struct pfx_item item;
	int rc;

	if (report->hists && report->has_chains && !dumps)
		pfx_recording_batch(report->recording, wants_frames, report);
	pfx_progress_begin(&progress, "report", report->options->quiet || dumps, report->reader);
	while ((rc = pfx_recording_next(report->recording, &item, err)) > 0) {
		pfx_progress_step(&progress, &item.rec);
		if (dumps)
			rc = dump(report, &item.rec, err);
		if (rc < 0)
			break;
		if (item.sample)
			count_sample(report, item.rec.event, item.sample);
		else if (item.rec.type != PFX_RECORD_SAMPLE)
			take_other(report, &item.rec);
	}
	pfx_progress_end(&progress);
	return rc;
}
