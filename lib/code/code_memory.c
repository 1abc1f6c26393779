/* SPDX-License-Identifier: MIT */
/* Memory accesses by instruction: an instruction has several places if processes map its
 * binary at different addresses. */
#include <stdlib.h>

#include "base/compare.h"
#include "code/code_internal.h"

/* Memory accesses of a function, before they are sorted and summed. */
struct memory_list {
	PFX_VEC(struct pfx_code_memory) at;
};

static int compare_keys(const struct pfx_code_memory *x, const struct pfx_code_memory *y)
{
	int rc = pfx_compare_u64(x->insn, y->insn);

	if (!rc)
		rc = pfx_compare_u64(x->count.event, y->count.event);
	return rc ? rc : pfx_compare_u64(x->count.data_src, y->count.data_src);
}

static int by_key(const void *a, const void *b)
{
	return compare_keys(a, b);
}

static int by_samples(const void *a, const void *b)
{
	const struct pfx_code_memory *x = a, *y = b;
	int rc = pfx_compare_u64(x->insn, y->insn);

	if (!rc)
		rc = pfx_compare_u64(y->count.nr_samples, x->count.nr_samples);
	return rc ? rc : compare_keys(x, y);
}

/* Add up equal accesses of several places. */
static void sum_up(struct memory_list *list)
{
	struct pfx_code_memory *at = list->at.at;
	size_t i, nr = 0;

	for (i = 0; i < list->at.nr; i++) {
		if (!nr || compare_keys(&at[nr - 1], &at[i])) {
			at[nr++] = at[i];
			continue;
		}
		at[nr - 1].count.nr_samples += at[i].count.nr_samples;
		at[nr - 1].count.weight += at[i].count.weight;
	}
	list->at.nr = nr;
}

static void add_place(struct pfx_code_build *build, const struct pfx_place *place,
		      struct memory_list *list)
{
	struct pfx_code_memory memory = {
		.insn = pfx_code_find(build->code, place->addr + build->shift)};
	uint32_t at = 0;

	while (memory.insn != PFX_CODE_NONE &&
	       pfx_memory_table_next(pfx_costs_memory(build->costs), place->id, &at, &memory.count))
		pfx_vec_push(&list->at, memory);
}

void pfx_code_add_memory(struct pfx_code_build *build)
{
	struct memory_list list = {0};
	const struct pfx_place *last = NULL;
	struct pfx_cost_entry entry;
	uint32_t at = 0;

	if (pfx_memory_table_is_empty(pfx_costs_memory(build->costs)))
		return;
	for (; pfx_costs_next(build->costs, build->function, &at, &entry); last = entry.place)
		if (entry.place != last)
			add_place(build, entry.place, &list);
	if (list.at.nr) {
		qsort(list.at.at, list.at.nr, sizeof(*list.at.at), by_key);
		sum_up(&list);
		qsort(list.at.at, list.at.nr, sizeof(*list.at.at), by_samples);
	}
	build->code->memory = list.at.at;
	build->code->nr_memory = (uint32_t)list.at.nr;
}
