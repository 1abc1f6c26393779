/* SPDX-License-Identifier: MIT */
/*
 * Uprobes as tracepoints of the running kernel. They are global, so a guard process watches over
 * them: it removes them when this process ends, for whatever reason.
 */
#ifndef PFX_SYS_PROBE_GUARD_H
#define PFX_SYS_PROBE_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* Zero-initialize. */
struct pfx_probes {
	bool is_open;  /* the first probe opens it: */
	int events_fd; /* uprobe_events */
	int guard_fd;  /* closing it makes the guard remove the probes */
	pid_t guard;   /* 0: not started */
};

struct pfx_probe_place {
	const char *group, *name; /* letters, digits and '_' */
	const char *path;         /* absolute, without blanks */
	uint64_t offset;          /* in the file */
	bool is_return;
};

/* Whether this user may place probes; @tracefs: its directory. */
bool pfx_probes_may(const char *tracefs);
/* Place a probe; *@ret_id is the config of its tracepoint's attr. */
int pfx_probes_add(struct pfx_probes *set, const char *tracefs, const struct pfx_probe_place *place,
		   uint64_t *ret_id, struct pfx_error *err);
/* Remove all probes and wait until that is done. Close their counters before. */
void pfx_probes_fini(struct pfx_probes *set);

#endif
