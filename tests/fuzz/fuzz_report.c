/* SPDX-License-Identifier: MIT */
/* Any bytes as a file, all the way to a report: order, tasks and maps, chains, tables, text. */
#include "fuzz/reading.h"
#include "out/hist_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct report {
	struct pfx_recording *recording;
	struct pfx_session *session;
	struct pfx_columns columns;
	struct pfx_filter filter;
	struct pfx_callgraph graph;
	struct pfx_hist_options options;
	struct pfx_hists *hists;
};

static void take_sample(struct report *report, const struct pfx_item *item)
{
	struct pfx_sample *sample = item->sample;
	struct pfx_sample_part *parts;
	uint32_t nr, i;

	nr = pfx_session_split_sample(report->session, item->rec.event, sample, &parts);
	for (i = 0; i < nr; i++) {
		sample->id = parts[i].id;
		sample->period = parts[i].period;
		pfx_hists_add(report->hists, parts[i].event, sample,
			      pfx_recording_thread(report->recording, sample));
	}
}

static bool wants_frames(void *context, const struct pfx_event *event,
			 const struct pfx_sample *sample)
{
	return true;
}

static void read_all(struct report *report)
{
	struct pfx_item item;
	struct pfx_error err;

	pfx_recording_batch(report->recording, wants_frames, NULL);
	while (pfx_recording_next(report->recording, &item, &err) > 0)
		if (item.sample)
			take_sample(report, &item);
}

static void show(struct report *report)
{
	const struct pfx_hist_text how = {.quiet = false};
	struct pfx_str text = {0};
	uint32_t i;

	pfx_hists_finish(report->hists);
	for (i = 0; i < pfx_hists_nr(report->hists); i++) {
		pfx_hist_text_event(&how, report->hists, pfx_hists_at(report->hists, i), &text);
		pfx_hist_text_rows(&how, report->hists, pfx_hists_at(report->hists, i), &text);
	}
	pfx_str_fini(&text);
}

static void make_report(struct pfx_recording *recording)
{
	struct report report = {.recording = recording};
	struct pfx_columns_request request = {.sort = "comm,dso,sym,pid,cpu", .children = true};
	struct pfx_resolve_options resolving = {.sym = {.symfs = "/nonexistent"}};
	struct pfx_error err;

	report.session = pfx_recording_session(recording);
	pfx_recording_resolve(recording, &resolving);
	report.graph = pfx_callgraph_default;
	if (!pfx_columns_build(&report.columns, &request, &err)) {
		report.options = (struct pfx_hist_options){
			.meta = pfx_recording_meta(recording),
			.session = report.session,
			.resolver = pfx_recording_resolver(recording),
			.columns = &report.columns,
			.filter = &report.filter,
			.graph = &report.graph,
			.chains = true,
			.children = true,
		};
		report.hists = pfx_hists_new(&report.options);
		read_all(&report);
		show(&report);
		pfx_hists_free(report.hists);
	}
	pfx_columns_fini(&report.columns);
	pfx_filter_fini(&report.filter);
	pfx_recording_free(recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pfx_recording *recording = open_recording(data, size);

	if (recording)
		make_report(recording);
	return 0;
}
