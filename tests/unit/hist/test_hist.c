/* SPDX-License-Identifier: MIT */
/* Rows: the keys that distinguish them, their sums, their order including ties, filters, groups. */
#include "unit/hist/hist_world.h"

#define PID 4194291

static const struct pfx_hist *finish(void)
{
	pfx_hists_finish(world.hists);
	return pfx_hists_at(world.hists, 0);
}

static void test_sums_and_percentages(void **state)
{
	const struct pfx_hist *hist;

	world_begin(PID);
	world_columns(NULL, NULL);
	world_add("a", 10);
	world_add("b", 50);
	world_add("a", 20);
	world_add("c", 20);
	hist = finish();
	assert_string_equal(world_order(hist), "bac");
	assert_int_equal(hist->totals[0].nr_samples, 4);
	assert_int_equal(hist->totals[0].period, 100);
	assert_int_equal(world_row(hist, 'a')->stat->period, 30);
	assert_int_equal(world_row(hist, 'a')->stat->count, 2);
	assert_true(pfx_row_percent(world.hists, hist, world_row(hist, 'a')) == 30.0);
	world_end();
}

/* With callees, a part of a name chooses rows: relative percentages are of what these have. */
static void test_part_of_name(void **state)
{
	const struct pfx_hist *hist;

	world_begin(PID);
	world.options.children = world.options.chains = true;
	world.options.relative = true;
	world.filter.symbol_part = "a";
	world_columns("sym", NULL);
	world_add("ab", 60);
	world_add("a", 40);
	hist = finish();
	assert_string_equal(world_order(hist), "a");
	assert_int_equal(pfx_hist_period(world.hists, hist, 0), 40);
	assert_true(pfx_row_percent(world.hists, hist, world_row(hist, 'a')) == 250.0);
	world_end();
}

static void test_ties_by_name(void **state)
{
	const struct pfx_hist *hist;

	world_begin(PID);
	world_columns(NULL, NULL);
	world_add("d", 5);
	world_add("b", 5);
	world_add("?", 5);
	world_add("c", 5);
	world_add("a", 4);
	hist = finish();
	assert_string_equal(world_order(hist), "bcd?a");
	world_end();
}

static void test_rows_by_thread_and_name(void **state)
{
	const struct world_sample other = {.tid = PID + 1, .period = 7};
	const struct pfx_hist *hist;

	world_begin(PID);
	world_comm(PID + 1, "helper");
	world_columns("pid", NULL);
	world_add("a", 1);
	world_add("b", 1);
	world_add_as("a", &other);
	hist = finish();
	assert_int_equal(hist->nr_rows, 2);
	assert_int_equal(hist->rows[0]->thread->tid, PID + 1);
	assert_int_equal(hist->rows[1]->stat->count, 2);
	world_end();
}

/* The name of a thread at the time of the sample counts. */
static void test_rows_by_comm_over_time(void **state)
{
	const struct pfx_hist *hist;

	world_begin(PID);
	world_columns("comm", NULL);
	world_add("a", 1);
	world_comm(PID, "later");
	world_add("a", 3);
	hist = finish();
	assert_int_equal(hist->nr_rows, 2);
	assert_string_equal(hist->rows[0]->comm->text, "later");
	assert_string_equal(hist->rows[1]->comm->text, "prog");
	world_end();
}

static void test_rows_by_cpu(void **state)
{
	const struct pfx_hist *hist;

	world_begin(PID);
	world_columns("cpu", NULL);
	world_add_as("a", &(struct world_sample){.tid = PID, .cpu = 3, .period = 1});
	world_add_as("b", &(struct world_sample){.tid = PID, .cpu = 3, .period = 1});
	world_add_as("a", &(struct world_sample){.tid = PID, .cpu = UINT32_MAX, .period = 1});
	hist = finish();
	assert_int_equal(hist->nr_rows, 2);
	assert_int_equal(hist->rows[0]->cpu, 3);
	assert_int_equal(hist->rows[1]->cpu, -1);
	world_end();
}

