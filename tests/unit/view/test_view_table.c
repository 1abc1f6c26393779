/* SPDX-License-Identifier: MIT */
/* Profiles, filters and tables of small made profiles. */
#include <errno.h>

#include "view/narrow_profile.h"
#include "view/table_keys.h"
#include "view_world.h"

/* "a 0/10 b 10/10": self and total of each row with the name of one letter, in order. */
static void expect_column(enum pfx_view_by by, uint32_t column, const char *expected)
{
	const struct pfx_selection *selection = world_select();
	const struct pfx_profile *profile = world.profile;
	const struct pfx_table_value *value;
	struct pfx_str text = {0};
	struct pfx_table table;
	uint32_t i, id;

	pfx_table_make(&table, selection, by);
	pfx_table_sort(&table, profile, PFX_TABLE_NAME, 0);
	for (i = 0; i < table.nr_rows; i++) {
		id = table.rows[i].id;
		value = &table.rows[i].values[column];
		pfx_str_addf(&text, "%s%s %d/%d", i ? " " : "",
			     by == PFX_VIEW_FUNCTION ? profile->functions[id].name
			     : by == PFX_VIEW_DSO    ? profile->dsos[id].short_name
			     : by == PFX_VIEW_COMM   ? profile->comms[id]
						     : "",
			     (int)value->self, (int)value->total);
	}
	assert_string_equal(pfx_str_get(&text), expected);
	pfx_str_fini(&text);
	pfx_table_fini(&table);
}

static void expect(const char *expected)
{
	expect_column(PFX_VIEW_FUNCTION, 0, expected);
}

/* The same for rows with several keys: "main a 0/10". */
static void expect_keys(const struct pfx_table_keys *keys, enum pfx_table_order order,
			const char *expected)
{
	const struct pfx_profile *profile = world.profile;
	const struct pfx_table_value *value;
	struct pfx_str text = {0};
	struct pfx_table table;
	uint32_t i, id;
	unsigned k;

	pfx_table_make_by_keys(&table, world_select(), keys, NULL);
	pfx_table_sort(&table, profile, order, 0);
	for (i = 0; i < table.nr_rows; i++) {
		for (k = 0; k < keys->nr; k++) {
			id = pfx_table_id(&table, table.rows[i].id, k);
			pfx_str_addf(
				&text, "%s%s", i || k ? " " : "",
				keys->at[k] == PFX_TABLE_BY_FUNCTION ? profile->functions[id].name
				: keys->at[k] == PFX_TABLE_BY_DSO    ? profile->dsos[id].short_name
				: keys->at[k] == PFX_TABLE_BY_SOCKET && id == PFX_NO_ID
					? "?"
					: profile->comms[id]);
		}
		value = &table.rows[i].values[0];
		pfx_str_addf(&text, " %d/%d", (int)value->self, (int)value->total);
	}
	assert_string_equal(pfx_str_get(&text), expected);
	pfx_str_fini(&text);
	pfx_table_fini(&table);
}

static void test_keys(void **state)
{
	static const struct pfx_table_keys comm_sym = {{PFX_TABLE_BY_COMM, PFX_TABLE_BY_FUNCTION},
						       2},
					   dso_comm = {{PFX_TABLE_BY_DSO, PFX_TABLE_BY_COMM}, 2},
					   socket_comm = {{PFX_TABLE_BY_SOCKET, PFX_TABLE_BY_COMM},
							  2};

	world_begin(false);
	world_add("aba", 10); /* recursion */
	world_add("ano", 7);
	world_add_as("ac", &(struct world_sample){.period = 5, .thread = 2});
	world_add_as("a", &(struct world_sample){.period = 3, .thread = 2});
	world_add_as("b", &(struct world_sample){.period = 1, .own = 'c'}); /* not on its chain */
	world_ready();
	expect_keys(&comm_sym, PFX_TABLE_KEY,
		    "main a 10/17 main b 0/11 main o 7/7 main n 0/7 main c 1/1 "
		    "other a 3/8 other c 5/5");
	expect_keys(&comm_sym, PFX_TABLE_KEY + 1,
		    "main a 10/17 other a 3/8 main b 0/11 other c 5/5 main c 1/1 main n 0/7 "
		    "main o 7/7");
	expect_keys(&comm_sym, PFX_TABLE_SELF,
		    "main a 10/17 main o 7/7 other c 5/5 other a 3/8 main c 1/1 main b 0/11 "
		    "main n 0/7");
	expect_keys(&dso_comm, PFX_TABLE_TOTAL, "prog main 11/18 prog other 8/8 lib.so main 7/7");
	expect_keys(&socket_comm, PFX_TABLE_TOTAL, "? main 18/18 ? other 8/8");
	world_end();
}

