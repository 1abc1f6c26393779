/* SPDX-License-Identifier: MIT */
#include "code/weights.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

struct pfx_weight_table {
	struct pfx_hash index; /* of sums, by event and place */
	PFX_VEC(struct pfx_weights) sums;
	unsigned nr_parts;
};

struct pfx_weight_table *pfx_weight_table_new(void)
{
	return pfx_calloc(1, sizeof(struct pfx_weight_table));
}

void pfx_weight_table_free(struct pfx_weight_table *table)
{
	if (!table)
		return;
	pfx_hash_fini(&table->index);
	pfx_vec_free(&table->sums);
	free(table);
}

static uint64_t key_of(uint32_t event, uint32_t place)
{
	return (uint64_t)event << 32 | place;
}

void pfx_weight_table_add(struct pfx_weight_table *table, uint32_t event, uint32_t place,
			  const struct pfx_sample *sample)
{
	const struct pfx_weights one = {
		.nr_samples = 1,
		.sums = {sample->weight, sample->weight2, sample->weight3},
	};
	uint64_t *slot;
	bool is_new;

	if (!(sample->type & (PFX_SAMPLE_WEIGHT | PFX_SAMPLE_WEIGHT_STRUCT)))
		return;
	if (sample->type & PFX_SAMPLE_WEIGHT_STRUCT)
		table->nr_parts = PFX_NR_WEIGHT_PARTS;
	else if (!table->nr_parts)
		table->nr_parts = 1;
	slot = pfx_hash_add(&table->index, key_of(event, place), &is_new);
	if (is_new) {
		*slot = table->sums.nr;
		pfx_vec_push(&table->sums, ((struct pfx_weights){0}));
	}
	pfx_weights_add(&table->sums.at[*slot], &one);
}

const struct pfx_weights *pfx_weight_table_find(const struct pfx_weight_table *table,
						uint32_t event, uint32_t place)
{
	const uint64_t *slot = pfx_hash_get(&table->index, key_of(event, place));

	return slot ? &table->sums.at[*slot] : NULL;
}

unsigned pfx_weight_table_nr_parts(const struct pfx_weight_table *table)
{
	return table->nr_parts;
}

void pfx_weights_add(struct pfx_weights *to, const struct pfx_weights *more)
{
	unsigned i;

	to->nr_samples += more->nr_samples;
	for (i = 0; i < PFX_NR_WEIGHT_PARTS; i++)
		to->sums[i] += more->sums[i];
}

double pfx_weights_mean(const struct pfx_weights *weights, enum pfx_weight_part part)
{
	return weights->nr_samples ? (double)weights->sums[part] / (double)weights->nr_samples : 0;
}
