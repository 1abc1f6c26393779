/* SPDX-License-Identifier: MIT */
/*
 * The current time by perf's clock. There is no system call for perf's default clock, but every
 * record has its time: a dummy counter of this thread records a COMM when the thread sets its name
 * again.
 */
#include "sys/host/clock_now.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/ns.h"
#include "event/attr.h"
#include "event/record.h"

#define FLAG_FD_CLOEXEC 8
#define COMM_SIZE       16

static const struct pfx_attr attr = {
	.type = PFX_TYPE_SOFTWARE,
	.config = PFX_SW_DUMMY,
	.size = PFX_ATTR_SIZE_VER1,
	.sample_type = PFX_SAMPLE_TIME,
	.flags = PFX_ATTR_COMM | PFX_ATTR_SAMPLE_ID_ALL | PFX_ATTR_EXCLUDE_KERNEL |
		 PFX_ATTR_EXCLUDE_HV,
};

static uint64_t time_of_record(const uint8_t *data)
{
	struct pfx_sample_id id;
	struct pfx_record rec;

	pfx_record_init(&rec, data, false, 0);
	if (rec.type != PFX_RECORD_COMM || !pfx_sample_id_decode(&rec, &attr, &id))
		return 0;
	return id.time;
}

static uint64_t read_own_clock(int fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *ring = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	char name[COMM_SIZE] = "";
	uint64_t time;

	if (ring == MAP_FAILED)
		return 0;
	prctl(PR_GET_NAME, name);
	prctl(PR_SET_NAME, name);
	time = time_of_record(ring + page);
	munmap(ring, 2 * page);
	return time;
}

uint64_t pfx_clock_monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return pfx_ns_of(&now);
}

uint64_t pfx_clock_now(const int32_t *clockid)
{
	struct pfx_buffer bytes = {0};
	struct timespec now;
	uint64_t time = 0;
	int fd;

	if (clockid)
		return clock_gettime(*clockid, &now) < 0 ? 0 : pfx_ns_of(&now);
	pfx_attr_encode(&attr, &bytes);
	fd = (int)syscall(SYS_perf_event_open, bytes.at, 0, -1, -1, FLAG_FD_CLOEXEC);
	pfx_buffer_fini(&bytes);
	if (fd < 0)
		return 0;
	time = read_own_clock(fd);
	close(fd);
	return time;
}