static void test_functions(void **state)
{
	world_begin(false);
	world_add("abc", 10);
	world_add("abd", 5);
	world_add("ab", 2);
	world_ready();
	expect("a 0/17 b 2/17 c 10/10 d 5/5");
	expect_column(PFX_VIEW_DSO, 0, "prog 17/17");
	world_end();
}

static void test_recursion(void **state)
{
	world_begin(false);
	world_add("abab", 10);
	world_add("aba", 5);
	world_add("aa", 1);
	world_ready();
	expect("a 6/16 b 10/15");
	world_end();
}

/* An inlined function has no samples of its own, as in report. */
static void test_inlined(void **state)
{
	world_begin(false);
	world_add("abCD", 10);
	world_add("abD", 1);
	world_ready();
	expect("C 0/10 D 0/11 a 0/11 b 11/11");
	world_end();
}

/* The sampled function may not be on the chain. */
static void test_own(void **state)
{
	world_begin(false);
	world_add_as("ab", &(struct world_sample){.period = 7, .own = 'k'});
	world_add_as("ak", &(struct world_sample){.period = 3, .own = 'k'});
	world_ready();
	expect("a 0/10 b 0/7 k 10/10");
	world_end();
}

static void test_nothing(void **state)
{
	world_begin(true);
	world_ready();
	assert_int_equal(world_select()->nr_rows, 0);
	expect("");
	expect_column(PFX_VIEW_COMM, 0, "");
	world_end();
}

/* Equal samples are one row, unless their times are kept. */
static void test_merge(void **state)
{
	int times;

	for (times = 0; times < 2; times++) {
		world_begin(times);
		world_add_as("ab", &(struct world_sample){.period = 1, .time = 30, .cpu = 7});
		world_add_as("ac", &(struct world_sample){.period = 2, .time = 10, .cpu = 3});
		world_add_as("ab", &(struct world_sample){.period = 4, .time = 20, .cpu = 7});
		world_ready();
		assert_int_equal(world.profile->nr_rows, times ? 3 : 2);
		assert_int_equal(world.profile->first_time, 10);
		assert_int_equal(world.profile->last_time, 30);
		assert_int_equal(world.profile->events[0].nr_samples, 3);
		assert_int_equal(world.profile->events[0].period, 7);
		assert_int_equal(world.profile->nr_cpus, 2);
		assert_int_equal(world.profile->cpus[0], 3);
		assert_int_equal(world.profile->cpus[world.profile->row_cpu[0]], 7);
		world_end();
	}
}

static void test_events(void **state)
{
	struct pfx_table table;

	world_begin(false);
	world_add("ab", 10);
	world_add_as("ab", &(struct world_sample){.event = 1, .period = 3});
	world_add_as("ac", &(struct world_sample){.event = 1, .period = 30});
	world_ready();
	expect_column(PFX_VIEW_FUNCTION, 0, "a 0/10 b 10/10 c 0/0");
	expect_column(PFX_VIEW_FUNCTION, 1, "a 0/33 b 3/3 c 30/30");
	pfx_table_make(&table, world_select(), PFX_VIEW_FUNCTION);
	pfx_table_sort(&table, world.profile, PFX_TABLE_SELF, 1);
	assert_int_equal(table.rows[0].id, world_letter('c'));
	assert_int_equal(table.rows[0].values[1].samples, 1);
	pfx_table_sort(&table, world.profile, PFX_TABLE_SELF, 0);
	assert_int_equal(table.rows[0].id, world_letter('b'));
	pfx_table_fini(&table);
	pfx_view_filter_add_name(&world.filter, PFX_VIEW_EVENT, "misses");
	expect("a 0/33 b 3/3 c 30/30");
	assert_int_equal(pfx_selection_column(&world.selection, 1), 0);
	assert_int_equal(pfx_selection_column(&world.selection, 0), PFX_NO_ID);
	assert_int_equal(pfx_selection_total(&world.selection, 0, PFX_MEASURE_PERIOD), 33);
	assert_int_equal(pfx_selection_total(&world.selection, 0, PFX_MEASURE_SAMPLES), 2);
	world_end();
}

