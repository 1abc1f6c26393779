/* SPDX-License-Identifier: MIT */
#include "read/temp_dir.h"

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

#define OPEN_DIRS 8 /* open descriptors while a directory is removed */
#define DIR_MAX   200

struct pfx_temp_dir {
	char *path;    /* NULL: not made */
	pid_t watcher; /* 0: none */
	int end;       /* of a pipe; closed when the program ends */
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

static int start_watcher(struct pfx_temp_dir *dir, struct pfx_error *err)
{
	int fds[2];
	pid_t child;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return pfx_error_sys(err, errno, "cannot make a pipe");
	child = fork();
	if (!child) {
		close(fds[1]);
		wait_for_end(fds[0], dir->path);
	}
	close(fds[0]);
	dir->end = fds[1];
	if (child < 0)
		return pfx_error_sys(err, errno, "cannot start a process");
	dir->watcher = child;
	return 0;
}

int pfx_temp_dir_new(struct pfx_temp_dir **ret, const char *name, struct pfx_error *err)
{
	struct pfx_temp_dir *dir = pfx_calloc(1, sizeof(*dir));
	const char *tmp = pfx_environment("TMPDIR");
	char shown[256];
	int rc;

	tmp = tmp && *tmp && strlen(tmp) < DIR_MAX ? tmp : "/tmp";
	*dir = (struct pfx_temp_dir){.path = pfx_strfmt("%s/pfx-%s-XXXXXX", tmp, name), .end = -1};
	if (mkdtemp(dir->path)) {
		rc = start_watcher(dir, err);
	} else {
		rc = pfx_error_sys(err, errno, "cannot make a directory in '%s'",
				   pfx_escape(shown, sizeof(shown), tmp));
		free(dir->path);
		dir->path = NULL;
	}
	if (rc)
		pfx_temp_dir_free(dir);
	else
		*ret = dir;
	return rc;
}

void pfx_temp_dir_free(struct pfx_temp_dir *dir)
{
	if (!dir)
		return;
	if (dir->path)
		remove_dir(dir->path);
	if (dir->watcher) {
		kill(dir->watcher, SIGKILL);
		waitpid(dir->watcher, NULL, 0);
	}
	if (dir->end >= 0)
		close(dir->end);
	free(dir->path);
	free(dir);
}

const char *pfx_temp_dir_path(const struct pfx_temp_dir *dir)
{
	return dir->path;
}
