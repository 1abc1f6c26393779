/* SPDX-License-Identifier: MIT */
/*
 * Probes through uprobe_events of tracefs, and the guard that removes them. The guard gets each
 * name before the probe exists, and end of file on its pipe when the probes are no longer needed:
 * so they are removed however the process ends.
 */
#include "sys/counter/probe_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/io.h"
#include "base/str.h"
#include "base/words.h"

#define GUARD_COMM  "pfx-probe-guard"
#define BUSY_TRIES  100 /* the kernel closes the counters of a killed process with delay */
#define BUSY_US     50000
#define PATIENCE_MS 30000 /* time limit for the guard, which may have to wait for that */
#define CLOSE_LIMIT 1024
#define CHUNK       4096

static char *events_path(const char *tracefs)
{
	return pfx_strfmt("%s/uprobe_events", tracefs);
}

bool pfx_probes_may(const char *tracefs)
{
	char *path = events_path(tracefs);
	bool may = access(path, W_OK) == 0;

	free(path);
	return may;
}

/* --- the guard --- */

static void remove_probe(int fd, const char *name)
{
	char line[256];
	int len = snprintf(line, sizeof(line), "-:%s\n", name), i;

	for (i = 0; i < BUSY_TRIES; i++) {
		if (write(fd, line, (size_t)len) >= 0 || errno != EBUSY)
			return;
		usleep(BUSY_US);
	}
}

static void __attribute__((noreturn)) run_guard(int events_fd, int pipe_fd)
{
	char *text = NULL, *line, *save = NULL;
	size_t len = 0;
	ssize_t got;
	sigset_t all;
	int fd;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, GUARD_COMM);
	/* Do not keep pipes of the caller open. */
	for (fd = 0; fd < CLOSE_LIMIT; fd++)
		if (fd != events_fd && fd != pipe_fd)
			close(fd);
	do {
		text = pfx_realloc(text, len + CHUNK + 1);
		got = read(pipe_fd, text + len, CHUNK);
		len += got > 0 ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	text[len] = '\0';
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		remove_probe(events_fd, line);
	_exit(0);
}

static int start_guard(struct pfx_probes *set, struct pfx_error *err)
{
	int fds[2];

	if (set->guard)
		return 0;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return pfx_error_sys(err, errno, "cannot start the guard of the probes");
	set->guard = fork();
	if (set->guard == 0)
		run_guard(set->events_fd, fds[0]);
	close(fds[0]);
	set->guard_fd = fds[1];
	if (set->guard > 0)
		return 0;
	set->guard = 0;
	close(fds[1]);
	return pfx_error_sys(err, errno, "cannot start the guard of the probes");
}

/* --- the profiler's side --- */

static int read_id(const char *tracefs, const struct pfx_probe_place *place, uint64_t *ret,
		   struct pfx_error *err)
{
	char *path = pfx_strfmt("%s/events/%s/%s/id", tracefs, place->group, place->name);
	char line[32];
	int rc = pfx_read_line(path, line, sizeof(line));

	free(path);
	if (rc >= 0 && pfx_parse_u64(line, ret))
		return 0;
	return pfx_error_set(err, EIO, "the kernel does not tell the id of a probe");
}

static int define(int fd, const struct pfx_probe_place *place, struct pfx_error *err)
{
	char *line = pfx_strfmt("%c:%s/%s %s:0x%llx\n", place->is_return ? 'r' : 'p', place->group,
				place->name, place->path, (unsigned long long)place->offset);
	ssize_t done = write(fd, line, strlen(line));
	int code = errno;
	char shown[256];

	free(line);
	if (done >= 0)
		return 0;
	pfx_error_sys(err, code, "the kernel takes no probe in '%s' at 0x%llx",
		      pfx_escape(shown, sizeof(shown), place->path),
		      (unsigned long long)place->offset);
	if (code == EINVAL)
		pfx_error_hint(err, "the place must be code in a file on disk");
	return -code;
}

static int open_events(struct pfx_probes *set, const char *tracefs, struct pfx_error *err)
{
	char *path;

	if (set->is_open)
		return 0;
	path = events_path(tracefs);
	set->events_fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	free(path);
	set->is_open = set->events_fd >= 0;
	if (set->is_open)
		return 0;
	return pfx_error_sys(err, errno, "no probes can be placed");
}

int pfx_probes_add(struct pfx_probes *set, const char *tracefs, const struct pfx_probe_place *place,
		   uint64_t *ret_id, struct pfx_error *err)
{
	char *name = pfx_strfmt("%s/%s\n", place->group, place->name);
	int rc = open_events(set, tracefs, err);

	if (rc >= 0)
		rc = start_guard(set, err);
	if (rc >= 0 && write(set->guard_fd, name, strlen(name)) < 0)
		rc = pfx_error_sys(err, errno, "the guard of the probes is gone");
	if (rc >= 0)
		rc = define(set->events_fd, place, err);
	if (rc >= 0)
		rc = read_id(tracefs, place, ret_id, err);
	free(name);
	return rc;
}

void pfx_probes_fini(struct pfx_probes *set)
{
	if (set->guard > 0) {
		close(set->guard_fd);
		pfx_child_end(set->guard, PATIENCE_MS);
	}
	if (set->is_open)
		close(set->events_fd);
	*set = (struct pfx_probes){0};
}
