/* SPDX-License-Identifier: MIT */
/*
 * `pfx report -T`: what each thread's counters had counted when it ended, from READ records, as a
 * table behind the others. Records of one thread and event are added up.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/report/report_internal.h"

struct pfx_thread_reads {
	uint32_t nr_events;
	struct pfx_hash by_tid;   /* pid and tid to place in keys */
	PFX_VEC(uint64_t) keys;   /* pid << 32 | tid, in order of appearance */
	PFX_VEC(uint64_t) values; /* nr_events for each */
};

void pfx_report_take_read(struct pfx_report *report, const struct pfx_record *rec)
{
	const struct pfx_meta *meta = pfx_reader_meta(report->reader);
	struct pfx_thread_reads *reads = report->reads;
	struct pfx_body body;
	uint64_t key, *slot;
	uint32_t i;
	bool is_new;

	if (!rec->event || pfx_record_decode(rec, &rec->event->attr, &body, NULL))
		return;
	if (!reads) {
		reads = report->reads = pfx_calloc(1, sizeof(*reads));
		reads->nr_events = meta->nr_events;
	}
	key = (uint64_t)body.read.pid << 32 | body.read.tid;
	slot = pfx_hash_add(&reads->by_tid, key, &is_new);
	if (is_new) {
		*slot = reads->keys.nr;
		pfx_vec_push(&reads->keys, key);
		for (i = 0; i < reads->nr_events; i++)
			pfx_vec_push(&reads->values, 0);
	}
	if (body.read.read.nr && rec->event->idx < reads->nr_events)
		reads->values.at[*slot * reads->nr_events + rec->event->idx] +=
			body.read.read.values[0].value;
}

static int width_of(uint64_t number)
{
	int width = 1;

	while (number /= 10)
		width++;
	return width;
}

static void widen(int *width, int least)
{
	if (*width < least)
		*width = least;
}

/* Of pid, tid and each event. */
static void find_widths(const struct pfx_report *report, int *widths)
{
	const struct pfx_meta *meta = pfx_reader_meta(report->reader);
	const struct pfx_thread_reads *reads = report->reads;
	uint32_t e;
	size_t i;

	widths[0] = widths[1] = 3;
	for (e = 0; e < reads->nr_events; e++)
		widths[2 + e] = (int)strlen(meta->events[e]->name);
	for (i = 0; i < reads->keys.nr; i++) {
		widen(&widths[0], width_of(reads->keys.at[i] >> 32));
		widen(&widths[1], width_of((uint32_t)reads->keys.at[i]));
		for (e = 0; e < reads->nr_events; e++)
			widen(&widths[2 + e], width_of(reads->values.at[i * reads->nr_events + e]));
	}
}

static void add_head(const struct pfx_report *report, const int *widths, struct pfx_str *to)
{
	const struct pfx_meta *meta = pfx_reader_meta(report->reader);
	struct pfx_str name = {0};
	uint32_t e;

	pfx_str_addf(to, "# %*s  %*s", widths[0], "PID", widths[1], "TID");
	for (e = 0; e < report->reads->nr_events; e++) {
		pfx_str_clear(&name);
		pfx_str_add_foreign(&name, meta->events[e]->name);
		pfx_str_addf(to, "  %*s", widths[2 + e], pfx_str_get(&name));
	}
	pfx_str_addc(to, '\n');
	pfx_str_fini(&name);
}

/* A line for each number, with the event's place among the events (--pretty raw). */
static void add_raw(const struct pfx_report *report, const int *widths, struct pfx_str *to)
{
	const struct pfx_meta *meta = pfx_reader_meta(report->reader);
	const struct pfx_thread_reads *reads = report->reads;
	int name_width = (int)strlen("Name"), count_width = (int)strlen("Count");
	struct pfx_str name = {0};
	uint32_t e;
	size_t i;

	for (e = 0; e < reads->nr_events; e++)
		widen(&name_width, (int)strlen(meta->events[e]->name));
	for (i = 0; i < reads->values.nr; i++)
		widen(&count_width, width_of(reads->values.at[i]));
	pfx_str_addf(to, "# %*s  %*s  %*s  Raw  %*s\n", widths[0], "PID", widths[1], "TID",
		     name_width, "Name", count_width, "Count");
	for (i = 0; i < reads->keys.nr * reads->nr_events; i++) {
		e = i % reads->nr_events;
		pfx_str_clear(&name);
		pfx_str_add_foreign(&name, meta->events[e]->name);
		pfx_str_addf(to, "  %*d  %*d  %*s  %3x  %*" PRIu64 "\n", widths[0],
			     (int)(reads->keys.at[i / reads->nr_events] >> 32), widths[1],
			     (int)reads->keys.at[i / reads->nr_events], name_width,
			     pfx_str_get(&name), e, count_width, reads->values.at[i]);
	}
	pfx_str_fini(&name);
}

void pfx_report_add_threads(struct pfx_report *report)
{
	const struct pfx_thread_reads *reads = report->reads;
	struct pfx_str *to = &report->out;
	uint32_t e;
	int *widths;
	size_t i;

	if (!reads) {
		pfx_str_add(to, "# PID  TID\n");
		return;
	}
	widths = pfx_calloc(2 + reads->nr_events, sizeof(*widths));
	find_widths(report, widths);
	if (report->options->raw_threads) {
		add_raw(report, widths, to);
		free(widths);
		return;
	}
	add_head(report, widths, to);
	for (i = 0; i < reads->keys.nr; i++) {
		pfx_str_addf(to, "  %*d  %*d", widths[0], (int)(reads->keys.at[i] >> 32), widths[1],
			     (int)reads->keys.at[i]);
		for (e = 0; e < reads->nr_events; e++)
			pfx_str_addf(to, "  %*" PRIu64, widths[2 + e],
				     reads->values.at[i * reads->nr_events + e]);
		pfx_str_addc(to, '\n');
	}
	free(widths);
}

void pfx_report_threads_json(const struct pfx_report *report, struct pfx_str *to)
{
	const struct pfx_meta *meta = pfx_reader_meta(report->reader);
	const struct pfx_thread_reads *reads = report->reads;
	const char *name;
	uint32_t e;
	size_t i;

	pfx_str_addc(to, '[');
	for (i = 0; reads && i < reads->keys.nr; i++) {
		pfx_str_addf(to, "%s{\"pid\":%d,\"tid\":%d,\"counts\":[", i ? "," : "",
			     (int)(reads->keys.at[i] >> 32), (int)reads->keys.at[i]);
		for (e = 0; e < reads->nr_events; e++) {
			name = meta->events[e]->name;
			pfx_str_add(to, e ? ",{\"event\":\"" : "{\"event\":\"");
			pfx_str_add_json(to, name, strlen(name));
			pfx_str_addf(to, "\",\"count\":%" PRIu64 "}",
				     reads->values.at[i * reads->nr_events + e]);
		}
		pfx_str_add(to, "]}");
	}
	pfx_str_addc(to, ']');
}

void pfx_report_free_threads(struct pfx_report *report)
{
	if (!report->reads)
		return;
	pfx_hash_fini(&report->reads->by_tid);
	pfx_vec_free(&report->reads->keys);
	pfx_vec_free(&report->reads->values);
	free(report->reads);
}
