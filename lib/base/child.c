/* SPDX-License-Identifier: MIT */
/*
 * A user who may signal pfx may also stop its helper processes: a wait without a time limit could
 * block forever, and where signals are blocked only SIGKILL would end pfx.
 */
#include "base/child.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>

#include "base/ns.h"

#define TRY_MS 5

static bool has_ended(pid_t pid, int how)
{
	pid_t got;

	do
		got = waitpid(pid, NULL, how);
	while (got < 0 && errno == EINTR);
	return got != 0;
}

void pfx_child_end(pid_t pid, unsigned patience_ms)
{
	const struct timespec pause = {.tv_nsec = TRY_MS * (long)PFX_NS_PER_MS};
	unsigned ms;

	kill(pid, SIGCONT);
	for (ms = 0; ms < patience_ms; ms += TRY_MS) {
		if (has_ended(pid, WNOHANG))
			return;
		nanosleep(&pause, NULL);
	}
	kill(pid, SIGKILL);
	has_ended(pid, 0);
}
