/* SPDX-License-Identifier: MIT */
/* Answers that are tables: rows of functions, binaries, lines, threads and the like. */
#include <errno.h>
#include <stdio.h>

#include "api/samples_internal.h"
#include "base/error.h"
#include "view/table.h"

static const enum pfx_view_by views[] = {
	[PFX_BY_FUNCTION] = PFX_VIEW_FUNCTION, [PFX_BY_DSO] = PFX_VIEW_DSO,
	[PFX_BY_LINE] = PFX_VIEW_LINE,         [PFX_BY_PROCESS] = PFX_VIEW_PROCESS,
	[PFX_BY_THREAD] = PFX_VIEW_THREAD,     [PFX_BY_COMM] = PFX_VIEW_COMM,
	[PFX_BY_CPU] = PFX_VIEW_CPU,
};

static const enum pfx_table_order orders[] = {
	[PFX_ORDER_SELF] = PFX_TABLE_SELF,
	[PFX_ORDER_TOTAL] = PFX_TABLE_TOTAL,
	[PFX_ORDER_SAMPLES] = PFX_TABLE_SAMPLES,
	[PFX_ORDER_NAME] = PFX_TABLE_NAME,
};

static const char *number_text(struct pfx_answer *answer, int64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)number);
	return pfx_arena_strdup(&answer->texts, text);
}

static void name_function(const struct pfx_profile *profile, uint32_t id,
			  struct pfx_answer_row *row)
{
	const struct pfx_profile_function *function = &profile->functions[id];

	row->name = function->name;
	row->dso = function->dso == PFX_NO_ID ? NULL : profile->dsos[function->dso].name;
	row->file = function->file;
	row->line = function->line;
	row->is_inlined = function->is_inlined;
}

static void name_line(const struct pfx_profile *profile, uint32_t id, struct pfx_answer_row *row)
{
	const struct pfx_profile_frame *frame = &profile->frames[id];

	name_function(profile, frame->function, row);
	row->file = frame->file;
	row->line = frame->line;
}

void pfx_answer_name_row(struct pfx_answer *answer, const struct pfx_profile *profile,
			 enum pfx_query_by by, uint32_t id, struct pfx_answer_row *row)
{
	switch (by) {
	case PFX_BY_FUNCTION:
		name_function(profile, id, row);
		break;
	case PFX_BY_LINE:
		name_line(profile, id, row);
		break;
	case PFX_BY_DSO:
		row->name = id == PFX_NO_ID ? "[unknown]" : profile->dsos[id].short_name;
		row->dso = id == PFX_NO_ID ? NULL : profile->dsos[id].name;
		break;
	case PFX_BY_PROCESS:
		row->name = number_text(answer, profile->processes[id].pid);
		break;
	case PFX_BY_THREAD:
		row->name = number_text(answer, profile->threads[id].tid);
		break;
	case PFX_BY_COMM:
		row->name = profile->comms[id];
		break;
	case PFX_BY_CPU:
		row->name = number_text(answer, (int32_t)profile->cpus[id]);
		break;
	}
}

static int check_query(const struct pfx_query *query, const struct pfx_samples *samples,
		       struct pfx_error *err)
{
	if ((unsigned)query->by >= sizeof(views) / sizeof(*views) ||
	    (unsigned)query->order >= sizeof(orders) / sizeof(*orders))
		return pfx_error_set(err, EINVAL, "unknown kind or order of rows");
	if (query->by != PFX_BY_LINE || samples->profile->frames_by != PFX_FRAMES_BY_FUNCTION)
		return 0;
	pfx_error_set(err, EINVAL, "the samples were loaded without source lines");
	pfx_error_hint(err, "load them with PFX_LOAD_LINES");
	return -EINVAL;
}

static struct pfx_answer *make_answer(const struct pfx_asked *asked)
{
	const struct pfx_profile *profile = asked->selection.profile;
	struct pfx_answer *answer = pfx_answer_new(asked);
	struct pfx_answer_row *row;
	struct pfx_table table;
	uint32_t i;

	pfx_table_make(&table, &asked->selection, views[asked->query.by]);
	pfx_table_sort(&table, profile, orders[asked->query.order], 0);
	answer->rows = pfx_calloc(table.nr_rows, sizeof(*answer->rows));
	for (i = 0; i < table.nr_rows; i++) {
		row = &answer->rows[answer->nr_rows++];
		pfx_answer_name_row(answer, profile, asked->query.by, table.rows[i].id, row);
		row->self = table.rows[i].values[0].self;
		row->total = table.rows[i].values[0].total;
		row->samples = table.rows[i].values[0].samples;
		row->self_share = pfx_share(row->self, answer->total);
		row->total_share = pfx_share(row->total, answer->total);
	}
	pfx_table_fini(&table);
	return answer;
}

int pfx_samples_table(const struct pfx_samples *samples, const struct pfx_query *query,
		      struct pfx_answer **ret, struct pfx_error *err)
{
	struct pfx_asked asked;
	int rc = pfx_asked_init(&asked, samples, query, ret, err);

	if (!rc)
		rc = check_query(&asked.query, samples, err);
	if (!rc)
		*ret = make_answer(&asked);
	pfx_asked_fini(&asked);
	return pfx_api_rc(rc, err);
}
