/* SPDX-License-Identifier: MIT */
/* Questions: the words of a query become a filter of lib/view, and what it leaves. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/samples_internal.h"
#include "base/error.h"
#include "base/str.h"

#define WORD_MAX 256 /* of a name in a message */

int pfx_samples_find_event(const struct pfx_samples *samples, const char *name, uint32_t *ret,
			   struct pfx_error *err)
{
	const struct pfx_profile *profile = samples->profile;
	char shown[WORD_MAX];

	for (*ret = 0; *ret < profile->nr_events; (*ret)++)
		if (name ? !strcmp(profile->events[*ret].name, name)
			 : profile->events[*ret].nr_samples != 0)
			return 0;
	*ret = 0;
	if (!name && profile->nr_events)
		return 0; /* no samples: an empty answer */
	if (!name)
		return pfx_error_set(err, EINVAL, "the recording has no events");
	return pfx_error_set(err, EINVAL, "'%s' is not an event of the recording",
			     pfx_escape(shown, sizeof(shown), name));
}

/* Add each name of a list; unknown names leave the set empty. */
static void choose(struct pfx_view_filter *filter, enum pfx_view_by by, const char *list)
{
	char *words, *word, *rest;

	if (!list)
		return;
	rest = words = pfx_strdup(list);
	while ((word = strsep(&rest, ",")))
		pfx_view_filter_add_name(filter, by, word);
	free(words);
}

static void choose_names(struct pfx_view_filter *filter, const struct pfx_query *query)
{
	choose(filter, PFX_VIEW_COMM, query->comm);
	choose(filter, PFX_VIEW_PROCESS, query->process);
	choose(filter, PFX_VIEW_THREAD, query->thread);
	choose(filter, PFX_VIEW_CPU, query->cpu);
	choose(filter, PFX_VIEW_DSO, query->dso);
	choose(filter, PFX_VIEW_FUNCTION, query->function);
	filter->drop_unresolved = query->named_only;
	if (query->from || query->to)
		pfx_vec_push(
			&filter->times.at,
			((struct pfx_time_range){query->from, query->to ? query->to : UINT64_MAX}));
}

static int set_patterns(struct pfx_view_filter *filter, const struct pfx_query *query,
			struct pfx_error *err)
{
	const char *const patterns[PFX_VIEW_NR_PATTERNS] = {
		[PFX_VIEW_FOCUS] = query->focus,         [PFX_VIEW_IGNORE] = query->ignore,
		[PFX_VIEW_HIDE] = query->hide,           [PFX_VIEW_SHOW] = query->show,
		[PFX_VIEW_SHOW_FROM] = query->show_from,
	};
	unsigned i;
	int rc = 0;

	for (i = 0; i < PFX_VIEW_NR_PATTERNS && !rc; i++)
		rc = pfx_view_filter_pattern(filter, i, patterns[i], err);
	return rc;
}

int pfx_asked_init(struct pfx_asked *asked, const struct pfx_samples *samples,
		   const struct pfx_query *query, struct pfx_answer **ret, struct pfx_error *err)
{
	uint32_t event;
	int rc;

	*asked = (struct pfx_asked){.query = PFX_INIT(struct pfx_query)};
	if (!ret)
		return pfx_api_missing("ret", err);
	*ret = NULL;
	if (!samples)
		return pfx_api_missing("samples", err);
	pfx_view_filter_init(&asked->filter, samples->profile);
	rc = pfx_api_take(&asked->query, sizeof(asked->query), query, "pfx_query", err);
	if (!rc)
		rc = pfx_samples_find_event(samples, asked->query.event, &event, err);
	if (rc)
		return rc;
	pfx_view_filter_add(&asked->filter, PFX_VIEW_EVENT, event);
	choose_names(&asked->filter, &asked->query);
	rc = set_patterns(&asked->filter, &asked->query, err);
	return rc ? rc : pfx_selection_make(&asked->selection, &asked->filter, err);
}

void pfx_asked_fini(struct pfx_asked *asked)
{
	pfx_selection_fini(&asked->selection);
	pfx_view_filter_fini(&asked->filter);
}

/* --- answers --- */

struct pfx_answer *pfx_answer_new(const struct pfx_asked *asked)
{
	const struct pfx_selection *selection = &asked->selection;
	struct pfx_answer *answer = pfx_calloc(1, sizeof(*answer));

	answer->event = selection->profile->events[selection->events[0]].name;
	answer->total = selection->total_period[0];
	answer->nr_samples = selection->total_samples[0];
	return answer;
}

uint32_t pfx_answer_nr_rows(const struct pfx_answer *answer)
{
	return answer ? answer->nr_rows : 0;
}

void pfx_answer_row_at(const struct pfx_answer *answer, uint32_t i, struct pfx_answer_row *ret)
{
	if (answer)
		pfx_api_give(ret, &answer->rows[i], sizeof(answer->rows[i]));
}

uint64_t pfx_answer_total(const struct pfx_answer *answer, uint64_t *ret_samples)
{
	if (ret_samples)
		*ret_samples = answer ? answer->nr_samples : 0;
	return answer ? answer->total : 0;
}

const char *pfx_answer_event(const struct pfx_answer *answer)
{
	return answer ? answer->event : NULL;
}

void pfx_answer_free(struct pfx_answer *answer)
{
	if (!answer)
		return;
	free(answer->rows);
	free(answer->cells);
	pfx_arena_clear(&answer->texts);
	free(answer);
}
