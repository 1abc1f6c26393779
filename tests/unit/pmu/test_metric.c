/* SPDX-License-Identifier: MIT */
/* Metric expressions: their values, the names they need, refused expressions. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/metric/metric.h"

static const struct pfx_metric_machine machine = {
	.smt_on = true,
	.num_cpus = 8,
	.num_cpus_online = 6,
	.num_cores = 4,
	.num_dies = 2,
	.num_packages = 1,
	.slots = 5,
	.of_cpus = true,
	.cpuid = "GenuineIntel-6-55-4",
};

/* The value of a one-letter name is its position in the alphabet; "missing" was not counted. */
static bool value_of(void *context, size_t id, double *ret)
{
	const char *name = pfx_metric_id(context, id);

	if (!strcmp(name, "missing"))
		return false;
	*ret = name[1] ? 1000 : name[0] - 'a' + 1;
	return true;
}

static bool eval(const char *text, double *ret)
{
	struct pfx_error err = {0};
	struct pfx_metric *metric;
	bool has;

	assert_int_equal(pfx_metric_parse(&metric, text, &err), 0);
	has = pfx_metric_eval(metric, &machine, value_of, metric, ret);
	pfx_metric_free(metric);
	return has;
}

static void test_values(void **state)
{
	static const struct {
		const char *text;
		double value;
	} rows[] = {
		{"1", 1},
		{"1e3 + .5", 1000.5},
		{"a + b * c", 7},
		{"(a + b) * c", 9},
		{"d - c - b", -1},
		{"d / b / b", 1},
		{"j % d", 2},
		{"-a + -b", -3},
		{"- (a + b)", -3},
		{"a < b", 1},
		{"a > b", 0},
		{"6 & 3", 2},
		{"6 | 3", 7},
		{"6 ^ 3", 5},
		{"min(a, b) + max(c, d)", 5},
		{"d_ratio(d, b)", 2},
		{"d_ratio(d, 0)", 0},
		{"a if b > a else c", 1},
		{"a if a > b else c", 3},
		{"a if 0 else b if 0 else c", 3},
		{"a if 1 else missing", 1},
		{"#smt_on", 1},
		{"#SMT_on", 1},
		{"#core_wide", 0},
		{"#num_cpus + #num_cpus_online", 14},
		{"#num_cores / #num_dies / #num_packages", 2},
		{"#slots", 5},
		{"a if #target_cpu else b", 1},
		{"a / 2 if #smt_on else a", 0.5},
		{"source_count(a) + has_event(missing)", 1},
		{"strcmp_cpuid_str(GenuineIntel-6-55)", 1},
		{"strcmp_cpuid_str(AuthenticAMD)", 0},
		{"topdown\\-retiring / 1000", 1},
		{"cpu@event\\=0x3c\\,umask\\=0x1@ * 2", 2000},
		{"cpu@event=0x3c,umask=0x1@ * 2", 2000},
		{"min(INST_RETIRED.ANY, 5)", 5},
		{"mini", 1000},
	};
	double value;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(eval(rows[i].text, &value));
		if (value != rows[i].value)
			fail_msg("%s is %f", rows[i].text, value);
	}
}

static void test_no_value(void **state)
{
	static const char *const rows[] = {
		"missing", "a + missing",         "a / 0",
		"a % 0",   "missing if 1 else a", "#system_tsc_freq",
	};
	double value;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (eval(rows[i], &value))
			fail_msg("%s has a value", rows[i]);
}

static void test_refused(void **state)
{
	static const char *const rows[] = {
		"",
		"a +",
		"(a",
		"a)",
		"min(a)",
		"min(a, b",
		"a if b",
		"#nothing",
		"a b",
		"1 +* 2",
		"d_ratio(a",
		"a if b els c",
		"source_count(1)",
		"has_event(",
		"strcmp_cpuid_str(x",
	};
	struct pfx_metric *metric;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pfx_error err = {0};

		if (pfx_metric_parse(&metric, rows[i], &err) != -EINVAL)
			fail_msg("'%s' was taken", rows[i]);
		assert_non_null(strstr(err.text, "formula '"));
	}
}

static void test_names(void **state)
{
	struct pfx_error err = {0};
	struct pfx_metric *metric;

	(void)state;
	assert_int_equal(pfx_metric_parse(&metric,
					  "topdown\\-retiring / slots + slots + "
					  "cpu@event\\=1\\,umask\\=2@ + duration_time",
					  &err),
			 0);
	assert_int_equal(pfx_metric_nr_ids(metric), 4);
	assert_string_equal(pfx_metric_id(metric, 0), "topdown-retiring");
	assert_string_equal(pfx_metric_id(metric, 1), "slots");
	assert_string_equal(pfx_metric_id(metric, 2), "cpu/event=1,umask=2/");
	assert_string_equal(pfx_metric_id(metric, 3), "duration_time");
	pfx_metric_free(metric);
}

