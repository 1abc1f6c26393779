/* SPDX-License-Identifier: MIT */
/*
 * Blocking, restoring and raising signals.
 */
#include "sys/target/signals.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

void pfx_signals_take(struct pfx_signals *signals, int more)
{
	struct sigaction def = {.sa_handler = SIG_DFL};
	sigset_t *set = &signals->taken;

	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGCHLD);
	if (more)
		sigaddset(set, more);
	sigprocmask(SIG_BLOCK, set, &signals->old_mask);
	/* An ignored signal is never delivered; shells start background jobs with SIGINT
	 * ignored. */
	sigaction(SIGINT, &def, &signals->old_int);
	sigaction(SIGCHLD, &def, &signals->old_chld);
	sigaction(SIGPIPE, NULL, &signals->old_pipe);
}

void pfx_signals_give_back(const struct pfx_signals *signals)
{
	sigaction(SIGINT, &signals->old_int, NULL);
	sigaction(SIGCHLD, &signals->old_chld, NULL);
	sigaction(SIGPIPE, &signals->old_pipe, NULL);
	sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
}

void pfx_signals_let_through(const struct pfx_signals *signals)
{
	const struct timespec now = {0};

	while (sigtimedwait(&signals->taken, NULL, &now) > 0)
		;
	sigprocmask(SIG_UNBLOCK, &signals->taken, NULL);
}

void pfx_signals_raise(int sig)
{
	struct sigaction def = {.sa_handler = SIG_DFL};
	struct rlimit none = {0, 0};
	sigset_t set;

	setrlimit(RLIMIT_CORE, &none);
	fflush(NULL);
	sigaction(sig, &def, NULL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}
