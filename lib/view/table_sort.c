/* SPDX-License-Identifier: MIT */
/* The order of a table's rows. */
#include <stdlib.h>
#include <string.h>

#include "view/table.h"

struct sorting {
	const struct pfx_profile *profile;
	enum pfx_view_by by;
	enum pfx_table_order order;
	uint32_t column, nr_columns;
};

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static uint64_t value_of(const struct pfx_table_value *value, enum pfx_table_order order)
{
	switch (order) {
	case PFX_TABLE_SELF:
		return value->self;
	case PFX_TABLE_SAMPLES:
		return value->samples;
	default:
		return value->total;
	}
}

static const char *name_of(const struct sorting *sorting, uint32_t id)
{
	const struct pfx_profile *profile = sorting->profile;

	switch (sorting->by) {
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

static uint64_t number_of(const struct sorting *sorting, uint32_t id)
{
	const struct pfx_profile *profile = sorting->profile;

	switch (sorting->by) {
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

static int compare_names(const struct sorting *sorting, uint32_t a, uint32_t b)
{
	int rc = strcmp(name_of(sorting, a), name_of(sorting, b));

	return rc ? rc : compare_u64(number_of(sorting, a), number_of(sorting, b));
}

static int compare_values(const struct sorting *sorting, const struct pfx_table_row *a,
			  const struct pfx_table_row *b, enum pfx_table_order order)
{
	uint32_t i, column;
	int rc = 0;

	for (i = 0; i < sorting->nr_columns && !rc; i++) {
		column = (sorting->column + i) % sorting->nr_columns;
		rc = compare_u64(value_of(&b->values[column], order),
				 value_of(&a->values[column], order));
	}
	return rc;
}

static int compare(const void *x, const void *y, void *context)
{
	const struct sorting *sorting = context;
	const struct pfx_table_row *a = x, *b = y;
	int rc;

	if (sorting->order == PFX_TABLE_NAME)
		rc = compare_names(sorting, a->id, b->id);
	else
		rc = compare_values(sorting, a, b, sorting->order);
	if (!rc)
		rc = compare_values(sorting, a, b, PFX_TABLE_TOTAL);
	if (!rc)
		rc = compare_values(sorting, a, b, PFX_TABLE_SELF);
	return rc ? rc : compare_u64(a->id, b->id);
}

void pfx_table_sort(struct pfx_table *table, const struct pfx_profile *profile,
		    enum pfx_table_order order, uint32_t column)
{
	struct sorting sorting = {
		.profile = profile,
		.by = table->by,
		.order = order,
		.column = column,
		.nr_columns = table->nr_columns,
	};

	qsort_r(table->rows, table->nr_rows, sizeof(*table->rows), compare, &sorting);
}
