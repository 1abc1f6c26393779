/* SPDX-License-Identifier: MIT */
/* Tables of counts: groups, scaling, means, metrics beside counts, and their text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "out/stat/stat_table.h"
#include "stat/stat.h"

static size_t add(struct pfx_counts *stat, const char *name, uint32_t type, uint64_t config)
{
	struct pfx_attr attr = {.type = type, .config = config};

	pfx_stat_add_event(stat, name, &attr);
	return stat->events.nr - 1;
}

static void ready(struct pfx_counts *stat)
{
	if (!stat->groups.nr)
		pfx_stat_group_add(stat, NULL, -1, -1);
	assert_int_equal(pfx_stat_ready(stat, NULL), 0);
}

static void count(struct pfx_counts *stat, size_t event, uint64_t value, uint64_t enabled,
		  uint64_t running)
{
	pfx_stat_count(stat, event, 0, (struct pfx_count){value, enabled, running});
}

static void test_moments(void **state)
{
	struct pfx_moments m = {0};

	(void)state;
	assert_true(pfx_moments_error(&m) == 0);
	pfx_moments_add(&m, 1);
	assert_true(pfx_moments_error(&m) == 0);
	pfx_moments_add(&m, 3);
	assert_true(m.mean == 2);
	assert_true(pfx_moments_error(&m) == 1);
}

static void test_scale(void **state)
{
	struct pfx_counts stat = {.by = PFX_STAT_BY_ALL};
	size_t faults = add(&stat, "page-faults", PFX_TYPE_SOFTWARE, PFX_SW_PAGE_FAULTS);

	(void)state;
	ready(&stat);
	count(&stat, faults, 10, 100, 50);
	count(&stat, faults, 30, 100, 50);
	pfx_stat_end_run(&stat, 1000);
	assert_true(pfx_stat_cell(&stat, faults, 0)->value.mean == 80);
	assert_int_equal(pfx_stat_cell(&stat, faults, 0)->shown_nr, 2);
	pfx_stat_reset(&stat);
	assert_false(pfx_stat_was_counted(pfx_stat_cell(&stat, faults, 0)));
	stat.no_scale = true;
	count(&stat, faults, 10, 100, 50);
	pfx_stat_end_run(&stat, 1000);
	assert_true(pfx_stat_cell(&stat, faults, 0)->value.mean == 10);
	count(&stat, faults, 20, 100, 50);
	pfx_stat_end_run(&stat, 1000);
	assert_true(pfx_stat_cell(&stat, faults, 0)->value.mean == 15);
	pfx_stat_fini(&stat);
}

/* The threads of a core share one count, in the first row of the core or in all of them. */
static void test_per_core(void **state)
{
	struct pfx_env_cpu cpus[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {0, 1, 0}};
	struct pfx_env env = {.topology = {.nr_cpus = 4, .cpus = cpus}};
	static const double wanted[2][4] = {{101, 10, 0, 1000}, {101, 10, 101, 1000}};
	int cpu, shows;

	(void)state;
	for (shows = 0; shows < 2; shows++) {
		struct pfx_counts stat = {.by = PFX_STAT_BY_CPU, .shows_threads = shows};
		struct pfx_stat_style style = {.form = PFX_STAT_FIELDS, .separator = ","};
		size_t event = add(&stat, "x", PFX_TYPE_RAW, 1);
		uint64_t value[] = {1, 10, 100, 1000};
		struct pfx_str text = {0};

		stat.events.at[event].is_per_core = true;
		for (cpu = 3; cpu >= 0; cpu--)
			pfx_stat_group_add(&stat, &env, cpu, -1);
		pfx_stat_sort_groups(&stat);
		ready(&stat);
		for (cpu = 0; cpu < 4; cpu++)
			pfx_stat_count(&stat, event, (size_t)cpu,
				       (struct pfx_count){value[cpu], 5, 5});
		pfx_stat_end_run(&stat, 1000);
		for (cpu = 0; cpu < 4; cpu++)
			assert_true(pfx_stat_cell(&stat, event, (size_t)cpu)->value.mean ==
				    wanted[shows][cpu]);
		pfx_stat_text_rows(&stat, &style, &text);
		assert_string_equal(
			pfx_str_get(&text),
			shows ? "CPU0,101,,x,10,100.00,,\nCPU1,10,,x,5,100.00,,\n"
				"CPU2,101,,x,10,100.00,,\nCPU3,1000,,x,5,100.00,,\n"
			      : "S0-D0-C0,101,,x,10,100.00,,\nS0-D0-C1,10,,x,5,100.00,,\n"
				"S1-D0-C0,1000,,x,5,100.00,,\n");
		pfx_str_fini(&text);
		pfx_stat_fini(&stat);
	}
}

