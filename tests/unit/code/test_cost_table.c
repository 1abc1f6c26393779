/* SPDX-License-Identifier: MIT */
/* Costs by item and event, where there are samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "code/cost_table.h"

static void add(struct pfx_cost_table *table, uint32_t item, uint32_t event, uint64_t period)
{
	pfx_cost_table_add(table, item, event, &(struct pfx_cost){period, 1});
}

static void expect(const struct pfx_cost_table *table, uint32_t item, uint32_t event,
		   uint64_t period, uint64_t nr_samples)
{
	struct pfx_cost_list list = pfx_cost_table_list(table, item);
	struct pfx_cost cost = pfx_cost_of(&list, event);

	assert_int_equal(cost.period, period);
	assert_int_equal(cost.nr_samples, nr_samples);
}

/* Events of an item are sorted, and more can be added after sorting. */
static void test_sums(void **state)
{
	struct pfx_cost_table table = {0};
	struct pfx_cost_list list;

	(void)state;
	pfx_cost_table_sort(&table);
	assert_int_equal(pfx_cost_table_list(&table, 0).nr, 0);
	add(&table, 7, 60000, 5);
	add(&table, 3, 1, 10);
	add(&table, 7, 2, 1);
	add(&table, 7, 60000, 6);
	pfx_cost_table_sort(&table);
	list = pfx_cost_table_list(&table, 7);
	assert_int_equal(list.nr, 2);
	assert_int_equal(list.at[0].event, 2);
	expect(&table, 7, 60000, 11, 2);
	expect(&table, 7, 1, 0, 0);
	expect(&table, 3, 1, 10, 1);
	assert_int_equal(pfx_cost_table_list(&table, 4).nr, 0);
	add(&table, 7, 2, 1);
	add(&table, 4, 0, 9);
	pfx_cost_table_sort(&table);
	assert_int_equal(table.costs.nr, 4);
	expect(&table, 7, 2, 2, 2);
	expect(&table, 4, 0, 9, 1);
	pfx_cost_table_fini(&table);
}

static int compare(const struct pfx_cost_table *table, uint32_t a, uint32_t b)
{
	struct pfx_cost_list x = pfx_cost_table_list(table, a), y = pfx_cost_table_list(table, b);

	assert_int_equal(pfx_cost_compare(&x, &y), -pfx_cost_compare(&y, &x));
	return pfx_cost_compare(&x, &y);
}

/* The first event that differs decides; no samples are equal to samples without a period. */
static void test_order(void **state)
{
	struct pfx_cost_table table = {0};

	(void)state;
	add(&table, 0, 1, 5);
	add(&table, 0, 2, 9);
	add(&table, 1, 0, 1);
	add(&table, 2, 1, 5);
	add(&table, 2, 2, 8);
	add(&table, 2, 3, 99);
	add(&table, 3, 0, 0);
	add(&table, 3, 1, 5);
	add(&table, 3, 2, 9);
	pfx_cost_table_sort(&table);
	assert_int_equal(compare(&table, 1, 0), -1);
	assert_int_equal(compare(&table, 0, 2), -1);
	assert_int_equal(compare(&table, 0, 3), 0);
	assert_int_equal(compare(&table, 3, 9), -1);
	assert_int_equal(compare(&table, 8, 9), 0);
	pfx_cost_table_fini(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
