/* SPDX-License-Identifier: MIT */
/*
 * A workload for the live tests. `storm processes N` starts N processes that end at once. `storm
 * threads N` starts N threads, says "ready", and lets all of them run and end when a line comes.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT_ONCE    100
#define STACK_SIZE (64u << 10)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int processes(int nr)
{
	int i, running = 0;

	for (i = 0; i < nr; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid < 0)
			return 1;
		if (++running == AT_ONCE)
			while (running && wait(NULL) > 0)
				running--;
	}
	while (wait(NULL) > 0)
		;
	return 0;
}

static void *wait_for_lock(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

static int threads(int nr)
{
	pthread_t *thread = calloc((size_t)nr, sizeof(*thread));
	pthread_attr_t attr;
	char line[16];
	int i;

	if (!thread)
		return 1;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_mutex_lock(&lock);
	for (i = 0; i < nr; i++)
		if (pthread_create(&thread[i], &attr, wait_for_lock, NULL))
			return 1;
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	pthread_mutex_unlock(&lock);
	for (i = 0; i < nr; i++)
		pthread_join(thread[i], NULL);
	free(thread);
	return 0;
}

int main(int argc, char **argv)
{
	int nr = argc > 2 ? atoi(argv[2]) : 0;

	if (nr <= 0)
		return 2;
	return strcmp(argv[1], "threads") == 0 ? threads(nr) : processes(nr);
}
