/* SPDX-License-Identifier: MIT */
/*
 * Calls through a library that was opened while the program ran, and a recursion that is deeper
 * than any copy of the stack.
 *
 *	unwind_load LIBRARY
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))
#define DEEP     4000 /* frames, of 48 bytes at least */

typedef int (*plugin_fn)(int (*back)(int), int n);

static volatile unsigned long sink;

static NOINLINE int burn(int n)
{
	for (int i = 0; i < 40000; i++)
		sink = sink * 31 + (unsigned long)(i + n);
	return (int)(sink & 1);
}

static NOINLINE int deep(int depth)
{
	char pad[24];

	memset(pad, depth, sizeof(pad));
	return depth ? deep(depth - 1) + pad[depth % 24] : burn(depth);
}

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	plugin_fn call = library ? (plugin_fn)dlsym(library, "plugin_call") : NULL;
	int i, sum = 0;

	if (!call) {
		fprintf(stderr, "cannot open the library\n");
		return 1;
	}
	for (i = 0; i < 8000; i++)
		sum += call(burn, i);
	for (i = 0; i < 4000; i++)
		sum += deep(DEEP);
	printf("%d\n", sum & 1);
	return 0;
}
