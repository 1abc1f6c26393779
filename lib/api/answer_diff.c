/* SPDX-License-Identifier: MIT */
/* Answers that are differences: the rows of lib/diff, by binary and function. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/samples_internal.h"
#include "base/error.h"
#include "diff/diff.h"
#include "diff/measure.h"

enum { OLD, NEW, DSO = 0, SYM };

static const enum pfx_row_state states[] = {
	[PFX_DIFF_IN_BOTH] = PFX_ROW_IN_BOTH,
	[PFX_DIFF_NEW] = PFX_ROW_NEW,
	[PFX_DIFF_VANISHED] = PFX_ROW_VANISHED,
	[PFX_DIFF_RENAMED] = PFX_ROW_RENAMED,
};

static const char *keep(struct pfx_answer *answer, const char *text)
{
	return text ? pfx_arena_strdup(&answer->texts, text) : NULL;
}

static void fill_row(struct pfx_answer *answer, const struct pfx_diff_event *event,
		     const struct pfx_diff_row *from, struct pfx_answer_row *row)
{
	row->name = keep(answer, from->texts[SYM]);
	row->dso = keep(answer, from->texts[DSO]);
	row->old_name = keep(answer, from->old_texts[SYM]);
	row->is_inlined = from->is_inlined;
	row->state = states[from->state];
	row->self = row->total = from->values[NEW].period;
	row->samples = from->values[NEW].samples;
	row->old_self = from->values[OLD].period;
	row->old_samples = from->values[OLD].samples;
	row->self_share = row->total_share = pfx_share(row->self, event->totals[NEW].period);
	row->old_share = pfx_share(row->old_self, event->totals[OLD].period);
}

static void fill(struct pfx_answer *answer, const struct pfx_diff *diff,
		 const struct pfx_diff_event *event)
{
	const struct pfx_diff_measure how = {
		.diff = diff, .event = event, .compute = PFX_DIFF_DELTA_ABS};
	const struct pfx_diff_row **sorted = pfx_diff_sorted(&how, NEW);
	uint32_t i;

	answer->total = event->totals[NEW].period;
	answer->nr_samples = event->totals[NEW].samples;
	answer->nr_rows = event->nr_rows;
	answer->rows = pfx_calloc(event->nr_rows, sizeof(*answer->rows));
	for (i = 0; i < event->nr_rows; i++)
		fill_row(answer, event, sorted[i], &answer->rows[i]);
	free(sorted);
}

static const struct pfx_diff_event *find_event(const struct pfx_diff *diff, const char *name)
{
	uint32_t i;

	for (i = 0; i < pfx_diff_nr_events(diff); i++)
		if (!strcmp(pfx_diff_event_at(diff, i)->name, name))
			return pfx_diff_event_at(diff, i);
	return NULL;
}

static int compare(const struct pfx_samples *samples, const struct pfx_samples *old,
		   struct pfx_answer *answer, struct pfx_error *err)
{
	const struct pfx_filter all = {0};
	const struct pfx_diff_options options = {
		.keys = {PFX_DIFF_DSO, PFX_DIFF_SYM}, .nr_keys = 2, .nr_sides = 2, .filter = &all};
	struct pfx_diff *diff = pfx_diff_new(&options);
	const struct pfx_diff_event *event;

	pfx_diff_add_run(diff, OLD, old->profile);
	pfx_diff_add_run(diff, NEW, samples->profile);
	pfx_diff_finish(diff);
	event = find_event(diff, answer->event);
	if (event)
		fill(answer, diff, event);
	else
		pfx_error_set(err, EINVAL, "the old recording has no event '%s'", answer->event);
	pfx_diff_free(diff);
	return event ? 0 : -EINVAL;
}

int pfx_samples_diff(const struct pfx_samples *samples, const struct pfx_samples *old,
		     const struct pfx_query *query, struct pfx_answer **ret, struct pfx_error *err)
{
	struct pfx_asked asked;
	int rc = pfx_asked_init(&asked, samples, query, ret, err);

	if (!rc && !old)
		rc = pfx_api_missing("old", err);
	if (!rc) {
		*ret = pfx_answer_new(&asked);
		rc = compare(samples, old, *ret, err);
	}
	if (rc && ret) {
		pfx_answer_free(*ret);
		*ret = NULL;
	}
	pfx_asked_fini(&asked);
	return pfx_api_rc(rc, err);
}
