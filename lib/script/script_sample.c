/* SPDX-License-Identifier: MIT */
/*
 * Handles a sample: filters, the events that it counts for, and its destination.
 */
#include "script/script_internal.h"

static bool is_wanted(struct pfx_script *s, const struct pfx_event *event,
		      struct pfx_thread *thread, const struct pfx_sample *sample)
{
	struct pfx_place *place;

	if (!pfx_script_filters_take(&s->filters, sample, thread))
		return false;
	if (s->filters.of.symbols.given || s->filters.of.dsos.given) {
		place = pfx_resolve(s->view.resolver, thread, sample->cpumode, sample->ip);
		pfx_place_symbol(s->view.resolver, place);
		if (!pfx_script_filters_take_place(&s->filters, place))
			return false;
	}
	return pfx_event_switch_takes(&s->how.event_switch, event);
}

/* By the options and the filter of --dlfilter: 1, 0, or an error. */
static int takes(struct pfx_script *s, const struct pfx_script_sample *told, struct pfx_error *err)
{
	int rc = pfx_script_ask_filter(s, told, true, err);

	if (rc)
		return rc < 0 ? rc : 0;
	if (!is_wanted(s, told->event, told->thread, told->sample))
		return 0;
	rc = pfx_script_ask_filter(s, told, false, err);
	return rc < 0 ? rc : !rc;
}

static int print_sample(struct pfx_script *s, const struct pfx_record *rec,
			const struct pfx_sample *sample, struct pfx_error *err)
{
	struct pfx_script_sample told = {rec->event, NULL, sample};
	struct pfx_script_event *event;
	int rc;

	told.thread = pfx_session_thread(s->view.session, sample->pid, sample->tid);
	if (s->engine) {
		rc = takes(s, &told, err);
		s->nr_shown += rc > 0;
		return rc > 0 ? s->engine_ops->sample(s->engine, &told, err) : rc;
	}
	rc = pfx_script_event_of(s, rec->event, &event, err);
	if (rc < 0 || !event->fields)
		return rc;
	rc = takes(s, &told, err);
	if (rc <= 0)
		return rc;
	s->has_shown = true;
	s->nr_shown++;
	rc = pfx_script_put(&(struct pfx_form_record){.kind = PFX_FORM_RECORD_SAMPLE,
						      .script = s,
						      .event = event,
						      .rec = rec,
						      .thread = told.thread,
						      .sample = sample});
	if (rc < 0)
		return rc;
	return s->how.per_event ? pfx_script_file_take(s, rec->event, true, err) : 0;
}

/* Whether lines with metrics of a group follow its samples. */
static bool has_metrics(const struct pfx_script *s, const struct pfx_event *leader)
{
	return (leader->attr.sample_type & PFX_SAMPLE_READ) && !s->engine &&
	       !(s->how.form->needs & PFX_FORM_OBJECTS) && leader->idx < s->events.nr &&
	       s->events.at[leader->idx].is_ready &&
	       (s->events.at[leader->idx].fields & PFX_SCRIPT_METRIC);
}

/* A sample with counts of several events is printed once for each. */
static int print_parts(struct pfx_script *s, const struct pfx_record *rec,
		       struct pfx_sample *sample, struct pfx_error *err)
{
	struct pfx_record as = *rec;
	struct pfx_sample_part *parts;
	uint32_t nr, i;
	int rc = 0;

	s->has_shown = false;
	nr = pfx_session_split_sample(s->view.session, rec->event, sample, &parts);
	for (i = 0; i < nr && rc >= 0; i++) {
		as.event = parts[i].event;
		sample->id = parts[i].id;
		sample->period = parts[i].period;
		rc = print_sample(s, &as, sample, err);
	}
	if (rc < 0 || !s->has_shown || !has_metrics(s, rec->event))
		return rc;
	pfx_script_add_metrics(s, rec, sample, parts, nr);
	return s->how.per_event ? pfx_script_file_take(s, rec->event, false, err) : 0;
}

int pfx_script_print_sample(struct pfx_script *s, const struct pfx_record *rec,
			    struct pfx_sample *sample, struct pfx_error *err)
{
	s->nr_samples++;
	if (s->how.checks_order) {
		s->nr_misordered += sample->time < s->newest;
		s->newest = sample->time;
		return 0;
	}
	if (rec->event->attr.sample_type & PFX_SAMPLE_READ)
		return print_parts(s, rec, sample, err);
	return print_sample(s, rec, sample, err);
}
