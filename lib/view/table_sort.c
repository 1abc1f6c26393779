/* SPDX-License-Identifier: MIT */
/* The order of a table's rows. */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "view/table_keys.h"
#include "view/view_by_internal.h"

struct sorting {
	const struct pfx_table *table;
	const struct pfx_profile *profile;
	enum pfx_view_by by;
	enum pfx_table_order order;
	uint32_t column, nr_columns;
};

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

static int compare_values(const struct sorting *sorting, const struct pfx_table_row *a,
			  const struct pfx_table_row *b, enum pfx_table_order order)
{
	uint32_t i, column;
	int rc = 0;

	for (i = 0; i < sorting->nr_columns && !rc; i++) {
		column = (sorting->column + i) % sorting->nr_columns;
		rc = pfx_compare_u64(value_of(&b->values[column], order),
				     value_of(&a->values[column], order));
	}
	return rc;
}

static const char *library_of(const struct pfx_profile *profile, uint32_t function)
{
	uint32_t dso =
		function < profile->nr_functions ? profile->functions[function].dso : PFX_NO_ID;

	return dso == PFX_NO_ID ? "" : profile->dsos[dso].short_name;
}

static int compare_libraries(const struct sorting *sorting, const struct pfx_table_row *a,
			     const struct pfx_table_row *b)
{
	if (sorting->by != PFX_VIEW_FUNCTION)
		return 0;
	return strcmp(library_of(sorting->profile, a->id), library_of(sorting->profile, b->id));
}

/* Unknown ones last. */
static int compare_ids(const struct sorting *sorting, enum pfx_table_key key, uint32_t a,
		       uint32_t b)
{
	const struct pfx_profile *profile = sorting->profile;

	if (a == PFX_NO_ID || b == PFX_NO_ID)
		return (a == PFX_NO_ID) - (b == PFX_NO_ID);
	if (key == PFX_TABLE_BY_FILE)
		return strcmp(profile->frames[a].file, profile->frames[b].file);
	if (key == PFX_TABLE_BY_SOCKET || key == PFX_TABLE_BY_CPU)
		return pfx_compare_u64(a, b);
	return pfx_view_compare(profile, pfx_table_key_by(key), a, b);
}

static int compare_key(const struct sorting *sorting, const struct pfx_table_row *a,
		       const struct pfx_table_row *b, unsigned k)
{
	const struct pfx_table *table = sorting->table;

	return compare_ids(sorting, table->keys.at[k], pfx_table_id(table, a->id, k),
			   pfx_table_id(table, b->id, k));
}

/* What is left to tell rows apart. */
static int compare_last(const struct sorting *sorting, const struct pfx_table_row *a,
			const struct pfx_table_row *b)
{
	unsigned k;
	int rc = 0;

	for (k = 0; k < sorting->table->keys.nr && !rc; k++)
		rc = compare_key(sorting, a, b, k);
	return rc ? rc : pfx_compare_u64(a->id, b->id);
}

/* As in the text report, rows of equal self are in the order of their keys. */
static int compare_texts(const struct sorting *sorting, const struct pfx_table_row *a,
			 const struct pfx_table_row *b)
{
	int rc = 0;

	if (!sorting->table->keys.nr)
		rc = compare_libraries(sorting, a, b);
	if (!sorting->table->keys.nr && !rc)
		rc = pfx_view_compare(sorting->profile, sorting->by, a->id, b->id);
	return rc ? rc : compare_last(sorting, a, b);
}

static int compare(const void *x, const void *y, void *context)
{
	const struct sorting *sorting = context;
	const struct pfx_table_row *a = x, *b = y;
	unsigned nr_keys = sorting->table->keys.nr;
	int rc;

	if (sorting->order == PFX_TABLE_NAME && !nr_keys)
		return pfx_view_compare(sorting->profile, sorting->by, a->id, b->id);
	if (sorting->order >= PFX_TABLE_KEY && sorting->order - PFX_TABLE_KEY < nr_keys)
		rc = compare_key(sorting, a, b, sorting->order - PFX_TABLE_KEY);
	else if (sorting->order == PFX_TABLE_LIBRARY)
		rc = compare_libraries(sorting, a, b);
	else
		rc = compare_values(sorting, a, b, sorting->order);
	if (!rc && sorting->order == PFX_TABLE_SELF)
		return compare_texts(sorting, a, b);
	if (!rc)
		rc = compare_values(sorting, a, b, PFX_TABLE_TOTAL);
	if (!rc)
		rc = compare_values(sorting, a, b, PFX_TABLE_SELF);
	return rc ? rc : compare_last(sorting, a, b);
}

void pfx_table_sort(struct pfx_table *table, const struct pfx_profile *profile,
		    enum pfx_table_order order, uint32_t column)
{
	struct sorting sorting = {
		.table = table,
		.profile = profile,
		.by = table->by,
		.order = order,
		.column = column,
		.nr_columns = table->nr_columns,
	};

	qsort_r(table->rows, table->nr_rows, sizeof(*table->rows), compare, &sorting);
}