static void test_threads(void **state)
{
	world_begin(false);
	world_add_as("ab", &(struct world_sample){.thread = 0, .period = 1, .cpu = 1});
	world_add_as("ab", &(struct world_sample){.thread = 1, .period = 2, .cpu = 2});
	world_add_as("ac", &(struct world_sample){.thread = 2, .period = 4, .cpu = UINT32_MAX});
	world_ready();
	expect_column(PFX_VIEW_COMM, 0, "main 1/1 other 4/4 worker 2/2");
	expect_column(PFX_VIEW_PROCESS, 0, " 3/3  4/4");
	expect_column(PFX_VIEW_THREAD, 0, " 1/1  2/2  4/4");
	expect_column(PFX_VIEW_CPU, 0, " 1/1  2/2  4/4");
	assert_int_equal(pfx_view_filter_add_name(&world.filter, PFX_VIEW_PROCESS, "10"), 1);
	expect("a 0/3 b 3/3");
	pfx_view_filter_add_name(&world.filter, PFX_VIEW_THREAD, "worker");
	expect("a 0/2 b 2/2");
	pfx_view_filter_all(&world.filter, PFX_VIEW_PROCESS);
	pfx_view_filter_all(&world.filter, PFX_VIEW_THREAD);
	pfx_view_filter_remove(&world.filter, PFX_VIEW_CPU, 0);
	expect("a 0/6 b 2/2 c 4/4");
	pfx_view_filter_all(&world.filter, PFX_VIEW_CPU);
	assert_int_equal(pfx_view_filter_add_name(&world.filter, PFX_VIEW_COMM, "nobody"), 0);
	expect("");
	world_end();
}

static void test_code(void **state)
{
	world_begin(false);
	world_add("ab", 1);
	world_add("aq", 2);
	world_add_as("ac", &(struct world_sample){.period = 4, .level = 'k'});
	world_add("az", 8);
	world_ready();
	expect_column(PFX_VIEW_DSO, 0, "lib.so 10/10 prog 5/15");
	pfx_view_filter_add_name(&world.filter, PFX_VIEW_DSO, "/lib/lib.so");
	expect("a 0/10 q 2/2 z 8/8");
	pfx_view_filter_all(&world.filter, PFX_VIEW_DSO);
	pfx_view_filter_add_name(&world.filter, PFX_VIEW_FUNCTION, "b");
	expect("a 0/1 b 1/1");
	pfx_view_filter_all(&world.filter, PFX_VIEW_FUNCTION);
	strcpy(world.filter.levels, "kg");
	expect("a 0/4 c 4/4");
	*world.filter.levels = '\0';
	world.filter.drop_unresolved = true;
	expect("a 0/7 b 1/1 c 4/4 q 2/2");
	world_end();
}

/* Both ends of a range belong to it. */
static void test_times(void **state)
{
	struct pfx_error err = {0};
	uint64_t i;

	world_begin(true);
	for (i = 1; i <= 5; i++)
		world_add_as("a", &(struct world_sample){.period = 1ull << i, .time = 10 * i});
	world_ready();
	assert_int_equal(pfx_time_ranges_parse(&world.filter.times,
					       "0.00000002,0.00000003 0.00000005,", 0, 0, NULL),
			 0);
	expect("a 44/44");
	world.filter.times.at.at[1].start = 51;
	expect("a 12/12");
	world.filter.times.at.at[0].start = 21;
	world.filter.times.at.at[0].end = 29;
	expect("");
	world_end();
	world_begin(false);
	world_ready();
	pfx_vec_push(&world.filter.times.at, ((struct pfx_time_range){0, 1}));
	assert_int_equal(pfx_selection_make(&world.selection, &world.filter, &err), -EINVAL);
	assert_string_equal(err.text, "samples cannot be chosen by time: the profile was read "
				      "without times");
	world_end();
}

