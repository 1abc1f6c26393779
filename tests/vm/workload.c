/* SPDX-License-Identifier: MIT */
/*
 * What is recorded in a guest: two threads that work in functions of known shares, one of them at
 * the bottom of a deep recursion, and sleep in between. Runs for the milliseconds of CPU time that
 * its argument says, so that emulation may be as slow as it likes.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define DEPTH 60

static volatile uint64_t sink;

static long cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

__attribute__((noinline)) void spin(unsigned rounds)
{
	uint64_t x = sink;
	unsigned i;

	for (i = 0; i < rounds; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	sink = x;
}

/* Three quarters of the time. */
__attribute__((noinline)) void busy(void)
{
	spin(30000);
	sink++;
}

/* A quarter. */
__attribute__((noinline)) void idle_hands(void)
{
	spin(10000);
	sink++;
}

__attribute__((noinline)) uint64_t down(unsigned depth, long end)
{
	uint64_t below = 0;

	if (depth)
		below = down(depth - 1, end);
	else
		while (cpu_ms() < end) {
			busy();
			idle_hands();
		}
	return below + sink;
}

static void *work(void *arg)
{
	const long *ms = arg;

	down(DEPTH, *ms / 2);
	usleep(20000);
	down(0, *ms);
	return NULL;
}

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 500;
	pthread_t other;

	if (pthread_create(&other, NULL, work, &ms))
		return 1;
	work(&ms);
	pthread_join(other, NULL);
	return 0;
}