static void test_groups(void **state)
{
	struct pfx_env_cpu cpus[] = {{1, 1, 0, 5}, {0, 0, 0, 5}, {1, 1, 0, 6}, {0, 0, 1, 5}};
	struct pfx_env_node nodes[] = {{.node = 0, .cpus = "0-1"}, {.node = 1, .cpus = "2-3"}};
	struct pfx_env_cache caches[] = {
		{.level = 1, .map = "0"}, {.level = 3, .map = "0,2"}, {.level = 3, .map = "1,3"}};
	struct pfx_env env = {.topology = {.nr_cpus = 4, .cpus = cpus},
			      .nr_nodes = 2,
			      .nodes = nodes,
			      .nr_caches = 3,
			      .caches = caches};
	static const struct {
		enum pfx_stat_by by;
		size_t nr;
	} rows[] = {
		{PFX_STAT_BY_ALL, 1},   {PFX_STAT_BY_CPU, 4},    {PFX_STAT_BY_SOCKET, 2},
		{PFX_STAT_BY_DIE, 3},   {PFX_STAT_BY_CORE, 3},   {PFX_STAT_BY_NODE, 2},
		{PFX_STAT_BY_CACHE, 3}, {PFX_STAT_BY_THREAD, 1}, {PFX_STAT_BY_CLUSTER, 4},
	};
	size_t i;
	int cpu;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pfx_counts stat = {.by = rows[i].by};

		for (cpu = 0; cpu < 4; cpu++)
			pfx_stat_group_add(&stat, &env, cpu, 7);
		assert_int_equal(stat.groups.nr, rows[i].nr);
		pfx_stat_sort_groups(&stat);
		if (rows[i].by == PFX_STAT_BY_CORE)
			assert_int_equal(stat.groups.at[0].socket, 0);
		pfx_stat_fini(&stat);
	}
	/* On one level only: some CPUs have no cache of it. */
	for (i = 1; i <= 3; i += 2) {
		struct pfx_counts stat = {.by = PFX_STAT_BY_CACHE, .cache_level = (unsigned)i};

		for (cpu = 0; cpu < 4; cpu++)
			pfx_stat_group_add(&stat, &env, cpu, 7);
		assert_int_equal(stat.groups.at[0].cache, (int)i << 16);
		assert_int_equal(stat.groups.at[1].cache, i == 1 ? -1 : 3 << 16 | 1);
		pfx_stat_fini(&stat);
	}
}

