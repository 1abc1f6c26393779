/* SPDX-License-Identifier: MIT */
/* load forks|threads|calls: for tests/bench/top, until it is ended. Processes that run a program
 * one after the other; 4,000 threads that work for a moment ten times a second; system calls. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_THREADS  4000
#define STACK_BYTES 65536
#define STEPS       20000
#define PAUSE_US    100000

static void forks(void)
{
	pid_t pid;

	for (;;) {
		pid = fork();
		if (!pid) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
	}
}

static void *work(void *arg)
{
	volatile unsigned long sum = 0;
	int i;

	for (;;) {
		for (i = 0; i < STEPS; i++)
			sum += (unsigned long)i;
		usleep(PAUSE_US);
	}
	return arg;
}

static void threads(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	int i;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (i = 0; i < NR_THREADS; i++)
		if (pthread_create(&thread, &attr, work, NULL))
			fprintf(stderr, "load: only %d threads\n", i);
	pause();
}

static void calls(void)
{
	for (;;)
		syscall(SYS_getppid);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "forks"))
		forks();
	else if (argc == 2 && !strcmp(argv[1], "threads"))
		threads();
	else if (argc == 2 && !strcmp(argv[1], "calls"))
		calls();
	fprintf(stderr, "usage: load forks|threads|calls\n");
	return 1;
}
