/* SPDX-License-Identifier: MIT */
/* The line on a terminal that a command prints if only Ctrl-C ends it. */
#ifndef PFX_CMD_WAITING_H
#define PFX_CMD_WAITING_H

/* The target as typed; borrowed. All NULL: the whole system. */
struct pfx_waiting {
	const char *pids, *tids, *user, *cpus;
};

/* One line on standard error, if that is a terminal: what @doing ("recording", "counting") applies
 * to, and that Ctrl-C ends it. */
void pfx_waiting_say(const char *command, const char *doing, const struct pfx_waiting *target);

#endif
