/* SPDX-License-Identifier: MIT */
/*
 * `pfx report`: the loop over the records. Samples with copied stacks wait in a batch, and are
 * counted in the order in which they came. Knows nothing of what is shown.
 */
#include "cmd/report_internal.h"

#include "base/alloc.h"
#include "cmd/deferred.h"
#include "cmd/progress.h"
#include "cmd/record_dump.h"

#define FLUSH_SIZE (64u << 10)

static void take_part(struct pfx_report *report, const struct pfx_event *event,
		      const struct pfx_sample *sample)
{
	struct pfx_thread *thread;

	++*pfx_vec_slot(&report->nr_by_event, event->idx);
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

	report->nr_samples++;
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

static void take_sample(struct pfx_report *report, const struct pfx_record *rec)
{
	struct pfx_sample *sample = &report->sample;

	if (rec->event &&
	    pfx_sample_decode_next(rec, &rec->event->attr, &report->last_sample, sample))
		count_sample(report, rec->event, sample);
	else
		report->nr_bad_samples++;
}

static bool wants_chain(const struct pfx_report *report, const struct pfx_sample *sample)
{
	return pfx_filter_cpu(&report->options->filter, sample->cpu) &&
	       (!report->options->time || pfx_time_ranges_have(&report->times, sample->time));
}

/* True: the record is taken later. */
static bool wait_for_others(struct pfx_report *report, const struct pfx_record *rec)
{
	const struct pfx_sample *sample;

	if (!report->hists || !report->has_chains ||
	    pfx_event_switch_is_off(&report->options->event_switch))
		return false;
	if (!report->batch)
		report->batch = pfx_stack_batch_new(report->resolver);
	if (!pfx_stack_batch_put(report->batch, rec, pfx_reader_keeps(report->reader, rec),
				 &sample))
		return false;
	if (wants_chain(report, sample))
		pfx_stack_batch_want(report->batch,
				     pfx_session_thread(report->session, sample->pid, sample->tid));
	return true;
}

static void take_waiting(struct pfx_report *report)
{
	struct pfx_stack_wait *waits = NULL;
	uint32_t i, nr;

	if (!report->batch)
		return;
	nr = pfx_stack_batch_walk(report->batch, &waits);
	for (i = 0; i < nr; i++)
		count_sample(report, waits[i].rec.event, &waits[i].sample);
	if (nr)
		pfx_stack_batch_empty(report->batch);
}

/* How many threads run now: those that switched in and did not switch out or end since. */
static void follow_switch(struct pfx_report *report, const struct pfx_record *rec)
{
	bool is_switch = rec->type == PFX_RECORD_SWITCH || rec->type == PFX_RECORD_SWITCH_CPU_WIDE;
	struct pfx_body body;
	uint32_t tid;

	if ((!is_switch && rec->type != PFX_RECORD_EXIT) || !rec->event ||
	    pfx_record_decode(rec, &rec->event->attr, &body, NULL))
		return;
	tid = is_switch ? body.id.tid : body.task.tid;
	if (!tid)
		return;
	if (is_switch && !(rec->misc & PFX_MISC_SWITCH_OUT))
		pfx_hash_add(&report->running, tid, NULL);
	else
		pfx_hash_remove(&report->running, tid);
	pfx_hists_set_parallelism(report->hists, (uint32_t)report->running.nr);
}

static void take_lost(struct pfx_report *report, const struct pfx_record *rec)
{
	struct pfx_body body;

	if (rec->event && !pfx_record_decode(rec, &rec->event->attr, &body, NULL))
		*pfx_vec_slot(&report->nr_lost_by_event, rec->event->idx) += body.lost_samples;
}

static void take_other(struct pfx_report *report, const struct pfx_record *rec)
{
	pfx_session_apply(report->session, rec);
	if (report->has_switches && report->hists)
		follow_switch(report, rec);
	if (rec->type == PFX_RECORD_LOST_SAMPLES)
		take_lost(report, rec);
	if (rec->type == PFX_RECORD_READ && report->options->threads)
		pfx_report_take_read(report, rec);
}

static void take_record(struct pfx_report *report, const struct pfx_record *rec)
{
	take_waiting(report);
	if (report->resolver)
		pfx_resolver_follow(report->resolver, rec);
	if (rec->type == PFX_RECORD_SAMPLE)
		take_sample(report, rec);
	else
		take_other(report, rec);
}

int pfx_report_read(struct pfx_report *report, struct pfx_error *err)
{
	bool dump = report->options->dump;
	struct pfx_deferred deferred = {.order = report->order, .off = dump};
	struct pfx_progress progress;
	struct pfx_record rec;
	int rc;

	pfx_progress_begin(&progress, "report", report->options->quiet || dump, report->reader);
	while ((rc = pfx_deferred_next(&deferred, &rec, err)) > 0) {
		pfx_progress_step(&progress, &rec);
		if (dump) {
			pfx_record_dump(&rec, report->reader, report->session, report->resolver,
					&report->out);
			rc = pfx_out_write(&report->out, FLUSH_SIZE, err);
			if (rc < 0)
				break;
		}
		if (!wait_for_others(report, &rec))
			take_record(report, &rec);
	}
	take_waiting(report);
	pfx_progress_end(&progress);
	pfx_deferred_fini(&deferred);
	return rc;
}
