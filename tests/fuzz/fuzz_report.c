/* SPDX-License-Identifier: MIT */
/* Any bytes as a file, all the way to a report: order, tasks and maps, chains, tables, text. */
#include "fuzz/reading.h"
#include "out/hist_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct report {
	struct pfx_reader *reader;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	struct pfx_columns columns;
	struct pfx_filter filter;
	struct pfx_callgraph graph;
	struct pfx_hist_options options;
	struct pfx_hists *hists;
};

static void take_sample(struct report *report, const struct pfx_record *rec)
{
	struct pfx_sample_part *parts;
	struct pfx_sample sample;
	uint32_t nr, i;

	if (!rec->event || !pfx_sample_decode(rec, &rec->event->attr, &sample))
		return;
	nr = pfx_session_split_sample(report->session, rec->event, &sample, &parts);
	for (i = 0; i < nr; i++) {
		sample.id = parts[i].id;
		sample.period = parts[i].period;
		pfx_hists_add(report->hists, parts[i].event, &sample,
			      pfx_session_thread(report->session, sample.pid, sample.tid));
	}
}

static void read_all(struct report *report)
{
	struct pfx_order *order = pfx_order_new(report->reader, false);
	struct pfx_record rec;
	struct pfx_error err;

	while (pfx_order_next(order, &rec, &err) > 0)
		if (rec.type == PFX_RECORD_SAMPLE)
			take_sample(report, &rec);
		else
			pfx_session_apply(report->session, &rec);
	pfx_order_free(order);
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

static void make_report(struct pfx_reader *reader)
{
	struct report report = {.reader = reader};
	struct pfx_columns_request request = {.sort = "comm,dso,sym,pid,cpu", .children = true};
	struct pfx_resolve_options resolving = {.sym = {.symfs = "/nonexistent"}};
	struct pfx_error err;

	report.session = pfx_session_new(pfx_reader_meta(reader));
	report.resolver = pfx_resolver_new(report.session, &resolving);
	report.graph = pfx_callgraph_default;
	if (!pfx_columns_build(&report.columns, &request, &err)) {
		report.options = (struct pfx_hist_options){
			.meta = pfx_reader_meta(reader),
			.session = report.session,
			.resolver = report.resolver,
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
	pfx_resolver_free(report.resolver);
	pfx_session_free(report.session);
	pfx_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pfx_reader *reader = open_bytes(data, size);

	if (reader)
		make_report(reader);
	return 0;
}
