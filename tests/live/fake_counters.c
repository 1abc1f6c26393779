/* SPDX-License-Identifier: MIT */
/*
 * Counters that a machine may not have, for tests: loaded before the C library, it answers
 * perf_event_open(2) with a file that holds fixed numbers, whatever the event. A test runs two
 * programs with it and compares what they make of the same counts. FAKE_PERCENT: how much of the
 * time each counter ran (100). FAKE_LOG: a file to which each opened counter adds a line: its
 * number, that of its group's leader, type, config, config1, config2 and the word of flags.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FDS_MAX 4096
#define TIME_NS 2000000000ull

#define FORMAT_GROUP 8

static unsigned char is_fake[FDS_MAX], reads_group[FDS_MAX];
static int leader[FDS_MAX]; /* of the counter's group; itself where it is in none */
static uint64_t ids[FDS_MAX], last_id = 100;

/* A number that depends on the event only, between a thousand and a billion. */
static uint64_t value_of(uint32_t type, uint64_t config, int cpu)
{
	static const uint64_t hardware[] = {3000000000, 4500000000, 40000000,  1000000,  800000000,
					    24000000,   90000000,   600000000, 700000000};
	uint64_t x = (config + 1) * 2654435761u + type * 97;

	if (type == 0 && (config & 0xff) < 9)
		return hardware[config & 0xff] + (uint64_t)(cpu > 0 ? cpu : 0) * 1000;
	if (type == 1 && config < 2)
		return TIME_NS;
	return x % 1000000000 / (type == 1 ? 100000 : 1) + (uint64_t)(cpu > 0 ? cpu : 0);
}

static uint64_t word_at(const char *attr, size_t offset)
{
	uint64_t word;

	memcpy(&word, attr + offset, sizeof(word));
	return word;
}

static void log_open(int fd, const char *attr)
{
	const char *path = getenv("FAKE_LOG");
	FILE *file = path ? fopen(path, "ae") : NULL;
	const size_t words[] = {8, 56, 64, 40};
	size_t i;

	if (!file)
		return;
	fprintf(file, "%llu %llu %u", (unsigned long long)ids[fd],
		(unsigned long long)ids[leader[fd]], (uint32_t)word_at(attr, 0));
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		fprintf(file, " %llu", (unsigned long long)word_at(attr, words[i]));
	fputc('\n', file);
	fclose(file);
}

static long fake_open(const char *attr, int cpu, int group_fd)
{
	const char *percent = getenv("FAKE_PERCENT");
	uint64_t counts[3] = {0, TIME_NS, TIME_NS};
	int fd = memfd_create("counter", MFD_CLOEXEC);

	if (fd < 0 || fd >= FDS_MAX)
		return -1;
	counts[0] = value_of((uint32_t)word_at(attr, 0), word_at(attr, 8), cpu);
	if (percent)
		counts[2] = TIME_NS / 100 * (uint64_t)atoi(percent);
	if (write(fd, counts, sizeof(counts)) != sizeof(counts))
		return -1;
	is_fake[fd] = 1;
	ids[fd] = ++last_id;
	leader[fd] = group_fd < 0 ? fd : group_fd;
	log_open(fd, attr);
	reads_group[fd] = (attr[32] & FORMAT_GROUP) != 0;
	return fd;
}

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	long a[6];
	va_list ap;
	int i;

	va_start(ap, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_perf_event_open)
		return fake_open((const char *)a[0], (int)a[2], (int)a[3]);
	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int ioctl(int fd, unsigned long request, ...)
{
	static int (*real)(int, unsigned long, void *);
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (fd >= 0 && fd < FDS_MAX && is_fake[fd]) {
		if ((request & 0xff) == 7)
			memcpy(arg, &ids[fd], sizeof(ids[fd]));
		return 0;
	}
	if (!real)
		real = (int (*)(int, unsigned long, void *))dlsym(RTLD_NEXT, "ioctl");
	return real(fd, request, arg);
}

/* A leader's counts with those of its members: how many, both times, each with its id. */
static ssize_t read_group(int fd, void *data, size_t size)
{
	uint64_t words[3 + 2 * 64] = {0}, counts[3];
	size_t nr = 0;
	int i;

	for (i = 0; i < FDS_MAX && nr < 64; i++) {
		if (!is_fake[i] || leader[i] != fd || pread(i, counts, sizeof(counts), 0) < 0)
			continue;
		words[1] = counts[1];
		words[2] = counts[2];
		words[3 + 2 * nr] = counts[0];
		words[4 + 2 * nr++] = ids[i];
	}
	words[0] = nr;
	nr = (3 + 2 * nr) * sizeof(*words);
	memcpy(data, words, size < nr ? size : nr);
	return (ssize_t)(size < nr ? size : nr);
}

ssize_t read(int fd, void *data, size_t size)
{
	static ssize_t (*real)(int, void *, size_t);

	if (fd >= 0 && fd < FDS_MAX && is_fake[fd])
		return reads_group[fd] ? read_group(fd, data, size) : pread(fd, data, size, 0);
	if (!real)
		real = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	return real(fd, data, size);
}

int close(int fd)
{
	static int (*real)(int);

	if (fd >= 0 && fd < FDS_MAX)
		is_fake[fd] = 0;
	if (!real)
		real = (int (*)(int))dlsym(RTLD_NEXT, "close");
	return real(fd);
}
