/* SPDX-License-Identifier: MIT */
/*
 * Probes in programs as tracepoints of the running kernel. They are seen by all, so a process of
 * our own watches over them: it takes them away when this one ends, whatever it dies of.
 */
#ifndef PFX_SYS_PROBE_GUARD_H
#define PFX_SYS_PROBE_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* Zero is none. */
struct pfx_probes {
	int events_fd; /* uprobe_events */
	int guard_fd;  /* its end tells the guard that it is time */
	pid_t guard;   /* 0: none yet */
};

struct pfx_probe_place {
	const char *group, *name; /* letters, digits and '_' */
	const char *path;         /* absolute, without blanks */
	uint64_t offset;          /* in the file */
	bool is_return;
};

/* Whether probes can be placed by this user; @tracefs: its directory. */
bool pfx_probes_may(const char *tracefs);
/* Place one; *@ret_id is what the attr of a tracepoint names it by. */
int pfx_probes_add(struct pfx_probes *set, const char *tracefs, const struct pfx_probe_place *place,
		   uint64_t *ret_id, struct pfx_error *err);
/* Take all away, and wait until that is done. The counters must be closed by then. */
void pfx_probes_fini(struct pfx_probes *set);

#endif
