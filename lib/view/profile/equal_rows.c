/* SPDX-License-Identifier: MIT */
/* Finds equal samples. Most stacks have one combination of thread, CPU and event, which is found
 * without hashing. */
#include "view/profile/make_profile_internal.h"

static uint64_t hash_row(const struct pfx_made_rows *rows, uint32_t row)
{
	return pfx_hash_u64(pfx_hash_u64((uint64_t)rows->stack[row] << 32 | rows->task[row]) ^
			    ((uint64_t)rows->cpu[row] << 32 | rows->event[row]));
}

static bool is_same(const struct pfx_made_rows *rows, uint32_t a, uint32_t b)
{
	return rows->stack[a] == rows->stack[b] && rows->task[a] == rows->task[b] &&
	       rows->cpu[a] == rows->cpu[b] && rows->event[a] == rows->event[b];
}

uint32_t pfx_row_find(struct pfx_row_finder *finder, const struct pfx_made_rows *rows, uint32_t row)
{
	uint32_t *first = pfx_vec_slot(&finder->first, rows->stack[row]), other;
	uint64_t hash, at;

	if (!*first) {
		*first = row + 1;
		return row;
	}
	if (is_same(rows, *first - 1, row))
		return *first - 1;
	hash = at = hash_row(rows, row);
	while (pfx_id_table_next(&finder->others, hash, &at, &other))
		if (is_same(rows, other, row))
			return other;
	pfx_id_table_add(&finder->others, hash, row);
	return row;
}

void pfx_row_finder_clear(struct pfx_row_finder *finder)
{
	pfx_vec_free(&finder->first);
	pfx_id_table_fini(&finder->others);
}
