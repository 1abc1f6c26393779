/* SPDX-License-Identifier: MIT */
/*
 * The weights of samples, mostly latencies in cycles, summed by event and place: PERF_SAMPLE_WEIGHT
 * has one number, PERF_SAMPLE_WEIGHT_STRUCT three. Owns what it counts.
 */
#ifndef PFX_CODE_WEIGHTS_H
#define PFX_CODE_WEIGHTS_H

#include "event/sample.h"

enum pfx_weight_part {
	PFX_WEIGHT_WHOLE,   /* the weight; of memory accesses their latency */
	PFX_WEIGHT_LATENCY, /* of the whole instruction */
	PFX_WEIGHT_STAGE,   /* of a stage of the pipeline */
	PFX_NR_WEIGHT_PARTS,
};

struct pfx_weights {
	uint64_t nr_samples; /* with weights */
	uint64_t sums[PFX_NR_WEIGHT_PARTS];
};

struct pfx_weight_table;

/* Nothing counted yet. */
struct pfx_weight_table *pfx_weight_table_new(void);
void pfx_weight_table_free(struct pfx_weight_table *table);
/* Count a sample, if it has weights; @place: the id of its place. */
void pfx_weight_table_add(struct pfx_weight_table *table, uint32_t event, uint32_t place,
			  const struct pfx_sample *sample);
/* The sums at a place; NULL: no sample with weights. */
const struct pfx_weights *pfx_weight_table_find(const struct pfx_weight_table *table,
						uint32_t event, uint32_t place);
/* The parts that samples have: 0, 1 or PFX_NR_WEIGHT_PARTS. */
unsigned pfx_weight_table_nr_parts(const struct pfx_weight_table *table);

/* Add sums to others. */
void pfx_weights_add(struct pfx_weights *to, const struct pfx_weights *more);
/* The average of a part; 0 without samples. */
double pfx_weights_mean(const struct pfx_weights *weights, enum pfx_weight_part part);

#endif
