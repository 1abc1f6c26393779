/* SPDX-License-Identifier: MIT */
/*
 * Counts (`stat record`) in `pfx script`: at the end of each round a line for each counter, or a
 * call of the program. The file has totals since the start; the output is the increase in the
 * round.
 */
#include "script/script_internal.h"
#include "stat/rounds.h"

static bool is_about_all(const struct pfx_script *s)
{
	return s->rounds.by == PFX_STAT_BY_ALL;
}

static struct pfx_script_count row_of(const struct pfx_script *s,
				      const struct pfx_stat_source *source, uint64_t time)
{
	const struct pfx_stat_thread *thread = pfx_stat_source_thread(&s->rounds, source);

	return (struct pfx_script_count){
		.event = s->view.meta->events[source->event],
		.cpu = source->cpu,
		.tid = thread ? thread->tid : -1,
		.time = time,
	};
}

static int show_row(struct pfx_script *s, const struct pfx_script_count *row, struct pfx_error *err)
{
	if (s->engine)
		return s->engine_ops->count(s->engine, row, err);
	return pfx_script_put(&(struct pfx_form_record){
		.kind = PFX_FORM_RECORD_COUNT, .script = s, .count = row});
}

static const struct pfx_stat_source *fresh_at(const struct pfx_script *s, size_t i)
{
	return &s->rounds.sources.at[s->rounds.fresh.at[i]];
}

/* An unsupported event has no counts in the file: it is shown with a count of 0, like the first
 * counted event. */
static int show_unsupported(struct pfx_script *s, uint32_t event, uint64_t time,
			    struct pfx_error *err)
{
	struct pfx_script_count row = {.cpu = -1, .tid = -1, .time = time};
	size_t i, nr = s->rounds.fresh.nr;
	int rc = 0;

	for (i = 0; i < nr && fresh_at(s, i)->event == fresh_at(s, 0)->event && rc >= 0; i++) {
		row = row_of(s, fresh_at(s, i), time);
		row.event = s->view.meta->events[event];
		rc = show_row(s, &row, err);
	}
	if (nr)
		return rc;
	row.event = s->view.meta->events[event];
	if (s->rounds.threads.nr == 1)
		row.tid = s->rounds.threads.at[0].tid;
	return show_row(s, &row, err);
}

static int show_sources(struct pfx_script *s, uint64_t time, struct pfx_error *err)
{
	const struct pfx_meta *meta = s->view.meta;
	struct pfx_script_count row;
	uint32_t event;
	size_t i = 0;
	int rc = 0;

	for (event = 0; event < meta->nr_events && rc >= 0; event++) {
		if (!meta->events[event]->nr_ids)
			rc = show_unsupported(s, event, time, err);
		for (; i < s->rounds.fresh.nr && fresh_at(s, i)->event == event && rc >= 0; i++) {
			row = row_of(s, fresh_at(s, i), time);
			row.count = pfx_stat_source_count(fresh_at(s, i));
			rc = show_row(s, &row, err);
		}
	}
	return rc;
}

/* Programs get one total per event. */
static int tell_sums(struct pfx_script *s, uint64_t time, struct pfx_error *err)
{
	const struct pfx_meta *meta = s->view.meta;
	struct pfx_script_count row = {.cpu = -1, .tid = -1, .time = time};
	struct pfx_count count;
	uint32_t event;
	size_t i = 0;
	int rc = 0;

	for (event = 0; event < meta->nr_events && rc >= 0; event++) {
		row.event = meta->events[event];
		row.count = (struct pfx_count){0};
		for (; i < s->rounds.fresh.nr && fresh_at(s, i)->event == event; i++) {
			count = pfx_stat_source_count(fresh_at(s, i));
			row.count.value += count.value;
			row.count.enabled += count.enabled;
			row.count.running += count.running;
		}
		rc = s->engine_ops->count(s->engine, &row, err);
	}
	return rc;
}

int pfx_script_stat_take(struct pfx_script *s, const struct pfx_record *rec, struct pfx_error *err)
{
	struct pfx_stat_round round;
	int rc = pfx_stat_rounds_take(&s->rounds, s->view.meta, rec, &round, NULL);

	if (rc <= 0)
		return 0; /* malformed records are counted elsewhere */
	pfx_stat_rounds_sort(&s->rounds);
	rc = s->engine && is_about_all(s) ? tell_sums(s, round.time, err)
					  : show_sources(s, round.time, err);
	pfx_stat_rounds_end(&s->rounds);
	if (rc >= 0 && s->engine)
		rc = s->engine_ops->round(s->engine, round.time, err);
	return rc;
}
