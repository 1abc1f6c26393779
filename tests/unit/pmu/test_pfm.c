/* SPDX-License-Identifier: MIT */
/* Events with names of libpfm4: the kernel's events, which exist on every machine. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "pmu/pfm.h"
#include "unit/pmu/pmu_fixture.h"

static bool is_built_in(void)
{
	struct pfx_event_list list = {0};
	int rc = pfx_pfm_parse(&list, "perf::PAGE-FAULTS", NULL);

	pfx_event_list_fini(&list);
	return rc != -ENOTSUP;
}

static void names(void **state)
{
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};
	struct pfx_str text = {0};

	assert_int_equal(pfx_pfm_parse(&list,
				       "perf::PAGE-FAULTS:u,{perf::CONTEXT-SWITCHES:u,"
				       "perf::CPU-CLOCK:u},{perf::CPU-CLOCK:u}",
				       &err),
			 0);
	fixture_list_text(&text, &list);
	assert_string_equal(pfx_str_get(&text), "perf::PAGE-FAULTS:u 1:2 -khG\n"
						"perf::CONTEXT-SWITCHES:u 1:3 -khG g1\n"
						"perf::CPU-CLOCK:u 1:0 -khG g1\n"
						"perf::CPU-CLOCK:u 1:0 -khG");
	assert_int_equal(list.nr_groups, 1);
	pfx_str_fini(&text);
	pfx_event_list_fini(&list);
}

static void mistakes(void **state)
{
	static const char *const words[] = {
		"zz::x",
		"{perf::CPU-CLOCK",
		"perf::CPU-CLOCK}",
		"{{perf::CPU-CLOCK}}",
		"",
		",",
		"perf::CPU-CLOCK,zz",
		"{perf::CPU-CLOCK,perf::CPU-CLOCK},{",
	};
	struct pfx_event_list list = {0};
	struct pfx_error err;

	assert_int_equal(pfx_pfm_parse(&list, "perf::CPU-CLOCK", NULL), 0);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		err = (struct pfx_error){0};
		assert_int_equal(pfx_pfm_parse(&list, words[i], &err), -EINVAL);
		assert_true(err.text[0]);
		assert_int_equal(list.specs.nr, 1);
		assert_int_equal(list.nr_groups, 0);
	}
	pfx_event_list_fini(&list);
}

/* Each listed name is accepted. */
static void listed_names(void **state)
{
	struct pfx_catalog catalog = {0};
	struct pfx_event_list list = {0};
	size_t i, found = 0;

	assert_int_equal(pfx_pfm_catalog(&catalog, NULL), 0);
	assert_true(catalog.events.nr > 20);
	for (i = 0; i < catalog.events.nr; i++) {
		const char *name = catalog.events.at[i].name;

		if (strcmp(name, "perf::PAGE-FAULTS") && strcmp(name, "perf::CPU-CLOCK"))
			continue;
		found++;
		assert_int_equal(pfx_pfm_parse(&list, name, NULL), 0);
	}
	assert_int_equal(found, 2);
	pfx_event_list_fini(&list);
	pfx_catalog_fini(&catalog);
}

/* Without the library the option is an error, and nothing else changes. */
static void not_built_in(void **state)
{
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};

	assert_int_equal(pfx_pfm_parse(&list, "perf::CPU-CLOCK", &err), -ENOTSUP);
	assert_string_equal(err.text,
			    "events by the names of libpfm4 need a pfx that is built with it");
	assert_int_equal(list.specs.nr, 0);
}

int main(void)
{
	const struct CMUnitTest with[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(listed_names),
	};
	const struct CMUnitTest without[] = {
		cmocka_unit_test(not_built_in),
	};

	if (is_built_in())
		return cmocka_run_group_tests_name("with", with, NULL, NULL);
	return cmocka_run_group_tests_name("without", without, NULL, NULL);
}
