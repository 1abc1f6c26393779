/* SPDX-License-Identifier: MIT */
/*
 * The noise of comparisons, with simulated recordings: how many reports of 200 raise a false alarm,
 * and how many find a planted slowdown. Run by tests/bench/run; arguments: number of pairs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/diff/simulated_pairs.h"

int main(int argc, char **argv)
{
	uint32_t nr = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 200;
	size_t i;

	for (i = 0; i < sizeof(sim_cases) / sizeof(*sim_cases); i++) {
		struct sim_result result = sim_try(&sim_cases[i], nr);

		printf("%-58s %3u of %u reports with another row beyond noise", sim_cases[i].title,
		       result.alarms, nr);
		if (sim_cases[i].slower > 1)
			printf(", target found in %u", result.found);
		printf("\n");
	}
	return 0;
}
