/* SPDX-License-Identifier: MIT */
/* Selects events of a catalog by kind, by word and by similarity. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/catalog_choice.h"

static const struct pfx_catalog_event events[] = {
	{.kind = PFX_CATALOG_HARDWARE, .name = "cpu-cycles", .alias = "cycles", .config = 0},
	{.kind = PFX_CATALOG_HARDWARE, .name = "ref-cycles", .config = 9},
	{.kind = PFX_CATALOG_SOFTWARE, .name = "page-faults", .alias = "faults"},
	{.kind = PFX_CATALOG_TOOL, .name = "duration_time"},
	{.kind = PFX_CATALOG_VENDOR, .name = "old_cycles", .is_deprecated = true},
	{.kind = PFX_CATALOG_VENDOR,
	 .name = "reads",
	 .pmu = "uncore_imc",
	 .text = "Lines from memory"},
	{.kind = PFX_CATALOG_VENDOR, .name = "writes", .pmu = "cpu_atom"},
	{.kind = PFX_CATALOG_FORM, .name = "rNNN"},
	{.kind = PFX_CATALOG_TRACEPOINT, .name = "sched:sched_switch"},
	{.kind = PFX_CATALOG_METRIC, .name = "IPC", .groups = "Summary;Pipeline"},
};

static const struct pfx_catalog catalog = {
	.events = {.at = (struct pfx_catalog_event *)events,
		   .nr = sizeof(events) / sizeof(events[0])},
};

/* The selected names. */
static const char *names(struct pfx_catalog_choice *choice)
{
	static char text[512];
	size_t i, len = 0;

	text[0] = '\0';
	for (i = 0; i < choice->events.nr; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i ? " " : "",
					choice->events.at[i]->name);
	pfx_catalog_choice_fini(choice);
	return text;
}

static void test_kinds(void **state)
{
	struct pfx_catalog_choice choice = {.catalog = &catalog};

	pfx_catalog_choose_kinds(&choice, PFX_CATALOG_SOFTWARE | PFX_CATALOG_TOOL);
	assert_string_equal(names(&choice), "page-faults duration_time");
	pfx_catalog_choose_kinds(&choice, PFX_CATALOG_VENDOR);
	assert_string_equal(names(&choice), "reads writes");
	choice.deprecated = true;
	pfx_catalog_choose_kinds(&choice, PFX_CATALOG_VENDOR);
	assert_string_equal(names(&choice), "old_cycles reads writes");
}

static void test_kind_words(void **state)
{
	char hw[] = "hw", groups[] = "metricgroups", name[] = "cycles";
	char *const known[] = {hw, groups, NULL}, *const mixed[] = {hw, name, NULL};
	char *const none[] = {NULL};

	assert_int_equal(pfx_catalog_kinds_of(known), PFX_CATALOG_HARDWARE | PFX_CATALOG_METRIC);
	assert_int_equal(pfx_catalog_kinds_of(mixed), PFX_CATALOG_ALL);
	assert_int_equal(pfx_catalog_kinds_of(none), PFX_CATALOG_ALL);
	assert_true(pfx_catalog_kind_word("metricgroup")->by_group);
	assert_false(pfx_catalog_kind_word("metric")->by_group);
	assert_null(pfx_catalog_kind_word("HW"));
}

static void check_word(const char *word, size_t nr, const char *wanted)
{
	struct pfx_catalog_choice choice = {.catalog = &catalog};

	assert_int_equal(pfx_catalog_choose_word(&choice, word), nr);
	assert_string_equal(names(&choice), wanted);
}

/* Parts of names, aliases and groups; globs; whole names of tracepoints. */
static void test_words(void **state)
{
	check_word("CYCLES", 2, "cpu-cycles ref-cycles");
	check_word("faults", 1, "page-faults");
	check_word("pipeline", 1, "IPC");
	check_word("c*-cyc?es", 1, "cpu-cycles");
	check_word("rN", 1, "rNNN");
	check_word("r[N]", 0, "");
	check_word("sched:sched_s*", 1, "sched:sched_switch");
	check_word("sched_s*:*", 0, "");
	check_word("nothing", 0, "");
}

static void check_text(const char *words, const char *wanted)
{
	struct pfx_catalog_choice choice = {.catalog = &catalog};

	pfx_catalog_choose_text(&choice, words);
	assert_string_equal(names(&choice), wanted);
}

/* Words of names and descriptions, in any order; they may be cut short. */
static void test_text(void **state)
{
	check_text("memory lines", "reads");
	check_text("MEM reads", "reads");
	check_text("emory", "");
	check_text("memory writes", "");
	check_text("cycles ref", "ref-cycles");
	check_text(" ", "");
}

static void test_units(void **state)
{
	struct pfx_catalog_choice choice = {.catalog = &catalog, .unit = "imc"};

	pfx_catalog_choose_kinds(&choice, PFX_CATALOG_ALL);
	assert_string_equal(names(&choice), "reads");
	choice.unit = "uncore_imc";
	pfx_catalog_choose_kinds(&choice, PFX_CATALOG_ALL);
	assert_string_equal(names(&choice), "reads");
	choice.unit = NULL;
	choice.cputype = "atom";
	pfx_catalog_choose_kinds(&choice, PFX_CATALOG_ALL);
	assert_string_equal(names(&choice), "writes");
}

static bool counts_cycles(uint32_t type, uint64_t config)
{
	return !type && !config;
}

/* Only hardware and cache events are tested by opening them. */
static void test_available(void **state)
{
	struct pfx_catalog_choice choice = {.catalog = &catalog, .is_available = counts_cycles};

	pfx_catalog_choose_kinds(&choice, PFX_CATALOG_HARDWARE | PFX_CATALOG_SOFTWARE);
	assert_string_equal(names(&choice), "cpu-cycles page-faults");
}

/* The best ones, in the catalog's order. */
static void test_near(void **state)
{
	struct pfx_catalog_choice choice = {.catalog = &catalog};

	assert_int_equal(pfx_catalog_choose_near(&choice, "cycls"), 2);
	assert_string_equal(names(&choice), "cpu-cycles ref-cycles");
	assert_int_equal(pfx_catalog_choose_near(&choice, "zzz"), 0);
	pfx_catalog_choice_fini(&choice);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds), cmocka_unit_test(test_kind_words),
		cmocka_unit_test(test_text),  cmocka_unit_test(test_words),
		cmocka_unit_test(test_units), cmocka_unit_test(test_available),
		cmocka_unit_test(test_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
