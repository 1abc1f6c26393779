/* SPDX-License-Identifier: MIT */
/*
 * Field metric of `pfx script`: values derived from the counts of a group in one sample of its
 * leader, as `pfx stat` would print them.
 */
#include <stdlib.h>

#include "script/script_internal.h"
#include "stat/stat.h"

/* A leader and the events whose counts are in its samples. */
struct pfx_script_group {
	uint32_t leader; /* index of the event */
	struct pfx_counts counts;
	PFX_VEC(const struct pfx_event *) members; /* by row of counts */
};

static void add_member(struct pfx_script_group *group, const struct pfx_event *event)
{
	size_t i;

	for (i = 0; i < group->members.nr; i++)
		if (group->members.at[i] == event)
			return;
	pfx_vec_push(&group->members, event);
	pfx_stat_add_event(&group->counts, event->name, &event->attr);
}

/* Fill in the counts of all events of the sample. False if it has none. */
static bool fill_group(struct pfx_script *s, struct pfx_script_group *group,
		       const struct pfx_event *leader, const struct pfx_sample *sample)
{
	const struct pfx_meta *meta = s->view.meta;
	const struct pfx_event *event;
	struct pfx_read read;
	uint64_t i;

	if (!pfx_sample_read(sample, &leader->attr, &read))
		return false;
	for (i = 0; i < read.nr && i < PFX_READ_MAX; i++) {
		event = pfx_meta_find_id(meta, read.values[i].id);
		if (event)
			add_member(group, event);
	}
	group->counts.by = PFX_STAT_BY_ALL;
	pfx_stat_group_add(&group->counts, NULL, -1, -1);
	return pfx_stat_ready(&group->counts, NULL) == 0;
}

static struct pfx_script_group *group_of(struct pfx_script *s, const struct pfx_event *leader,
					 const struct pfx_sample *sample)
{
	struct pfx_script_group *group;
	size_t i;

	for (i = 0; i < s->groups.nr; i++)
		if (s->groups.at[i]->leader == leader->idx)
			return s->groups.at[i];
	group = pfx_calloc(1, sizeof(*group));
	group->leader = leader->idx;
	pfx_vec_push(&s->groups, group);
	if (!fill_group(s, group, leader, sample))
		group->members.nr = 0;
	return group;
}

static void count_parts(struct pfx_script_group *group, const struct pfx_sample_part *parts,
			uint32_t nr)
{
	struct pfx_count count = {.enabled = 1, .running = 1};
	size_t i;
	uint32_t k;

	pfx_stat_reset(&group->counts);
	for (i = 0; i < group->members.nr; i++) {
		count.value = 0;
		for (k = 0; k < nr; k++)
			count.value += parts[k].event == group->members.at[i] ? parts[k].period : 0;
		pfx_stat_count(&group->counts, i, 0, count);
	}
	pfx_stat_end_run(&group->counts, 0);
}

void pfx_script_add_metrics(struct pfx_script *s, const struct pfx_record *rec,
			    const struct pfx_sample *sample, const struct pfx_sample_part *parts,
			    uint32_t nr)
{
	struct pfx_thread *thread = pfx_session_thread(s->view.session, sample->pid, sample->tid);
	struct pfx_script_group *group = group_of(s, rec->event, sample);
	struct pfx_stat_note notes[PFX_STAT_NOTES_MAX];
	const struct pfx_form_record line = {
		.script = s,
		.event = &s->events.at[rec->event->idx],
		.rec = rec,
		.thread = thread,
		.sample = sample,
	};
	size_t i, k, nr_notes;

	if (group->members.nr < 2)
		return;
	count_parts(group, parts, nr);
	for (i = 0; i < group->members.nr; i++) {
		nr_notes = pfx_stat_notes(&group->counts, i, 0, notes);
		for (k = 0; k < nr_notes; k++) {
			if (!notes[k].has_value)
				continue;
			pfx_script_print_start(&line);
			pfx_str_add(&s->out, "\tmetric: ");
			pfx_str_addf(&s->out, notes[k].format, notes[k].value);
			pfx_str_addf(&s->out, " %s\n", notes[k].unit);
		}
	}
}

void pfx_script_metrics_fini(struct pfx_script *s)
{
	size_t i;

	for (i = 0; i < s->groups.nr; i++) {
		pfx_stat_fini(&s->groups.at[i]->counts);
		pfx_vec_free(&s->groups.at[i]->members);
		free(s->groups.at[i]);
	}
	pfx_vec_free(&s->groups);
}
