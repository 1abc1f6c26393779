/* SPDX-License-Identifier: MIT */
/* `pfx report`: what happens while the recording is read: progress, and the dump of -D. */
#include "cmd/app/progress.h"
#include "cmd/report/report_internal.h"
#include "hist/read_hists.h"
#include "read/record_dump.h"

#define FLUSH_SIZE (64u << 10)

struct report_step {
	struct pfx_report *report;
	struct pfx_progress progress;
};

static int on_record(void *context, const struct pfx_item *item, struct pfx_error *err)
{
	struct report_step *step = context;
	struct pfx_report *report = step->report;

	pfx_progress_step(&step->progress, &item->rec);
	if (!report->options->dump)
		return 0;
	pfx_record_dump(&item->rec, report->reader, report->session, report->resolver,
			&report->out);
	return pfx_out_write(&report->out, FLUSH_SIZE, err);
}

int pfx_report_read(struct pfx_report *report, struct pfx_error *err)
{
	struct pfx_report_options *o = report->options;
	struct report_step step = {.report = report};
	const struct pfx_hists_reading reading = {
		.recording = report->recording,
		.hists = report->hists,
		.batch = report->hists && report->has_chains && !o->dump,
		.filter = &o->filter,
		.times = o->time ? &report->times : NULL,
		.event_switch = &o->event_switch,
		.counts = &report->counts,
		.running = report->has_switches ? &report->running : NULL,
		.reads = o->threads ? &report->reads : NULL,
		.chosen = report->chosen,
		.nr_chosen = report->nr_chosen,
		.step = on_record,
		.context = &step,
	};
	int rc;

	pfx_progress_begin(&step.progress, "report", o->quiet || o->dump, report->reader);
	rc = pfx_hists_read(&reading, err);
	pfx_progress_end(&step.progress);
	return rc;
}
