/* SPDX-License-Identifier: MIT */
/*
 * An archive unpacked for one reader. The reader removes the directory when it is freed; a child
 * process waits until the program ends, for any reason, and removes the directory if it still
 * exists.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
#include "read/archive.h"

#define OPEN_DIRS 8 /* open descriptors while a directory is removed */
#define DIR_MAX   200

struct pfx_unpacked {
	char *dir, *cache, *recording;
	pid_t watcher; /* 0: none */
	int end;       /* of a pipe; closed when the program ends */
	struct pfx_archive_counts counts;
};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	remove(path);
	return 0;
}

static void remove_dir(const char *dir)
{
	nftw(dir, remove_one, OPEN_DIRS, FTW_DEPTH | FTW_PHYS);
}

/* Runs in the child: the other end of the pipe is closed when the program ends. */
static void wait_for_end(int fd, const char *dir)
{
	int null = open("/dev/null", O_RDWR);
	char byte;
	ssize_t n;

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	do {
		n = read(fd, &byte, 1);
	} while (n < 0 && errno == EINTR);
	remove_dir(dir);
	_exit(0);
}

static int start_watcher(struct pfx_unpacked *u, struct pfx_error *err)
{
	int fds[2];
	pid_t child;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return pfx_error_sys(err, errno, "cannot make a pipe");
	child = fork();
	if (!child) {
		close(fds[1]);
		wait_for_end(fds[0], u->dir);
	}
	close(fds[0]);
	u->end = fds[1];
	if (child < 0)
		return pfx_error_sys(err, errno, "cannot start a process");
	u->watcher = child;
	return 0;
}

static int make_dir(struct pfx_unpacked *u, struct pfx_error *err)
{
	const char *tmp = pfx_environment("TMPDIR");
	char shown[256];

	tmp = tmp && *tmp && strlen(tmp) < DIR_MAX ? tmp : "/tmp";
	u->dir = pfx_strfmt("%s/pfx-archive-XXXXXX", tmp);
	if (!mkdtemp(u->dir)) {
		free(u->dir);
		u->dir = NULL;
		return pfx_error_sys(err, errno, "cannot make a directory in '%s'",
				     pfx_escape(shown, sizeof(shown), tmp));
	}
	u->cache = pfx_strfmt("%s/cache", u->dir);
	u->recording = pfx_strfmt("%s/" PFX_ARCHIVE_RECORDING, u->dir);
	return start_watcher(u, err);
}

static int fill(struct pfx_unpacked *u, const char *path, struct pfx_error *err)
{
	char shown[256];
	int rc = make_dir(u, err);

	if (!rc)
		rc = pfx_archive_unpack(path, u->cache, u->recording, &u->counts, err);
	if (rc || u->counts.has_recording)
		return rc;
	pfx_error_set(err, ENODATA, "there is no recording in '%s'",
		      pfx_escape(shown, sizeof(shown), path));
	pfx_error_hint(err, "unpack it with 'pfx archive --unpack' and read the recording itself");
	return -ENODATA;
}

int pfx_unpacked_open(struct pfx_unpacked **ret, const char *path, struct pfx_error *err)
{
	struct pfx_unpacked *u = pfx_calloc(1, sizeof(*u));
	int rc;

	u->end = -1;
	rc = fill(u, path, err);
	if (rc) {
		pfx_unpacked_free(u);
		return rc;
	}
	*ret = u;
	return 0;
}

void pfx_unpacked_free(struct pfx_unpacked *u)
{
	if (!u)
		return;
	if (u->dir)
		remove_dir(u->dir);
	if (u->watcher) {
		kill(u->watcher, SIGKILL);
		waitpid(u->watcher, NULL, 0);
	}
	if (u->end >= 0)
		close(u->end);
	free(u->dir);
	free(u->cache);
	free(u->recording);
	free(u);
}

const char *pfx_unpacked_recording(const struct pfx_unpacked *u)
{
	return u->recording;
}

const char *pfx_unpacked_cache(const struct pfx_unpacked *u)
{
	return u->cache;
}

const struct pfx_archive_counts *pfx_unpacked_counts(const struct pfx_unpacked *u)
{
	return &u->counts;
}
