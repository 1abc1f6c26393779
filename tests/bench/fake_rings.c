/* SPDX-License-Identifier: MIT */
/*
 * A kernel that takes more samples a second than this machine's can, for tests/bench/top: loaded
 * before a profiler, it answers perf_event_open(2) for each CPU with a ring buffer in memory, which
 * a process of its own fills as the kernel would, at a fixed rate, with samples of what runs here.
 * FAKE_RATE: samples a second, of all CPUs together. FAKE_PLACES: a file of lines "PID TID MODE IP
 * CALLER..." (mode 1: kernel, 2: user). FAKE_MADE: a file of two 64-bit numbers, of the samples
 * that were made, and of those that were dropped since the ring buffer was full.
 */
#undef _FILE_OFFSET_BITS /* mmap() and mmap64() are defined here, as two functions */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kit/ring_writer.h"

#define FDS_MAX     1024
#define RINGS_MAX   64
#define SAMPLES_MAX 16384
#define FRAMES_MAX  64
#define SECOND      1000000000ull
#define BURST_NS    50000
#define LATEST_NS   20000000 /* what is later than this, for want of a CPU, is not made */

#define IOC_ENABLE 0
#define IOC_ID     7

/* Bits of sample_type that are made. */
enum {
	S_IP = 1,
	S_TID = 2,
	S_TIME = 4,
	S_ADDR = 8,
	S_CALLCHAIN = 32,
	S_ID = 64,
	S_CPU = 128,
	S_PERIOD = 256,
	S_STREAM_ID = 512,
	S_IDENTIFIER = 65536,
	S_ALL = S_IP | S_TID | S_TIME | S_ADDR | S_CALLCHAIN | S_ID | S_CPU | S_PERIOD |
		S_STREAM_ID | S_IDENTIFIER,
};

#define F_WATERMARK (1u << 14) /* of the flags of the event */

#define RECORD_LOST    2
#define RECORD_SAMPLE  9
#define CONTEXT_USER   ((uint64_t)-512)
#define CONTEXT_KERNEL ((uint64_t)-128)

struct counter {
	bool is_fake, has_samples; /* others count, or report tasks: nothing is written for them */
	int cpu;
	uint64_t id, sample_type;
	uint32_t wake_events, wake_bytes; /* 0: half of the ring buffer */
};

/* A sample for any CPU; its time and CPU are set when it is written. */
struct made {
	uint64_t words[FRAMES_MAX + 16];
	uint16_t size;
};

struct fake_ring {
	struct ring_writer writer;
	int fd, cpu;
	uint64_t woken_events, woken_bytes; /* what was written when its reader was woken last */
};

static struct counter counters[FDS_MAX];
static struct fake_ring rings[RINGS_MAX];
static size_t nr_rings;
static struct made *samples;
static size_t nr_samples, time_at, cpu_at;
static volatile uint64_t *made; /* numbers for the other side */
static bool runs;

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static void give_up(const char *what)
{
	fprintf(stderr, "fake_rings: %s\n", what);
	_exit(1);
}

/* --- samples --- */

static void add_chain(struct made *to, size_t *at, unsigned mode, const uint64_t *frames, int nr)
{
	int i;

	to->words[(*at)++] = (uint64_t)nr + 1;
	to->words[(*at)++] = mode == 1 ? CONTEXT_KERNEL : CONTEXT_USER;
	for (i = 0; i < nr; i++)
		to->words[(*at)++] = frames[i];
}

static void make_sample(const struct counter *of, unsigned pid, unsigned tid, unsigned mode,
			const uint64_t *frames, int nr)
{
	struct made *to = &samples[nr_samples++];
	uint64_t type = of->sample_type;
	size_t at = 1;

	if (type & S_IDENTIFIER)
		to->words[at++] = of->id;
	if (type & S_IP)
		to->words[at++] = frames[0];
	if (type & S_TID)
		to->words[at++] = pid | (uint64_t)tid << 32;
	time_at = at;
	if (type & S_TIME)
		to->words[at++] = 0;
	if (type & S_ADDR)
		to->words[at++] = 0;
	if (type & S_ID)
		to->words[at++] = of->id;
	if (type & S_STREAM_ID)
		to->words[at++] = of->id;
	cpu_at = at;
	if (type & S_CPU)
		to->words[at++] = 0;
	if (type & S_PERIOD)
		to->words[at++] = 1000;
	if (type & S_CALLCHAIN)
		add_chain(to, &at, mode, frames, nr);
	to->size = (uint16_t)(at * sizeof(uint64_t));
	to->words[0] = RECORD_SAMPLE | (uint64_t)mode << 32 | (uint64_t)to->size << 48;
}

