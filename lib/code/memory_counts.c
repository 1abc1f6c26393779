/* SPDX-License-Identifier: MIT */
/* The counts of a place are a list. */
#include "code/memory_counts.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

/* The bits of data_src that distinguish counts: operation, level, its number, whether it is remote,
 * and hops. */
#define KEPT_BITS (0x1full | 0x3fffull << 5 | 15ull << 33 | 1ull << 37 | 7ull << 43)

struct counted {
	struct pfx_memory_count count;
	uint32_t next; /* index of the next count of this place, plus 1 */
};

struct count_key {
	uint64_t data_src;
	uint32_t event, place;
};

struct pfx_memory_table {
	struct pfx_intern keys;
	PFX_VEC(struct counted) counts; /* by id of the key */
	PFX_VEC(uint32_t) first;        /* by place: index of its latest count, plus 1 */
};

struct pfx_memory_table *pfx_memory_table_new(void)
{
	return pfx_calloc(1, sizeof(struct pfx_memory_table));
}

void pfx_memory_table_free(struct pfx_memory_table *table)
{
	if (!table)
		return;
	pfx_intern_fini(&table->keys);
	pfx_vec_free(&table->counts);
	pfx_vec_free(&table->first);
	free(table);
}

static struct counted *find(struct pfx_memory_table *table, const struct count_key *key)
{
	uint32_t id = pfx_intern_add(&table->keys, key, sizeof(*key)), *first;

	if (id < table->counts.nr)
		return &table->counts.at[id];
	first = pfx_vec_slot(&table->first, key->place);
	pfx_vec_push(&table->counts,
		     ((struct counted){.count = {.event = key->event, .data_src = key->data_src},
				       .next = *first}));
	*first = id + 1;
	return &table->counts.at[id];
}

void pfx_memory_table_add(struct pfx_memory_table *table, uint32_t event, uint32_t place,
			  const struct pfx_sample *sample)
{
	const struct count_key key = {sample->data_src & KEPT_BITS, event, place};
	struct counted *counted;

	if (!(sample->type & PFX_SAMPLE_DATA_SRC))
		return;
	counted = find(table, &key);
	counted->count.nr_samples++;
	if (sample->type & (PFX_SAMPLE_WEIGHT | PFX_SAMPLE_WEIGHT_STRUCT))
		counted->count.weight += sample->weight;
}

bool pfx_memory_table_next(const struct pfx_memory_table *table, uint32_t place, uint32_t *at,
			   struct pfx_memory_count *ret)
{
	uint32_t next = *at                       ? table->counts.at[*at - 1].next
			: place < table->first.nr ? table->first.at[place]
						  : 0;

	if (!next)
		return false;
	*at = next;
	*ret = table->counts.at[next - 1].count;
	return true;
}

bool pfx_memory_table_is_empty(const struct pfx_memory_table *table)
{
	return !table->counts.nr;
}
