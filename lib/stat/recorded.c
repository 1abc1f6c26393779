/* SPDX-License-Identifier: MIT */
/* Converts records to rounds (rounds.c) and to tables, with the events and the machine of the
 * recording. */
#include "stat/recorded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "stat/counting.h"
#include "stat/rounds.h"

struct pfx_recorded_counts {
	struct pfx_recording *recording;
	struct pfx_recorded_rows rows;
	const struct pfx_meta *meta;
	struct pfx_counts stat;
	struct pfx_stat_rounds rounds;
	uint64_t last_ns;
	bool is_ready, any_round, any_end;
};

struct pfx_recorded_counts *pfx_recorded_counts_new(struct pfx_recording *recording,
						    const struct pfx_recorded_rows *rows)
{
	struct pfx_recorded_counts *recorded = pfx_calloc(1, sizeof(*recorded));

	recorded->recording = recording;
	recorded->rows = *rows;
	recorded->meta = pfx_recording_meta(recording);
	recorded->rounds.by = PFX_STAT_BY_ALL;
	return recorded;
}

void pfx_recorded_counts_free(struct pfx_recorded_counts *recorded)
{
	if (!recorded)
		return;
	pfx_stat_fini(&recorded->stat);
	pfx_stat_rounds_fini(&recorded->rounds);
	free(recorded);
}

static char *escaped(const char *text)
{
	struct pfx_str s = {0};

	pfx_str_add_foreign(&s, text);
	return s.at ? s.at : pfx_strdup("");
}

/* The value of a dummy event was read elsewhere, for example from a sensor. */
static bool counts_nothing(const struct pfx_attr *attr)
{
	return attr->type == PFX_TYPE_SOFTWARE && attr->config == PFX_SW_DUMMY;
}

static void add_event(struct pfx_recorded_counts *r, const struct pfx_event *event)
{
	struct pfx_stat_event *row = pfx_stat_add_event(&r->stat, event->name, &event->attr);

	row->is_supported = event->nr_ids != 0;
	row->tool = pfx_stat_tool_of(event->name, &event->attr);
	row->is_partial = counts_nothing(&event->attr);
	if (event->unit) {
		free(row->unit);
		row->unit = escaped(event->unit);
		row->scale = event->scale;
	}
}

static void start(struct pfx_recorded_counts *r)
{
	bool is_chosen = r->rows.is_chosen;
	uint32_t i;

	r->stat.by =
		is_chosen ? r->rows.by : pfx_stat_by_of_number(r->meta->env.version, r->rounds.by);
	r->stat.cache_level = is_chosen ? r->rows.cache_level : r->rounds.cache_level;
	r->stat.no_scale = r->rounds.no_scale;
	for (i = 0; i < r->meta->nr_events; i++)
		add_event(r, r->meta->events[i]);
	r->is_ready = true;
}

static size_t group_of(struct pfx_recorded_counts *r, const struct pfx_stat_source *source)
{
	const struct pfx_stat_thread *thread = pfx_stat_source_thread(&r->rounds, source);
	size_t group;

	if (r->stat.by != PFX_STAT_BY_THREAD)
		thread = NULL;
	group = pfx_stat_group_add(&r->stat, &r->meta->env, source->cpu, thread ? thread->tid : -1);
	if (thread)
		memcpy(r->stat.groups.at[group].comm, thread->comm, sizeof(thread->comm));
	return group;
}

/* Put the counts of a round into a new table. */
static int count_round(struct pfx_recorded_counts *r, uint64_t wall_ns, struct pfx_error *err)
{
	struct pfx_stat_source *source;
	struct pfx_count count;
	size_t i;
	int rc;

	pfx_stat_clear_groups(&r->stat);
	for (i = 0; i < r->rounds.sources.nr; i++)
		group_of(r, &r->rounds.sources.at[i]);
	if (!r->stat.groups.nr)
		pfx_stat_group_add(&r->stat, &r->meta->env, -1, -1);
	pfx_stat_sort_groups(&r->stat);
	rc = pfx_stat_ready(&r->stat, err);
	if (rc < 0)
		return rc;
	r->stat.wall_ns = (struct pfx_moments){0};
	for (i = 0; i < r->rounds.fresh.nr; i++) {
		source = &r->rounds.sources.at[r->rounds.fresh.at[i]];
		count = pfx_stat_source_count(source);
		count.may_fall = counts_nothing(&r->meta->events[source->event]->attr);
		pfx_stat_count(&r->stat, source->event, group_of(r, source), count);
	}
	pfx_stat_rounds_end(&r->rounds);
	pfx_stat_end_run(&r->stat, wall_ns);
	return 0;
}

/* 1 if the round completes a table. */
static int end_round(struct pfx_recorded_counts *r, const struct pfx_stat_round *round,
		     struct pfx_recorded_table *ret, struct pfx_error *err)
{
	bool is_interval = r->rounds.interval_ms != 0;
	int rc;

	if (!r->is_ready)
		start(r);
	/* Empty rounds are skipped. */
	if (!r->rounds.fresh.nr && (is_interval || r->any_round))
		return 0;
	r->any_round = true;
	rc = count_round(r, round->time - r->last_ns, err);
	if (rc < 0)
		return rc;
	if (is_interval)
		r->last_ns = round->time;
	*ret = (struct pfx_recorded_table){&r->stat, round->time, is_interval};
	return 1;
}

int pfx_recorded_counts_next(struct pfx_recorded_counts *r, struct pfx_recorded_table *ret,
			     struct pfx_error *err)
{
	struct pfx_stat_round round;
	struct pfx_item item;
	int rc;

	while ((rc = pfx_recording_next(r->recording, &item, err)) > 0) {
		r->any_end |= item.rec.type == PFX_RECORD_STAT_ROUND;
		rc = pfx_stat_rounds_take(&r->rounds, r->meta, &item.rec, &round, err);
		if (rc > 0)
			rc = end_round(r, &round, ret, err);
		if (rc)
			return rc;
	}
	if (rc >= 0 && !r->any_end) {
		pfx_error_set(err, EINVAL, "this recording has no counts");
		pfx_error_hint(err, "pfx stat record makes one that has; for samples there is "
				    "pfx report");
		return -EINVAL;
	}
	return rc;
}
