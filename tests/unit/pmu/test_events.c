/* SPDX-License-Identifier: MIT */
/* Event words that are accepted, and their attrs, on several kinds of machines. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "unit/pmu/pmu_fixture.h"

#define ACCEPTED_MIN 300

/* The words of a row, which follow the machine in @line. */
static void check_accepted(char *line, const char *wanted)
{
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};
	struct pfx_str text = {0};
	char *tab = strchr(line, '\t');

	assert_non_null(tab);
	*tab = '\0';
	if (fixture_parse(&machines, line + (*line == '!'), tab + 1, &list, &err))
		fail_msg("'%s' was refused: %s\n%s", tab + 1, err.text, err.hint);
	fixture_list_text(&text, &list);
	assert_string_equal(pfx_str_get(&text), wanted);
	pfx_str_fini(&text);
	pfx_event_list_fini(&list);
}

static void accepted_words(void **state)
{
	assert_in_range(fixture_rows("accepted.txt", check_accepted), ACCEPTED_MIN, 10000);
}

static void lists_are_appended(void **state)
{
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};

	assert_int_equal(fixture_parse(&machines, "x86", "{cycles,cs}", &list, &err), 0);
	assert_int_equal(fixture_parse(&machines, "x86", "faults,{cycles,cs}:u", &list, &err), 0);
	assert_int_equal(list.specs.nr, 5);
	assert_int_equal(list.nr_groups, 2);
	assert_int_equal(list.specs.at[1].group, 1);
	assert_int_equal(list.specs.at[2].group, 0);
	assert_int_equal(list.specs.at[4].group, 2);
	/* an error at the end does not change the list */
	assert_int_equal(fixture_parse(&machines, "x86", "{cs,faults},cs,oops", &list, &err),
			 -EINVAL);
	assert_int_equal(list.specs.nr, 5);
	assert_int_equal(list.nr_groups, 2);
	pfx_event_list_fini(&list);
	assert_int_equal(list.specs.nr, 0);
}

/* A group of events that all kinds of cores have becomes one group for each kind. */
static void groups_follow_the_cores(void **state)
{
	static const char *const names[] = {"cpu_core/cycles/", "cs", "cpu_core/instructions/",
					    "cpu_atom/cycles/", "cpu_atom/instructions/"};
	static const uint32_t groups[] = {1, 1, 1, 2, 2};
	struct pfx_event_list list = {0};
	size_t i;

	assert_int_equal(fixture_parse(&machines, "hyb", "{cycles,cs,instructions}", &list, NULL),
			 0);
	assert_int_equal(list.specs.nr, 5);
	for (i = 0; i < 5; i++) {
		assert_string_equal(list.specs.at[i].name, names[i]);
		assert_int_equal(list.specs.at[i].group, groups[i]);
	}
	pfx_event_list_fini(&list);
}

/* The typed name is kept if a kind of core is added to the name. */
static void bare_names(void **state)
{
	static const char *const rows[][3] = {
		{"cycles:u", "cpu_core/cycles/u", "cycles:u"},
		{"cycles/name=x/", "x", "x"},
		{"cpu_core/cycles/", "cpu_core/cycles/", NULL},
		{"cs", "cs", NULL},
	};
	struct pfx_event_list list;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		list = (struct pfx_event_list){0};
		assert_int_equal(fixture_parse(&machines, "hyb", rows[i][0], &list, NULL), 0);
		assert_string_equal(list.specs.at[0].name, rows[i][1]);
		if (rows[i][2])
			assert_string_equal(list.specs.at[0].bare_name, rows[i][2]);
		else
			assert_null(list.specs.at[0].bare_name);
		pfx_event_list_fini(&list);
	}
}

static void attr_sizes(void **state)
{
	struct pfx_event_list list = {0};

	assert_int_equal(fixture_parse(&machines, "arm",
				       "cs,cs/config3=1/,cs/config4=1/,"
				       "arm_spe_0/inv_event_filter=1/",
				       &list, NULL),
			 0);
	assert_int_equal(list.specs.at[0].attr.size, PFX_ATTR_SIZE_VER7);
	assert_int_equal(list.specs.at[1].attr.size, PFX_ATTR_SIZE_VER8);
	assert_int_equal(list.specs.at[2].attr.size, PFX_ATTR_SIZE_VER9);
	assert_int_equal(list.specs.at[3].attr.size, PFX_ATTR_SIZE_VER8);
	pfx_event_list_fini(&list);
}

/* A default EXCLUDE_GUEST may be dropped, one from a modifier may not. */
static void guest_default(void **state)
{
	static const struct {
		const char *words;
		bool is_default, is_excluded;
	} rows[] = {
		{"cycles", true, true},         {"cycles:u", false, true},
		{"cycles:k", false, false},     {"cycles:G", false, false},
		{"cycles:H", false, true},      {"{cycles,cs}:S", true, true},
		{"{cycles,cs}:p", false, true}, {"{cycles:k,cs}:D", false, false},
	};
	struct pfx_event_list list;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		list = (struct pfx_event_list){0};
		assert_int_equal(fixture_parse(&machines, "x86", rows[i].words, &list, NULL), 0);
		assert_int_equal(list.specs.at[0].exclude_guest_default, rows[i].is_default);
		assert_int_equal(!!(list.specs.at[0].attr.flags & PFX_ATTR_EXCLUDE_GUEST),
				 rows[i].is_excluded);
		pfx_event_list_fini(&list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepted_words),
		cmocka_unit_test(lists_are_appended),
		cmocka_unit_test(groups_follow_the_cores),
		cmocka_unit_test(attr_sizes),
		cmocka_unit_test(bare_names),
		cmocka_unit_test(guest_default),
	};

	return cmocka_run_group_tests(tests, make_machines, remove_machines);
}
