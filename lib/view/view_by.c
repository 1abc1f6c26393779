/* SPDX-License-Identifier: MIT */
/* What a sample belongs to, and how ids are ordered where they are shown. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compare.h"
#include "base/hash.h"
#include "view/view_by_internal.h"

uint32_t pfx_row_key(const struct pfx_profile *profile, enum pfx_view_by by, uint32_t row)
{
	const struct pfx_profile_task *task = &profile->tasks[profile->row_task[row]];

	switch (by) {
	case PFX_VIEW_PROCESS:
		return profile->threads[task->thread].process;
	case PFX_VIEW_THREAD:
		return task->thread;
	case PFX_VIEW_COMM:
		return task->comm;
	case PFX_VIEW_CPU:
		return profile->row_cpu[row];
	default:
		return profile->row_event[row];
	}
}

uint32_t *pfx_view_first_dsos(const struct pfx_profile *profile)
{
	uint32_t *ret = pfx_malloc((profile->nr_dsos + 1ul) * sizeof(*ret)), i, name;
	PFX_VEC(uint32_t) first = {0};
	struct pfx_intern names = {0};

	for (i = 0; i < profile->nr_dsos; i++) {
		name = pfx_intern_str(&names, profile->dsos[i].short_name);
		if (name == first.nr)
			pfx_vec_push(&first, i);
		ret[i] = first.at[name];
	}
	pfx_intern_fini(&names);
	pfx_vec_free(&first);
	return ret;
}

static const char *name_of(const struct pfx_profile *profile, enum pfx_view_by by, uint32_t id)
{
	switch (by) {
	case PFX_VIEW_FUNCTION:
		return profile->functions[id].name;
	case PFX_VIEW_DSO:
		return id == PFX_NO_ID ? "" : profile->dsos[id].short_name;
	case PFX_VIEW_LINE:
		return profile->frames[id].file ? profile->frames[id].file : "";
	case PFX_VIEW_COMM:
		return profile->comms[id];
	case PFX_VIEW_EVENT:
		return profile->events[id].name;
	default:
		return "";
	}
}

static uint64_t number_of(const struct pfx_profile *profile, enum pfx_view_by by, uint32_t id)
{
	switch (by) {
	case PFX_VIEW_LINE:
		return profile->frames[id].line;
	case PFX_VIEW_PROCESS:
		return profile->processes[id].pid;
	case PFX_VIEW_THREAD:
		return profile->threads[id].tid;
	default:
		return id;
	}
}

int pfx_view_compare(const struct pfx_profile *profile, enum pfx_view_by by, uint32_t a, uint32_t b)
{
	int rc = strcmp(name_of(profile, by, a), name_of(profile, by, b));

	if (!rc)
		rc = pfx_compare_u64(number_of(profile, by, a), number_of(profile, by, b));
	return rc ? rc : pfx_compare_u64(a, b);
}

struct order {
	const struct pfx_profile *profile;
	enum pfx_view_by by;
	const uint64_t *weights; /* NULL: by name */
};

static int compare_ids(const void *x, const void *y, void *context)
{
	const struct order *order = context;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int rc = order->weights ? pfx_compare_u64(order->weights[b], order->weights[a]) : 0;

	return rc ? rc : pfx_view_compare(order->profile, order->by, a, b);
}

uint32_t pfx_view_order_ids(const struct pfx_profile *profile, enum pfx_view_by by,
			    const uint64_t *weights, uint32_t nr, uint64_t min, bool by_name,
			    uint32_t *ret)
{
	struct order order = {profile, by, by_name ? NULL : weights};
	uint32_t i, nr_kept = 0;

	for (i = 0; i < nr; i++)
		if (weights[i] && weights[i] >= min)
			ret[nr_kept++] = i;
	qsort_r(ret, nr_kept, sizeof(*ret), compare_ids, &order);
	return nr_kept;
}
