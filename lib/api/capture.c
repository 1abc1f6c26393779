/* SPDX-License-Identifier: MIT */
/*
 * The door for recording, in the caller's process: starts the child that records, reads what it
 * reports, passes commands on, and opens its output as an input. Pipes: reports and records come
 * from the child, commands and their answers go both ways.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/api_internal.h"
#include "api/capture_internal.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/guard.h"
#include "base/io.h"
#include "base/str.h"

enum { REPORT, OUTPUT, CONTROL, ANSWER, NR_PIPES };
enum { READ, WRITE };

struct pfx_capture {
	struct pfx_capture *next; /* of all captures of the process */
	pid_t child;              /* 0: reaped */
	int fds[NR_PIPES];        /* the caller's ends; -1: closed */
	struct pfx_input *input;
	struct pfx_capture_report report; /* the last one */
	bool is_complete;                 /* it is that of the end */
};

/*
 * Recorders of several threads. A child must not keep descriptors of another capture: its end would
 * not be seen before that of the child. The lock is held from the first pipe to the end of fork(),
 * and while a descriptor in the list is closed, so that its number does not yet mean another file.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pfx_capture *captures;

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_pipes(int pipes[NR_PIPES][2])
{
	unsigned i;

	for (i = 0; i < NR_PIPES; i++) {
		close_fd(&pipes[i][READ]);
		close_fd(&pipes[i][WRITE]);
	}
}

/* A pipe's end whose number is not that of a standard stream, which the caller may have closed. */
static bool lift(int *fd)
{
	int higher;

	if (*fd > STDERR_FILENO)
		return true;
	higher = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(*fd);
	*fd = higher;
	return higher >= 0;
}

/* A socket for the commands: writing to a recorder that has ended raises no signal. */
static bool make_pipe(unsigned i, int ends[2])
{
	int rc = i == CONTROL ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)
			      : pipe2(ends, O_CLOEXEC);

	return !rc && lift(&ends[READ]) && lift(&ends[WRITE]);
}

static int make_pipes(int pipes[NR_PIPES][2], struct pfx_error *err)
{
	unsigned i;

	memset(pipes, -1, NR_PIPES * sizeof(*pipes));
	for (i = 0; i < NR_PIPES; i++) {
		if (make_pipe(i, pipes[i]))
			continue;
		pfx_error_sys(err, errno, "cannot make a pipe to the recorder");
		close_pipes(pipes);
		return -err->code;
	}
	return 0;
}

/* In the child: only the caller has them, so that their end is seen. */
static void close_callers_ends(int pipes[NR_PIPES][2])
{
	struct pfx_capture *other;
	unsigned i;

	for (i = 0; i < NR_PIPES; i++)
		close_fd(&pipes[i][i == CONTROL ? WRITE : READ]);
	for (other = captures; other; other = other->next)
		for (i = 0; i < NR_PIPES; i++)
			close_fd(&other->fds[i]);
}

static void close_locked(int *fd)
{
	pthread_mutex_lock(&lock);
	close_fd(fd);
	pthread_mutex_unlock(&lock);
}

static void forget(struct pfx_capture *capture)
{
	struct pfx_capture **at;

	pthread_mutex_lock(&lock);
	for (at = &captures; *at && *at != capture;)
		at = &(*at)->next;
	if (*at)
		*at = capture->next;
	pthread_mutex_unlock(&lock);
}

static void take_ends(struct pfx_capture *capture, int pipes[NR_PIPES][2])
{
	unsigned i, mine;

	for (i = 0; i < NR_PIPES; i++) {
		mine = i == CONTROL ? WRITE : READ;
		capture->fds[i] = pipes[i][mine];
		pipes[i][mine] = -1;
	}
	close_pipes(pipes);
}

/* The next report of the child; an error if it has ended without one. */
static int read_report(struct pfx_capture *capture)
{
	struct pfx_capture_report report;
	ssize_t got = pfx_read_full(capture->fds[REPORT], &report, sizeof(report));

	if (got == (ssize_t)sizeof(report)) {
		capture->report = report;
	} else {
		capture->report.rc = -EPIPE;
		pfx_error_set(&capture->report.err, EPIPE, "the recorder ended unexpectedly");
	}
	return capture->report.rc;
}