/* Metrics by name: pairs of name and formula, NULL at the end. */
static int formula_of(void *context, const char *id, struct pfx_metric **ret, struct pfx_error *err)
{
	const char *const *at;
	int rc;

	for (at = context; at[0]; at += 2) {
		if (strcmp(at[0], id) != 0)
			continue;
		rc = pfx_metric_parse(ret, at[1], err);
		return rc < 0 ? rc : 1;
	}
	return 0;
}

static void test_expand(void **state)
{
	static const char *const formulas[] = {
		"inner", "b + strcmp_cpuid_str(GenuineIntel) + deep + a", "deep", "source_count(c)",
		NULL,
	};
	struct pfx_error err = {0};
	struct pfx_metric *outer;
	double value;

	(void)state;
	assert_int_equal(pfx_metric_parse(&outer, "a + inner * inner + z + deep", &err), 0);
	assert_int_equal(pfx_metric_expand(outer, formula_of, (void *)formulas, &err), 0);
	assert_int_equal(pfx_metric_nr_ids(outer), 4);
	assert_string_equal(pfx_metric_id(outer, 0), "a");
	assert_string_equal(pfx_metric_id(outer, 1), "b");
	assert_string_equal(pfx_metric_id(outer, 2), "c");
	assert_string_equal(pfx_metric_id(outer, 3), "z");
	assert_true(pfx_metric_eval(outer, &machine, value_of, outer, &value));
	assert_true(value == 1 + 25 + 26 + 1);
	pfx_metric_free(outer);
}

/* A metric that is used several times is stored and evaluated once: 60 levels of ten names each
 * would be 10^60 evaluations. */
static void test_shared(void **state)
{
	char names[60][8], texts[60][96];
	const char *formulas[121] = {0};
	struct pfx_error err = {0};
	struct pfx_metric *outer;
	double value;
	int i;

	(void)state;
	for (i = 0; i < 60; i++) {
		const char *n = i < 59 ? names[i + 1] : "a";

		snprintf(names[i], sizeof(names[i]), "m%d", i);
		if (i < 59)
			snprintf(names[i + 1], sizeof(names[i + 1]), "m%d", i + 1);
		snprintf(texts[i], sizeof(texts[i]), "(%s+%s+%s+%s+%s+%s+%s+%s+%s+%s)/10", n, n, n,
			 n, n, n, n, n, n, n);
		formulas[2 * i] = names[i];
		formulas[2 * i + 1] = texts[i];
	}
	assert_int_equal(pfx_metric_parse(&outer, "m0 if m1 > #num_cpus else m2 * 2", &err), 0);
	assert_int_equal(pfx_metric_expand(outer, formula_of, formulas, &err), 0);
	pfx_metric_fold(outer, &machine);
	assert_int_equal(pfx_metric_nr_ids(outer), 1);
	assert_true(pfx_metric_eval(outer, &machine, value_of, outer, &value));
	assert_true(value == 2);
	pfx_metric_free(outer);
}

static char *many_terms(const char *first, int nr)
{
	size_t len = strlen(first);
	char *text = malloc(len + (size_t)nr * 2 + 1);
	int i;

	memcpy(text, first, len + 1);
	for (i = 0; i < nr; i++)
		memcpy(text + len + 2 * i, "+1", 3);
	return text;
}

/* A long sum is evaluated without a stack frame for each term; deeply nested sums are refused. */
static void test_long(void **state)
{
	char *one = many_terms("two", 49990), *two = many_terms("three", 49990);
	const char *formulas[] = {"one", one, "two", "a", "three", "b", NULL};
	struct pfx_error err = {0};
	struct pfx_metric *outer;
	double value;

	(void)state;
	assert_int_equal(pfx_metric_parse(&outer, "one", &err), 0);
	assert_int_equal(pfx_metric_expand(outer, formula_of, formulas, &err), 0);
	pfx_metric_fold(outer, &machine);
	assert_true(pfx_metric_eval(outer, &machine, value_of, outer, &value));
	assert_true(value == 49991);
	pfx_metric_free(outer);
	formulas[3] = two;
	assert_int_equal(pfx_metric_parse(&outer, "one", &err), 0);
	assert_int_equal(pfx_metric_expand(outer, formula_of, formulas, &err), -EFBIG);
	assert_string_equal(err.text, "metric 'two' is too long with all metrics that it needs");
	assert_int_equal(pfx_metric_nr_ids(outer), 1);
	assert_string_equal(pfx_metric_id(outer, 0), "one");
	pfx_metric_free(outer);
	free(one);
	free(two);
}

