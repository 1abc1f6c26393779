/* SPDX-License-Identifier: MIT */
/*
 * A workload with deep call chains: recursion through a handful of functions to a depth that varies
 * between 20 and 60 frames, a little arithmetic at the bottom. Without TURNS hardly any chain comes
 *twice; with it the calls are the same again after so many.
 *
 *	deep [SECONDS [TURNS]]
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

#define LEAF(name, factor)                                \
	static __attribute__((noinline)) void name(int n) \
	{                                                 \
		int i;                                    \
                                                          \
		for (i = 0; i < 400 + n; i++)             \
			sink = sink * factor + 1;         \
	}
LEAF(leaf_mix, 31)
LEAF(leaf_fold, 33)
LEAF(leaf_scan, 37)

static void descend_left(int depth, int turn);
static void descend_right(int depth, int turn);

static __attribute__((noinline)) void choose(int depth, int turn)
{
	if (depth <= 0) {
		if (turn % 3 == 0)
			leaf_mix(depth);
		else if (turn % 3 == 1)
			leaf_fold(depth);
		else
			leaf_scan(depth);
		return;
	}
	if (turn & 1)
		descend_left(depth, turn);
	else
		descend_right(depth, turn);
	sink++;
}

static __attribute__((noinline)) void descend_left(int depth, int turn)
{
	choose(depth - 1, turn >> 1);
	sink++;
}

static __attribute__((noinline)) void descend_right(int depth, int turn)
{
	choose(depth - 1, turn + 1);
	sink++;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 3;
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
	int turn = 0, turns = argc > 2 ? atoi(argv[2]) : INT_MAX;

	if (turns < 1) {
		fprintf(stderr, "usage: deep [SECONDS [TURNS]]\n");
		return 2;
	}
	while (clock() < end) {
		choose(10 + turn % 20, turn);
		turn = (turn + 1) % turns;
	}
	return sink == 42;
}
