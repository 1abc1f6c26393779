/* SPDX-License-Identifier: MIT */
/* Functions inlined in others, at the leaf and further up, for chains with and without frame
 * pointers. */
#include <stdio.h>
#include <stdlib.h>
static inline __attribute__((always_inline)) unsigned mix(unsigned x)
{
	for (int i = 0; i < 200; i++)
		x = x * 1664525u + 1013904223u;
	return x;
}
static inline __attribute__((always_inline)) unsigned twice(unsigned x)
{
	x = mix(x);
	return mix(x ^ 5) + 1;
}
__attribute__((noinline)) unsigned leaf(unsigned x)
{
	return twice(x) + 3;
}
static inline __attribute__((always_inline)) unsigned hop(unsigned x)
{
	return leaf(x) * 3;
}
__attribute__((noinline)) unsigned mid(unsigned x)
{
	unsigned r = hop(x);
	return r ^ hop(r + 1);
}
int main(int argc, char **argv)
{
	unsigned r = 1;
	unsigned long n = argc > 1 ? strtoul(argv[1], 0, 0) : 3000000;
	while (n--)
		r += mid(r);
	printf("%u\n", r);
	return 0;
}
