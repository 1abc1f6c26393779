/* SPDX-License-Identifier: MIT */
/*
 * Reads /proc/PID/stat, maps and mem. The memory is opened first, so that all that follows is about
 * the same process: reading it fails after that one has ended, even if its pid is used again.
 */
#include "sym/jit/process_memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"

#define STAT_MAX   4096
#define MAPS_MAX   (64u << 20)
#define START_TIME 22 /* the field of /proc/PID/stat, counted from 1: clock ticks since boot */

struct pfx_process_memory {
	int fd;
	int64_t started;
	char *maps; /* the text of /proc/PID/maps */
};

static int refuse(int code, int32_t pid, struct pfx_error *err)
{
	if (code == ENOENT || code == ESRCH)
		return pfx_error_set(err, ESRCH, "process %d has ended", pid);
	if (code != EACCES && code != EPERM)
		return pfx_error_sys(err, code, "cannot read the memory of process %d", pid);
	pfx_error_set(err, EACCES, "the memory of process %d must not be read by this user", pid);
	pfx_error_hint(err, "run as the user of that process or as root (CAP_SYS_PTRACE)");
	return -EACCES;
}

static int64_t seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec;
}

/* The name in the second field may contain blanks and parentheses. */
static bool read_start(const char *stat, int64_t *ret)
{
	long ticks = sysconf(_SC_CLK_TCK);
	const char *at = strrchr(stat, ')');
	unsigned field;

	for (field = 2; at && field < START_TIME; field++)
		at = strchr(at + 1, ' ');
	if (!at || ticks <= 0)
		return false;
	*ret = seconds_of(CLOCK_REALTIME) - seconds_of(CLOCK_BOOTTIME) - 1 +
	       (int64_t)(strtoull(at + 1, NULL, 10) / (uint64_t)ticks);
	return true;
}

static int read_facts(struct pfx_process_memory *memory, int32_t pid)
{
	char path[64], *stat = NULL;
	int rc;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	rc = pfx_read_plain_file(path, STAT_MAX, &stat, NULL, NULL);
	if (!rc && !read_start(stat, &memory->started))
		rc = -EBADMSG;
	free(stat);
	if (rc)
		return rc;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	return pfx_read_plain_file(path, MAPS_MAX, &memory->maps, NULL, NULL);
}

int pfx_process_memory_open(struct pfx_process_memory **ret, int32_t pid, struct pfx_error *err)
{
	struct pfx_process_memory *memory = pfx_calloc(1, sizeof(*memory));
	char path[64];
	int rc;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	memory->fd = pfx_open_plain(path, 0, NULL);
	rc = memory->fd < 0 ? memory->fd : read_facts(memory, pid);
	if (!rc) {
		*ret = memory;
		return 0;
	}
	pfx_process_memory_free(memory);
	return refuse(-rc, pid, err);
}

void pfx_process_memory_free(struct pfx_process_memory *memory)
{
	if (!memory)
		return;
	if (memory->fd >= 0)
		close(memory->fd);
	free(memory->maps);
	free(memory);
}

int64_t pfx_process_started(const struct pfx_process_memory *memory)
{
	return memory->started;
}

/* Whether a line of @len bytes ends in a blank and @path. */
static bool has_path(const char *line, size_t len, const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t path_len = strlen(path), tail = sizeof(deleted) - 1;

	if (len > tail && !strncmp(line + len - tail, deleted, tail))
		len -= tail;
	return len > path_len && !strncmp(line + len - path_len, path, path_len) &&
	       line[len - path_len - 1] == ' ';
}

/* "START-END PERM OFFSET DEV INODE    PATH": the end of the map if it is executable, of @path and
 * contains @at, else @at. */
static uint64_t end_of_map(const char *line, size_t len, const char *path, uint64_t at)
{
	unsigned long long start, end;
	char perm[5];

	if (sscanf(line, "%llx-%llx %4s", &start, &end, perm) != 3 || perm[2] != 'x' ||
	    at < start || at >= end || !has_path(line, len, path))
		return at;
	return end;
}

bool pfx_process_has_map(const struct pfx_process_memory *memory, const char *path, uint64_t start,
			 uint64_t end)
{
	const char *line, *next;
	uint64_t at = start;

	for (line = memory->maps; *line && at < end; line = next) {
		next = line + strcspn(line, "\n");
		at = end_of_map(line, (size_t)(next - line), path, at);
		next += *next == '\n';
	}
	return at >= end;
}

size_t pfx_process_memory_read(const struct pfx_process_memory *memory, uint64_t addr, void *to,
			       size_t size)
{
	size_t done = 0;
	ssize_t got = 1;

	while (done < size && got > 0 && addr + done <= INT64_MAX) {
		got = pread(memory->fd, (uint8_t *)to + done, size - done, (off_t)(addr + done));
		done += got > 0 ? (size_t)got : 0;
	}
	return done;
}
