/* SPDX-License-Identifier: MIT */
/*
 * Reads /proc: files line by line through one buffer, and ids of processes and threads from
 * directory names.
 */
#include "sys/host/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "sys/host/clock_now.h"

#define LINES_FIRST 16384
#define LINES_MAX   65536
#define PID_LIMIT   (1ul << 22) /* the largest pid_max */

int pfx_proc_lines_open(struct pfx_proc_lines *lines, const char *root, const char *path)
{
	char full[PFX_PROC_PATH_MAX];

	*lines = (struct pfx_proc_lines){.fd = -1};
	if ((size_t)snprintf(full, sizeof(full), "%s%s", root ? root : "", path) >= sizeof(full))
		return -ENAMETOOLONG;
	lines->fd = open(full, O_RDONLY | O_CLOEXEC);
	return lines->fd < 0 ? -errno : 0;
}

static bool is_late(struct pfx_proc_lines *lines)
{
	lines->late = lines->deadline_ns && pfx_clock_monotonic() > lines->deadline_ns;
	return lines->late;
}

/* Move the rest to the front and read more after it. */
static void fill(struct pfx_proc_lines *lines)
{
	ssize_t n;

	if (lines->buffer && lines->at) {
		memmove(lines->buffer, lines->buffer + lines->at, lines->len - lines->at);
		lines->len -= lines->at;
		lines->at = 0;
	}
	if (lines->len + 1 >= lines->cap && lines->cap < LINES_MAX) {
		lines->cap = lines->cap ? lines->cap * 4 : LINES_FIRST;
		lines->buffer = pfx_realloc(lines->buffer, lines->cap);
	}
	if (lines->len + 1 >= lines->cap || is_late(lines)) {
		lines->ended = true;
		return;
	}
	do
		n = read(lines->fd, lines->buffer + lines->len, lines->cap - lines->len - 1);
	while (n < 0 && errno == EINTR);
	lines->ended = n <= 0;
	lines->len += n > 0 ? (size_t)n : 0;
}

char *pfx_proc_lines_next(struct pfx_proc_lines *lines)
{
	char *start, *end;

	for (;;) {
		end = lines->buffer
			      ? memchr(lines->buffer + lines->at, '\n', lines->len - lines->at)
			      : NULL;
		if (end || lines->ended)
			break;
		fill(lines);
	}
	if (!lines->buffer)
		return NULL;
	start = lines->buffer + lines->at;
	if (!end && (lines->at >= lines->len || lines->late || lines->len + 1 >= lines->cap))
		return NULL;
	if (!end)
		end = lines->buffer + lines->len;
	*end = '\0';
	lines->at = (size_t)(end - lines->buffer) + 1;
	if (lines->at > lines->len)
		lines->at = lines->len;
	return start;
}

void pfx_proc_lines_close(struct pfx_proc_lines *lines)
{
	if (lines->fd >= 0)
		close(lines->fd);
	free(lines->buffer);
	*lines = (struct pfx_proc_lines){.fd = -1};
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int pfx_proc_numbers(const char *path, struct pfx_list *ret)
{
	PFX_VEC(int) ids = {0};
	struct dirent *entry;
	unsigned long id;
	char *end;
	DIR *dir = opendir(path);

	*ret = (struct pfx_list){0};
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		id = strtoul(entry->d_name, &end, 10);
		if (end != entry->d_name && !*end && id && id <= PID_LIMIT)
			pfx_vec_push(&ids, (int)id);
	}
	closedir(dir);
	if (ids.nr)
		qsort(ids.at, ids.nr, sizeof(*ids.at), compare_ints);
	*ret = (struct pfx_list){ids.at, ids.nr};
	return 0;
}

int pfx_proc_pids(const char *root, struct pfx_list *ret, struct pfx_error *err)
{
	char path[PFX_PROC_PATH_MAX];
	int rc;

	snprintf(path, sizeof(path), "%s/proc", root ? root : "");
	rc = pfx_proc_numbers(path, ret);
	if (!rc && !ret->nr)
		rc = -ENOENT;
	if (rc)
		return pfx_error_sys(err, -rc, "cannot list the processes in '%s'", path);
	return 0;
}
