/* SPDX-License-Identifier: MIT */
/* The recorder as a child process: it ends by itself, and the picture is made afterwards. */
#include "cmd/flamegraph/flamegraph_record.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/app/commands.h"

static volatile pid_t recorder;

static const int watched[] = {SIGINT, SIGTERM, SIGHUP};
#define NR_WATCHED (sizeof(watched) / sizeof(*watched))

static void pass_on(int sig)
{
	if (recorder)
		kill(recorder, sig);
}

/* Ctrl-C of a terminal reaches the child directly; one that was sent to this process does not. */
static void pass_sent(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code != SI_KERNEL)
		pass_on(sig);
}

static void watch_signals(struct sigaction *old)
{
	struct sigaction action = {.sa_sigaction = pass_sent, .sa_flags = SA_SIGINFO | SA_RESTART};
	size_t i;

	for (i = 0; i < NR_WATCHED; i++) {
		sigaction(watched[i], NULL, &old[i]);
		if (old[i].sa_handler != SIG_IGN)
			sigaction(watched[i], &action, NULL);
	}
}

static void restore_signals(const struct sigaction *old)
{
	size_t i;

	for (i = 0; i < NR_WATCHED; i++)
		sigaction(watched[i], &old[i], NULL);
}

static void wait_for(pid_t child, struct pfx_flamegraph_end *ret)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	ret->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	ret->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static _Noreturn void run(const struct pfx_flamegraph_recorder *what)
{
	if (what->stdout_is_ours)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	exit(pfx_cmd_record.run(what->argc, what->argv));
}

int pfx_flamegraph_record(const struct pfx_flamegraph_recorder *what,
			  struct pfx_flamegraph_end *ret, struct pfx_error *err)
{
	struct sigaction old[NR_WATCHED];
	pid_t child;

	watch_signals(old);
	child = fork();
	if (!child) {
		restore_signals(old);
		run(what);
	}
	recorder = child > 0 ? child : 0;
	if (child > 0)
		wait_for(child, ret);
	recorder = 0;
	restore_signals(old);
	if (child < 0)
		return pfx_error_sys(err, errno, "cannot start the recorder");
	ret->has_file = !access(what->data, R_OK);
	return 0;
}