/* Numbers of rows in recordings of several versions. */
static void test_numbers(void **state)
{
	static const struct {
		const char *version;
		uint32_t number;
		enum pfx_stat_by by;
	} rows[] = {
		{"6.1.192", 4, PFX_STAT_BY_CORE},     {"6.4.0", 7, PFX_STAT_BY_NODE},
		{"pfx 0.1.0", 5, PFX_STAT_BY_THREAD}, {NULL, 4, PFX_STAT_BY_CORE},
		{"6.5.g1", 4, PFX_STAT_BY_CACHE},     {"6.8.12", 5, PFX_STAT_BY_CORE},
		{"6.9", 5, PFX_STAT_BY_CACHE},        {"7.2.1", 6, PFX_STAT_BY_CORE},
		{"6.12.1", 9, PFX_STAT_BY_NODE},      {"6.12.1", 10, PFX_STAT_BY_ALL},
		{"5.10.1", 0, PFX_STAT_BY_CPU},       {"6.12.1", UINT32_MAX, PFX_STAT_BY_ALL},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(pfx_stat_by_of_number(rows[i].version, rows[i].number),
				 rows[i].by);
}

/* The usual hardware events with round counts, 2 s of work in 1 s. */
static void fill(struct pfx_counts *stat)
{
	size_t clock = add(stat, "task-clock", PFX_TYPE_SOFTWARE, PFX_SW_TASK_CLOCK);
	size_t cycles = add(stat, "cycles", PFX_TYPE_HARDWARE, PFX_HW_CPU_CYCLES);
	size_t instructions = add(stat, "instructions", PFX_TYPE_HARDWARE, PFX_HW_INSTRUCTIONS);
	size_t stalled =
		add(stat, "stalled-cycles-backend", PFX_TYPE_HARDWARE, PFX_HW_STALLED_BACKEND);
	size_t branches = add(stat, "branches", PFX_TYPE_HARDWARE, PFX_HW_BRANCH_INSTRUCTIONS);
	size_t misses = add(stat, "branch-misses", PFX_TYPE_HARDWARE, PFX_HW_BRANCH_MISSES);
	size_t slots = add(stat, "slots", PFX_TYPE_RAW, 0x400);
	size_t retiring = add(stat, "topdown-retiring", PFX_TYPE_RAW, 0x8000);

	ready(stat);
	count(stat, clock, 2000000000, 2000000000, 2000000000);
	count(stat, cycles, 4000000000, 2000000000, 2000000000);
	count(stat, instructions, 2000000000, 2000000000, 2000000000);
	count(stat, stalled, 1000000000, 2000000000, 2000000000);
	count(stat, branches, 300000, 2000000000, 2000000000);
	count(stat, misses, 3000, 2000000000, 1000000000);
	count(stat, slots, 1000, 2000000000, 2000000000);
	count(stat, retiring, 250, 2000000000, 2000000000);
	pfx_stat_end_run(stat, 1000000000);
}

static void test_notes(void **state)
{
	struct pfx_counts stat = {.by = PFX_STAT_BY_ALL};
	struct pfx_stat_note notes[PFX_STAT_NOTES_MAX];

	(void)state;
	fill(&stat);
	assert_int_equal(pfx_stat_notes(&stat, 0, 0, notes), 1);
	assert_string_equal(notes[0].unit, "CPUs utilized");
	assert_true(notes[0].value == 2);
	assert_int_equal(pfx_stat_notes(&stat, 1, 0, notes), 1);
	assert_true(notes[0].value == 2); /* GHz */
	assert_int_equal(pfx_stat_notes(&stat, 2, 0, notes), 2);
	assert_true(notes[0].value == 0.5); /* a cycle */
	assert_true(notes[1].value == 0.5); /* stalled cycles */
	pfx_stat_notes(&stat, 3, 0, notes);
	assert_true(notes[0].value == 25);
	assert_int_equal(notes[0].grade, PFX_STAT_MILD);
	pfx_stat_notes(&stat, 4, 0, notes);
	assert_string_equal(notes[0].unit, "K/sec");
	assert_true(notes[0].value == 150);
	pfx_stat_notes(&stat, 5, 0, notes);
	assert_true(notes[0].value == 2); /* scaled by two */
	pfx_stat_notes(&stat, 7, 0, notes);
	assert_string_equal(notes[0].unit, "Retiring");
	assert_true(notes[0].value == 25);
	pfx_stat_fini(&stat);
}

static const char *rows_of(const struct pfx_counts *stat, enum pfx_stat_form form,
			   struct pfx_str *to)
{
	struct pfx_stat_style style = {.form = form, .separator = ";"};

	pfx_str_clear(to);
	pfx_stat_text_rows(stat, &style, to);
	return pfx_str_get(to);
}

static void test_text(void **state)
{
	struct pfx_counts stat = {.by = PFX_STAT_BY_ALL};
	struct pfx_str text = {0};
	const char *all;

	(void)state;
	fill(&stat);
	stat.events.at[4].is_supported = false;
	all = rows_of(&stat, PFX_STAT_COLUMNS, &text);
	assert_non_null(strstr(all, "           2000.00 msec task-clock                       #    "
				    "2.000 CPUs utilized\n"));
	assert_non_null(strstr(all, "   <not supported>      branches\n"));
	assert_non_null(strstr(all, "  (50.00%)\n"));
	all = rows_of(&stat, PFX_STAT_FIELDS, &text);
	assert_non_null(strstr(all, "2000000000;;instructions;2000000000;100.00;0.50;insn per "
				    "cycle\n;;;;;0.50;stalled cycles per insn\n"));
	assert_non_null(strstr(all, "<not supported>;;branches;2000000000;100.00;;\n"));
	all = rows_of(&stat, PFX_STAT_JSON, &text);
	assert_non_null(strstr(all, "{\"counter-value\" : \"2000.000000\", \"unit\" : \"msec\", "
				    "\"event\" : \"task-clock\", \"event-runtime\" : 2000000000, "
				    "\"pcnt-running\" : 100.00, \"metric-value\" : 2.000000, "
				    "\"metric-unit\" : \"CPUs utilized\"}\n"));
	pfx_str_fini(&text);
	pfx_stat_fini(&stat);
}

static void test_metric_only(void **state)
{
	struct pfx_counts stat = {.by = PFX_STAT_BY_ALL};
	struct pfx_stat_style style = {
		.form = PFX_STAT_JSON, .separator = ",", .metric_only = true};
	struct pfx_str text = {0};

	(void)state;
	fill(&stat);
	pfx_stat_text_rows(&stat, &style, &text);
	assert_string_equal(pfx_str_get(&text),
			    "{\"GHz\" : \"2.000\", \"insn per cycle\" : \"0.50\", "
			    "\"stalled cycles per insn\" : \"0.50\", "
			    "\"backend cycles idle\" : \"25.00\", "
			    "\"branch-misses of all branches\" : \"2.00\", "
			    "\"Retiring\" : \"25.0\"}\n");
	pfx_str_fini(&text);
	pfx_stat_fini(&stat);
}

static void test_names_escaped(void **state)
{
	struct pfx_counts stat = {.by = PFX_STAT_BY_ALL};
	struct pfx_str text = {0};

	(void)state;
	add(&stat, "a\033[31m\"b", PFX_TYPE_RAW, 1);
	ready(&stat);
	count(&stat, 0, 1, 1, 1);
	pfx_stat_end_run(&stat, 1);
	assert_null(strchr(rows_of(&stat, PFX_STAT_COLUMNS, &text), '\033'));
	assert_null(strchr(rows_of(&stat, PFX_STAT_FIELDS, &text), '\033'));
	assert_non_null(strstr(rows_of(&stat, PFX_STAT_JSON, &text), "\\\"b\""));
	pfx_str_fini(&text);
	pfx_stat_fini(&stat);
}

static void test_metric(void **state)
{
	struct pfx_counts stat = {.by = PFX_STAT_BY_ALL};
	struct pfx_stat_note notes[PFX_STAT_NOTES_MAX];
	struct pfx_stat_metric *m = pfx_vec_add(&stat.metrics);
	struct pfx_error err = {0};

	(void)state;
	memset(m, 0, sizeof(*m));
	m->name = pfx_strdup("ratio");
	m->suffix = pfx_strdup("%");
	m->scale = 100;
	m->row = 1;
	m->ids = pfx_calloc(2, sizeof(*m->ids));
	m->ids[0] = 2;
	m->ids[1] = 1;
	assert_int_equal(pfx_metric_parse(&m->expr, "x / y", &err), 0);
	fill(&stat);
	assert_int_equal(pfx_stat_notes(&stat, 1, 0, notes), 1);
	assert_string_equal(notes[0].unit, "%  ratio");
	assert_true(notes[0].value == 50);
	assert_int_equal(notes[0].verdict, PFX_STAT_NOT_JUDGED);
	pfx_stat_fini(&stat);
}

/* A value above its threshold is bad; a copy belongs to other events. */
static void test_threshold(void **state)
{
	struct pfx_counts stat = {.by = PFX_STAT_BY_ALL};
	struct pfx_stat_note notes[PFX_STAT_NOTES_MAX];
	struct pfx_stat_metric *m = pfx_vec_add(&stat.metrics), copy;
	struct pfx_str text = {0};

	(void)state;
	memset(m, 0, sizeof(*m));
	m->name = pfx_strdup("ratio");
	m->suffix = pfx_strdup("");
	m->scale = 1;
	m->row = 1;
	m->ids = pfx_calloc(1, sizeof(*m->ids));
	m->ids[0] = 1;
	m->threshold_ids = pfx_calloc(2, sizeof(*m->ids));
	m->threshold_ids[0] = 2;
	m->threshold_ids[1] = 1;
	assert_int_equal(pfx_metric_parse(&m->expr, "y", NULL), 0);
	assert_int_equal(pfx_metric_parse(&m->threshold, "x / y > 0.4", NULL), 0);
	copy = pfx_stat_copy_metric(m, 1);
	assert_int_equal(copy.row, 2);
	assert_int_equal(copy.ids[0], 2);
	assert_int_equal(copy.threshold_ids[0], 3);
	copy.threshold_ids[0] = copy.threshold_ids[1] = 2;
	pfx_vec_push(&stat.metrics, copy);
	fill(&stat);
	assert_int_equal(pfx_stat_notes(&stat, 1, 0, notes), 1);
	assert_int_equal(notes[0].verdict, PFX_STAT_BAD);
	assert_int_equal(notes[0].grade, PFX_STAT_WORST);
	pfx_metric_free(stat.metrics.at[0].threshold);
	assert_int_equal(pfx_metric_parse(&stat.metrics.at[0].threshold, "x / y > 0.6", NULL), 0);
	assert_int_equal(pfx_stat_notes(&stat, 1, 0, notes), 1);
	assert_int_equal(notes[0].verdict, PFX_STAT_GOOD);
	assert_int_equal(notes[0].grade, PFX_STAT_PLAIN);
	assert_int_equal(pfx_stat_notes(&stat, 2, 0, notes), 1);
	assert_int_equal(notes[0].verdict, PFX_STAT_BAD);
	assert_non_null(strstr(rows_of(&stat, PFX_STAT_JSON, &text),
			       "\"ratio\", \"metric-threshold\" : \"good\"}"));
	pfx_str_fini(&text);
	pfx_stat_fini(&stat);
}

static void test_footer(void **state)
{
	const double runs[] = {1, 3};
	struct pfx_stat_times times = {.has_usage = true, .user = 0.5, .system = 0.25};
	struct pfx_str text = {0};

	(void)state;
	pfx_moments_add(&times.wall, 1);
	pfx_stat_text_footer(&times, &text);
	assert_string_equal(pfx_str_get(&text), "       1.000000000 seconds time elapsed\n\n"
						"       0.500000000 seconds user\n"
						"       0.250000000 seconds sys\n\n\n");
	pfx_str_clear(&text);
	pfx_moments_add(&times.wall, 3);
	times.runs = runs;
	times.nr = 2;
	pfx_stat_text_footer(&times, &text);
	assert_non_null(strstr(pfx_str_get(&text), "2.00 +- 1.00 seconds time elapsed  ( +- "
						   "50.00% )\n"));
	assert_non_null(strstr(pfx_str_get(&text), "(-1.00) ##"));
	pfx_str_fini(&text);
}

/* The output of pfx_stat_text_interval() for the nth interval. */
static bool has_interval_heading(struct pfx_stat_tables *tables, enum pfx_stat_form form)
{
	const struct pfx_stat_style style = {.form = form, .separator = ","};
	struct pfx_counts stat = {.by = PFX_STAT_BY_ALL};
	struct pfx_str text = {0};
	bool has;

	pfx_stat_text_interval(tables, &stat, &style, 1500000000, &text);
	has = strstr(pfx_str_get(&text), "time") != NULL;
	pfx_str_fini(&text);
	return has;
}

static void test_interval_headings(void **state)
{
	struct pfx_stat_tables columns = {0}, fields = {0}, cleared = {.clears = true};
	int i;

	(void)state;
	for (i = 0; i < 60; i++) {
		assert_int_equal(has_interval_heading(&columns, PFX_STAT_COLUMNS), i % 25 == 0);
		assert_false(has_interval_heading(&fields, PFX_STAT_FIELDS));
		assert_true(has_interval_heading(&cleared, PFX_STAT_COLUMNS));
	}
}

/* The output of pfx_stat_text_whole() for the next table that only contains metrics. */
static bool has_whole_heading(struct pfx_stat_tables *tables, enum pfx_stat_form form)
{
	const struct pfx_stat_style style = {.form = form, .separator = ",", .metric_only = true};
	const struct pfx_stat_subject subject = {.otherwise = "pipe"};
	const struct pfx_stat_times times = {0};
	struct pfx_counts stat = {.by = PFX_STAT_BY_ALL};
	struct pfx_str text = {0};
	bool has;

	fill(&stat);
	pfx_stat_text_whole(tables, &stat, &style, &subject, &times, &text);
	has = strstr(pfx_str_get(&text), "insn per cycle") != NULL;
	pfx_str_fini(&text);
	pfx_stat_fini(&stat);
	return has;
}

static void test_whole_headings(void **state)
{
	struct pfx_stat_tables columns = {0}, fields = {0};
	struct pfx_stat_tables after_intervals = {.has_heading = true, .nr_intervals = 3};
	int i;

	(void)state;
	for (i = 0; i < 60; i++) {
		assert_int_equal(has_whole_heading(&columns, PFX_STAT_COLUMNS), i % 25 == 0);
		assert_int_equal(has_whole_heading(&fields, PFX_STAT_FIELDS), i == 0);
		assert_int_equal(has_whole_heading(&after_intervals, PFX_STAT_FIELDS), i == 0);
	}
}

static void check_title(struct pfx_stat_subject subject, const char *title)
{
	const struct pfx_stat_style style = {.form = PFX_STAT_COLUMNS};
	const struct pfx_stat_times times = {0};
	struct pfx_counts stat = {.by = PFX_STAT_BY_ALL};
	struct pfx_stat_tables tables = {0};
	struct pfx_str text = {0};

	pfx_stat_text_whole(&tables, &stat, &style, &subject, &times, &text);
	assert_non_null(strstr(pfx_str_get(&text), title));
	pfx_str_fini(&text);
}

static void test_titles(void **state)
{
	const char *const words[] = {"ls", "a\nb"};

	(void)state;
	check_title((struct pfx_stat_subject){.pids = "1", .is_system = true}, "process id '1':");
	check_title((struct pfx_stat_subject){.tids = "2,3"}, "thread id '2,3':");
	check_title((struct pfx_stat_subject){.is_system = true, .cpus = "0"}, "'system wide':");
	check_title((struct pfx_stat_subject){.cpus = "0-1"}, "'CPU(s) 0-1':");
	check_title((struct pfx_stat_subject){.words = words, .nr_words = 2}, "'ls a\\x0ab':");
	check_title((struct pfx_stat_subject){.otherwise = "pipe"}, "'pipe':");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moments),
		cmocka_unit_test(test_scale),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_per_core),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_metric_only),
		cmocka_unit_test(test_names_escaped),
		cmocka_unit_test(test_metric),
		cmocka_unit_test(test_threshold),
		cmocka_unit_test(test_footer),
		cmocka_unit_test(test_interval_headings),
		cmocka_unit_test(test_whole_headings),
		cmocka_unit_test(test_titles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
