/* SPDX-License-Identifier: MIT */
/*
 * A workload whose call chains are hard to find without frame pointers: recursion, callbacks of the
 * C library, signal handlers (on the stack and on one of their own), a realigned stack, alloca,
 * calls through a linkage table, threads.
 *
 *	unwind [what...]
 */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile unsigned long sink;

static NOINLINE int burn(int n)
{
	for (int i = 0; i < n * 4000; i++)
		sink = sink * 31 + (unsigned long)i;
	return (int)(sink & 1);
}

static NOINLINE int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b + (burn(1) & 0);
}

static NOINLINE int sort(int n)
{
	int values[128];

	for (int i = 0; i < 128; i++)
		values[i] = (i * 37 + n) % 128;
	qsort(values, 128, sizeof(values[0]), compare);
	return values[n & 127];
}

static NOINLINE int descend(int depth, int (*then)(int))
{
	char pad[24];

	memset(pad, depth, sizeof(pad));
	if (!depth)
		return then(3) + pad[1];
	return descend(depth - 1, then) + pad[depth % 24];
}

static NOINLINE int realigned(int n)
{
	_Alignas(64) volatile char wide[128];
	char *more = alloca((size_t)n * 16 + 16);

	memset(more, n, (size_t)n * 16 + 16);
	wide[n] = more[n];
	return burn(20) + wide[n];
}

static void on_signal(int number)
{
	burn(150);
}

static NOINLINE int interrupted(int n)
{
	for (int i = 0; i < 20; i++) {
		raise(SIGUSR1);
		burn(20);
	}
	return n;
}

static NOINLINE int linked(int n)
{
	char text[64];

	for (int i = 0; i < 400; i++) {
		snprintf(text, sizeof(text), "%d %s", i, "words");
		sink += strlen(text) + (unsigned long)strtol(text, NULL, 10);
	}
	return n;
}

static void *in_thread(void *arg)
{
	for (int i = 0; i < 10; i++)
		sink += (unsigned long)descend(10, i % 2 ? sort : realigned);
	return arg;
}

static NOINLINE int threads(int n)
{
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, in_thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return n;
}

static void handle_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	struct itimerval often = {{0, 7000}, {0, 7000}};

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

int main(int argc, char **argv)
{
	static int (*const all[])(int) = {sort, realigned, linked, interrupted, threads};
	int sum = 0;

	if (argc < 2)
		handle_signals();
	for (int i = 0; i < 40; i++)
		sum += descend(i, all[i % 5]);
	printf("%d\n", sum & 1);
	return 0;
}
