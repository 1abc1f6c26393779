/* SPDX-License-Identifier: MIT */
/* For programs that block termination signals, while they wait for another process. */
#include "base/let_signals.h"

void pfx_let_signals_end(sigset_t *ret_old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_UNBLOCK, &set, ret_old);
}
