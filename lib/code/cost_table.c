/* SPDX-License-Identifier: MIT */
#include "code/cost_table.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/compare.h"

struct pfx_cost pfx_cost_of(const struct pfx_cost_list *list, uint32_t event)
{
	size_t at = pfx_bisect(i, list->nr, list->at[i].event < event);

	return at < list->nr && list->at[at].event == event ? list->at[at].cost
							    : (struct pfx_cost){0};
}

/* The period of the next cost, if it is of this event, which is then passed. */
static uint64_t next_period(const struct pfx_cost_list *list, uint32_t *at, uint32_t event)
{
	return *at < list->nr && list->at[*at].event == event ? list->at[(*at)++].cost.period : 0;
}

int pfx_cost_compare(const struct pfx_cost_list *a, const struct pfx_cost_list *b)
{
	uint32_t i = 0, k = 0, event;
	uint64_t x, y;

	while (i < a->nr || k < b->nr) {
		event = i < a->nr ? a->at[i].event : UINT32_MAX;
		if (k < b->nr && b->at[k].event < event)
			event = b->at[k].event;
		x = next_period(a, &i, event);
		y = next_period(b, &k, event);
		if (x != y)
			return pfx_compare_u64(y, x);
	}
	return 0;
}

static struct pfx_event_cost *find(struct pfx_cost_table *table, uint32_t item, uint32_t event)
{
	bool is_new;
	uint64_t *at = pfx_hash_add(&table->index, (uint64_t)item << 32 | event, &is_new);

	if (is_new) {
		*at = table->costs.nr;
		pfx_vec_push(&table->costs,
			     ((struct pfx_event_cost){.item = item, .event = event}));
	}
	return &table->costs.at[*at];
}

static void index_all(struct pfx_cost_table *table)
{
	const struct pfx_event_cost *cost;
	size_t i;

	for (i = 0; i < table->costs.nr; i++) {
		cost = &table->costs.at[i];
		*pfx_hash_add(&table->index, (uint64_t)cost->item << 32 | cost->event, NULL) = i;
	}
}

void pfx_cost_table_add(struct pfx_cost_table *table, uint32_t item, uint32_t event,
			const struct pfx_cost *cost)
{
	if (!table->index.nr)
		index_all(table);
	pfx_cost_add(&find(table, item, event)->cost, cost);
}

static int compare(const void *a, const void *b)
{
	const struct pfx_event_cost *x = a, *y = b;
	int rc = pfx_compare_u64(x->item, y->item);

	return rc ? rc : pfx_compare_u64(x->event, y->event);
}

void pfx_cost_table_sort(struct pfx_cost_table *table)
{
	pfx_hash_fini(&table->index);
	if (table->costs.nr)
		qsort(table->costs.at, table->costs.nr, sizeof(*table->costs.at), compare);
}

struct pfx_cost_list pfx_cost_table_list(const struct pfx_cost_table *table, uint32_t item)
{
	size_t first = pfx_bisect(i, table->costs.nr, table->costs.at[i].item < item);
	size_t end = pfx_bisect(i, table->costs.nr, table->costs.at[i].item <= item);

	return first < end
		       ? (struct pfx_cost_list){&table->costs.at[first], (uint32_t)(end - first)}
		       : (struct pfx_cost_list){0};
}

void pfx_cost_table_fini(struct pfx_cost_table *table)
{
	pfx_hash_fini(&table->index);
	pfx_vec_free(&table->costs);
}
