/* SPDX-License-Identifier: MIT */
/* With thousands of events each has few items: looking through all for each event would take
 * hours. */
#include <stdlib.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "out/annotate/annotate_internal.h"

double pfx_annotate_share(const struct pfx_cost *wholes, uint32_t event, uint64_t period)
{
	uint64_t whole = wholes[event].period;

	return whole ? 100.0 * (double)period / (double)whole : 0;
}

void pfx_event_items_add(struct pfx_event_items *items, uint32_t item,
			 const struct pfx_cost_list *costs)
{
	uint32_t i;

	for (i = 0; i < costs->nr; i++)
		pfx_vec_push(&items->at, ((struct pfx_event_item){costs->at[i].event, item}));
}

static int compare_items(const void *a, const void *b)
{
	const struct pfx_event_item *x = a, *y = b;
	int rc = pfx_compare_u64(x->event, y->event);

	return rc ? rc : pfx_compare_u64(x->item, y->item);
}

void pfx_event_items_sort(struct pfx_event_items *items)
{
	if (items->at.nr)
		qsort(items->at.at, items->at.nr, sizeof(*items->at.at), compare_items);
}

static int compare_numbers(const void *a, const void *b)
{
	const struct pfx_ranked *x = a, *y = b;

	return pfx_compare_u64(x->item, y->item);
}

struct pfx_ranked *pfx_event_items_of(const struct pfx_event_items *items,
				      const struct pfx_shown_events *shown, uint32_t *ret_nr)
{
	PFX_VEC(struct pfx_ranked) list = {0};
	size_t i, nr = 0, at;

	pfx_vec_reserve(&list, 1);
	for (i = 0; i < shown->at.nr; i++) {
		at = pfx_bisect(k, items->at.nr, items->at.at[k].event < shown->at.at[i]->idx);
		for (; at < items->at.nr && items->at.at[at].event == shown->at.at[i]->idx; at++)
			pfx_vec_push(&list, ((struct pfx_ranked){.item = items->at.at[at].item}));
	}
	qsort(list.at, list.nr, sizeof(*list.at), compare_numbers);
	for (i = 0; i < list.nr; i++)
		if (!nr || list.at[nr - 1].item != list.at[i].item)
			list.at[nr++] = list.at[i];
	*ret_nr = (uint32_t)nr;
	return list.at;
}

static int compare_ranks(const void *a, const void *b)
{
	const struct pfx_ranked *x = a, *y = b;
	int rc = pfx_compare_u64(y->period, x->period);

	if (!rc)
		rc = pfx_compare_u64(y->inclusive, x->inclusive);
	return rc ? rc : compare_numbers(a, b);
}

uint32_t pfx_annotate_rank(const struct pfx_annotate *annotate, struct pfx_ranked *list,
			   uint32_t nr)
{
	qsort(list, nr, sizeof(*list), compare_ranks);
	return annotate->top && annotate->top < nr ? (uint32_t)annotate->top : nr;
}

void pfx_event_items_fini(struct pfx_event_items *items)
{
	pfx_vec_free(&items->at);
}
