/* SPDX-License-Identifier: MIT */
/* The retirement latency: the mean of the samples' values, for each event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event/sample.h"
#include "stat/latency.h"

static void put_sample(struct pfx_latency *latency, uint64_t id, uint16_t cycles,
		       struct pfx_buffer *to)
{
	const struct pfx_attr *attr = &latency->counters.list.at[0].attr;
	struct pfx_sample sample = {
		.type = attr->sample_type, .id = id, .weight = 9, .weight2 = 8, .weight3 = cycles};

	assert_true(pfx_sample_encode(&sample, attr, to));
}

static void expect(struct pfx_latency *latency, size_t row, uint64_t wanted)
{
	uint64_t mean;

	assert_true(pfx_latency_mean(latency, row, &mean));
	assert_int_equal(mean, wanted);
}

static void means_of_samples(void **state)
{
	const struct pfx_attr attr = {.type = PFX_TYPE_RAW, .config = 0x1cd, .size = 128};
	struct pfx_attr rated = attr;
	struct pfx_latency latency = {0};
	struct pfx_buffer records = {0};
	uint64_t mean;
	size_t i;

	(void)state;
	rated.sample_period = 1000;
	pfx_attr_set_precise(&rated, 3);
	pfx_latency_add(&latency, &attr, "a:R", (struct pfx_latency_sum){.row = 4});
	pfx_latency_add(&latency, &rated, "b:R", (struct pfx_latency_sum){.row = 6, .known = 19.5});
	expect(&latency, 6, 20); /* the table's, without samples */
	assert_int_equal(pfx_attr_precise(&latency.counters.list.at[0].attr), 1);
	assert_true(latency.counters.list.at[0].attr.flags & PFX_ATTR_FREQ);
	assert_int_equal(pfx_attr_precise(&latency.counters.list.at[1].attr), 3);
	assert_int_equal(latency.counters.list.at[1].attr.sample_period, 1000);
	for (i = 0; i < 2; i++) {
		struct pfx_counter_fd fd = {.fd = -1, .id = 70 + i};

		pfx_vec_push(&latency.counters.list.at[i].fds, fd);
	}
	assert_false(pfx_latency_mean(&latency, 4, &mean));
	put_sample(&latency, 70, 10, &records);
	put_sample(&latency, 71, 65535, &records);
	put_sample(&latency, 70, 21, &records);
	put_sample(&latency, 99, 1000, &records); /* of an unknown event */
	pfx_latency_take(&latency, records.at, records.len);
	expect(&latency, 4, 16);
	expect(&latency, 6, 65535);
	assert_false(pfx_latency_mean(&latency, 4, &mean));
	/* the next interval; a truncated record ends the data */
	pfx_latency_take(&latency, records.at, records.len / 4 + 8);
	expect(&latency, 4, 10);
	assert_false(pfx_latency_mean(&latency, 5, &mean));
	pfx_buffer_fini(&records);
	for (i = 0; i < 2; i++)
		latency.counters.list.at[i].fds.nr = 0;
	pfx_latency_fini(&latency);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(means_of_samples)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
