/* SPDX-License-Identifier: MIT */
/*
 * The loop of `pfx script`: records in order of time, sideband applied to the session, samples
 * printed through one big buffer. Samples with copied stacks whose chains are shown wait in a
 * batch, and are taken in the order in which they came. Knows nothing of what is printed.
 */
#include <errno.h>

#include "cmd/record_dump.h"
#include "cmd/script_internal.h"
#include "cmd/script_run.h"
#include "out/term.h"

#define FLUSH_SIZE (64u << 10)

static int take_sample(struct pfx_script *s, const struct pfx_record *rec, struct pfx_error *err)
{
	if (!rec->event ||
	    !pfx_sample_decode_next(rec, &rec->event->attr, &s->last_sample, &s->sample)) {
		s->nr_bad_samples++;
		return 0;
	}
	return pfx_script_print_sample(s, rec, &s->sample, err);
}

static int take_other(struct pfx_script *s, const struct pfx_record *rec, struct pfx_error *err)
{
	int rc;

	if (s->engine && s->engine_ops->record(s->engine, rec, err) < 0)
		return -ECANCELED;
	rc = pfx_script_stat_take(s, rec, err);
	if (!rc && s->show)
		rc = pfx_script_print_sideband(s, rec, false, err);
	if (!rc && rec->type == PFX_RECORD_CALLCHAIN_DEFERRED && s->deferred.off && !s->dump)
		rc = pfx_script_print_deferred(s, rec, err);
	pfx_session_apply(s->session, rec);
	if (!rc && s->show)
		rc = pfx_script_print_sideband(s, rec, true, err);
	return rc;
}

static int take_record(struct pfx_script *s, const struct pfx_record *rec, struct pfx_error *err)
{
	int rc;

	pfx_resolver_follow(s->resolver, rec);
	if (s->dump)
		pfx_record_dump(rec, s->reader, s->session, s->resolver, &s->out);
	rc = rec->type == PFX_RECORD_SAMPLE ? take_sample(s, rec, err) : take_other(s, rec, err);
	return rc < 0 ? rc : pfx_out_write(&s->out, FLUSH_SIZE, err);
}

static bool shows_chain(const struct pfx_script *s, const struct pfx_event *event)
{
	const struct pfx_script_event *shown;

	if (s->engine)
		return true;
	shown = event->idx < s->events.nr ? &s->events.at[event->idx] : NULL;
	return shown && shown->is_ready && shown->has_chain && (shown->fields & PFX_SCRIPT_IP) &&
	       s->max_stack;
}

/* True: the record is taken later. */
static bool wait_for_others(struct pfx_script *s, const struct pfx_record *rec)
{
	const struct pfx_sample *sample;
	struct pfx_thread *thread;

	if (s->dump || s->checks_order || !rec->event || !shows_chain(s, rec->event) ||
	    pfx_event_switch_is_off(&s->event_switch))
		return false;
	if (!s->batch)
		s->batch = pfx_stack_batch_new(s->resolver);
	if (!pfx_stack_batch_put(s->batch, rec, pfx_reader_keeps(s->reader, rec), &sample))
		return false;
	thread = pfx_session_thread(s->session, sample->pid, sample->tid);
	if (pfx_script_filters_take(&s->filters, sample, thread))
		pfx_stack_batch_want(s->batch, thread);
	return true;
}

static int take_waiting(struct pfx_script *s, struct pfx_error *err)
{
	struct pfx_stack_wait *waits = NULL;
	uint32_t i, nr;
	int rc = 0;

	if (!s->batch)
		return 0;
	nr = pfx_stack_batch_walk(s->batch, &waits);
	for (i = 0; i < nr && rc >= 0 && !pfx_script_is_stopped(); i++) {
		rc = pfx_script_print_sample(s, &waits[i].rec, &waits[i].sample, err);
		if (rc >= 0)
			rc = pfx_out_write(&s->out, FLUSH_SIZE, err);
	}
	if (nr)
		pfx_stack_batch_empty(s->batch);
	return rc;
}

int pfx_script_read(struct pfx_script *s, struct pfx_error *err)
{
	struct pfx_error other = {0};
	struct pfx_record rec;
	int rc = 0, taken, flushed;

	while (!pfx_script_is_stopped() && (rc = pfx_deferred_next(&s->deferred, &rec, err)) > 0) {
		if (wait_for_others(s, &rec))
			continue;
		rc = take_waiting(s, err);
		if (rc >= 0)
			rc = take_record(s, &rec, err);
		if (rc < 0)
			break;
	}
	taken = take_waiting(s, rc < 0 ? &other : err);
	rc = rc < 0 ? rc : taken;
	if (rc >= 0 && s->per_event)
		rc = pfx_script_files_finish(s, err);
	flushed = pfx_out_write(&s->out, 0, err);
	return rc < 0 ? rc : flushed;
}