static void read_places(const struct counter *of)
{
	const char *path = getenv("FAKE_PLACES");
	FILE *file = path ? fopen(path, "re") : NULL;
	uint64_t frames[FRAMES_MAX];
	char line[2048], *at;
	unsigned pid, tid, mode;
	int nr;

	samples = calloc(SAMPLES_MAX, sizeof(*samples));
	if (!file || !samples)
		give_up("no file of places");
	while (nr_samples < SAMPLES_MAX && fgets(line, sizeof(line), file)) {
		pid = (unsigned)strtoul(line, &at, 10);
		tid = (unsigned)strtoul(at, &at, 10);
		mode = (unsigned)strtoul(at, &at, 10);
		for (nr = 0; nr < FRAMES_MAX && *at && *at != '\n'; nr++)
			frames[nr] = strtoull(at, &at, 16);
		make_sample(of, pid, tid, mode, frames, nr);
	}
	fclose(file);
	if (!nr_samples)
		give_up("no places");
}

/* Samples that were lost, with what identifies the event of a record that is not a sample. */
static void describe_lost(struct ring_writer *writer, const struct counter *of, int cpu)
{
	uint64_t words[RING_LOST_MAX / 8] = {0, of->id}, type = of->sample_type;
	size_t at = 3;

	if (type & S_TID)
		words[at++] = 0;
	if (type & S_TIME) {
		writer->lost_time_at = at * sizeof(uint64_t);
		words[at++] = 0;
	}
	if (type & S_ID)
		words[at++] = of->id;
	if (type & S_STREAM_ID)
		words[at++] = of->id;
	if (type & S_CPU)
		words[at++] = (uint64_t)cpu;
	if (type & S_IDENTIFIER)
		words[at++] = of->id;
	writer->lost_size = at * sizeof(uint64_t);
	words[0] = RECORD_LOST | (uint64_t)writer->lost_size << 48;
	memcpy(writer->lost, words, writer->lost_size);
}

/* --- the process that writes --- */

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec;
}

static void write_one(uint64_t nr, uint64_t time)
{
	struct fake_ring *ring = &rings[nr % nr_rings];
	/* The same places are not always on the same CPU. */
	struct made *sample = &samples[(nr + nr / nr_samples) % nr_samples];

	if (counters[ring->fd].sample_type & S_TIME)
		sample->words[time_at] = time;
	if (counters[ring->fd].sample_type & S_CPU)
		sample->words[cpu_at] = (uint64_t)ring->cpu;
	ring_writer_put(&ring->writer, sample->words, sample->size, time);
}

static bool is_to_wake(const struct fake_ring *ring)
{
	const struct counter *of = &counters[ring->fd];
	uint64_t bytes = of->wake_bytes ? of->wake_bytes : ring->writer.size / 2;

	if (of->wake_events)
		return ring->writer.nr_put - ring->woken_events >= of->wake_events;
	return ring_writer_head(&ring->writer) - ring->woken_bytes >= bytes;
}

