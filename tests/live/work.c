// SPDX-License-Identifier: MIT
/* live-work SECONDS: deep and mutual recursion, the same functions below several callers, a bit of
 * kernel, for so much CPU time. It calls the C library as little as can be and is linked
 * statically: perf 6.1 names the entries of linkage tables otherwise than pfx, and the library has
 * no frame pointers. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define OWN static __attribute__((noinline))

static volatile unsigned long sum;

OWN void add(int n)
{
	for (int i = 0; i < n; i++)
		sum += i;
}

OWN void mix(int n)
{
	for (int i = 0; i < n; i++)
		sum = sum * 31 + i;
}

OWN void both(int n)
{
	add(n);
	mix(n / 2);
}

OWN int deep(int depth, int n)
{
	int result;

	if (!depth) {
		both(n);
		return 0;
	}
	mix(n / 8);
	result = deep(depth - 1, n) + 1;
	add(n / 16);
	return result;
}

OWN int even(int depth, int n);

OWN int odd(int depth, int n)
{
	add(n / 10);
	return depth ? even(depth - 1, n) + 1 : 0;
}

OWN int even(int depth, int n)
{
	mix(n / 10);
	return depth ? odd(depth - 1, n) + 1 : 0;
}

OWN void look(int n)
{
	char text[256];

	while (n--) {
		long file = syscall(SYS_openat, AT_FDCWD, "/proc/self/stat", O_RDONLY);

		sum += syscall(SYS_read, file, text, sizeof(text));
		syscall(SYS_close, file);
	}
}

OWN double now(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? atof(argv[1]) : 1);

	while (now() < end) {
		both(20000);
		deep(40, 2000);
		even(6, 9000);
		add(7000);
		look(15);
	}
	return sum == 7;
}
