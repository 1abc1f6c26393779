/* SPDX-License-Identifier: MIT */
/* What is to be said of a comparison besides its tables, and of its rules. */
#include <string.h>

#include "diff/comparison.h"

static bool is_compared(const struct pfx_comparison *c, const char *event)
{
	uint32_t i;

	for (i = 0; i < pfx_diff_nr_events(c->diff); i++)
		if (!strcmp(pfx_diff_event_at(c->diff, i)->name, event))
			return true;
	return false;
}

static void note_events(const struct pfx_comparison *c, const struct pfx_note_to *to)
{
	const struct pfx_profile *old = NULL;
	uint32_t i;

	for (i = 0; i < c->files.nr && !old; i++)
		old = c->files.at[i].side ? NULL : c->files.at[i].profile;
	for (i = 0; old && pfx_diff_nr_events(c->diff) && i < old->nr_events; i++)
		if (old->events[i].nr_samples && !is_compared(c, old->events[i].name))
			pfx_note_tell(to, "event '%s' is in the baseline only: not compared",
				      old->events[i].name);
}

static void note_other_names(const struct pfx_comparison *c, const struct pfx_note_to *to)
{
	const struct pfx_diff_event *event;
	uint32_t i;

	for (i = 0; i < pfx_diff_nr_events(c->diff); i++) {
		event = pfx_diff_event_at(c->diff, i);
		if (event->other_name)
			pfx_note_tell(to,
				      "event '%s' is compared with '%s': they differ in "
				      "precision only",
				      event->name, event->other_name);
	}
}

static void note_machines(const struct pfx_comparison *c, const struct pfx_note_to *to)
{
	const struct pfx_compared_file *old = NULL, *file;
	size_t i;

	for (i = 0; i < c->files.nr && !old; i++)
		old = c->files.at[i].side ? NULL : &c->files.at[i];
	for (i = 0; i < c->files.nr; i++) {
		file = &c->files.at[i];
		if (old && old->machine && file->machine && strcmp(old->machine, file->machine))
			pfx_note_tell(to,
				      "the recordings are from different machines: '%s' is of %s, "
				      "'%s' of %s",
				      old->path, old->machine, file->path, file->machine);
	}
}

void pfx_comparison_notes(const struct pfx_comparison *c, const struct pfx_note_to *to)
{
	note_events(c, to);
	note_other_names(c, to);
	note_machines(c, to);
}

/* True if it is broken. */
static bool tell_verdict(const struct pfx_diff_rule *rule, const struct pfx_diff_verdict *verdict,
			 bool excuses, const struct pfx_note_to *to)
{
	const char *idle = pfx_diff_verdict_idle(rule, verdict);
	struct pfx_str line = {0};

	if (idle)
		pfx_note_tell(to, "rule '%s' checks nothing: %s", rule->text, idle);
	pfx_diff_verdict_excuse(rule, verdict, &line);
	if (line.len && excuses)
		pfx_note_tell(to, "rule '%s' is kept: %s", rule->text, pfx_str_get(&line));
	if (verdict->is_broken) {
		pfx_diff_case_text(rule, verdict, &verdict->worst, &line);
		pfx_note_tell(to, "rule '%s' is broken: %s", rule->text, pfx_str_get(&line));
	}
	pfx_str_fini(&line);
	return verdict->is_broken;
}

unsigned pfx_comparison_verdicts(const struct pfx_comparison *c, bool excuses,
				 const struct pfx_note_to *to)
{
	unsigned nr = 0;
	size_t i;

	for (i = 0; i < c->verdicts.nr; i++)
		nr += tell_verdict(&c->rules.at[i], &c->verdicts.at[i], excuses, to);
	return nr;
}
