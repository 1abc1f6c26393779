/* SPDX-License-Identifier: MIT */
/* The door for questions about all samples (pfx/query.h). */
#include "unit/api/api_world.h"

#define PATH "test-query.data"
#define OLD  "test-query-old.data"

/* Two samples in leaf, one in other: leaf had two thirds. */
static const char before[] =
	"event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period,cpu\n"
	"feature arch str=x86_64\n"
	"mmap2 pid=-1 tid=0 addr=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 prot=5 "
	"misc=1 [kernel.kallsyms]_text\n"
	"sample ip=0xffffffff81000210 pid=7 tid=7 cpu=1 time=100 period=5 mode=kernel\n"
	"sample ip=0xffffffff81000210 pid=7 tid=7 cpu=1 time=200 period=5 mode=kernel\n"
	"sample ip=0xffffffff81000310 pid=7 tid=7 cpu=1 time=300 period=5 mode=kernel\n"
	"round\n";

static struct pfx_samples *load(const char *text, const char *path, uint32_t flags)
{
	struct pfx_samples *samples;
	struct pfx_error err = {0};
	struct pfx_input *input;

	build(text, path, false);
	input = open_input(path, NULL);
	assert_int_equal(pfx_samples_load(&samples, input, flags, &err), 0);
	pfx_input_close(input);
	return samples;
}

static struct pfx_answer_row row_of(const struct pfx_answer *answer, const char *name)
{
	struct pfx_answer_row row = PFX_INIT(struct pfx_answer_row);
	uint32_t i;

	for (i = 0; i < pfx_answer_nr_rows(answer); i++) {
		pfx_answer_row_at(answer, i, &row);
		if (!strcmp(row.name, name))
			return row;
	}
	fail_msg("no row '%s'", name);
	return row;
}

static struct pfx_answer *table(const struct pfx_samples *samples, const struct pfx_query *query)
{
	struct pfx_answer *answer;
	struct pfx_error err = {0};

	assert_int_equal(pfx_samples_table(samples, query, &answer, &err), 0);
	return answer;
}

static void test_table(void **state)
{
	struct pfx_samples *samples = load(world, PATH, 0);
	struct pfx_answer *answer = table(samples, NULL);
	struct pfx_answer_row row = PFX_INIT(struct pfx_answer_row);
	uint64_t nr;

	(void)state;
	assert_int_equal(pfx_samples_count(samples), 4);
	assert_int_equal(pfx_samples_nr_events(samples), 2);
	assert_string_equal(pfx_samples_event_name(samples, 1), "page-faults");
	assert_string_equal(pfx_answer_event(answer), "cpu-clock");
	assert_int_equal(pfx_answer_total(answer, &nr), 20);
	assert_int_equal(nr, 4);
	assert_int_equal(pfx_answer_nr_rows(answer), 4);
	pfx_answer_row_at(answer, 0, &row);
	assert_string_equal(row.name, "leaf");
	assert_string_equal(row.dso, "[kernel.kallsyms]");
	assert_int_equal(row.self, 18);
	assert_int_equal(row.samples, 3);
	assert_true(row.self_share == 18. / 20);
	row = row_of(answer, "start");
	assert_int_equal(row.self, 0);
	assert_int_equal(row.total, 18);
	pfx_answer_free(answer);
	pfx_samples_free(samples);
}

static void test_filters(void **state)
{
	struct pfx_samples *samples = load(world, PATH, PFX_LOAD_TIMES);
	static const struct {
		struct pfx_query query;
		uint64_t total;
	} rows[] = {
		{{.comm = "two"}, 9},           {{.comm = "one,two"}, 20}, {{.cpu = "2"}, 6},
		{{.function = "leaf"}, 18},     {{.focus = "^mid"}, 18},   {{.ignore = "^mid"}, 2},
		{{.from = 150, .to = 300}, 13},
	};
	struct pfx_answer *answer;
	struct pfx_query query;
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		query = rows[i].query;
		query.size = sizeof(query);
		answer = table(samples, &query);
		assert_int_equal(pfx_answer_total(answer, NULL), rows[i].total);
		pfx_answer_free(answer);
	}
	query = PFX_INIT(struct pfx_query);
	query.hide = "middle";
	query.by = PFX_BY_COMM;
	answer = table(samples, &query);
	assert_int_equal(row_of(answer, "two").self, 9);
	pfx_answer_free(answer);
	pfx_samples_free(samples);
}