/* The maximum number of nested metrics in a file: no recursion. */
static void test_deep_chain(void **state)
{
	enum { NR = 10000 };
	static char names[NR + 1][8];
	static const char *formulas[2 * NR + 1];
	struct pfx_error err = {0};
	struct pfx_metric *outer;
	double value;
	int i;

	(void)state;
	strcpy(names[NR], "c");
	for (i = 0; i < NR; i++) {
		snprintf(names[i], sizeof(names[i]), "m%d", i);
		formulas[2 * i] = names[i];
		formulas[2 * i + 1] = names[i + 1];
	}
	assert_int_equal(pfx_metric_parse(&outer, "m0", &err), 0);
	assert_int_equal(pfx_metric_expand(outer, formula_of, formulas, &err), 0);
	assert_true(pfx_metric_eval(outer, &machine, value_of, outer, &value));
	assert_true(value == 3);
	pfx_metric_free(outer);
}

static void test_needs_itself(void **state)
{
	static const char *const formulas[] = {"one",   "two + a", "two", "b * (one + three)",
					       "three", "1 +",     NULL};
	struct pfx_error err = {0};
	struct pfx_metric *outer;

	(void)state;
	assert_int_equal(pfx_metric_parse(&outer, "a + one", &err), 0);
	assert_int_equal(pfx_metric_expand(outer, formula_of, (void *)formulas, &err), -ELOOP);
	assert_string_equal(err.text, "metric 'one' needs itself");
	pfx_metric_free(outer);
	assert_int_equal(pfx_metric_parse(&outer, "three", &err), 0);
	assert_int_equal(pfx_metric_expand(outer, formula_of, (void *)formulas, &err), -EINVAL);
	pfx_metric_free(outer);
}

static void test_too_many_names(void **state)
{
	char text[8 * 1100], *at = text;
	struct pfx_error err = {0};
	struct pfx_metric *metric;
	int i;

	(void)state;
	for (i = 0; i < 1001; i++)
		at += sprintf(at, "+n%d", i);
	assert_int_equal(pfx_metric_parse(&metric, text + 1, &err), -EINVAL);
	assert_non_null(strstr(err.text, "it has too many names at character"));
	*strrchr(text, '+') = '\0';
	assert_int_equal(pfx_metric_parse(&metric, text + 1, &err), 0);
	assert_int_equal(pfx_metric_nr_ids(metric), 1000);
	pfx_metric_free(metric);
}

static double three(void *context, size_t id)
{
	(void)context;
	(void)id;
	return 3;
}

/* The number of PMUs whose counts are summed in one value. */
static void test_sources(void **state)
{
	struct pfx_metric_machine many = machine;
	struct pfx_error err = {0};
	struct pfx_metric *metric;
	double value;

	(void)state;
	many.sources = three;
	assert_int_equal(
		pfx_metric_parse(&metric, "source_count(a) * 10 + source_count(missing)", &err), 0);
	assert_true(pfx_metric_eval(metric, &many, value_of, metric, &value));
	assert_true(value == 30);
	pfx_metric_free(metric);
}

/* Constants of the machine are evaluated; only the names that are still needed remain. */
static void test_fold(void **state)
{
	static const struct {
		const char *text;
		size_t nr_ids;
		double value;
	} rows[] = {
		{"a / 2 if #smt_on else b", 1, 0.5},
		{"a if #core_wide else b", 1, 2},
		{"c + (a if #num_cpus < 4 else (b if #smt_on else d)) + e", 3, 10},
		{"missing if #slots < 1 else a", 1, 1},
		{"a if b < 3 else c", 3, 1},
		{"a if has_event(missing) else c", 3, 3},
		{"(a + b if #smt_on else c) + c", 3, 6},
		{"1 if strcmp_cpuid_str(GenuineIntel) else a", 0, 1},
		{"a if #system_tsc_freq > 1 else b", 2, 0},
	};
	struct pfx_error err = {0};
	struct pfx_metric *metric;
	double value;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(pfx_metric_parse(&metric, rows[i].text, &err), 0);
		pfx_metric_fold(metric, &machine);
		if (pfx_metric_nr_ids(metric) != rows[i].nr_ids)
			fail_msg("'%s' needs %zu", rows[i].text, pfx_metric_nr_ids(metric));
		if (pfx_metric_eval(metric, &machine, value_of, metric, &value))
			assert_true(value == rows[i].value);
		else
			assert_true(rows[i].value == 0);
		pfx_metric_free(metric);
	}
}

static void test_depth(void **state)
{
	char text[2001];
	struct pfx_error err = {0};
	struct pfx_metric *metric;

	(void)state;
	memset(text, '(', 2000);
	text[2000] = '\0';
	assert_int_equal(pfx_metric_parse(&metric, text, &err), -EINVAL);
	memset(text, '-', 2000);
	assert_int_equal(pfx_metric_parse(&metric, text, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),       cmocka_unit_test(test_no_value),
		cmocka_unit_test(test_refused),      cmocka_unit_test(test_names),
		cmocka_unit_test(test_expand),       cmocka_unit_test(test_shared),
		cmocka_unit_test(test_long),         cmocka_unit_test(test_deep_chain),
		cmocka_unit_test(test_needs_itself), cmocka_unit_test(test_too_many_names),
		cmocka_unit_test(test_sources),      cmocka_unit_test(test_fold),
		cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
