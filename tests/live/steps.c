/* SPDX-License-Identifier: MIT */
/*
 * A workload whose steps are known: functions called so many times by threads, processes and after
 * an exec, and sleeps of known length in known functions.
 *	steps calls		5 calls of step_work() in each of main, a thread, and a child, and
 *				all of it again after an exec; each calls step_inner() twice
 *	steps sleep MS		asleep for MS in step_sleep()
 *	steps lock MS		a thread waits for a lock for MS in step_lock()
 *	steps pipe MS		a child waits for a byte for MS in step_read()
 *	steps many MS N		N sleeps of MS in step_sleep()
 *	steps watch		step_write() called 7 times writes step_watched,
 *				step_look() called 11 times reads it
 *	steps spin MS		busy for MS of CPU time
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEP    __attribute__((noinline, used))
#define BARRIER __asm__ volatile("" ::: "memory")

extern volatile long step_watched;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

STEP static void step_inner(void)
{
	BARRIER;
}

STEP static void step_work(void)
{
	step_inner();
	step_inner();
	BARRIER;
}

STEP static void step_sleep(long ms)
{
	struct timespec left = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&left, &left) < 0)
		;
	BARRIER;
}

STEP static void step_lock(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	BARRIER;
}

STEP static ssize_t step_read(int fd)
{
	char byte;
	ssize_t got = read(fd, &byte, 1);

	BARRIER;
	return got;
}

static void *five(void *arg)
{
	int i;

	for (i = 0; i < 5; i++)
		step_work();
	return arg;
}

static int calls(const char *self, int depth)
{
	pthread_t thread;
	pid_t child;
	int status;

	five(NULL);
	if (pthread_create(&thread, NULL, five, NULL))
		return 3;
	pthread_join(thread, NULL);
	child = fork();
	if (child < 0)
		return 4;
	if (child == 0) {
		five(NULL);
		if (depth == 0)
			execl(self, self, "calls", "again", NULL);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 5;
}

static void *locker(void *arg)
{
	step_lock();
	return arg;
}

static int locks(long ms)
{
	pthread_t thread;

	pthread_mutex_lock(&lock);
	if (pthread_create(&thread, NULL, locker, NULL))
		return 3;
	step_sleep(ms);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}

static int pipes(long ms)
{
	int fds[2];
	pid_t child;

	if (pipe(fds) < 0)
		return 3;
	child = fork();
	if (child == 0)
		_exit(step_read(fds[0]) == 1 ? 0 : 1);
	step_sleep(ms);
	if (write(fds[1], "x", 1) != 1)
		return 4;
	waitpid(child, NULL, 0);
	return 0;
}

static int spin(long ms)
{
	int i;

	while (clock() < ms * (CLOCKS_PER_SEC / 1000))
		for (i = 0; i < 10000; i++)
			step_work();
	return 0;
}

volatile long step_watched;

STEP static void step_write(long value)
{
	step_watched = value;
	BARRIER;
}

STEP static long step_look(void)
{
	long value = step_watched;

	BARRIER;
	return value;
}

static int watch(void)
{
	long i, sum = 0;

	for (i = 0; i < 7; i++)
		step_write(i);
	for (i = 0; i < 11; i++)
		sum += step_look();
	return sum != 66;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long ms = argc > 2 ? atol(argv[2]) : 0, n = argc > 3 ? atol(argv[3]) : 1;

	if (!strcmp(what, "calls"))
		return calls(argv[0], argc > 2);
	if (!strcmp(what, "lock"))
		return locks(ms);
	if (!strcmp(what, "pipe"))
		return pipes(ms);
	if (!strcmp(what, "watch"))
		return watch();
	if (!strcmp(what, "spin"))
		return spin(ms);
	while (n-- > 0)
		step_sleep(ms);
	return 0;
}
