/* SPDX-License-Identifier: MIT */
/*
 * Signals of a program that runs a workload: blocked so that a watch can read them, restored for
 * the workload, and raised again at the end.
 */
#ifndef PFX_SYS_SIGNALS_H
#define PFX_SYS_SIGNALS_H

#include <signal.h>

struct pfx_signals {
	sigset_t taken; /* for pfx_watch_init() */
	/* The original state, for the workload. */
	sigset_t old_mask;
	struct sigaction old_int, old_chld, old_pipe;
};

/* Block SIGINT, SIGTERM, SIGHUP, SIGCHLD and @more (0: no other), for reading them. */
void pfx_signals_take(struct pfx_signals *signals, int more);
/* In the child, before its exec: restore the original state. */
void pfx_signals_give_back(const struct pfx_signals *signals);
/* The critical part is over: from now on, these signals end the program again. Pending signals are
 * dropped. */
void pfx_signals_let_through(const struct pfx_signals *signals);
/* End this process by the signal, as shells expect, without a core file. Returns if the signal is
 * ignored. */
void pfx_signals_raise(int sig);

#endif
