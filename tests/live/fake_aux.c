/* SPDX-License-Identifier: MIT */
/*
 * A PMU with an AUX area for a machine that has none, to be loaded in front of a recorder
 * (LD_PRELOAD). An event of the PMU whose type number is in FAKE_AUX_TYPE becomes a dummy event of
 * the kernel, so that rings and ids are real; its AUX area is plain memory that a thread fills:
 * the 64-bit word at position p of the stream is p. FAKE_AUX_BYTES says how much each area gets in
 * all, and FAKE_AUX_LOG names a file for the attrs as they were handed over.
 *
 * FAKE_AUX_CPUID are places of the instruction `cpuid` in the program, from its start: they are
 * made to tell of an Intel CPU, because some recorders look there before they look for the PMU.
 */

/* Both mmap() and mmap64() are to be there, with their own names. */
#undef _FILE_OFFSET_BITS
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FDS          4096
#define AREAS        256
#define IOC_FILTER   _IOW('$', 6, char *)
#define IOC_ENABLE   _IO('$', 0)
#define IOC_DISABLE  _IO('$', 1)
#define PAGE_AUX     1056 /* aux_head, aux_tail, aux_offset, aux_size */
#define SOFTWARE     1
#define DUMMY        9
#define SAMPLE_AUX   (1ull << 20)
#define AUX_OUTPUT   (1ull << 31)
#define ATTR_LONGEST 256

struct area {
	uint8_t *data;
	uint64_t size, head;
	uint64_t *words; /* of the control page */
	bool keeps;      /* mapped for reading only: the newest bytes stay */
};

static bool is_fake[FDS], is_on[FDS];
static void *page_of[FDS];
static struct area areas[AREAS];
static unsigned nr_areas;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t filler;
static bool has_filler;

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

static void log_attr(const uint8_t *attr, uint32_t size, long pid, long cpu, long group, long fd)
{
	const char *path = getenv("FAKE_AUX_LOG");
	FILE *f = path ? fopen(path, "ae") : NULL;
	uint32_t i;

	if (!f)
		return;
	fprintf(f, "%ld %ld %ld %ld ", pid, cpu, group, fd);
	for (i = 0; i < size && i < ATTR_LONGEST; i++)
		fprintf(f, "%02x", attr[i]);
	fputc('\n', f);
	fclose(f);
}

static uint64_t load64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static void store64(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

static long (*real_syscall)(long number, ...);
static void *(*real_mmap)(void *, size_t, int, int, int, off_t);

/* The attr that the kernel of this machine can take. */
static void tame(uint8_t *attr, bool fake)
{
	const uint32_t zero = 0, software = SOFTWARE;

	store64(attr + 24, load64(attr + 24) & ~SAMPLE_AUX);
	store64(attr + 40, load64(attr + 40) & ~AUX_OUTPUT & ~(3ull << 15));
	memcpy(attr + 104, &zero, sizeof(zero)); /* aux_watermark */
	memcpy(attr + 112, &zero, sizeof(zero)); /* aux_sample_size */
	if (load64(attr) >> 32 > 116)
		memcpy(attr + 116, &zero, sizeof(zero)); /* aux_action */
	if (!fake)
		return;
	memcpy(attr, &software, sizeof(software));
	store64(attr + 8, DUMMY);
	store64(attr + 56, 0);
	store64(attr + 64, 0);
}

static long open_event(uint8_t *given, long pid, long cpu, long group, long flags)
{
	uint8_t attr[ATTR_LONGEST] = {0};
	uint32_t type, size;
	bool fake;
	long fd;

	memcpy(&type, given, sizeof(type));
	memcpy(&size, given + 4, sizeof(size));
	size = size ? size : 64;
	if (size > sizeof(attr))
		return real_syscall(SYS_perf_event_open, given, pid, cpu, group, flags);
	memcpy(attr, given, size);
	fake = type == number("FAKE_AUX_TYPE", 8);
	tame(attr, fake);
	fd = real_syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);
	log_attr(given, size, pid, cpu, group, fd);
	if (fd >= 0 && fd < FDS) {
		is_fake[fd] = fake;
		is_on[fd] = true;
	}
	return fd;
}

long syscall(long nr, ...)
{
	long a[6];
	va_list args;
	int i;

	va_start(args, nr);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (!real_syscall)
		*(void **)&real_syscall = dlsym(RTLD_NEXT, "syscall");
	if (nr == SYS_perf_event_open)
		return open_event((uint8_t *)a[0], a[1], a[2], a[3], a[4]);
	return real_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void fill(struct area *area, uint64_t most)
{
	uint64_t tail = __atomic_load_n(&area->words[1], __ATOMIC_ACQUIRE);
	uint64_t room = area->keeps ? area->size : area->size - (area->head - tail), i;

	room = room < area->size / 4 ? room : area->size / 4;
	if (room > most - area->head)
		room = most - area->head;
	for (i = 0; i + 8 <= room; i += 8)
		store64(area->data + (area->head + i) % area->size, area->head + i);
	area->head += i;
	/* Where the newest bytes stay the kernel tells the place in the area. */
	__atomic_store_n(&area->words[0], area->keeps ? area->head % area->size : area->head,
			 __ATOMIC_RELEASE);
}

static void fill_now(void)
{
	uint64_t most = number("FAKE_AUX_BYTES", 1 << 20);
	unsigned i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < nr_areas; i++)
		fill(&areas[i], most);
	pthread_mutex_unlock(&lock);
}

