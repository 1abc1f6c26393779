/* SPDX-License-Identifier: MIT */
/* Rows of samples for profiles that are made again and again: their counts, their ages, and that
 * the addresses of a function become one row. */
#include "unit/hist/hist_world.h"

#include "view/profile/profile.h"
#include "view/profile_counts.h"

#define PID 4194262

static void add(struct pfx_profile_counts *counts, uint64_t ip, uint32_t tid)
{
	const struct pfx_sample sample = {
		.cpumode = PFX_MODE_USER, .pid = PID, .tid = tid, .ip = ip, .period = 1000};

	pfx_profile_counts_add(counts, world.meta->events[0], &sample,
			       pfx_session_thread(world.session, PID, tid));
}

/* The number of rows; *@ret_samples: of the function with this name. */
static uint32_t rows_of(struct pfx_profile_counts *counts, const char *name, uint64_t *ret_samples)
{
	struct pfx_profile *profile = pfx_profile_counts_make(counts);
	uint32_t nr = profile->nr_rows, nr_functions = profile->nr_functions, i, found = 0;
	uint64_t total, period;

	for (i = 0; i < nr_functions; i++)
		found += !strcmp(profile->functions[i].name, name);
	assert_int_equal(found, 1);
	*ret_samples = profile->events[0].nr_samples;
	pfx_profile_counts_total(counts, 0, &total, &period);
	assert_int_equal(total, *ret_samples);
	for (i = 0; i < nr; i++)
		period -= profile->row_period[i];
	assert_int_equal(period, 0);
	pfx_profile_counts_total(counts, 1, &total, &period);
	assert_int_equal(total + period, 0);
	pfx_profile_free(profile);
	return nr;
}

/* 64 addresses of function a, one of b, each in two threads. */
static void fill(struct pfx_profile_counts *counts)
{
	unsigned i;

	for (i = 0; i < 64; i++) {
		add(counts, WORLD_START + i, PID);
		add(counts, WORLD_START + i, PID + 1);
	}
	add(counts, WORLD_START + WORLD_SIZE, PID);
	add(counts, WORLD_START + WORLD_SIZE, PID + 1);
}

static void test_ages(void **state)
{
	struct pfx_profile_counts *counts;
	uint64_t nr_samples;
	uint32_t before;
	unsigned i;

	world_begin(PID);
	counts = pfx_profile_counts_new(world.session, world.resolver, PFX_FRAMES_BY_FUNCTION);
	fill(counts);
	before = rows_of(counts, "a", &nr_samples);
	assert_int_equal(nr_samples, 130);
	pfx_profile_counts_age(counts, 7, 8);
	assert_true(rows_of(counts, "a", &nr_samples) <= 4 && before >= 4);
	assert_int_equal(nr_samples, 2 * 56 + 2);
	/* What is less than a part of a sample is forgotten; a has more than b. */
	for (i = 0; i < 12; i++)
		pfx_profile_counts_age(counts, 7, 8);
	assert_int_equal(rows_of(counts, "a", &nr_samples), 2);
	pfx_profile_counts_free(counts);
	world_end();
}

/* With source lines and times, addresses stay apart. */
static void test_apart(void **state)
{
	struct pfx_profile_counts *counts;
	uint64_t nr_samples;

	world_begin(PID);
	counts = pfx_profile_counts_new(world.session, world.resolver, PFX_FRAMES_BY_ADDRESS);
	fill(counts);
	pfx_profile_counts_age(counts, 7, 8);
	assert_int_equal(rows_of(counts, "a", &nr_samples), 130);
	assert_int_equal(nr_samples, 130);
	pfx_profile_counts_free(counts);
	world_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ages),
		cmocka_unit_test(test_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