static void test_tree(void **state)
{
	struct pfx_samples *samples = load(world, PATH, 0);
	struct pfx_query query = PFX_INIT(struct pfx_query);
	struct pfx_answer_row row, parent;
	struct pfx_answer *answer;
	struct pfx_error err = {0};

	(void)state;
	assert_int_equal(pfx_samples_tree(samples, NULL, &answer, &err), 0);
	row = row_of(answer, "leaf");
	assert_int_equal(row.depth, 3);
	assert_int_equal(row.total, 18);
	parent = PFX_INIT(struct pfx_answer_row);
	pfx_answer_row_at(answer, row.parent, &parent);
	assert_string_equal(parent.name, "middle");
	assert_int_equal(parent.nr_children, 1);
	pfx_answer_free(answer);
	query.inverted = true;
	query.root = "leaf";
	assert_int_equal(pfx_samples_tree(samples, &query, &answer, &err), 0);
	assert_int_equal(row_of(answer, "start").depth, 2);
	pfx_answer_free(answer);
	query.root = "no\033such";
	assert_int_equal(pfx_samples_tree(samples, &query, &answer, &err), -22);
	assert_string_equal(err.text, "'no\\x1bsuch' is not a function of the recording");
	assert_null(answer);
	pfx_samples_free(samples);
}

static void test_timeline(void **state)
{
	struct pfx_samples *samples = load(world, PATH, PFX_LOAD_TIMES),
			   *bare = load(world, OLD, 0);
	struct pfx_query query = PFX_INIT(struct pfx_query);
	struct pfx_answer_row row = PFX_INIT(struct pfx_answer_row);
	struct pfx_error err = {0};
	struct pfx_answer *answer;
	uint64_t start, length;

	assert_int_equal(pfx_samples_timeline(samples, NULL, 3, &answer, &err), 0);
	assert_int_equal(pfx_answer_nr_rows(answer), 1);
	assert_int_equal(pfx_answer_nr_cells(answer, &start, &length), 3);
	assert_int_equal(start, 100);
	assert_int_equal(length, 101);
	assert_int_equal(pfx_answer_cells(answer, 0)[0], 5 + 6);
	assert_int_equal(pfx_answer_cells(answer, 0)[1], 7);
	assert_int_equal(pfx_answer_cells(answer, 0)[2], 2);
	pfx_answer_free(answer);
	query.by = PFX_BY_COMM;
	query.from = 150;
	query.to = 349;
	assert_int_equal(pfx_samples_timeline(samples, &query, 2, &answer, &err), 0);
	assert_int_equal(pfx_answer_nr_rows(answer), 2);
	pfx_answer_row_at(answer, 0, &row); /* the heaviest first */
	assert_string_equal(row.name, "two");
	assert_int_equal(row.total, 7);
	assert_int_equal(pfx_answer_cells(answer, 0)[0], 0);
	assert_int_equal(pfx_answer_cells(answer, 0)[1], 7);
	assert_int_equal(pfx_answer_cells(answer, 1)[0], 6);
	pfx_answer_free(answer);
	query.by = PFX_BY_DSO;
	assert_int_equal(pfx_samples_timeline(samples, &query, 2, &answer, &err), -22);
	assert_null(answer);
	assert_int_equal(pfx_samples_timeline(samples, NULL, 0, &answer, &err), -22);
	assert_string_equal(err.text, "a timeline has 1 to 65536 cells");
	assert_int_equal(pfx_samples_timeline(bare, NULL, 2, &answer, &err), -22);
	assert_null(answer);
	pfx_samples_free(samples);
	pfx_samples_free(bare);
}

static void test_diff(void **state)
{
	struct pfx_samples *now = load(world, PATH, 0), *old = load(before, OLD, 0);
	struct pfx_answer *answer;
	struct pfx_error err = {0};
	struct pfx_answer_row row;
	struct pfx_query query = PFX_INIT(struct pfx_query);

	(void)state;
	assert_int_equal(pfx_samples_diff(now, old, NULL, &answer, &err), 0);
	row = row_of(answer, "leaf");
	assert_int_equal(row.state, PFX_ROW_IN_BOTH);
	assert_int_equal(row.self, 18);
	assert_int_equal(row.old_self, 10);
	assert_int_equal(row.old_samples, 2);
	assert_true(row.old_share == 10. / 15);
	pfx_answer_free(answer);
	query.event = "page-faults";
	assert_int_equal(pfx_samples_diff(now, old, &query, &answer, &err), -22);
	assert_string_equal(err.text, "the old recording has no event 'page-faults'");
	pfx_samples_free(now);
	pfx_samples_free(old);
}