static void reap(struct pfx_capture *capture)
{
	while (capture->child && waitpid(capture->child, NULL, 0) < 0 && errno == EINTR)
		;
	capture->child = 0;
}

static void give_error(const struct pfx_capture *capture, struct pfx_error *err)
{
	if (err)
		*err = capture->report.err;
	pfx_api_rc(capture->report.rc, err);
}

/* Without signals, whose handlers are the caller's, and while no other thread is in the list of
 * mappings, whose lock the child would never get. */
static pid_t fork_quietly(void)
{
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pfx_guard_hold(true);
	pid = fork();
	pfx_guard_hold(false);
	if (pid)
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pid;
}

static int fork_child(struct pfx_capture *capture, struct pfx_capture_setup *start,
		      struct pfx_error *err)
{
	int pipes[NR_PIPES][2], rc = make_pipes(pipes, err);

	if (rc)
		return rc;
	start->parent = getpid();
	start->report_fd = pipes[REPORT][WRITE];
	start->output_fd = pipes[OUTPUT][WRITE];
	start->control_fd = pipes[CONTROL][READ];
	start->answer_fd = pipes[ANSWER][WRITE];
	capture->child = fork_quietly();
	if (!capture->child) {
		close_callers_ends(pipes);
		pfx_capture_child(start);
	}
	rc = capture->child < 0 ? -errno : 0;
	take_ends(capture, pipes);
	if (rc) {
		capture->child = 0;
		return pfx_error_sys(err, -rc, "cannot start the recorder");
	}
	if (start->options.output)
		close_fd(&capture->fds[OUTPUT]);
	capture->next = captures;
	captures = capture;
	return 0;
}

static int start_child(struct pfx_capture *capture, struct pfx_capture_setup *start,
		       struct pfx_error *err)
{
	int rc;

	pthread_mutex_lock(&lock);
	rc = fork_child(capture, start, err);
	pthread_mutex_unlock(&lock);
	if (rc)
		return rc;
	rc = read_report(capture);
	if (rc)
		give_error(capture, err);
	return rc;
}

int pfx_capture_start(struct pfx_capture **ret, const struct pfx_capture_options *options,
		      struct pfx_error *err)
{
	struct pfx_capture_setup start = {.options = PFX_INIT(struct pfx_capture_options)};
	struct pfx_capture *capture;
	int rc;

	if (!ret)
		return pfx_api_missing("ret", err);
	*ret = NULL;
	rc = pfx_api_take(&start.options, sizeof(start.options), options, "pfx_capture_options",
			  err);
	if (rc)
		return rc;
	if (start.options.command && !start.options.command[0])
		return pfx_error_set(err, EINVAL, "the command is empty");
	capture = pfx_calloc(1, sizeof(*capture));
	memset(capture->fds, -1, sizeof(capture->fds));
	rc = start_child(capture, &start, err);
	if (rc) {
		capture->is_complete = true;
		pfx_capture_free(capture);
		return rc;
	}
	*ret = capture;
	return 0;
}

int pfx_capture_input(struct pfx_capture *capture, const struct pfx_input_options *options,
		      struct pfx_input **ret, struct pfx_error *err)
{
	char path[32];
	int rc = 0;

	if (!ret)
		return pfx_api_missing("ret", err);
	*ret = NULL;
	if (!capture)
		return pfx_api_missing("capture", err);
	if (!capture->input && capture->fds[OUTPUT] < 0) {
		pfx_error_set(err, EINVAL, "the recording goes to a file");
		pfx_error_hint(err, "start it without 'output'");
		return -EINVAL;
	}
	if (!capture->input) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", capture->fds[OUTPUT]);
		rc = pfx_input_open(&capture->input, path, options, err);
		if (!rc)
			close_locked(&capture->fds[OUTPUT]);
	}
	*ret = capture->input;
	return rc;
}

