/* SPDX-License-Identifier: MIT */
/*
 * Finding, forking and starting the recorded command. Two pipes: on one, the child waits for a byte
 * before exec; end of file on the other signals a successful exec to the parent.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
#include "sys/target/workload.h"

#define DEFAULT_PATH   "/usr/local/bin:/usr/bin:/bin"
#define HELD_BACK_EXIT 127

/* 0 if the file is executable, else the errno. */
static int executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	if (!S_ISREG(st.st_mode))
		return EACCES;
	return access(path, X_OK) < 0 ? errno : 0;
}

/* Search PATH. Returns 0 and the path, or the most specific errno. */
static int search_path(const char *command, char **ret)
{
	const char *dirs = pfx_environment("PATH");
	int worst = ENOENT, rc;
	size_t len;
	char *path;

	for (dirs = dirs ? dirs : DEFAULT_PATH;; dirs += len + 1) {
		len = strcspn(dirs, ":");
		path = len ? pfx_strfmt("%.*s/%s", (int)len, dirs, command) : pfx_strdup(command);
		rc = executable(path);
		if (rc == 0) {
			*ret = path;
			return 0;
		}
		/* EACCES of a directory that cannot be searched is not about the command. */
		if (rc == EACCES && access(path, F_OK) == 0)
			worst = rc;
		free(path);
		if (!dirs[len])
			return worst;
	}
}

/* The interpreter of a "#!" line into @out; false when the file has none. */
static bool interpreter_of(const char *path, char *out, size_t size)
{
	char head[256];
	int fd = pfx_open_plain(path, 0, NULL);
	ssize_t got;
	size_t len;
	char *at;

	if (fd < 0)
		return false;
	got = pfx_read_full(fd, head, sizeof(head) - 1);
	close(fd);
	if (got < 2 || head[0] != '#' || head[1] != '!')
		return false;
	head[got] = '\0';
	at = head + 2 + strspn(head + 2, " \t");
	len = strcspn(at, " \t\n");
	if (len == 0 || len >= size)
		return false;
	memcpy(out, at, len);
	out[len] = '\0';
	return true;
}

static int cannot_run(struct pfx_error *err, int code, const char *command)
{
	char shown[256];

	pfx_escape(shown, sizeof(shown), command);
	if (code == ENOENT) {
		pfx_error_set(err, code, "there is no command '%s'", shown);
		if (strchr(command, '/'))
			pfx_error_hint(err, "check the path");
		else
			pfx_error_hint(err,
				       "it is in none of the directories of PATH; write ./%s "
				       "for a program in this directory",
				       shown);
		return -code;
	}
	pfx_error_sys(err, code, "cannot run '%s'", shown);
	if (code == EACCES)
		pfx_error_hint(err, "it must be executable for this user (chmod +x)");
	return -code;
}

static int check_interpreter(const char *path, struct pfx_error *err)
{
	char interp[256], shown[256], shown_interp[256];

	if (!interpreter_of(path, interp, sizeof(interp)) || executable(interp) == 0)
		return 0;
	pfx_error_set(err, ENOENT, "cannot run '%s': its interpreter '%s' cannot be executed",
		      pfx_escape(shown, sizeof(shown), path),
		      pfx_escape(shown_interp, sizeof(shown_interp), interp));
	pfx_error_hint(err, "see the first line of the script");
	return -ENOENT;
}

int pfx_workload_find(const char *command, char **ret, struct pfx_error *err)
{
	char *path = NULL;
	int code;

	if (!*command) {
		code = ENOENT;
	} else if (strchr(command, '/')) {
		path = pfx_strdup(command);
		code = executable(path);
	} else {
		code = search_path(command, &path);
	}
	if (code == 0)
		code = -check_interpreter(path, err);
	else
		cannot_run(err, code, command);
	if (code) {
		free(path);
		return -code;
	}
	*ret = path;
	return 0;
}

static void __attribute__((noreturn)) run_child(int go_fd, int error_fd, const char *path,
						char **argv, const struct pfx_workload_setup *setup)
{
	char byte;
	int code;

	prctl(PR_SET_NAME, PFX_WORKLOAD_COMM);
	if (setup->stdout_to_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	if (pfx_read_full(go_fd, &byte, 1) != 1)
		_exit(HELD_BACK_EXIT);
	if (setup->signals)
		pfx_signals_give_back(setup->signals);
	/* execvp has one extra: scripts without "#!" run in the shell. */
	execvp(path, argv);
	code = errno;
	pfx_write_full(error_fd, &code, sizeof(code));
	_exit(HELD_BACK_EXIT);
}

int pfx_workload_fork(struct pfx_workload *workload, const char *path, char **argv,
		      const struct pfx_workload_setup *setup, struct pfx_error *err)
{
	int go[2], error[2];
	pid_t pid;

	memset(workload, 0, sizeof(*workload));
	if (pipe2(go, O_CLOEXEC) < 0)
		return pfx_error_sys(err, errno, "cannot make a pipe for the command");
	if (pipe2(error, O_CLOEXEC) < 0) {
		int code = errno;

		close(go[0]);
		close(go[1]);
		return pfx_error_sys(err, code, "cannot make a pipe for the command");
	}
	pid = fork();
	if (pid == 0) {
		close(go[1]);
		close(error[0]);
		run_child(go[0], error[1], path, argv, setup);
	}
	close(go[0]);
	close(error[1]);
	workload->go_fd = go[1];
	workload->error_fd = error[0];
	if (pid < 0) {
		int code = errno;

		close(go[1]);
		close(error[0]);
		return pfx_error_sys(err, code, "cannot fork for the command");
	}
	workload->pid = pid;
	workload->is_held = true;
	return 0;
}

static void close_pipes(struct pfx_workload *workload)
{
	if (!workload->is_held)
		return;
	close(workload->go_fd);
	close(workload->error_fd);
	workload->is_held = false;
}

int pfx_workload_go(struct pfx_workload *workload, const char *path, struct pfx_error *err)
{
	char byte = 1, shown[256];
	int code = 0, rc = pfx_write_full(workload->go_fd, &byte, 1);

	if (rc < 0) {
		close_pipes(workload);
		pfx_workload_wait(workload, false);
		return pfx_error_sys(err, -rc, "cannot start '%s'",
				     pfx_escape(shown, sizeof(shown), path));
	}
	if (pfx_read_full(workload->error_fd, &code, sizeof(code)) != (ssize_t)sizeof(code))
		code = 0;
	close_pipes(workload);
	if (!code)
		return 0;
	pfx_workload_wait(workload, false);
	if (code == ENOENT && access(path, F_OK) == 0) {
		pfx_error_set(err, code, "cannot run '%s': the program that loads it is missing",
			      pfx_escape(shown, sizeof(shown), path));
		pfx_error_hint(err, "'file %s' shows which interpreter or loader it wants", shown);
		return -code;
	}
	return cannot_run(err, code, path);
}

bool pfx_workload_wait(struct pfx_workload *workload, bool nohang)
{
	pid_t got;

	if (workload->is_reaped || workload->pid <= 0)
		return true;
	do
		got = waitpid(workload->pid, &workload->status, nohang ? WNOHANG : 0);
	while (got < 0 && errno == EINTR);
	workload->is_reaped = got != 0;
	return workload->is_reaped;
}

void pfx_workload_fini(struct pfx_workload *workload)
{
	if (workload->is_held) {
		close_pipes(workload);
		pfx_workload_wait(workload, false);
	}
	memset(workload, 0, sizeof(*workload));
}
