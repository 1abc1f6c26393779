/* SPDX-License-Identifier: MIT */
/* What a command says on a terminal when nothing but Ctrl-C ends it. */
#ifndef PFX_CMD_WAITING_H
#define PFX_CMD_WAITING_H

/* The target as typed; borrowed. All NULL: the whole system. */
struct pfx_waiting {
	const char *pids, *tids, *user, *cpus;
};

/* One line on standard error, if that is a terminal: what is @doing ("recording", "counting")
 * about, and that Ctrl-C ends it. */
void pfx_waiting_say(const char *command, const char *doing, const struct pfx_waiting *target);

#endif
