/* SPDX-License-Identifier: MIT */
/*
 * Signals of a program that watches a command: taken out of the way so that a watch can read them,
 * given back to the command, and raised again at the end. Nothing is owned.
 */
#ifndef PFX_SYS_SIGNALS_H
#define PFX_SYS_SIGNALS_H

#include <signal.h>

struct pfx_signals {
	sigset_t taken; /* for pfx_watch_init() */
	/* As it was before, for the command. */
	sigset_t old_mask;
	struct sigaction old_int, old_chld, old_pipe;
};

/* Block SIGINT, SIGTERM, SIGHUP, SIGCHLD and @more (0: no other), so that they can be waited for.
 */
void pfx_signals_take(struct pfx_signals *signals, int more);
/* In the child, before its exec: everything as it was. */
void pfx_signals_give_back(const struct pfx_signals *signals);
/* What is left needs no protection: from now on these signals end the program again. Those that
 * came until now, and that nobody waited for, are dropped. */
void pfx_signals_let_through(const struct pfx_signals *signals);
/* Die of the signal, as the shell expects, without a core file of our own. Returns where the signal
 * ends nobody. */
void pfx_signals_raise(int sig);

#endif
