/* SPDX-License-Identifier: MIT */
/* Weights and memory accesses of samples by event and place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "code/memory_counts.h"
#include "code/weights.h"

static void add(struct pfx_weight_table *table, uint32_t event, uint32_t place, uint64_t weight)
{
	const struct pfx_sample sample = {.type = PFX_SAMPLE_WEIGHT, .weight = weight};

	pfx_weight_table_add(table, event, place, &sample);
}

static void test_sums(void **state)
{
	struct pfx_weight_table *table = pfx_weight_table_new();
	const struct pfx_weights *found;

	(void)state;
	add(table, 0, 7, 10);
	add(table, 0, 7, 13);
	add(table, 1, 7, 1);
	add(table, 0, 8, 0);
	found = pfx_weight_table_find(table, 0, 7);
	assert_non_null(found);
	assert_int_equal(found->nr_samples, 2);
	assert_int_equal(found->sums[PFX_WEIGHT_WHOLE], 23);
	assert_true(pfx_weights_mean(found, PFX_WEIGHT_WHOLE) == 11.5);
	assert_int_equal(pfx_weight_table_find(table, 1, 7)->sums[PFX_WEIGHT_WHOLE], 1);
	assert_int_equal(pfx_weight_table_find(table, 0, 8)->nr_samples, 1);
	assert_null(pfx_weight_table_find(table, 1, 8));
	assert_int_equal(pfx_weight_table_nr_parts(table), 1);
	pfx_weight_table_free(table);
}

static void test_parts(void **state)
{
	const struct pfx_sample sample = {.type = PFX_SAMPLE_WEIGHT_STRUCT,
					  .weight = UINT32_MAX,
					  .weight2 = 5,
					  .weight3 = UINT16_MAX};
	struct pfx_weight_table *table = pfx_weight_table_new();
	const struct pfx_weights *found;

	(void)state;
	pfx_weight_table_add(table, 0, 1, &sample);
	pfx_weight_table_add(table, 0, 1, &sample);
	found = pfx_weight_table_find(table, 0, 1);
	assert_int_equal(found->sums[PFX_WEIGHT_WHOLE], 2ull * UINT32_MAX);
	assert_int_equal(found->sums[PFX_WEIGHT_LATENCY], 10);
	assert_true(pfx_weights_mean(found, PFX_WEIGHT_STAGE) == UINT16_MAX);
	assert_int_equal(pfx_weight_table_nr_parts(table), PFX_NR_WEIGHT_PARTS);
	pfx_weight_table_free(table);
}

static void test_none(void **state)
{
	const struct pfx_sample sample = {.type = PFX_SAMPLE_IP, .weight = 9};
	const struct pfx_weights nothing = {0};
	struct pfx_weight_table *table = pfx_weight_table_new();

	(void)state;
	pfx_weight_table_add(table, 0, 1, &sample);
	assert_null(pfx_weight_table_find(table, 0, 1));
	assert_int_equal(pfx_weight_table_nr_parts(table), 0);
	assert_true(pfx_weights_mean(&nothing, PFX_WEIGHT_WHOLE) == 0);
	pfx_weight_table_free(table);
	pfx_weight_table_free(NULL);
}

static void test_memory(void **state)
{
	struct pfx_sample sample = {.type = PFX_SAMPLE_DATA_SRC, .data_src = 2, .weight = 9};
	struct pfx_memory_table *table = pfx_memory_table_new();
	struct pfx_memory_count count;
	uint32_t at = 0;

	(void)state;
	assert_true(pfx_memory_table_is_empty(table));
	pfx_memory_table_add(table, 0, 5, &sample);
	sample.data_src |= 1 << 19; /* the snoop does not distinguish counts */
	sample.type |= PFX_SAMPLE_WEIGHT;
	pfx_memory_table_add(table, 0, 5, &sample);
	sample.data_src = 4;
	pfx_memory_table_add(table, 1, 5, &sample);
	pfx_memory_table_add(table, 0, 6, &sample);
	assert_true(pfx_memory_table_next(table, 5, &at, &count));
	assert_true(count.event == 1 && count.data_src == 4 && count.nr_samples == 1);
	assert_true(pfx_memory_table_next(table, 5, &at, &count));
	assert_true(count.event == 0 && count.data_src == 2 && count.nr_samples == 2);
	assert_int_equal(count.weight, 9);
	assert_false(pfx_memory_table_next(table, 5, &at, &count));
	at = 0;
	assert_false(pfx_memory_table_next(table, 4, &at, &count));
	at = 0;
	assert_false(pfx_memory_table_next(table, UINT32_MAX, &at, &count));
	assert_false(pfx_memory_table_is_empty(table));
	pfx_memory_table_free(table);
	pfx_memory_table_free(NULL);
}

static void test_no_memory(void **state)
{
	const struct pfx_sample sample = {.type = PFX_SAMPLE_IP, .data_src = 2};
	struct pfx_memory_table *table = pfx_memory_table_new();

	(void)state;
	pfx_memory_table_add(table, 0, 1, &sample);
	assert_true(pfx_memory_table_is_empty(table));
	pfx_memory_table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),      cmocka_unit_test(test_parts),
		cmocka_unit_test(test_none),      cmocka_unit_test(test_memory),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