/* --- control --- */

/* Wait for bytes of the answer: how many there are; 0: the recording has ended. */
static ssize_t read_answer(struct pfx_capture *capture, char *to, size_t size)
{
	struct pollfd fds[2] = {{.fd = capture->fds[ANSWER], .events = POLLIN},
				{.fd = capture->fds[REPORT], .events = POLLIN}};
	ssize_t nr;

	while (poll(fds, 2, -1) < 0)
		if (errno != EINTR)
			return 0;
	nr = fds[0].revents & POLLIN ? read(capture->fds[ANSWER], to, size) : 0;
	return nr > 0 ? nr : 0;
}

/* What the recorder answers to each command that it knows: 0; -ENOENT: it has no such event;
 * -EPIPE: the recording has ended. */
static int take_answer(struct pfx_capture *capture)
{
	bool has_event = true;
	char answer[16];
	ssize_t nr;

	do {
		nr = read_answer(capture, answer, sizeof(answer));
		if (!nr)
			return -EPIPE;
		has_event &= !memchr(answer, *PFX_CAPTURE_NO_EVENT, (size_t)nr);
	} while (!memchr(answer, '\n', (size_t)nr));
	return has_event ? 0 : -ENOENT;
}

static bool is_known(const char *command)
{
	static const struct {
		const char *word;
		bool takes_event;
	} rows[] = {{"enable", true}, {"disable", true}, {"snapshot", false}, {"ping", false}};
	size_t i, len = strcspn(command, " ");
	bool is_alone = !command[len + strspn(command + len, " ")];

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strlen(rows[i].word) == len && !strncmp(rows[i].word, command, len))
			return (is_alone || rows[i].takes_event) && !strchr(command, '\n');
	return false;
}

int pfx_capture_control(struct pfx_capture *capture, const char *command, struct pfx_error *err)
{
	char shown[128], line[256];
	int len, rc = -EPIPE;

	if (!capture || !command)
		return pfx_api_missing(capture ? "command" : "capture", err);
	len = snprintf(line, sizeof(line), "%s\n", command);
	if (!is_known(command) || len >= (int)sizeof(line))
		return pfx_error_set(err, EINVAL, "'%s' is not a command to a recorder",
				     pfx_escape(shown, sizeof(shown), command));
	if (!capture->is_complete && kill(capture->child, 0) == 0 &&
	    send(capture->fds[CONTROL], line, (size_t)len, MSG_NOSIGNAL) == len)
		rc = take_answer(capture);
	if (rc == -EPIPE)
		return pfx_error_set(err, EPIPE, "the recording has ended");
	if (rc < 0)
		return pfx_error_set(err, ENOENT, "'%s': the recording has no such event",
				     pfx_escape(shown, sizeof(shown), command));
	return 0;
}

/* --- the end --- */

void pfx_capture_stop(struct pfx_capture *capture)
{
	if (capture && capture->child)
		kill(capture->child, SIGINT);
}

int pfx_capture_wait(struct pfx_capture *capture, struct pfx_capture_result *ret,
		     struct pfx_error *err)
{
	if (!capture)
		return pfx_api_missing("capture", err);
	if (!capture->is_complete) {
		read_report(capture);
		capture->is_complete = true;
		reap(capture);
	}
	pfx_api_give(ret, &capture->report.result, sizeof(capture->report.result));
	if (capture->report.rc)
		give_error(capture, err);
	return capture->report.rc;
}

void pfx_capture_free(struct pfx_capture *capture)
{
	unsigned i;

	if (!capture)
		return;
	pfx_input_close(capture->input);
	for (i = 0; i < NR_PIPES; i++)
		if (i != REPORT)
			close_locked(
				&capture->fds[i]); /* a recorder that waits for its reader ends */
	if (!capture->is_complete) {
		pfx_capture_stop(capture);
		pfx_capture_wait(capture, NULL, NULL);
	}
	reap(capture);
	close_locked(&capture->fds[REPORT]);
	forget(capture);
	free(capture);
}
