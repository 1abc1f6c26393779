/* SPDX-License-Identifier: MIT */
/*
 * Code that a program made while it ran: /tmp/perf-PID.map, one "START SIZE name" a line in hex,
 * written by the program itself. A function that was compiled again has a line further down, which
 * counts. Since anyone may write into /tmp, the file must belong to someone who may be believed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "sym/elf_internal.h"

#define STATUS_MAX 65536
#define MAP_PREFIX "/tmp/perf-"

/* The number that the process has in its own namespace: the last of "NSpid:". */
static int32_t inner_pid(int32_t pid)
{
	char path[64], *text, *at;
	int32_t inner = pid;
	long value;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (pfx_read_file(path, STATUS_MAX, &text, NULL, NULL))
		return pid;
	at = strstr(text, "\nNSpid:");
	for (at = at ? at + 7 : NULL; at;) {
		char *end;

		value = strtol(at, &end, 10);
		if (end == at || memchr(at, '\n', (size_t)(end - at)))
			break;
		inner = (int32_t)value;
		at = end;
	}
	free(text);
	return inner;
}

static bool is_believed(const struct stat *file, int32_t pid, bool force)
{
	const char *sudo = geteuid() ? NULL : getenv("SUDO_UID");
	struct stat process;
	char path[64];

	if (force || !file->st_uid || file->st_uid == geteuid())
		return true;
	if (sudo && strtoul(sudo, NULL, 10) == file->st_uid)
		return true;
	snprintf(path, sizeof(path), "/proc/%d", pid);
	return !stat(path, &process) && process.st_uid == file->st_uid;
}

/* Open the map and check whose it is; the descriptor or a negative errno. */
static int open_map(const char *path, int32_t pid, bool force, struct pfx_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int rc;

	if (fd < 0) {
		rc = -errno;
		return pfx_error_sys(err, -rc, "cannot open '%s'", path);
	}
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && is_believed(&st, pid, force))
		return fd;
	close(fd);
	pfx_error_set(err, EACCES, "'%s' belongs to user %u, not to you, root or process %d", path,
		      st.st_uid, pid);
	pfx_error_hint(err, "-f takes it all the same");
	return -EACCES;
}

/* Take one line apart, which ends at @end; false when it is no entry. */
static bool add_line(struct pfx_symtab *tab, char *line, char *end)
{
	uint64_t start, size;
	char *at;

	*end = '\0';
	start = strtoull(line, &at, 16);
	if (at == line || *at != ' ')
		return false;
	line = at;
	size = strtoull(line, &at, 16);
	if (at == line || *at != ' ' || !at[1] || !size)
		return false;
	pfx_symtab_add(tab, start, size, at + 1, 'g', true);
	return true;
}

static int read_map(struct pfx_symtab *tab, int fd)
{
	struct stat st;
	char *text, *line, *end, *stop;
	ssize_t n;

	if (fstat(fd, &st))
		return -errno;
	text = pfx_alloc_checked((uint64_t)st.st_size + 1, 1, SIZE_MAX);
	if (!text)
		return -ENOMEM;
	pfx_symtab_own(tab, text);
	n = pfx_read_full(fd, text, (size_t)st.st_size);
	if (n < 0)
		return (int)n;
	stop = text + n;
	for (line = text; line < stop; line = end + 1) {
		end = memchr(line, '\n', (size_t)(stop - line));
		end = end ? end : stop;
		add_line(tab, line, end);
	}
	return 0;
}

int pfx_symtab_load_perf_map(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			     const struct pfx_sym_options *options, struct pfx_error *err)
{
	char inside[128], outside[128];
	int fd, rc;

	snprintf(inside, sizeof(inside), "/proc/%d/root/tmp/perf-%d.map", request->pid,
		 inner_pid(request->pid));
	snprintf(outside, sizeof(outside), "/tmp/perf-%d.map", request->pid);
	if (request->path && !strncmp(request->path, MAP_PREFIX, strlen(MAP_PREFIX)))
		snprintf(outside, sizeof(outside), "%s", request->path);
	fd = open_map(inside, request->pid, options->force, err);
	if (fd < 0)
		fd = open_map(outside, request->pid, options->force, err);
	if (fd < 0)
		return fd;
	tab->last_wins = true;
	rc = read_map(tab, fd);
	close(fd);
	if (rc)
		return pfx_error_sys(err, -rc, "cannot read '%s'", outside);
	pfx_symtab_set_source(tab, outside);
	if (!tab->syms.nr)
		return pfx_error_set(err, ENOENT, "'%s' has no entries", outside);
	return 0;
}
