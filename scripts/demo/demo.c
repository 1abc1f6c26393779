/* SPDX-License-Identifier: MIT */
/*
 * A program worth profiling: for some seconds it makes text, counts its words, sorts them, and
 *looks for primes, in two threads. The work is uneven on purpose, so that the report has a shape.
 *
 *	pfx-demo [seconds]	(of CPU time in each thread; 3 unless told)
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORDS    20000
#define BUCKETS  4096
#define WORD_MAX 12

struct word {
	char text[WORD_MAX];
	unsigned count;
	struct word *next;
};

struct dictionary {
	struct word words[WORDS];
	struct word *buckets[BUCKETS];
	size_t nr;
};

static double seconds = 3;

static uint64_t random_number(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void make_word(uint64_t *state, char *text)
{
	size_t len = 3 + random_number(state) % 3;
	size_t i;

	for (i = 0; i < len; i++)
		text[i] = (char)('a' + random_number(state) % 11);
	text[len] = '\0';
}

static unsigned hash_word(const char *text)
{
	unsigned h = 5381;

	while (*text)
		h = h * 33 + (unsigned char)*text++;
	return h % BUCKETS;
}

static void count_word(struct dictionary *d, const char *text)
{
	struct word **at = &d->buckets[hash_word(text)];

	for (; *at; at = &(*at)->next) {
		if (!strcmp((*at)->text, text)) {
			(*at)->count++;
			return;
		}
	}
	if (d->nr == WORDS)
		return;
	*at = &d->words[d->nr++];
	strcpy((*at)->text, text);
	(*at)->count = 1;
}

static int by_count(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->text, y->text);
}

static unsigned count_words(struct dictionary *d, uint64_t *state)
{
	char text[WORD_MAX];
	int i;

	memset(d, 0, sizeof(*d));
	for (i = 0; i < 100000; i++) {
		make_word(state, text);
		count_word(d, text);
	}
	qsort(d->words, d->nr, sizeof(d->words[0]), by_count);
	return d->words[0].count;
}

static int is_prime(unsigned n)
{
	unsigned i;

	for (i = 2; i * i <= n; i++)
		if (n % i == 0)
			return 0;
	return n > 1;
}

static unsigned count_primes(unsigned from, unsigned to)
{
	unsigned nr = 0;

	for (; from < to; from++)
		nr += (unsigned)is_prime(from);
	return nr;
}

/* What the thread has worked, so that a busy machine makes it take longer, not do less. */
static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void *text_thread(void *arg)
{
	struct dictionary *d = malloc(sizeof(*d));
	uint64_t state = 88172645463325252ull;
	double end = now() + seconds;
	unsigned long total = 0;

	while (d && now() < end)
		total += count_words(d, &state);
	free(d);
	*(unsigned long *)arg = total;
	return NULL;
}

static void *prime_thread(void *arg)
{
	double end = now() + seconds;
	unsigned long total = 0;

	while (now() < end)
		total += count_primes(1000000, 1010000);
	*(unsigned long *)arg = total;
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long words = 0, primes = 0;
	pthread_t text, prime;

	if (argc > 1)
		seconds = atof(argv[1]);
	if (pthread_create(&text, NULL, text_thread, &words) ||
	    pthread_create(&prime, NULL, prime_thread, &primes))
		return 1;
	pthread_join(text, NULL);
	pthread_join(prime, NULL);
	printf("the most frequent words came %lu times, and there were %lu primes\n", words,
	       primes);
	return 0;
}
