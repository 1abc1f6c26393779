/* SPDX-License-Identifier: MIT */
/* Two threads and main in a recursion whose innermost function works. */
#include <pthread.h>

static volatile unsigned long sum;

static __attribute__((noinline)) void leaf(unsigned long nr)
{
	unsigned long i;

	for (i = 0; i < nr; i++)
		sum += i * i;
}

static __attribute__((noinline)) void deeper(int depth, unsigned long nr)
{
	if (depth)
		deeper(depth - 1, nr);
	else
		leaf(nr);
	sum++;
}

static void *work(void *nr)
{
	int i;

	for (i = 0; i < 300; i++)
		deeper(10, (unsigned long)nr);
	return NULL;
}

int main(void)
{
	void *nr = (void *)400000ul;
	pthread_t threads[2];
	int i;

	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, nr);
	work(nr);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
