/* SPDX-License-Identifier: MIT */
/* A profile whose rows are in files has the same rows, selection and narrowed profile. */
#include "view/narrow_profile.h"
#include "view_world.h"

#define MANY 1200000u /* columns of four bytes are in files, too */

static void add_many(void)
{
	struct world_sample as = {0};
	uint32_t i;

	for (i = 0; i < MANY; i++) {
		as.time = 1000 + i;
		as.period = i % 7;
		as.thread = i % 3;
		as.cpu = i % 5;
		as.event = i % 2;
		world_add_as(i % 4 ? "abc" : "an", &as);
	}
}

static void check_rows(void)
{
	const struct pfx_profile *profile = world.profile;
	uint32_t i;

	assert_int_equal(profile->nr_rows, MANY);
	for (i = 0; i < MANY; i++) {
		pfx_profile_pass(profile, i);
		if (profile->row_time[i] != 1000 + i || profile->row_period[i] != i % 7 ||
		    profile->row_task[i] != i % 3 || profile->row_event[i] != i % 2 ||
		    profile->cpus[profile->row_cpu[i]] != i % 5)
			fail_msg("row %u", i);
	}
}

static void test_rows(void **state)
{
	const struct pfx_selection *selection;

	world_begin(true);
	pfx_profile_maker_page(world.maker);
	add_many();
	world_ready();
	assert_int_not_equal(world.profile->row_pages->columns[1].file, 0);
	check_rows();
	selection = world_select();
	assert_int_equal(selection->total_samples[0], MANY / 2);
	assert_int_equal(selection->total_samples[1], MANY / 2);
	assert_int_equal(world.profile->events[0].nr_samples, MANY / 2);
	world_end();
}

static void test_narrow(void **state)
{
	struct pfx_profile *narrow;
	uint32_t i;

	world_begin(true);
	pfx_profile_maker_page(world.maker);
	add_many();
	world_ready();
	pfx_view_filter_add_name(&world.filter, PFX_VIEW_EVENT, "misses");
	narrow = pfx_profile_narrow(world_select());
	assert_non_null(narrow->row_pages);
	assert_int_equal(narrow->nr_rows, MANY / 2);
	for (i = 0; i < narrow->nr_rows; i++)
		if (narrow->row_time[i] != 1001 + 2 * i)
			fail_msg("row %u", i);
	pfx_profile_free(narrow);
	world_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_narrow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