/* --- patterns --- */

static void begin_patterns(void)
{
	world_begin(false);
	world_add("abc", 1);
	world_add("abd", 2);
	world_add("aeb", 4);
	world_add("fg", 8);
	world_add("bab", 16);
	world_ready();
	expect("a 0/23 b 20/23 c 1/1 d 2/2 e 0/4 f 0/8 g 8/8");
}

static void test_focus(void **state)
{
	begin_patterns();
	world_pattern(PFX_VIEW_FOCUS, "^[cg]$");
	expect("a 0/1 b 0/1 c 1/1 f 0/8 g 8/8");
	world_pattern(PFX_VIEW_IGNORE, "f");
	expect("a 0/1 b 0/1 c 1/1");
	world_pattern(PFX_VIEW_FOCUS, NULL);
	expect("a 0/23 b 20/23 c 1/1 d 2/2 e 0/4");
	world_pattern(PFX_VIEW_IGNORE, "x");
	expect("a 0/23 b 20/23 c 1/1 d 2/2 e 0/4 f 0/8 g 8/8");
	world_pattern(PFX_VIEW_FOCUS, "x");
	expect("");
	world_end();
}

static void test_focus_own(void **state)
{
	world_begin(false);
	world_add_as("ab", &(struct world_sample){.period = 7, .own = 'k'});
	world_ready();
	world_pattern(PFX_VIEW_FOCUS, "k");
	expect("a 0/7 b 0/7 k 7/7");
	world_pattern(PFX_VIEW_FOCUS, "x");
	expect("");
	world_end();
}

/* The weight of a hidden leaf goes to its caller; samples without any frame left are dropped. */
static void test_hide(void **state)
{
	begin_patterns();
	world_pattern(PFX_VIEW_HIDE, "b");
	expect("a 16/23 c 1/1 d 2/2 e 4/4 f 0/8 g 8/8");
	world_pattern(PFX_VIEW_HIDE, "[a-e]");
	expect("f 0/8 g 8/8");
	world_pattern(PFX_VIEW_HIDE, ".");
	expect("");
	assert_int_equal(world.selection.nr_stacks, 0);
	assert_int_equal(world.selection.total_period[0], 0);
	world_end();
}

static void test_show(void **state)
{
	begin_patterns();
	world_pattern(PFX_VIEW_SHOW, "[bd]");
	expect("b 21/23 d 2/2");
	world_pattern(PFX_VIEW_HIDE, "d");
	expect("b 23/23");
	assert_int_equal(world.selection.nodes.nr, 3); /* the root, b, and b below b */
	world_pattern(PFX_VIEW_FOCUS, "d");            /* looks at all frames */
	expect("b 2/2");
	world_end();
}

static void test_show_from(void **state)
{
	begin_patterns();
	world_pattern(PFX_VIEW_SHOW_FROM, "b");
	expect("a 0/16 b 20/23 c 1/1 d 2/2");
	world_pattern(PFX_VIEW_HIDE, "b"); /* is hidden first */
	expect("");
	world_pattern(PFX_VIEW_HIDE, "a");
	expect("b 20/23 c 1/1 d 2/2");
	world_end();
}

/* Removed frames make equal stacks of different ones; their sums are one. */
static void test_joined(void **state)
{
	const struct pfx_selection *selection;

	world_begin(false);
	world_add("abc", 1);
	world_add("adc", 2);
	world_add("ac", 4);
	world_ready();
	world_pattern(PFX_VIEW_HIDE, "[bd]");
	selection = world_select();
	assert_int_equal(selection->nodes.nr, 3);
	assert_int_equal(selection->nodes.parent[2], 1);
	assert_int_equal(selection->nodes.end[0], 3);
	expect("a 0/7 c 7/7");
	world_end();
}

