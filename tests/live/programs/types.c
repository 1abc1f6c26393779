/* SPDX-License-Identifier: MIT */
/* A program that spends its time in loads of known members: through pointers, along arrays, of a
 * variable. The loops are all loads, each of which waits for the one before: samples are of these.
 */
#include <stdio.h>
#include <stdlib.h>

struct weight {
	unsigned gross, net; /* together a scale that addresses have: no shift between loads */
};

struct ring {
	long id;
	struct ring *next;
	struct weight weight;
	char pad[40];
};

struct store {
	long nr;
	struct ring *first;
	struct weight weights[256];
};

#define NR 4096

static struct store store;

__attribute__((noinline, noclone)) static struct ring *chase(struct ring *at, long nr)
{
	while (nr-- > 0) {
		at = at->next->next->next->next->next->next->next->next;
		at = at->next->next->next->next->next->next->next->next;
	}
	return at;
}

/* From one to the next, too: each load waits for the one before. */
__attribute__((noinline, noclone)) static unsigned long hop(const struct store *from,
							    unsigned long at, long nr)
{
	while (nr-- > 0) {
		at = from->weights[from->weights[from->weights[from->weights[at].net].net].net].net;
		at = from->weights[from->weights[from->weights[from->weights[at].net].net].net].net;
	}
	return at;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1000;
	struct ring *rings = calloc(NR, sizeof(*rings));
	unsigned long all = 0;
	long i;

	if (!rings)
		return 1;
	for (i = 0; i < NR; i++)
		rings[i].next = &rings[(i * 1021 + 7) % NR];
	for (i = 0; i < 256; i++)
		store.weights[i].net = (unsigned)(i * 37 + 11) % 256;
	store.first = rings;
	for (i = 0; i < rounds; i++) {
		store.first = chase(store.first, 1000);
		all = hop(&store, all, 1000);
	}
	printf("%ld\n", (long)all + store.first->id);
	return 0;
}
