/* SPDX-License-Identifier: MIT */
/*
 * Dispatches the records for `pfx script`. All output goes through one big buffer.
 */
#include <errno.h>

#include "read/record_dump.h"
#include "script/script_internal.h"

#define FLUSH_SIZE (64u << 10)

static int take_other(struct pfx_script *s, const struct pfx_record *rec, struct pfx_error *err)
{
	int rc;

	if (s->engine && s->engine_ops->record(s->engine, rec, err) < 0)
		return -ECANCELED;
	rc = pfx_script_stat_take(s, rec, err);
	if (!rc && s->how.show)
		rc = pfx_script_print_sideband(s, rec, false, err);
	if (!rc && rec->type == PFX_RECORD_CALLCHAIN_DEFERRED && s->how.late_frames_apart &&
	    !s->how.dump)
		rc = pfx_script_print_deferred(s, rec, err);
	pfx_recording_apply(s->recording);
	if (!rc && s->how.show)
		rc = pfx_script_print_sideband(s, rec, true, err);
	return rc;
}

static int take_item(struct pfx_script *s, const struct pfx_item *item, struct pfx_error *err)
{
	const struct pfx_record *rec = &item->rec;
	int rc = 0;

	if (s->how.dump)
		pfx_record_dump(rec, s->reader, s->view.session, s->view.resolver, &s->out);
	if (item->sample)
		rc = pfx_script_print_sample(s, rec, item->sample, err);
	else if (rec->type != PFX_RECORD_SAMPLE)
		rc = take_other(s, rec, err);
	return rc < 0 || s->out.len <= FLUSH_SIZE ? rc : pfx_script_flush(s, FLUSH_SIZE, err);
}

static bool shows_chain(const struct pfx_script *s, const struct pfx_event *event)
{
	const struct pfx_script_event *shown;

	if (s->engine)
		return true;
	shown = event->idx < s->events.nr ? &s->events.at[event->idx] : NULL;
	return shown && shown->is_ready && shown->has_chain && (shown->fields & PFX_SCRIPT_IP) &&
	       s->how.max_stack;
}

static bool wants_frames(void *context, const struct pfx_event *event,
			 const struct pfx_sample *sample)
{
	const struct pfx_script *s = context;

	return shows_chain(s, event) && !pfx_event_switch_is_off(&s->how.event_switch) &&
	       pfx_script_filters_take(&s->filters, sample,
				       pfx_recording_thread(s->recording, sample));
}

int pfx_script_read(struct pfx_script *s, struct pfx_error *err)
{
	struct pfx_item item;
	int rc = 0, flushed;

	if (!s->how.dump && !s->how.checks_order)
		pfx_recording_batch(s->recording, wants_frames, s);
	while ((rc = pfx_recording_next(s->recording, &item, err)) > 0 && !*s->host.is_stopped) {
		rc = take_item(s, &item, err);
		if (rc < 0)
			break;
	}
	if (rc >= 0 && s->how.per_event)
		rc = pfx_script_files_finish(s, err);
	flushed = pfx_script_flush(s, 0, err);
	return rc < 0 ? rc : flushed;
}
