/* SPDX-License-Identifier: MIT */
/* Timelines of small made profiles. */
#include <errno.h>

#include "view/timeline.h"
#include "view_world.h"

static void begin(void)
{
	uint32_t i;

	world_begin(true);
	for (i = 0; i < 10; i++)
		world_add_as("ab", &(struct world_sample){.thread = i % 2,
							  .cpu = i / 5,
							  .period = 1u << i,
							  .time = 100 + 10 * i});
	world_ready();
}

/* "main: 1 4 worker: 2 8" */
static void expect(const struct pfx_timeline_options *options, const char *expected)
{
	const struct pfx_timeline_lane *lane;
	struct pfx_timeline timeline;
	struct pfx_str text = {0};
	uint64_t sum;
	uint32_t i, k;

	assert_int_equal(pfx_timeline_make(&timeline, world_select(), options, NULL), 0);
	for (i = 0; i < timeline.nr_lanes; i++) {
		lane = &timeline.lanes[i];
		pfx_str_addf(&text, "%s%s:", i ? " " : "",
			     options->one_lane                 ? "all"
			     : options->lanes == PFX_VIEW_COMM ? world.profile->comms[lane->id]
							       : "cpu");
		for (k = 0, sum = 0; k < timeline.nr_cells; sum += lane->cells[k++]) {
			pfx_str_addf(&text, " %d", (int)lane->cells[k]);
			assert_true(lane->cells[k] <= timeline.max);
		}
		assert_int_equal(sum, lane->total);
	}
	assert_string_equal(pfx_str_get(&text), expected);
	pfx_str_fini(&text);
	pfx_timeline_fini(&timeline);
}

static void test_lanes(void **state)
{
	struct pfx_timeline_options options = {.one_lane = true, .nr_cells = 3};

	begin();
	/* 91 ns in cells of 31 ns: 100 to 130, 131 to 161, 162 to 192 */
	expect(&options, "all: 15 112 896");
	options.nr_cells = 1;
	expect(&options, "all: 1023");
	options = (struct pfx_timeline_options){.lanes = PFX_VIEW_COMM, .nr_cells = 2};
	expect(&options, "main: 21 320 worker: 10 672");
	options.by_weight = true;
	expect(&options, "worker: 10 672 main: 21 320");
	options.max_lanes = 1;
	expect(&options, "worker: 10 672");
	options = (struct pfx_timeline_options){.lanes = PFX_VIEW_CPU, .nr_cells = 2};
	options.measure = PFX_MEASURE_SAMPLES;
	expect(&options, "cpu: 5 0 cpu: 0 5");
	world_end();
}

/* Both ends of the range belong to it; cells are at least 1 ns. */
static void test_range(void **state)
{
	struct pfx_timeline_options options = {
		.one_lane = true, .nr_cells = 2, .start = 110, .end = 130};

	begin();
	expect(&options, "all: 6 8");
	options.start = options.end = 150;
	expect(&options, "all: 32");
	options.start = options.end = 151;
	expect(&options, "all: 0");
	options.end = 150;
	expect(&options, "");
	options = (struct pfx_timeline_options){
		.one_lane = true, .nr_cells = 1, .start = 1, .end = UINT64_MAX};
	expect(&options, "all: 1023");
	pfx_view_filter_add_name(&world.filter, PFX_VIEW_CPU, "1");
	options.nr_cells = 0;
	expect(&options, "");
	options.nr_cells = UINT32_MAX;
	options.start = 190;
	options.end = 191;
	expect(&options, "all: 512 0");
	world_end();
}

static void test_without(void **state)
{
	const struct pfx_timeline_options options = {.one_lane = true, .nr_cells = 2};
	struct pfx_timeline timeline;
	struct pfx_error err = {0};

	world_begin(false);
	world_ready();
	assert_int_equal(pfx_timeline_make(&timeline, world_select(), &options, &err), -EINVAL);
	assert_string_equal(err.text, "there is no timeline: the profile was read without times");
	world_end();
	world_begin(true);
	world_ready();
	expect(&options, "");
	world_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