static void test_columns(void **state)
{
	static const int32_t pids[] = {7, 7, 8, 8}, cpus[] = {1, 2, 1, 1};
	static const uint64_t times[] = {100, 200, 300, 400}, periods[] = {5, 6, 7, 2};
	static const struct {
		enum pfx_column_kind kind;
		const void *data;
		size_t size;
	} rows[] = {
		{PFX_COLUMN_PID, pids, sizeof(pids)},
		{PFX_COLUMN_CPU, cpus, sizeof(cpus)},
		{PFX_COLUMN_TIME, times, sizeof(times)},
		{PFX_COLUMN_PERIOD, periods, sizeof(periods)},
	};
	struct pfx_samples *samples = load(world, PATH, PFX_LOAD_TIMES);
	struct pfx_column_data column = PFX_INIT(struct pfx_column_data);
	struct pfx_error err = {0};
	uint32_t functions[8], nr;
	const char *dso;
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(pfx_samples_column(samples, rows[i].kind, &column, &err), 0);
		assert_int_equal(column.nr * column.width, rows[i].size);
		assert_memory_equal(column.data, rows[i].data, rows[i].size);
	}
	assert_int_equal(pfx_samples_column(samples, PFX_COLUMN_STACK, &column, &err), 0);
	nr = pfx_samples_stack(samples, ((const uint32_t *)column.data)[0], functions, 8);
	assert_int_equal(nr, 3);
	assert_string_equal(pfx_samples_function(samples, functions[0], &dso), "leaf");
	assert_string_equal(dso, "[kernel.kallsyms]");
	assert_string_equal(pfx_samples_function(samples, functions[2], &dso), "start");
	pfx_samples_free(samples);
	samples = load(world, PATH, 0);
	assert_int_equal(pfx_samples_column(samples, PFX_COLUMN_TIME, &column, &err), -61);
	assert_string_equal(err.text, "the samples were loaded without their times");
	pfx_samples_free(samples);
}

static void test_no_such_stack_and_column(void **state)
{
	static const int kinds[] = {-1, PFX_COLUMN_STACK + 1};
	struct pfx_samples *samples = load(world, PATH, 0);
	uint32_t nr = pfx_samples_nr_stacks(samples), frame;
	struct pfx_column_data column = PFX_INIT(struct pfx_column_data);
	struct pfx_error err = {0};
	unsigned i;

	(void)state;
	assert_int_equal(pfx_samples_stack(samples, nr, &frame, 1), 0);
	assert_int_equal(pfx_samples_stack(samples, UINT32_MAX, &frame, 1), 0);
	for (i = 0; i < 2; i++) {
		assert_int_equal(pfx_samples_column(samples, kinds[i], &column, &err), -22);
		assert_string_equal(err.text, "unknown kind of column");
	}
	pfx_samples_free(samples);
}

static void test_errors(void **state)
{
	struct pfx_samples *samples = load(world, PATH, 0);
	struct pfx_query query = PFX_INIT(struct pfx_query);
	struct pfx_answer *answer;
	struct pfx_error err = {0};

	(void)state;
	query.event = "cycles";
	assert_int_equal(pfx_samples_table(samples, &query, &answer, &err), -22);
	assert_string_equal(err.text, "'cycles' is not an event of the recording");
	query.event = NULL;
	query.focus = "(";
	assert_int_equal(pfx_samples_table(samples, &query, &answer, &err), -22);
	query.focus = NULL;
	query.from = 1;
	assert_int_equal(pfx_samples_table(samples, &query, &answer, &err), -22);
	query.from = 0;
	query.by = PFX_BY_LINE;
	assert_int_equal(pfx_samples_table(samples, &query, &answer, &err), -22);
	assert_string_equal(err.text, "the samples were loaded without source lines");
	query.by = 99;
	assert_int_equal(pfx_samples_table(samples, &query, &answer, &err), -22);
	assert_null(answer);
	pfx_samples_free(samples);
	pfx_samples_free(NULL);
	pfx_answer_free(NULL);
}

static int remove_files(void **state)
{
	(void)state;
	unlink(PATH);
	unlink(OLD);
	unlink(KALLSYMS);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),    cmocka_unit_test(test_filters),
		cmocka_unit_test(test_tree),     cmocka_unit_test(test_diff),
		cmocka_unit_test(test_timeline), cmocka_unit_test(test_columns),
		cmocka_unit_test(test_errors),   cmocka_unit_test(test_no_such_stack_and_column),
	};

	return cmocka_run_group_tests(tests, NULL, remove_files);
}
