/* SPDX-License-Identifier: MIT */
#include "cmd/app/screen/screen_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child. */
static void start(const char *const *words, int out[2], int said[2])
{
	int none = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (none < 0 || dup2(none, STDIN_FILENO) < 0 || dup2(out[1], STDOUT_FILENO) < 0 ||
	    dup2(said[1], STDERR_FILENO) < 0)
		_exit(127);
	execv("/proc/self/exe", (char **)words);
	_exit(127);
}

/* Until both ends are closed: neither may fill while the other is read. */
static void read_both(int out, int said, struct pfx_str *ret, struct pfx_str *ret_said)
{
	struct pollfd fds[2] = {{.fd = out, .events = POLLIN}, {.fd = said, .events = POLLIN}};
	struct pfx_str *to[2] = {ret, ret_said};
	char bytes[4096];
	ssize_t len;
	int i;

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return;
		for (i = 0; i < 2; i++) {
			if (fds[i].fd < 0 || !fds[i].revents)
				continue;
			len = read(fds[i].fd, bytes, sizeof(bytes));
			if (len > 0)
				pfx_str_addn(to[i], bytes, (size_t)len);
			else if (!len || errno != EINTR)
				fds[i].fd = -1;
		}
	}
}

static int run(const char *const *words, struct pfx_str *ret, struct pfx_str *ret_said)
{
	int out[2], said[2], status = -1;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(said, O_CLOEXEC) < 0) {
		status = -errno;
		close(out[0]);
		close(out[1]);
		return status;
	}
	pid = fork();
	if (!pid)
		start(words, out, said);
	close(out[1]);
	close(said[1]);
	if (pid > 0)
		read_both(out[0], said[0], ret, ret_said);
	close(out[0]);
	close(said[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 ? status : -EAGAIN;
}

int pfx_screen_child(const char *const *words, struct pfx_str *ret, struct pfx_error *err)
{
	struct pfx_str said = {0};
	int status = run(words, ret, &said);

	if (status > 0 && said.len)
		pfx_error_set(err, ENODATA, "%.*s", (int)strcspn(said.at, "\n"), said.at);
	else if (status)
		pfx_error_set(err, EAGAIN, "pfx %s cannot be run", words[1]);
	pfx_str_fini(&said);
	return status ? -EAGAIN : 0;
}