/* Another order, and the first one again; what is known of a sample is not looked up. */
static void test_sort_again(void **state)
{
	const struct pfx_hist *hist;

	world_begin(PID);
	world_columns(NULL, "overhead,sample,sym");
	world.known.fails = true;
	world_add("d", 60);
	world.known.fails = false;
	world_add("c", 30);
	world_add("a", 5);
	world_add("a", 5);
	hist = finish();
	assert_string_equal(world_order(hist), "ca");
	assert_true(pfx_row_percent(world.hists, hist, hist->rows[0]) == 30.0);
	pfx_hists_set_relative(world.hists, true);
	assert_true(pfx_row_percent(world.hists, hist, hist->rows[0]) == 75.0);
	pfx_hists_sort_by(world.hists, PFX_KEY_SAMPLE, 0);
	assert_string_equal(world_order(hist), "ac");
	pfx_hists_sort_by(world.hists, PFX_KEY_OVERHEAD, 0);
	assert_string_equal(world_order(hist), "ca");
	pfx_hists_sort_by(world.hists, PFX_KEY_SYM, 0);
	assert_string_equal(world_order(hist), "ac");
	pfx_hists_sort_by(world.hists, PFX_KEY_NR, 0);
	assert_string_equal(world_order(hist), "ca");
	world_end();
}

/* -F alone orders by its columns from left to right. */
static void test_fields_order(void **state)
{
	const struct pfx_hist *hist;

	world_begin(PID);
	world_columns(NULL, "sym,overhead");
	world_add("c", 9);
	world_add("a", 1);
	world_add("b", 5);
	hist = finish();
	assert_string_equal(world_order(hist), "abc");
	world_end();
}

static void test_symbol_filter(void **state)
{
	const struct pfx_hist *hist;
	struct pfx_error err;

	world_begin(PID);
	assert_int_equal(pfx_names_parse(&world.filter.symbols, "a,c", &err), 0);
	world_columns("comm", NULL);
	world_add("a", 10);
	world_add("b", 70);
	world_add("c", 20);
	hist = finish();
	assert_int_equal(hist->nr_rows, 1);
	assert_int_equal(hist->rows[0]->stat->period, 30);
	assert_true(pfx_row_percent(world.hists, hist, hist->rows[0]) == 30.0);
	assert_int_equal(hist->totals[0].nr_passed, 2);
	world_end();
}

static void test_relative_percentages(void **state)
{
	const struct pfx_hist *hist;
	struct pfx_error err;

	world_begin(PID);
	world.options.relative = true;
	assert_int_equal(pfx_ids_parse(&world.filter.tids, "4194292", &err), 0);
	world_columns("sym", NULL);
	world_add("a", 80);
	world_add_as("b", &(struct world_sample){.tid = PID + 1, .period = 20});
	hist = finish();
	assert_string_equal(world_order(hist), "b");
	assert_int_equal(pfx_hist_period(world.hists, hist, 0), 20);
	assert_int_equal(pfx_hist_samples(world.hists, hist, 0), 1);
	assert_true(pfx_row_percent(world.hists, hist, hist->rows[0]) == 100.0);
	world_end();
}

static void test_cpu_filter_drops(void **state)
{
	const struct pfx_hist *hist;

	world_begin(PID);
	world.filter.cpus_given = true;
	assert_true(pfx_list_parse("1", &world.filter.cpus));
	world_columns("sym", NULL);
	world_add_as("a", &(struct world_sample){.tid = PID, .cpu = 0, .period = 80});
	world_add_as("b", &(struct world_sample){.tid = PID, .cpu = 1, .period = 20});
	hist = finish();
	assert_string_equal(world_order(hist), "b");
	assert_int_equal(hist->totals[0].period, 20);
	world_end();
}

static void test_hide_unresolved(void **state)
{
	const struct pfx_hist *hist;

	world_begin(PID);
	world.options.hide_unresolved = true;
	world_columns("sym", NULL);
	world_add("a", 80);
	world_add("?", 20);
	hist = finish();
	assert_string_equal(world_order(hist), "a");
	assert_int_equal(hist->totals[0].nr_samples, 1);
	world_end();
}