/* An event that is switched on has data at once: a snapshot after it finds some. */
int ioctl(int fd, unsigned long request, ...)
{
	static int (*real)(int, unsigned long, ...);
	va_list args;
	long arg;

	va_start(args, request);
	arg = va_arg(args, long);
	va_end(args);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "ioctl");
	if (fd >= 0 && fd < FDS && is_fake[fd] && request == IOC_FILTER) {
		const char *path = getenv("FAKE_AUX_LOG");
		FILE *f = path ? fopen(path, "ae") : NULL;

		if (f) {
			fprintf(f, "filter %s\n", (const char *)arg);
			fclose(f);
		}
		return 0;
	}
	if (fd >= 0 && fd < FDS && is_fake[fd] && request == IOC_ENABLE)
		fill_now();
	return real(fd, request, arg);
}

/* A kernel without /proc/kcore gets the file in FAKE_KCORE in its place. */
int open64(const char *path, int flags, ...)
{
	static int (*real)(const char *, int, ...);
	const char *kcore = getenv("FAKE_KCORE");
	va_list args;
	int mode;

	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "open64");
	return real(kcore && strcmp(path, "/proc/kcore") == 0 ? kcore : path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list args;
	int mode;

	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	return open64(path, flags, mode);
}

/* The number may be that of another file next. */
int close(int fd)
{
	if (fd >= 0 && fd < FDS)
		is_fake[fd] = is_on[fd] = false;
	if (!real_syscall)
		*(void **)&real_syscall = dlsym(RTLD_NEXT, "syscall");
	return (int)real_syscall(SYS_close, fd);
}

/* --- the area --- */

static void *fill_all(void *unused)
{
	(void)unused;
	for (;;) {
		fill_now();
		usleep(1000);
	}
	return NULL;
}

static void *map_area(int fd, size_t size, int prot, off_t offset)
{
	void *page = page_of[fd], *data;
	struct area *area = &areas[nr_areas];

	if (!page || nr_areas == AREAS)
		return MAP_FAILED;
	area->words = (uint64_t *)((char *)page + PAGE_AUX);
	if (area->words[2] != (uint64_t)offset || area->words[3] != size) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	data = real_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	area->data = data;
	area->size = size;
	area->head = 0;
	area->keeps = !(prot & PROT_WRITE);
	pthread_mutex_lock(&lock);
	nr_areas++;
	if (!has_filler)
		pthread_create(&filler, NULL, fill_all, NULL);
	has_filler = true;
	pthread_mutex_unlock(&lock);
	fill_now();
	return data;
}

void *mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	void *page;

	if (!real_mmap)
		*(void **)&real_mmap = dlsym(RTLD_NEXT, "mmap");
	if (fd >= 0 && fd < FDS && is_on[fd] && is_fake[fd] && offset > 0)
		return map_area(fd, size, prot, offset);
	page = real_mmap(addr, size, prot, flags, fd, offset);
	if (fd >= 0 && fd < FDS && is_on[fd] && page != MAP_FAILED)
		page_of[fd] = page;
	return page;
}

void *mmap64(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	return mmap(addr, size, prot, flags, fd, offset);
}

int munmap(void *addr, size_t size)
{
	unsigned i;

	if (!real_syscall)
		*(void **)&real_syscall = dlsym(RTLD_NEXT, "syscall");
	pthread_mutex_lock(&lock);
	for (i = 0; i < nr_areas; i++)
		if ((void *)areas[i].data == addr || (uint8_t *)areas[i].words - PAGE_AUX == addr)
			nr_areas = 0;
	pthread_mutex_unlock(&lock);
	return (int)real_syscall(SYS_munmap, addr, size);
}

/* --- the other CPU --- */

#if defined(__x86_64__)
#include <cpuid.h>
#include <ucontext.h>

static void answer_cpuid(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	unsigned leaf = (unsigned)regs[REG_RAX], a = 0, b = 0, c = 0, d = 0;

	(void)sig;
	(void)info;
	__cpuid_count(leaf, (unsigned)regs[REG_RCX], a, b, c, d);
	if (leaf == 0) {
		a = 0x16;
		memcpy(&b, "Genu", 4);
		memcpy(&d, "ineI", 4);
		memcpy(&c, "ntel", 4);
	} else if (leaf == 1) {
		a = 0x000506e3;
	} else if (leaf == 0x15) {
		a = 2;
		b = 200;
		c = d = 0;
	}
	regs[REG_RAX] = a;
	regs[REG_RBX] = b;
	regs[REG_RCX] = c;
	regs[REG_RDX] = d;
	regs[REG_RIP] += 1; /* the byte behind the trap was the instruction's second */
}

static uint8_t *start_of_program(void)
{
	unsigned long start = 0;
	FILE *f = fopen("/proc/self/maps", "re");

	if (f && fscanf(f, "%lx", &start) != 1)
		start = 0;
	if (f)
		fclose(f);
	return (uint8_t *)start;
}

__attribute__((constructor)) static void replace_cpuid(void)
{
	struct sigaction action = {.sa_sigaction = answer_cpuid, .sa_flags = SA_SIGINFO};
	const char *places = getenv("FAKE_AUX_CPUID");
	uint8_t *start = start_of_program(), *at;
	char *end;

	for (; places && *places; places = *end ? end + 1 : end) {
		at = start + strtoul(places, &end, 16);
		mprotect((void *)((uintptr_t)at & ~4095ul), 8192,
			 PROT_READ | PROT_WRITE | PROT_EXEC);
		if (at[0] == 0x0f && at[1] == 0xa2)
			at[0] = 0xcc;
		sigaction(SIGTRAP, &action, NULL);
	}
}
#endif
