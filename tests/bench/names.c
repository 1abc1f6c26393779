/* SPDX-License-Identifier: MIT */
/*
 * How long the look-up of a vendor event by name takes: every name of every CPU in the table, many
 * times. Prints nanoseconds a look-up; tests/bench/run shows it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "pmu/vendor/vendor.h"
#include "pmu/vendor/vendor_table.h"

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static size_t look_up_all(void)
{
	struct pfx_arena arena = {0};
	struct pfx_vendor_event event;
	size_t nr = 0, i;
	uint32_t c;

	for (c = 0; c < pfx_vendor_nr_cpus; c++)
		for (i = 0; i < pfx_vendor_nr_events(&pfx_vendor_cpu_rows[c]); i++, nr++) {
			pfx_vendor_event_at(&pfx_vendor_cpu_rows[c], i, &arena, &event);
			if (pfx_vendor_find_event(&pfx_vendor_cpu_rows[c], event.name) < 0)
				abort();
			pfx_arena_clear(&arena);
		}
	return nr;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 5, i;
	double start = seconds();
	size_t nr = 0;

	for (i = 0; i < rounds; i++)
		nr += look_up_all();
	printf("%.0f\n", nr ? (seconds() - start) * 1e9 / (double)nr : 0);
	return 0;
}