static void test_bad_pattern(void **state)
{
	struct pfx_error err = {0};

	begin_patterns();
	world_pattern(PFX_VIEW_FOCUS, "c");
	assert_int_equal(pfx_view_filter_pattern(&world.filter, PFX_VIEW_FOCUS, "(", &err),
			 -EINVAL);
	assert_string_equal(err.text, "'(' is not a valid regular expression: Unmatched ( or \\(");
	assert_string_equal(pfx_view_filter_pattern_text(&world.filter, PFX_VIEW_FOCUS), "c");
	expect("a 0/1 b 0/1 c 1/1");
	world_end();
}

/* Frames that differ in their lines. */
static void test_lines(void **state)
{
	struct pfx_profile_frame frame = {.file = "a.c", .line = 3};

	world_begin(false);
	world.maker->frames_by = PFX_FRAMES_BY_LINE;
	world_add("ab", 1);
	world.frames[0] = pfx_profile_add_frame(world.maker, &frame);
	world_add("ab", 2);
	world_add("a", 4);
	world_ready();
	expect("a 4/7 b 3/3");
	assert_int_equal(world.selection.nodes.nr, 5);
	expect_column(PFX_VIEW_LINE, 0, " 0/1  3/3  4/6");
	world.filter.by_function = true;
	expect("a 4/7 b 3/3");
	assert_int_equal(world.selection.nodes.nr, 3);
	world_end();
}

/* Makes what the filter leaves the world. */
static void narrow(void)
{
	struct pfx_profile *profile = pfx_profile_narrow(world_select());

	assert_non_null(profile);
	pfx_selection_fini(&world.selection);
	pfx_view_filter_fini(&world.filter);
	pfx_profile_free(world.profile);
	world.profile = profile;
	pfx_view_filter_init(&world.filter, profile);
}

/* A profile of what is left has the same numbers, and no other names. */
static void test_narrow(void **state)
{
	world_begin(true);
	world_add_as("ab", &(struct world_sample){.period = 10, .time = 100});
	world_add_as("an", &(struct world_sample){.period = 5, .time = 200, .thread = 2});
	world_add_as("abd", &(struct world_sample){.period = 2, .time = 300, .event = 1});
	world_add_as("abC", &(struct world_sample){.period = 1, .time = 400, .cpu = 3});
	world_ready();
	assert_null(pfx_profile_narrow(world_select()));
	pfx_view_filter_add_name(&world.filter, PFX_VIEW_EVENT, "cycles");
	pfx_view_filter_add_name(&world.filter, PFX_VIEW_DSO, "prog");
	world_pattern(PFX_VIEW_HIDE, "a");
	narrow();
	assert_int_equal(world.profile->nr_processes, 1);
	assert_int_equal(world.profile->nr_threads, 1);
	assert_int_equal(world.profile->nr_dsos, 1);
	assert_int_equal(world.profile->nr_functions, 2);
	assert_int_equal(world.profile->nr_events, 2);
	assert_string_equal(world.profile->events[1].name, "");
	assert_int_equal(world.profile->first_time, 100);
	assert_int_equal(world.profile->cpus[1], 3);
	expect("C 0/1 b 11/11");
	world_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),      cmocka_unit_test(test_functions),
		cmocka_unit_test(test_recursion), cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_own),       cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_merge),     cmocka_unit_test(test_events),
		cmocka_unit_test(test_threads),   cmocka_unit_test(test_code),
		cmocka_unit_test(test_times),     cmocka_unit_test(test_focus),
		cmocka_unit_test(test_focus_own), cmocka_unit_test(test_hide),
		cmocka_unit_test(test_show),      cmocka_unit_test(test_show_from),
		cmocka_unit_test(test_joined),    cmocka_unit_test(test_bad_pattern),
		cmocka_unit_test(test_lines),     cmocka_unit_test(test_narrow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