/* Members of a group are adjacent columns; rows are sorted by the first, then by the next. */
static void test_group(void **state)
{
	struct pfx_attr attr = {.size = PFX_ATTR_SIZE_VER7};
	const struct pfx_hist *hist;

	world_begin(PID);
	pfx_meta_add_event(world.meta, &attr, "faults")->leader = 0;
	world.meta->events[0]->nr_members = 2;
	world.options.join_groups = true;
	world_columns("sym", NULL);
	world_add("a", 10);
	world_add("b", 10);
	world_add_as("b", &(struct world_sample){.event = 1, .tid = PID, .period = 3});
	world_add_as("c", &(struct world_sample){.event = 1, .tid = PID, .period = 1});
	hist = finish();
	assert_int_equal(pfx_hists_nr(world.hists), 1);
	assert_int_equal(hist->nr_members, 2);
	assert_string_equal(world_order(hist), "bac");
	assert_int_equal(world_row(hist, 'b')->stat[1].period, 3);
	assert_int_equal(world_row(hist, 'c')->stat[0].period, 0);
	assert_int_equal(pfx_hist_period(world.hists, hist, 1), 4);
	world_end();
}

static void test_events_apart(void **state)
{
	struct pfx_attr attr = {.size = PFX_ATTR_SIZE_VER7};

	world_begin(PID);
	pfx_meta_add_event(world.meta, &attr, "faults");
	world_columns("sym", NULL);
	world_add("a", 10);
	world_add_as("b", &(struct world_sample){.event = 1, .tid = PID, .period = 3});
	pfx_hists_finish(world.hists);
	assert_int_equal(pfx_hists_nr(world.hists), 2);
	assert_string_equal(world_order(pfx_hists_at(world.hists, 0)), "a");
	assert_string_equal(world_order(pfx_hists_at(world.hists, 1)), "b");
	world_end();
}

/* The first rows alone are those of the whole table, with the ties of the last one. */
static void check_first_rows(const char *sort, bool children, uint32_t most, uint32_t expected)
{
	static const char *const chains[] = {"ab", "acd", "aef", "b", "gh", "ai", "agj", "k"};
	char whole[128];
	const struct pfx_hist *hist;
	uint32_t i, k;

	for (k = 0; k < 2; k++) {
		world_begin(PID);
		world.options.chains = world.options.children = children;
		world.options.min_samples = children ? 0 : 2;
		world_columns(sort, NULL);
		for (i = 0; i < 8; i++) {
			world_add(chains[i], 10 + i / 2 * 10);
			if (i)
				world_add(chains[i], 10 + i / 2 * 10);
		}
		pfx_hists_finish_first(world.hists, k ? most : 0);
		hist = pfx_hists_at(world.hists, 0);
		assert_int_equal(hist->totals[0].nr_samples, 15);
		if (!k) {
			snprintf(whole, sizeof(whole), "%s", world_order(hist));
		} else {
			assert_int_equal(hist->nr_rows, expected);
			assert_memory_equal(world_order(hist), whole, expected);
		}
		world_end();
	}
}

static void test_first_rows(void **state)
{
	(void)state;
	check_first_rows("sym", false, 1, 2);
	check_first_rows("sym", false, 2, 2);
	check_first_rows("sym", false, 3, 4);
	check_first_rows("sym", false, 100, 7);
	check_first_rows("sym", true, 1, 1);
	check_first_rows("sym", true, 4, 4);
	check_first_rows("sym", true, 100, 11);
}

static void test_no_samples(void **state)
{
	const struct pfx_hist *hist;

	world_begin(PID);
	world_columns(NULL, NULL);
	hist = finish();
	assert_int_equal(hist->nr_rows, 0);
	assert_int_equal(hist->totals[0].nr_samples, 0);
	world_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_and_percentages),
		cmocka_unit_test(test_ties_by_name),
		cmocka_unit_test(test_part_of_name),
		cmocka_unit_test(test_rows_by_thread_and_name),
		cmocka_unit_test(test_rows_by_comm_over_time),
		cmocka_unit_test(test_rows_by_cpu),
		cmocka_unit_test(test_fields_order),
		cmocka_unit_test(test_sort_again),
		cmocka_unit_test(test_symbol_filter),
		cmocka_unit_test(test_relative_percentages),
		cmocka_unit_test(test_cpu_filter_drops),
		cmocka_unit_test(test_hide_unresolved),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_events_apart),
		cmocka_unit_test(test_first_rows),
		cmocka_unit_test(test_no_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