static void wake(void)
{
	uint64_t one = 1;
	size_t i;

	for (i = 0; i < nr_rings; i++) {
		if (!is_to_wake(&rings[i]))
			continue;
		rings[i].woken_events = rings[i].writer.nr_put;
		rings[i].woken_bytes = ring_writer_head(&rings[i].writer);
		if (write(rings[i].fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
			give_up("nobody to wake");
	}
}

static void count(void)
{
	uint64_t nr = 0, dropped = 0;
	size_t i;

	for (i = 0; i < nr_rings; i++) {
		nr += rings[i].writer.nr_put + rings[i].writer.nr_dropped;
		dropped += rings[i].writer.nr_dropped;
	}
	made[0] = nr;
	made[1] = dropped;
}

static void write_forever(double rate)
{
	const struct timespec pause = {.tv_nsec = BURST_NS};
	double step = (double)SECOND / rate, next = (double)now();
	uint64_t nr = 0;

	for (;;) {
		double end = (double)now();

		if (end - next > LATEST_NS)
			next = end - LATEST_NS;
		for (; next < end; next += step)
			write_one(nr++, (uint64_t)next);
		wake();
		count();
		nanosleep(&pause, NULL);
	}
}

static void begin(void)
{
	const char *rate = getenv("FAKE_RATE"), *path = getenv("FAKE_MADE");
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	pid_t parent = getpid();

	if (runs || !nr_rings)
		return;
	runs = true;
	if (!rate || fd < 0 || ftruncate(fd, 2 * sizeof(uint64_t)) < 0)
		give_up("no rate, or no file for its numbers");
	made = mmap(NULL, 2 * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (made == MAP_FAILED)
		give_up("no memory");
	read_places(&counters[rings[0].fd]);
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	write_forever(atof(rate));
}

/* --- what the profiler calls --- */

static bool is_fake(int fd)
{
	return fd >= 0 && fd < FDS_MAX && counters[fd].is_fake;
}

static long open_counter(const char *attr, int cpu)
{
	static uint64_t last_id = 100;
	uint64_t period, flags;
	uint32_t wake;
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0 || fd >= FDS_MAX)
		return -1;
	memcpy(&period, attr + 16, sizeof(period));
	memcpy(&flags, attr + 40, sizeof(flags));
	memcpy(&wake, attr + 48, sizeof(wake));
	counters[fd] = (struct counter){
		.is_fake = true,
		.has_samples = period != 0,
		.cpu = cpu,
		.id = ++last_id,
		.wake_events = flags & F_WATERMARK ? 0 : wake,
		.wake_bytes = flags & F_WATERMARK ? wake : 0,
	};
	memcpy(&counters[fd].sample_type, attr + 24, sizeof(uint64_t));
	return fd;
}

long syscall(long number, ...)
{
	long (*call)(long, ...) = (long (*)(long, ...))real("syscall");
	long a[6];
	va_list ap;
	int i;

	va_start(ap, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_perf_event_open)
		return open_counter((const char *)a[0], (int)a[2]);
	return call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void *map_ring(int fd, size_t size)
{
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct fake_ring *ring = &rings[nr_rings];
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);

	if (page == MAP_FAILED || size <= page_size || !counters[fd].has_samples)
		return page;
	if (nr_rings == RINGS_MAX || counters[fd].sample_type & ~(uint64_t)S_ALL)
		give_up("samples with contents that are not made here");
	ring->fd = fd;
	ring->cpu = counters[fd].cpu;
	ring->writer.page = page;
	ring->writer.data = ring->writer.page + page_size;
	ring->writer.size = size - page_size;
	describe_lost(&ring->writer, &counters[fd], ring->cpu);
	nr_rings++;
	return page;
}

void *mmap64(void *at, size_t size, int prot, int flags, int fd, off64_t offset)
{
	void *(*call)(void *, size_t, int, int, int, off64_t) =
		(void *(*)(void *, size_t, int, int, int, off64_t))real("mmap64");

	return is_fake(fd) ? map_ring(fd, size) : call(at, size, prot, flags, fd, offset);
}

void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	return mmap64(at, size, prot, flags, fd, offset);
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*call)(int, unsigned long, void *) =
		(int (*)(int, unsigned long, void *))real("ioctl");
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (!is_fake(fd))
		return call(fd, request, arg);
	if ((request & 0xff) == IOC_ID)
		memcpy(arg, &counters[fd].id, sizeof(uint64_t));
	if ((request & 0xff) == IOC_ENABLE && counters[fd].has_samples)
		begin();
	return 0;
}

/* A ring buffer is reported once for each time that it was woken. */
int epoll_ctl(int set, int op, int fd, struct epoll_event *event)
{
	int (*call)(int, int, int, struct epoll_event *) =
		(int (*)(int, int, int, struct epoll_event *))real("epoll_ctl");

	if (is_fake(fd) && event)
		event->events |= EPOLLET;
	return call(set, op, fd, event);
}

int poll(struct pollfd *fds, nfds_t nr, int timeout)
{
	int (*call)(struct pollfd *, nfds_t, int) =
		(int (*)(struct pollfd *, nfds_t, int))real("poll");
	int rc = call(fds, nr, timeout);
	uint64_t value;
	nfds_t i;

	for (i = 0; rc > 0 && i < nr; i++)
		if (is_fake(fds[i].fd) && fds[i].revents & POLLIN &&
		    read(fds[i].fd, &value, sizeof(value)) < 0)
			fds[i].revents = 0;
	return rc;
}

int close(int fd)
{
	int (*call)(int) = (int (*)(int))real("close");

	if (is_fake(fd))
		counters[fd].is_fake = false;
	return call(fd);
}
